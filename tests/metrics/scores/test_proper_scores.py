"""Proper scores against their definitions, and as integrals of costs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from brute_force_scores import finite_samples
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import beta as beta_function
from scipy.special import expit

from stakes import Application, ScoreCounts, metrics
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics import BetaWeight


def drawn(n=60, seed=5, kind="log_odds"):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    z = np.round(1.5 * rng.normal(size=n) + 1.5 * y - 1, 1)
    return y, z, ScoreCounts.from_scores(y, z, kind=kind)


class TestLogAndBrier:
    @given(finite_samples)
    def test_against_the_definitions(self, sample):
        y, z, w = sample
        q = expit(z)
        sc = ScoreCounts.from_scores(y, z, kind="log_odds", sample_weight=w)
        log = np.average(-np.log(np.where(y == 1, q, 1 - q)), weights=w)
        assert metrics.binary_cross_entropy(sc) == pytest.approx(log)
        assert metrics.binary_brier_score(sc) == pytest.approx(np.average((q - y) ** 2, weights=w))

    def test_against_sklearn(self):
        sk = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        y, z, _ = drawn()
        sc = ScoreCounts.from_scores(y, expit(z), kind="posterior")
        assert metrics.binary_cross_entropy(sc) == pytest.approx(sk.log_loss(y, expit(z)))
        assert metrics.binary_brier_score(sc) == pytest.approx(sk.brier_score_loss(y, expit(z)))

    def test_llrs_are_moved_to_the_prior(self):
        y, z, sc = drawn(kind="llr")
        prior = 0.1
        q = expit(z + np.log(prior / (1 - prior)))
        weights = np.where(y, prior / y.sum(), (1 - prior) / (~y).sum())
        log = np.sum(-np.log(np.where(y, q, 1 - q)) * weights)
        assert metrics.binary_cross_entropy(sc, priors=prior) == pytest.approx(log)
        brier = np.sum((q - y) ** 2 * weights)
        assert metrics.binary_brier_score(sc, priors=prior) == pytest.approx(brier)

    def test_cross_entropy_at_even_priors_is_cllr(self):
        _, _, sc = drawn(kind="llr")
        found = metrics.binary_cross_entropy(sc, priors=0.5) / np.log(2)
        assert found == pytest.approx(metrics.cllr(sc))


class TestIntegrals:
    @pytest.mark.parametrize(
        "weight",
        [BetaWeight(), BetaWeight(2, 2), BetaWeight(0.3, 4), BetaWeight.from_cost_ratios(2, 20)],
    )
    def test_against_quadrature_over_applications(self, weight):
        _, _, sc = drawn(n=25)

        def weighted(c):
            app = Application([[0, c], [1 - c, 0]])
            density = c ** (weight.alpha - 1) * (1 - c) ** (weight.beta - 1)
            return metrics.actual_cost(sc, app) * density

        def density(c):
            return c ** (weight.alpha - 1) * (1 - c) ** (weight.beta - 1)

        breaks = np.unique([weight.low, *expit(sc.scores), weight.high])
        breaks = breaks[(breaks >= weight.low) & (breaks <= weight.high)]
        pairs = list(itertools.pairwise(breaks))
        total = sum(quad(weighted, a, b)[0] for a, b in pairs)
        mass = sum(quad(density, a, b)[0] for a, b in pairs)
        assert metrics.cost_over_applications(sc, weight) == pytest.approx(total / mass, rel=1e-6)

    @given(finite_samples)
    def test_brier_is_twice_the_uniform_average(self, sample):
        y, z, w = sample
        sc = ScoreCounts.from_scores(y, z, kind="log_odds", sample_weight=w)
        found = 2 * metrics.cost_over_applications(sc)
        assert found == pytest.approx(metrics.binary_brier_score(sc))

    def test_cross_entropy_is_the_limit_of_the_beta_family(self):
        _, _, sc = drawn()
        a = 1e-7
        found = beta_function(a, a) * metrics.cost_over_applications(sc, BetaWeight(a, a))
        assert found == pytest.approx(metrics.binary_cross_entropy(sc), rel=1e-5)

    def test_normalised_by_the_prior_alone(self):
        constant = ScoreCounts.from_scores([0, 0, 1], [0.0, 0.0, 0.0], kind="llr")
        assert metrics.cost_over_applications(constant, normalized=True) == pytest.approx(1.0)

    def test_bad_weights_are_refused(self):
        _, _, sc = drawn()
        with pytest.raises(DataError, match="alpha, beta > 0"):
            metrics.cost_over_applications(sc, BetaWeight(0, 1))
        with pytest.raises(DataError, match="0 < least < most"):
            BetaWeight.from_cost_ratios(5, 2)


class TestDecomposition:
    @given(finite_samples, st.sampled_from(["log", "brier", BetaWeight(2, 5)]))
    def test_parts_add_up_and_are_not_negative(self, sample, rule):
        y, z, w = sample
        sc = ScoreCounts.from_scores(y, z, kind="llr", sample_weight=w)
        parts = metrics.score_decomposition(sc, rule, priors=0.3)
        total = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert total == pytest.approx(parts.total)
        for part in (parts.miscalibration, parts.discrimination, parts.uncertainty):
            assert part >= -1e-12

    def test_against_isotonic_regression_of_sklearn(self):
        iso = pytest.importorskip("sklearn.isotonic", reason="compares with scikit-learn")
        y, z, sc = drawn(n=300)
        q = iso.IsotonicRegression().fit_transform(z, y.astype(float))
        parts = metrics.score_decomposition(sc, "brier")
        assert parts.refinement == pytest.approx(np.mean((q - y) ** 2))
        assert parts.uncertainty == pytest.approx(y.mean() * (1 - y.mean()))

    def test_isotonic_scores_are_calibrated(self):
        y = [0, 1, 0, 1]
        sc = ScoreCounts.from_scores(y, [0.0, 0.5, 0.5, 1.0], kind="posterior")
        assert metrics.score_decomposition(sc, "log").miscalibration == pytest.approx(0)

    def test_minimum_needs_only_the_order(self):
        _, _, sc = drawn(kind="rank")
        _, _, llr = drawn(kind="llr")
        found = metrics.cost_over_applications(sc, minimum=True)
        assert found == pytest.approx(metrics.cost_over_applications(llr, minimum=True))
        with pytest.raises(UndefinedError, match="rank"):
            metrics.cost_over_applications(sc)

    def test_unknown_rule_is_refused(self):
        _, _, sc = drawn()
        with pytest.raises(DataError, match="'log', 'brier' or a BetaWeight"):
            metrics.score_decomposition(sc, "spherical")
