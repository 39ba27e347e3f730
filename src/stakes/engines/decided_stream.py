"""Decided rows of a DuckDB relation written to a file as they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stakes._optional import load
from stakes.engines.decided_frame import DecidedFrame, decided_frame, has_expression
from stakes.rules import DecisionRule
from stakes.sources.table_output import line_of

#: Rows that leave DuckDB together, where NumPy decides them.
_BATCH = 1 << 16
#: How DuckDB is told to write, by the ending of the file.
_FORMATS = {".parquet": "FORMAT parquet", ".csv": "FORMAT csv, HEADER", ".jsonl": "FORMAT json"}


def write_decided(
    rule: DecisionRule, relation: Any, path: Path, ending: str, *, on_error: str, columns: Any
) -> DecidedFrame:
    """Write the rows with what the rule says of them, in their order; and say how many they are."""
    _keep_order(relation)
    if not has_expression(rule):
        return _by_batches(rule, relation, path, ending, on_error, columns)
    found = decided_frame(rule, relation, on_error=on_error, columns=columns)
    target = str(path).replace("'", "''")
    copied = f"COPY stakes_decided TO '{target}' ({_FORMATS[ending]})"
    found.frame.query("stakes_decided", copied)
    return found


def _keep_order(relation: Any) -> None:
    """Let rows be written in the order in which they stand in the files."""
    relation.query("stakes_rows", "SET preserve_insertion_order = true")


def _by_batches(
    rule: DecisionRule, relation: Any, path: Path, ending: str, on_error: str, columns: Any
) -> DecidedFrame:
    """The same through NumPy, for calibrations that have no formula."""
    arrow = load("pyarrow", extra="duckdb")
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    rows, outside, why = 0, 0, Counter[str]()
    writer: Any = None
    with path.open("wb") as stream:
        for batch in read(_BATCH):
            table = arrow.Table.from_batches([batch])
            found = decided_frame(rule, table, on_error=on_error, columns=columns)
            writer = writer or _writer(ending, stream, found.frame.schema)
            writer[0](found.frame)
            rows, outside = rows + found.rows, outside + found.outside
            why.update(found.undecided)
        if writer is not None:
            writer[1]()
    return DecidedFrame(None, rows, outside, dict(why))


def _writer(
    ending: str, stream: Any, schema: Any
) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    """What writes a table of Arrow, and what ends the file."""
    if ending == ".jsonl":

        def lines(table: Any) -> None:
            stream.write("".join(map(line_of, table.to_pylist())).encode("utf-8"))

        return lines, lambda: None
    module = load("pyarrow.csv" if ending == ".csv" else "pyarrow.parquet", extra="duckdb")
    kind = module.CSVWriter if ending == ".csv" else module.ParquetWriter
    made = kind(stream, schema)
    return made.write_table, made.close
