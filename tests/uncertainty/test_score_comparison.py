from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from stakes import Application
from stakes.exceptions import DataError
from stakes.uncertainty import compare_scores

APP = Application([[0, 1], [5, 0]], priors=[0.8, 0.2])


def cases(
    n: int = 600, seed: int = 0, noise: float = 0.8
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4 == 0
    a = rng.normal(1.5 * y)
    return y, {"a": a.round(1), "b": (a + noise * rng.normal(size=n)).round(1)}


def test_auc_against_the_pairwise_definition_of_delong_1988() -> None:
    y, scores = cases(120)
    kernels = []
    for s in scores.values():
        kernels.append((s[y][:, None] > s[~y]) + (s[y][:, None] == s[~y]) / 2)
    by_positive = np.array([k.mean(axis=1) for k in kernels])
    by_negative = np.array([k.mean(axis=0) for k in kernels])
    covariance = np.cov(by_positive) / y.sum() + np.cov(by_negative) / (~y).sum()
    gap = kernels[0].mean() - kernels[1].mean()
    error = np.sqrt(np.array([1, -1]) @ covariance @ np.array([1, -1]))
    found = compare_scores(y, scores, rng=0).difference("a", "b")
    assert found.value == pytest.approx(-gap)
    assert (found.low, found.high) == pytest.approx(
        (-gap - 1.959964 * error, -gap + 1.959964 * error)
    )
    assert found.p_value == pytest.approx(2 * norm.cdf(-abs(gap) / error))


@pytest.mark.parametrize("metric", ["eer", "min_cost"])
def test_replicates_are_paired(metric: str) -> None:
    y, scores = cases(noise=0.3)
    found = compare_scores(y, scores, metric=metric, application=APP, draws=500, rng=0)
    drawn = found.replicates.values
    apart = np.sqrt(drawn[:, 0].var() + drawn[:, 1].var())
    together = (found.differences[0].high - found.differences[0].low) / (2 * 1.96)
    assert together < 0.8 * apart


def test_replicates_of_auc_agree_with_delong() -> None:
    y, scores = cases()
    from stakes._kernels.run_bootstrap import area
    from stakes.uncertainty.intervals.group_intervals import ScoreRows, class_hits, score_draws

    rows = [ScoreRows.ordered(y, column) for column in scores.values()]
    drawn = score_draws(rows, area, class_hits(y))(1500, np.random.default_rng(0))
    gaps = drawn[:, 0] - drawn[:, 1]
    found = compare_scores(y, scores, rng=0).differences[0]
    assert gaps.std() == pytest.approx((found.high - found.low) / (2 * 1.96), rel=0.08)


def test_same_scores_cannot_be_told_apart() -> None:
    y, scores = cases()
    found = compare_scores(y, {"a": scores["a"], "c": scores["a"]}, rng=0)
    assert found.differences[0].p_value == 1.0
    assert not found.differences[0].decided


def test_min_cost_needs_costs_and_known_metrics() -> None:
    y, scores = cases(80)
    with pytest.raises(DataError, match="costs"):
        compare_scores(y, scores, metric="min_cost")
    with pytest.raises(DataError, match="metric"):
        compare_scores(y, scores, metric="f1")
    with pytest.raises(DataError, match="two systems"):
        compare_scores(y, {"a": scores["a"]})
