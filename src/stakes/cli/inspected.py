"""What files hold, printed: rows, patterns of files of rows, costs, and counts that were kept."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stakes.cli.cases import quoted
from stakes.cli.description import described, suggestion
from stakes.cli.globs import Files, fitting, found_files
from stakes.cli.kept_files import cases_in, listed_files
from stakes.cli.output import continued, page_width, print_wrapped, shown
from stakes.cli.place import texts
from stakes.cli.reading import read_table
from stakes.cli.tables import Column, fitted
from stakes.exceptions import DataError
from stakes.report.amounts import grouped
from stakes.summaries import (
    ConfusionMatrix,
    CostTally,
    GroupedCounts,
    PairedCounts,
    ScoreBins,
    ScoreCounts,
    load_summary,
)
from stakes.summaries.storing import is_summary

__all__ = ["inspected", "kinds_of"]

#: What summaries are called in a table.
CALLED: dict[type, str] = {
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


def inspected(kind: str, words: list[str], args: Any) -> None:
    """Print what the files hold."""
    if kind == "costs":
        _costs(words[0])
    elif kind == "counts":
        _counts(words)
    elif kind == "files":
        files = found_files(words[0])
        _rows(files.paths[0], words[0], args, files)
    else:
        _rows(words[0], words[0], args)


# ------------------------------------------------------------- rows


def _rows(path: str, word: str, args: Any, files: Files | None = None) -> None:
    """The columns of a file, or of the first of many, and a command that would evaluate them."""
    table = read_table(path)
    columns = described(table, args.label)
    if files is not None and len(files.paths) > 1:
        print_wrapped(f"{word}: {grouped(len(files.paths))} files, {files.form}; the first of them")
    print_wrapped(f"{table.source}: {grouped(table.n_rows)} rows, {table.form}")
    print()
    text, _ = fitted(
        [
            Column("column", [each.name for each in columns], label=True),
            Column("holds", [each.holds for each in columns], label=True),
            Column("taken as", [each.role for each in columns], right=False),
        ],
        page_width(),
    )
    print(text)
    if files is not None and files.hive:
        keys = sorted(files.folder_keys)
        print_wrapped(f"Folders are columns too: {quoted(keys)}, e.g. --subset {keys[0]}")
    print()
    command, remark = suggestion(word, table, columns, args.positive)
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
    text, _ = fitted(
        [
            Column("file", short if len(set(short)) == len(short) else paths, label=True),
            Column("cases", [grouped(each.cases) for each in found]),
            Column("models", [", ".join(each.models) or "-" for each in found], label=True),
            Column("outcomes", [", ".join(each.outcomes) for each in found], label=True),
            Column("holds", [" + ".join(each.parts) for each in found], right=False, drop=1),
        ],
        page_width(),
    )
    print(text)
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
    parts = dict.fromkeys(CALLED[type(kind)] for kind in kinds if type(kind) in CALLED)
    models = getattr(joint, "systems", named)
    decided = isinstance(joint, (ConfusionMatrix, PairedCounts))
    return _Held(
        cases_in(summary), texts(tuple(models)), texts(joint.classes), tuple(parts), decided
    )


def _first(summary: Any) -> Any:
    """The first summary of a collection, or the only one."""
    return _first(next(iter(summary.values()))) if isinstance(summary, Mapping) else summary
