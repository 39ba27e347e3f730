"""Write the decided rows of a DuckDB relation to a file as they come."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes._optional import load
from stakes.engines.batch_capacity import LimitedBatch, limited_batch
from stakes.engines.decided_frame import DecidedFrame, arrays_read, columns_read, decided_frame
from stakes.engines.decided_lazily import has_expression
from stakes.engines.undecided_rows import refuse_names, refuse_undecided
from stakes.exceptions import DataError
from stakes.messages.quantities import grouped
from stakes.rules import DecisionRule
from stakes.rules.decided_rows import REASON
from stakes.rules.rule_sql import read_columns, score_columns
from stakes.sources.table_output import line_of

#: Rows that leave DuckDB together, where NumPy decides them.
_BATCH = 1 << 16
#: The most rows that can be decided within limits: all their expected costs are in memory.
_MOST_ROWS = 20_000_000
#: How DuckDB is told to write, by the ending of the file.
_FORMATS = {".parquet": "FORMAT parquet", ".csv": "FORMAT csv", ".jsonl": "FORMAT json"}
#: Types of columns that files of text cannot hold, by the ending of the file.
_NO_CELLS = {
    ".csv": ("list", "array", "struct", "map", "union", "blob", "bit", "interval"),
    ".jsonl": ("blob",),
}


def write_decided(
    rule: DecisionRule,
    relation: Any,
    path: Path,
    ending: str,
    *,
    on_error: str,
    columns: Any,
    capacity: Any = None,
) -> DecidedFrame:
    """Write the rows with the rule's decisions, in their order, and return their numbers."""
    _keep_order(relation)
    if capacity is not None:
        batch = _limited(rule, relation, columns, capacity)
        found = _by_batches(batch.rule, relation, path, ending, on_error, columns, batch.codes)
        return replace(found, batch=batch)
    if not has_expression(rule):
        return _by_batches(rule, relation, path, ending, on_error, columns)
    found = decided_frame(rule, relation, on_error=on_error, columns=columns, of_file=True)
    _copied(found.frame, path, ending)
    return found


def _copied(rows: Any, path: Path, ending: str, *, header: bool = True) -> None:
    """Let DuckDB write rows into a file."""
    target, form = str(path).replace("'", "''"), _FORMATS[ending]
    form += f", HEADER {header}" if ending == ".csv" else ""
    rows.query("stakes_decided", f"COPY stakes_decided TO '{target}' ({form})")


def _keep_order(relation: Any) -> None:
    """Make DuckDB write rows in the order of the files."""
    relation.query("stakes_rows", "SET preserve_insertion_order = true")


def _limited(rule: DecisionRule, relation: Any, columns: Any, capacity: Any) -> LimitedBatch:
    """Decide all rows within limits at once, in a first pass over the columns that are needed."""
    names = score_columns(rule, columns)
    needed = read_columns(rule, names)
    refuse_names(rule, relation.columns, names, marked=False)
    count = int(relation.count("*").fetchall()[0][0])
    if count > _MOST_ROWS:
        raise DataError(
            f"{grouped(count)} rows are too many to be decided within limits; the most is "
            f"{grouped(_MOST_ROWS)}.",
            hint="leave out --capacity: the prices of a rule from  stakes eval ... --capacity  "
            "keep to its limits on average",
        )
    chosen = ", ".join('"' + name.replace('"', '""') + '"' for name in needed)
    read: dict[str, list[Any]] = {name: [] for name in needed}
    for table in _tables(relation.project(chosen)):
        for name, values in columns_read(rule, nw.from_native(table), names).items():
            read[name].append(values)
    whole = {name: np.concatenate([np.empty(0), *parts]) for name, parts in read.items()}
    return limited_batch(rule, *arrays_read(rule, whole, names), capacity)


def _tables(relation: Any) -> Iterator[Any]:
    """The rows as Arrow tables, in their order; one without rows if there are none."""
    arrow = load("pyarrow", extra="duckdb")
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    reader, empty = read(_BATCH), True
    for batch in reader:
        empty = False
        yield arrow.Table.from_batches([batch])
    if empty:
        yield reader.schema.empty_table()


def _in_cells(relation: Any, ending: str) -> Any:
    """The rows with what the cells of a file cannot hold as the text that DuckDB makes of it."""
    parts = []
    for name, kind in zip(relation.columns, relation.types, strict=True):
        quoted = '"' + name.replace('"', '""') + '"'
        text = kind.id in _NO_CELLS.get(ending, ())
        parts.append(f"CAST({quoted} AS VARCHAR) AS {quoted}" if text else quoted)
    return relation.project(", ".join(parts))


def _by_batches(
    rule: DecisionRule,
    relation: Any,
    path: Path,
    ending: str,
    on_error: str,
    columns: Any,
    codes: NDArray[Any] | None = None,
) -> DecidedFrame:
    """Write rows that NumPy decides in batches: for limits, and calibrations without a formula.

    If undecided rows are an error, it is raised when those of all batches are counted.
    """
    rows, outside, why = 0, 0, Counter[str]()
    first: int | None = None  # the number of the first undecided row
    writer: Any = None
    with path.open("wb") as stream:
        for table in _tables(_in_cells(relation, ending)):
            taken = None if codes is None else codes[rows : rows + len(table)]
            found = decided_frame(rule, table, on_error="column", columns=columns, codes=taken)
            frame = found.frame
            if first is None and found.undecided:
                reasons = frame.column(REASON).to_pylist()
                first = rows + next(k for k, said in enumerate(reasons, 1) if said is not None)
            rows, outside = rows + found.rows, outside + found.outside
            why.update(found.undecided)
            if on_error == "raise":
                frame = frame.drop_columns([REASON])
                if first is not None:
                    continue  # nothing of this file is kept
            writer = writer or _writer(ending, stream, frame.schema)
            writer[0](frame)
        if on_error == "raise":
            refuse_undecided(dict(why), rows, first)
        if writer is not None:
            writer[1]()
    return DecidedFrame(None, rows, outside, dict(why))


def _writer(
    ending: str, stream: Any, schema: Any
) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    """Functions that write an Arrow table and that finish the file."""
    if ending == ".jsonl":

        def lines(table: Any) -> None:
            stream.write("".join(map(line_of, table.to_pylist())).encode("utf-8"))

        return lines, lambda: None
    if ending == ".csv":
        return _csv_writer(stream)
    made = load("pyarrow.parquet", extra="duckdb").ParquetWriter(stream, schema)
    return made.write_table, made.close


def _csv_writer(stream: Any) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    """The same for CSV in the words of DuckDB, as where it decides; Arrow quotes all text."""
    con = load("duckdb", extra="duckdb").connect()  # the other one is still reading
    con.execute("SET TimeZone = 'UTC'")

    def cells(table: Any) -> None:
        with tempfile.TemporaryDirectory(prefix="stakes-") as folder:
            part = Path(folder, "part.csv")
            _copied(con.from_arrow(table), part, ".csv", header=not stream.tell())
            stream.write(part.read_bytes())

    return cells, con.close
