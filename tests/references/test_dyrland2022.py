"""Dyrland, Lundervold, Porta Mana, "Does the evaluation stand up to evaluation?", 2022.

Table 1 and the yields of its two utility matrices and of the medical variant. The paper puts
the classifier's output in rows; transposed here. Its class 0 is the positive one.
"""

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes import metrics as m
from stakes.metrics import accuracy, balanced_accuracy, utility_yield

A = ConfusionMatrix(np.array([[0.27, 0.15], [0.23, 0.35]]).T)
B = ConfusionMatrix(np.array([[0.43, 0.18], [0.07, 0.32]]).T)
FACTORY = CostMatrix.from_utilities(np.array([[15, -335], [-35, 165]]).T)  # eq 4
VARIANT = CostMatrix.from_utilities(np.array([[45, -335], [-65, 165]]).T)  # eq 5
MEDICAL = CostMatrix.from_utilities(np.array([[350, 0], [300, 500]]).T)  # eq 6


@pytest.mark.parametrize(
    ("costs", "yield_a", "yield_b"), [(FACTORY, 3.5, -3.5), (VARIANT, 4.7, 7.3)]
)
def test_utility_yields(costs, yield_a, yield_b):
    assert round(utility_yield(A, Application(costs)), 1) == yield_a
    assert round(utility_yield(B, Application(costs)), 1) == yield_b


def test_medical_variant_is_shifted_by_335():
    for matrix in (A, B):
        shifted = utility_yield(matrix, FACTORY) + 335
        assert utility_yield(matrix, MEDICAL) == pytest.approx(shifted, abs=1e-9)
    assert utility_yield(A, MEDICAL) - utility_yield(B, MEDICAL) > 6  # months


def test_table_1():
    assert (round(accuracy(A), 2), round(accuracy(B), 2)) == (0.62, 0.75)
    assert (round(balanced_accuracy(A), 2), round(balanced_accuracy(B), 2)) == (0.62, 0.75)
    printed = {
        "precision": (0.64, 0.70),
        "f1": (0.59, 0.77),
        "mcc": (0.24, 0.51),
        "fowlkes_mallows": (0.59, 0.78),
        "recall": (0.54, 0.86),
        "specificity": (0.70, 0.64),
    }
    for name, digits in printed.items():
        metric = m.catalogue[name]
        keywords = {} if name == "mcc" else {"positive": 0}
        for matrix, digit in zip((A, B), digits, strict=True):
            assert round(metric(matrix, **keywords), 2) == digit, name
