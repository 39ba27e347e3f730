"""Misranking: a million pairs for all metrics of one population, against the draws alone.

The bar of 15 seconds for the seven metrics of Dyrland et al. 2022 is kept on any machine on which
NumPy draws the pairs in a second; the ratio says what judging them adds to drawing them.
"""

from __future__ import annotations

import sys

import numpy as np
from timing import Row, best_of, heading, table

from stakes.audit import compliance, misranking_by_error, misranking_rate, misranking_rates
from stakes.audit.misranking import _PAPER_METRICS, _pair_source
from stakes.metrics import mcc

N = 10**6
BLOCK = 1 << 17


def draws(utilities: str) -> None:
    """Draw the utilities and the pairs of tables, and nothing else."""
    source, rng = _pair_source(utilities), np.random.default_rng(0)
    for _ in range(-(-N // BLOCK)):
        source.draw(rng, BLOCK)


def one_by_one(n: int) -> None:
    """The same for MCC with one call per table, as a loop over pairs would do it."""
    source, rng = _pair_source("uniform"), np.random.default_rng(0)
    gains, first, second = source.draw(rng, n)
    wrong = 0
    for k in range(n):
        true = float((gains[k] * (second[k] - first[k])).sum())
        wrong += not true * (mcc(second[k]) - mcc(first[k])) > 0


def main() -> None:
    repeat = 1 if "--quick" in sys.argv else 3
    for utilities in ("uniform", "gaussian"):
        print(heading(f"{N} pairs, {utilities} utilities, {len(_PAPER_METRICS)} metrics"))
        base = best_of(lambda u=utilities: draws(u), repeat=repeat)
        judged = best_of(
            lambda u=utilities: misranking_rates(utilities=u, draws=N, rng=0), repeat=repeat
        )
        error = best_of(
            lambda u=utilities: misranking_by_error([0.11], utilities=u, draws=N, rng=0),
            repeat=repeat,
        )
        rows = [
            Row("drawing the pairs", base, 1.0),
            Row("seven metrics", judged, judged / base, bar="<= 8"),
            Row("utilities with an error", error, error / base),
        ]
        print(table(rows))
        print(f"seven metrics take {judged:.1f} s (bar: 15 s)")
        print(misranking_rates(utilities=utilities, draws=N, rng=0).frame())

    n = 4000
    print(heading(f"MCC on {n} pairs, all at once against one table at a time"))
    loop = best_of(lambda: one_by_one(n), repeat=repeat)
    once = best_of(lambda: misranking_rate("mcc", draws=n, rng=0), repeat=repeat)
    print(table([Row("one table at a time", loop, 1.0), Row("all at once", once, once / loop)]))

    print(heading("compliance, two classes"))
    named = best_of(lambda: compliance("f1"), repeat=repeat)
    own = best_of(lambda: compliance(lambda c: c[1, 1] / c[:, 1].sum()), repeat=repeat)
    print(
        table([Row("a catalogued metric", named, 1.0), Row("a Python function", own, own / named)])
    )


if __name__ == "__main__":
    main()
