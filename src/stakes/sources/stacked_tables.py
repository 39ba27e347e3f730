"""The rows of several tables, one table below the other."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import FormatError
from stakes.sources.cells import array_of, as_text_array, decoded
from stakes.sources.table import Table, told_cells
from stakes.sources.unlike_columns import kind_of, refuse_unlike, refuse_unlike_types

#: The most files to name one by one.
_MOST_NAMED = 3
#: Types of NumPy as Arrow calls them, and those that are narrower than numbers in text.
_ARROW_NAMES = {"float64": "double", "float32": "float", "float16": "halffloat"}
_SHORT = {"float", "halffloat"}
#: Text that takes more bytes in cells of equal width becomes an array of objects.
_MOST_BYTES = 1 << 28


def stacked(
    tables: list[Table], paths: Sequence[str], *, new: bool = False, copied: bool = False
) -> Table:
    """The rows of tables with the same columns, one table below the other.

    Of `new` cases, which are not counted, a file may be given twice. Cells that will be `copied`
    must be of the same types.
    """
    names = [table.source for table in tables]
    tables = [  # as in lakes, where day=1/a.csv and day=2/a.csv have one name
        replace(table, source=path) if names.count(table.source) > 1 else table
        for table, path in zip(tables, paths, strict=True)
    ]
    first = tables[0]
    if any(table.matrices or table.is_list for table in tables):
        raise FormatError("arrays and lists of trials are read one file at a time.")
    seen: dict[str, str] = {}
    for table, path in zip(tables, paths, strict=True):
        if table.digest in seen and not new:
            both = f"{seen[table.digest]} and {table.source}"
            said = f"{both} hold the same bytes, so that their cases would count twice."
            raise FormatError(said, hint="leave one of them out")
        seen[table.digest] = table.source
        lacks = not set(first.names) <= set(table.names)
        poor, rich = map(shlex.quote, (path, paths[0]) if lacks else (paths[0], path))
        labels = f"\nif one has no labels:  stakes estimate {poor} --reference {rich}, with the "
        hint = "" if new else labels + "other options as they are"
        refuse_unlike(table.names, table.source, first.names, first.source, hint)
    _refuse_unlike_numbers(tables)
    if copied:
        _refuse_unlike_cells(tables)
    named = " + ".join(table.source for table in tables)
    digest = hashlib.sha256("".join(table.digest for table in tables).encode()).hexdigest()
    told = all(table.lines for table in tables)  # lines of some rows would leave out the others
    return Table(
        source=named if len(tables) <= _MOST_NAMED else f"{len(tables)} files",
        n_rows=sum(table.n_rows for table in tables),
        names=first.names,
        form=" and ".join(dict.fromkeys(table.form for table in tables)),
        digest=digest,
        getters=[partial(_below, tables, name) for name in first.names],
        decimal_comma=all(table.decimal_comma for table in tables),
        decimal_point=all(table.decimal_point for table in tables),
        lines=[line for table in tables for line in table.lines] if told else (),
        zoned=[name for name in first.names if all(name in table.zoned for table in tables)],
    )


def _refuse_unlike_numbers(tables: list[Table]) -> None:
    """Raise if numbers of one file have decimal commas, and those of another cannot have any."""
    commas = [table.source for table in tables if not table.decimal_point]
    points = [table.source for table in tables if not table.decimal_comma]
    if commas and points:
        raise FormatError(
            f"{commas[0]} holds numbers with a decimal comma, unlike {points[0]}: files that are "
            "read together write numbers alike.",
            hint="give them one by one, or write them again",
        )


def _refuse_unlike_cells(tables: list[Table]) -> None:
    """Raise for a column whose cells one file would change in another.

    Text and JSON lines have no types, and their cells stay as they are beside others. Only next
    to numbers of fewer bits they count as the doubles that they are read as.
    """
    kinds = [_kinds(table) for table in tables]
    for name in tables[0].names:
        known = {
            table.source: each[name]
            for table, each in zip(tables, kinds, strict=True)
            if name in each
        }
        short = {kind for kind, _ in known.values()} & _SHORT
        bare = [table.source for table, each in zip(tables, kinds, strict=True) if not each]
        untyped = {bare[0]: ("double", "cells without a type")} if short and bare else {}
        refuse_unlike_types(name, known | untyped, "copied")


def _kinds(table: Table) -> dict[str, tuple[str, str]]:
    """The kind of type of each column, and its words; empty if the file has no types."""
    if table.form == "NumPy arrays":
        types = {name: table.cells(name).dtype for name in table.names}
        short = {"i": "integer", "U": "text", "S": "text"}
        return {
            name: (short.get(each.kind, _ARROW_NAMES.get(str(each), str(each))), str(each))
            for name, each in types.items()
        }
    return {name: (kind_of(each), str(each)) for name, each in table.types.items()}


def _below(tables: list[Table], name: str) -> NDArray[Any]:
    """The cells of a column, table after table, each as it stands in its own."""
    parts = [table.cells(name) for table in tables]
    there = [k for k, part in enumerate(parts) if part.size] or [0]
    parts, tables = [parts[k] for k in there], [tables[k] for k in there]
    kinds = {part.dtype.kind for part in parts}
    if kinds <= {"S", "U"}:
        return _texts(parts)
    if len(kinds) == 1:
        return np.concatenate(parts)
    cells = (
        _listed(told_cells(table, name)) for table in tables
    )  # NumPy would change some of them
    return array_of([cell for part in cells for cell in part])


def _texts(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Text below text; bytes and letters are not of one type, and a long cell widens all."""
    alike = len({part.dtype.kind for part in parts}) == 1
    parts = parts if alike else [decoded(part) for part in parts]
    rows, width = sum(part.size for part in parts), max(part.dtype.itemsize for part in parts)
    if rows * width <= _MOST_BYTES:
        return np.concatenate(parts)
    return as_text_array([cell for part in parts for cell in decoded(part).tolist()])


def _listed(cells: NDArray[Any]) -> list[Any]:
    """Cells as objects of Python."""
    found: list[Any] = (decoded(cells) if cells.dtype.kind == "S" else cells).tolist()
    return found
