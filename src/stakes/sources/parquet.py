"""Parquet files in memory, by pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._optional import load
from stakes.exceptions import DataError, FormatError
from stakes.sources.table import Table


def read(data: bytes, name: str) -> Table:
    """The columns of a file, each made when it is asked for."""
    pyarrow = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    try:
        table = parquet.read_table(pyarrow.BufferReader(data))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FormatError(
            f"{name}: the Parquet file is damaged ({said.rstrip('.')}).",
            hint="write or copy the file again",
        ) from None
    if table.num_rows == 0:
        raise DataError(f"{name} has columns and no rows.", hint="I need one row per case")
    getters = [_getter(column) for column in table.columns]
    names = tuple(table.column_names)
    return Table(name, table.num_rows, names, "Parquet", getters=getters)


def _getter(column: Any) -> Callable[[], NDArray[Any]]:
    """A function that turns a column of Arrow into an array."""
    return lambda: np.asarray(column.to_numpy())
