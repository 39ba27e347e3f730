"""JSON lines: one object for each case. Objects inside it are columns too: ``p.yes``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from stakes._checksums import plain_object
from stakes.exceptions import FormatError
from stakes.messages.quantities import grouped
from stakes.sources.cells import array_of
from stakes.sources.delimited import as_plain_text
from stakes.sources.table import Table, table_of_columns

_HINT = 'lines such as:  {"truth": "yes", "p": 0.8}'


def fits(data: bytes, name: str) -> bool:
    """Whether the file name or the first line shows JSON lines."""
    if name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return True
    first = data[:65536].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    if not first.startswith(b"{"):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def read(data: bytes, name: str) -> Table:
    """The values by name; names that a line lacks are empty."""
    lines = as_plain_text(data, name).decode("utf-8").split("\n")
    numbered = [(k, line) for k, line in enumerate(lines, 1) if line.strip()]
    cells: dict[str, list[Any]] = {}
    for row, (k, line) in enumerate(numbered):
        for key, value in _said(line, f"{name}: line {grouped(k)}"):
            if key not in cells:
                cells[key] = [None] * len(numbered)
            if cells[key][row] is not None:  # {"p.yes": 0.8, "p": {"yes": 0.7}}
                raise FormatError(f"{name}: line {grouped(k)} says '{key}' twice.")
            cells[key][row] = value
    if not cells:
        raise FormatError(f"{name} holds no values.", hint=_HINT)
    table = table_of_columns(name, {key: array_of(v) for key, v in cells.items()}, "JSON lines")
    return replace(table, lines=[line for _, line in numbered])


def names_of(lines: Iterable[str]) -> list[str]:
    """The names in lines of JSON, each once; an object, which is several columns, has one name."""
    return list(dict.fromkeys(name for line in lines for name in json.loads(line)))


def _said(line: str, place: str) -> Iterator[tuple[str, Any]]:
    """The names and values of a line."""
    try:
        found = json.loads(line, object_pairs_hook=plain_object)
    except (ValueError, RecursionError) as error:
        said = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise FormatError(f"{place} cannot be read as JSON ({said}).", hint=_HINT) from None
    if not isinstance(found, dict):
        raise FormatError(f"{place} is not an object.", hint=_HINT)
    return _flat(found)


def _flat(found: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an object, with those of the objects inside it."""
    for key, value in found.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        elif isinstance(value, list):  # lists are for readers; no figure is a list
            yield before + key, json.dumps(value)
        else:
            yield before + key, value
