"""Expressions of SQL as text, built with the operators of Python; what SQL engines share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from stakes.engines.row_values import PREFIX, Grouping


def _joined(sign: str) -> Any:
    """The method of `Sql` that puts a sign between two pieces."""
    return lambda one, other: Sql(f"({one.text} {sign} {other.text})")


@dataclass(frozen=True, slots=True, eq=False)
class Sql:
    """A piece of SQL that can be added, compared and so on; always safe to put beside others."""

    text: str

    __add__, __sub__, __mul__ = _joined("+"), _joined("-"), _joined("*")
    __le__, __lt__, __ge__, __gt__ = _joined("<="), _joined("<"), _joined(">="), _joined(">")
    __eq__, __and__ = _joined("="), _joined("AND")
    __hash__ = None  # type: ignore[assignment]


class SqlDialect:
    """The words that engines of SQL spell alike; each engine adds its own."""

    #: Around the name of a column.
    quote = '"'
    #: What makes a number a double.
    double = "e0"
    #: See `Narwhals.most_terms`.
    most_terms = 1_000

    def column(self, name: str) -> Sql:
        """A column as it is."""
        return Sql(self.quote + name.replace(self.quote, self.quote * 2) + self.quote)

    def number(self, name: str) -> Sql:
        """A column as doubles."""
        return Sql(f"CAST({self.column(name).text} AS DOUBLE)")

    def text(self, name: str) -> Sql:
        """A column as text."""
        return Sql(f"CAST({self.column(name).text} AS {self.text_type})")

    #: The type of text.
    text_type = "VARCHAR"

    def literal(self, value: Any) -> Sql:
        """A float, an integer, text or a truth value."""
        if isinstance(value, bool):
            return Sql("TRUE" if value else "FALSE")
        if isinstance(value, int):
            return Sql(str(value) if value >= 0 else f"({value})")
        if value in (math.inf, -math.inf):
            return Sql(f"CAST('{'-' if value < 0 else ''}Infinity' AS DOUBLE)")
        if isinstance(value, float):
            digits = repr(value)
            shown = digits if "e" in digits and self.double == "e0" else digits + self.double
            return Sql(shown if value >= 0 else f"({shown})")
        return Sql("'" + self.escaped(str(value)) + "'")

    def escaped(self, value: str) -> str:
        """Text as it stands between quotes."""
        return value.replace("'", "''")

    def when(self, condition: Sql, then: Sql, otherwise: Sql) -> Sql:
        """One value or the other; the other where the condition is unknown."""
        return Sql(f"CASE WHEN {condition.text} THEN {then.text} ELSE {otherwise.text} END")

    def certain(self, condition: Sql) -> Sql:
        """A condition that `when` can use, perhaps unknown."""
        return condition

    def first_of(self, branches: list[tuple[Sql, Sql]], otherwise: Sql) -> Sql:
        """The value of the first condition that holds."""
        if not branches:
            return otherwise
        parts = " ".join(f"WHEN {c.text} THEN {v.text}" for c, v in branches)
        return Sql(f"CASE {parts} ELSE {otherwise.text} END")

    def between(self, value: Sql, low: Sql, high: Sql) -> Sql:
        """Whether a value lies in a range, ends included."""
        return Sql(f"({value.text} BETWEEN {low.text} AND {high.text})")

    def floor(self, value: Sql) -> Sql:
        """The next whole number below, as a double."""
        return Sql(f"floor({value.text})")

    def indicator(self, condition: Sql) -> Sql:
        """1 where a condition holds and 0 where not, as doubles."""
        return Sql(f"CAST({condition.text} AS DOUBLE)")

    def ratio(self, top: Sql, bottom: Sql) -> Sql:
        """A quotient; nothing where the divisor is zero."""
        return Sql(f"({top.text} / nullif({bottom.text}, {self.literal(0.0).text}))")

    def root(self, value: Sql) -> Sql:
        """The square root."""
        return Sql(f"sqrt({value.text})")

    def log(self, value: Sql) -> Sql:
        """The natural logarithm."""
        return Sql(f"ln({value.text})")

    def size(self, value: Sql) -> Sql:
        """The absolute value."""
        return Sql(f"abs({value.text})")

    def smallest(self, values: list[Sql]) -> Sql:
        """The least of several."""
        return Sql(f"least({', '.join(value.text for value in values)})")

    def integer(self, value: Sql, most: int) -> Sql:
        """An integer from 0 to `most`."""
        return Sql(f"CAST({value.text} AS INTEGER)")

    def known(self, value: Sql) -> Sql:
        """That a value is there."""
        return Sql(f"({value.text} IS NOT NULL)")


def aggregates(grouping: Grouping) -> list[str]:
    """What is added up in a grouping, as SQL."""
    made = [f"count(*) AS {PREFIX}rows"]
    made += [f"sum({name}) AS {name}" for name in grouping.sums]
    if grouping.range_of is not None:
        made += [f"min({grouping.range_of}) AS {PREFIX}low"]
        made += [f"max({grouping.range_of}) AS {PREFIX}high"]
    return made
