"""Every worked example of S. Cumani, "Bayes decisions and Model evaluation" (lecture slides)."""

import numpy as np
import pytest

from stakes import (
    Application,
    ConfusionMatrix,
    CostMatrix,
    bayes_decisions,
    expected_cost,
    normalized_expected_cost,
)
from stakes.metrics import accuracy, cost_by_cell, detection_cost, error_rate

# The slides put predictions in rows; transposed here, rows are true classes.
RAIN = ConfusionMatrix(
    np.array([[15, 30], [20, 300]]).T, classes=["rain", "clear"], decisions=["rain", "clear"]
)
COSTS = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
PRIORS = [0.3, 0.4, 0.3]
THREE_CLASSES = ConfusionMatrix(np.array([[205, 111, 56], [145, 199, 121], [50, 92, 225]]).T)


class TestRain:
    def test_accuracy_is_315_of_365(self):
        assert accuracy(RAIN) == pytest.approx(315 / 365, abs=1e-15)

    def test_always_clear_would_be_about_90_percent(self):
        always = ConfusionMatrix([[0, 35], [0, 330]], classes=RAIN.classes)
        assert round(accuracy(always), 2) == 0.90


class TestThreeClassDecision:
    def test_expected_costs_and_decision(self):
        posteriors = np.array([[0.40, 0.25, 0.35]])
        np.testing.assert_allclose(posteriors @ COSTS.values, [[0.95, 0.75, 1.05]], atol=1e-15)
        decision, cost = bayes_decisions(posteriors, COSTS, with_cost=True)
        assert decision.tolist() == [1]  # label 2, the least probable class
        assert cost[0] == pytest.approx(0.75, abs=1e-15)


class TestEmpiricalBayesRisk:
    def test_parts_and_total_to_five_digits(self):
        shares = cost_by_cell(THREE_CLASSES, Application(COSTS, priors=PRIORS))
        by_class = shares.costs.reshape(3, 3).sum(axis=1)
        assert [round(v, 5) for v in by_class] == [0.18375, 0.20199, 0.17388]
        assert round(shares.total, 5) == 0.55962

    def test_hand_arithmetic(self):
        by_hand = 0.3 / 400 * (145 + 100) + 0.4 / 402 * (111 + 92) + 0.3 / 402 * (112 + 121)
        app = Application(COSTS, priors=PRIORS)
        assert expected_cost(THREE_CLASSES, application=app) == pytest.approx(by_hand, abs=1e-15)

    def test_normalised_by_the_best_of_three_dummies(self):
        dummies = [0.4 + 0.6, 0.3 + 0.3, 0.6 + 0.4]
        app = Application(COSTS, priors=PRIORS)
        assert app.naive_decision == 1
        assert normalized_expected_cost(THREE_CLASSES, application=app) == pytest.approx(
            0.55962 / min(dummies), abs=1e-5
        )


class TestBinaryWorkingPoint:
    APP = Application(
        CostMatrix.binary(false_positive=1, false_negative=10), priors=[1 - 0.05, 0.05]
    )

    def test_effective_prior(self):
        by_hand = 0.05 * 10 / (0.05 * 10 + 0.95 * 1)
        assert self.APP.effective_prior == pytest.approx(by_hand, rel=1e-15)

    def test_threshold_is_minus_the_effective_prior_log_odds(self):
        effective = self.APP.effective_prior
        assert self.APP.llr_threshold == pytest.approx(-np.log(effective / (1 - effective)))

    @pytest.mark.parametrize("prior", [0.01, 0.3, 0.5, 0.9])
    def test_equivalent_application_has_the_same_normalised_dcf(self, prior):
        matrix = ConfusionMatrix([[80, 20], [5, 45]])
        app = self.APP.with_priors([1 - prior, prior])
        triplet = detection_cost(matrix, priors=prior, miss=10, false_alarm=1, normalized=True)
        single = detection_cost(matrix, priors=app.effective_prior, normalized=True)
        assert triplet == pytest.approx(single, rel=1e-14)

    def test_unnormalised_dcf_by_hand(self):
        matrix = ConfusionMatrix([[80, 20], [5, 45]])
        by_hand = 0.05 * 10 * (5 / 50) + 0.95 * 1 * (20 / 100)
        assert detection_cost(matrix, priors=0.05, miss=10, false_alarm=1) == pytest.approx(by_hand)

    def test_dummy_systems_cost_one(self):
        for table in ([[0, 100], [0, 50]], [[100, 0], [50, 0]]):
            costs = [
                detection_cost(ConfusionMatrix(table), priors=0.05, miss=10, false_alarm=1),
            ]
            assert costs[0] in (pytest.approx(0.95), pytest.approx(0.5))
        reject = detection_cost(
            ConfusionMatrix([[100, 0], [50, 0]]),
            priors=0.05,
            miss=10,
            false_alarm=1,
            normalized=True,
        )
        assert reject == pytest.approx(1.0)

    def test_error_rate_is_the_dcf_of_the_empirical_prior(self):
        target_share = 35 / 365
        assert error_rate(RAIN) == pytest.approx(
            detection_cost(RAIN, priors=target_share, positive="rain"), abs=1e-15
        )

    def test_weighted_error_rate_is_the_dcf_of_one_half(self):
        miss, false_alarm = 20 / 35, 30 / 330
        assert detection_cost(RAIN, priors=0.5, positive="rain") == pytest.approx(
            (miss + false_alarm) / 2, abs=1e-15
        )
