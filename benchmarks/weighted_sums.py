"""Intervals of weighted rows from sums by cell against those from the rows themselves.

The cases and weights of `weighted_coverage.py`, with lognormal weights of two spreads. Prints, per
kind of weights and number of cases: in percent of data sets, how often 95 % intervals from sums
hold the truth (expected cost, normalised cost at the class shares of the data, difference of two
models in both), the same for the difference from rows, and the widths of intervals from sums over
those from rows: of the normalised cost the most that any ratio is away from 1, of the difference
the average of the ratios and their standard deviation.

    python benchmarks/weighted_sums.py --sets 1000
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
from weighted_coverage import COSTS, CUT, KINDS, NOISE, PRIOR, rates

from stakes import Application
from stakes.engines import Request, reduce_frame
from stakes.uncertainty import compare, interval, weighted_interval
from stakes.uncertainty.intervals.case_rows import CaseRows

AT = Application(COSTS, priors=[1 - PRIOR, PRIOR])
FREE = Application(COSTS)
NEC = "normalized_expected_cost"
#: Kinds of cases of `weighted_coverage`, or the spread of the logarithm of lognormal weights.
WEIGHTS: dict[str, Any] = {"lognormal 0.7": 0.7, "lognormal 1": 1.0, "informative": None}


def sample(n: int, prevalence: float, weights: str, rng: np.random.Generator) -> Any:
    """True classes, decisions of two models, weights."""
    parts = KINDS[kind_of(weights)]
    y = rng.random(n) < prevalence
    which = rng.integers(0, len(parts), n)
    shares, distances = (np.array([p[k] for p in parts])[which] for k in (0, 1))
    s = rng.normal(distances * y)
    w = shares * 2 if WEIGHTS[weights] is None else rng.lognormal(0.0, WEIGHTS[weights], n)
    t = s + NOISE * rng.normal(size=n)
    return y.astype(np.int64), {"a": (s > CUT).astype(int), "b": (t > CUT).astype(int)}, w


def kind_of(weights: str) -> str:
    """The kinds of cases that these weights come with."""
    return "informative" if WEIGHTS[weights] is None else "noise"


def truth_of(weights: str, prevalence: float, app: Application) -> tuple[float, float]:
    """Cost of the first model and its difference from the second, in the population."""
    share = prevalence if app.priors is None else float(app.priors[1])
    found = []
    for noise in (0.0, NOISE):
        alarms, missed = rates(CUT, kind_of(weights), noise)
        found.append((1 - share) * alarms * COSTS[0][1] + share * missed * COSTS[1][0])
    return found[0], found[0] - found[1]


def naive(prevalence: float) -> float:
    """The cost of the better constant decision."""
    return min((1 - prevalence) * COSTS[0][1], prevalence * COSTS[1][0])


def limits(y: Any, said: Any, w: Any, seed: int) -> dict[str, tuple[float, float]]:
    """Every interval of one data set."""
    frame = pl.DataFrame({"y": y, **said, "w": w})
    request = Request("y", {m: m for m in said}, applications=FREE, sample_weight="w")
    summed = reduce_frame(frame, request)
    one, both = summed.weighted(model="a"), summed.weighted()
    rows = CaseRows.from_decisions(y, said, sample_weight=w, groups=None, application=FREE)
    given: dict[str, Any] = {"rng": seed, "draws": 1000}
    plain = weighted_interval(y, said["a"], sample_weight=w, application=FREE, metric=NEC)
    found = {
        "cost": interval(one, application=AT).limits,
        "NEC": interval(one, NEC, application=FREE).limits,
        "NEC, rows": plain.limits,
    }
    for name, each in (("", both), (", rows", rows)):
        for what, app in (("difference", AT), ("difference of NEC", FREE)):
            with np.errstate(divide="ignore", invalid="ignore"):  # draws of one class alone
                pair = compare(each, app, normalized=app is FREE, **given).difference("a", "b")
            found[what + name] = (pair.low, pair.high)
    return found


def run(n: int, prevalence: float, weights: str, sets: int, rng: np.random.Generator) -> str:
    """One line of the table."""
    held: dict[str, int] = defaultdict(int)
    widths: dict[str, list[float]] = defaultdict(list)
    cost, gap = truth_of(weights, prevalence, AT)
    nec, nec_gap = (each / naive(prevalence) for each in truth_of(weights, prevalence, FREE))
    truths = {"cost": cost, "NEC": nec, "difference": gap, "difference of NEC": nec_gap}
    done = 0
    while done < sets:
        y, said, w = sample(n, prevalence, weights, rng)
        if min(y.sum(), n - y.sum()) < 10:
            continue
        done += 1
        found = limits(y, said, w, seed=done)
        for name, (low, high) in found.items():
            held[name] += low <= truths[name.removesuffix(", rows")] <= high
        for name in ("NEC", "difference", "difference of NEC"):
            mine, theirs = (np.ptp(found[each]) for each in (name, name + ", rows"))
            widths[name].append(float(mine / theirs) if theirs else 1.0)
    shown = ", ".join(f"{name} {100 * held[name] / sets:.1f}" for name in found)
    off = np.abs(np.array(widths["NEC"]) - 1).max()
    spread = "; ".join(
        f"{name} {np.mean(widths[name]):.4f} +- {np.std(widths[name]):.4f}"
        for name in ("difference", "difference of NEC")
    )
    return f"{weights}, n = {n}, {prevalence}: {shown}; widths: NEC {off:.1e} off, {spread}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    for weights in WEIGHTS:
        for n, prevalence in ((200, 0.5), (200, 0.1), (2000, 0.1)):
            print(run(n, prevalence, weights, args.sets, rng), flush=True)


if __name__ == "__main__":
    main()
