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
from stakes.sources.cells import are_numbers, as_text_array
from stakes.sources.table import Table, table_of_columns

#: Names of the two kinds of trials; the kind that is not acted on comes first.
KEY_PAIRS = tuple((other, "target") for other in ("nontarget", "impostor", "imposter"))
KEY_PAIRS += (("imp", "tgt"), ("spoof", "bonafide"), ("spoof", "bona-fide"), ("false", "true"))
KEY_PAIRS += (("0", "1"), ("-1", "1"), ("-1", "+1"))
#: Names of columns in NIST lists and similar ones.
_HEADERS = {"modelid", "segmentid", "segment", "targettype", "llr", "side", "score", "label"}
_WIDEST = 8


@dataclass(frozen=True, slots=True)
class List:
    """A list in columns: names of recordings, and keys and scores if it has them."""

    source: str
    ids: list[NDArray[np.str_]]
    keys: NDArray[np.str_] | None
    scores: NDArray[np.float64] | None
    what: str

    @property
    def said(self) -> str:
        """What the file is, in words."""
        return f"{self.source}: a list of {self.what}"


def read(data: bytes, name: str) -> Table:
    """A list with keys and scores as a table."""
    return table_of_list(read_list(data, name))


def table_of_list(found: List) -> Table:
    """A list with keys as a table."""
    if found.keys is None:  # `fits` looks at the first lines only
        raise FormatError(
            f"{found.source}: the first lines have a key, and a later one has none.",
            hint="every line needs a key, e.g.  speaker recording target 2.31",
        )
    columns: dict[str, NDArray[Any]] = {"truth": found.keys}
    columns.update({f"name{k + 1}": column for k, column in enumerate(found.ids)})
    if found.scores is not None:
        columns["score"] = found.scores
    made = table_of_columns(found.source, columns, f"list: {found.what}")
    return replace(made, is_list=True)


def _beginning(data: bytes) -> list[list[str]]:
    """The words of the first lines; empty if the file cannot be a list."""
    rows = _rows(data[:65536].rpartition(b"\n")[0] or data[:65536])
    wide = len(rows) > 1 and _even(rows) and 2 <= len(rows[0]) <= _WIDEST
    return rows if wide and not any(mark in data[:65536] for mark in (b",", b";", b"|")) else []


def fits(data: bytes, _: str = "") -> bool:
    """Whether a text is such a list: words between blanks, with a key and a score in every line."""
    rows = _beginning(data)
    if not rows or _headed(rows):
        return False
    columns = list(zip(*rows, strict=True))
    if _claims(columns) is not None:
        return True
    keys = _key_columns(columns)
    others = [c for k, c in enumerate(columns) if k not in keys[:1]]
    names = len(others) == 2 and all(word.isdigit() for c in others for word in c)
    return bool(keys) and not names and any(are_numbers(c) for c in others)


def lone_half(data: bytes) -> str | None:
    """'trials' for a list of names and keys, 'scores' for one of names and scores, else None.

    NIST lists have a header; others must look like a list from the first line.
    """
    rows = _beginning(data)
    if rows and _headed(rows):
        head = {word.lower() for word in rows[0]}
        scored = bool(head & {"llr", "score"})
        if not head > {"modelid"} or not head & {"segment", "segmentid"}:
            return None
        if "targettype" in head and not scored:
            return "trials"
        return "scores" if scored and head <= _HEADERS - {"targettype", "label"} else None
    columns = list(zip(*rows, strict=True))
    numeric = [k for k, column in enumerate(columns) if are_numbers(column)]
    if len(numeric) == len(columns):
        return None
    if _key_columns(columns):
        return "trials" if len(columns) > 2 else None
    if numeric[-1:] != [len(columns) - 1] and numeric[:1] != [0]:
        return None
    del columns[-1 if numeric[-1] == len(columns) - 1 else 0]
    return "scores" if len(set(zip(*columns, strict=True))) == len(rows) else None


