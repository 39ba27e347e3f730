"""Some rows of files that an engine reads, as a table in memory."""

from __future__ import annotations

import narwhals as nw

from stakes._random import as_seed
from stakes.engines.frame_reduction import some_rows
from stakes.exceptions import DataError
from stakes.inquiry.inquiry import Attended, Inquiry, plainly
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.sources.patterns import found_files
from stakes.sources.source import FarFiles, from_frame, is_far
from stakes.sources.table import Table

#: The most rows that are taken of the files, and the most cells.
_MOST_ROWS, _MOST_CELLS = 200_000, 4_000_000


# Why a sample is enough for an estimate: docs/design/estimation.md.
def in_rows(inquiry: Inquiry, attended: Attended = plainly) -> tuple[Inquiry, tuple[Note, ...]]:
    """The inquiry about rows in memory; of files that an engine reads, about a sample of them."""
    source = inquiry.source
    if isinstance(source, str) and is_far(source, inquiry.engine, rows_needed=True):
        source = FarFiles(found_files(source), inquiry.engine or "duckdb", inquiry.memory)
    if not isinstance(source, FarFiles):
        return inquiry, ()
    table, whole = _sampled(source, as_seed(inquiry.seed), attended)
    told = {"rows": grouped(table.n_rows), "whole": grouped(whole), "file": source.source}
    notes = (Note("rows-sampled", **told),) if table.n_rows < whole else ()
    return inquiry.but(source=table, engine=None), notes


def _sampled(source: FarFiles, seed: int, attended: Attended) -> tuple[Table, int]:
    """Rows spread evenly over the files, and how many there are; cells of CSV are read as text."""
    texts = dict.fromkeys(source.names, "text") if source.form == "csv" else {}
    with source.opened(texts) as found:
        types = nw.from_native(found.frame).collect_schema()
        names = tuple(name for name, kind in types.items() if not kind.is_nested())
        wanted = min(_MOST_ROWS, _MOST_CELLS // max(len(names), 1))
        said = f"reading rows of {source.source}"
        told = {"progress": found.progress, "begin": found.begin, "stop": found.stop}
        cells, whole = attended(
            lambda: some_rows(found.frame, names, wanted=wanted, seed=seed), said, **told
        )
    if not whole:
        raise DataError(f"{source.source} has no rows.", hint="I need one row per case")
    return from_frame(nw.from_dict(cells, backend="pyarrow"), source.source), whole
