"""Weights for cases: balance, costs, place of use; and when habits mislead."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.application import (
    accuracy_is_consistent,
    class_factors,
    rebalancing_is_consistent,
    sample_weights,
    target_weight,
)
from stakes.exceptions import CostError, DataError, PriorError
from stakes.metrics import expected_cost, weighted_accuracy

SHARE = st.floats(0.01, 0.99)


def two(ratio):
    return CostMatrix.binary(false_positive=1, false_negative=ratio)


class TestClassFactors:
    def test_balanced_as_in_eq_11(self):
        """v -> N v for positives, P v for negatives: with P = 20, N = 80, 80 : 20."""
        negative, positive = class_factors([0.8, 0.2], priors="balanced")
        assert positive / negative == pytest.approx(80 / 20)

    @given(SHARE, st.floats(0.01, 100))
    def test_costs_as_in_eq_13(self, share, ratio):
        negative, positive = class_factors([1 - share, share], two(ratio))
        weight = ratio / (1 + ratio)  # r_C
        assert positive / negative == pytest.approx(weight / (1 - weight))

    @given(SHARE, SHARE, st.floats(0.01, 100))
    def test_all_together_as_in_eqs_17_and_18(self, share, target, ratio):
        factors = class_factors([1 - share, share], two(ratio), priors=[1 - target, target])
        weight = target_weight(ratio / (1 + ratio), share, priors=target)
        assert factors[1] / factors.sum() == pytest.approx(weight)

    def test_the_priors_of_an_application_are_the_place_of_use(self):
        """Eq 17 with R+ = 0.1 / 0.5, R- = 0.9 / 0.5 and 9 : 1 costs: both classes count alike."""
        app = Application(two(9), priors=[0.9, 0.1])
        assert class_factors([0.5, 0.5], app) == pytest.approx([1, 1])
        assert class_factors([0.5, 0.5], app, priors=[0.5, 0.5]) == pytest.approx([0.2, 1.8])
        assert sample_weights([0, 1], app) == pytest.approx([1, 1])
        assert accuracy_is_consistent(app, [0.5, 0.5])  # no weights are needed: they are even

    @given(SHARE)
    def test_the_mean_over_the_sample_is_one(self, share):
        priors = np.array([1 - share, share])
        assert class_factors(priors, two(7), priors=[0.5, 0.5]) @ priors == pytest.approx(1)

    def test_several_classes_with_even_errors(self):
        costs = CostMatrix([[0, 2, 2], [5, 0, 5], [1, 1, 0]])
        factors = class_factors([0.5, 0.3, 0.2], costs)
        assert np.allclose(factors / factors[2], [2, 5, 1])

    @pytest.mark.parametrize(
        ("costs", "message"),
        [
            (CostMatrix([[0, 1, 2], [1, 0, 1], [1, 1, 0]]), "cost from 1 to 2; one weight"),
            (CostMatrix([[0, 1, 0.2], [1, 0, 0.2]], [0, 1], [0, 1, "ask"]), "one right decision"),
            (CostMatrix([[1, 0], [0, 1]]), "one right decision"),
        ],
    )
    def test_costs_that_one_weight_cannot_stand_for(self, costs, message):
        with pytest.raises(CostError, match=message):
            class_factors([1 / len(costs.classes)] * len(costs.classes), costs)

    def test_absent_classes_and_bad_targets(self):
        with pytest.raises(DataError, match="no case of 1"):
            class_factors([1.0, 0.0])
        with pytest.raises(PriorError, match="'balanced'"):
            class_factors([0.5, 0.5], priors="even")


class TestSampleWeights:
    @given(st.lists(st.booleans(), min_size=4, max_size=40).filter(lambda y: 0 < sum(y) < len(y)),
           st.integers(0, 2**31), st.floats(0.05, 20))  # fmt: skip
    def test_accuracy_with_cost_weights_is_the_weighted_accuracy(self, y, seed, ratio):
        """Eq 14 is eq 10 with the weight of the costs."""
        y = np.array(y, dtype=int)
        decisions = np.random.default_rng(seed).integers(0, 2, y.size)
        weights = sample_weights(y, two(ratio))
        accuracy = np.average(y == decisions, weights=weights)
        matrix = ConfusionMatrix.from_decisions(y, decisions, classes=[0, 1])
        assert accuracy == pytest.approx(weighted_accuracy(matrix, ratio / (1 + ratio)))

    def test_accuracy_with_target_weights_is_that_of_the_place_of_use(self):
        rng = np.random.default_rng(0)
        y, decisions = rng.integers(0, 2, 300), rng.integers(0, 2, 300)
        accuracy = np.average(y == decisions, weights=sample_weights(y, priors=[0.9, 0.1]))
        app = Application(CostMatrix.zero_one(2), priors=[0.9, 0.1])
        assert 1 - accuracy == pytest.approx(expected_cost(y, decisions, application=app))

    def test_resampling_is_what_it_stands_for(self):
        """Balanced weights give what repeating the rare cases gives."""
        y, right = np.array([0, 0, 0, 0, 1]), np.array([1, 0, 1, 1, 0])
        repeated = np.append(right[:4], [right[4]] * 4).mean()
        assert np.average(right, weights=sample_weights(y, priors="balanced")) == repeated

    def test_names_and_given_weights(self):
        given = [2.0, 1.0, 1.0]
        weights = sample_weights(["b", "a", "a"], priors={"a": 0.75, "b": 0.25},
                                 classes=["a", "b"], sample_weight=given)  # fmt: skip
        assert weights.sum() == pytest.approx(4)
        assert weights[0] / weights.sum() == pytest.approx(0.25)

    def test_against_sklearn_balanced(self):
        utils = pytest.importorskip("sklearn.utils.class_weight", reason="the other opinion")
        y = np.array([0, 0, 0, 1, 2, 2])
        assert np.allclose(
            sample_weights(y, priors="balanced"), utils.compute_sample_weight("balanced", y)
        )

    def test_a_trained_estimator_moves_with_the_costs(self):
        linear = pytest.importorskip("sklearn.linear_model", reason="an estimator that is trained")
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 2000)
        x = (y + rng.normal(size=2000))[:, None]
        plain = linear.LogisticRegression(C=1e6).fit(x, y)
        costly = linear.LogisticRegression(C=1e6).fit(x, y, sample_weight=sample_weights(y, two(9)))
        # weighing a class by 9 moves the log odds by log 9
        assert costly.intercept_[0] - plain.intercept_[0] == pytest.approx(np.log(9), abs=0.25)


class TestTargetWeight:
    def test_same_shares_leave_the_cost_weight(self):
        assert target_weight(0.9, 0.2) == pytest.approx(0.9)

    @given(SHARE, SHARE, st.floats(0.1, 10))
    def test_weighted_accuracy_at_it_ranks_as_the_cost_in_use(self, share, target, ratio):
        weight = target_weight(ratio / (1 + ratio), share, priors=target)
        app = Application(two(ratio), priors=[1 - target, target])
        scale = 1000
        n1, n0 = round(scale * share) or 1, round(scale * (1 - share)) or 1
        weight = target_weight(ratio / (1 + ratio), n1 / (n0 + n1), priors=target)
        tables = [
            ConfusionMatrix([[0.9 * n0, 0.1 * n0], [0.4 * n1, 0.6 * n1]]),
            ConfusionMatrix([[0.7 * n0, 0.3 * n0], [0.2 * n1, 0.8 * n1]]),
        ]
        costs = [expected_cost(t, application=app) for t in tables]
        scores = [weighted_accuracy(t, weight) for t in tables]
        if abs(costs[0] - costs[1]) > 1e-9:
            assert (costs[0] < costs[1]) == (scores[0] > scores[1])

    def test_refusals(self):
        with pytest.raises(CostError):
            target_weight(1.2, 0.5)
        with pytest.raises(PriorError):
            target_weight(0.5, 0.0)


class TestConsistency:
    @given(SHARE)
    def test_rebalancing_agrees_exactly_at_eq_15(self, share):
        """r_C = 1 - r_+, that is, a miss is worth N / P false alarms."""
        found = rebalancing_is_consistent(two((1 - share) / share), [1 - share, share])
        assert found
        assert "agrees" in str(found)

    @given(SHARE, SHARE)
    def test_accuracy_agrees_exactly_at_eq_19(self, weight, target):
        data = target * weight / (1 - target - weight + 2 * target * weight)
        app = Application(two(weight / (1 - weight)), priors=[1 - target, target])
        assert accuracy_is_consistent(app, [1 - data, data])

    def test_otherwise_it_says_which_way_it_leans(self):
        found = rebalancing_is_consistent(two(3), [0.95, 0.05])
        assert not found
        assert (found.implied_ratio, found.actual_ratio) == (pytest.approx(19), pytest.approx(3))
        assert "raise too many alarms" in found.advice
        assert "miss too many cases" in rebalancing_is_consistent(two(50), [0.95, 0.05]).advice

    def test_advice_for_accuracy_names_the_weight(self):
        app = Application(two(9), priors=[0.9, 0.1])
        found = accuracy_is_consistent(app, [0.8, 0.2])
        weight = target_weight(0.9, 0.2, priors=0.1)
        assert f"weighted_accuracy(cm, {weight:.4g})" in found.advice
        assert "priors=[0.9, 0.1]" in found.advice

    def test_costless_errors_are_refused(self):
        with pytest.raises(CostError, match="both errors must cost"):
            rebalancing_is_consistent(CostMatrix([[0, 0], [1, 0]]), [0.5, 0.5])
