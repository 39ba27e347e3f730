"""What files hold: rows, columns, costs, counts, and a command that would evaluate them."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.terminal import continued, print_wrapped, shown
from stakes.exceptions import DataError
from stakes.inquiry.column_roles import CLASS_COLUMN, ID_NAMES, LABEL_NAMES
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.truth import KNOWN_PAIRS, counted, quoted, texts
from stakes.messages.quantities import grouped, plain
from stakes.sources.cells import Labels, as_labels
from stakes.sources.count_files import cases_in, listed_files
from stakes.sources.patterns import Files, fitting, found_files
from stakes.sources.table import Table
from stakes.sources.table_file import read_table
from stakes.summaries import (
    ConfusionMatrix,
    CostTally,
    GroupedCounts,
    PairedCounts,
    ScoreBins,
    ScoreCounts,
    load_summary,
)
from stakes.summaries.stored_file import is_summary

#: What a column may be taken as, in words.
_TAKEN_AS = {
    "heads": "heads of the rows",
    "cells": "counts or costs",
    "twice": "two columns of one name",
    "id": "an id",
    "truth": "the truth",
    "likely-truth": "the truth?",
    "decisions": "outcomes or decisions?",
    "scores": "probabilities?",
    "numbers": "numbers",
    "text": "-",
}

#: A column with more different values than this is not taken for outcomes.
_MOST_OUTCOMES = 50


@dataclass(frozen=True, slots=True)
class Described:
    """One column: what it holds, what it would be taken as, and its labels if it has few."""

    name: str
    holds: str
    role: str
    labels: Labels | None = None

    @property
    def taken_as(self) -> str:
        """The role in words; that of a probability of one outcome says which."""
        if self.role != "class":
            return _TAKEN_AS[self.role]
        match = CLASS_COLUMN.match(self.name)
        assert match is not None
        return f"p({match['name']})" + (f" by {match['model']}" if match["model"] else "")


def _described(table: Table, label: str | None) -> list[Described]:
    """Every column and array of a file."""
    if label is not None:
        table.position(label)
    elif _is_table(table):
        return _cross_table(table)
    columns = [_column(table, i, label) for i in range(len(table.names))]
    if not any(each.role == "truth" for each in columns):
        columns = _likeliest_truth(columns)
    arrays = [
        Described(name, f"array of {grouped(m.shape[0])} x {m.shape[1]}", "scores")
        for name, m in table.matrices.items()
    ]
    return [*columns, *arrays]


def _is_table(table: Table) -> bool:
    """Whether the rows are headed like a table of truth by decision."""
    if not table.names or table.names[0].lower() not in ("truth", "decision"):
        return False
    heads = as_labels(table.getters[0]()).names
    return len(heads) == table.n_rows and bool(set(heads) & set(table.names[1:]))


def _cross_table(table: Table) -> list[Described]:
    """The columns of a table of truth by decision: what heads the rows, and the numbers."""
    columns = [_column(table, i, table.names[0]) for i in range(len(table.names))]
    counts = [replace(each, role="cells", labels=None) for each in columns[1:]]
    return [replace(columns[0], role="heads"), *counts]


def _column(table: Table, i: int, label: str | None) -> Described:
    """One column."""
    name, cells = table.names[i], table.getters[i]()
    numbers = _numbers(table, cells, name)
    is_truth = name == label or (label is None and name.lower() in LABEL_NAMES)
    labels = as_labels(cells) if numbers is None or is_truth or _few_whole(numbers) else None
    if labels is not None and len(labels.names) > _MOST_OUTCOMES:
        labels = None
    holds = _holds(numbers, labels)
    if table.names.count(name) > 1:
        return Described(name, holds, "twice")
    if name.lower() in ID_NAMES:
        return Described(name, holds, "id")
    return Described(name, holds, "truth" if is_truth else _role(name, numbers, labels), labels)


def _holds(numbers: NDArray[np.float64] | None, labels: Labels | None) -> str:
    """What a column holds, in words."""
    if labels is not None and labels.names:
        empty = int((labels.codes < 0).sum())
        text = counted(labels)
    elif numbers is not None:
        empty = int(np.isnan(numbers).sum())
        if empty == numbers.size:
            return "nothing"
        low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
        text = f"numbers from {plain(low, 4)} to {plain(high, 4)}"
    else:
        empty, text = 0, "text"
    return f"{text}, {grouped(empty)} empty" if empty else text


def _role(name: str, numbers: NDArray[np.float64] | None, labels: Labels | None) -> str:
    """What a column would be taken as."""
    if numbers is not None and CLASS_COLUMN.match(name):
        return "class"
    if labels is not None:
        return "decisions"
    if numbers is not None and np.nanmin(numbers) >= 0 and np.nanmax(numbers) <= 1:
        return "scores"
    return "numbers" if numbers is not None else "text"


def _likeliest_truth(columns: list[Described]) -> list[Described]:
    """Mark the first column of few labels as the likely truth."""
    for k, each in enumerate(columns):
        if each.labels is not None and len(each.labels.names) >= 2:
            columns[k] = replace(each, role="likely-truth")
            break
    return columns


def _suggestion(
    path: str, table: Table, columns: list[Described], positive: str | None
) -> tuple[str, str]:
    """A command that would evaluate the file, and what to say before it."""
    if columns and columns[0].role == "heads":
        return _for_cross_table(path, table, positive)
    if table.is_list:
        return f"stakes eval {shlex.quote(path)} --cost fn=10 fp=1", (
            "To evaluate its scores as log-likelihood ratios, with costs of your own:"
        )
    truth = next((each for each in columns if each.role in ("truth", "likely-truth")), None)
    words = ["stakes", "eval", path]
    if truth is None:
        return " ".join([*map(shlex.quote, words), "--label COLUMN ..."]), (
            "I cannot tell which column holds the truth. Say:"
        )
    words += ["--label", truth.name]
    names = truth.labels.names if truth.labels is not None else ()
    if any(each.role == "class" for each in columns):
        words += ["--proba", _class_pattern(columns)]
    elif any(each.role == "scores" for each in columns):
        scores = [each.name for each in columns if each.role == "scores"]
        words += ["--proba" if scores[0] in table.matrices else "--scores", ",".join(scores)]
    else:
        decisions = [each.name for each in columns if each.role == "decisions"]
        words += ["--decisions", ",".join(decisions) or "COLUMN"]
    if len(names) == 2:
        known = any({name.lower() for name in names} == set(pair) for pair in KNOWN_PAIRS)
        if positive is not None or not known:
            counts = truth.labels.counts if truth.labels is not None else np.zeros(2)
            words += ["--positive", positive or names[int(counts[1] > counts[0]) ^ 1]]
        costs = "--cost fn=10 fp=1"
    else:
        costs = "--costs costs.toml"
    command = f"{' '.join(map(shlex.quote, words))} {costs}"
    return command, "To evaluate it, with costs of your own:"


def _for_cross_table(path: str, table: Table, positive: str | None) -> tuple[str, str]:
    """The command for a confusion matrix, and what to do if the table holds costs."""
    words = ["stakes", "eval", "--confusion", path]
    if len(table.names) == 3:
        words += ["--positive", positive or table.names[-1], "--cost", "fn=10", "fp=1"]
    else:
        words += ["--costs", "costs.toml"]
    return " ".join(map(shlex.quote, words)), (
        "A table of truth by decision. If it holds costs, give it with your data as "
        f"--costs {path}. If it counts cases, evaluate it with costs of your own:"
    )


def _class_pattern(columns: list[Described]) -> str:
    """A pattern that finds the columns of one probability per outcome."""
    matches = [match for each in columns if (match := CLASS_COLUMN.match(each.name))]
    stem = matches[0].group(0)[: matches[0].start("name")]
    if any(match["model"] for match in matches):
        stem = "*." + stem.rpartition(".")[2]
    return f"{stem}*"


def _numbers(table: Table, cells: NDArray[Any], name: str) -> NDArray[np.float64] | None:
    """The column as numbers, or None."""
    from stakes.sources.cells import as_numbers

    try:
        numbers = as_numbers(cells, name, decimal_comma=table.decimal_comma)
    except DataError:
        return None
    return None if np.isnan(numbers).all() else numbers


def _few_whole(numbers: NDArray[np.float64]) -> bool:
    """Whether numbers look like codes of outcomes: few and whole."""
    kept = numbers[~np.isnan(numbers)]
    if not (kept == np.floor(kept)).all():
        return False
    return np.unique(kept).size <= min(10, max(2, kept.size // 10))


#: What summaries are called in a table.
_CALLED: dict[type, str] = {
    ConfusionMatrix: "decisions",
    PairedCounts: "decisions",
    GroupedCounts: "decisions by group",
    CostTally: "costs per case",
    ScoreBins: "scores in bins",
    ScoreCounts: "scores",
}


def kinds_of(words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """What the words stand for, in order; counts that follow each other are put together."""
    found: list[tuple[str, list[str]]] = []
    for word in words:
        kind = _kind(word)
        if kind == "counts" and found and found[-1][0] == kind:
            found[-1][1].append(word)
        elif kind == "costs":
            found += [(kind, [path]) for path in listed_files([word])]
        else:
            found.append((kind, [word]))
    return found


def _kind(word: str) -> str:
    """Whether a word names counts, costs, one file of rows, or many that are counted apart."""
    if "://" in word:
        raise DataError(
            f"'{word}' is not on this machine, and inspecting reads a whole file.",
            hint="copy one of the files here and inspect that; stakes eval reads addresses",
        )
    path = Path(word)
    if word == "-" or (path.exists() and not path.is_dir()):  # a file, or a pipe
        names = [word]
    elif path.is_dir() or glob.has_magic(word):
        names = _names(word)
    else:
        raise FileNotFoundError(2, "No such file", word)
    if all(name.lower().endswith(".toml") for name in names):
        return "costs"
    if all(name.lower().endswith(".json") or is_summary(name) for name in names):
        return "counts"
    return "rows" if names == [word] else "files"


def _names(word: str) -> list[str]:
    """The files of a pattern whatever their form, or those of a folder, which are rows."""
    matched = [name for name in fitting(word) if Path(name).is_file()]
    return matched or list(found_files(word).paths)


def inspected(kind: str, words: list[str], inquiry: Inquiry) -> None:
    """Print what the files hold."""
    if kind == "costs":
        _costs(words[0])
    elif kind == "counts":
        _counts(words)
    else:
        _rows(words[0], inquiry, found_files(words[0]) if kind == "files" else None)


# ------------------------------------------------------------- rows


def _rows(word: str, inquiry: Inquiry, files: Files | None) -> None:
    """The columns of a file, or of the first of many, and a command that would evaluate them."""
    table = read_table(word if files is None else files.paths[0])
    columns = _described(table, inquiry.label)
    if files is not None and len(files.paths) > 1:
        print_wrapped(f"{word}: {grouped(len(files.paths))} files, {files.form}; the first of them")
    print_wrapped(f"{table.source}: {grouped(table.n_rows)} rows, {table.form}")
    print()
    print_columns(
        Column("column", [each.name for each in columns], label=True),
        Column("holds", [each.holds for each in columns], label=True),
        Column("taken as", [each.taken_as for each in columns], right=False),
    )
    if files is not None and files.hive:
        keys = sorted(files.folder_keys)
        print_wrapped(f"Folders are columns too: {quoted(keys)}, e.g. --by {keys[0]}")
    print()
    command, remark = _suggestion(word, table, columns, inquiry.positive)
    print_wrapped(remark)
    print(f"  {shown(command)}")


# ------------------------------------------------------------- costs


def _costs(path: str) -> None:
    """Say back what a file of costs holds."""
    from stakes.application import read_uncertain_costs
    from stakes.application.sentences import describe_application

    costs = read_uncertain_costs(path)
    print(shown(describe_application(costs.expected)))
    if len(costs.corners()) > 1:
        print("(costs given as ranges are shown by their means)")
    print(f"\nTo use them:\n  stakes eval DATA.csv --label COLUMN ... --costs {shown(path)}")


# ------------------------------------------------------------- counts


def _counts(words: list[str]) -> None:
    """Counts that were kept, one line for each file, and what can be done with them."""
    paths = listed_files(words)
    found = [_held(load_summary(path)) for path in paths]
    short = [Path(path).name for path in paths]
    print_columns(
        Column("file", short if len(set(short)) == len(short) else paths, label=True),
        Column("cases", [grouped(each.cases) for each in found]),
        Column("models", [", ".join(each.models) or "-" for each in found], label=True),
        Column("outcomes", [", ".join(each.outcomes) for each in found], label=True),
        Column("holds", [" + ".join(each.parts) for each in found], right=False, drop=1),
    )
    print()
    if not all(each.decided for each in found):
        print_wrapped("In Python: stakes.summaries.load_summary(path), then stakes.curves.")
        return
    two = all(len(each.outcomes) == 2 for each in found)
    costs = f"--positive {shlex.quote(found[0].outcomes[1])} --cost fn=10 fp=1"
    costs = costs if two else "--costs costs.toml"
    given = " ".join(map(shlex.quote, words))
    print_wrapped("To judge them, with costs of your own:")
    lines = [f"stakes eval {given} {costs}"]
    if len(paths) > 1:
        lines = [f"stakes monitor {given} {costs}", f"stakes merge {given} -o all.json"]
    for line in lines:
        print("\n".join(continued(shown(line))))


@dataclass(frozen=True, slots=True)
class _Held:
    """What one file of counts holds."""

    cases: float
    models: tuple[str, ...]
    outcomes: tuple[str, ...]
    parts: tuple[str, ...]
    decided: bool


def _held(summary: Any) -> _Held:
    """What a summary, or a collection of them, holds."""
    named = summary if isinstance(summary, Mapping) else {}
    first = _first(summary)
    joint = getattr(first, "joint", first)
    kinds = [_first(part) for part in (named.values() or [summary])]
    parts = dict.fromkeys(_CALLED[type(kind)] for kind in kinds if type(kind) in _CALLED)
    models = getattr(joint, "systems", named)
    decided = isinstance(joint, (ConfusionMatrix, PairedCounts))
    return _Held(
        cases_in(summary), texts(tuple(models)), texts(joint.classes), tuple(parts), decided
    )


def _first(summary: Any) -> Any:
    """The first summary of a collection, or the only one."""
    return _first(next(iter(summary.values()))) if isinstance(summary, Mapping) else summary
