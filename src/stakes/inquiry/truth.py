"""The cases: the truth of each, the outcomes in order, and how much each case weighs."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.fast_loops import ordinary_scale
from stakes.exceptions import DataError, LabelError
from stakes.inquiry.inquiry import Inquiry
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.sources.cells import Labels
from stakes.sources.table import Table
from stakes.sources.trial_lists import KEY_PAIRS

#: A column with more different values than this cannot be a column of outcomes.
_MOST_OUTCOMES = 1000
#: Pairs where everybody acts on the second.
KNOWN_PAIRS = KEY_PAIRS

#: What the slice of the cases without a value is called.
NO_VALUE = "(empty)"


@dataclass(frozen=True, slots=True)
class Cases:
    """The truth of each case as a position in `classes`; `rows` are their rows in the file.

    `found` are the outcomes that occur, sorted, which is the order of columns without names.
    `ids` are the names of all rows of the file, if a column names them.
    """

    classes: tuple[str, ...]
    truth: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    rows: NDArray[np.intp]
    label: str
    found: tuple[str, ...] = ()
    ids: NDArray[Any] | None = None

    def __len__(self) -> int:
        return int(self.truth.shape[0])

    @property
    def totals(self) -> NDArray[np.float64]:
        """Number (or weight) of the cases of each class."""
        found = np.bincount(self.truth, weights=self.weights, minlength=len(self.classes))
        return found.astype(np.float64)

    @property
    def counted(self) -> NDArray[np.float64]:
        """Rows of each class, whatever they weigh; those of weight 0 are left out."""
        truth = self.truth if self.weights is None else self.truth[self.weights > 0]
        return np.bincount(truth, minlength=len(self.classes)).astype(np.float64)

    @property
    def priors(self) -> NDArray[np.float64]:
        """Share of each class in the data."""
        totals = self.totals
        return np.asarray(totals / totals.sum())

    def kept(self, keep: NDArray[np.bool_]) -> Cases:
        """Only the cases that are wanted."""
        weights = None if self.weights is None else self.weights[keep]
        return replace(self, truth=self.truth[keep], weights=weights, rows=self.rows[keep])


def texts(names: tuple[Any, ...]) -> tuple[str, ...]:
    """Names as text."""
    return tuple(str(name) for name in names)


def quoted(names: Any) -> str:
    """Names in quotes with commas between them, the first ten."""
    shown = ", ".join(f"'{name}'" for name in list(names)[:10])
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"


def rows_of(count: int, what: str) -> str:
    """The beginning of a sentence about rows: '1 row of x is', '37 rows of x are'."""
    rows, verb = ("row", "is") if count == 1 else ("rows", "are")
    return f"{grouped(count)} {rows} of {what} {verb}"


def about_truth(
    labels: Labels, label: str, inquiry: Inquiry, empty: int, rows: Sequence[int] = ()
) -> list[Note]:
    """What to say about labels with spaces around them, and about rows without the truth.

    The latter are an error unless they are to be left out; `rows` are the first of them.
    """
    notes = []
    if labels.trimmed is not None:
        notes.append(Note("spaces-left-out", label=labels.trimmed, read=labels.trimmed.strip()))
    if empty:
        said = rows_of(empty, f"'{label}', the truth,")
        if inquiry.missing != "drop":
            first = f"; the first is row {grouped(rows[0] + 1)}" if rows else ""
            raise DataError(
                f"{said} empty{first}.", hint="To leave them out: --missing drop", rows=rows
            )
        notes.append(Note("truth-empty", rows=said))
    return notes


def places_of(labels: Labels, label: str, classes: Sequence[str]) -> list[int]:
    """Where each outcome that occurs stands among the classes; all must be there."""
    strangers = [name for name in labels.names if name not in classes]
    if strangers:
        raise LabelError(
            f"'{label}' holds {counted(labels)}, but the costs speak of {quoted(classes)}.",
            hint=f"add {quoted(strangers)} to the costs, or correct the spelling",
        )
    return [classes.index(name) for name in labels.names]


def counted(labels: Labels) -> str:
    """'no' (18 433) and 'yes' (1 567), the most frequent first."""
    counts = labels.counts
    order = np.argsort(-counts, kind="stable")[:8].tolist()
    parts = [f"'{labels.names[i]}' ({grouped(int(counts[i]))})" for i in order]
    if len(labels.names) > 8:
        return f"{', '.join(parts)} and {len(labels.names) - 8} more"
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def spelt_alike(labels: Labels) -> str:
    """A line about outcomes that differ in nothing but capitals and spaces; empty without any."""
    seen: dict[str, str] = {}
    for name in labels.names:
        other = seen.setdefault(" ".join(name.lower().split()), name)
        if other != name:
            return f"'{other}' and '{name}' may be one outcome: spell it alike in every row\n"
    return ""


def with_outcomes(labels: Labels, names: Sequence[str]) -> Labels:
    """Labels with outcomes beside those that occur, in order of their names."""
    if not names:
        return labels
    every = tuple(sorted({*labels.names, *names}))
    places = np.array([*map(every.index, labels.names), -1], dtype=np.intp)  # the last is empty
    return replace(labels, names=every, codes=places[labels.codes])


def binary_order(labels: Labels, positive: str | None, label: str) -> tuple[str, str]:
    """The two outcomes, the one that is acted on second."""
    if len(labels.names) > 2:
        raise LabelError(
            f"'{label}' holds {len(labels.names)} outcomes, {counted(labels)}, but this needs two: "
            "one you act on and one you do not.",
            hint=spelt_alike(labels) + "when every error costs the same:  --cost error=1\n"
            "otherwise give a file of costs, --costs costs.toml, which you get from:  "
            f"stakes costs --template FILE --label {shlex.quote(label)} -o costs.toml",
        )
    refuse_single(labels, label)
    first, second = labels.names
    rarer = second if labels.counts[1] <= labels.counts[0] else first
    if positive is not None:
        if positive not in labels.names:
            folded = {name.lower(): name for name in labels.names}
            near = difflib.get_close_matches(positive.strip().lower(), folded, n=1)
            meant = folded[near[0]] if near else rarer
            message = f"'{positive}' does not occur in '{label}', which holds {counted(labels)}."
            hint, code = f"Say: --positive {shlex.quote(meant)}", None if near else "no-positive"
            raise LabelError(message, hint=hint, code=code)
        return (second, first) if positive == first else (first, second)
    for low, high in KNOWN_PAIRS:
        if {first.lower(), second.lower()} == {low, high}:
            return (first, second) if second.lower() == high else (second, first)
    raise LabelError(
        f"I cannot tell which outcome is the one you act on. '{label}' holds {counted(labels)}.",
        hint=f"Say: --positive {shlex.quote(rarer)}",
        code="no-positive",
    )


def refuse_single(labels: Labels, label: str) -> None:
    """Raise when there are not at least two outcomes to tell apart, or far too many."""
    if len(labels.names) > _MOST_OUTCOMES:
        held = f"'{label}' holds {grouped(len(labels.names))} different values"
        message = f"{held}, which look like numbers or ids, not like outcomes."
        raise LabelError(message, hint="name the column that holds the truth:  --label COLUMN")
    if len(labels.names) < 2:
        if not labels.names:
            raise LabelError(
                f"'{label}' is empty.",
                hint="for cases without labels:  stakes estimate FILE --reference LABELLED.csv\n"
                "or name another column:  --label COLUMN",
            )
        only = f"only {counted(labels)}"
        empty = int((labels.codes < 0).sum())
        if empty:
            only += f" and {grouped(empty)} empty cell{'' if empty == 1 else 's'} (such as NA)"
        raise LabelError(
            f"'{label}' holds {only}, so nothing can be said about telling outcomes apart.",
            hint="bring cases of every outcome, or name another column:  --label COLUMN",
        )


def cases_of(
    table: Table, labels: Labels, label: str, classes: tuple[str, ...], inquiry: Inquiry
) -> tuple[Cases, list[Note]]:
    """The cases over the outcomes in `classes`, and what to say about them."""
    places = np.array(places_of(labels, label, classes), dtype=np.intp)
    empty = np.flatnonzero(labels.codes < 0)
    notes = about_truth(labels, label, inquiry, empty.size, empty[:10].tolist())
    rows = np.flatnonzero(labels.codes >= 0)
    weights = None if inquiry.weight is None else _weights(table, inquiry.weight)[rows]
    ids = None if inquiry.id is None else _ids(table, inquiry.id)
    truth = places[labels.codes[rows]]
    return Cases(classes, truth, weights, rows, label, labels.names, ids), notes


def _ids(table: Table, name: str) -> NDArray[Any]:
    """The name of each row of the file; a row without one is named by its number."""
    labels = table.labels(name)
    found = np.array([*labels.names, None], dtype=object)[labels.codes]
    for k in np.flatnonzero(labels.codes < 0).tolist():
        found[k] = f"row {grouped(k + 1)}"
    return found


def _weights(table: Table, name: str) -> NDArray[np.float64]:
    """The weight of each row; every one a number, none negative."""
    try:
        weights = table.numbers(name)
    except DataError as error:
        hint = "a column of numbers that says how much each row weighs:  --weight COLUMN"
        raise DataError(error.message, hint=hint, rows=error.rows) from None
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        what = "empty" if np.isnan(weights[row]) else f"{weights[row]:g}"
        raise DataError(
            f"weights must be numbers that are not negative; row {grouped(row + 1)} of '{name}' is "
            f"{what} ({grouped(int(bad.sum()))} of {grouped(weights.size)} rows).",
            rows=np.flatnonzero(bad)[:10].tolist(),
        )
    if not weights.any():
        raise DataError(f"every weight in '{name}' is 0, so there is nothing to average.")
    return np.asarray(weights / ordinary_scale(weights))  # only their proportions count
