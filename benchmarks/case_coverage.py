"""How often nominal 95 % intervals of costs per case hold the truth, and what the note flags.

    python benchmarks/case_coverage.py               # a rough look
    python benchmarks/case_coverage.py --sets 1000   # the tables of docs/intervals.md
    python benchmarks/case_coverage.py --only bands --sets 400

500 cases, 30 % of them positive, whose amounts have mean 1 and follow the law of the row; Gaussian
log-likelihood ratios (d' = 2, a second system 1.6) cut at a posterior of 0.3, so that what each
system costs in the long run is known exactly. A miss costs the amount. *Fixed*: a false alarm
costs 0.2, *own*: half the amount, *rare*: 1, so that never acting is the best naive decision.
*15 groups*: cases come in 15 groups; the amounts of one share a lognormal factor (sigma 0.5).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.special import gamma
from scipy.stats import norm

from stakes import ScoreCounts, evaluate
from stakes.application import CaseCosts
from stakes.evaluation import model_intervals as sureness
from stakes.uncertainty import band
from stakes.uncertainty.bands import _normalised_cost

CASES, SHARE, CUT = 500, 0.3, 0.3
SEPARATIONS = {"first": 2.0, "second": 1.6}
Draw = Callable[[np.random.Generator, int], np.ndarray]
LIGHT: dict[str, Draw] = {
    "all equal": lambda rng, n: np.ones(n),
    "uniform": lambda rng, n: 2 * rng.random(n),
    "half normal": lambda rng, n: np.abs(rng.normal(size=n)) * np.sqrt(np.pi / 2),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "lognormal, sigma 0.5": lambda rng, n: rng.lognormal(-0.125, 0.5, n),
    "Weibull, shape 0.7": lambda rng, n: rng.weibull(0.7, n) / gamma(1 + 1 / 0.7),
}
HEAVY: dict[str, Draw] = {
    "lognormal, sigma 1": lambda rng, n: rng.lognormal(-0.5, 1.0, n),
    "Pareto, 2.2": lambda rng, n: (rng.pareto(2.2, n) + 1) * 1.2 / 2.2,
    "lognormal, sigma 1.5": lambda rng, n: rng.lognormal(-1.125, 1.5, n),
    "lognormal, sigma 2": lambda rng, n: rng.lognormal(-2.0, 2.0, n),
}
#: What a false alarm costs: a number, or a share of the case's own amount.
ALARMS = {"fixed": (0.2, False), "own": (0.5, True), "rare": (1.0, False)}


def necs(alarm: float) -> dict[str, float]:
    """What each system costs in the long run beside the best naive decision."""
    cut = np.log(CUT / (1 - CUT)) - np.log(SHARE / (1 - SHARE))
    naive = min(SHARE, (1 - SHARE) * alarm)
    found = {}
    for name, d in SEPARATIONS.items():
        missed, alarms = norm.cdf(cut, d * d / 2, d), norm.sf(cut, -d * d / 2, d)
        found[name] = float(SHARE * missed + (1 - SHARE) * alarm * alarms) / naive
    return found


def drawn(
    law: Draw, alarm: float, own: bool, grouped: bool, rng: np.random.Generator
) -> tuple[np.ndarray, dict[str, np.ndarray], CaseCosts, np.ndarray | None]:
    """One data set: truth, decisions of both systems, costs, groups."""
    y = rng.random(CASES) < SHARE
    amount = law(rng, CASES)
    groups = np.arange(CASES) % 15 if grouped else None
    if groups is not None:
        amount = amount * rng.lognormal(-0.125, 0.5, 15)[groups]
    noise, shared = rng.normal(size=(2, CASES)), rng.normal(size=CASES)
    decisions = {}
    for (name, d), own_noise in zip(SEPARATIONS.items(), noise, strict=True):
        z = np.sqrt(0.7) * shared + np.sqrt(0.3) * own_noise
        llr = np.where(y, d * d / 2, -d * d / 2) + d * z
        cut = np.log(CUT / (1 - CUT)) - np.log(SHARE / (1 - SHARE))
        decisions[name] = (llr > cut).astype(int)
    costs = CaseCosts.binary(
        false_negative=amount, false_positive=alarm * (amount if own else np.ones(CASES))
    )
    return y.astype(int), decisions, costs, groups


def row(law: Draw, kind: str, grouped: bool, sets: int, seed: int) -> dict[str, float]:
    """Coverage of the NEC and of the difference, lengths, and how often the note is there."""
    alarm, own = ALARMS[kind]
    truth = necs(alarm)
    gap = truth["first"] - truth["second"]
    inside, between, flagged, longer = [], [], [], []
    for k in range(sets):
        rng = np.random.default_rng([seed, k])
        y, decisions, costs, groups = drawn(law, alarm, own, grouped, rng)
        ev = evaluate(y, decisions, application=costs, groups=groups, rng=0)
        low, high = ev["first"].interval
        inside.append(low <= truth["first"] <= high)
        pair = ev.difference("first", "second")
        between.append(min(pair.low, pair.high) <= gap <= max(pair.low, pair.high))
        flagged.append(any(note.code == "few-carry" for note in ev.notes))
        nec = ev.comparison.replicates.values[:, ev.comparison.systems.index("first")]
        longer.append((high - low) / np.diff(np.quantile(nec, [0.025, 0.975]))[0])
    held, said = np.array(inside), np.array(flagged)
    share = float(said[~held].mean()) if (~held).any() else np.nan
    return {
        "NEC": held.mean(),
        "difference": np.mean(between),
        "length against drawn cases": float(np.median(longer)),
        "flagged": said.mean(),
        "flagged of misses": share,
        "NEC where not flagged": held[~said].mean() if (~said).any() else np.nan,
    }


def cases_table(sets: int) -> None:
    """One row for each law and kind of false alarm."""
    print("| amounts | alarms | NEC | difference | length | flagged | flagged of misses |")
    print("|---|---|---|---|---|---|---|")
    for seed, (name, law) in enumerate({**LIGHT, **HEAVY}.items()):
        settings = [(kind, False) for kind in ALARMS] + [("fixed", True)]
        for kind, grouped in settings:
            start = time.perf_counter()
            found = row(law, kind, grouped, sets, 10 * seed + len(kind) + 5 * grouped)
            label = f"{kind}, 15 groups" if grouped else kind
            said = " | ".join(
                f"{value:.2f}" if key.startswith("length") else f"{100 * value:.1f}"
                for key, value in found.items()
                if key != "NEC where not flagged"
            )
            print(f"| {name} | {label} | {said} |", flush=True)
            print(f"{name}, {label}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


BANDS = [(200, 0.5, 2.0, 4.0), (200, 0.1, 2.0, 4.0), (1000, 0.5, 2.0, 4.0), (1000, 0.1, 2.0, 4.0),
         (1000, 0.02, 2.0, 4.0), (1000, 0.5, 2.0, 7.0), (1000, 0.5, 3.0, 4.0),
         (1000, 0.5, 1.0, 4.0)]  # fmt: skip


def bands_table(sets: int) -> None:
    """Simultaneous bands of Bayes-error curves."""
    print("| n, prior, d', log odds | whole curve inside | truth below | truth above |")
    print("|---|---|---|---|")
    for n, prior, d, span in BANDS:
        x = np.linspace(-span, span, int(10 * span) + 1)
        mean = d * d / 2
        truth = _normalised_cost(x)(norm.cdf(-x, mean, d), norm.sf(-x, -mean, d))
        sides = []
        for k in range(sets):
            rng = np.random.default_rng([n, int(100 * prior), int(d), k])
            y = np.arange(n) < max(10, rng.binomial(n, prior))
            llrs = rng.normal(np.where(y, mean, -mean), d)
            found = band(ScoreCounts.from_scores(y, llrs, kind="llr"), at=x, rng=k)
            sides.append([(truth < found.low).any(), (truth > found.high).any()])
        below, above = np.array(sides).T
        shares = [1 - (below | above).mean(), below.mean(), above.mean()]
        said = " | ".join(f"{100 * share:.1f}" for share in shares)
        print(f"| {n}, {prior:g}, {d:g}, ±{span:g} | {said} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=100, help="data sets in each row")
    parser.add_argument("--only", choices=["cases", "bands"], help="half of the tables")
    args = parser.parse_args()
    sureness.MOST_DRAWS = 500  # intervals do not need them, only the lengths beside them do
    if args.only != "bands":
        cases_table(args.sets)
    if args.only != "cases":
        bands_table(args.sets)


if __name__ == "__main__":
    main()
