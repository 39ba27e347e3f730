"""Actual and minimum cost against every threshold, Bayes decisions, and known mistakes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from brute_force_scores import all_rates, least_cost, samples
from hypothesis import given
from hypothesis import strategies as st

from stakes import (
    Application,
    CostMatrix,
    Posteriors,
    ScoreCounts,
    bayes_decisions,
    expected_cost,
    metrics,
    normalized_expected_cost,
)
from stakes.curves import bayes_error, threshold_sweep
from stakes.exceptions import DataError, UndefinedError

costs22 = st.lists(st.integers(0, 5), min_size=4, max_size=4).map(
    lambda c: np.array(c, dtype=float).reshape(2, 2)
)
costs23 = st.lists(st.integers(-2, 5), min_size=6, max_size=6).map(
    lambda c: np.array(c, dtype=float).reshape(2, 3)
)
prior = st.sampled_from([0.01, 0.3, 0.5, 0.9])


def app_of(costs, second):
    return Application(CostMatrix(costs), priors=[1 - second, second])


class TestMinCost:
    @given(samples, prior, st.floats(0.1, 10))
    def test_against_every_threshold(self, sample, second, miss):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        points = all_rates(y, s, w)
        best = ((1 - second) * points[:, 0] + second * miss * points[:, 1]).min()
        app = app_of([[0, 1], [miss, 0]], second)
        assert metrics.min_cost(sc, app) == pytest.approx(best)

    @given(samples, st.one_of(costs22, costs23), prior)
    def test_any_costs_against_every_monotone_rule(self, sample, costs, second):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
        expected = least_cost(y, s, w, costs, [1 - second, second])
        assert metrics.min_cost(sc, app_of(costs, second)) == pytest.approx(expected, abs=1e-9)

    @given(samples, prior)
    def test_threshold_gives_the_cost(self, sample, second):
        y, s, w = sample
        app = app_of([[0, 1], [3, 0]], second)
        sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        point = metrics.at_min_cost(sc, app)
        if np.isneginf(point.threshold):
            decided = np.ones_like(y)
        else:
            decided = (s > point.threshold).astype(int)
        found = expected_cost(y, decided, application=app, sample_weight=w)
        assert metrics.min_cost(sc, app) == pytest.approx(found)

    @pytest.mark.parametrize("y", [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 1]])
    def test_constant_scores_cost_the_naive_cost(self, y):
        # Code that ignores ties gives 0.0 when the targets come last.
        app = app_of([[0, 1], [10, 0]], 0.02)
        sc = ScoreCounts.from_scores(y, np.zeros(4), kind="llr")
        assert metrics.min_cost(sc, app) == app.naive_cost
        assert metrics.min_cost(sc, app, normalized=True) == 1.0

    def test_accepting_everything_is_a_candidate(self):
        # One target with the lowest score: without that point the normalised cost is 99.
        sc = ScoreCounts.from_scores([1, 0, 0], [-5.0, 1.0, 2.0], kind="llr")
        app = app_of([[0, 1], [1, 0]], 0.99)
        assert metrics.min_cost(sc, app, normalized=True) == pytest.approx(1.0)

    def test_rates_are_kept_in_float64(self):
        rng = np.random.default_rng(0)
        y = rng.random(100_003) < 0.1
        s = (rng.normal(size=y.size) + y).astype(np.float32)
        sc = ScoreCounts.from_scores(y, s, kind="llr")
        app = app_of([[0, 1], [1, 0]], 0.01)
        order = np.argsort(s, kind="stable")
        fnr = np.concatenate([[0], np.cumsum(y[order])]) / y.sum()
        fpr = 1 - np.concatenate([[0], np.cumsum(~y[order])]) / (~y).sum()
        ends = np.concatenate([[True], np.diff(s[order]) > 0, [True]])
        best = (0.01 * fnr + 0.99 * fpr)[ends].min() / 0.01
        assert metrics.min_cost(sc, app, normalized=True) == pytest.approx(best, rel=1e-12)

    def test_gains_for_the_wrong_decision_are_taken(self):
        # tp = tn = 1, fp = fn = 0: a threshold formula pays 0.852 where 0.148 is possible.
        sc = ScoreCounts.from_scores([0, 0, 0, 1], [-2.0, -1.0, 1.0, 2.0], kind="llr")
        assert metrics.min_cost(sc, Application([[1, 0], [0, 1]])) == 0.0
        assert metrics.actual_cost(sc, Application([[1, 0], [0, 1]], priors=[0.5, 0.5])) == (
            pytest.approx(0.5 * 1 / 3)
        )


class TestActualCost:
    @given(samples, st.one_of(costs22, costs23), prior)
    def test_llrs_against_bayes_decisions(self, sample, costs, second):
        y, s, w = sample
        app = app_of(costs, second)
        posteriors = Posteriors.from_llrs(s, [1 - second, second])
        decided = bayes_decisions(posteriors, app)
        sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        # A score on the threshold itself may round to either side of a posterior.
        cuts = metrics.at_bayes_threshold(sc, app).thresholds
        if any(np.isclose(s, cut, atol=1e-9).any() for cut in cuts if np.isfinite(cut)):
            return
        expected = expected_cost(y, decided, application=app, sample_weight=w)
        assert metrics.actual_cost(sc, app) == pytest.approx(expected)

    @given(
        st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])),
                 min_size=2, max_size=14).filter(lambda r: len({y for y, _ in r}) == 2),
        st.one_of(costs22, costs23),
        st.sampled_from([None, 0.3]),
        st.sampled_from([np.float32, np.float64]),
    )  # fmt: skip
    def test_posteriors_against_bayes_decisions_ties_included(self, rows, costs, second, dtype):
        y, p = (np.array(c) for c in zip(*rows, strict=True))
        p = p.astype(dtype)
        priors = None if second is None else [1 - second, second]
        app = Application(CostMatrix(costs), priors=priors)
        decided = bayes_decisions(p, app)
        sc = ScoreCounts.from_scores(y, p, kind="posterior")
        found = metrics.actual_cost(sc, app)
        assert found == pytest.approx(expected_cost(y, decided, application=app))

    def test_acting_needs_a_score_above_the_threshold(self):
        sc = ScoreCounts.from_scores([0, 1], [0.0, 0.0], kind="llr")
        app = app_of([[0, 1], [1, 0]], 0.5)
        point = metrics.at_bayes_threshold(sc, app)
        assert point.threshold == 0.0
        assert point.confusion.counts.tolist() == [[1, 0], [1, 0]]

    def test_equal_costs_go_to_the_earlier_column_also_when_it_acts(self):
        sc = ScoreCounts.from_scores([0, 1], [0.0, 0.0], kind="llr")
        costs = CostMatrix([[1, 0], [0, 1]], decisions=["act", "wait"])
        point = metrics.at_bayes_threshold(sc, Application(costs, priors=[0.5, 0.5]))
        assert point.confusion.counts.tolist() == [[1, 0], [1, 0]]

    def test_abstention_has_two_thresholds(self):
        costs = CostMatrix.zero_one(2).with_abstention(0.2, name="ask")
        sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9], kind="posterior")
        point = metrics.at_bayes_threshold(sc, costs)
        assert point.thresholds == pytest.approx((0.2, 0.8))
        assert point.stretches == (0, "ask", 1)
        assert point.cost(costs) == pytest.approx(0.5 * 0.2)

    def test_stated_prior_moves_posteriors_to_the_application(self):
        rng = np.random.default_rng(0)
        y = rng.random(300) < 0.4
        llr = rng.normal(size=300) * 2 + 2 * y - 1
        app = app_of([[0, 1], [7, 0]], 0.05)
        log_odds = llr + np.log(0.4 / 0.6)
        by_llr = ScoreCounts.from_scores(y, llr, kind="llr")
        by_odds = ScoreCounts.from_scores(y, log_odds, kind="log_odds", from_priors=0.4)
        by_posterior = ScoreCounts.from_scores(
            y, 1 / (1 + np.exp(-log_odds)), kind="posterior", from_priors=0.4
        )
        expected = metrics.actual_cost(by_llr, app)
        assert metrics.actual_cost(by_odds, app) == pytest.approx(expected)
        assert metrics.actual_cost(by_posterior, app) == pytest.approx(expected)
        as_it_is = ScoreCounts.from_scores(y, log_odds, kind="log_odds")
        got = metrics.at_bayes_threshold(as_it_is, app).threshold
        assert got == pytest.approx(app.log_odds_threshold, rel=1e-14)

    def test_agrees_with_the_thresholds_of_the_application(self):
        app = app_of([[0, 3], [10, 0]], 0.02)
        sc = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="llr")
        assert metrics.at_bayes_threshold(sc, app).threshold == pytest.approx(app.llr_threshold)

    def test_ranks_have_no_actual_cost(self):
        sc = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="rank")
        with pytest.raises(UndefinedError, match="kind 'rank'"):
            metrics.actual_cost(sc, CostMatrix.zero_one(2))

    @given(samples, prior)
    def test_is_never_below_the_minimum(self, sample, second):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        assert metrics.calibration_loss(sc, app_of([[0, 1], [3, 0]], second)) >= -1e-12

    def test_normalised_as_for_decisions(self):
        y, s = [0, 0, 1, 1], [-1.0, 1.0, 0.5, 2.0]
        app = app_of([[-5, 1], [3, -1]], 0.3)
        sc = ScoreCounts.from_scores(y, s, kind="llr")
        decided = (np.array(s) > metrics.at_bayes_threshold(sc, app).threshold).astype(int)
        expected = normalized_expected_cost(y, decided, application=app)
        assert metrics.actual_cost(sc, app, normalized=True) == pytest.approx(expected)

    def test_absent_class_with_a_prior_is_an_error(self):
        sc = ScoreCounts.from_scores([1, 1], [0.0, 1.0], kind="llr")
        with pytest.raises(DataError, match="no case of 0"):
            metrics.actual_cost(sc, app_of([[0, 1], [1, 0]], 0.5))

    def test_names_of_other_classes_are_refused(self):
        sc = ScoreCounts.from_scores(["no", "yes"], [0.0, 1.0], kind="llr")
        costs = CostMatrix([[0, 1], [1, 0]], classes=["yes", "no"])
        with pytest.raises(DataError, match="'no', 'yes' and the costs of 'yes', 'no'"):
            metrics.min_cost(sc, costs)

    def test_normalised_cost_of_speaker_recognition_by_hand(self):
        # One miss of two, no false alarm: 0.01 * 0.5 / min(0.01, 0.99) = 0.5.
        sc = ScoreCounts.from_scores([0, 0, 1, 1], [-9.0, -8.0, 0.0, 9.0], kind="llr")
        app = app_of([[0, 1], [1, 0]], 0.01)
        assert metrics.actual_cost(sc, app, normalized=True) == pytest.approx(0.01 * 0.5 / 0.01)

    def test_error_rate_is_the_cost_at_the_share_of_the_data(self):
        # cumani: the error rate is the DCF of the application (N_T / N, 1, 1).
        y, s = np.array([0, 0, 0, 1, 1]), np.array([-1.0, 2.0, -3.0, 1.0, -0.1])
        sc = ScoreCounts.from_scores(y, s, kind="log_odds")
        wrong = ((s > 0).astype(int) != y).mean()
        assert metrics.actual_cost(sc, CostMatrix.zero_one(2)) == pytest.approx(wrong)


def exact_least_cost(y, s, w, costs, priors):
    """The least over all cuts of two decisions, in rational arithmetic."""
    totals = [sum((Fraction(v) for v, c in zip(w, y, strict=True) if c == k), Fraction(0))
              for k in (0, 1)]  # fmt: skip
    shares = [Fraction(p) for p in priors]

    def cost(cut):
        return sum(
            shares[c] * Fraction(v) / totals[c] * Fraction(costs[c][int(x > cut)])
            for c, x, v in zip(y, s, w, strict=True)
        )

    return min(cost(cut) for cut in [-np.inf, *s])


def apart(kind, shift):
    """Two classes of 41 rows of weight .1 or .3 that the score 0 parts."""
    below = -shift - np.arange(41.0)
    w = np.where(np.arange(82) % 3, 0.1, 0.3)
    y, s = np.repeat([0, 1], 41), np.append(below, -below)
    return ScoreCounts.from_scores(y, s, kind=kind, sample_weight=w)


class TestWeightsAndLargeCosts:
    """Costs of 1e12 and more multiply what the sums of fractional weights are rounded by."""

    @pytest.mark.parametrize("seed", range(8))
    @pytest.mark.parametrize("costs", [[[0, 1], [1e15, 0]], [[0, 1e13], [1, 0]]])
    def test_min_cost_in_rational_arithmetic(self, seed, costs):
        rng = np.random.default_rng(seed)
        y = np.append([0, 1], rng.integers(0, 2, 30)).tolist()
        s = np.round(3.0 * np.array(y) + rng.normal(size=32), 1).tolist()
        w = (np.exp(12 * rng.normal(size=32)) if seed % 2 else rng.integers(1, 9, 32) / 10).tolist()
        sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
        truth = float(exact_least_cost(y, s, w, costs, [0.3, 0.7]))
        found = metrics.min_cost(sc, Application(costs, priors=[0.3, 0.7]))
        assert found == pytest.approx(truth, rel=1e-13, abs=0)

    @pytest.mark.parametrize("bins", [False, True])
    def test_no_error_costs_nothing(self, bins):
        """Two classes apart: no threshold between them may cost a rounding times 1e15."""
        sc = apart("log_odds", shift=1.0)
        sc = sc.binned([-2.5, 0.0, 2.5]) if bins else sc
        app = Application([[0, 1e15], [1e15, 0]])
        assert metrics.min_cost(sc, app) == 0
        assert metrics.actual_cost(sc, app) == 0
        assert metrics.at_threshold(sc, 0.0).cost(app) == 0
        for cuts in (None, [0.0]):
            sweep = threshold_sweep(sc, cuts, metrics=["expected_cost"], application=app)
            assert min(sweep.values["expected_cost"]) == 0

    def test_bayes_error_far_out(self):
        """Nobody is below or above the wrong cut: the cost is 0 at every prior between."""
        sc = apart("llr", shift=40.0)
        curve = bayes_error(sc, [-37.0, 0.5, 37.0])
        assert curve.actual.tolist() == [0, 0, 0]
        assert curve.minimum.tolist() == [0, 0, 0]
