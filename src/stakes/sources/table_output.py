"""Write a table with more columns: as CSV, Parquet or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from stakes._optional import load
from stakes.sources.cells import EMPTY
from stakes.sources.patterns import several_words
from stakes.sources.table import Table, told_cells
from stakes.sources.table_file import read_bytes, unzipped
from stakes.typing import FloatArray

#: New columns by name: numbers, text, or None.
Columns = Mapping[str, Any]
#: Columns that were read as numbers, with nan where a cell holds none.
Numbers = Mapping[str, FloatArray]
#: New columns that hold numbers, if they hold anything.
_NUMBERS = ("expected_cost", "margin")


def csv_of(table: Table, columns: Columns, scores: Collection[str]) -> str:
    """The table with the new columns after the old ones, in the format that was read.

    Semicolons stay. New numbers have a decimal comma if numbers in the columns `scores` have one.
    """
    old = [told_cells(table, name) for name in table.names]
    stream = io.StringIO()
    semicolons = table.decimal_comma  # numbers of such files may have a comma
    writer = csv.writer(stream, delimiter=";" if semicolons else ",", lineterminator="\n")
    writer.writerow([*table.names, *columns])
    read = [table.cells(name) for name in scores] if semicolons else []
    texts = (cell for cells in read if cells.dtype.kind in "SU" for cell in cells.tolist())
    comma = any("," in _cell(cell) for cell in texts)
    new = [[_written(value, comma=comma) for value in column] for column in columns.values()]
    for i in range(table.n_rows):
        writer.writerow([*(_cell(column[i]) for column in old), *(column[i] for column in new)])
    return stream.getvalue()


def _written(value: Any, *, comma: bool) -> str:
    """A new cell as text; numbers in nine digits."""
    if not isinstance(value, float):
        return _cell(value)
    return f"{value:.9g}".replace(".", ",") if comma else f"{value:.9g}"


def _cell(value: Any) -> str:
    """A cell as text; empty if there is no value."""
    if value is None or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()  # as in JSON, and as engines write it
    return _text(value) if isinstance(value, bytes) else str(value)


def _text(value: bytes) -> str:
    """Bytes as text, with those that are none escaped."""
    return value.decode("utf-8", errors="backslashreplace")


def parquet_of(source: str, table: Table, columns: Columns, numbers: Numbers) -> bytes:
    """A Parquet file. Parquet input keeps its types; of text, only `numbers` become numbers."""
    pyarrow = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    if table.form == "Parquet" and source != "-":
        found = _as_stored(several_words(source) or [source])
    else:
        typed = {}
        for name in table.names:  # arrays keep their type; empty cells of text become null
            cells = table.cells(name)
            if cells.dtype.kind not in "SUO":
                typed[name] = pyarrow.array(cells)
                if name in table.zoned:
                    unit = np.datetime_data(cells.dtype)[0]
                    typed[name] = typed[name].cast(pyarrow.timestamp(unit, "UTC"))
            elif cells.dtype.kind == "O" and _are_whole(cells.tolist()):
                typed[name] = pyarrow.array(cells.tolist())
            elif name in numbers:  # text among them becomes null, so that files keep their types
                typed[name] = pyarrow.array(numbers[name], from_pandas=True)
            else:
                texts = (_cell(cell) for cell in cells.tolist())
                typed[name] = pyarrow.array([text or None for text in texts], pyarrow.string())
        found = pyarrow.table(typed)
    for name, values in columns.items():
        cells = pyarrow.array(values)
        if cells.type == pyarrow.null():  # the same type in every file, also with no value
            cells = cells.cast(pyarrow.float64() if name in _NUMBERS else pyarrow.string())
        found = found.append_column(name, cells)
    stream = pyarrow.BufferOutputStream()
    parquet.write_table(found, stream)
    return bytes(stream.getvalue().to_pybytes())


def _as_stored(paths: Sequence[str]) -> Any:
    """The rows of Parquet files, in types that hold the values of all."""
    pyarrow = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    found = []
    for path in paths:
        data, name = read_bytes(path)
        data = unzipped(data, name) if data[:2] == b"\x1f\x8b" else data
        found.append(parquet.read_table(pyarrow.BufferReader(data)))
    if len(found) == 1:
        return found[0]
    names = found[0].column_names
    found = [_without_categories(pyarrow, part.select(names)) for part in found]
    return pyarrow.concat_tables(found, promote_options="permissive").replace_schema_metadata()


def _without_categories(pyarrow: Any, table: Any) -> Any:
    """The table with categories as their values: each file may have others."""
    for k, field in enumerate(table.schema):
        if pyarrow.types.is_dictionary(field.type):
            table = table.set_column(k, field.name, table[k].cast(field.type.value_type))
    return table


def _are_whole(cells: list[Any]) -> bool:
    """Whether cells are integers that Parquet can hold, or all truth values, with gaps."""
    known = [cell for cell in cells if cell is not None]
    alike = {type(cell) for cell in known} in ({int}, {bool})
    return alike and all(abs(cell) < 2**63 for cell in known)


def json_lines_of(table: Table, columns: Columns, numbers: Numbers) -> str:
    """One object per row: JSON lines stay as they were; of other text, `numbers` become numbers."""
    if table.lines:
        added = (
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        )
        pairs = zip(table.lines, added, strict=True)
        return "".join(_extended(line, more) for line, more in pairs)
    old = []
    for name in table.names:
        found = told_cells(table, name).tolist()
        cells = [_text(cell) if isinstance(cell, bytes) else cell for cell in found]
        if name in numbers:
            cells = list(map(_as_number, cells, numbers[name].tolist()))
        old.append(cells)
    names = [*table.names, *columns]
    rows = zip(*old, *columns.values(), strict=True)
    return "".join(line_of(dict(zip(names, row, strict=True))) for row in rows)


def _as_number(cell: Any, number: float) -> Any:
    """Text as the number that it was read as; a word that is none stays."""
    if not isinstance(cell, str):
        return cell
    return None if cell.strip().lower() in EMPTY else cell if number != number else number


def _extended(line: str, added: Mapping[str, Any]) -> str:
    """A JSON object with more entries; its own text stays unchanged."""
    old = line.strip().removesuffix("}").rstrip()
    return f"{old}{'' if old == '{' else ', '}{line_of(added).removeprefix('{')}"


def line_of(row: Mapping[str, Any]) -> str:
    """A row as a line of JSON; nan becomes null."""
    plain = {name: None if value != value else value for name, value in row.items()}
    return json.dumps(plain, default=str) + "\n"
