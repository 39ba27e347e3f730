"""How often 95 % intervals of weighted cases hold the truth.

Two kinds of cases are sampled alike although one is nine times as common in the population, and
has better scores ("informative"); or weights are lognormal and have nothing to do with the case
("noise"). Prints one row per number of cases, in percent of data sets with ten cases of each class.

    python benchmarks/weighted_coverage.py --sets 400
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from stakes import Application, GroupedCounts
from stakes.uncertainty import (
    compare,
    compare_scores,
    weighted_interval,
    weighted_score_interval,
)

COSTS = ((0, 1), (10, 0))
PRIOR = 0.1
APP = Application(COSTS, priors=[1 - PRIOR, PRIOR])
#: Share in the population, and distance of the means, of each kind of case.
KINDS = {"informative": ((0.1, 1.2), (0.9, 2.2)), "noise": ((1.0, 2.0),)}
CUT = 1.0
#: What the second system adds to the scores of the first: noise of this spread.
NOISE = 0.8


def sample(n: int, prevalence: float, kind: str, rng: np.random.Generator) -> Any:
    """True classes, scores of two systems, weights."""
    parts = KINDS[kind]
    y = rng.random(n) < prevalence
    which = rng.integers(0, len(parts), n)
    shares, distances = (np.array([p[k] for p in parts])[which] for k in (0, 1))
    s = rng.normal(distances * y)
    w = shares * len(parts) if len(parts) > 1 else rng.lognormal(0.0, 0.7, n)
    return y, s, s + NOISE * rng.normal(size=n), w


def rates(cut: float, kind: str, noise: float = 0.0) -> tuple[float, float]:
    """False positive and false negative rate in the population."""
    spread = np.hypot(1.0, noise)
    missed = sum(p * norm.cdf((cut - d) / spread) for p, d in KINDS[kind])
    return float(norm.sf(cut / spread)), float(missed)


def cost(cut: float, kind: str, noise: float = 0.0) -> float:
    """Expected cost in the population."""
    alarms, missed = rates(cut, kind, noise)
    return (1 - PRIOR) * alarms * COSTS[0][1] + PRIOR * missed * COSTS[1][0]


def area(kind: str, noise: float = 0.0) -> float:
    """Area under the ROC curve in the population."""
    spread = np.sqrt(2 * (1 + noise**2))
    return float(sum(p * norm.cdf(d / spread) for p, d in KINDS[kind]))


def truths(kind: str, prevalence: float) -> dict[str, float]:
    """Every quantity in the population."""
    alarms, missed = rates(CUT, kind)
    a, b = (1 - prevalence) * (1 - alarms), (1 - prevalence) * alarms
    c, d = prevalence * missed, prevalence * (1 - missed)
    crossing = brentq(lambda t: np.subtract(*rates(t, kind)), -5, 5)
    return {
        "cost score": cost(CUT, kind),
        "cost percentile": cost(CUT, kind),
        "MCC bca": (a * d - b * c) / np.sqrt((d + b) * (d + c) * (a + b) * (a + c)),
        "AUC score": area(kind),
        "EER score": rates(crossing, kind)[0],
        "min cost": min(cost(t, kind) for t in np.linspace(-3, 5, 1601)),
        "difference, cases as groups": cost(CUT, kind) - cost(CUT, kind, NOISE),
        "difference of AUC": area(kind, NOISE) - area(kind),
    }


def found(y: Any, s: Any, t: Any, w: Any) -> dict[str, tuple[float, float]]:
    """Every interval on one data set."""
    d, e = s > CUT, t > CUT
    given: dict[str, Any] = {"sample_weight": w, "rng": 0, "draws": 500}
    gc = GroupedCounts.from_decisions(
        y, {"a": d, "b": e}, groups=np.arange(y.shape[0]), sample_weight=w
    )
    pair = compare(gc, APP, rng=0, draws=500).difference("a", "b")
    scores = compare_scores(y, {"a": s, "b": t}, sample_weight=w, rng=0).difference("a", "b")
    best = weighted_score_interval(y, s, metric="min_cost", application=APP, **given)
    return {
        "cost score": weighted_interval(y, d, application=APP, **given).limits,
        "cost percentile": weighted_interval(
            y, d, application=APP, method="percentile", **given
        ).limits,
        "MCC bca": weighted_interval(y, d, metric="mcc", **given).limits,
        "AUC score": weighted_score_interval(y, s, **given).limits,
        "EER score": weighted_score_interval(y, s, metric="eer", **given).limits,
        "min cost": best.limits,
        "difference, cases as groups": (pair.low, pair.high),
        "difference of AUC": (scores.low, scores.high),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    for kind in KINDS:
        for n, prevalence in ((200, 0.5), (200, 0.1), (2000, 0.1)):
            truth = truths(kind, prevalence)
            held = dict.fromkeys(truth, 0)
            sets = 0
            while sets < args.sets:
                y, s, t, w = sample(n, prevalence, kind, rng)
                if min(y.sum(), n - y.sum()) < 10:
                    continue
                sets += 1
                for name, (low, high) in found(y, s, t, w).items():
                    held[name] += low <= truth[name] <= high
            shown = ", ".join(f"{name} {100 * held[name] / sets:.1f}" for name in truth)
            print(f"{kind}, n = {n}, {prevalence}: {shown}", flush=True)


if __name__ == "__main__":
    main()
