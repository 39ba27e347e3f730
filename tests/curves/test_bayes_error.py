"""Bayes-error, cost and Brier curves against one application at a time."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import all_rates, finite_samples, samples
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ScoreCounts, curves, metrics
from stakes.exceptions import DataError

GRID = np.array([-5.0, -1.1, -0.3, 0.0, 0.7, 2.2, 6.0])


def app_at(log_odds):
    p = 1 / (1 + np.exp(-log_odds))
    return Application([[0, 1], [1, 0]], priors=[1 - p, p])


class TestBayesError:
    @given(finite_samples, st.booleans())
    def test_against_one_application_at_a_time(self, sample, normalized):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s + 0.01, kind="llr", sample_weight=w)
        curve = curves.bayes_error(sc, GRID, normalized=normalized)
        actual = [metrics.actual_cost(sc, app_at(x), normalized=normalized) for x in GRID]
        minimum = [metrics.min_cost(sc, app_at(x), normalized=normalized) for x in GRID]
        np.testing.assert_allclose(curve.actual, actual)
        np.testing.assert_allclose(curve.minimum, minimum)

    @given(samples)
    def test_best_thresholds_give_the_minimum(self, sample):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
        curve = curves.bayes_error(sc, GRID)
        assert np.isnan(curve.actual).all()
        for x, t, value in zip(GRID, curve.best_threshold, curve.minimum, strict=True):
            assert metrics.at_threshold(sc, t).cost(app_at(x), normalized=True) == (
                pytest.approx(value)
            )

    def test_threshold_is_minus_the_log_odds(self):
        # cumani: the abscissa is the negative of the Bayes threshold on the LLR.
        sc = ScoreCounts.from_scores([0, 1], [-1.0, 1.0], kind="llr")
        np.testing.assert_allclose(curves.bayes_error(sc, GRID).threshold, -GRID)

    @pytest.mark.parametrize("kind", ["log_odds", "posterior"])
    def test_kinds_agree(self, kind):
        rng = np.random.default_rng(0)
        y = rng.random(500) < 0.2
        llr = rng.normal(size=500) * 2 + 2 * y
        log_odds = llr + np.log(y.mean() / (1 - y.mean()))
        given = log_odds if kind == "log_odds" else 1 / (1 + np.exp(-log_odds))
        expected = curves.bayes_error(ScoreCounts.from_scores(y, llr, kind="llr"))
        found = curves.bayes_error(ScoreCounts.from_scores(y, given, kind=kind))
        np.testing.assert_allclose(found.actual, expected.actual)
        np.testing.assert_allclose(found.minimum, expected.minimum)

    def test_unnormalised_never_exceeds_naive_at_best(self):
        sc = ScoreCounts.from_scores([0, 0, 1], [0.0, 1.0, -1.0], kind="llr")
        curve = curves.bayes_error(sc, normalized=False)
        assert (curve.minimum <= curve.naive + 1e-12).all()
        np.testing.assert_allclose(curve.naive, np.minimum(
            1 / (1 + np.exp(-curve.log_odds)), 1 / (1 + np.exp(curve.log_odds))))  # fmt: skip


class TestCost:
    @given(samples)
    def test_is_the_lower_envelope_of_all_lines(self, sample):
        y, s, w = sample
        points = all_rates(y, s, w)
        grid = np.linspace(0, 1, 21)
        sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
        curve = curves.cost(sc, grid)
        lines = points[:, 1] * grid[:, None] + points[:, 0] * (1 - grid[:, None])
        np.testing.assert_allclose(curve.cost, lines.min(axis=1), atol=1e-12)
        corners = curves.cost(sc)
        interpolated = np.interp(grid, corners.probability_cost, corners.cost)
        np.testing.assert_allclose(interpolated, lines.min(axis=1), atol=1e-12)

    def test_outside_the_unit_interval_is_refused(self):
        sc = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="rank")
        with pytest.raises(DataError, match="between 0 and 1"):
            curves.cost(sc, [1.2])


class TestBrierCurve:
    def test_area_is_the_brier_score(self):
        rng = np.random.default_rng(0)
        y = rng.random(200) < 0.3
        p = rng.beta(1 + y, 2)
        sc = ScoreCounts.from_scores(y, p, kind="posterior")
        c = (np.arange(20_000) + 0.5) / 20_000
        curve = curves.brier_curve(sc, c)
        assert curve.actual.mean() == pytest.approx(metrics.binary_brier_score(sc), abs=1e-4)
        split = metrics.score_decomposition(sc, "brier")
        assert curve.minimum.mean() == pytest.approx(split.refinement, abs=1e-4)
        assert curve.naive.mean() == pytest.approx(split.uncertainty, abs=1e-4)

    @given(finite_samples)
    def test_against_one_application_at_a_time(self, sample):
        y, z, w = sample
        sc = ScoreCounts.from_scores(y, z, kind="llr", sample_weight=w)
        for c in (0.1, 0.37, 0.8):
            app = Application([[0, 2 * c], [2 * (1 - c), 0]], priors=[0.6, 0.4])
            curve = curves.brier_curve(sc, [c], priors=0.4)
            assert curve.actual[0] == pytest.approx(metrics.actual_cost(sc, app))
            assert curve.minimum[0] == pytest.approx(metrics.min_cost(sc, app))
