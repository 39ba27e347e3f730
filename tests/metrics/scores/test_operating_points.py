"""Operating points count cases exactly, however unequal their weights."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts, metrics
from stakes.exceptions import DataError


def weighted(rng, spread):
    """Scores with weights over so many powers of ten, and the same as plain arrays."""
    n = int(rng.integers(3, 40))
    truth = np.append([0, 1], rng.integers(0, 2, n))
    weights = rng.random(n + 2) * 10.0 ** rng.integers(-spread, spread + 1, n + 2)
    p = rng.random(n + 2) if n % 2 else rng.integers(0, 6, n + 2) / 5
    scores = ScoreCounts.from_scores(truth, p, kind="posterior", sample_weight=weights)
    return scores, truth, weights, p


def test_least_cost_with_abstention_and_weights_against_all_pairs_of_thresholds():
    costs = CostMatrix([[0, 1], [3, 0]]).with_abstention(0.3)
    rng = np.random.default_rng(1)
    for _ in range(40):
        scores, truth, weights, p = weighted(rng, 1)
        ends = np.append(-1.0, np.unique(p))
        least = min(
            weights @ costs.values[truth, np.where(p > high, 1, np.where(p > low, 2, 0))]
            for low in ends
            for high in ends[ends >= low]
        )
        found = metrics.min_cost(scores, Application(costs))
        assert found == pytest.approx(least / weights.sum())


def test_rates_at_rates_with_weights_of_all_sizes():
    rng = np.random.default_rng(11)
    for _ in range(150):
        scores, *_ = weighted(rng, 12)
        for share in (0.0, 0.1, 0.9, 1.0):
            assert 0 <= metrics.specificity_at_sensitivity(scores, share) <= 1
            assert 0 <= metrics.sensitivity_at_specificity(scores, share) <= 1


@pytest.mark.parametrize("metric", [metrics.min_cost, metrics.actual_cost])
def test_a_confusion_matrix_has_no_thresholds(metric):
    with pytest.raises(DataError, match="needs a summary of scores; got ConfusionMatrix"):
        metric(ConfusionMatrix([[9, 1], [1, 9]]), Application([[0, 1], [10, 0]]))
