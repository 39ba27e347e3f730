from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stakes import Application, ScoreCounts
from stakes.exceptions import DataError
from stakes.metrics import auc, eer, min_cost
from stakes.uncertainty import compare_scores, interval, weighted_score_interval

APP = Application([[0, 1], [5, 0]], priors=[0.8, 0.2])


def cases(n: int = 600, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    often = rng.random(n) < 0.5
    return y, rng.normal(np.where(often, 1.0, 2.0) * y).round(2), np.where(often, 1.0, 6.0)


def by_rows(y: Any, s: Any, w: Any, statistic: Any, size: int = 500) -> Any:
    """Draw rows of each class one by one with replacement and compute on them."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(size):
        rows = np.concatenate([rng.choice(np.flatnonzero(y == k), np.sum(y == k)) for k in (0, 1)])
        found.append(statistic(y[rows], s[rows], w[rows]))
    return np.array(found)


def metric_of(name: str) -> Any:
    def found(y: Any, s: Any, w: Any) -> float:
        sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
        return {"auc": auc, "eer": eer, "min_cost": lambda c: min_cost(c, APP)}[name](sc)

    return found


@pytest.mark.parametrize("metric", ["auc", "eer"])
def test_equal_weights_are_the_plain_interval(metric: str) -> None:
    y, s, _ = cases()
    plain = interval(ScoreCounts.from_scores(y, s, kind="rank"), metric)
    found = weighted_score_interval(y, s, sample_weight=np.full(600, 0.3), metric=metric)
    assert found.value == pytest.approx(plain.value)
    assert found.limits == pytest.approx(plain.limits, rel=1e-6)


@pytest.mark.parametrize("metric", ["auc", "eer"])
def test_standard_error_against_drawn_rows(metric: str) -> None:
    y, s, w = cases()
    drawn = by_rows(y, s, w, metric_of(metric))
    found = weighted_score_interval(y, s, sample_weight=w, metric=metric)
    assert found.value == pytest.approx(metric_of(metric)(y, s, w))
    assert np.ptp(found.limits) / (2 * 1.96) == pytest.approx(drawn.std(), rel=0.15)


@pytest.mark.parametrize("metric", ["auc", "eer"])
def test_replicates_against_drawn_rows(metric: str) -> None:
    y, s, w = cases()
    drawn = by_rows(y, s, w, metric_of(metric))
    found = weighted_score_interval(
        y, s, sample_weight=w, metric=metric, method="percentile", rng=0
    )
    expected = np.quantile(drawn, [0.025, 0.975])
    assert found.limits == pytest.approx(tuple(expected), abs=0.15 * np.ptp(expected))


def test_the_minimum_cost_is_moved_by_its_bias() -> None:
    y, s, w = cases(300)
    apparent = metric_of("min_cost")(y, s, w)
    drawn = by_rows(y, s, w, metric_of("min_cost"))
    found = weighted_score_interval(
        y, s, sample_weight=w, metric="min_cost", application=APP, method="percentile", rng=0
    )
    assert drawn.mean() < apparent < found.value
    assert found.value == pytest.approx(2 * apparent - drawn.mean(), abs=0.1 * drawn.std())
    expected = np.quantile(drawn, [0.025, 0.975]) + 2 * (apparent - drawn.mean())
    assert found.limits == pytest.approx(tuple(expected), abs=0.15 * np.ptp(expected))
    assert f"{apparent:.4g} on these very data" in found.notes[-1]


def test_the_minimum_cost_with_equal_weights_is_nearly_the_plain_interval() -> None:
    y, s, _ = cases(600)
    plain = interval(ScoreCounts.from_scores(y, s, kind="rank"), "min_cost", application=APP, rng=0)
    found = weighted_score_interval(
        y, s, sample_weight=np.full(600, 0.5), metric="min_cost", application=APP, rng=1
    )
    width = np.ptp(plain.limits)  # both divide the cases at random
    assert found.limits == pytest.approx(plain.limits, abs=0.1 * width)
    assert found.value == pytest.approx(plain.value, abs=0.1 * width)


def test_the_minimum_cost_lies_between_apparent_and_cross_fitted() -> None:
    y, s, w = cases(300)
    apparent = metric_of("min_cost")(y, s, w)
    found = weighted_score_interval(
        y, s, sample_weight=w, metric="min_cost", application=APP, rng=0
    )
    assert apparent < found.value < found.high
    assert f"{apparent:.4g} on these very data" in found.notes[-1]


def test_any_function_of_the_scores() -> None:
    y, s, w = cases(200)
    names = np.where(y, "yes", "no")

    def area(sc: ScoreCounts) -> float:
        assert sc.classes == ("no", "yes")
        return auc(sc)

    given = weighted_score_interval(names, s, sample_weight=w, metric=area, draws=200, rng=0)
    drawn = weighted_score_interval(
        y, s, sample_weight=w, metric="auc", method="percentile", draws=200, rng=0
    )
    assert given.limits == pytest.approx(drawn.limits)


def test_few_rows_of_a_class_are_refused_however_heavy() -> None:
    y, s, w = cases(20)
    assert weighted_score_interval(y, s, sample_weight=1000 * w).too_few


def test_what_is_missing_is_said() -> None:
    y, s, w = cases(60)
    with pytest.raises(DataError, match="sample_weight"):
        weighted_score_interval(y, s, sample_weight=None)
    with pytest.raises(DataError, match="costs"):
        weighted_score_interval(y, s, sample_weight=w, metric="min_cost")
    with pytest.raises(DataError, match="method"):
        weighted_score_interval(y, s, sample_weight=w, method="bca")


def test_compared_scores_with_equal_weights_are_the_plain_comparison() -> None:
    y, s, _ = cases()
    scores = {"a": s, "b": s + np.random.default_rng(3).normal(size=600)}
    for metric in ("auc", "eer"):
        plain = compare_scores(y, scores, metric=metric, rng=0, draws=200)
        found = compare_scores(
            y, scores, metric=metric, rng=0, draws=200, sample_weight=np.full(600, 0.5)
        )
        one, other = found.differences[0], plain.differences[0]
        assert one.low == pytest.approx(other.low, rel=0.02)  # Student's t for AUC
        assert found.costs == pytest.approx(plain.costs)


@pytest.mark.parametrize("metric", ["auc", "min_cost"])
def test_compared_scores_against_drawn_rows(metric: str) -> None:
    y, s, w = cases()
    t = s + np.random.default_rng(3).normal(size=600)
    value = metric_of(metric)
    drawn = by_rows(y, np.column_stack([s, t]), w,
                    lambda a, b, c: value(a, b[:, 0], c) - value(a, b[:, 1], c))  # fmt: skip
    found = compare_scores(
        y, {"a": s, "b": t}, metric=metric, application=APP, sample_weight=w, rng=0
    ).difference("a", "b")
    sign = -1 if metric == "auc" else 1
    assert found.value == pytest.approx(sign * (value(y, s, w) - value(y, t, w)))
    assert (found.high - found.low) / (2 * 1.96) == pytest.approx(drawn.std(), rel=0.15)


def test_degrees_of_freedom_count_the_rows_that_carry_the_variance() -> None:
    from stakes.uncertainty.score_comparison import _error_of_areas

    even, one = np.array([1.0, -1.0, 1.0, -1.0]), np.array([3.0, 0.0, 0.0, 0.0])
    assert _error_of_areas([even, even], True)[1] == pytest.approx(8**2 / 8)
    assert _error_of_areas([one, one], True)[1] == pytest.approx(18**2 / (2 * 9**2))
    assert _error_of_areas([one, one], False)[1] == np.inf
