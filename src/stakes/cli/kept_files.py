"""Files of summaries: found by pattern, added one after the other, blamed by name."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stakes.exceptions import FormatError, MergeError
from stakes.summaries import load_summary, merge_summaries

__all__ = ["added", "cases_in", "listed_files"]


def listed_files(words: Sequence[str]) -> list[str]:
    """The files that words and patterns stand for, each once, those of a pattern in order."""
    found: list[str] = []
    for word in words:
        if glob.has_magic(word) and not Path(word).exists():
            matched = sorted(glob.glob(word, recursive=True))  # noqa: PTH207 - may be absolute
            if not matched:
                raise FormatError(
                    f"no file fits '{word}'.", hint="check the folder and the spelling"
                )
            found += matched
        else:
            found.append(word)
    twice = next((path for path in found if found.count(path) > 1), None)
    if twice is not None:
        raise FormatError(
            f"'{twice}' is named twice, so its cases would count twice.",
            hint="leave one of them out",
        )
    return found


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
