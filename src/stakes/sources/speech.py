"""Lists of trials and scores without a header, as speech laboratories write them.

Recognised by their content: which column holds keys (target or nontarget, bonafide or spoof, ...),
which holds the score, which hold the names of recordings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError, FormatError
from stakes.messages.quantities import grouped
from stakes.sources.table import Table, table_of_columns

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
    ("-1", "+1"),
    ("false", "true"),
)
#: Names of columns in lists of NIST, and in lists like them.
_HEADERS = {"modelid", "segmentid", "segment", "targettype", "llr", "side", "score", "label"}
_WIDEST = 8


@dataclass(frozen=True, slots=True)
class List:
    """A list in columns: the names of recordings, and keys and scores where it has them."""

    source: str
    ids: list[NDArray[np.str_]]
    keys: NDArray[np.str_] | None
    scores: NDArray[np.float64] | None
    what: str

    @property
    def said(self) -> str:
        """What file this is, in words."""
        return f"{self.source}: a list of {self.what}"


def fits(data: bytes, _: str) -> bool:
    """Whether it is a list of trials with scores."""
    return is_list(data)


def read(data: bytes, name: str) -> Table:
    """A list with keys and scores as a table."""
    return table_of_list(read_list(data, name))


def table_of_list(found: List) -> Table:
    """A list with keys as a table."""
    assert found.keys is not None
    columns: dict[str, NDArray[Any]] = {"truth": found.keys}
    columns.update({f"name{k + 1}": column for k, column in enumerate(found.ids)})
    if found.scores is not None:
        columns["score"] = found.scores
    made = table_of_columns(found.source, columns, f"list: {found.what}")
    return replace(made, is_list=True)


def is_list(data: bytes) -> bool:
    """Whether a text is such a list: words between blanks, a key in every line, and a score."""
    rows = _rows(data[:65536].rpartition(b"\n")[0] or data[:65536])
    if len(rows) < 2 or not _even(rows) or not 2 <= len(rows[0]) <= _WIDEST:
        return False
    text = data[:65536].decode("utf-8", errors="replace")
    if any(mark in text for mark in ",;|") or _headed(rows):
        return False
    columns = list(zip(*rows, strict=True))
    if _claims(columns) is not None:
        return True
    keys = _key_columns(columns)
    others = [c for k, c in enumerate(columns) if k not in keys[:1]]
    if not keys or (len(others) == 2 and all(_whole(c) for c in others)):  # names that are numbers
        return False
    return any(_numeric(c) for c in others)


def lone_half(data: bytes) -> str | None:
    """'trials' for a list of names and keys alone, 'scores' for one of names and scores, or None.

    Lists of NIST have a header; others must look like one in their first line too.
    """
    rows = _rows(data[:65536].rpartition(b"\n")[0] or data[:65536])
    text = data[:65536].decode("utf-8", errors="replace")
    if len(rows) < 2 or not _even(rows) or any(mark in text for mark in ",;|"):
        return None
    if _headed(rows):
        return _nist_half({word.lower() for word in rows[0]})
    columns = list(zip(*rows, strict=True))
    if not 2 <= len(columns) <= _WIDEST or all(_numeric(c) for c in columns):
        return None
    if _key_columns(columns):
        return "trials" if len(columns) > 2 else None
    scored = -1 if _numeric(columns[-1]) else 0 if _numeric(columns[0]) else None
    if scored is None:
        return None
    del columns[scored]
    return "scores" if len(set(zip(*columns, strict=True))) == len(rows) else None


def _nist_half(head: set[str]) -> str | None:
    """See `lone_half`, by the names of the columns."""
    if not head > {"modelid"} or not head & {"segment", "segmentid"}:
        return None
    if "targettype" in head and not head & {"llr", "score"}:
        return "trials"
    return (
        "scores" if head & {"llr", "score"} and head <= _HEADERS - {"targettype", "label"} else None
    )


def read_list(data: bytes, source: str, *, keys: bool = False) -> List:
    """The columns of a list, by what they hold; a header line is skipped.

    With `keys` scores beside keys are not looked for: numbers may be names of recordings.
    """
    rows = _rows(data)
    headed = bool(rows) and _headed(rows)
    head = [word.lower() for word in rows[0]] if headed else []
    rows = rows[1:] if headed else rows
    if not rows or not _even(rows):
        raise FormatError(
            f"{source} is not a list of trials or scores.",
            hint="every line needs the same number of words, e.g.  speaker recording target",
        )
    if len(rows[0]) == 1 and "," in rows[0][0]:
        raise FormatError(
            f"{source}: a list needs blanks between its words, and its lines hold commas.",
            hint="tables with a header are joined by a column:  stakes eval keys.csv "
            "--more scores.csv --join-on id",
        )
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    claims = None if head else _claims([tuple(c.tolist()) for c in columns])
    if claims is not None:
        return _claimed(columns, claims, source)
    key = _key_of([tuple(c) for c in columns], head, source)
    number = None if keys and key is not None else _score_of(columns, key, head)
    left = [k for k in range(len(columns)) if k not in (key, number)]
    ids = [columns[k] for k in left if not head or head[k] not in {"side", "partition"}]
    parts = [] if key is None else [f"keys in column {key + 1}"]
    parts += [] if number is None else [f"scores in column {number + 1}"]
    return List(
        source,
        ids,
        None if key is None else columns[key],
        None if number is None else columns[number].astype(np.float64),
        f"{grouped(len(rows))} lines, {' and '.join(parts) or 'names only'}",
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
        f"{grouped(same.size)} lines, targets where {places} agree and scores in column "
        f"{len(columns)}",
    )


def joined_scores(trials: List, scores: List) -> tuple[NDArray[np.float64], int]:
    """The score of every trial, NaN where there is none, and how many scores were not needed."""
    assert scores.scores is not None
    wanted, given = _matching(trials, scores)
    known: dict[tuple[str, ...], float] = {}
    for name, value in zip(given, scores.scores.tolist(), strict=True):
        if known.setdefault(name, value) != value:
            raise DataError(f"{scores.source} has two different scores for {' '.join(name)}.")
    _refuse_contradictions(trials, wanted, known)
    found = np.array([known.get(name, np.nan) for name in wanted])
    return found, len(known) - len(set(wanted) & set(known))


def _refuse_contradictions(
    trials: List, wanted: list[tuple[str, ...]], scored: Mapping[tuple[str, ...], float]
) -> None:
    """Raise when a trial stands twice in the list, once as one thing and once as the other."""
    assert trials.keys is not None
    said: dict[tuple[str, ...], str] = {}
    torn: dict[tuple[str, ...], str] = {}
    for name, key in zip(wanted, map(str.lower, trials.keys.tolist()), strict=True):
        if said.setdefault(name, key) != key and name in scored:
            torn[name] = f"{' '.join(name)} ({said[name]} and {key})"
    if torn:
        many = f"{grouped(len(torn))} trial{'s have' if len(torn) > 1 else ' has'}"
        first = "; ".join(list(torn.values())[:3]) + ("; ..." if len(torn) > 3 else "")
        raise DataError(
            f"{trials.source}: {many} two different keys: {first}.",
            hint="leave the right line of each in the list; if a further column tells them apart, "
            "write it into the names of both files",
        )


def _matching(trials: List, scores: List) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The names of both lists, cut to the columns that they share.

    The first two names make a trial, unless no pair occurs in both and one recording does.
    """
    if len(scores.ids) >= 2 and len(trials.ids) >= 2:
        wanted, given = first_names(trials), first_names(scores)
        single = None if set(wanted) & set(given) else _single(trials, scores)
        return (wanted, given) if single is None else single
    found = scores.ids[0].tolist()
    known = set(found)
    shared = [sum(name in known for name in column.tolist()) for column in trials.ids]
    column = trials.ids[int(np.argmax(shared))].tolist() if shared else []
    return [(name,) for name in column], [(name,) for name in found]


def _single(
    trials: List, scores: List
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]] | None:
    """The one name by which both lists tell all their lines apart, if there is such a name."""
    for column in trials.ids:
        for other in scores.ids:
            wanted, given = set(column.tolist()), set(other.tolist())
            if len(wanted) == column.size and len(given) == other.size and wanted & given:
                return [(name,) for name in column.tolist()], [(name,) for name in other.tolist()]
    return None


def first_names(found: List) -> list[tuple[str, ...]]:
    """The first two names of each line."""
    return list(zip(*(column.tolist() for column in found.ids[:2]), strict=True))


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


def _whole(column: tuple[str, ...]) -> bool:
    """Whether all words are whole numbers without a sign."""
    return all(word.isdigit() for word in column)


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
