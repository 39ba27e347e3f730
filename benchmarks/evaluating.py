"""A whole evaluation of three models, next to sorting their scores; and its intervals.

python benchmarks/evaluating.py           N = 200,000, three models
python benchmarks/evaluating.py --large   N = 1,000,000
"""

from __future__ import annotations

import sys

import numpy as np
from timing import compare, heading, table

from stakes import Application, CostMatrix, evaluate
from stakes._kernels.score_test_limits import score_statistic
from stakes.application import Between, UncertainApplication

NAMES = {"classes": ["stay", "churn"], "decisions": ["ignore", "call"]}


def drawn(n: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """8 % positives, three calibrated models."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.08).astype(int)
    models = {}
    for name, strength in (("sharp", 3.0), ("even", 2.0), ("blunt", 1.0)):
        llr = rng.normal(np.where(y == 1, 1, -1) * strength**2 / 2, strength)
        models[name] = 1 / (1 + 0.92 / 0.08 * np.exp(-llr))
    return y, models


def whole(n: int) -> None:
    """Costs, intervals, who is best, switch points; then ranges of costs; then re-calibration."""
    y, models = drawn(n)
    app = Application(CostMatrix([[0, 4], [40, 0]], **NAMES))
    unsure = UncertainApplication([[0, 4], [Between(20, 60), 0]], Between(0.02, 0.08), **NAMES)
    rows = compare(
        {
            "np.argsort of the scores": lambda: [np.argsort(p) for p in models.values()],
            "evaluate as they are": lambda: evaluate(
                y, models, application=app, recalibrate=False, rng=0
            ),
            "over ranges": lambda: evaluate(
                y, models, application=unsure, recalibrate=False, rng=0
            ),
            "with 5-fold calibration": lambda: evaluate(y, models, application=app, rng=0),
        },
        baseline="np.argsort of the scores",
        repeat=3,
    )
    print(heading(f"three models, N = {n:,}"))
    print(table(rows))


def intervals() -> None:
    """The score test of one stratum by its multiplier alone, and by the way of several strata."""
    counts = np.array([[[90_000.0, 4_000, 900, 5_100]]])
    weights = np.array([[[0.0, 4, 40 - 0.4 * 40, -0.4 * 40]]])
    beside = np.array([[[7.0, 0, 0, 0]]])
    both = np.concatenate([counts, beside], axis=1), np.concatenate([weights, 0 * weights], axis=1)
    assert abs(score_statistic(counts, weights)[0] - score_statistic(*both)[0]) < 1e-5
    rows = compare(
        {
            "several strata": lambda: score_statistic(*both),
            "one stratum": lambda: score_statistic(counts, weights),
        },
        baseline="several strata",
        bars={"one stratum": "<= 0.3"},
    )
    print(heading("one value of the score test"))
    print(table(rows))


def main() -> None:
    """Print both tables."""
    whole(1_000_000 if "--large" in sys.argv else 200_000)
    intervals()


if __name__ == "__main__":
    main()
