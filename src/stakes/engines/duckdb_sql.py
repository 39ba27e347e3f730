"""DuckDB: relations, out of core; expressions are SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from stakes._optional import load
from stakes.engines.narwhals_expressions import batches_with_functions
from stakes.engines.row_sample import Chosen
from stakes.engines.row_values import PREFIX, Grouping, Plan, Table, aggregates
from stakes.messages.steps import steps
from stakes.rules.sql_text import DUCKDB

#: Keys of up to this many bits are grouped in a plain array, without hashing.
WIDEST = 18
#: Rows that leave the engine together, where NumPy decides them.
_BATCH = 4096


DIALECT = DUCKDB


def run(frame: Any, plan: Plan, columns: tuple[str, ...]) -> list[Table]:
    """Every grouping of a relation, over one scan."""
    with _set(frame, "perfect_ht_threshold", least=WIDEST):  # keys of two bytes in plain arrays too
        every = steps("counting", plan.groupings)
        return [_grouped(_stepped(frame, plan, columns), each) for each in every]


@contextmanager
def _set(frame: Any, name: str, least: int) -> Iterator[None]:
    """Raise a DuckDB setting to at least some number, and restore it afterwards."""
    before = frame.query("stakes_rows", f"SELECT current_setting('{name}')").fetchall()[0][0]
    frame.query("stakes_rows", f"SET {name} = {max(int(before), least)}")
    try:
        yield
    finally:
        frame.query("stakes_rows", f"SET {name} = {before}")


def sample(
    frame: Any, plan: Plan, columns: tuple[str, ...], flag: str, limit: int
) -> list[dict[str, Any]]:
    """Some rows in which a flag is 1."""
    found = _stepped(frame, plan, columns).filter(f"{flag} = 1").limit(limit)
    kept = found.project(", ".join(DIALECT.column(name).text for name in columns))
    return [dict(zip(columns, row, strict=True)) for row in kept.fetchall()]


def some_rows(frame: Any, columns: tuple[str, ...], chosen: Chosen) -> Table:
    """The chosen rows, numbered in the order in which they lie."""
    kept = ", ".join(DIALECT.column(name).text for name in columns)
    rows = frame.project(f"{kept}, row_number() OVER () AS {PREFIX}row")
    found = rows.filter(chosen.sql(f"CAST({PREFIX}row AS DOUBLE)")).project(kept)
    with _set(frame, "preserve_insertion_order", least=1):
        cells = list(zip(*found.fetchall(), strict=True)) or [()] * len(columns)
    return dict(zip(columns, map(list, cells), strict=True))


def _stepped(frame: Any, plan: Plan, columns: tuple[str, ...]) -> Any:
    """The columns that are needed, and those that are made from them."""
    rows = frame.project(", ".join(DIALECT.column(name).text for name in columns))
    if plan.functions:  # rows go through Python once, into a connection that is free to read them
        arrow = load("pyarrow", extra="duckdb")
        read = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader  # before 1.5
        reader = read(_BATCH)
        made = [arrow.field(function.name, arrow.int32()) for function in plan.functions]
        schema = arrow.schema([*reader.schema, *made])
        batches = batches_with_functions(reader, plan.functions)
        again = arrow.RecordBatchReader.from_batches(schema, batches)
        rows = load("duckdb", extra="duckdb").connect().from_arrow(again)
    for step in filter(None, plan.steps):
        made = [f"{expression.text} AS {name}" for name, expression in step.items()]
        rows = rows.project(", ".join(["*", *made]))
    return rows


def _grouped(rows: Any, grouping: Grouping) -> Table:
    """One grouping as plain lists; as arrays where bins are counted without slices."""
    keys = [DIALECT.column(key).text for key in grouping.keys]
    found = rows.aggregate(", ".join([*keys, *aggregates(grouping)]), ", ".join(keys))
    if grouping.range_of is not None and len(keys) == 1:
        arrays = found.fetchnumpy().items()
        return {name: a.tolist() if np.ma.is_masked(a) else np.asarray(a) for name, a in arrays}
    columns = found.columns
    cells = list(zip(*found.fetchall(), strict=True)) or [()] * len(columns)
    return dict(zip(columns, map(list, cells), strict=True))
