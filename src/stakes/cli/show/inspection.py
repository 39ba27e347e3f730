"""What files hold: rows, columns, costs, counts, and a command that would evaluate them."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.terminal import continued, print_wrapped
from stakes.exceptions import DataError
from stakes.inquiry.column_roles import CLASS_COLUMN, ID_NAMES, LABEL_NAMES
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.truth import KNOWN_PAIRS, counted, quoted, texts
from stakes.messages.audience import shown
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
from stakes.typing import FloatArray

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
    """Every column and array of a file; without a truth, the first of few labels may be it."""
    names = range(len(table.names))
    if label is not None:
        table.position(label)
    elif _is_table(table):  # what heads the rows, and the numbers
        head, *cells = (_column(table, i, table.names[0]) for i in names)
        cells = [replace(each, role="cells", labels=None) for each in cells]
        return [replace(head, role="heads"), *cells]
    columns = [_column(table, i, label) for i in names]
    if not any(each.role == "truth" for each in columns):
        few = (k for k in names if (held := columns[k].labels) and len(held.names) >= 2)
        for k in islice(few, 1):
            columns[k] = replace(columns[k], role="likely-truth")
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


def _column(table: Table, i: int, label: str | None) -> Described:
    """One column, and what it would be taken as."""
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
    role = "numbers"
    if is_truth:
        role = "truth"
    elif numbers is not None and CLASS_COLUMN.match(name):
        role = "class"
    elif labels is not None:
        role = "decisions"
    elif numbers is None:
        role = "text"
    elif np.nanmin(numbers) >= 0 and np.nanmax(numbers) <= 1:
        role = "scores"
    return Described(name, holds, role, labels)


def _holds(numbers: FloatArray | None, labels: Labels | None) -> str:
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


def _suggestion(
    path: str, table: Table, columns: list[Described], positive: str | None
) -> tuple[str, str]:
    """A command that would evaluate the file, and what to say before it."""
    words, costs = ["stakes", "eval", path], "--cost fn=10 fp=1"
    if columns and columns[0].role == "heads":
        words.insert(2, "--confusion")
        if len(table.names) == 3:
            words += ["--positive", positive or table.names[-1]]
        else:
            costs = "--costs costs.toml"
        said = "A table of truth by decision. If it holds costs, give it with your data as "
        said += f"--costs {path}. If it counts cases, evaluate it with costs of your own:"
        return f"{shlex.join(words)} {costs}", said
    if table.is_list:
        said = "To evaluate its scores as log-likelihood ratios, with costs of your own:"
        return f"{shlex.join(words)} {costs}", said
    truth = next((each for each in columns if each.role in ("truth", "likely-truth")), None)
    if truth is None:
        said = "I cannot tell which column holds the truth. Say:"
        return f"{shlex.join(words)} --label COLUMN ...", said
    words += ["--label", truth.name]
    names = truth.labels.names if truth.labels is not None else ()
    scores = [each.name for each in columns if each.role == "scores"]
    if any(each.role == "class" for each in columns):
        words += ["--proba", _class_pattern(columns)]
    elif scores:
        words += ["--proba" if scores[0] in table.matrices else "--scores", ",".join(scores)]
    else:
        decisions = [each.name for each in columns if each.role == "decisions"]
        words += ["--decisions", ",".join(decisions) or "COLUMN"]
    if len(names) != 2 or truth.labels is None:
        costs = "--costs costs.toml"
    elif positive is not None or {name.lower() for name in names} not in map(set, KNOWN_PAIRS):
        rarer = int(truth.labels.counts[1] <= truth.labels.counts[0])
        words += ["--positive", positive or names[rarer]]
    return f"{shlex.join(words)} {costs}", "To evaluate it, with costs of your own:"


def _class_pattern(columns: list[Described]) -> str:
    """A pattern that finds the columns of one probability per outcome."""
    matches = [match for each in columns if (match := CLASS_COLUMN.match(each.name))]
    stem = matches[0].group(0)[: matches[0].start("name")]
    if any(match["model"] for match in matches):
        stem = "*." + stem.rpartition(".")[2]
    return f"{stem}*"


def _numbers(table: Table, cells: NDArray[Any], name: str) -> FloatArray | None:
    """The column as numbers, or None."""
    from stakes.sources.cells import as_numbers

    try:
        numbers = as_numbers(cells, name, decimal_comma=table.decimal_comma)
    except DataError:
        return None
    return None if np.isnan(numbers).all() else numbers


def _few_whole(numbers: FloatArray) -> bool:
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
    elif path.is_dir() or glob.has_magic(word):  # whatever the form; of a folder those with rows
        names = [name for name in fitting(word) if Path(name).is_file()]
        names = names or list(found_files(word).paths)
    else:
        raise FileNotFoundError(2, "No such file", word)
    if all(name.lower().endswith(".toml") for name in names):
        return "costs"
    if all(name.lower().endswith(".json") or is_summary(name) for name in names):
        return "counts"
    return "rows" if names == [word] else "files"


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
    from stakes.application.cost_sentences import describe_application

    costs = read_uncertain_costs(path)
    print(shown(describe_application(costs.expected)))
    if len(costs.corners()) > 1:
        print("(costs given as ranges are shown by their means)")
    print(f"\nTo use them:\n  stakes eval DATA.csv --label COLUMN ... --costs {shown(path)}")


# ------------------------------------------------------------- counts


def _counts(words: list[str]) -> None:
    """Counts that were kept, one line for each file, and what can be done with them."""
    paths, rows, decided = listed_files(words), [], True
    for path in paths:
        summary = load_summary(path)
        named = summary if isinstance(summary, Mapping) else {}
        joint = getattr(_first(summary), "joint", _first(summary))
        decided &= isinstance(joint, (ConfusionMatrix, PairedCounts))
        kinds = [type(_first(part)) for part in (named.values() or [summary])]
        parts = dict.fromkeys(_CALLED[kind] for kind in kinds if kind in _CALLED)
        models = texts(tuple(getattr(joint, "systems", named)))
        rows.append((grouped(cases_in(summary)), models, texts(joint.classes), parts))
    cases, systems, outcomes, held = zip(*rows, strict=True)
    short = [Path(path).name for path in paths]
    print_columns(
        Column("file", short if len(set(short)) == len(short) else paths, label=True),
        Column("cases", cases),
        Column("models", [", ".join(each) or "-" for each in systems], label=True),
        Column("outcomes", [", ".join(each) for each in outcomes], label=True),
        Column("holds", [" + ".join(each) for each in held], right=False, drop=1),
    )
    print()
    if not decided:
        print_wrapped("In Python: stakes.summaries.load_summary(path), then stakes.curves.")
        return
    costs = "--costs costs.toml"
    if all(len(each) == 2 for each in outcomes):
        costs = f"--positive {shlex.quote(outcomes[0][1])} --cost fn=10 fp=1"
    given = shlex.join(words)
    print_wrapped("To judge them, with costs of your own:")
    lines = [f"stakes eval {given} {costs}"]
    if len(paths) > 1:
        lines = [f"stakes monitor {given} {costs}", f"stakes merge {given} -o all.json"]
    for line in lines:
        print("\n".join(continued(shown(line))))


def _first(summary: Any) -> Any:
    """The first summary of a collection, or the only one."""
    return _first(next(iter(summary.values()))) if isinstance(summary, Mapping) else summary
