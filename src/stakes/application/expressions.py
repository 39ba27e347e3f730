"""Costs written as arithmetic over columns, such as ``0.75*amount``: parsed, never executed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from stakes._columns import as_floats, in_brief
from stakes._names import listed
from stakes.exceptions import CostError
from stakes.messages.audience import either, row
from stakes.typing import FloatArray

_LONGEST = 1000
_DEEPEST = 50
_OPERATIONS: dict[str, Any] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<column>[^\W\d][\w.]*|`[^`]+`)
    | (?P<sign>[-+*/()])
    | (?P<strange>\S)
    )""",
    re.VERBOSE,
)


class _Token(NamedTuple):
    """A piece of the text: its kind, what it says, and where it begins."""

    kind: str
    text: str
    at: int


class Step(NamedTuple):
    """One step of the evaluation in postfix order: push, or combine."""

    kind: str
    value: Any


class _Parser:
    """Recursive descent over the tokens; every refusal says where."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise CostError(f"an expression may have {_LONGEST} characters; got {len(text)}.")
        refuse_range(text)
        self.text = text
        self.tokens = self._tokens()
        self.position = 0
        self.depth = 0

    def parsed(self) -> tuple[Step, ...]:
        """The steps of the whole text."""
        steps = tuple(self._joined("+-", "*/"))
        if self._next().kind != "end":
            raise self._refused("expected + - * / or the end")
        return steps

    def _tokens(self) -> list[_Token]:
        """The text in pieces, with a last one that marks the end."""
        kinds = [(str(match.lastgroup), match) for match in _TOKEN.finditer(self.text)]
        found = [_Token(kind, match[kind], match.start(kind)) for kind, match in kinds]
        for token in found:
            if token.kind == "strange":
                raise _problem(self.text, f"{token.text!r} has no meaning here", token.at)
        return [*found, _Token("end", "", len(self.text.rstrip()))]

    def _next(self) -> _Token:
        """The token that comes next."""
        return self.tokens[self.position]

    def _taken(self, *signs: str) -> str | None:
        """The next token if it is one of these signs; it is then used up."""
        token = self._next()
        if token.kind == "sign" and token.text in signs:
            self.position += 1
            return token.text
        return None

    def _joined(self, signs: str, *tighter: str) -> Iterator[Step]:
        """Parts with these signs between them, each joined by tighter signs, if any are left."""
        yield from self._joined(*tighter) if tighter else self._signed()
        while sign := self._taken(*signs):
            yield from self._joined(*tighter) if tighter else self._signed()
            yield Step(sign, None)

    def _signed(self) -> Iterator[Step]:
        sign = self._taken("+", "-")
        yield from self._atom()
        if sign == "-":
            yield Step("negate", None)

    def _atom(self) -> Iterator[Step]:
        if self._taken("("):
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self._refused(f"more than {_DEEPEST} parentheses inside each other")
            yield from self._joined("+-", "*/")
            if not self._taken(")"):
                raise self._refused("expected )")
            self.depth -= 1
            return
        token = self._next()
        if token.kind == "number":
            value = float(token.text)
            if not np.isfinite(value):
                raise self._refused("a number must be finite")
            yield Step("number", value)
        elif token.kind == "column":
            yield Step("column", token.text.strip("`"))
        else:
            raise self._refused("expected a number, a column or (")
        self.position += 1

    def _refused(self, expected: str) -> CostError:
        """An error that points at the next token."""
        token = self._next()
        got = "the text ends" if token.kind == "end" else f"got {token.text!r}"
        return _problem(self.text, f"{expected}; {got}", token.at)


def _problem(text: str, what: str, at: int) -> CostError:
    """An error that says what cannot be read, and at which character, counted from 1."""
    return CostError(
        f"`{text}` cannot be read: {what} at character {at + 1}.",
        hint="a cost is a number, or + - * / and parentheses over numbers and column names, "
        "e.g. 0.75*amount + 20; a name with spaces stands between backquotes",
    )


def refuse_range(text: str) -> None:
    """Raise where a cost is a range, such as ``5..20``, and only single costs can be used."""
    if ".." in text:
        raise CostError(
            f"'{text}' is a range; here a cost must be known.",
            hint=either(
                'Between(5, 20) in place of a number is a range:  {"fn": Between(5, 20), "fp": 1}',
                "say one number; ranges are for stakes eval",
            ),
        )


@lru_cache(maxsize=256)
def _steps_of(text: str) -> tuple[Step, ...]:
    """The steps of a formula; cached, since services decide one case at a time."""
    return _Parser(text).parsed()


# Formulas are parsed, never executed: docs/design/case-costs.md.
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
        if not isinstance(self.text, str):
            raise CostError(f"an expression must be text; got {type(self.text).__name__}.")
        object.__setattr__(self, "steps", _steps_of(self.text))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the expression uses, each once, in order of appearance."""
        names = (step.value for step in self.steps if step.kind == "column")
        return tuple(dict.fromkeys(names))

    def value(self, columns: Mapping[str, Any] | Callable[[str], Any]) -> FloatArray:
        """What the expression comes to, case by case; one number if it names no column.

        `columns` is a mapping (also a data frame) or a function from a name to its column.
        """
        return self._value(columns)

    def _value(self, columns: Any, *, gaps: bool = False) -> FloatArray:
        """See `value`; with `gaps`, columns are finite floats, which need no checks.

        Rows that divide by 0, or come to too large a number, are then nan.
        """
        stack: list[FloatArray] = []
        for kind, value in self.steps:
            if kind == "number":
                stack.append(np.asarray(value))
            elif kind == "column" and gaps:
                stack.append(columns[value])
            elif kind == "column":
                found = columns(value) if callable(columns) else self._column(columns, value)
                stack.append(_numbers(found, value))
            elif kind == "negate":
                stack.append(-stack.pop())
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(self._combined(kind, left, right, gaps=gaps))
        return np.asarray(stack.pop() + 0.0)

    def _column(self, columns: Mapping[str, Any], name: str) -> Any:
        """A column by its name; an error lists those that exist if there is none of that name."""
        if not (hasattr(columns, "columns") or isinstance(columns, Mapping)):
            raise CostError(
                f"`columns` must be a data frame or a dictionary; got {in_brief(columns)}."
            )
        try:
            return columns[name]
        except Exception as error:  # every frame library has its own
            absent = isinstance(error, (KeyError, IndexError, ValueError))
            if not absent and "olumn" not in type(error).__name__:
                raise
        known = [str(each) for each in getattr(columns, "columns", columns)]
        near = difflib.get_close_matches(name, known, n=1)
        raise CostError(
            f"`{self.text}` uses the column {name!r}, which is not among {listed(known)}.",
            hint=f"did you mean {near[0]!r}?" if near else None,
        )

    def _combined(
        self, sign: str, left: FloatArray, right: FloatArray, *, gaps: bool
    ) -> FloatArray:
        """Two values by one of the four operations."""
        try:
            if not gaps:  # rows are named; otherwise NumPy does it faster
                left, right = np.broadcast_arrays(left, right)
        except ValueError:
            raise CostError(
                f"the columns of `{self.text}` must have equal lengths; got {left.shape[0]} and "
                f"{right.shape[0]}."
            ) from None
        if sign == "/" and not gaps:
            way = "leave those rows out, or give the amount as a column of its own"
            self._refuse_rows(right == 0, "divides by 0", way)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            found = np.asarray(_OPERATIONS[sign](left, right))
        if gaps:
            finite = np.isfinite(found)
            return found if finite.all() else np.where(finite, found, np.nan)
        way = "use a larger unit, e.g. thousands"
        self._refuse_rows(~np.isfinite(found), "comes to a number that is too large", way)
        return found

    def _refuse_rows(self, bad: Any, what: str, hint: str) -> None:
        """An error that names the rows in which something is wrong."""
        rows = np.flatnonzero(bad)
        if rows.size and bad.ndim:
            where = f"first in {row(rows[0])} ({rows.size} of {bad.size} rows)"
            raise CostError(f"`{self.text}` {what}, {where}.", hint=hint, rows=rows[:10].tolist())
        if rows.size:
            raise CostError(f"`{self.text}` {what}.", hint="write another number")

    def __repr__(self) -> str:
        return f"CostExpression({self.text!r})"


def _numbers(values: Any, name: str) -> FloatArray:
    """A column, or one number that stands for all cases, as finite floats."""
    scalar = not isinstance(values, (list, tuple)) and np.ndim(values) == 0
    array = as_floats([values] if scalar else values, name).astype(np.float64, copy=False)
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise CostError(
            f"column {name!r}, used in a cost, must be finite; {row(bad[0])} is {array[bad[0]]} "
            f"({bad.size} of {array.size} rows fail).",
            rows=bad[:10].tolist(),
        )
    return array[0] if scalar else array
