"""Frames of any library that narwhals supports: expressions over rows, and groupings."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from stakes._columns import numbers_of_text
from stakes._optional import load
from stakes.engines.row_sample import Chosen
from stakes.engines.row_values import PREFIX, Grouping, Plan, RowFunction, Table
from stakes.exceptions import DataError

#: The narwhals type for each Python type.
_KINDS: dict[type, Any] = {bool: nw.Boolean, int: nw.Int64, float: nw.Float64, str: nw.String}
#: The most nested conditions; Python gives up at a few hundred.
_NESTED = 32


class Narwhals:
    """Expressions as narwhals writes them."""

    #: NumPy takes decisions that need more products per row, batch by batch: it is 14 to 60 times
    #: as fast at 100 classes, and an engine never finishes planning a million products.
    most_terms = 1_000

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = frozenset(texts)  # columns that hold numbers as text

    def column(self, name: str) -> Any:
        """A column as it is."""
        return nw.col(name)

    def number(self, name: str) -> Any:
        """A column as doubles."""
        value = self.column(name)
        return numbers_of_text(value) if name in self.texts else value.cast(nw.Float64)

    def text(self, name: str) -> Any:
        """A column as text."""
        return self.column(name).cast(nw.String)

    def literal(self, value: Any) -> Any:
        """A float, an integer, text or a truth value."""
        return nw.lit(value, dtype=_KINDS[type(value)])

    def when(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """One value or the other; the other where the condition is unknown."""
        return nw.when(condition).then(then).otherwise(otherwise)

    def certain(self, condition: Any) -> Any:
        """A condition that `when` can use, false where it is unknown."""
        return self.when(condition, self.literal(True), self.literal(False))

    def first_of(self, branches: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """The value of the first condition that holds; many conditions are nested in groups."""
        if len(branches) > _NESTED:
            size = -(-len(branches) // _NESTED)
            groups = [branches[k : k + size] for k in range(0, len(branches), size)]
            return self.first_of([self._one_of(group) for group in groups], otherwise)
        for condition, value in reversed(branches):
            otherwise = self.when(condition, value, otherwise)
        return otherwise

    def _one_of(self, branches: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Whether any of the conditions holds, and the value of the first that does."""
        among = nw.any_horizontal(*(condition for condition, _ in branches), ignore_nulls=True)
        return among, self.first_of(branches[:-1], branches[-1][1])

    def between(self, value: Any, low: Any, high: Any) -> Any:
        """Whether a value lies in a range, ends included."""
        return (value >= low) & (value <= high)

    def floor(self, value: Any) -> Any:
        """The next whole number below, as a double."""
        return value - value % 1.0  # exact; narwhals 2.0 has no floor

    def indicator(self, condition: Any) -> Any:
        """1 where a condition holds and 0 where not, as doubles."""
        return condition.cast(nw.Float64)

    def ratio(self, top: Any, bottom: Any) -> Any:
        """A quotient; not finite where the divisor is zero."""
        return top / bottom

    def root(self, value: Any) -> Any:
        """The square root."""
        return value.sqrt()

    def log(self, value: Any) -> Any:
        """The natural logarithm."""
        return value.log()

    def exp(self, value: Any) -> Any:
        """The exponential."""
        return value.exp()

    def power(self, value: Any, exponent: Any) -> Any:
        """A number not below zero to some power."""
        return value**exponent

    def size(self, value: Any) -> Any:
        """The absolute value."""
        return value.abs()

    def smallest(self, values: list[Any]) -> Any:
        """The least of several."""
        return nw.min_horizontal(*values)

    def greatest(self, values: list[Any]) -> Any:
        """The greatest of several."""
        return nw.max_horizontal(*values)

    def integer(self, value: Any, most: int) -> Any:
        """An integer from 0 to `most`."""
        return value.cast(nw.Int32 if most < 2**31 else nw.Int64)

    def known(self, value: Any) -> Any:
        """Whether a value is not null."""
        return ~value.is_null()


DIALECT = Narwhals()


def run(frame: Any, plan: Plan, columns: tuple[str, ...]) -> list[Table]:
    """Every grouping of a frame of any kind; lazy ones are collected as groups only."""
    rows = nw.from_native(frame)
    if isinstance(rows, nw.DataFrame) and not len(rows):  # some narwhals fail without rows
        ends = [PREFIX + name for name in ("rows", "low", "high")]
        return [{name: [] for name in (*g.keys, *g.sums, *ends)} for g in plan.groupings]
    rows = stepped(frame, plan, columns)
    return [as_table(grouped(rows, grouping)) for grouping in plan.groupings]


def sample(
    frame: Any, plan: Plan, columns: tuple[str, ...], flag: str, limit: int
) -> list[dict[str, Any]]:
    """Some rows in which a flag is 1."""
    found = stepped(frame, plan, columns).filter(nw.col(flag) == 1).select(*columns).head(limit)
    table = as_table(found)
    return [dict(zip(columns, row, strict=True)) for row in zip(*table.values(), strict=True)]


def some_rows(frame: Any, columns: tuple[str, ...], chosen: Chosen) -> Table | None:
    """The chosen rows; None for lazy frames, whose rows are not numbered."""
    rows = nw.from_native(frame).select(*columns)
    if isinstance(rows, nw.LazyFrame):
        return None
    kept = np.flatnonzero(chosen.holds(np.arange(1.0, len(rows) + 1)))
    return as_table(rows[kept])


def stepped(frame: Any, plan: Plan, columns: tuple[str, ...]) -> Any:
    """The columns that are needed, and those that are made from them."""
    rows = with_functions(nw.from_native(frame).select(*columns), plan.functions)
    for step in filter(None, plan.steps):
        rows = rows.with_columns(**step)
    return rows


def with_functions(rows: Any, functions: Sequence[RowFunction]) -> Any:
    """Add columns that NumPy computes; raise for lazy frames, which cannot have them."""
    if functions and isinstance(rows, nw.LazyFrame):
        raise DataError(
            f"{len(functions[0].columns):,} classes with such costs cannot be decided in "
            f"{rows.implementation}.",
            hint="use DuckDB, Polars, Spark or a frame in memory",
        )
    for name, columns, values in functions:
        made = values(rows.select(*columns).to_numpy())
        series = nw.new_series(name, made, nw.Int32, backend=rows.implementation)
        rows = rows.with_columns(series)
    return rows


def batches_with_functions(batches: Iterable[Any], functions: Sequence[RowFunction]) -> Any:
    """Like `with_functions`, for Arrow batches as they come."""
    arrow = load("pyarrow", extra="parquet")
    for batch in batches:
        rows = nw.from_native(arrow.Table.from_batches([batch]), eager_only=True)
        yield from with_functions(rows, functions).to_arrow().to_batches()


def grouped(rows: Any, grouping: Grouping) -> Any:
    """One grouping, as lazy as the rows are."""
    made = {PREFIX + "rows": nw.len()}
    made |= {name: nw.col(name).sum() for name in grouping.sums}
    if grouping.range_of is not None:
        made[PREFIX + "low"] = nw.col(grouping.range_of).min()
        made[PREFIX + "high"] = nw.col(grouping.range_of).max()
    with warnings.catch_warnings():  # pandas calls a result of many columns fragmented
        warnings.filterwarnings("ignore", message="DataFrame is highly fragmented")
        return rows.group_by(*grouping.keys).agg(**made)


def as_table(groups: Any) -> Table:
    """Groups as plain lists."""
    eager = groups.collect() if isinstance(groups, nw.LazyFrame) else groups
    return {name: eager[name].to_list() for name in eager.columns}
