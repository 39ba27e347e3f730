"""What files hold: rows, columns, costs, counts, and a command that would evaluate them."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.terminal import continued, print_wrapped
from stakes.exceptions import DataError
from stakes.inquiry.column_contents import Described, described, empty_in
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.proposal import file_words, proposal
from stakes.inquiry.proposal import lines as proposed_lines
from stakes.inquiry.truth import quoted, texts
from stakes.messages.audience import shown
from stakes.messages.quantities import grouped
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
        from stakes.cli.show.cost_table import print_costs

        print_costs(words[0])
    elif kind == "counts":
        _counts(words)
    else:
        _rows(words[0], inquiry, found_files(words[0]) if kind == "files" else None)


# ------------------------------------------------------------- rows


def _rows(word: str, inquiry: Inquiry, files: Files | None) -> None:
    """The columns of a file, or of the first of many, and a command that would evaluate them."""
    table = read_table(word if files is None else files.paths[0])
    columns = described(table, inquiry.label)
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
    remark, *lines = _suggestion(word, table, columns, inquiry)
    print_wrapped(remark)
    for line in lines:
        print(f"  {shown(line)}")


def _suggestion(
    path: str, table: Table, columns: list[Described], inquiry: Inquiry
) -> tuple[str, ...]:
    """What to say of a command that would evaluate the file, and the command."""
    (path,) = file_words(path)
    if columns and columns[0].role == "heads":
        words = ["stakes", "eval", "--confusion", path]
        two = len(table.names) == 3
        words += ["--positive", inquiry.positive or table.names[-1]] if two else []
        words += ["--cost", *(["fn=10", "fp=1"] if two else ["error=1"])]
        said = "A table of truth by decision. If it holds costs, give it with your data as "
        said += f"--costs {path}. If it counts cases, evaluate it with costs of your own:"
        return said, shlex.join(words)
    if table.is_list:
        said = "To evaluate its scores as log-likelihood ratios, with costs of your own:"
        return said, shlex.join(["stakes", "eval", path, "--cost", "fn=10", "fp=1"])
    found, empty = proposal(table, inquiry), empty_in(columns)
    scores = [each.name for each in columns if each.role == "scores"]
    if found is None and empty is not None and scores:
        said = f"'{empty.name}' is empty. To estimate what the models cost without labels:"
        words = ["stakes", "estimate", path, "--reference", "LABELLED.csv", "--label", empty.name]
        words += ["--scores", ",".join(scores), "--cost", "fn=10", "fp=1"]
        return said, shlex.join(words), "  (LABELLED.csv: earlier cases with their labels)"
    if found is None:
        said = "I cannot tell which column holds the truth. Say:"
        return said, shlex.join(["stakes", "inspect", path, "--label"]) + " COLUMN"
    if not found.models:
        said = "I cannot tell which columns hold what models say: probabilities of each outcome, "
        return (f"{said}or decisions.",)
    wanted = proposed_lines(found, inquiry.but(source=path))
    return "To evaluate it:", *wanted, *([f"({found.assumed})"] if found.assumed else [])


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
    costs = "--cost error=1"
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
