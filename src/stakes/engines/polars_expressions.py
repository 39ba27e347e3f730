"""Polars: all groupings of a lazy frame together, over one scan, in the streaming engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from stakes._optional import load
from stakes.engines import narwhals_expressions as frames
from stakes.engines.row_sample import Chosen
from stakes.engines.row_values import PREFIX, Plan, Table


class _Polars(frames.Narwhals):
    """Expressions with the names that columns have while rows are counted: see `_plain`."""

    def column(self, name: str) -> Any:
        """A column as it is."""
        return super().column(_plain(name))


DIALECT = _Polars()


def run(frame: Any, plan: Plan, columns: tuple[str, ...]) -> list[Table]:
    """Every grouping; eager frames are grouped at once."""
    polars = load("polars", extra="polars")
    keys = [grouping.keys for grouping in plan.groupings]
    groupings = [replace(each, keys=tuple(map(_plain, each.keys))) for each in plan.groupings]
    functions = [each._replace(columns=tuple(map(_plain, each.columns))) for each in plan.functions]
    plan = Plan(plan.steps, groupings, functions)
    frame, columns = _named_plainly(frame, columns)
    if not isinstance(frame, polars.LazyFrame):
        tables = frames.run(frame, plan, columns)
    else:
        if functions:
            made = dict.fromkeys((each.name for each in functions), polars.Int32)
            frame = frame.select(*columns)
            schema = {**frame.collect_schema(), **made}
            frame = frame.map_batches(
                lambda rows: nw.to_native(frames.with_functions(nw.from_native(rows), functions)),
                schema=schema,
                streamable=True,
            )
            plan, columns = Plan(plan.steps, groupings), tuple(schema)
        rows = frames.stepped(frame, plan, columns)
        lazy = [nw.to_native(frames.grouped(rows, grouping)) for grouping in groupings]
        tables = [each.to_dict(as_series=False) for each in _streamed(lazy)]
    return [_named_again(table, names) for table, names in zip(tables, keys, strict=True)]


def sample(
    frame: Any, plan: Plan, columns: tuple[str, ...], flag: str, limit: int
) -> list[dict[str, Any]]:
    """Some rows in which a flag is 1."""
    named, plain = _named_plainly(frame, columns)
    rows = frames.sample(named, plan, plain, flag, limit)
    return [dict(zip(columns, row.values(), strict=True)) for row in rows]


def some_rows(frame: Any, columns: tuple[str, ...], chosen: Chosen) -> Table | None:
    """The chosen rows, numbered in the order in which they lie."""
    polars = load("polars", extra="polars")
    named, plain = _named_plainly(frame, columns)
    row = polars.col(PREFIX + "row").cast(polars.Float64) + 1
    kept = named.lazy().select(*plain).with_row_index(PREFIX + "row").filter(chosen.holds(row))
    found = _streamed([kept.select(*plain)])[0]
    return dict(zip(columns, (found[name].to_list() for name in plain), strict=True))


def _streamed(lazy: list[Any]) -> list[Any]:
    """Lazy frames collected together, without all rows in memory."""
    polars = load("polars", extra="polars")
    try:
        return list(polars.collect_all(lazy, engine="streaming"))
    except TypeError:  # Polars before 1.23
        return list(polars.collect_all(lazy, streaming=True))


def _plain(name: str) -> str:
    """A name that Polars does not read as a pattern: ``*`` is every column, ``^p$`` is p."""
    return f"named {name}" if name == "*" or (name.startswith("^") and name.endswith("$")) else name


def _named_plainly(frame: Any, columns: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """The frame with plain names for the columns that are needed, and these names."""
    odd = {name: _plain(name) for name in columns if _plain(name) != name}
    return (frame.rename(odd) if odd else frame), tuple(map(_plain, columns))


def _named_again(table: Table, keys: Sequence[str]) -> Table:
    """A table whose keys are named as in the frame again."""
    names = {_plain(key): key for key in keys}
    return {names.get(name, name): cells for name, cells in table.items()}
