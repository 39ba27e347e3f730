""" "Cost-Sensitive Evaluation for Binary Classifiers" (weighted accuracy), 2025."""

import pytest

from stakes import ConfusionMatrix, CostMatrix
from stakes.metrics import accuracy, cost_weight, total_classification_cost, weighted_accuracy

COSTS = CostMatrix.binary(false_positive=1, false_negative=9)  # r_C = .9
M1 = ConfusionMatrix([[80, 0], [20, 0]])  # all negative, 20 % positives
M2 = ConfusionMatrix([[50, 30], [5, 15]])


def test_example_of_section_3():
    assert cost_weight(COSTS) == pytest.approx(0.9)
    assert (accuracy(M1), accuracy(M2)) == (pytest.approx(0.80), pytest.approx(0.65))
    assert round(weighted_accuracy(M1, 0.9), 4) == 0.3077
    assert round(weighted_accuracy(M2, 0.9), 4) == 0.7115


def test_weighted_accuracy_ranks_as_the_total_cost_does():
    """Eq 6: WA = 1 - (TCC - TCC_min) / (C_FN P + C_FP N)."""
    for matrix in (M1, M2):
        by_cost = 1 - total_classification_cost(matrix, COSTS) / (9 * 20 + 1 * 80)
        assert weighted_accuracy(matrix, 0.9) == pytest.approx(by_cost, abs=1e-15)
