"""Files of counts: confusion matrices with names on both sides, and saved summaries."""

from __future__ import annotations

import csv
import glob
import hashlib
import io
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stakes._files import as_path
from stakes.exceptions import FormatError, MergeError
from stakes.sources.cells import are_numbers
from stakes.sources.delimited import as_plain_text, whole_cells
from stakes.sources.patterns import fitting, hidden, refuse_repeats, several_words
from stakes.sources.table_file import read_bytes, unzipped
from stakes.summaries import ConfusionMatrix, PairedCounts, load_summary, merge_summaries
from stakes.summaries.asked_for import ASKED_FOR, AskedFor
from stakes.summaries.sliced_counts import SlicedCounts
from stakes.summaries.stored_file import is_summary


def read_confusion(path: str) -> ConfusionMatrix:
    """The counts of a CSV file whose top-left cell says which side is the truth, or of JSON."""
    data, name = read_bytes(path)
    if data[:2] == b"\x1f\x8b":
        data = unzipped(data, name)
    text = as_plain_text(data, name).decode() if data.strip() else ""
    if text.lstrip().startswith("{"):
        return _from_json(text, name)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ";" if ";" in text else ","
    with whole_cells(name):
        rows = [
            [cell.strip() for cell in row]
            for row in csv.reader(io.StringIO(text), delimiter=delimiter)
            if any(cell.strip() for cell in row)
        ]
    if len(rows) < 2:
        raise FormatError(f"{name} holds no table.", hint="truth,no,yes\nno,90,5\nyes,1,4")
    (corner, *across), *body = rows
    down = [row[0] for row in body]
    if corner.lower() not in ("truth", "decision"):
        raise FormatError(
            f"{name}: rows are headed {_listed(down)} and columns {_listed(across)} - I need to "
            "know which side is the truth.",
            hint="Put 'truth' in the top-left cell if rows are the truth, "
            "'decision' if rows are the decision.",
        )
    return _matrix(corner.lower(), body, across, name)


def _listed(names: list[str]) -> str:
    """The first names with commas, and how many more there are."""
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ",".join(names[:8]) + more


def _matrix(side: str, body: list[list[str]], across: list[str], name: str) -> ConfusionMatrix:
    """The counts of rows that begin with their name; `side` says whether rows are the truth."""
    for head, *cells in body:
        row = f"{name}: row '{head}'"
        if len(cells) != len(across):
            raise FormatError(f"{row} has {len(cells)} counts for {len(across)} columns.")
        if not are_numbers(cells):
            raise FormatError(f"{row} holds something that is not a number: {', '.join(cells)}.")
    counts = np.array([[float(cell) for cell in row[1:]] for row in body])
    down = [row[0] for row in body]
    if side == "decision":
        return ConfusionMatrix(counts.T, classes=across, decisions=down)
    return ConfusionMatrix(counts, classes=down, decisions=across)


