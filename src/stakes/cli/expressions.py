"""Costs written as arithmetic over columns, such as ``0.75*amount``: read, never executed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import CostError

__all__ = ["columns_in", "value_of"]

LONGEST = 200
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
Value = float | NDArray[np.float64]


def columns_in(text: str) -> list[str]:
    """The columns that an expression speaks of, each once."""
    names = [node.id for node in ast.walk(_tree(text)) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(names))


def value_of(text: str, column: Callable[[str], NDArray[np.float64]]) -> Value:
    """What an expression of numbers, columns, + - * / and parentheses comes to."""
    with np.errstate(divide="ignore", invalid="ignore"):
        try:
            return _value(_tree(text), text, column)
        except ZeroDivisionError:
            raise CostError(f"'{text}' divides by 0.") from None


def _tree(text: str) -> ast.expr:
    """The parsed expression."""
    try:
        if len(text) > LONGEST:
            raise SyntaxError
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refused(text) from None


def _value(node: ast.expr, text: str, column: Callable[[str], NDArray[np.float64]]) -> Value:
    """The value of one part of the expression."""
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
    if isinstance(node, ast.Name):
        return column(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _value(node.operand, text, column)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left, text, column), _value(node.right, text, column)
        result: Value = _OPERATIONS[type(node.op)](left, right)
        return result
    raise _refused(text)


def _refused(text: str) -> CostError:
    """What to say about an expression outside the grammar."""
    return CostError(
        f"I cannot read the cost '{text}'.",
        hint="a cost is a number, or arithmetic (+ - * / and parentheses) over numbers and "
        "column names:  fn='0.75*amount + 20'",
    )
