"""The metrics for boosting, by hand and against evaluate; their libraries are not needed."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate
from stakes.exceptions import CostError, StakesError
from stakes.integrations.boosting import CatBoostCost, LightGBMCost, XGBoostCost

Y = [0, 0, 0, 1, 1]
P = np.array([0.05, 0.5, 0.01, 0.05, 0.9])
COSTS = {"fn": 10, "fp": 1}  # so that cases above 1/11 are acted on


def test_two_classes_by_hand():
    cost = (0 + 1 + 0 + 10 + 0) / 5
    assert LightGBMCost(COSTS)(Y, P) == ("cost", cost, False)
    assert XGBoostCost(COSTS)(Y, P) == cost
    assert CatBoostCost(COSTS).evaluate([np.log(P / (1 - P))], Y, []) == (cost, 1.0)
    assert CatBoostCost(COSTS).get_final_error(cost, 1.0) == cost
    assert not CatBoostCost(COSTS).is_max_optimal()


def test_weights_by_hand():
    weights = [1, 2, 1, 3, 1]
    cost = (2 * 1 + 3 * 10) / 8
    assert LightGBMCost(COSTS)(Y, P, weights)[1] == pytest.approx(cost)
    assert XGBoostCost(COSTS)(Y, P, sample_weight=weights) == pytest.approx(cost)
    assert CatBoostCost(COSTS).evaluate([np.log(P / (1 - P))], Y, weights)[0] == pytest.approx(cost)


def test_normalised_and_with_priors():
    app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
    metric = LightGBMCost(app, normalized=True)
    # a third of the 0s are false alarms, half of the 1s are missed; always acting costs 0.9
    cost = (0.9 * 1 / 3 + 0.1 * 10 / 2) / 0.9
    assert metric(Y, P) == ("nec", pytest.approx(cost), False)


def test_more_classes_as_evaluate_says():
    rng = np.random.default_rng(0)
    y, logits = rng.integers(0, 3, 200), rng.normal(0, 2, (200, 3))
    matrix = CostMatrix([[0, 1, 5], [2, 0, 1], [9, 3, 0]]).with_abstention(0.5)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    cost = evaluate(y, p, costs=matrix, recalibrate=False)["model"].cost
    assert XGBoostCost(matrix)(y, p) == pytest.approx(cost)
    assert CatBoostCost(matrix).evaluate(list(logits.T), y, None)[0] == pytest.approx(cost)


@pytest.mark.parametrize("kind", [LightGBMCost, XGBoostCost, CatBoostCost])
def test_kept_with_the_model(kind):
    again = pickle.loads(pickle.dumps(kind(COSTS, normalized=True)))
    assert again.__name__ == "nec"
    assert again.application == kind(COSTS).application


def test_names_in_another_order_are_refused():
    with pytest.raises(CostError, match="sorted order"):
        LightGBMCost(CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"]))


@pytest.mark.parametrize("costs", [None, "much", [[0, 1]], {"fn": "x"}, [[0, -1], [1, 0]], 3])
def test_costs_that_are_none(costs):
    with pytest.raises(StakesError):
        LightGBMCost(costs)