def _from_json(text: str, name: str) -> ConfusionMatrix:
    """Counts as {"truth": {"no": {"no": 90, "yes": 5}, ...}}, or with "decision" outside."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name} is not valid JSON: {error}.") from None
    if {"classes", "decisions", "counts"} <= set(found):  # the arguments of ConfusionMatrix
        return ConfusionMatrix(found["counts"], found["classes"], found["decisions"])
    outer = [key for key in ("truth", "decision") if isinstance(found.get(key), dict)]
    if len(outer) != 1 or not all(isinstance(row, dict) for row in found[outer[0]].values()):
        raise FormatError(
            f"{name}: I need to know which side is the truth.",
            hint='{"truth": {"no": {"no": 90, "yes": 5}, "yes": {"no": 1, "yes": 4}}}\n'
            'or the same with "decision" outside',
        )
    rows = found[outer[0]]
    across = list(dict.fromkeys(key for row in rows.values() for key in row))
    body = [[key, *(str(row.get(k, 0)) for k in across)] for key, row in rows.items()]
    return _matrix(outer[0], body, across, name)


def listed_files(words: Sequence[str]) -> list[str]:
    """The files that words and patterns match, each once; those of a pattern in order."""
    found: list[str] = []
    for word in (part for said in words for part in several_words(said) or [said]):
        matched = fitting(word) if glob.has_magic(word) and not Path(word).exists() else [word]
        if not matched:
            raise FormatError(f"no file fits '{word}'.", hint="check the folder and the spelling")
        found += matched
    refuse_repeats(found)
    return found


@dataclass(frozen=True, slots=True)
class SavedCounts:
    """Saved counts, such as one file per day, and files to count with them.

    `read` returns this for saved summaries. The sum of the counts equals that of all their rows.
    """

    paths: tuple[str, ...]
    rest: str | None = None

    @property
    def source(self) -> str:
        """What a sentence calls them."""
        return Path(self.paths[0]).name if len(self.paths) == 1 else f"{len(self.paths)} summaries"

    @property
    def is_far(self) -> bool:
        """True: there are no rows in memory."""
        return True

    @property
    def form(self) -> str:
        """The form of the files."""
        return "saved summaries"


def kept_in(source: Any) -> tuple[list[str], str | None]:
    """Split a source into its saved summaries and the rest.

    A folder holds either summaries, all of which count, or rows.
    """
    if isinstance(source, SavedCounts):
        return list(source.paths), source.rest
    if not isinstance(source, str) or source == "-" or "://" in source:
        return [], None
    kept: list[str] = []
    rest: list[str] = []
    for word in several_words(source) or [source]:
        found = _summaries_of(word)
        kept += found
        rest += [] if found else [word]
    if kept and not rest:
        return listed_files(kept), None
    return listed_files(kept), (rest[0] if len(rest) == 1 else shlex.join(rest)) if kept else None


def _summaries_of(word: str) -> list[str]:
    """The saved summaries that a word matches; none if it means rows."""
    path = as_path(word)
    if path.is_dir():
        inside = [str(p) for p in sorted(path.rglob("*")) if p.is_file() and not hidden(p, path)]
        rows = bool(inside) and not is_summary(inside[0])  # then only .json files are opened
        held = [p for p in inside if (not rows or p.endswith(".json")) and is_summary(p)]
        if held and len(held) < len(inside):
            odd = next(each for each in inside if each not in held)
            raise FormatError(
                f"the folder '{word}' holds saved summaries ({Path(held[0]).name}) and other files "
                f"({Path(odd).name}).",
                hint="keep them in folders of their own, and name both:  stakes eval counts/ rows/",
            )
        return held
    if glob.has_magic(word) and not path.exists():
        found = fitting(word)
        if word.lower().endswith(".json"):
            return listed_files([word])
        return found if found and all(map(is_summary, found)) else []
    return [word] if word.lower().endswith(".json") or is_summary(word) else []


def alike(paths: Sequence[str]) -> list[str]:
    """A sentence for each file whose bytes equal those of an earlier one."""
    seen: dict[bytes, str] = {}
    said = []
    for path in paths:
        held = hashlib.sha256(Path(path).read_bytes()).digest()
        if held in seen:
            same = f"{path} holds exactly what {seen[held]} holds"
            said.append(f"{same}; if it is a copy, its cases were counted twice")
        seen.setdefault(held, path)
    return said


def added(paths: Sequence[str]) -> tuple[Any, float]:
    """The sum of the files and its number of cases; raises for a file that does not fit.

    If some files hold only decisions, so does the sum.
    """
    total = load_summary(paths[0])
    for path in paths[1:]:
        part = load_summary(path)
        try:
            total = merge_summaries(_comparable(total, part))
        except MergeError as error:
            message = f"{Path(path).name} does not fit {Path(paths[0]).name}: {error.message}"
            raise MergeError(message, hint=error.hint) from None
    return total, cases_in(total)


def _comparable(*parts: Any) -> list[Any]:
    """Two summaries, reduced to what both hold; what decided is kept if one of them tells it."""
    full = [isinstance(part, SlicedCounts) for part in parts]
    if all(full):
        return list(parts)
    told = [asked_for(part) for part in parts]
    counts = [_decisions(part) for part in parts]
    joint = next((each for each in counts if isinstance(each, PairedCounts)), None)
    if joint is not None and len(joint.systems) == 1:
        name = joint.systems[0]
        counts = [
            PairedCounts.from_confusion(each, name) if isinstance(each, ConfusionMatrix) else each
            for each in counts
        ]
    if told == [None, None]:
        return counts
    known = [each or other for each, other in zip(told, reversed(told), strict=True)]
    return [{"joint": c, ASKED_FOR: each} for c, each in zip(counts, known, strict=True)]


def _decisions(part: Any) -> Any:
    """The counts of decisions in a summary of decisions; others as they are."""
    if isinstance(part, SlicedCounts):
        return part.joint
    return part["joint"] if asked_for(part) is not None else part


def asked_for(summary: Any) -> AskedFor | None:
    """What decided the counts of a summary; None if it does not tell."""
    if isinstance(summary, SlicedCounts):
        return summary.asked_for
    found = summary.get(ASKED_FOR) if isinstance(summary, Mapping) else None
    return found if isinstance(found, AskedFor) else None


def cases_in(summary: Any) -> float:
    """How many cases a summary counts; for several systems, those of the first."""
    if isinstance(summary, Mapping):
        return cases_in(next(iter(summary.values())))
    return float(summary.class_totals.sum())
