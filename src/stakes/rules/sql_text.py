"""SQL expressions as text, built with Python operators, in the syntax of an engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


def _joined(sign: str) -> Any:
    """The method of `Sql` that puts an operator between two pieces."""
    return lambda one, other: Sql(f"({one.text} {sign} {other.text})")


@dataclass(frozen=True, slots=True, eq=False)
class Sql:
    """A piece of SQL that supports operators; always safe to combine with others."""

    text: str

    __add__, __sub__, __mul__ = _joined("+"), _joined("-"), _joined("*")
    __truediv__ = _joined("/")
    __le__, __lt__, __ge__, __gt__ = _joined("<="), _joined("<"), _joined(">="), _joined(">")
    __eq__, __and__, __or__ = _joined("="), _joined("AND"), _joined("OR")
    __hash__ = None  # type: ignore[assignment]


class SqlDialect:
    """SQL that most engines write alike; each engine overrides what differs."""

    #: Quotes the name of a column.
    quote = '"'
    #: Suffix that makes a number a double.
    double = "e0"
    #: The type of doubles.
    double_type = "DOUBLE"
    #: Whether nan exists and sorts above all numbers.
    has_nan = True
    #: See `Narwhals.most_terms`.
    most_terms = 1_000

    def column(self, name: str) -> Sql:
        """A column as it is."""
        return Sql(self.quote + name.replace(self.quote, self.quote * 2) + self.quote)

    def number(self, name: str) -> Sql:
        """A column as doubles."""
        return Sql(f"CAST({self.column(name).text} AS {self.double_type})")

    def holds_number(self, name: str) -> Sql | None:
        """Whether a cell holds a number; None if columns have one type for all cells."""
        return None

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
            return self.infinity(negative=value < 0)
        if isinstance(value, float):
            shown = self.digits(value)
            return Sql(shown if value >= 0 else f"({shown})")
        return Sql("'" + self.escaped(str(value)) + "'")

    def digits(self, value: float) -> str:
        """A finite float, to the last digit."""
        found = repr(value)
        return found if "e" in found and self.double == "e0" else found + self.double

    def infinity(self, *, negative: bool) -> Sql:
        """Infinity, or minus infinity."""
        return Sql(f"CAST('{'-' if negative else ''}Infinity' AS {self.double_type})")

    def escaped(self, value: str) -> str:
        """Text escaped for single quotes."""
        return value.replace("'", "''")

    def when(self, condition: Sql, then: Sql, otherwise: Sql) -> Sql:
        """One value or the other; the other if the condition is null."""
        return Sql(f"CASE WHEN {condition.text} THEN {then.text} ELSE {otherwise.text} END")

    def certain(self, condition: Sql) -> Sql:
        """A condition that `when` can use; it may be null."""
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
        return Sql(f"CAST({condition.text} AS {self.double_type})")

    def ratio(self, top: Sql, bottom: Sql) -> Sql:
        """A quotient; null if the divisor is zero."""
        return Sql(f"({top.text} / nullif({bottom.text}, {self.literal(0.0).text}))")

    def root(self, value: Sql) -> Sql:
        """The square root."""
        return Sql(f"sqrt({value.text})")

    def log(self, value: Sql) -> Sql:
        """The natural logarithm."""
        return Sql(f"ln({value.text})")

    def exp(self, value: Sql) -> Sql:
        """The exponential."""
        return Sql(f"exp({value.text})")

    def power(self, value: Sql, exponent: Sql) -> Sql:
        """A non-negative number to a power."""
        return Sql(f"power({value.text}, {exponent.text})")

    def size(self, value: Sql) -> Sql:
        """The absolute value."""
        return Sql(f"abs({value.text})")

    def smallest(self, values: list[Sql]) -> Sql:
        """The least of several."""
        return Sql(f"least({', '.join(value.text for value in values)})")

    def greatest(self, values: list[Sql]) -> Sql:
        """The greatest of several."""
        return Sql(f"greatest({', '.join(value.text for value in values)})")

    def integer(self, value: Sql, most: int) -> Sql:
        """An integer from 0 to `most`."""
        return Sql(f"CAST({value.text} AS INTEGER)")

    def known(self, value: Sql) -> Sql:
        """Whether a value is not null."""
        return Sql(f"({value.text} IS NOT NULL)")


class DuckDBDialect(SqlDialect):
    """The SQL of DuckDB."""

    def integer(self, value: Sql, most: int) -> Sql:
        """The smallest type that holds it, since DuckDB counts small keys in a plain array."""
        widths = (("UTINYINT", 8), ("USMALLINT", 16), ("INTEGER", 31))
        kind = next((name for name, bits in widths if most < 2**bits), "BIGINT")
        return Sql(f"CAST({value.text} AS {kind})")


class SparkDialect(SqlDialect):
    """The SQL of Spark."""

    quote = "`"
    double = "D"
    text_type = "STRING"
    #: Batches need pyarrow and pandas on Spark's machines, so longer sums stay in SQL.
    most_terms = 5_000

    def escaped(self, value: str) -> str:
        """Text escaped for single quotes."""
        return value.replace("\\", "\\\\").replace("'", "\\'")

    def integer(self, value: Sql, most: int) -> Sql:
        """An integer from 0 to `most`."""
        return Sql(f"CAST({value.text} AS {'INT' if most < 2**31 else 'BIGINT'})")


class PostgresDialect(SqlDialect):
    """The SQL of PostgreSQL."""

    double_type = "DOUBLE PRECISION"


class SqliteDialect(SqlDialect):
    """The SQL of SQLite, which stores nan as null.

    It takes an unknown name in double quotes for text, and text is above all numbers. A column can
    hold text among numbers, and one of text compares all of it by its letters.
    """

    quote = "`"
    double_type = "REAL"
    has_nan = False

    def holds_number(self, name: str) -> Sql | None:
        """Whether a cell holds a number."""
        return Sql(f"(typeof({self.column(name).text}) IN ('integer', 'real'))")

    def digits(self, value: float) -> str:
        """A float that reads back exactly: before 3.43, SQLite misreads some with 16 digits."""
        found = super().digits(value)
        mantissa = found.partition("e")[0].replace("-", "").replace(".", "").strip("0")
        if len(mantissa) <= _SURE_DIGITS:
            return found
        exact = Fraction(value)
        places = exact.denominator.bit_length() - 1
        if places > _MOST_PLACES:
            return found
        sign = "-" if value < 0 else ""
        return f"({sign}{abs(exact.numerator)} / {exact.denominator}.0)"

    def infinity(self, *, negative: bool) -> Sql:
        """Infinity, or minus infinity."""
        return Sql("(-9e999)" if negative else "9e999")

    def smallest(self, values: list[Sql]) -> Sql:
        """The least of several."""
        return Sql(f"min({', '.join(value.text for value in values)})")

    def greatest(self, values: list[Sql]) -> Sql:
        """The greatest of several."""
        return Sql(f"max({', '.join(value.text for value in values)})")


#: Decimal digits that every version of SQLite reads exactly; and by how many powers of two a
#: whole number may be divided, since whole numbers below 2**63 are read exactly too.
_SURE_DIGITS, _MOST_PLACES = 15, 62

DUCKDB, SPARK = DuckDBDialect(), SparkDialect()
#: The dialects defined here, by the name of their engine.
DIALECTS: dict[str, SqlDialect] = {
    "duckdb": DUCKDB,
    "spark": SPARK,
    "postgres": PostgresDialect(),
    "sqlite": SqliteDialect(),
}
