"""One table as a frame of every kind of library that is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

Columns = dict[str, list[Any]]


def as_pandas(columns: Columns) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


def as_pandas_nullable(columns: Columns) -> Any:
    import pandas as pd

    types = {float: "Float64", int: "Int64", str: "string"}
    made = {}
    for name, values in columns.items():
        kind = next(type(value) for value in values if value is not None)
        made[name] = pd.array(values, dtype=types[kind])
    return pd.DataFrame(made)


def as_pyarrow(columns: Columns) -> Any:
    import pyarrow as pa

    return pa.table(columns)


def as_polars(columns: Columns) -> Any:
    import polars as pl

    return pl.DataFrame(columns, strict=False)


def as_polars_lazy(columns: Columns) -> Any:
    return as_polars(columns).lazy()


def as_duckdb(columns: Columns) -> Any:
    import duckdb

    return duckdb.from_arrow(as_pyarrow(columns))


def as_dask(columns: Columns) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(as_pandas(columns), npartitions=2)


def as_ibis(columns: Columns) -> Any:
    import ibis

    return ibis.memtable(as_pyarrow(columns))


#: Which libraries each kind needs.
NEEDS: dict[str, tuple[str, ...]] = {
    "pandas": ("pandas",),
    "pandas_nullable": ("pandas", "pyarrow"),
    "pyarrow": ("pyarrow",),
    "polars": ("polars",),
    "polars_lazy": ("polars",),
    "duckdb": ("duckdb", "pyarrow"),
    "dask": ("dask", "pandas", "pyarrow"),
    "ibis": ("ibis", "duckdb", "pyarrow"),
}
#: Kinds that are quick enough to be tried on many tables.
QUICK = ("pandas", "pandas_nullable", "pyarrow", "polars", "polars_lazy", "duckdb")


def kinds(*names: str) -> list[Any]:
    """Parameters for `pytest.mark.parametrize`: constructors, skipped where they cannot be had."""
    found = []
    for name in names:
        absent = [lib for lib in NEEDS[name] if importlib.util.find_spec(lib) is None]
        reason = f"pip install {' '.join(absent)}"
        constructor: Callable[[Columns], Any] = globals()[f"as_{name}"]
        marks = pytest.mark.skipif(bool(absent), reason=reason)
        found.append(pytest.param(constructor, id=name, marks=marks))
    return found
