"""Word messages for Python or for the command line: names of parameters, settings and rows.

A message is composed where it is raised, because its values are known there. Names that differ
between Python and the command line come from the current face::

    raise DataError(
        f"{named('scores')} must be finite; {row(3)} is not.", hint=setting("bound", 50)
    )

In Python this says "`scores`", "row 3" and "bound=50"; on the command line "the scores", the row as
the file counts it, and "--bound 50". So no sentence has to be translated afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, NamedTuple

#: What the command line calls the parameters of the library.
_OPTIONS = {
    "scores": "the scores",
    "folds": "--folds",
    "groups": "the values of --groups",
    "sample_weight": "--weight",
    "by": "--by",
    "capacity": "--capacity",
    "chances": "--chances",
    "level": "--level",
    "prices": "--prices",
    "evaluation": "--preset",
}


class _Face(NamedTuple):
    """What things are called.

    `rows` are the file's rows of the cases, `ids` the names of all rows of that file, and `typed`
    the words of the command as typed.
    """

    command_line: bool = False
    names: Mapping[str, str] = MappingProxyType({})
    rows: Sequence[int] | Any = None
    typed: tuple[str, ...] = ()
    ids: Sequence[str] | Any = None


_PYTHON = _Face()
_FACE: ContextVar[_Face] = ContextVar("face", default=_PYTHON)


@contextmanager
def command_line(typed: Sequence[str] = ()) -> Iterator[None]:
    """Name things as the command line does; `typed` is what was typed there."""
    words = tuple(typed) or _FACE.get().typed
    with _shown(_Face(command_line=True, names=_OPTIONS, typed=words)):
        yield


def typed_words() -> tuple[str, ...]:
    """The command as it was typed, without the name of the program; empty in Python."""
    return _FACE.get().typed


@contextmanager
def speaking_of(
    *, rows: Sequence[int] | Any = None, ids: Sequence[str] | Any = None, **names: str
) -> Iterator[None]:
    """Name parameters as given here, and rows by their positions in a file.

    `rows` holds the position of each case in the file, from 0; `ids` the name of each row.
    """
    face = _FACE.get()
    rows, ids = face.rows if rows is None else rows, face.ids if ids is None else ids
    with _shown(face._replace(names={**face.names, **names}, rows=rows, ids=ids)):
        yield


@contextmanager
def _shown(face: _Face) -> Iterator[None]:
    """Compose messages for this face."""
    before = _FACE.set(face)
    try:
        yield
    finally:
        _FACE.reset(before)


def named(parameter: str) -> str:
    """A parameter: "`sample_weight`", or "--weight"."""
    return _FACE.get().names.get(parameter, f"`{parameter}`")


def setting(name: str, value: Any) -> str:
    """A parameter with its value: 'bound="data"', or "--bound data"."""
    if _FACE.get().command_line:
        return f"--{name} {value if isinstance(value, str) else format(value, 'g')}"
    return f'{name}="{value}"' if isinstance(value, str) else f"{name}={value:g}"


def calibrators(*kinds: str, called: bool = False) -> str:
    """Calibrators by their kind: "VennAbers or Beta", or "--kind venn-abers or beta".

    `called` adds the brackets that make one in Python.
    """
    face, after = _FACE.get(), "()" if called else ""
    words = list(kinds)
    if not face.command_line:
        words = ["".join(map(str.capitalize, kind.split("-"))) + after for kind in kinds]
    *first, last = words
    joined = f"{', '.join(first)} or {last}" if first else last
    return f"--kind {joined}" if face.command_line else joined


def row(place: int | Any) -> str:
    """A case: "row 5" as arrays count, or "row 1 236 (C-17)" as the file counts, from 1."""
    from stakes.messages.quantities import grouped  # loaded only if needed

    rows, ids = _FACE.get().rows, _FACE.get().ids
    if rows is None or not 0 <= place < len(rows):
        return f"row {place}"
    said = f"row {grouped(int(rows[place]) + 1)}"
    return said if ids is None or ids[rows[place]] == said else f"{said} ({ids[rows[place]]})"


def either(python: str, command_line: str) -> str:
    """One wording for Python, another for the command line."""
    return command_line if _FACE.get().command_line else python


#: Characters that change the direction of text, and so could make a name lie.
_TURNING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}


def shown(text: str) -> str:
    """Text with control characters made visible, so that a label cannot steer the terminal."""
    return text if text.isprintable() else "\n".join(map(marked, text.split("\n")))


def marked(name: str) -> str:
    r"""A name on one line: each control character and line break becomes a visible mark.

    Examples
    --------
    >>> marked("gbm\n2\t\x1b[31m")
    'gbm␤2␉␛[31m'
    """
    return name if name.isprintable() else "".join(map(_visible, name))


def _visible(character: str) -> str:
    """The character, or Unicode's picture of a control character."""
    code = ord(character)
    if character == "\n":
        return "\u2424"
    if code < 0x20 or code == 0x7F:
        return chr(0x2400 + code) if code < 0x20 else "\u2421"
    seen = character.isprintable() and code not in _TURNING
    return character if seen else "\ufffd"
