"""The table of a file with calibrated columns after its own, as CSV or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import _files
from stakes._optional import load
from stakes.cli.reading import Table, read_bytes, unzipped
from stakes.exceptions import DataError

__all__ = ["as_csv", "refuse_other_forms", "write_table"]

#: Endings of files that are neither CSV nor Parquet.
OTHERS = {".gz", ".npy", ".npz", ".h5", ".arff", ".tsv", ".xlsx", ".json"}
PARQUET = ".parquet"


def refuse_other_forms(path: str) -> None:
    """Raise for files that cannot be written, before anything is read."""
    file = Path(path)
    if file.suffix.lower() in OTHERS:
        stem = file.name.split(".")[0]
        raise DataError(
            f"--apply writes CSV or Parquet, which '{file.name}' does not look like.",
            hint=f"-o {stem}.csv or -o {stem}.parquet",
        )
    if file.suffix.lower() == PARQUET:
        load("pyarrow.parquet", extra="parquet")


def write_table(
    output: str,
    source: str,
    table: Table,
    columns: dict[str, NDArray[np.float64]],
    scores: Collection[str] = (),
) -> None:
    """Write the table with the new columns; a file is there whole or not at all.

    `scores` are columns that were read as numbers, however they are written.
    """
    path = Path(output)
    if path.suffix.lower() == PARQUET:
        _refuse_taken(table, columns)
        data = _as_parquet(source, table, columns, scores)
    else:
        data = as_csv(table, columns, scores).encode("utf-8")
    _files.write_whole(path, data)


def as_csv(
    table: Table, columns: dict[str, NDArray[np.float64]], scores: Collection[str] = ()
) -> str:
    """The table with the new columns after the old ones, written as it was read.

    Semicolons stay, and new numbers have a decimal comma where numbers among `scores` have one.
    """
    _refuse_taken(table, columns)
    old = [table.cells(name) for name in table.names]
    stream = io.StringIO()
    semicolons = table.decimal_comma  # numbers of such files may have a comma
    writer = csv.writer(stream, delimiter=";" if semicolons else ",", lineterminator="\n")
    writer.writerow([*table.names, *columns])
    comma = semicolons and any(_has_comma(table.cells(name)) for name in scores)
    new = [[f"{value:.9g}" for value in column] for column in columns.values()]
    new = [[text.replace(".", ",") for text in column] for column in new] if comma else new
    for i in range(len(new[0])):
        writer.writerow([*(_cell(column[i]) for column in old), *(column[i] for column in new)])
    return stream.getvalue()


def _refuse_taken(table: Table, columns: dict[str, NDArray[np.float64]]) -> None:
    """Raise when a new column would have the name of an old one."""
    taken = [name for name in columns if name in table.names]
    if taken:
        raise DataError(f"{table.source} already has a column '{taken[0]}'.")


def _has_comma(cells: NDArray[Any]) -> bool:
    """Whether a number is written with a decimal comma."""
    return cells.dtype.kind in "SU" and any("," in _cell(cell) for cell in cells.tolist())


def _cell(value: Any) -> str:
    """A cell as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return str(value)


def _as_parquet(
    source: str,
    table: Table,
    columns: dict[str, NDArray[np.float64]],
    scores: Collection[str],
) -> bytes:
    """A Parquet file: one that was read keeps its types; of text, the scores alone are numbers."""
    pyarrow = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    if table.form == "Parquet" and source != "-":
        data, name = read_bytes(source)
        data = unzipped(data, name) if data[:2] == b"\x1f\x8b" else data
        found = parquet.read_table(pyarrow.BufferReader(data))
    else:
        typed = {name: _typed(table.cells(name), pyarrow) for name in table.names}
        for name in typed.keys() & set(scores):
            if pyarrow.types.is_string(typed[name].type):
                typed[name] = pyarrow.array(table.numbers(name))
        found = pyarrow.table(typed)
    for name, values in columns.items():
        found = found.append_column(name, pyarrow.array(values))
    stream = pyarrow.BufferOutputStream()
    parquet.write_table(found, stream)
    return bytes(stream.getvalue().to_pybytes())


def _typed(cells: NDArray[Any], pyarrow: Any) -> Any:
    """A column of Arrow: text as it was read, empty cells as null; arrays keep their type."""
    if cells.dtype.kind not in "SUO":
        return pyarrow.array(cells)
    texts = ["" if cell is None else _cell(cell) for cell in cells.tolist()]
    return pyarrow.array([text or None for text in texts], pyarrow.string())