def read_list(data: bytes, source: str, *, keys: bool = False) -> List:
    """The columns of a list, recognised by their content; a header line is skipped.

    With `keys`, no scores are looked for beside the keys: numbers may be names of recordings.
    """
    rows = _rows(data)
    head = [word.lower() for word in rows[0]] if rows and _headed(rows) else []
    rows = rows[1:] if head else rows
    if not rows or not _even(rows):
        hint = "every line needs the same number of words, e.g.  speaker recording target"
        raise FormatError(f"{source} is not a list of trials or scores.", hint=hint)
    if len(rows[0]) == 1 and "," in rows[0][0]:
        raise FormatError(
            f"{source}: a list needs blanks between its words, and its lines hold commas.",
            hint="tables with a header are joined by a column:  stakes eval keys.csv "
            "--more scores.csv --join-on id",
        )
    words = list(zip(*rows, strict=True))
    columns, many = [as_text_array(column) for column in words], f"{grouped(len(rows))} lines"
    claims = None if head else _claims(words)
    if claims is not None:  # a trial is a target if the claimed name is the real one
        first, second = claims
        said = f"{many}, targets where columns {first + 1} and {second + 1} agree and scores in "
        said += f"column {len(columns)}"
        targets = np.where(columns[first] == columns[second], "target", "nontarget")
        scores = columns[-1].astype(np.float64)
        return List(source, [columns[first], columns[-2]], targets, scores, said)
    key = _key_of(words, head, source)
    number = None if keys and key is not None else _score_of(words, key, head)
    left = [k for k in range(len(columns)) if k not in (key, number)]
    ids = [columns[k] for k in left if not head or head[k] not in {"side", "partition"}]
    parts = [] if key is None else [f"keys in column {key + 1}"]
    parts += [] if number is None else [f"scores in column {number + 1}"]
    return List(
        source,
        ids,
        None if key is None else columns[key],
        None if number is None else columns[number].astype(np.float64),
        f"{many}, {' and '.join(parts) or 'names only'}",
    )


def _claims(columns: list[tuple[str, ...]]) -> tuple[int, int] | None:
    """The columns of the claimed and the real name in a list written by bob, or None.

    Lines have four words (claimed name, real name, recording, score), or five if a model is
    named second.
    A trial is a target if both names agree. No column may hold keys, and both kinds must occur.
    """
    if len(columns) not in (4, 5) or _key_columns(columns) or not are_numbers(columns[-1]):
        return None
    second = len(columns) - 3
    agree = {a == b for a, b in zip(columns[0], columns[second], strict=True)}
    shared = set(columns[0]) & set(columns[second])
    return (0, second) if shared and len(agree) == 2 and not are_numbers(columns[-2]) else None


def joined_scores(trials: List, scores: List) -> tuple[NDArray[np.float64], int]:
    """The score of every trial, NaN if it has none, and the number of unused scores."""
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
    """Raise if a trial is in the list twice with different keys."""
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
    wanted, given = first_names(trials), first_names(scores)
    pairs = len(scores.ids) >= 2 and len(trials.ids) >= 2
    if pairs and set(wanted) & set(given):
        return wanted, given
    for column in trials.ids if pairs else ():
        for other in scores.ids:
            both = set(column.tolist()) & set(other.tolist())
            if both and all(len(set(each.tolist())) == each.size for each in (column, other)):
                return [(name,) for name in column.tolist()], [(name,) for name in other.tolist()]
    if pairs:
        return wanted, given
    known = set(scores.ids[0].tolist())
    shared = [sum(name in known for name in column.tolist()) for column in trials.ids]
    column = trials.ids[int(np.argmax(shared))].tolist() if shared else []
    return [(name,) for name in column], [(name,) for name in scores.ids[0].tolist()]


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


def _key_columns(columns: list[tuple[str, ...]]) -> list[int]:
    """The columns that hold exactly the two words of a known pair."""
    pairs = [set(pair) for pair in KEY_PAIRS]
    return [k for k, c in enumerate(columns) if {word.lower() for word in set(c)} in pairs]


def _key_of(columns: list[tuple[str, ...]], head: list[str], source: str) -> int | None:
    """The column of keys, by its header or by its content."""
    if "targettype" in head:
        return head.index("targettype")
    found = _key_columns(columns)
    words = [k for k in found if not are_numbers(columns[k])]
    found = words if len(words) == 1 else found
    if len(found) > 1:
        places = " and ".join(str(k + 1) for k in found)
        raise FormatError(
            f"{source}: columns {places} could each say which trials are targets.",
            hint="leave only one of them in the file, or write a CSV file with a header",
        )
    return found[0] if found else None


def _score_of(columns: list[tuple[str, ...]], key: int | None, head: list[str]) -> int | None:
    """The column of scores: by its header, else the last numeric column, else the first."""
    for name in ("llr", "score"):
        if name in head:
            return head.index(name)
    others = [k for k in range(len(columns)) if k != key]
    places = [] if head else [others[-1], 0] if others else [0]
    return next((k for k in places if k != key and are_numbers(columns[k])), None)
