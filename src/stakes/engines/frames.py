"""Data frames of any kind through narwhals: pandas, Polars, pyarrow, Dask, Ibis."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from stakes.engines.plan import PREFIX, Grouping, Plan, Table

#: Up to so many conditions are asked one within the other; Python gives up at a few hundred.
_NESTED = 32


class Narwhals:
    """The words of expressions, as narwhals spells them."""

    def column(self, name: str) -> Any:
        """A column as it is."""
        return nw.col(name)

    def number(self, name: str) -> Any:
        """A column as doubles."""
        return nw.col(name).cast(nw.Float64)

    def text(self, name: str) -> Any:
        """A column as text."""
        return nw.col(name).cast(nw.String)

    def literal(self, value: Any) -> Any:
        """A float, an integer, text or a truth value."""
        kinds: dict[type, Any] = {
            bool: nw.Boolean,
            int: nw.Int64,
            float: nw.Float64,
            str: nw.String,
        }
        return nw.lit(value, dtype=kinds[type(value)])

    def when(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """One value or the other; the other where the condition is unknown."""
        return nw.when(condition).then(then).otherwise(otherwise)

    def certain(self, condition: Any) -> Any:
        """A condition that `when` can use, false where it is unknown."""
        return self.when(condition, self.literal(True), self.literal(False))

    def first_of(self, branches: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """The value of the first condition that holds; of many, first the group that has it."""
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
        """A quotient; nothing finite where the divisor is zero."""
        return top / bottom

    def root(self, value: Any) -> Any:
        """The square root."""
        return value.sqrt()

    def log(self, value: Any) -> Any:
        """The natural logarithm."""
        return value.log()

    def size(self, value: Any) -> Any:
        """The absolute value."""
        return value.abs()

    def smallest(self, values: list[Any]) -> Any:
        """The least of several."""
        return nw.min_horizontal(*values)

    def integer(self, value: Any, most: int) -> Any:
        """An integer from 0 to `most`."""
        return value.cast(nw.Int32 if most < 2**31 else nw.Int64)

    def known(self, value: Any) -> Any:
        """That a value is there."""
        return ~value.is_null()


DIALECT = Narwhals()


def run(frame: Any, plan: Plan, columns: tuple[str, ...]) -> list[Table]:
    """Every grouping of a frame of any kind; lazy ones are collected as groups only."""
    if _is_empty(frame):
        return [_no_groups(grouping) for grouping in plan.groupings]
    rows = stepped(frame, plan, columns)
    return [as_table(grouped(rows, grouping)) for grouping in plan.groupings]


def _is_empty(frame: Any) -> bool:
    """Whether a frame in memory has no rows, which some versions of narwhals cannot add to."""
    rows = nw.from_native(frame)
    return isinstance(rows, nw.DataFrame) and len(rows) == 0


def _no_groups(grouping: Grouping) -> Table:
    """What a grouping of no rows comes to."""
    names = [*grouping.keys, *grouping.sums, *(PREFIX + n for n in ("rows", "low", "high"))]
    return {name: [] for name in names}


def sample(
    frame: Any, plan: Plan, columns: tuple[str, ...], flag: str, limit: int
) -> list[dict[str, Any]]:
    """Some rows in which a flag is 1."""
    found = stepped(frame, plan, columns).filter(nw.col(flag) == 1).select(*columns).head(limit)
    table = as_table(found)
    return [dict(zip(columns, row, strict=True)) for row in zip(*table.values(), strict=True)]


def stepped(frame: Any, plan: Plan, columns: tuple[str, ...]) -> Any:
    """The columns that are needed, and those that are made from them."""
    rows = nw.from_native(frame).select(*columns)
    for step in filter(None, plan.steps):
        rows = rows.with_columns(**step)
    return rows


def grouped(rows: Any, grouping: Grouping) -> Any:
    """One grouping, as lazy as the rows are."""
    made = {PREFIX + "rows": nw.len()}
    made |= {name: nw.col(name).sum() for name in grouping.sums}
    if grouping.range_of is not None:
        made[PREFIX + "low"] = nw.col(grouping.range_of).min()
        made[PREFIX + "high"] = nw.col(grouping.range_of).max()
    return rows.group_by(*grouping.keys).agg(**made)


def as_table(groups: Any) -> Table:
    """Groups as plain lists."""
    eager = groups.collect() if isinstance(groups, nw.LazyFrame) else groups
    return {name: eager[name].to_list() for name in eager.columns}
