"""Confusion matrices from CSV files, with names on both sides."""

from __future__ import annotations

import csv
import io

import numpy as np

from stakes.cli.delimited import as_plain_text
from stakes.cli.reading import read_bytes, unzipped
from stakes.exceptions import FormatError
from stakes.summaries import ConfusionMatrix

__all__ = ["read_confusion"]


def read_confusion(path: str) -> ConfusionMatrix:
    """The counts of a CSV file whose top-left cell says which side is the truth."""
    data, name = read_bytes(path)
    if data[:2] == b"\x1f\x8b":
        data = unzipped(data, name)
    text = as_plain_text(data, name).decode() if data.strip() else ""
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ";" if ";" in text else ","
    rows = [
        [cell.strip() for cell in row]
        for row in csv.reader(io.StringIO(text), delimiter=delimiter)
        if any(cell.strip() for cell in row)
    ]
    if len(rows) < 2:
        raise FormatError(f"{name} holds no table.", hint="truth,no,yes\nno,90,5\nyes,1,4")
    (corner, *across), *body = rows
    down = [row[0] for row in body]
    if corner.lower() not in ("truth", "decision"):
        raise FormatError(
            f"{name}: rows are headed {','.join(down)} and columns {','.join(across)} - I need to "
            "know which side is the truth.",
            hint="Put 'truth' in the top-left cell if rows are the truth, "
            "'decision' if rows are the decision.",
        )
    counts = np.array([_counts(row, across, name) for row in body])
    if corner.lower() == "decision":
        return ConfusionMatrix(counts.T, classes=across, decisions=down)
    return ConfusionMatrix(counts, classes=down, decisions=across)


def _counts(row: list[str], across: list[str], name: str) -> list[float]:
    """The numbers of one row."""
    if len(row) != len(across) + 1:
        raise FormatError(
            f"{name}: row '{row[0]}' has {len(row) - 1} counts for {len(across)} columns."
        )
    try:
        return [float(cell) for cell in row[1:]]
    except ValueError:
        raise FormatError(
            f"{name}: row '{row[0]}' holds something that is not a number: {', '.join(row[1:])}."
        ) from None
