"""Costs written as arithmetic over columns, such as ``0.75*amount``: parsed, never executed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stakes._columns import as_floats
from stakes._names import listed
from stakes.application.expression_parser import Step, parsed
from stakes.exceptions import CostError
from stakes.typing import FloatArray

__all__ = ["CostExpression"]


@dataclass(frozen=True, slots=True, repr=False)
class CostExpression:
    """Arithmetic over columns: numbers, columns, + - * / and parentheses.

    It is read by a small parser of our own and never executed as code, so an expression may
    come from a file or a command line.

    Parameters
    ----------
    text : str
        e.g. ``"0.75*amount + 20"``. A column whose name is not a plain word stands between
        backquotes: ``"2 * `loan amount`"``. There are no functions and no powers.

    Notes
    -----
    A division by zero, or a result too large for a float, is an error that names the row; nothing
    becomes infinite silently.

    Examples
    --------
    >>> cost = CostExpression("0.75*amount + 20")
    >>> cost.columns
    ('amount',)
    >>> cost.value({"amount": [100.0, 1000.0]})
    array([ 95., 770.])
    >>> CostExpression("0.75 ** amount")
    Traceback (most recent call last):
    stakes.exceptions.CostError: `0.75 ** amount` cannot be read: expected a number, ...
    """

    text: str
    steps: tuple[Step, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", parsed(self.text))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the expression speaks of, each once, in order of appearance."""
        names = (step.value for step in self.steps if step.kind == "column")
        return tuple(dict.fromkeys(names))

    def value(self, columns: Mapping[str, Any] | Callable[[str], Any]) -> FloatArray:
        """What the expression comes to, case by case; one number if it names no column.

        `columns` is a mapping (also a data frame) or a function from a name to its column.
        """
        fetch = columns if callable(columns) else _from_mapping(columns, self.text)
        stack: list[FloatArray] = []
        for kind, value in self.steps:
            if kind == "number":
                stack.append(np.asarray(value))
            elif kind == "column":
                stack.append(_numbers(fetch(value), value))
            elif kind == "negate":
                stack.append(-stack.pop())
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(self._combined(kind, left, right))
        return np.asarray(stack.pop() + 0.0)

    def _combined(self, sign: str, left: FloatArray, right: FloatArray) -> FloatArray:
        """Two values by one of the four operations."""
        try:
            left, right = np.broadcast_arrays(left, right)
        except ValueError:
            raise CostError(
                f"the columns of `{self.text}` must have equal lengths; got {left.shape[0]} and "
                f"{right.shape[0]}."
            ) from None
        if sign == "/":
            self._refuse_rows(
                right == 0,
                "divides by 0",
                "leave those rows out, or give the amount as a column of its own",
            )
        operations = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
        with np.errstate(over="ignore"):
            found = np.asarray(operations[sign](left, right))
        self._refuse_rows(
            ~np.isfinite(found),
            "comes to a number that is too large",
            "reckon in a larger unit, e.g. thousands",
        )
        return found

    def _refuse_rows(self, bad: Any, what: str, hint: str) -> None:
        """An error that names the rows in which something is wrong."""
        rows = np.flatnonzero(bad)
        if rows.size and bad.ndim:
            where = f"first in row {rows[0]} ({rows.size} of {bad.size} rows)"
            raise CostError(f"`{self.text}` {what}, {where}.", hint=hint, rows=rows[:10].tolist())
        if rows.size:
            raise CostError(f"`{self.text}` {what}.", hint="write another number")

    def __repr__(self) -> str:
        return f"CostExpression({self.text!r})"


def _from_mapping(columns: Mapping[str, Any], text: str) -> Callable[[str], Any]:
    """A function that finds a column, or says which ones there are."""

    def fetch(name: str) -> Any:
        try:
            return columns[name]
        except (KeyError, IndexError, ValueError):
            known = [str(each) for each in getattr(columns, "columns", columns)]
        except Exception as error:  # every frame library has its own
            if "olumn" not in type(error).__name__:
                raise
            known = [str(each) for each in getattr(columns, "columns", columns)]
        near = difflib.get_close_matches(name, known, n=1)
        raise CostError(
            f"`{text}` speaks of the column {name!r}, which is not among {listed(known)}.",
            hint=f"did you mean {near[0]!r}?" if near else None,
        ) from None

    return fetch


def _numbers(values: Any, name: str) -> FloatArray:
    """A column, or one number that stands for all cases, as finite floats."""
    if np.ndim(values) == 0:
        values = [values]
        scalar = True
    else:
        scalar = False
    array = as_floats(values, name).astype(np.float64, copy=False)
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise CostError(
            f"column {name!r}, used in a cost, must be finite; row {bad[0]} is {array[bad[0]]} "
            f"({bad.size} of {array.size} rows fail).",
            rows=bad[:10].tolist(),
        )
    return array[0] if scalar else array
