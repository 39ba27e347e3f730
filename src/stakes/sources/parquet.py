"""Parquet files in memory, by pyarrow."""

from __future__ import annotations

from functools import partial
from typing import Any

from stakes._columns import cells_of
from stakes._optional import load
from stakes.exceptions import FormatError
from stakes.sources.table import Table
from stakes.sources.table_file import refuse_bomb

#: The most bytes to unpack; equal numbers take almost no space in a file.
_MOST_UNPACKED = 4_000_000_000


def read(data: bytes, name: str) -> Table:
    """The columns of a file, each read on demand."""
    pyarrow = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    try:
        file = parquet.ParquetFile(pyarrow.BufferReader(data))
        _refuse_large(file.metadata, name)
        table = file.read()
        names = tuple(table.column_names)
    except FormatError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"{name}: the Parquet file is damaged ({said.rstrip('.')})."
        raise FormatError(message, hint="write or copy the file again") from None
    getters = [partial(cells_of, column) for column in table.columns]
    zoned = [field.name for field in table.schema if getattr(field.type, "tz", None)]
    types = {field.name: field.type for field in table.schema}
    rows = table.num_rows
    return Table(name, rows, names, "Parquet", getters=getters, zoned=zoned, types=types)


def _refuse_large(footer: Any, name: str) -> None:
    """Raise if the file would unpack to more bytes than the limit."""
    written = sum(footer.row_group(k).total_byte_size for k in range(footer.num_row_groups))
    numbers = 8 * footer.num_rows * footer.num_columns
    hint = "count it with an engine:  stakes eval FILE --engine duckdb; or keep fewer columns"
    refuse_bomb(max(written, numbers), name, _MOST_UNPACKED, hint)
