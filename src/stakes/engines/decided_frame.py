"""Add a rule's decisions to the rows of a table, in memory or where the rows are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, is_number
from stakes._columns import as_frame, in_brief
from stakes._names import one_of
from stakes.engines.batch_capacity import LimitedBatch, limited_batch
from stakes.engines.decided_lazily import decided_lazily
from stakes.engines.frame_reduction import native
from stakes.engines.undecided_rows import (
    counted_faults,
    ignores_case,
    refuse_absent,
    refuse_names,
    refuse_undecided,
)
from stakes.exceptions import DataError
from stakes.posteriors.class_order import ClassOrder, told_places
from stakes.rules import DecisionRule
from stakes.rules.decided_rows import (
    ADDED,
    REASON,
    REASONS,
    as_decidable,
    compared_rows,
    costs_of_decisions,
    decided_rows,
    faults,
    named_decisions,
    outside,
)
from stakes.rules.row_expressions import LARGEST_COST
from stakes.rules.rule_sql import case_formulas, read_columns, score_columns
from stakes.sources.far.opened_files import odd_cell
from stakes.typing import FloatArray

_CONVERT = "convert it first, or name another column"
#: Cells of columns without a type that would lose a part, or become a count of nanoseconds.
_ODD_CELLS = (complex, np.complexfloating, np.datetime64, np.timedelta64)
#: The types of pandas that can be null.
_NULLABLE: dict[Any, str] = {nw.Int64: "Int64", nw.Boolean: "boolean"}


@dataclass(frozen=True, slots=True, eq=False)
class DecidedFrame:
    """A table with the decisions of a rule, and numbers of its rows.

    `outside` counts rows whose scores lie beyond the range that the rule was made for, and
    `undecided` counts rows without a decision, by reason. Rows are counted before anything is
    written. `batch` is set if the rows were decided within limits.
    """

    frame: Any
    rows: int
    outside: int
    undecided: dict[str, int]
    batch: LimitedBatch | None = None


def decided_frame(
    rule: DecisionRule,
    frame: Any,
    *,
    on_error: str = "raise",
    columns: Any = None,
    capacity: Any = None,
    codes: NDArray[Any] | None = None,
    of_file: bool = False,
) -> DecidedFrame:
    """See `DecisionRule.decide_frame`; `columns` replaces the columns that the rule knows.

    `codes` are the decisions for these rows if they were already taken, in a larger batch;
    `of_file` says that the rows are those of files that DuckDB reads in order.
    """
    one_of(on_error, "on_error", ("raise", "column"))
    rows = nw.from_native(native(frame, "rule.decide(x)"))
    names = score_columns(rule, columns)
    known, marked = rows.collect_schema().names(), on_error == "column"
    refuse_names(rule, known, names, marked=marked, folded=ignores_case(rows))
    if rows.implementation.is_dask():
        each = "frame.map_partitions(rule.decide_frame)"
        raise DataError("a Dask frame must be decided partition by partition.", hint=each)
    rule = _in_type_of(rule, rows, names)
    if isinstance(rows, nw.DataFrame):
        return _in_memory(rule, rows, names, on_error, capacity, codes)
    if capacity is not None:
        raise DataError(
            "`capacity` needs all rows at once, and a lazy frame has not read them.",
            hint="read the frame into memory, or leave out `capacity`: the prices that a rule "
            "carries keep to its limits on average",
        )
    try:
        return DecidedFrame(*decided_lazily(rule, rows, names, on_error, of_file=of_file))
    except Exception as error:  # each library raises its own
        found = odd_cell(error)
        if found is None:
            raise
        column = f"column {found[0]!r}" if found[0] else "a column"
        raise DataError(
            f"{column} must hold numbers; it holds {found[1].replace('__', '_')!r}.",
            hint=_CONVERT,
            code="text-for-numbers",
        ) from error


def decided_table(rule: DecisionRule, frame: Any) -> Any:
    """Positions of the decisions for a frame that has the rule's columns; None for anything else.

    A lazy frame is returned with a column of decisions, since its rows have not been read.
    """
    rows = as_frame(frame, "frame", pass_through=True)
    if isinstance(rows, nw.LazyFrame):
        return decided_frame(rule, frame).frame
    names = rule.columns or ()
    if not isinstance(rows, nw.DataFrame):
        return None
    if not set(names) <= set(rows.columns):
        unnamed = not all(isinstance(name, str) for name in rows.columns)
        if unnamed or told_places(frame, rule.classes, ClassOrder()) is not None:
            return None  # the columns are numbered, or called as the classes
    refuse_absent(rule, rows.columns, names)
    rule = _in_type_of(rule, rows, names)
    scores, costs = arrays_read(rule, columns_read(rule, rows, names), names)
    return _decided_arrays(rule, scores.astype(rule.score_type), costs)


def _in_type_of(rule: DecisionRule, rows: Any, names: Sequence[str]) -> DecisionRule:
    """The rule for scores of the type of the columns if narrower; refuses types without numbers."""
    types = rows.collect_schema()
    for name in read_columns(rule, names):  # Polars makes numbers of dates
        odd = types[name] == nw.Boolean and name in names and rule.scores != "decision"
        odd = odd or types[name] == nw.Binary
        if odd or types[name].is_temporal() or types[name].is_nested():
            raise DataError(
                f"column {name!r} must hold numbers; its type is {types[name]}.", hint=_CONVERT
            )
    return in_narrow_type(rule, [str(types[name]) for name in names])


def in_narrow_type(rule: DecisionRule, types: Iterable[Any]) -> DecisionRule:
    """The rule for scores of these types, if all are the same one and it is for wider ones."""
    kinds = {str(kind).lower() for kind in types}
    narrow = next((kind for kind in ("float32", "float16") if kinds == {kind}), None)
    if narrow is None or rule.scores == "decision":
        return rule
    if np.dtype(narrow).itemsize >= np.dtype(rule.score_type).itemsize:
        return rule
    return replace(rule, score_type=narrow)


def decided_record(rule: DecisionRule, record: Mapping[str, Any]) -> int:
    """The position of the decision for one case, given as a mapping from columns to values."""
    names = score_columns(rule, None)
    refuse_absent(rule, list(record), names)
    read = {name: np.array([as_number(record[name], name)]) for name in read_columns(rule, names)}
    rule = in_narrow_type(rule, [getattr(record[name], "dtype", None) for name in names])
    scores, costs = arrays_read(rule, read, names)
    return int(_decided_arrays(rule, scores.astype(rule.score_type), costs)[0])


def _decided_arrays(rule: DecisionRule, scores: NDArray[Any], costs: FloatArray | None) -> Any:
    """Decisions by position, or an error with the rows that cannot be decided."""
    found = faults(rule, scores, costs)
    bad = np.flatnonzero(found >= 0)
    if bad.size:
        why = ", ".join(f"{why} in {n}" for why, n in counted_faults(found).items())
        raise DataError(
            f"{bad.size} of {len(found)} cases cannot be decided ({why}); the first is at "
            f"position {bad[0]}.",
            hint='rule.decide_frame(frame, on_error="column")  says why in a column',
            rows=bad[:10].tolist(),
        )
    return rule.positions(scores, costs=costs)


# ----------------------------------------------------------------- in memory


def arrays_decided(
    rule: DecisionRule,
    scores: FloatArray,
    costs: FloatArray | None,
    codes: NDArray[Any] | None = None,
) -> tuple[dict[str, list[Any]], Any, int]:
    """The columns to add, by name; the fault of each row; how many rows lie outside the range.

    `codes` are the decisions of all rows, if they were taken within limits.
    """
    found = faults(rule, scores, costs)
    kept = np.flatnonzero(found < 0)
    names, count = np.array(named_decisions(rule), dtype=object), len(scores)
    columns: dict[str, list[Any]] = {name: [None] * count for name in ADDED}
    beyond = 0
    if kept.size:
        given = as_decidable(rule, scores[kept])
        paid = None if costs is None else costs[kept]
        if codes is None:
            said = decided_rows(rule, given, paid)
        else:
            said = compared_rows(rule, codes[kept], costs_of_decisions(rule, given, paid))
        made = {
            "decision": names[said.codes],
            "expected_cost": said.expected_cost,
            "next_best": np.where(said.next_codes >= 0, names[said.next_codes], None),
            "margin": said.margin,
        }
        beyond = int(outside(rule, scores[kept]).sum())
        for name, values in made.items():
            told = [None if value != value else value for value in values.tolist()]
            cells = columns[name]
            for row, value in zip(kept.tolist(), told, strict=True):
                cells[row] = value
    columns[REASON] = [None if k < 0 else REASONS[k] for k in found.tolist()]
    return columns, found, beyond


def costs_of_rows(rule: DecisionRule, columns: dict[str, FloatArray], n: int) -> FloatArray | None:
    """The costs of each row by the formulas of the rule, (n, K, M), nan where one is unknown."""
    if not rule.per_case:
        return None
    formulas = case_formulas(rule)
    made = np.empty((n, len(rule.classes), len(rule.decisions)))
    known = np.ones(n, dtype=np.bool_)
    for name in read_columns(rule, ()):
        known &= np.abs(columns[name]) <= LARGEST_COST
    every = bool(known.all())
    there = columns if every else {name: cells[known] for name, cells in columns.items()}
    rows: Any = slice(None) if every else known  # a slice is faster
    if not every:
        made[~known] = np.nan
    for i, row in enumerate(formulas):
        for j, formula in enumerate(row):
            made[rows, i, j] = formula._value(there, gaps=True)
    return made


def arrays_read(
    rule: DecisionRule, read: dict[str, FloatArray], names: Sequence[str]
) -> tuple[FloatArray, FloatArray | None]:
    """Scores and costs of each row, from the columns that were read."""
    columns = [read[name] for name in names]
    scores = columns[0] if len(names) == 1 else np.column_stack(columns)
    return scores, costs_of_rows(rule, read, len(scores))


def columns_read(rule: DecisionRule, rows: Any, names: Sequence[str]) -> dict[str, FloatArray]:
    """The columns that a rule reads from a table in memory, as numbers."""
    said = () if rule.scores == "decision" else names
    return {name: _numbers(rows[name], name, name in said) for name in read_columns(rule, names)}


def _numbers(column: Any, name: str, scores: bool) -> FloatArray:
    """A column as floats, nan where a value is missing; truth values are no `scores`."""
    if column.dtype in (nw.Object, nw.Unknown):  # pandas makes numbers of these cells
        odd = (*_ODD_CELLS, bool, np.bool_) if scores else _ODD_CELLS
        found = [cell for cell in column.to_list() if isinstance(cell, odd)]
        if found:
            raise _no_numbers(name, in_brief(found[0]))
    try:
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
    except Exception as error:  # each library raises its own
        strange = (in_brief(cell) for cell in column.to_list() if not _holds_number(cell))
        raise _no_numbers(name, next(strange, column.dtype)) from error


def _no_numbers(name: str, held: Any) -> DataError:
    """The error for a column with other things than numbers."""
    said = f"column {name!r} must hold numbers; it holds {held}."
    return DataError(said, hint=_CONVERT, code="text-for-numbers")


def _holds_number(cell: Any) -> bool:
    """Whether a cell is empty, a number, or text that can be read as one."""
    try:
        return cell is None or is_number(cell) or math.isfinite(float(cell)) or cell != cell
    except (TypeError, ValueError):
        return False


def _in_memory(
    rule: DecisionRule,
    rows: Any,
    names: Sequence[str],
    on_error: str,
    capacity: Any,
    codes: NDArray[Any] | None,
) -> DecidedFrame:
    """Decide the rows of a table in memory with NumPy."""
    scores, costs = arrays_read(rule, columns_read(rule, rows, names), names)
    batch = None if capacity is None else limited_batch(rule, scores, costs, capacity)
    if batch is not None:
        rule, codes = batch.rule, batch.codes
    columns, found, beyond = arrays_decided(rule, scores, costs, codes)
    bad = np.flatnonzero(found >= 0)
    why = counted_faults(found)
    if on_error == "raise":
        refuse_undecided(why, len(rows), int(bad[0]) if bad.size else None)
        columns.pop(REASON)
    types: dict[str, Any] = dict.fromkeys(("expected_cost", "margin"), nw.Float64)
    kind = {str: nw.String, int: nw.Int64, float: nw.Float64, bool: nw.Boolean}
    named = kind[type(named_decisions(rule)[0])]
    types |= dict.fromkeys(("decision", "next_best"), named) | {REASON: nw.String}
    backend = rows.implementation
    made = [_series(name, cells, types[name], backend) for name, cells in columns.items()]
    if backend.is_pandas():  # rows of pandas are known by their index
        index = nw.to_native(rows).index
        natives = {each.name: nw.to_native(each).set_axis(index) for each in made}
        return DecidedFrame(nw.to_native(rows).assign(**natives), len(rows), beyond, why, batch)
    return DecidedFrame(nw.to_native(rows.with_columns(*made)), len(rows), beyond, why, batch)


def _series(name: str, cells: list[Any], kind: Any, backend: Any) -> Any:
    """A column. Plain integers and truth values of pandas cannot be null: None would be False."""
    if backend.is_pandas_like() and kind in _NULLABLE and None in cells:
        made = backend.to_native_namespace().Series(cells, name=name, dtype=_NULLABLE[kind])
        return nw.from_native(made, series_only=True)
    return nw.new_series(name, cells, kind, backend=backend)
