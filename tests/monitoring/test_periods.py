"""Two periods: the parts of a change add up, the tests ask what they say, the advice fits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import Application, CaseCosts, ConfusionMatrix, CostMatrix, CostTally, ScoreCounts
from stakes.exceptions import DataError
from stakes.metrics import expected_cost
from stakes.monitoring import compare_periods
from stakes.monitoring.change_parts import moved, samples_of

APP = Application(
    CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
)
TABLES = st.lists(st.integers(0, 400), min_size=12, max_size=12)


def _matrix(counts):
    return ConfusionMatrix(counts, APP.classes, APP.decisions)


def _periods(counts):
    """Two 2 x 3 tables with at least one case each."""
    tables = np.array(counts).reshape(2, 2, 3)
    tables[:, 0, 0] += 1
    return [ConfusionMatrix(t, ["a", "b"], ["a", "b", "ask"]) for t in tables]


THREE = Application(CostMatrix([[0, 1, 0.3], [7, -2, 0.3]], ["a", "b"], ["a", "b", "ask"]))


class TestParts:
    @settings(max_examples=25)
    @given(TABLES)
    def test_add_to_the_change_exactly(self, counts):
        before, after = _periods(counts)
        found = compare_periods(before, after, application=THREE)
        costs = [expected_cost(each, application=THREE) for each in (before, after)]
        assert found.change == pytest.approx(costs[1] - costs[0], abs=1e-12)
        total = found.prior_part.value + found.rate_part.value
        assert total == pytest.approx(found.change, abs=1e-12)
        assert found.prior_parts.sum() + found.rate_parts.sum() == pytest.approx(total, abs=1e-12)

    @settings(max_examples=15)
    @given(TABLES)
    def test_going_back_turns_every_part_round(self, counts):
        before, after = _periods(counts)
        there = compare_periods(before, after, application=THREE)
        back = compare_periods(after, before, application=THREE)
        np.testing.assert_allclose(back.prior_parts, -there.prior_parts, atol=1e-12)
        np.testing.assert_allclose(back.rate_parts, -there.rate_parts, atol=1e-12)

    def test_equal_rates_leave_the_part_of_errors_empty(self):
        found = compare_periods(
            _matrix([[900, 100], [20, 80]]), _matrix([[450, 50], [40, 160]]), application=APP
        )
        # 10 x 0.2 per churner and 0.1 per other; shares 1/11 -> 2/7
        assert found.prior_part.value == pytest.approx((2 / 7 - 1 / 11) * (2 - 0.1))
        assert found.rate_part.value == pytest.approx(0, abs=1e-15)

    def test_equal_shares_leave_the_part_of_shares_empty(self):
        found = compare_periods(
            _matrix([[900, 100], [20, 80]]), _matrix([[800, 200], [20, 80]]), application=APP
        )
        assert found.prior_part.value == 0
        assert found.rate_part.value == pytest.approx(10 / 11 * 0.1)

    def test_given_priors_leave_only_errors(self):
        app = APP.with_priors([0.9, 0.1])
        found = compare_periods(
            _matrix([[900, 100], [20, 80]]), _matrix([[800, 200], [80, 320]]), application=app
        )
        assert found.prior_part.value == 0
        assert found.change == pytest.approx(0.9 * (0.2 - 0.1))
        assert "priors" in found.moved  # still asked about

    def test_intervals_cover_the_parts_of_the_truth(self):
        rng = np.random.default_rng(0)
        p = np.array([[0.85, 0.05], [0.03, 0.07]])
        q = np.array([[0.77, 0.09], [0.05, 0.09]])
        truth = compare_periods(
            _matrix((1e6 * p).astype(int)), _matrix((1e6 * q).astype(int)), application=APP
        )
        runs = 400
        before, after = (
            samples_of([_matrix(c.reshape(2, 2)) for c in rng.multinomial(n, x.ravel(), runs)],
                       APP, range(runs))
            for n, x in ((3000, p), (2000, q))
        )  # fmt: skip
        found = moved(before, after, None, 0.95)
        for parts, error, wanted in (
            (found.prior_parts, found.prior_error, truth.prior_part.value),
            (found.rate_parts, found.rate_error, truth.rate_part.value),
        ):
            covered = (np.abs(parts.sum(axis=1) - wanted) <= 1.96 * error).mean()
            assert covered > 0.95 - 3 * np.sqrt(0.05 * 0.95 / runs)

    def test_a_class_absent_in_one_period_moves_the_shares_only(self):
        found = compare_periods(
            _matrix([[90, 10], [0, 0]]), _matrix([[90, 10], [2, 8]]), application=APP
        )
        assert found.rate_part.value == pytest.approx(0, abs=1e-15)
        assert found.change == pytest.approx(30 / 110 - 0.1)


class TestQuestions:
    @pytest.mark.parametrize("priors", [None, [0.95, 0.05]])
    def test_nothing_moves_between_equal_periods(self, priors):
        cm = _matrix([[900, 60], [10, 40]])
        found = compare_periods(cm, cm, application=APP.with_priors(priors))
        assert found.p_values == {"cost": 1, "priors": 1, "rates": 1}
        assert not found.alarm
        assert found.advice.startswith("Nothing moved")

    def test_each_question_alone(self):
        base = _matrix([[9000, 500], [100, 400]])
        shares = _matrix([[8550, 475], [195, 780]])
        errors = _matrix([[8900, 600], [160, 340]])
        assert "rates" not in compare_periods(base, shares, application=APP).moved
        assert "priors" in compare_periods(base, shares, application=APP).moved
        assert "priors" not in compare_periods(base, errors, application=APP).moved
        assert "rates" in compare_periods(base, errors, application=APP).moved

    def test_three_questions_are_corrected_by_holm(self):
        found = compare_periods(
            _matrix([[900, 60], [10, 40]]), _matrix([[900, 60], [24, 36]]), application=APP
        )
        p = np.sort(list(found.p_values.values()))
        corrected = np.maximum.accumulate(np.minimum(1, p * [3, 2, 1]))
        np.testing.assert_allclose(np.sort(list(found.adjusted.values())), corrected)

    def test_interval_against_the_score_test_of_the_uncertainty_room(self):
        from stakes.uncertainty import compare_across

        app = APP.with_priors([0.9, 0.1])
        one, two = _matrix([[450, 50], [20, 180]]), _matrix([[900, 100], [40, 60]])
        wanted = compare_across({"a": one, "b": two}, app, rng=0).difference("b", "a")
        found = compare_periods(one, two, application=app)
        assert found.change == pytest.approx(wanted.value)
        assert found.cost.low == pytest.approx(wanted.low, abs=1e-6)
        assert found.cost.high == pytest.approx(wanted.high, abs=1e-6)


class TestAdvice:
    BASE = [[9000, 500], [100, 400]]

    def test_other_shares_move_the_threshold(self):
        found = compare_periods(
            _matrix(self.BASE), _matrix([[8100, 450], [200, 800]]), application=APP
        )
        # Bayes threshold 1/11 at 5 %; the odds of churn grew from 500 : 9500 to 1000 : 8550.
        odds = (1 / 10) / ((1000 / 8550) / (500 / 9500))
        assert f"act above {odds / (1 + odds):.3g} instead of 0.0909" in found.advice
        assert "the model can stay" in found.advice

    def test_other_errors_ask_for_the_scores(self):
        found = compare_periods(
            _matrix(self.BASE), _matrix([[9000, 500], [250, 250]]), application=APP
        )
        assert "Cost per 'churn' rose from 2 to 5" in found.advice
        assert "Re-calibrate" in found.advice
        assert "retrain" in found.advice

    def test_what_rose_has_equal_decimals_and_the_unit(self):
        app = Application(APP.costs, unit="EUR")
        before, after = _matrix(self.BASE), _matrix([[9000, 500], [235, 265]])
        found = compare_periods(before, after, application=app)
        # 10 times 100 and 235 of 500
        assert "Cost per 'churn' rose from 2.0 to 4.7 EUR" in found.advice

    @pytest.mark.parametrize(("gain", "word"), [(1.0, "re-calibrate"), (0.3, "retrain")])
    def test_scores_tell_whether_to_retrain(self, gain, word):
        rng = np.random.default_rng(0)
        y = rng.random(4000) < 0.2
        llr = {1.0: rng.normal(2.0 * y, 1.4), gain: rng.normal(2.0 * gain * y, 1.4)}
        scores = tuple(
            ScoreCounts.from_scores(y, s, kind="rank")
            for s in (llr[1.0], llr[gain] - 3 * (gain == 1))
        )
        found = compare_periods(
            _matrix(self.BASE), _matrix([[9000, 500], [250, 250]]), application=APP, scores=scores
        )
        assert word in found.advice

    def test_cheaper_errors_are_no_reason_to_retrain(self):
        found = compare_periods(
            _matrix(self.BASE), _matrix([[9200, 300], [40, 460]]), application=APP
        )
        assert " fell from " in found.advice
        assert "The cost did not rise" in found.advice

    def test_it_prints_everything(self):
        text = str(compare_periods(_matrix(self.BASE), _matrix(self.BASE), application=APP))
        assert "cost per case 0.15 -> 0.15" in text
        assert "churn 5 % -> 5 %" in text


class TestTallies:
    """Costs that differ from case to case."""

    def _tally(self, rng, n, miss=0.2):
        y = rng.random(n) < 0.3
        amount = rng.gamma(2.0, 100.0, n)
        acted = np.where(y, rng.random(n) > miss, rng.random(n) < 0.05)
        costs = CaseCosts.binary(false_positive=5.0, false_negative=amount)
        return CostTally.from_decisions(y.astype(int), acted.astype(int), costs=costs)

    def test_parts_add_up_and_agree_with_the_tallies(self):
        rng = np.random.default_rng(0)
        one, two = self._tally(rng, 3000), self._tally(rng, 2000, miss=0.4)
        found = compare_periods(one, two, application=CostMatrix.zero_one(2))
        assert found.change == pytest.approx(two.cost() - one.cost())
        assert found.prior_part.value + found.rate_part.value == pytest.approx(found.change)
        assert found.moved == ("cost", "rates")

    def test_cost_against_welch(self):
        from scipy.stats import ttest_ind

        rng = np.random.default_rng(1)
        a, b = rng.gamma(2, 1, 50), rng.gamma(2, 1.5, 80)
        tallies = [CostTally.from_costs([0] * len(x), x, classes=[0, 1]) for x in (a, b)]
        found = compare_periods(*tallies, application=CostMatrix.zero_one(2))
        wanted = ttest_ind(b, a, equal_var=False)
        assert found.p_values["cost"] == pytest.approx(wanted.pvalue, rel=1e-9)
        low, high = wanted.confidence_interval(0.95)
        assert found.cost.low == pytest.approx(low)
        assert found.cost.high == pytest.approx(high)


class TestRefusals:
    def test_weights(self):
        with pytest.raises(DataError, match="'after': the confusion matrix holds weights"):
            compare_periods(_matrix([[9, 1], [1, 9]]), _matrix([[9.5, 1], [1, 9]]), application=APP)

    def test_no_cases(self):
        with pytest.raises(DataError, match="'before': there are no cases"):
            compare_periods(_matrix(np.zeros((2, 2))), _matrix([[9, 1], [1, 9]]), application=APP)

    def test_other_names(self):
        with pytest.raises(DataError, match="same classes and decisions"):
            compare_periods(_matrix([[9, 1], [1, 9]]), ConfusionMatrix(np.eye(2)), application=APP)

    def test_an_absent_class_at_given_priors(self):
        with pytest.raises(DataError, match="no case of 'churn'") as error:
            compare_periods(
                _matrix([[9, 1], [0, 0]]),
                _matrix([[9, 1], [1, 9]]),
                application=APP.with_priors([0.9, 0.1]),
            )
        assert "with_priors(None)" in error.value.hint

    def test_two_kinds_of_summaries(self):
        tally = CostTally.from_costs([0, 1], [1.0, 2.0], classes=APP.classes)
        with pytest.raises(DataError, match="same kind"):
            compare_periods(_matrix([[9, 1], [1, 9]]), tally, application=APP)

    def test_something_else(self):
        with pytest.raises(DataError, match="of the same kind, ConfusionMatrix"):
            compare_periods([[9, 1], [1, 9]], [[9, 1], [1, 9]], application=APP)
