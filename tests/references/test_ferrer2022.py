"""L. Ferrer, "Analysis and Comparison of Classification Metrics", 2022: Table 1, all 21 rows.

The column headed EC_1.5 is printed for a cost of sqrt(2) = 1.414..., not of 1.5: the row
(K21, K12) = (50, 0) of the balanced data shows .14 where .15 would follow from 1.5, and
(0, 810) of the imbalanced data shows 5.73 = .81 / (.1 sqrt(2)) where 1.5 gives 5.40.
"""

import math

import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, normalized_expected_cost
from stakes.metrics import alpha_cost, balanced_error_rate, f1, mcc

# data, K21, K12, EC_1, EC_1.5, EC_nb, F1, MCC, R21, R12, R*2, R*1: as printed
TABLE_1 = [
    ("bal", 0, 50, 0.10, 0.10, 0.10, 0.95, 0.90, 0.00, 0.10, 0.55, 0.45),
    ("bal", 25, 25, 0.10, 0.12, 0.10, 0.95, 0.90, 0.05, 0.05, 0.50, 0.50),
    ("bal", 50, 0, 0.10, 0.14, 0.10, 0.95, 0.90, 0.10, 0.00, 0.45, 0.55),
    ("bal", 0, 250, 0.50, 0.50, 0.50, 0.80, 0.58, 0.00, 0.50, 0.75, 0.25),
    ("bal", 125, 125, 0.50, 0.60, 0.50, 0.75, 0.50, 0.25, 0.25, 0.50, 0.50),
    ("bal", 250, 0, 0.50, 0.71, 0.50, 0.67, 0.58, 0.50, 0.00, 0.25, 0.75),
    ("bal", 0, 450, 0.90, 0.90, 0.90, 0.69, 0.23, 0.00, 0.90, 0.95, 0.05),
    ("bal", 225, 225, 0.90, 1.09, 0.90, 0.55, 0.10, 0.45, 0.45, 0.50, 0.50),
    ("bal", 450, 0, 0.90, 1.27, 0.90, 0.18, 0.23, 0.90, 0.00, 0.05, 0.95),
    ("imb", 0, 90, 0.90, 0.64, 0.10, 0.69, 0.69, 0.00, 0.10, 0.19, 0.81),
    ("imb", 5, 45, 0.50, 0.37, 0.10, 0.79, 0.78, 0.05, 0.05, 0.14, 0.86),
    ("imb", 10, 0, 0.10, 0.10, 0.10, 0.95, 0.94, 0.10, 0.00, 0.09, 0.91),
    ("imb", 0, 450, 4.50, 3.18, 0.50, 0.31, 0.30, 0.00, 0.50, 0.55, 0.45),
    ("imb", 30, 180, 2.10, 1.57, 0.50, 0.40, 0.35, 0.30, 0.20, 0.25, 0.75),
    ("imb", 50, 0, 0.50, 0.50, 0.50, 0.67, 0.69, 0.50, 0.00, 0.05, 0.95),
    ("imb", 0, 810, 8.10, 5.73, 0.90, 0.20, 0.10, 0.00, 0.90, 0.91, 0.09),
    ("imb", 40, 450, 4.90, 3.58, 0.90, 0.20, 0.06, 0.40, 0.50, 0.51, 0.49),
    ("imb", 90, 0, 0.90, 0.90, 0.90, 0.18, 0.30, 0.90, 0.00, 0.01, 0.99),
    ("imb", 0, 90, 0.90, 0.64, 0.10, 0.69, 0.69, 0.00, 0.10, 0.19, 0.81),
    ("imb", 45, 45, 0.90, 0.77, 0.50, 0.55, 0.50, 0.45, 0.05, 0.10, 0.90),
    ("imb", 90, 0, 0.90, 0.90, 0.90, 0.18, 0.30, 0.90, 0.00, 0.01, 0.99),
]


def _matrix(data, k21, k12):
    first, second = {"bal": (500, 500), "imb": (900, 100)}[data]
    return ConfusionMatrix([[first - k12, k12], [k21, second - k21]])


def _nec(matrix, cost_21):
    app = Application(CostMatrix([[0, 1], [cost_21, 0]]))
    return normalized_expected_cost(matrix, application=app)


def _printed(value, digits):
    """Equal at two decimals, whichever way a half was rounded."""
    return abs(value - digits) <= 0.005 + 1e-9


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: f"{row[0]}-{row[1]}-{row[2]}")
class TestTable1:
    def test_costs(self, row):
        data, k21, k12, ec_1, ec_root_2, ec_nb = row[:6]
        matrix = _matrix(data, k21, k12)
        assert _printed(_nec(matrix, 1.0), ec_1)
        assert _printed(_nec(matrix, math.sqrt(2)), ec_root_2)
        assert _printed(2 * balanced_error_rate(matrix), ec_nb)
        assert _printed(alpha_cost(matrix, 1.0), ec_nb)

    def test_classical_metrics(self, row):
        data, k21, k12 = row[:3]
        matrix = _matrix(data, k21, k12)
        assert _printed(f1(matrix), row[6])
        assert _printed(mcc(matrix), row[7])

    def test_rates(self, row):
        matrix = _matrix(*row[:3])
        rates, shares = matrix.rates, matrix.decision_totals / matrix.total
        for value, digits in zip(
            (rates[1, 0], rates[0, 1], shares[1], shares[0]), row[8:], strict=True
        ):
            assert _printed(value, digits)


def test_the_printed_column_is_not_for_a_cost_of_one_and_a_half():
    off = [row for row in TABLE_1 if not _printed(_nec(_matrix(*row[:3]), 1.5), row[4])]
    assert len(off) >= 8
