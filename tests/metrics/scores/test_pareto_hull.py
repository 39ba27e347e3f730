"""Corners of the ROC convex hull, and the ratios for which each is best."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics import at_threshold, hull_points, min_cost
from stakes.metrics.scores.pareto_hull import expanded_systems


def scores(seed, n=60):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    return ScoreCounts.from_scores(y, np.round(rng.normal(size=n) + y, 1), kind="rank")


@given(st.integers(0, 2**31), st.floats(0.01, 100))
def test_the_corner_of_a_ratio_has_the_minimum_cost(seed, ratio):
    sc = scores(seed)
    points = hull_points(sc)
    prior = float(sc.priors[1])
    corner = int(np.searchsorted(points.ratios(prior), ratio))
    cost = prior * ratio * (1 - points.sensitivity[corner])
    cost += (1 - prior) * points.false_positive_rate[corner]
    costs = CostMatrix.binary(false_positive=1, false_negative=ratio)
    assert cost == pytest.approx(min_cost(sc, Application(costs)))


@given(st.integers(0, 2**31))
def test_thresholds_reach_their_rates(seed):
    sc = scores(seed)
    points = hull_points(sc)
    assert (np.diff(points.ratios(0.3)) > 0).all()
    for fpr, tpr, cut in zip(*points, strict=True):
        point = at_threshold(sc, cut)
        assert point.false_positive_rate == pytest.approx(fpr)
        assert point.false_negative_rate == pytest.approx(1 - tpr)


def test_expanded_systems():
    sc = ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], kind="posterior")
    tables = expanded_systems({"a": sc, "b": ConfusionMatrix([[1.0, 1.0], [0.0, 2.0]])})
    assert list(tables) == ["a > inf", "a > 0.75", "a > 0.25", "a > -inf", "b"]
    assert tables["a > 0.25"].counts.tolist() == [[1, 1], [0, 2]]
    assert all(table.class_totals.tolist() == [2, 2] for table in tables.values())


def test_refusals():
    with pytest.raises(UndefinedError, match="both classes"):
        hull_points(ScoreCounts.from_scores([1, 1], [0.1, 0.2], kind="rank", classes=[0, 1]))
    with pytest.raises(DataError, match="must be a ConfusionMatrix or a summary"):
        expanded_systems({"a": [1, 2]})
    with pytest.raises(DataError, match="at least one system"):
        expanded_systems({})
    mixed = {"a": ConfusionMatrix(np.eye(2)), "b": ConfusionMatrix(np.eye(3))}
    with pytest.raises(DataError, match="same classes and decisions"):
        expanded_systems(mixed)
