"""Lists of trials and scores without a header, as speech laboratories write them.

Recognised by their content: which column holds keys (target or nontarget, bonafide or spoof, ...),
which holds the score, which hold the names of recordings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError, FormatError
from stakes.report.amounts import grouped

__all__ = ["KEY_PAIRS", "List", "is_list", "is_trials", "joined_scores", "read_list"]

#: How the two kinds of trials are called: the one that is not acted on first.
KEY_PAIRS = (
    ("nontarget", "target"),
    ("imp", "tgt"),
    ("impostor", "target"),
    ("imposter", "target"),
    ("spoof", "bonafide"),
    ("spoof", "bona-fide"),
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
)
_HEADERS = {"modelid", "segmentid", "segment", "targettype", "llr", "side", "score", "label"}
_WIDEST = 8


@dataclass(frozen=True, slots=True)
class List:
    """A list in columns: the names of recordings, and keys and scores where it has them."""

    source: str
    ids: list[NDArray[np.str_]]
    keys: NDArray[np.str_] | None
    scores: NDArray[np.float64] | None
    said: str


def is_list(data: bytes) -> bool:
    """Whether a text is such a list: words between blanks, a key in every line, and a score."""
    rows = _rows(data[:65536].rpartition(b"\n")[0] or data[:65536])
    if len(rows) < 2 or not _even(rows) or not 2 <= len(rows[0]) <= _WIDEST:
        return False
    text = data[:65536].decode("utf-8", errors="replace")
    if any(mark in text for mark in ",;|") or _headed(rows):
        return False
    columns = list(zip(*rows, strict=True))
    keyed = bool(_key_columns(columns)) or _claims(columns) is not None
    return keyed and any(_numeric(c) for c in columns)


def is_trials(data: bytes) -> bool:
    """Whether a text is a list of trials alone: names and a key in every line, no score."""
    rows = _rows(data[:65536].rpartition(b"\n")[0] or data[:65536])
    if len(rows) < 2 or not _even(rows) or not 3 <= len(rows[0]) <= _WIDEST:
        return False
    text = data[:65536].decode("utf-8", errors="replace")
    columns = list(zip(*rows, strict=True))
    return not any(mark in text for mark in ",;|\t") and bool(_key_columns(columns))


def read_list(data: bytes, source: str) -> List:
    """The columns of a list, by what they hold; a header line is skipped."""
    rows = _rows(data)
    headed = bool(rows) and _headed(rows)
    head = [word.lower() for word in rows[0]] if headed else []
    rows = rows[1:] if headed else rows
    if not rows or not _even(rows):
        raise FormatError(
            f"{source} is not a list of trials or scores.",
            hint="every line needs the same number of words, e.g.  speaker recording target",
        )
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    claims = None if head else _claims([tuple(c.tolist()) for c in columns])
    if claims is not None:
        return _claimed(columns, claims, source)
    key = _key_of([tuple(c) for c in columns], head, source)
    number = _score_of(columns, key, head)
    left = [k for k in range(len(columns)) if k not in (key, number)]
    ids = [columns[k] for k in left if not head or head[k] not in {"side", "partition"}]
    parts = [] if key is None else [f"keys in column {key + 1}"]
    parts += [] if number is None else [f"scores in column {number + 1}"]
    return List(
        source,
        ids,
        None if key is None else columns[key],
        None if number is None else columns[number].astype(np.float64),
        f"{source}: a list of {grouped(len(rows))} lines, {' and '.join(parts) or 'names only'}",
    )


def _claims(columns: list[tuple[str, ...]]) -> tuple[int, int] | None:
    """The columns of the claimed and of the real name, as bob writes them; None if there are none.

    Four words: claimed name, real name, recording, score; five with the model after the first.
    Where both names agree it is a target. No column may hold keys, and both kinds must occur.
    """
    if len(columns) not in (4, 5) or _key_columns(columns) or not _numeric(columns[-1]):
        return None
    first, second = 0, len(columns) - 3
    if _numeric(columns[-2]) or not set(columns[first]) & set(columns[second]):
        return None
    agree = {a == b for a, b in zip(columns[first], columns[second], strict=True)}
    return (first, second) if len(agree) == 2 else None


def _claimed(columns: list[NDArray[np.str_]], claims: tuple[int, int], source: str) -> List:
    """Trials whose kind is whether the claimed name is the real one."""
    first, second = claims
    same = columns[first] == columns[second]
    places = f"columns {first + 1} and {second + 1}"
    return List(
        source,
        [columns[first], columns[-2]],
        np.where(same, "target", "nontarget"),
        columns[-1].astype(np.float64),
        f"{source}: a list of {grouped(same.size)} lines, targets where {places} agree and scores "
        f"in column {len(columns)}",
    )


def joined_scores(trials: List, scores: List) -> tuple[NDArray[np.float64], int]:
    """The score of every trial, NaN where there is none, and how many scores were not needed."""
    if scores.scores is None or not scores.ids:
        raise FormatError(
            f"{scores.source} holds no column of scores beside the names.",
            hint="lines such as:  speaker recording 2.31",
        )
    wanted, given = _matching(trials, scores)
    known: dict[tuple[str, ...], float] = {}
    for name, value in zip(given, scores.scores.tolist(), strict=True):
        if known.setdefault(name, value) != value:
            raise DataError(f"{scores.source} has two different scores for {' '.join(name)}.")
    found = np.array([known.get(name, np.nan) for name in wanted])
    if np.isnan(found).all():
        raise DataError(
            f"no trial of {trials.source} has a score in {scores.source}; the first trial is "
            f"{' '.join(wanted[0])}, the first score is for {' '.join(given[0])}.",
            hint="do the names in both files have the same form (folders, endings)?",
        )
    return found, len(known) - len(set(wanted) & set(known))


def _matching(trials: List, scores: List) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The names of both lists, cut to the columns that they share."""
    if len(scores.ids) >= 2 and len(trials.ids) >= 2:
        return (
            list(zip(*(c.tolist() for c in trials.ids[:2]), strict=True)),
            list(zip(*(c.tolist() for c in scores.ids[:2]), strict=True)),
        )
    given = scores.ids[0].tolist()
    known = set(given)
    shared = [sum(name in known for name in column.tolist()) for column in trials.ids]
    column = trials.ids[int(np.argmax(shared))].tolist() if shared else []
    return [(name,) for name in column], [(name,) for name in given]


