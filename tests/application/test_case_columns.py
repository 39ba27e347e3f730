"""Costs per case from columns."""

import numpy as np
import pytest

from stakes.application import CaseCosts, CostExpression, case_costs
from stakes.exceptions import CostError

LOANS = {"amount": [1000.0, 200.0], "fee": [5, 7]}


def test_short_form_by_hand():
    costs = case_costs(LOANS, {"fn": "0.75*amount", "fp": "0.05*amount + fee", "tp": 2, "tn": -1})
    expected = [[[-1, 0.05 * 1000 + 5], [750, 2]], [[-1, 0.05 * 200 + 7], [150, 2]]]
    assert costs.values.tolist() == expected


def test_full_form_with_more_decisions_than_classes():
    costs = case_costs(
        LOANS,
        {"good": {"lend": 0, "refuse": "0.1*amount", "ask": 20},
         "bad": {"lend": "amount", "refuse": 0, "ask": 20}},
        decisions=["lend", "refuse", "ask"],
    )  # fmt: skip
    assert costs.classes == ("good", "bad")
    assert costs.values[1].tolist() == [[0, 20, 20], [200, 0, 20]]


def test_the_matching_decision_may_be_left_out():
    costs = case_costs(LOANS, {"a": {"b": "amount"}, "b": {"a": 1}})
    assert costs.values[0].tolist() == [[0, 1000], [1, 0]]


def test_amounts_may_be_columns_or_expressions():
    by_column = case_costs(LOANS, {"fn": np.array([750.0, 150.0]), "fp": 1})
    by_object = case_costs(LOANS, {"fn": CostExpression("0.75*amount"), "fp": 1})
    assert isinstance(by_column, CaseCosts)
    assert np.array_equal(by_column.values, by_object.values)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"fn": "amount"}, "lacks 'fp', the cost of a false alarm"),
        ({"fn": 1, "fp": 2}, "none of the costs depends on the case"),
        ({"a": {"b": "amount"}, "b": {}}, "deciding 'a' when the truth is 'b'"),
        ({"a": {"c": "amount"}, "b": {"a": 1}}, "no decision 'c'"),
        ({"a": {"b": "amount"}, "b": 3}, "a mapping of decisions"),
        ({"fn": "amount", "fp": [1.0]}, r"equal lengths; got \[1, 2\]"),
    ],
)
def test_refusals(costs, message):
    with pytest.raises(CostError, match=message):
        case_costs(LOANS, costs)
