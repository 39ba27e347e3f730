"""The table of cases: from one file, from several, or from a list of trials with files of
scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError
from stakes.inquiry.column_roles import CLASS_COLUMN, ID_NAMES, find_label, words_of
from stakes.inquiry.inquiry import Inquiry
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped
from stakes.sources.table import Table, table_of_columns
from stakes.sources.table_file import read_table


def table_of(inquiry: Inquiry) -> tuple[Table, Inquiry, list[Note]]:
    """The table that is asked about, what it makes plain filled in, and what to say about it."""
    if inquiry.trials:
        return _from_trials(inquiry)
    table = inquiry.source if isinstance(inquiry.source, Table) else read_table(inquiry.file or "")
    notes: list[Note] = []
    if table.is_list:
        inquiry = inquiry.but(label=inquiry.label or "truth")
        notes.append(Note("form-of-file", form=table.form))
        if not inquiry.models_given:
            inquiry, said = _as_llr(inquiry.but(scores="score"))
            notes += said
    if "correct" in table.names and "prediction" in table.names and inquiry.label is None:
        inquiry, said = _openml(table, inquiry)
        notes += said
    if inquiry.more:
        table, said = _joined(table, inquiry.more, inquiry.join_on)
        notes += said
    if inquiry.join_on and not inquiry.more:
        raise DataError("--join-on needs a second file.", hint="--more scores.csv --join-on id")
    if "model" in table.names and "model" not in (inquiry.label or "").split(","):
        table, inquiry, said = _widened(table, inquiry)
        notes += said
    return table, inquiry, notes


def _from_trials(inquiry: Inquiry) -> tuple[Table, Inquiry, list[Note]]:
    """Trials and one file of scores per model, joined by the names of the recordings."""
    from stakes.sources.trials import read_trials, trials_command

    trials, file = str(inquiry.trials), inquiry.file
    if file is not None:
        lone = not inquiry.scores and file != trials
        scores = inquiry.scores or (file if lone else "SCORES.txt")
        raise DataError(
            f"--trials takes the place of the file of cases; got {file} and --trials {trials}.",
            hint=(f"if {file} holds scores:  " if lone else "leave the file out:  ")
            + trials_command(trials, scores),
        )
    table, notes = read_trials(trials, words_of(inquiry.scores))
    models = ",".join(name for name in table.names if name != "truth")
    inquiry, said = _as_llr(inquiry.but(label="truth", scores=models))
    return table, inquiry, [*notes, *said]


def _as_llr(inquiry: Inquiry) -> tuple[Inquiry, list[Note]]:
    """Scores of such lists are log-likelihood ratios unless something else was said."""
    if inquiry.scores_are is not None:
        return inquiry, []
    return inquiry.but(scores_are="llr"), [Note("scores-are-llr")]


def _openml(table: Table, inquiry: Inquiry) -> tuple[Inquiry, list[Note]]:
    """Predictions of a run: the truth is in `correct`; confidences of 0 and 1 are decisions."""
    inquiry, notes = inquiry.but(label="correct"), []
    again = {"repeat", "row_id"} <= set(table.names) and len(table.labels("repeat").names) > 1
    if again and not inquiry.groups:
        inquiry = inquiry.but(groups="row_id")
        notes.append(Note("repeats-averaged"))
    confidences = [name for name in table.names if name.startswith("confidence.")]
    certain = bool(confidences) and all(
        np.isin(table.numbers(name), (0.0, 1.0)).all() for name in confidences
    )
    if (certain or not confidences) and not inquiry.models_given:
        inquiry = inquiry.but(decisions="prediction")
        notes.append(Note("confidences-certain" if confidences else "confidences-absent"))
    return inquiry, notes


def _joined(table: Table, more: str, key: str | None) -> tuple[Table, list[Note]]:
    """Further columns from other files, looked up by an id."""
    if not key:
        raise DataError("--more needs to know by what to join.", hint="--join-on id")
    notes = []
    wanted = _ids(table, key)
    columns = {name: table.getters[i] for i, name in enumerate(table.names)}
    for path in more.split(","):
        other = read_table(path)
        given = _ids(other, key)
        places = {name: k for k, name in enumerate(given)}
        if len(places) < len(given):
            raise DataError(f"{other.source}: '{key}' holds the same value more than once.")
        rows = np.array([places.get(name, -1) for name in wanted], dtype=np.intp)
        if (rows < 0).all():
            raise DataError(f"no '{key}' of {table.source} occurs in {other.source}.")
        for name in other.names:
            if name != key:
                called = name if name not in columns else f"{Path(path).stem}.{name}"
                columns[called] = _looked_up(other, name, rows)
        said = {"file": other.source, "key": key}
        absent = int((rows < 0).sum())
        partly = Note("joined-in-part", **said, rows=grouped(absent))
        notes.append(partly if absent else Note("joined", **said))
    return replace(table, names=tuple(columns), getters=tuple(columns.values())), notes


def _ids(table: Table, key: str) -> list[str]:
    """A column of ids as text."""
    labels = table.labels(key)
    names = [*labels.names, ""]
    return [names[code] for code in labels.codes.tolist()]


def _looked_up(table: Table, name: str, rows: NDArray[np.intp]) -> Any:
    """A function that gives a column in the order of another table, empty where absent."""

    def column() -> NDArray[Any]:
        found = _text(table.cells(name)).astype(object)[rows]
        found[rows < 0] = None
        return found

    return column


def _widened(table: Table, inquiry: Inquiry) -> tuple[Table, Inquiry, list[Note]]:
    """One row per model and case turned into one row per case: `cat.p_a`, `cat.p_b`, ..."""
    key = next((name for name in table.names if name.lower() in ID_NAMES), None)
    values = [n for n in table.names if CLASS_COLUMN.match(n)]
    models = _ids(table, "model")
    asked = {
        option: _of_each(getattr(inquiry, option).split(","), dict.fromkeys(models), table.names)
        for option in ("scores", "decisions")
        if getattr(inquiry, option)
    }
    values += [name for found in asked.values() for name in found.values() if name in table.names]
    values = list(dict.fromkeys(values))
    if key is None or not values:
        return table, inquiry, []
    label, _ = find_label(table, inquiry.label)
    ids, truth = _ids(table, key), _ids(table, label)
    order = list(dict.fromkeys(ids))
    place = {name: k for k, name in enumerate(order)}
    rows = np.array([place[name] for name in ids], dtype=np.intp)
    said = dict(zip(ids, truth, strict=True))
    for name, outcome in zip(ids, truth, strict=True):
        if said[name] != outcome:
            raise DataError(f"{table.source}: the truth of '{name}' differs between models.")
    columns: dict[str, Any] = {key: np.array(order), label: np.array([said[n] for n in order])}
    names = np.array(models)
    for model in dict.fromkeys(models):
        inside = np.flatnonzero(names == model)
        if np.unique(rows[inside]).size < inside.size:
            raise DataError(f"{table.source}: '{model}' speaks of one '{key}' more than once.")
        for value in values:
            cells = np.full(len(order), None, dtype=object)
            cells[rows[inside]] = _text(table.cells(value))[inside]
            columns[f"{model}.{value}"] = cells
    inquiry = inquiry.but(**{option: ",".join(found) for option, found in asked.items()})
    wide = replace(table_of_columns(table.source, columns, table.form), digest=table.digest)
    many = {"models": len(set(models)), "cases": grouped(len(order))}
    return wide, inquiry, [Note("long-form", **many, key=key)]


def _of_each(words: list[str], models: Iterable[str], names: tuple[str, ...]) -> dict[str, str]:
    """Which column of the long form each wide one comes from: `p` of all models, or `cat.p`."""
    found = {f"{model}.{name}": name for model in models for name in words if name in names}
    single = {f"{model}.{name}": name for model in models for name in names}
    return found | {word: single.get(word, word) for word in words if word not in names}


def _text(cells: NDArray[Any]) -> NDArray[Any]:
    """Cells of a file as text."""
    return np.char.decode(cells, "utf-8") if cells.dtype.kind == "S" else cells
