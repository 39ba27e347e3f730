"""The columns of files that an engine streams together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stakes._optional import load
from stakes.exceptions import FormatError
from stakes.sources.cells import empty_words
from stakes.sources.delimited import DELIMITERS, text_header
from stakes.sources.patterns import Files
from stakes.sources.table import Table
from stakes.sources.unlike_columns import kind_of, refuse_unlike, refuse_unlike_types


def columns_alike(files: Files, *, alone: bool) -> tuple[str, ...] | None:
    """The columns of the files; None if only the engine can list them.

    Raises unless all have the same ones, of the same types, that the engine can copy; `alone` says
    that memory could read the files instead. Only headers and schemas are read.
    """
    if "://" in files.said:
        return None
    if files.form == "csv":
        return _in_headers(files)
    first: Any = None
    for path in files.paths:
        schema = _schema(path, files.form)
        first = schema if first is None else first
        if files.form == "parquet" and schema is not None:
            _refuse_spans(schema, Path(path).name, alone=alone)
        if schema is None or schema is first:
            continue
        name, other = _told_apart(path, files.paths[0])
        refuse_unlike(schema.names, name, first.names, other)
        _refuse_unlike_schemas(schema, name, first, other)
    return None if first is None else tuple(first.names)


def _in_headers(files: Files) -> tuple[str, ...] | None:
    """The columns of text files, which must be written alike."""
    first = files.header
    for path in files.paths[1:] if first is not None else ():
        found = text_header(path)
        if found is None or first is None:
            continue
        name, other = _told_apart(path, files.paths[0])
        if (found.delimiter, found.told) != (first.delimiter, first.told):
            cells = DELIMITERS[found.delimiter] + " after a line 'sep='" * found.told
            raise FormatError(
                f"{name} has cells separated by {cells}, unlike {other}: files that are streamed "
                "together are written alike.",
                hint="give them one by one, or write them again",
            )
        refuse_unlike(found.names, name, first.names, other)
    return None if first is None else first.names


def _told_apart(path: str, other: str) -> tuple[str, str]:
    """The names of two files, with their folders if they are equal."""
    names = Path(path).name, Path(other).name
    return names if names[0] != names[1] else (path, other)


def _schema(path: str, form: str) -> Any:
    """The schema of a Parquet or Arrow file; None if it is damaged, which the engine reports."""
    pyarrow = load("pyarrow", extra="duckdb")
    try:
        if form == "parquet":
            return load("pyarrow.parquet", extra="duckdb").read_schema(path)
        with load("pyarrow.ipc", extra="duckdb").open_file(path) as file:
            return file.schema
    except (pyarrow.ArrowException, OSError):
        return None


def _refuse_spans(schema: Any, name: str, *, alone: bool) -> None:
    """Raise for a column of spans of time, which DuckDB would read as plain numbers."""
    for field in schema:
        if re.search(r"\bduration\[\w+\]", str(field.type)):
            raise FormatError(
                f"column '{field.name}' of {name} holds spans of time ({field.type}), which DuckDB "
                "would write as numbers without a unit.",
                hint="--engine memory  keeps them"
                if alone
                else "name the files one by one, with  --engine memory",
            )


def _refuse_unlike_schemas(schema: Any, name: str, first: Any, other: str) -> None:
    """Raise for a column of two files that the type of one would change in the other."""
    for each in schema:
        types = {other: first.field(each.name).type, name: each.type}
        refuse_unlike_types(
            each.name,
            {file: (kind_of(told), str(told)) for file, told in types.items()},
            "streamed",
        )


def refuse_ambiguous(files: Files, names: Sequence[str], *, alone: bool) -> None:
    """Raise for names that DuckDB would change: equal ones, also but for capitals, or empty ones.

    In text, it takes NA for an empty name. `alone` says that memory could read the file instead.
    """
    gaps = empty_words() if files.form == "csv" else [""]
    table = Table(files.title, 0, tuple(names), "")
    for name in names:
        table.position(name)
    seen: dict[str, str] = {}
    said = ""
    for place, name in enumerate(names, 1):
        if name in gaps:
            said = f"column {place} {f'is called {name!r}' if name else 'has no name'}"
        elif name.lower() in seen:
            said = f"columns '{seen[name.lower()]}' and '{name}' differ only in capitals"
        seen[name.lower()] = name
        if said:
            raise FormatError(
                f"{files.title}: {said}, which DuckDB cannot stream.",
                hint="give each column a name of its own in the header"
                + ", or  --engine memory" * alone,
            )