def _rows(data: bytes) -> list[list[str]]:
    """The words of every line that has any."""
    text = data.decode("utf-8-sig", errors="replace")
    return [words for line in text.splitlines() if (words := line.split())]


def _even(rows: list[list[str]]) -> bool:
    """Whether all lines have the same number of words."""
    return len({len(row) for row in rows}) == 1


def _headed(rows: list[list[str]]) -> bool:
    """Whether the first line names the columns, as in the files of NIST."""
    return len({word.lower() for word in rows[0]} & _HEADERS) >= 2


def _numeric(column: tuple[str, ...]) -> bool:
    """Whether all words are numbers."""
    try:
        [float(word) for word in column]
    except ValueError:
        return False
    return True


def _key_columns(columns: list[tuple[str, ...]]) -> list[int]:
    """The columns that hold exactly the two words of a known pair."""
    pairs = [set(pair) for pair in KEY_PAIRS]
    return [k for k, c in enumerate(columns) if {word.lower() for word in set(c)} in pairs]


def _key_of(columns: list[tuple[str, ...]], head: list[str], source: str) -> int | None:
    """The column of keys, by its header or by its content."""
    if "targettype" in head:
        return head.index("targettype")
    found = _key_columns(columns)
    words = [k for k in found if not _numeric(columns[k])]
    found = words if len(words) == 1 else found
    if len(found) > 1:
        places = " and ".join(str(k + 1) for k in found)
        raise FormatError(
            f"{source}: columns {places} could each say which trials are targets.",
            hint="leave only one of them in the file, or write a CSV file with a header",
        )
    return found[0] if found else None


def _score_of(columns: list[NDArray[np.str_]], key: int | None, head: list[str]) -> int | None:
    """The column of scores: by its header, or else the last, or else the first, that is numeric."""
    for name in ("llr", "score"):
        if name in head:
            return head.index(name)
    numeric = [k for k, c in enumerate(columns) if k != key and _numeric(tuple(c.tolist()))]
    if not numeric or head:
        return None
    last = len(columns) - 1 if key != len(columns) - 1 else len(columns) - 2
    return last if last in numeric else 0 if 0 in numeric else None
