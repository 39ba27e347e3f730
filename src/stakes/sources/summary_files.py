"""Files of summaries: found by pattern, added one after the other, blamed by name."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stakes.exceptions import FormatError, MergeError
from stakes.sources.patterns import fitting
from stakes.summaries import load_summary, merge_summaries


def listed_files(words: Sequence[str]) -> list[str]:
    """The files that words and patterns stand for, each once, those of a pattern in order."""
    found: list[str] = []
    for word in words:
        if glob.has_magic(word) and not Path(word).exists():
            matched = fitting(word)
            if not matched:
                raise FormatError(
                    f"no file fits '{word}'.", hint="check the folder and the spelling"
                )
            found += matched
        else:
            found.append(word)
    seen: dict[Path, str] = {}
    for name in found:
        place = Path(name).resolve()
        if place in seen:
            first = "" if seen[place] == name else f" (it is '{seen[place]}' too)"
            raise FormatError(
                f"'{name}' is named twice{first}, so its cases would count twice.",
                hint="leave one of them out",
            )
        seen[place] = name
    return found


def alike(paths: Sequence[str]) -> list[str]:
    """A sentence for each file that holds, byte for byte, what an earlier one holds."""
    seen: dict[bytes, str] = {}
    said = []
    for path in paths:
        held = hashlib.sha256(Path(path).read_bytes()).digest()
        if held in seen:
            said.append(
                f"{path} holds exactly what {seen[held]} holds; if it is a copy, its cases were "
                "counted twice"
            )
        seen.setdefault(held, path)
    return said


def added(paths: Sequence[str]) -> tuple[Any, float]:
    """The sum of the files and its number of cases; a file that does not fit is named."""
    total = load_summary(paths[0])
    for path in paths[1:]:
        part = load_summary(path)
        try:
            total = merge_summaries([total, part])
        except MergeError as error:
            raise MergeError(
                f"{Path(path).name} does not fit {Path(paths[0]).name}: {error.message}",
                hint=error.hint,
            ) from None
    return total, cases_in(total)


def cases_in(summary: Any) -> float:
    """How many cases a summary counts; of several, the first one's."""
    if isinstance(summary, Mapping):
        return cases_in(next(iter(summary.values())))
    return float(summary.class_totals.sum())
