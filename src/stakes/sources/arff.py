"""Attribute-relation files, in which OpenML keeps the predictions of its runs."""

from __future__ import annotations

import csv
import io
import re

from stakes.exceptions import FormatError
from stakes.sources.cells import as_text_array
from stakes.sources.delimited import whole_cells
from stakes.sources.table import Table, table_of_columns

_ATTRIBUTE = re.compile(r"@attribute\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))\s+(.+)", re.IGNORECASE)


def fits(data: bytes, _: str) -> bool:
    """Whether the first line that is no comment declares a relation."""
    for line in data[:65536].splitlines():
        text = line.strip().lower()
        if text and not text.startswith(b"%"):
            return text.startswith(b"@relation")
    return False


def read(data: bytes, name: str) -> Table:
    """The attributes as columns of text; sparse rows are refused."""
    lines = data.decode("utf-8-sig", errors="replace").splitlines()
    names, start = [], len(lines)
    for k, line in enumerate(lines):
        match = _ATTRIBUTE.match(line.strip())
        if match:
            names.append(next(part for part in match.groups()[:3] if part is not None))
        if line.strip().lower() == "@data":
            start = k + 1
            break
    body = [line for line in lines[start:] if line.strip() and not line.lstrip().startswith("%")]
    if not names or not body:
        raise FormatError(f"{name} declares no attributes or holds no data.")
    if body[0].lstrip().startswith("{"):
        raise FormatError(f"{name} holds sparse rows.", hint="write it with all cells")
    reader = csv.reader(io.StringIO("\n".join(body)), quotechar="'", skipinitialspace=True)
    with whole_cells(name):
        rows = [[cell.strip() for cell in row] for row in reader]
    uneven = [k for k, row in enumerate(rows) if len(row) != len(names)]
    if uneven:
        raise FormatError(
            f"{name}: line {uneven[0] + 1} of the data has {len(rows[uneven[0]])} cells for "
            f"{len(names)} attributes ({len(uneven)} of {len(rows)} lines).",
            rows=uneven[:10],
        )
    cells = [as_text_array(column) for column in zip(*rows, strict=True)]
    return table_of_columns(name, dict(zip(names, cells, strict=True)), "attribute-relation file")
