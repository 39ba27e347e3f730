"""Very many scores are drawn from fewer points, which lie on the same curve."""

import numpy as np

from stakes import ScoreCounts, curves
from stakes.evaluation.evaluation_plots import _coarser, det_curve


def scores(n=120_000):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.2).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.5)))
    return ScoreCounts.from_scores(y, p, kind="posterior", from_priors=0.2)


def test_thinned_points_are_points_of_the_curve():
    full, thin = curves.det(scores()), det_curve(scores())
    assert thin.threshold.shape[0] < full.threshold.shape[0] / 10
    at = np.searchsorted(-full.threshold, -thin.threshold)
    np.testing.assert_array_equal(full.false_positive_rate[at], thin.false_positive_rate)
    np.testing.assert_array_equal(full.false_negative_rate[at], thin.false_negative_rate)


def test_coarser_scores_keep_the_cases():
    few = _coarser(scores())
    np.testing.assert_array_equal(few.class_totals, scores().class_totals)
    assert few.levels[0].shape[0] <= 10_001
