"""The truth, the scores and the slices of files that stay where they are, checked as in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes.engines import Reduction
from stakes.engines.reduction import Part
from stakes.exceptions import DataError, StakesError
from stakes.inquiry.far_columns import FarColumns, is_empty
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_decisions import gaps_said
from stakes.inquiry.model_scores import (
    LOGARITHMS,
    refuse_probabilities_called_logs,
    refuse_useless_narrow,
)
from stakes.inquiry.truth import NO_VALUE, about_truth
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.sources.cells import Labels, as_labels

#: Columns of what is counted: the truth, rows, rows that are kept, their weight, rows without a
#: value.
TRUTH, ROWS, KEPT = "stakes_truth", "stakes_rows", "stakes_kept"
WEIGHT, GAP = "stakes_weight", "stakes_gap"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes, and the value of the column that each stands for.

    `respelt` are other spellings (with spaces around, or a point behind) and those values.
    """

    labels: Labels
    totals: NDArray[Any]  # number or weight of the cases of each
    values: Mapping[str, Any]
    respelt: Mapping[Any, Any]
    notes: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()


def counted_outcomes(frame: Any, columns: FarColumns, inquiry: Inquiry) -> dict[str, list[Any]]:
    """For each value of the truth: its rows, those that are kept, their weight, and the gaps.

    The truth is called `TRUTH`, whatever its column is called.
    """
    rows = nw.from_native(frame)
    sums: dict[str, Any] = {} if columns.weight is None else {WEIGHT: nw.col(columns.weight)}
    if inquiry.missing == "drop":
        types = rows.collect_schema()
        gaps = [is_empty(names, types) for names in columns.may_be_empty.values()]
        gone = reduce(or_, gaps)
        sums = {name: nw.when(gone).then(0.0).otherwise(each) for name, each in sums.items()}
        sums[KEPT] = nw.when(gone).then(0).otherwise(1)
        sums |= {f"{GAP}{k}": nw.when(gap).then(1).otherwise(0) for k, gap in enumerate(gaps)}
    if sums:
        rows = rows.with_columns(**sums)
    added = {name: nw.col(name).sum() for name in sums}
    groups = rows.group_by(columns.label).agg(**{ROWS: nw.len()}, **added)
    eager = groups.collect() if isinstance(groups, nw.LazyFrame) else groups
    found = {name: eager[name].to_list() for name in eager.columns}
    return {TRUTH if name == columns.label else name: cells for name, cells in found.items()}


def outcomes_of(table: Mapping[str, list[Any]], columns: FarColumns, inquiry: Inquiry) -> Outcomes:
    """The outcomes as they are named in memory, and what to say about rows that are left out."""
    raw = [None if value is None or value != value else value for value in table[TRUTH]]
    found = _named(raw)
    names, codes = found.names, found.codes
    there = codes >= 0
    added = {
        name: np.bincount(codes[there], np.array(values, dtype=np.float64)[there], len(names))
        for name, values in table.items() if name != TRUTH
    }  # fmt: skip
    empty = int(sum(table[ROWS]) - added[ROWS].sum())
    notes = about_truth(found, columns.label, inquiry, empty)
    kept = added.get(KEPT, added[ROWS])
    totals = added.get(WEIGHT, kept)
    if not np.isfinite(totals).all():
        raise DataError(
            f"weights must be numbers that are not negative; some of '{inquiry.weight}' are not.",
            hint="correct the files; to leave rows without a weight out:  --missing drop",
        )
    if inquiry.weight and totals.size and not totals.any():
        raise DataError(f"every weight in '{inquiry.weight}' is 0, so there is nothing to average.")
    gaps = {}
    if inquiry.missing == "drop":
        gaps = {n: int(added[f"{GAP}{k}"].sum()) for k, n in enumerate(columns.may_be_empty)}
    warned = gaps_said(gaps, int(kept.sum()), inquiry)
    labels = Labels(names, np.arange(len(names)), None, added[ROWS])
    values, respelt = _spellings(names, codes, raw)
    return Outcomes(labels, totals, values, respelt, tuple(notes), (warned,) if warned else ())


