"""Costs as small formulas: read by our own grammar, never executed."""

import ast
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.application import CostExpression
from stakes.exceptions import CostError, DataError

COLUMNS = {"amount": np.array([100.0, 2000.0]), "fee": np.array([3.0, 5.0])}


class TestValue:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("0.75*amount", [75, 1500]),
            ("amount - fee - 1", [96, 1994]),  # from the left
            ("amount / fee / 2", [100 / 3 / 2, 2000 / 5 / 2]),
            ("2 + 3 * fee", [11, 17]),  # products before sums
            ("(2 + 3) * fee", [15, 25]),
            ("-fee + 10", [7, 5]),
            ("10 - -fee", [13, 15]),
            ("+fee", [3, 5]),
            ("1e2 * .5 * fee", [150, 250]),
            ("  amount  ", [100, 2000]),
        ],
    )
    def test_arithmetic(self, text, expected):
        assert CostExpression(text).value(COLUMNS).tolist() == expected

    def test_numbers_alone_are_one_number(self):
        value = CostExpression("2 * (3 + 4)").value({})
        assert value.shape == ()
        assert float(value) == 14

    def test_names_with_spaces_stand_between_backquotes(self):
        assert CostExpression("2 * `loan amount`").value({"loan amount": [4.0]}).tolist() == [8]

    def test_columns_are_listed_once_in_order(self):
        assert CostExpression("fee*amount + fee").columns == ("fee", "amount")

    def test_a_function_may_bring_the_columns(self):
        assert CostExpression("x + 1").value(lambda name: [len(name)]).tolist() == [2]

    @given(st.recursive(
        st.one_of(st.integers(0, 9).map(str), st.sampled_from(["a", "b"])),
        lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"),
        max_leaves=12,
    ))  # fmt: skip
    def test_against_python_arithmetic(self, text):
        values = {"a": 3.0, "b": -2.0}
        assert float(CostExpression(text).value(values)) == reference(text, values)

    def test_the_caller_keeps_its_columns(self):
        amount = np.array([1.0, 2.0])
        CostExpression("-amount + 0").value({"amount": amount})
        assert amount.tolist() == [1.0, 2.0]


def reference(text, values):
    """The same by Python's own parser, operation by operation."""
    signs = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}

    def walk(node):
        if isinstance(node, ast.BinOp):
            return signs[type(node.op)](walk(node.left), walk(node.right))
        return values[node.id] if isinstance(node, ast.Name) else float(node.value)

    return walk(ast.parse(text, mode="eval").body)


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "expected a number, a column or (; the text ends at character 1"),
            ("0.75 ** amount", "expected a number, a column or (; got '*' at character 7"),
            ("amount +", "expected a number, a column or (; the text ends at character 9"),
            ("(amount", "expected ); the text ends at character 8"),
            ("amount)", "expected + - * / or the end; got ')' at character 7"),
            ("2 amount", "expected + - * / or the end; got 'amount' at character 3"),
            ("amount > 3", "'>' has no meaning here at character 8"),
            ("1e999", "a number must be finite; got '1e999' at character 1"),
            ("exp(amount)", "expected + - * / or the end; got '(' at character 4"),
            ("__import__('os')", "\"'\" has no meaning here at character 12"),
            ("a[0]", "'[' has no meaning here at character 2"),
            ("`amount", "'`' has no meaning here at character 1"),
            ("2 % 3", "'%' has no meaning here at character 3"),
        ],
    )  # fmt: skip
    def test_says_where(self, text, message):
        with pytest.raises(CostError) as caught:
            CostExpression(text)
        assert caught.value.message == f"`{text}` cannot be read: {message}."

    @given(st.text(max_size=30))
    def test_any_text_is_read_or_refused(self, text):
        try:
            expression = CostExpression(text)
        except CostError:
            return
        assert all(isinstance(name, str) for name in expression.columns)

    def test_deep_and_long_texts(self):
        with pytest.raises(CostError, match="more than 50 parentheses"):
            CostExpression("(" * 51 + "1" + ")" * 51)
        assert CostExpression("(" * 50 + "x" + ")" * 50).value({"x": [3.0]}).tolist() == [3]
        beside = " + ".join(["(x)"] * 51)  # not inside each other
        assert CostExpression(beside).value({"x": [3.0]}).tolist() == [51 * 3]
        with pytest.raises(CostError, match="may have 1000 characters; got 2000"):
            CostExpression("1" * 2000)

    def test_division_by_zero_names_the_row(self):
        with pytest.raises(
            CostError, match=r"divides by 0, first in row 1 \(1 of 2 rows\)"
        ) as caught:
            CostExpression("1 / x").value({"x": [2.0, 0.0]})
        assert caught.value.rows == (1,)

    @pytest.mark.parametrize("text", ["x * x", "x / 1e-300", "x + x", "-x - x"])
    def test_nothing_becomes_infinite(self, text):
        with pytest.raises(CostError, match=r"too large, first in row 1 \(1 of 2 rows\)") as caught:
            CostExpression(text).value({"x": [1.0, 1.7e308]})
        assert caught.value.rows == (1,)
        with pytest.raises(CostError, match="too large"):
            CostExpression("1e308 * 10").value({})

    def test_unknown_columns_name_the_near_one(self):
        with pytest.raises(CostError, match="not among 'amount', 'fee'") as caught:
            CostExpression("2*amonut").value(COLUMNS)
        assert caught.value.hint == "did you mean 'amount'?"

    def test_unknown_columns_of_frames(self):
        pandas = pytest.importorskip("pandas", reason="a frame of that library")
        polars = pytest.importorskip("polars", reason="a frame of that library")
        for frame in (pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS)):
            assert CostExpression("fee").value(frame).tolist() == [3, 5]
            with pytest.raises(CostError, match="did you mean 'amount'"):
                CostExpression("2*amonut").value(frame)

    def test_missing_and_infinite_entries(self):
        with pytest.raises(DataError, match="missing values"):
            CostExpression("x").value({"x": [1.0, np.nan]})
        with pytest.raises(CostError, match="must be finite; row 0 is inf"):
            CostExpression("x").value({"x": [np.inf]})

    def test_columns_of_different_lengths(self):
        with pytest.raises(CostError, match="equal lengths; got 2 and 3"):
            CostExpression("x + y").value({"x": [1.0, 2.0], "y": [1.0, 2.0, 3.0]})
