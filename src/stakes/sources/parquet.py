"""Parquet files in memory, by pyarrow."""

from __future__ import annotations

from stakes._optional import load
from stakes.exceptions import DataError, FormatError
from stakes.sources.table import Table


def read(data: bytes, name: str) -> Table:
    """The columns of a file, each made when it is asked for."""
    pyarrow = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    try:
        table = parquet.read_table(pyarrow.BufferReader(data))
        names = tuple(table.column_names)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"{name}: the Parquet file is damaged ({said.rstrip('.')})."
        raise FormatError(message, hint="write or copy the file again") from None
    if table.num_rows == 0:
        raise DataError(f"{name} has columns and no rows.", hint="I need one row per case")
    getters = [column.to_numpy for column in table.columns]
    return Table(name, table.num_rows, names, "Parquet", getters=getters)
