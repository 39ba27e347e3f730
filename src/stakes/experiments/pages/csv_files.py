"""The numbers behind the pages as CSV, with all their digits."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from stakes.experiments.items import Cell
from stakes.experiments.pages.words import source, verdict
from stakes.results import Frame

__all__ = ["cells_csv", "frame_csv"]

HEAD = (
    "name",
    "reading",
    "published",
    "ours",
    "difference",
    "tolerance",
    "verdict",
    "note",
    "source",
)


def cells_csv(cells: Sequence[Cell]) -> str:
    """One line per number: printed, ours, difference, verdict."""
    return _written(
        HEAD,
        (
            (
                cell.name,
                cell.reading,
                "" if cell.published is None else cell.published,
                cell.ours if cell.available else "",
                cell.difference if cell.agrees is not None else "",
                cell.tolerance,
                verdict(cell),
                cell.note,
                source(cell),
            )
            for cell in cells
        ),
    )


def frame_csv(frame: Frame) -> str:
    """A table of numbers behind a figure."""
    return _written(frame.columns, (row.values() for row in frame.rows()))


def _written(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Lines of CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return stream.getvalue()
