"""Net benefit by definition, against dcurves, and as an affine form of the cost."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import finite_samples
from hypothesis import given
from scipy.special import expit

from stakes import Application, ScoreCounts, curves, metrics
from stakes.exceptions import DataError

Y = np.array([0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1])
P = np.array([0.1, 0.2, 0.3, 0.35, 0.4, 0.8, 0.45, 0.9, 0.05, 0.6, 0.85, 0.15])
T = np.array([0.12, 0.33, 0.5, 0.77])


@given(finite_samples)
def test_by_definition(sample):
    y, z, w = sample
    p = expit(z)
    curve = curves.decision(ScoreCounts.from_scores(y, p, kind="posterior", sample_weight=w), T)
    for t, benefit, everyone in zip(T, curve.net_benefit, curve.treat_all, strict=True):
        right = w[(p > t) & (y == 1)].sum() / w.sum()
        wrong = w[(p > t) & (y == 0)].sum() / w.sum()
        assert benefit == pytest.approx(right - wrong * t / (1 - t))
        share = w[y == 1].sum() / w.sum()
        assert everyone == pytest.approx(share - (1 - share) * t / (1 - t))


def test_against_dcurves():
    # dcurves 1.1.7, dca(..., outcome="y", modelnames=["p"], thresholds=T), no ties at T.
    expected = [0.35984848484848486, 0.08582089552238806, 0.0, -0.11231884057971009]
    sc = ScoreCounts.from_scores(Y, P, kind="posterior")
    np.testing.assert_allclose(curves.decision(sc, T).net_benefit, expected, atol=1e-15)


def test_is_an_affine_form_of_the_cost():
    # ferrer2025 section 3.3: with C_FN = 1 and C_FP = t / (1 - t), NB = P_1 - EC.
    sc = ScoreCounts.from_scores(Y, P, kind="posterior")
    curve = curves.decision(sc, T)
    costs = [metrics.actual_cost(sc, Application([[0, t / (1 - t)], [1, 0]])) for t in T]
    np.testing.assert_allclose(curve.net_benefit, sc.priors[1] - np.array(costs), atol=1e-12)
    np.testing.assert_allclose(curve.standardized, 1 - np.array(costs) / sc.priors[1], atol=1e-12)


def test_prior_moves_llrs():
    llr = np.log(P / (1 - P))
    sc = ScoreCounts.from_scores(Y, llr, kind="llr")
    curve = curves.decision(sc, T, priors=0.2)
    posterior = expit(llr + np.log(0.2 / 0.8))
    for t, benefit in zip(T, curve.net_benefit, strict=True):
        tpr, fpr = (posterior > t)[Y == 1].mean(), (posterior > t)[Y == 0].mean()
        assert benefit == pytest.approx(0.2 * tpr - 0.8 * fpr * t / (1 - t))


def test_scores_that_are_no_probabilities_are_refused():
    # One peer accepts them and gives 0.126 instead of 0.141.
    with pytest.raises(DataError, match="between 0 and 1"):
        ScoreCounts.from_scores(Y, P * 2, kind="posterior")


def test_impossible_thresholds_are_refused():
    with pytest.raises(DataError, match="at least 0 and below 1"):
        curves.decision(ScoreCounts.from_scores(Y, P, kind="posterior"), [1.0])
