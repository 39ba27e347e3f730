"""Arithmetic over columns, parsed into the steps of a pocket calculator.

The grammar is five lines long, and nothing outside it is read::

    sum     = product { ("+" | "-") product }
    product = signed { ("*" | "/") signed }
    signed  = [ "+" | "-" ] atom
    atom    = number | column | "(" sum ")"
    column  = a name such as amount or loan.amount, or any text between ` and `
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from stakes.exceptions import CostError

__all__ = ["Step", "parsed"]

LONGEST = 1000
DEEPEST = 50
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<column>[^\W\d][\w.]*|`[^`]+`)
    | (?P<sign>[-+*/()])
    )""",
    re.VERBOSE,
)


class _Token(NamedTuple):
    """A piece of the text: its kind, what it says, and where it begins."""

    kind: str
    text: str
    at: int


class Step(NamedTuple):
    """One step of the value, in the order of a pocket calculator: push, or combine."""

    kind: str
    value: Any


def parsed(text: str) -> tuple[Step, ...]:
    """The steps of a text, or an error that says where it cannot be read."""
    return tuple(_Parser(text).parsed())


class _Parser:
    """Recursive descent over the tokens; every refusal says where."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise CostError(f"an expression must be text; got {type(text).__name__}.")
        if len(text) > LONGEST:
            raise CostError(f"an expression may have {LONGEST} characters; got {len(text)}.")
        self.text = text
        self.tokens = self._tokens()
        self.position = 0
        self.depth = 0

    def parsed(self) -> Iterator[Step]:
        """The steps of the whole text."""
        steps = list(self._sum())
        if self._next().kind != "end":
            raise self._refused("expected + - * / or the end")
        yield from steps

    def _tokens(self) -> list[_Token]:
        """The text in pieces, with a last one that marks the end."""
        found, at = [], 0
        body = self.text.rstrip()
        while at < len(body):
            match = _TOKEN.match(body, at)
            if match is None or match.lastgroup is None:
                start = at + len(body[at:]) - len(body[at:].lstrip())
                raise _problem(self.text, f"{body[start]!r} has no meaning here", start)
            kind = match.lastgroup
            found.append(_Token(kind, match[kind], match.start(kind)))
            at = match.end()
        return [*found, _Token("end", "", len(body))]

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

    def _sum(self) -> Iterator[Step]:
        yield from self._product()
        while sign := self._taken("+", "-"):
            yield from self._product()
            yield Step(sign, None)

    def _product(self) -> Iterator[Step]:
        yield from self._signed()
        while sign := self._taken("*", "/"):
            yield from self._signed()
            yield Step(sign, None)

    def _signed(self) -> Iterator[Step]:
        sign = self._taken("+", "-")
        yield from self._atom()
        if sign == "-":
            yield Step("negate", None)

    def _atom(self) -> Iterator[Step]:
        if self._taken("("):
            self.depth += 1
            if self.depth > DEEPEST:
                raise self._refused(f"more than {DEEPEST} parentheses inside each other")
            yield from self._sum()
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
    """What cannot be read, and at which character, counted from 1."""
    return CostError(
        f"`{text}` cannot be read: {what} at character {at + 1}.",
        hint="a cost is a number, or + - * / and parentheses over numbers and column names, "
        "e.g. 0.75*amount + 20; a name with spaces stands between backquotes",
    )
