"""Names of classes and decisions, and rows coded by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._columns import EXACT, as_column, in_brief
from stakes.exceptions import DataError, LabelError, StakesError
from stakes.messages.audience import either, named, row
from stakes.typing import IntArray, Name


class Positions(np.ndarray[Any, Any]):
    """Integers that are positions among names, whatever the names look like; see `as_positions`."""


def as_positions(codes: Any) -> NDArray[Any]:
    """Codes that were looked up already, marked so that they are not taken for names again."""
    return np.asarray(codes).view(Positions)


def as_names(names: Any, what: str, error: type[StakesError] = LabelError) -> tuple[Name, ...]:
    """`names` as a tuple of plain Python values without repeats."""
    if isinstance(names, str):
        raise error(
            f"`{what}` must be a sequence of names; got the single string {names!r}.",
            hint=f"{what}=[{names!r}, ...]",
        )
    if isinstance(names, (set, frozenset)) or not isinstance(names, Iterable):
        raise error(f"`{what}` must be a sequence of names, in order; got {in_brief(names)}.")
    if getattr(names, "ndim", 1) == 0:
        raise error(f"`{what}` must be a sequence of names, in order; got {in_brief(names)}.")
    plain = tuple(_plain(name) for name in names)
    seen: set[Name] = set()
    for name in plain:
        if not isinstance(name, (str, int, float)) or name != name:
            raise error(f"`{what}` must be strings or numbers; got {in_brief(name)}.")
        if name in seen:
            raise error(f"`{what}` must differ from each other; {name!r} occurs twice.")
        seen.add(name)
    return plain


def as_name(name: Any, what: str) -> Any:
    """One name as a plain Python value; None where none was given."""
    plain = _plain(name)
    if plain is None or (isinstance(plain, (str, int, float)) and plain == plain):
        return plain
    raise LabelError(f"`{what}` must be a string or a number; got {in_brief(name)}.")


def place_of(name: Any, names: Iterable[Any]) -> int | None:
    """Position of a name among others; None if it is not one of them, or cannot be hashed."""
    try:
        return {known: at for at, known in enumerate(names)}.get(_plain(name))
    except TypeError:
        return None


def one_of(value: Any, name: str, known: Iterable[Any]) -> Any:
    """The entry of `known` that equals the value; raise if there is none."""
    names = tuple(known)
    place = place_of(value, names)
    if place is None:
        raise DataError(f"`{name}` must be one of {listed(names)}; got {in_brief(value)}.")
    return names[place]


def table_names(
    shape: tuple[int, ...],
    classes: Sequence[Any] | None,
    decisions: Sequence[Any] | None,
    error: type[StakesError],
) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
    """Names for the rows (true classes) and columns (decisions) of a table."""
    n_classes, n_decisions = shape
    rows = as_names(range(n_classes) if classes is None else classes, "classes", error)
    if decisions is not None:
        columns = as_names(decisions, "decisions", error)
    elif n_classes == n_decisions:
        columns = rows
    elif classes is None:
        columns = tuple(range(n_decisions))
    else:
        raise error(
            f"`decisions` must be named when there are {n_decisions} columns for "
            f"{n_classes} classes.",
            hint=f"decisions=[{listed(rows)}, ...]",
        )
    for names, length, what in ((rows, n_classes, "classes"), (columns, n_decisions, "decisions")):
        if len(names) != length:
            raise error(
                f"`{what}` must name the {length} {'rows' if what == 'classes' else 'columns'} "
                f"of the table; got {len(names)} names {listed(names)}.",
                hint="rows are true classes, columns are decisions",
            )
    return rows, columns


def cell_names(rows: Sequence[Name], columns: Sequence[Name]) -> dict[str, list[Name]]:
    """The truth and the decision of each cell of a table, row by row."""
    truths, decisions = zip(*product(rows, columns), strict=True)
    return {"truth": list(truths), "decision": list(decisions)}


def integer_named(names: Sequence[Name]) -> bool:
    """Whether all names are integers (booleans count), so that integers mean names."""
    return all(isinstance(name, int) for name in names)


def observed_names(*columns: NDArray[Any]) -> tuple[Name, ...]:
    """The sorted union of what occurs in the columns."""
    found: set[Name] = set()
    for column in columns:
        found.update(_plain(value) for value in _distinct(column))
    try:
        return tuple(sorted(found))  # type: ignore[type-var]
    except TypeError:
        raise LabelError(
            f"labels of different kinds cannot be ordered: {listed(sorted(found, key=repr))}.",
            hint="give the order yourself: classes=[...], decision_names=[...]",
        ) from None


#: Pairs of names whose second one is the positive class wherever people write them.
_KNOWN_PAIRS = {
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("negative", "positive"),
    ("neg", "pos"),
    ("0", "1"),
    ("nontarget", "target"),
    ("non-target", "target"),
    ("impostor", "target"),
    ("imposter", "target"),
}


def need_second(names: Sequence[Name]) -> None:
    """Raise where one score per case is given and nothing says which of two words it is for."""
    if unclear_second(names):
        pairs = (list(names), list(reversed(names)))
        raise LabelError(
            f"{named('y_true')} holds {listed(names)}: which one do high scores speak for?",
            hint=either(
                " or ".join(f"classes={pair}" for pair in pairs) + ": the second one",
                " or ".join(f"--positive {name}" for name in names),
            ),
        )


def unclear_second(names: Sequence[Name]) -> bool:
    """Whether there are two words, and neither order is the usual one."""
    return len(names) == 2 and all(isinstance(n, str) for n in names) and not _known(names)


def usual_order(names: Sequence[Name]) -> tuple[Name, ...]:
    """The names, with the second of two where people usually write it: the positive class."""
    turned = tuple(reversed(names))
    return turned if len(turned) == 2 and _known(turned) else tuple(names)


def which_positive(names: Sequence[Name]) -> str:
    """What to type to say which of two names is the positive class; the usual one, if known."""
    usual = [pair for pair in (tuple(names), tuple(reversed(names))) if _known(pair)]
    return " or ".join(f"positive={pair[1]!r}" for pair in usual or (names, names[::-1]))


def _known(pair: Sequence[Name]) -> bool:
    """Whether the second of two words is the positive class wherever people write them."""
    return tuple(str(name).lower() for name in pair) in _KNOWN_PAIRS


def positional(column: NDArray[Any], names: Sequence[Name]) -> bool:
    """Whether a column holds integers that are positions already, if they are in range."""
    if column.dtype.kind not in "iub":
        return False
    if isinstance(column, Positions):
        return True
    if column.dtype == bool and _truths_written(names):
        return False
    if tuple(names) == tuple(range(len(names))):
        return True
    if tuple(names) == tuple(str(k) for k in range(len(names))):
        return True  # the same as names and as positions
    return not any(isinstance(name, int) or _spells_integer(name) for name in names)


def integers_meant(names: Sequence[Name], what: str, *, truths: bool = False) -> dict[int, int]:
    """Which integer means which position, where names are integers or spell them.

    With `truths` the integers are False and True, which names may spell as well. Integers that
    could be names as well as positions are an error that lists both.
    """
    if truths and (written := _truths_written(names)):
        return written
    if any(isinstance(name, int) for name in names):
        return {name: k for k, name in enumerate(names) if isinstance(name, int)}
    if all(_spells_integer(name) for name in names):
        return {int(str(name)): k for k, name in enumerate(names)}
    raise LabelError(
        f"`{what}` holds integers, and some of the names {listed(names)} are written as integers: "
        f"I cannot tell names from the positions 0 to {len(names) - 1}.",
        hint="give the names themselves, as text",
    )


def _truths_written(names: Sequence[Name]) -> dict[int, int]:
    """Positions of the names that spell False and True, as in Python, JSON or R."""
    for spell in (str, str.lower, str.upper):
        words = {int(value): spell(str(value)) for value in (False, True)}
        if found := {value: names.index(word) for value, word in words.items() if word in names}:
            return found
    return {}


def _spells_integer(name: Name) -> bool:
    """Whether a text is an integer in its usual spelling, such as "1"."""
    return isinstance(name, str) and name.removeprefix("-").isdecimal() and str(int(name)) == name


# Labels are names, or positions: docs/design/conventions.md.
def encode(
    values: Any, names: Sequence[Name], what: str, *, rows: IntArray | None = None
) -> IntArray | NDArray[np.integer[Any]]:
    """Positions of `values` in `names`; integers are positions when no name is an integer.

    Booleans stand for the names that spell them, and otherwise for the integers 0 and 1.
    Small integer types are returned as they are when they already are positions. `rows` are the
    numbers of the rows, where `values` are some rows of a column; errors name them.
    """
    column = as_column(values, what)
    if column.dtype.kind in "iub":
        return _encode_integers(column, names, what, rows)
    if column.dtype.kind == "f":
        wide = column.astype(np.float64, copy=False)  # float16 does not hold the limit
        whole = (wide == np.floor(wide)) & (np.abs(wide) < EXACT)
        if whole.all() and integer_named(names):
            return _encode_integers(column.astype(np.int64), names, what, rows)
    return _encode_distinct(column, names, what, rows)


def _encode_integers(
    column: NDArray[Any], names: Sequence[Name], what: str, rows: IntArray | None
) -> NDArray[np.integer[Any]]:
    """Integer labels: names when the names are integers, positions otherwise."""
    if not positional(column, names):
        if any(isinstance(name, int) for name in names):
            return _encode_distinct(column, names, what, rows)
        known = integers_meant(names, what, truths=column.dtype == bool)
        ordered = sorted(known)
        codes = _encode_distinct(column, ordered, what, rows)
        return np.array([known[value] for value in ordered], dtype=np.intp)[codes]
    if column.dtype == bool:
        column = column.view(np.uint8)
    if column.size and (int(column.max()) >= len(names) or int(column.min()) < 0):
        _refuse(column, (column < 0) | (column >= len(names)), names, what, rows)
    return column


def _encode_distinct(
    column: NDArray[Any], names: Sequence[Name], what: str, rows: IntArray | None
) -> IntArray:
    """Look each distinct value up once."""
    values, inverse = column, None
    if column.dtype != object:
        values, inverse = np.unique(column, return_inverse=True)
    positions = {name: i for i, name in enumerate(names)}
    codes = np.array([positions.get(_plain(v), -1) for v in values], dtype=np.intp)
    codes = codes if inverse is None else codes[inverse]
    if codes.size and codes.min() < 0:
        _refuse(column, codes < 0, names, what, rows)
    return codes


def _refuse(
    column: NDArray[Any],
    bad: NDArray[np.bool_],
    names: Sequence[Name],
    what: str,
    numbers: IntArray | None,
) -> None:
    """Raise with both lists: what was found and what is known."""
    rows = np.flatnonzero(bad)
    strangers = list(dict.fromkeys(_plain(value) for value in column[rows[:1000]]))
    if numbers is not None:
        rows = numbers[rows]
    positions = "" if integer_named(names) else f" (or their positions 0 to {len(names) - 1})"
    raise LabelError(
        f"`{what}` holds {listed(strangers)}, not among the names {listed(names)}{positions}; "
        f"first at {row(rows[0])} ({rows.size} of {column.shape[0]} rows).",
        hint=_meant(column, what, names, strangers),
        rows=rows[:10].tolist(),
    )


def _meant(column: NDArray[Any], what: str, names: Sequence[Name], strangers: Sequence[Any]) -> str:
    """What to do about labels that are not among the names."""
    if tuple(names) == tuple(range(len(names))) and all(isinstance(s, str) for s in strangers):
        order = listed(sorted(strangers), len(names))
        return f"the costs name no classes; in the order of their rows: classes=[{order}]"
    if column.dtype.kind != "f" or column.min() < 0 or column.max() > 1:
        return "use the names of the application, in the same spelling and type"
    meant = "stakes.bayes_decisions(posteriors, costs) turns them into decisions"
    if what == "y_true":
        meant = "the truth comes first, then the predictions"
    return f"these look like probabilities; {meant}"


def named_column(names: Sequence[Name]) -> NDArray[Any]:
    """Names as an array to take from by position; of objects if their types differ."""
    alike = len({type(name) for name in names}) == 1
    return np.array(names, dtype=None if alike else object)


def listed(names: Sequence[Any], limit: int = 8) -> str:
    """Names for a sentence: 'a', 'b' and 3 more."""
    shown = ", ".join(repr(_plain(name)) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def _plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it holds."""
    return value.item() if isinstance(value, np.generic) else value


def _distinct(column: NDArray[Any]) -> list[Any]:
    """The distinct values of a column, in any order."""
    if column.dtype == object:
        return list({_plain(value) for value in column})
    if column.dtype.kind in "iu" and column.dtype.itemsize == 1 and column.size:
        offset = 128 if column.dtype.kind == "i" else 0
        counts = np.bincount(column.astype(np.intp) + offset, minlength=256)
        return [int(i) - offset for i in np.flatnonzero(counts)]
    return list(np.unique(column))
