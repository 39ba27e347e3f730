"""What the columns of a file hold, and what each would be taken as."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError
from stakes.inquiry.column_roles import ID_NAMES, LABEL_NAMES, recognised
from stakes.inquiry.truth import KNOWN_PAIRS, counted
from stakes.messages.quantities import grouped, plain
from stakes.sources.cells import Labels, as_labels
from stakes.sources.table import Table
from stakes.typing import FloatArray

#: What a column may be taken as, in words.
_TAKEN_AS = {
    "heads": "heads of the rows",
    "cells": "counts or costs",
    "twice": "two columns of one name",
    "id": "an id",
    "time": "a date",
    "truth": "the truth",
    "likely-truth": "the truth?",
    "decisions": "outcomes or decisions?",
    "scores": "probabilities?",
    "array": "probabilities?",
    "log-odds": "log-odds?",
    "numbers": "numbers",
    "text": "-",
    "empty": "empty (labels not here yet?)",
}
#: A column with more different values than this is not taken for outcomes.
_MOST_OUTCOMES = 50
#: The truth is often called so; such a column is proposed, and never taken without a word.
_OFTEN_TRUTH = ("class", "outcome", "status", "response", "result", "ground_truth", "gt", "default")
#: The signs of the truth that do not rest on its number of values alone.
_GOOD_SIGNS = 3
#: Log-odds hardly lie further from 0.
_FARTHEST_LOG_ODDS = 100
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?([T ].*)?|\d{4}/\d\d/\d\d.*")


@dataclass(frozen=True, slots=True)
class Described:
    """One column: what it holds, what it would be taken as, and its labels if it has few.

    `outcome` and `model` are set for the probability of one outcome.
    """

    name: str
    holds: str
    role: str
    labels: Labels | None = None
    outcome: str = ""
    model: str = ""

    @property
    def taken_as(self) -> str:
        """The role in words; that of a probability of one outcome says which."""
        if self.role != "class":
            return _TAKEN_AS[self.role]
        return f"p({self.outcome})" + (f" by {self.model}" if self.model else "")


def described(table: Table, label: str | None) -> list[Described]:
    """Every column and array of a file; without a name that says so, one may be the truth."""
    names = range(len(table.names))
    if label is not None:
        table.position(label)
    elif _is_table(table):  # what heads the rows, and the numbers
        head, *cells = (_column(table, i, table.names[0]) for i in names)
        cells = [replace(each, role="cells", labels=None) for each in cells]
        return [replace(head, role="heads"), *cells]
    columns = [_column(table, i, label) for i in names]
    if not any(each.role == "truth" for each in columns):
        k = _likely_truth(table, columns)
        if k is not None:
            columns[k] = replace(columns[k], role="likely-truth")
    arrays = [
        Described(name, f"array of {grouped(m.shape[0])} x {m.shape[1]}", "array")
        for name, m in table.matrices.items()
    ]
    return [*_with_classes(table, columns), *arrays]


def truth_in(columns: Sequence[Described]) -> Described | None:
    """The column of the truth, or the one that may be it."""
    return next((each for each in columns if each.role in ("truth", "likely-truth")), None)


def empty_in(columns: Sequence[Described]) -> Described | None:
    """The first column without a single value."""
    return next((each for each in columns if each.role == "empty"), None)


def _likely_truth(table: Table, columns: Sequence[Described]) -> int | None:
    """Which column of few values is most likely the truth; None without any."""
    classes = [set(model.by_class) for model in recognised(table)]

    def unlikeliness(k: int) -> int:
        held = columns[k].labels
        assert held is not None
        pair = {name.lower() for name in held.names} in [set(each) for each in KNOWN_PAIRS]
        named = columns[k].name.lower() in _OFTEN_TRUTH
        signs = (set(held.names) in classes, named, pair, len(held.names) == 2)
        return next((place for place, sign in enumerate(signs) if sign), len(signs))

    few = [k for k, each in enumerate(columns) if each.labels and len(each.labels.names) >= 2]
    few = [k for k in few if columns[k].role == "decisions"]
    if empty_in(columns) is not None:  # which may be the truth, so that others need a good sign
        few = [k for k in few if unlikeliness(k) < _GOOD_SIGNS]
    return min(few, key=unlikeliness, default=None)


def _with_classes(table: Table, columns: Sequence[Described]) -> list[Described]:
    """The columns, with those that hold the probability of one outcome marked as such."""
    truth = truth_in(columns)
    outcomes = truth.labels.names if truth is not None and truth.labels is not None else ()
    found = {
        column: (outcome, model.model)
        for model in recognised(table, truth.name if truth is not None else None)
        if set(model.by_class) == set(outcomes)
        for outcome, column in model.by_class.items()
    }
    kinds = {each.name: each.role for each in columns}
    if not found and outcomes and all(kinds.get(name) == "scores" for name in outcomes):
        found = {name: (name, "") for name in outcomes}
    marked = []
    for each in columns:
        outcome, model = found.get(each.name, ("", ""))
        named = "" if model == "model" else model
        marked.append(
            replace(each, role="class", outcome=outcome, model=named) if outcome else each
        )
    return marked


def _is_table(table: Table) -> bool:
    """Whether the rows are headed like a table of truth by decision."""
    if not table.names or table.names[0].lower() not in ("truth", "decision"):
        return False
    heads = as_labels(table.getters[0]()).names
    return len(heads) == table.n_rows and bool(set(heads) & set(table.names[1:]))


def _column(table: Table, i: int, label: str | None) -> Described:
    """One column, and what it would be taken as."""
    name, cells = table.names[i], table.getters[i]()
    numbers = _numbers(table, cells, name)
    is_truth = name == label or (label is None and name.lower() in LABEL_NAMES)
    labels = as_labels(cells) if numbers is None or is_truth or _few_whole(numbers) else None
    texts = labels.names if labels is not None and numbers is None else ()
    dates = bool(texts) and all(map(_DATE.fullmatch, texts))
    if labels is not None and len(labels.names) > _MOST_OUTCOMES:
        labels = None
    holds = _holds(numbers, labels)
    if table.names.count(name) > 1:
        return Described(name, holds, "twice")
    if name.lower() in ID_NAMES:
        return Described(name, holds, "id")
    role = "text" if numbers is None else _numeric_role(numbers)
    if labels is not None and not labels.names:
        role = "empty"
    elif is_truth:
        role = "truth"
    elif dates:
        role = "time"
    elif labels is not None:
        role = "decisions"
    return Described(name, holds, role, labels)


def _numeric_role(numbers: FloatArray) -> str:
    """What a column of numbers may be: probabilities, log-odds, or anything."""
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    if low >= 0 and high <= 1:
        return "scores"
    near_zero = low < 0 < high and max(-low, high) < _FARTHEST_LOG_ODDS
    return "log-odds" if near_zero and not _whole(numbers) else "numbers"


def _holds(numbers: FloatArray | None, labels: Labels | None) -> str:
    """What a column holds, in words."""
    if labels is not None and labels.names:
        empty = int((labels.codes < 0).sum())
        text = counted(labels)
    elif numbers is not None:
        empty = int(np.isnan(numbers).sum())
        low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
        text = f"numbers from {plain(low, 4)} to {plain(high, 4)}"
    else:
        empty, text = 0, "text" if labels is None else "nothing"
    return f"{text}, {grouped(empty)} empty" if empty else text


def _numbers(table: Table, cells: NDArray[Any], name: str) -> FloatArray | None:
    """The column as numbers, or None."""
    try:
        numbers = table.as_numbers(cells, name)
    except DataError:
        return None
    return None if np.isnan(numbers).all() else numbers


def _whole(numbers: FloatArray) -> bool:
    """Whether all are whole."""
    kept = numbers[~np.isnan(numbers)]
    return bool((kept == np.floor(kept)).all())


def _few_whole(numbers: FloatArray) -> bool:
    """Whether numbers look like codes of outcomes: few and whole."""
    kept = numbers[~np.isnan(numbers)]
    return _whole(numbers) and np.unique(kept).size <= min(10, max(2, kept.size // 10))
