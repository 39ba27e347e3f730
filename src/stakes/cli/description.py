"""What the columns of a file hold, and a command that would evaluate it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.cli.cases import KNOWN_PAIRS, counted
from stakes.cli.cells import Labels, as_labels
from stakes.cli.columns import CLASS_COLUMN, ID_NAMES, LABEL_NAMES
from stakes.cli.reading import Table
from stakes.exceptions import DataError
from stakes.report.amounts import grouped, plain

__all__ = ["Described", "described", "suggestion"]

#: What the first column of a table of truth by decision is taken as.
CROSSED = "heads of the rows"

#: A column with more different values than this is not taken for outcomes.
MOST_OUTCOMES = 50


@dataclass(frozen=True, slots=True)
class Described:
    """One column: what it holds, what it would be taken as, and its labels if it has few."""

    name: str
    holds: str
    role: str
    labels: Labels | None = None


def described(table: Table, label: str | None) -> list[Described]:
    """Every column and array of a file."""
    if label is not None:
        table.position(label)
    elif _is_table(table):
        return _cross_table(table)
    columns = [_column(table, i, label) for i in range(len(table.names))]
    if not any(each.role == "the truth" for each in columns):
        columns = _likeliest_truth(columns)
    arrays = [
        Described(name, f"array of {grouped(m.shape[0])} x {m.shape[1]}", "probabilities?")
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
    heads = [Described(columns[0].name, columns[0].holds, CROSSED, columns[0].labels)]
    return heads + [Described(each.name, each.holds, "counts or costs") for each in columns[1:]]


def _column(table: Table, i: int, label: str | None) -> Described:
    """One column."""
    name, cells = table.names[i], table.getters[i]()
    numbers = _numbers(table, cells, name)
    is_truth = name == label or (label is None and name.lower() in LABEL_NAMES)
    labels = as_labels(cells) if numbers is None or is_truth or _few_whole(numbers) else None
    if labels is not None and len(labels.names) > MOST_OUTCOMES:
        labels = None
    if table.names.count(name) > 1:
        return Described(name, _holds(cells, numbers, labels), "two columns of one name")
    if name.lower() in ID_NAMES:
        return Described(name, _holds(cells, numbers, labels), "an id")
    if is_truth:
        return Described(name, _holds(cells, numbers, labels), "the truth", labels)
    return Described(name, _holds(cells, numbers, labels), _role(name, numbers, labels), labels)


def _holds(cells: NDArray[Any], numbers: NDArray[np.float64] | None, labels: Labels | None) -> str:
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
    match = CLASS_COLUMN.match(name)
    if match and numbers is not None:
        model = f" by {match['model']}" if match["model"] else ""
        return f"p({match['name']}){model}"
    if labels is not None:
        return "outcomes or decisions?"
    if numbers is not None and np.nanmin(numbers) >= 0 and np.nanmax(numbers) <= 1:
        return "probabilities?"
    return "numbers" if numbers is not None else "-"


def _likeliest_truth(columns: list[Described]) -> list[Described]:
    """Mark the first column of few labels as the likely truth."""
    for k, each in enumerate(columns):
        if each.labels is not None and len(each.labels.names) >= 2:
            columns[k] = Described(each.name, each.holds, "the truth?", each.labels)
            break
    return columns


def suggestion(
    path: str, table: Table, columns: list[Described], positive: str | None
) -> tuple[str, str]:
    """A command that would evaluate the file, and what to say before it."""
    if columns and columns[0].role == CROSSED:
        return _for_cross_table(path, table, positive)
    if table.form.startswith("list"):
        return f"stakes eval {shlex.quote(path)} --cost fn=10 fp=1", (
            "To evaluate its scores as log-likelihood ratios, with costs of your own:"
        )
    truth = next((each for each in columns if each.role.startswith("the truth")), None)
    words = ["stakes", "eval", path]
    if truth is None:
        return " ".join([*map(shlex.quote, words), "--label COLUMN ..."]), (
            "I cannot tell which column holds the truth. Say:"
        )
    words += ["--label", truth.name]
    names = truth.labels.names if truth.labels is not None else ()
    if any(each.role.startswith("p(") for each in columns):
        words += ["--proba", _class_pattern(columns)]
    elif any(each.role == "probabilities?" for each in columns):
        scores = [each.name for each in columns if each.role == "probabilities?"]
        words += ["--proba" if scores[0] in table.matrices else "--scores", ",".join(scores)]
    else:
        decisions = [each.name for each in columns if each.role == "outcomes or decisions?"]
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
    several = any(match["model"] for match in matches)
    stem = matches[0].group(0)[: matches[0].start("name")]
    if several:
        stem = "*." + stem.rpartition(".")[2]
    return f"{stem}*"


def _numbers(table: Table, cells: NDArray[Any], name: str) -> NDArray[np.float64] | None:
    """The column as numbers, or None."""
    from stakes.cli.cells import as_numbers

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
