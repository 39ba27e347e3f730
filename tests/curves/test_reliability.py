"""Reliability curves against isotonic regression, and what their band promises."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import ScoreCounts, curves, metrics
from stakes.exceptions import DataError


def calibrated(n, seed):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(1, 2, size=n), 2)
    return rng.random(n) < p, p


def test_against_isotonic_regression_of_sklearn():
    iso = pytest.importorskip("sklearn.isotonic", reason="compares with scikit-learn")
    y, p = calibrated(500, 0)
    curve = curves.reliability(ScoreCounts.from_scores(y, p, kind="posterior"), draws=0)
    fitted = iso.IsotonicRegression().fit(p, y.astype(float)).predict(curve.forecast)
    np.testing.assert_allclose(curve.observed, fitted)
    assert np.isnan(curve.band_low).all()


def test_band_holds_what_it_promises():
    inside = []
    for seed in range(40):
        y, p = calibrated(400, seed)
        sc = ScoreCounts.from_scores(y, p, kind="posterior")
        curve = curves.reliability(sc, rng=seed)
        covered = (curve.band_low <= curve.observed) & (curve.observed <= curve.band_high)
        inside.append(np.average(covered, weights=curve.weight))
    # A 90 % pointwise band; 40 draws of 400 cases leave a standard error of about 2 points.
    assert 0.84 <= np.mean(inside) <= 0.97


def test_over_confidence_leaves_the_band():
    y, p = calibrated(4000, 1)
    odds = np.clip(p, 0.01, 0.99) / (1 - np.clip(p, 0.01, 0.99))
    sharp = odds**3 / (1 + odds**3)
    curve = curves.reliability(ScoreCounts.from_scores(y, sharp, kind="posterior"), rng=0)
    outside = (curve.observed < curve.band_low) | (curve.observed > curve.band_high)
    assert np.average(outside, weights=curve.weight) > 0.5


def test_carries_the_decomposition_and_all_cases():
    y, p = calibrated(300, 2)
    sc = ScoreCounts.from_scores(y, p, kind="posterior")
    curve = curves.reliability(sc, points=20, rng=0)
    assert curve.weight.sum() == 300
    assert len(curve.forecast) == 20
    assert curve.brier == metrics.score_decomposition(sc, "brier")


def test_seed_gives_the_same_band():
    y, p = calibrated(300, 2)
    sc = ScoreCounts.from_scores(y, p, kind="posterior")
    a, b = (curves.reliability(sc, rng=7).band_high for _ in range(2))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["llr", "log_odds"])
def test_log_scores_become_posteriors(kind):
    y, p = calibrated(300, 3)
    p = np.clip(p, 0.01, 0.99)
    log_odds = np.log(p / (1 - p))
    given = log_odds - np.log(y.mean() / (1 - y.mean())) if kind == "llr" else log_odds
    curve = curves.reliability(ScoreCounts.from_scores(y, given, kind=kind), draws=0)
    np.testing.assert_allclose(curve.forecast, np.unique(p))


def test_impossible_level_is_refused():
    y, p = calibrated(30, 3)
    with pytest.raises(DataError, match="`level`"):
        curves.reliability(ScoreCounts.from_scores(y, p, kind="posterior"), level=1.0)
