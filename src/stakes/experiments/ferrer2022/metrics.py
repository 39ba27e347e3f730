"""The metrics that the paper compares, of a two-class table with given numbers of errors."""

from __future__ import annotations

import math

from stakes import Application, ConfusionMatrix, CostMatrix, normalized_expected_cost
from stakes.metrics import alpha_cost, f1, mcc

__all__ = ["CASES", "ROOT_TWO", "measured", "table_with"]

#: Cases of class 1 and class 2 in the balanced and in the imbalanced data.
CASES = {"Bal": (500, 500), "Imb": (900, 100)}
ROOT_TWO = math.sqrt(2)


def table_with(data: str, k21: float, k12: float) -> ConfusionMatrix:
    """The confusion matrix with so many errors in class 2 and in class 1."""
    first, second = CASES[data]
    return ConfusionMatrix([[first - k12, k12], [k21, second - k21]])


def measured(matrix: ConfusionMatrix) -> dict[str, float]:
    """The columns of Table 1; `EC_1.5` for 1.5 as the text says, and for the root of 2."""
    shares = matrix.decision_totals / matrix.total
    return {
        "EC_1": _nec(matrix, 1.0),
        "EC_1.5": _nec(matrix, ROOT_TWO),
        "EC_1.5 text": _nec(matrix, 1.5),
        "EC_nb": alpha_cost(matrix, 1.0),
        "FS_1": f1(matrix),
        "MCC": mcc(matrix),
        "R21": float(matrix.rates[1, 0]),
        "R12": float(matrix.rates[0, 1]),
        "R*2": float(shares[1]),
        "R*1": float(shares[0]),
    }


def _nec(matrix: ConfusionMatrix, cost_21: float) -> float:
    """Normalised expected cost with the priors of the data."""
    return normalized_expected_cost(
        matrix, application=Application(CostMatrix([[0, 1], [cost_21, 0]]))
    )
