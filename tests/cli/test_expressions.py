from __future__ import annotations

import numpy as np
import pytest

from stakes.cli.expressions import columns_in, value_of
from stakes.exceptions import CostError

AMOUNT = np.array([100.0, 200.0])


def column(name):
    assert name == "amount"
    return AMOUNT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.75*amount", 0.75 * AMOUNT),
        ("0.75 * amount + 20", 0.75 * AMOUNT + 20),
        ("-(amount - 50) / 2", -(AMOUNT - 50) / 2),
        ("1e3", 1000.0),
        ("2 + 3*4", 14.0),
    ],
)
def test_arithmetic(text, expected):
    assert np.array_equal(value_of(text, column), expected)


def test_columns_are_named_once():
    assert columns_in("0.75*amount + fee + amount") == ["amount", "fee"]
    assert columns_in("10") == []


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('id')",
        "amount.__class__",
        "amount[0]",
        "amount ** 99",
        "lambda: 1",
        "(1, 2)",
        "'a'",
        "True",
        "1 if amount else 2",
        "amount := 3",
        "",
        "1 +",
        "(" * 150,
        "1+" * 150 + "1",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(CostError, match="I cannot read the cost"):
        value_of(text, column)


def test_division_by_zero():
    with pytest.raises(CostError, match="divides by 0"):
        value_of("1/0", column)