def _named(raw: list[Any]) -> Labels:
    """The names as a file in memory would have them, and the one of each value."""
    codes = np.full(len(raw), -1, dtype=np.intp)
    there = [k for k, value in enumerate(raw) if value is not None]
    if not there:
        return Labels((), codes)
    cells = [raw[k] for k in there]
    plain = all(isinstance(cell, (str, int, float)) for cell in cells)
    found = as_labels(np.array(cells) if plain else np.fromiter(cells, dtype=object))
    codes[there] = found.codes
    return replace(found, codes=codes)


def _spellings(
    names: tuple[str, ...], codes: NDArray[np.intp], raw: list[Any]
) -> tuple[dict[str, Any], dict[Any, Any]]:
    """The value that stands for each name, and the values that mean another one."""
    values: dict[str, Any] = {}
    for k in sorted(range(len(raw)), key=lambda k: str(raw[k])):
        if codes[k] >= 0 and (names[codes[k]] not in values or raw[k] == names[codes[k]]):
            values[names[codes[k]]] = raw[k]
    meant = {raw[k]: values[names[code]] for k, code in enumerate(codes.tolist()) if code >= 0}
    respelt = {value: other for value, other in meant.items() if value != other}
    return {name: values[name] for name in names}, respelt


#: As many rows are looked at; more tell nothing more about what the numbers are.
PREVIEW_ROWS = 10_000


def refuse_far_probabilities(
    frame: Any, columns: FarColumns, models: Sequence[str], inquiry: Inquiry
) -> None:
    """Raise when rows of positive weight are declared logarithms but look like probabilities.

    The first rows let almost everything pass; where they are in doubt, the least and the greatest
    score of all rows have their say. `models` are the names of the columns of scores to people.
    """
    refuse_useless_narrow(inquiry)
    if inquiry.kind not in LOGARITHMS:
        return
    asked = {name: [inner] for name, inner in zip(models, columns.scores, strict=True)}
    asked |= {each.model: list(each.by_class.values()) for each in columns.classes}
    rows = nw.from_native(frame)
    if columns.weight:
        rows = rows.filter(nw.col(columns.weight) > 0)
    for model, names in asked.items():
        numbers = rows.select(*(nw.col(name).cast(nw.Float64) for name in names))
        first = _values(numbers.head(PREVIEW_ROWS), names)
        try:
            refuse_probabilities_called_logs(first, model, inquiry)
        except StakesError:
            if len(first) < PREVIEW_ROWS:
                raise
            ends = {f"low{k}": nw.col(name).min() for k, name in enumerate(names)}
            ends |= {f"high{k}": nw.col(name).max() for k, name in enumerate(names)}
            extremes = _values(numbers.select(**ends), list(ends))
            first[[0, -1]] = extremes.reshape(2, *first.shape[1:])
            looked_at = f", {grouped(PREVIEW_ROWS)} rows of them,"
            refuse_probabilities_called_logs(first, model, inquiry, looked_at=looked_at)


def _values(rows: Any, names: list[str]) -> NDArray[np.float64]:
    """Columns as an array, (n,) of one and (n, K) of several."""
    eager = rows.collect() if isinstance(rows, nw.LazyFrame) else rows
    found = np.column_stack([eager[name].to_numpy().astype(np.float64) for name in names])
    return found[:, 0].copy() if len(names) == 1 else found


def with_names(found: Reduction) -> Reduction:
    """The same counts by the names of slices: 1 and 1.0 are one, and so is all that is no value.

    The values are few where the cases were many, so that engines need not look at each cell.
    """
    columns = []
    for values in zip(*found.slices, strict=True):
        cells = np.empty(len(values), dtype=object)
        cells[:] = values
        labels = as_labels(cells)
        names = [*labels.names, NO_VALUE]
        columns.append([names[code] for code in labels.codes.tolist()])
    parts: dict[tuple[str, ...], Part] = {}
    for key, part in zip(zip(*columns, strict=True), found.parts.values(), strict=True):
        parts[key] = parts[key] + part if key in parts else part
    return Reduction(found.request, found.kinds, parts)
