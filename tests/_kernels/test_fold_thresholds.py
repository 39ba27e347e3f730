from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ScoreCounts
from stakes._kernels.roc_hull import _split_folds, best_decisions, cross_fitted_counts
from stakes.metrics import at_min_cost

COSTS, PRIORS = np.array([[0.0, 1.0], [10.0, 0.0]]), np.array([0.9, 0.1])


def runs(seed: int = 0) -> ScoreCounts:
    rng = np.random.default_rng(seed)
    y = np.arange(300) % 5 == 0
    return ScoreCounts.from_scores(y, rng.normal(2.0 * y), kind="rank")


def test_folds_are_equal_parts_of_the_cases() -> None:
    counts = np.array([10, 0, 33, 5, 54])
    parts = _split_folds(counts, 4, np.random.default_rng(0))
    assert parts.sum(axis=0).tolist() == counts.tolist()
    assert sorted(parts.sum(axis=1).tolist()) == [25, 25, 26, 26]


def test_best_decisions_are_those_of_the_best_operating_point() -> None:
    sc = runs()
    chosen = best_decisions(sc.runs.negatives, sc.runs.positives, COSTS, PRIORS)
    counts = [
        np.bincount(chosen, weights=part, minlength=2)
        for part in (sc.runs.negatives, sc.runs.positives)
    ]
    expected = at_min_cost(sc, Application(COSTS, priors=PRIORS)).confusion.counts
    assert np.array(counts) == pytest.approx(expected)


def test_cross_fitting_counts_every_case_once_and_costs_more() -> None:
    sc = runs()
    found = cross_fitted_counts(
        sc.runs.negatives,
        sc.runs.positives,
        COSTS,
        PRIORS,
        folds=10,
        draws=5,
        rng=np.random.default_rng(0),
    )
    assert found.sum(axis=1) == pytest.approx([240, 60])
    least = at_min_cost(sc, Application(COSTS, priors=PRIORS)).confusion.rates
    rates = found / found.sum(axis=1, keepdims=True)
    cost = [float((PRIORS[:, None] * r * COSTS).sum()) for r in (rates, least)]
    assert cost[0] > cost[1]


def test_three_decisions_are_cross_fitted_too() -> None:
    sc = runs()
    costs = np.array([[0.0, 1.0, 0.3], [10.0, 0.0, 1.0]])
    found = cross_fitted_counts(
        sc.runs.negatives,
        sc.runs.positives,
        costs,
        PRIORS,
        folds=5,
        draws=1,
        rng=np.random.default_rng(0),
    )
    assert found.sum(axis=1) == pytest.approx([240, 60])
    assert (found[:, 2] > 0).all()


def test_leaving_one_out_by_hand() -> None:
    # Scores 1 to 4 of classes 0, 0, 1, 1 and 2 folds of one case of each class each: the rule
    # learnt on one negative and one positive parts them, so nothing is decided wrongly.
    found = cross_fitted_counts(
        np.array([2, 0]),
        np.array([0, 2]),
        np.array([[0.0, 1.0], [1.0, 0.0]]),
        np.full(2, 0.5),
        folds=2,
        draws=3,
        rng=np.random.default_rng(0),
    )
    assert found.tolist() == [[2.0, 0.0], [0.0, 2.0]]
