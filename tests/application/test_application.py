"""Application: naive decisions, the effective prior and the three thresholds."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from stakes import Application, CostMatrix, bayes_decisions
from stakes.application import Between, UncertainApplication, as_application
from stakes.exceptions import CostError, PriorError

CHURN = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
prices = st.floats(0.01, 100)
shares = st.floats(0.01, 0.99)


def binary(fp: float, fn: float, prior: float | None = None) -> Application:
    priors = None if prior is None else [1 - prior, prior]
    return Application(CostMatrix.binary(false_positive=fp, false_negative=fn), priors=priors)


class TestConstructor:
    def test_takes_a_matrix_or_an_array(self) -> None:
        assert Application([[0, 1], [10, 0]]).costs == CostMatrix([[0, 1], [10, 0]])
        assert Application(CHURN).classes == ("stay", "churn")
        assert Application(CHURN).decisions == ("ignore", "call")

    @pytest.mark.parametrize(
        "priors",
        [
            [0.98, 0.02],
            (0.98, 0.02),
            np.array([0.98, 0.02]),
            np.array([[0.98], [0.02]]),
            np.array([[0.98, 0.02]]),
            {"stay": 0.98, "churn": 0.02},
            {"churn": 0.02, "stay": 0.98},
        ],
        ids=["list", "tuple", "array", "column", "row", "mapping", "mapping in another order"],
    )
    def test_priors_in_any_shape(self, priors) -> None:
        app = Application(CHURN, priors=priors)
        assert app.priors is not None
        assert app.priors.tolist() == [0.98, 0.02]

    def test_priors_as_a_labelled_column(self) -> None:
        pandas = pytest.importorskip("pandas", reason="reads a pandas column")
        column = pandas.Series([0.02, 0.98], index=["churn", "stay"])
        app = Application(CHURN, priors=column)
        assert app.priors is not None
        assert app.priors.tolist() == [0.98, 0.02]

    def test_priors_are_a_read_only_copy(self) -> None:
        priors = np.array([0.5, 0.5])
        app = Application(CHURN, priors=priors)
        priors[:] = 0
        assert app.priors is not None
        assert app.priors.tolist() == [0.5, 0.5]
        with pytest.raises(ValueError, match="read-only"):
            app.priors[0] = 1

    @pytest.mark.parametrize(
        ("priors", "message"),
        [
            (1.2, r"must lie between 0 and 1; got 1\.2"),
            ([0.5, 0.3], r"must add to 1; they add to 0\.8"),
            ([1.5, -0.5], "finite and not negative"),
            ([np.nan, 1], "finite and not negative"),
            ([0.2, 0.3, 0.5], r"for each of the 2 classes 'stay', 'churn'; got shape \(3,\)"),
            ({"stay": 2.0}, "must name the classes 'stay', 'churn'; missing 'churn'"),
            (
                {"stay": 0.5, "cat": 0.5},
                "must name the classes 'stay', 'churn'; unknown 'cat' and missing 'churn'",
            ),
        ],
    )
    def test_priors_that_cannot_be_meant(self, priors, message) -> None:
        with pytest.raises(PriorError, match=message):
            Application(CHURN, priors=priors)

    def test_a_single_number_is_the_share_of_the_second_of_two_classes(self) -> None:
        assert Application(CHURN, priors=0.2).priors.tolist() == [0.8, 0.2]
        with pytest.raises(PriorError, match=r"each of the 3 classes; got the single number 0\.2"):
            Application(CostMatrix.zero_one(3), priors=0.2)

    @pytest.mark.parametrize("volume", [0, -5, np.nan, np.inf])
    def test_volume_must_be_positive(self, volume) -> None:
        with pytest.raises(CostError, match="`volume` must be a positive number of cases; got"):
            Application(CHURN, volume=volume)

    def test_repr_is_one_line(self) -> None:
        app = Application(CHURN, priors=[0.98, 0.02], unit="EUR", volume=250_000, period="year")
        assert repr(app) == (
            "Application(2 classes x 2 decisions, priors [0.98, 0.02], unit='EUR', "
            "volume=250000 a year)"
        )
        assert "priors of the data" in repr(Application(CHURN))

    def test_equality_and_hash(self) -> None:
        first = Application(CHURN, priors=[0.98, 0.02], unit="EUR")
        assert first == Application(CHURN, priors=[0.98, 0.02], unit="EUR")
        assert hash(first) == hash(Application(CHURN, priors=[0.98, 0.02], unit="EUR"))
        assert first != Application(CHURN, priors=[0.97, 0.03], unit="EUR")
        assert first != Application(CHURN, priors=[0.98, 0.02])
        assert first != CHURN


class TestChanges:
    def test_with_priors_keeps_the_rest(self) -> None:
        app = Application(CHURN, unit="EUR", volume=10, period="day").with_priors([0.5, 0.5])
        assert (app.unit, app.volume, app.period) == ("EUR", 10, "day")
        assert app.with_priors(None).priors is None

    def test_with_costs_keeps_the_rest(self) -> None:
        app = Application(CHURN, priors=[0.9, 0.1], unit="EUR").with_costs(CHURN.scaled(2))
        assert app.costs.cost("churn", "ignore") == 20
        assert app.unit == "EUR"

    def test_with_costs_of_other_classes_would_mix_up_the_priors(self) -> None:
        with pytest.raises(CostError, match="must have the classes 'stay', 'churn'"):
            Application(CHURN, priors=[0.9, 0.1]).with_costs(CostMatrix.zero_one(2))

    def test_priors_of_the_data_count_unless_it_names_its_own(self) -> None:
        data = np.array([0.5, 0.5])
        assert Application(CHURN).resolved_priors(data) is data
        own = Application(CHURN, priors=[0.9, 0.1])
        assert own.resolved_priors(data).tolist() == [0.9, 0.1]


class TestNaive:
    def test_hand_arithmetic(self) -> None:
        app = Application(CHURN, priors=[0.98, 0.02])
        np.testing.assert_allclose(app.naive_costs, [0.02 * 10, 0.98 * 1])
        assert app.naive_decision == "ignore"
        assert app.naive_cost == pytest.approx(0.02 * 10)

    @pytest.mark.parametrize("shape", [(2,), (2, 1)])
    def test_priors_in_a_column_give_the_same_answer(self, shape) -> None:
        """A column must not be broadcast against the rows of the costs."""
        app = Application([[0, 1], [5, 0]], priors=np.reshape([0.9, 0.1], shape))
        assert app.naive_cost == pytest.approx(0.1 * 5)
        assert app.naive_decision == 0

    def test_ties_go_to_the_earlier_decision(self) -> None:
        assert Application([[0, 1], [1, 0]], priors=[0.5, 0.5]).naive_decision == 0

    def test_cost_is_as_given_not_standardized(self) -> None:
        app = Application([[3, 4], [13, 3]], priors=[0.5, 0.5])
        assert app.naive_cost == 0.5 * 4 + 0.5 * 3

    @given(st.lists(st.integers(1, 50), min_size=3, max_size=3))
    def test_is_the_bayes_decision_when_the_posterior_is_the_prior(self, counts) -> None:
        """`ferrer2025` eq 33 and its footnote."""
        priors = np.array(counts) / sum(counts)
        costs = CostMatrix([[0, 1.1, 20.3, 2], [1.2, 0, 20.7, 2], [100, 101, 0, 2]])
        app = Application(costs, priors=priors)
        assert app.naive_decision == bayes_decisions(priors[None, :], costs)[0]

    @pytest.mark.parametrize(
        "what", ["naive_costs", "naive_decision", "naive_cost", "effective_prior", "llr_threshold"]
    )
    def test_without_priors_it_says_so(self, what) -> None:
        with pytest.raises(PriorError, match=r"needs the priors; .* takes those of the data"):
            getattr(Application(CHURN), what)


class TestThresholds:
    def test_hand_arithmetic(self) -> None:
        app = binary(fp=1, fn=10, prior=0.02)
        assert app.posterior_threshold == pytest.approx(1 / 11)
        assert app.log_odds_threshold == pytest.approx(math.log(1 / 10))
        assert app.llr_threshold == pytest.approx(math.log(0.98 * 1 / (0.02 * 10)))
        assert app.effective_prior == pytest.approx(0.02 * 10 / (0.02 * 10 + 0.98 * 1))

    def test_effective_prior_when_a_false_alarm_is_ten_times_dearer(self) -> None:
        """`cumani`: pi C_fn / (pi C_fn + (1 - pi) C_fp) with even classes."""
        assert binary(fp=10, fn=1, prior=0.5).effective_prior == pytest.approx(1 / 11)

    @given(prices, prices, shares)
    def test_the_three_are_one(self, fp, fn, prior) -> None:
        app = binary(fp, fn, prior)
        t = app.posterior_threshold
        assert math.log(t / (1 - t)) == pytest.approx(app.log_odds_threshold, abs=1e-9)
        shift = math.log(prior / (1 - prior))
        assert app.llr_threshold == pytest.approx(app.log_odds_threshold - shift, abs=1e-9)
        e = app.effective_prior
        assert app.llr_threshold == pytest.approx(-math.log(e / (1 - e)), abs=1e-9)

    @given(prices, prices, shares)
    def test_effective_prior_with_unit_costs_decides_alike(self, fp, fn, prior) -> None:
        app = binary(fp, fn, prior)
        same = binary(1, 1, app.effective_prior)
        assert same.llr_threshold == pytest.approx(app.llr_threshold, abs=1e-9)

    @given(prices, prices, st.floats(0, 1))
    def test_is_where_the_bayes_rule_turns(self, fp, fn, p) -> None:
        app = binary(fp, fn)
        assume(abs(p - app.posterior_threshold) > 1e-12)
        assert bayes_decisions([p], app)[0] == (p > app.posterior_threshold)

    def test_at_the_threshold_it_does_not_act(self) -> None:
        app = binary(fp=1, fn=3)
        assert app.posterior_threshold == 0.25
        assert bayes_decisions([0.25, np.nextafter(0.25, 1)], app).tolist() == [0, 1]

    @given(prices, prices, shares, st.integers(-50, 50), st.integers(-50, 50), st.floats(0.1, 50))
    def test_row_shifts_and_scaling_change_nothing(self, fp, fn, prior, up, down, factor) -> None:
        app = binary(fp, fn, prior)
        shifted = CostMatrix([[up, fp + up], [fn + down, down]]).scaled(factor)
        moved = Application(shifted, priors=app.priors)
        for name in ("posterior_threshold", "log_odds_threshold", "llr_threshold"):
            assert getattr(moved, name) == pytest.approx(getattr(app, name), rel=1e-6, abs=1e-6)
        assert moved.effective_prior == pytest.approx(app.effective_prior, rel=1e-6)

    def test_gains_are_negative_costs(self) -> None:
        """The production line of `dyrland2022`: gains 15 and 165, losses 35 and 335."""
        app = Application(CostMatrix.from_utilities([[15, -35], [-335, 165]]))
        assert app.posterior_threshold == pytest.approx((15 + 35) / (15 + 35 + 335 + 165))

    def test_a_free_false_alarm_means_always_act(self) -> None:
        app = binary(fp=0, fn=1, prior=0.5)
        assert app.posterior_threshold == 0
        assert app.log_odds_threshold == -math.inf
        assert app.llr_threshold == -math.inf
        assert app.effective_prior == 1

    def test_a_free_miss_means_never_act(self) -> None:
        app = binary(fp=1, fn=0, prior=0.5)
        assert app.posterior_threshold == 1
        assert app.log_odds_threshold == math.inf
        assert app.llr_threshold == math.inf
        assert app.effective_prior == 0

    def test_certain_priors(self) -> None:
        assert binary(1, 10, prior=1.0).llr_threshold == -math.inf
        assert binary(1, 10, prior=0.0).llr_threshold == math.inf
        assert binary(1, 10, prior=0.0).effective_prior == 0

    def test_no_error_can_cost_anything(self) -> None:
        app = binary(fp=0, fn=10, prior=0.0)
        for name in ("effective_prior", "llr_threshold"):
            with pytest.raises(CostError, match="no error can cost anything"):
                getattr(app, name)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            (
                [[1, 0], [0, 10]],
                r"no threshold: taking 1 instead of 0 costs -1 more when the truth is 0 and "
                r"10 more when it is 1\.",
            ),
            ([[0, -1], [10, 0]], "costs -1 more when the truth is 0 and -10 more"),
            ([[2, 2], [3, 3]], "no threshold: taking 1 instead of 0 costs 0 more"),
        ],
        ids=["swapped columns", "acting is always better", "nothing matters"],
    )
    def test_costs_without_a_threshold(self, values, message) -> None:
        app = Application(values, priors=[0.5, 0.5])
        for name in ("posterior_threshold", "log_odds_threshold", "llr_threshold"):
            with pytest.raises(CostError, match=message):
                getattr(app, name)

    def test_only_for_two_by_two(self) -> None:
        with pytest.raises(CostError, match=r"2 classes and 2 decisions; got 3 x 3\.") as caught:
            _ = Application(CostMatrix.zero_one(3)).posterior_threshold
        assert "stakes.bayes_decisions" in str(caught.value.hint)
        with pytest.raises(CostError, match="got 2 x 3"):
            _ = Application(CHURN.with_abstention(1)).log_odds_threshold


class TestAsApplication:
    def test_passes_an_application_and_wraps_a_matrix(self) -> None:
        app = Application(CHURN)
        assert as_application(app) is app
        assert as_application(CHURN) == app

    def test_refuses_anything_else(self) -> None:
        with pytest.raises(CostError, match="must be costs in some form; got float"):
            as_application(10.0)
        with pytest.raises(CostError, match="got UncertainApplication"):
            as_application(UncertainApplication.binary(fn=Between(5, 20), fp=1))


def test_the_message_names_what_was_asked_for():
    with pytest.raises(PriorError, match="`naive_cost` needs the priors"):
        _ = Application(CostMatrix.zero_one(2)).naive_cost
