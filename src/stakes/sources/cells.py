"""Cells of a file as numbers or as labels; empty cells are reported, never filled."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import float_of
from stakes._columns import EXACT
from stakes.exceptions import DataError
from stakes.messages.quantities import grouped

_WHOLE = re.compile(r"[-+]?[0-9]+(\.0*)?")
#: A decimal comma, not one between thousands (three digits after a number not beginning with 0).
DECIMAL_COMMA = re.compile(r"[-+]?(0?,[0-9]+|[0-9]+,([0-9]{1,2}|[0-9]{4,}))")
#: Numbers with signs between thousands: 1.000,5 and 1,000.5.
_POINT_BETWEEN = re.compile(r"[-+]?[0-9]{1,3}((\.[0-9]{3})+,[0-9]+|(\.[0-9]{3}){2,})")
#: 1.000, which is 1000 where decimals have a comma.
_PERHAPS_BETWEEN = re.compile(r"[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+")
_COMMA_BETWEEN = re.compile(r"[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?")
#: Numbers with a decimal comma, perhaps with points between thousands.
_COMMA_NUMBER = re.compile(r"[-+]?[0-9.]*,[0-9]+([eE][-+]?[0-9]+)?")
#: Cells that hold several values.
_CONTAINERS = (list, tuple, dict, set, np.ndarray)
#: Types of arrays that NumPy would silently turn into other numbers.
_NO_NUMBERS = {"c": "complex numbers", "M": "times", "m": "spans of time", "V": "records"}
_LONGEST_SHOWN = 60
#: Spellings of "no value" that spreadsheets and data frames leave behind.
EMPTY = ("", "na", "n/a", "nan", "null", "none", "?", "<na>", "nat")


@dataclass(frozen=True, slots=True)
class Labels:
    """A column of labels: the distinct names, and the position of each row's name (-1: empty)."""

    names: tuple[str, ...]
    codes: NDArray[np.intp]
    trimmed: str | None = None  # the spelling of a name that had spaces around it
    times: NDArray[Any] | None = None  # how often each name occurs, if the rows are not in memory

    @property
    def counts(self) -> NDArray[Any]:
        """How often each name occurs."""
        if self.times is not None:
            return self.times
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))


#: Longer text is an array of objects, since one long cell would widen all.
_MOST_LETTERS = 1 << 26


def as_text_array(cells: Sequence[str], rows: int = 0) -> NDArray[Any]:
    """Text as an array: of equal widths, or of objects if one long cell would widen all.

    `rows` is the number of cells that will be taken from it, if that is more.
    """
    longest = max(map(len, cells), default=0)
    wide = longest * max(len(cells), rows) > _MOST_LETTERS
    return np.array(cells, dtype=object if wide else np.str_)


def array_of(values: list[Any]) -> NDArray[Any]:
    """Values as an array of their own type, if that keeps all values."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values)
    if kinds == {str}:
        return as_text_array(values)
    whole = [value for value in values if type(value) is int]
    gaps = kinds == {int, type(None)}  # floats would turn 7 into 7.0
    if gaps or not kinds <= {float, int, type(None)} or any(abs(value) > EXACT for value in whole):
        return np.array(values, dtype=object)
    if kinds == {int}:
        return np.array(whole)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def as_labels(cells: NDArray[Any], what: str = "") -> Labels:
    """Labels as text without surrounding spaces; `trimmed` reports such a label."""
    if cells.dtype.kind == "O":
        found = cells.tolist()
        _refuse_containers(found, what)
        cells = as_text_array(["" if _absent(cell) else _text(cell) for cell in found])
    elif cells.dtype.kind == "M" and np.datetime_data(cells.dtype)[0] == "ns":
        cells = cells.astype("datetime64[us]")  # otherwise Python makes numbers of them
    distinct, codes = _unique(cells)
    texts = _whole_numbers([_text(value) for value in distinct.tolist()])
    names = list(dict.fromkeys(t.strip() for t in texts if t.strip().lower() not in EMPTY))
    position = {name: i for i, name in enumerate(names)}
    table = np.array([position.get(text.strip(), -1) for text in texts], dtype=np.intp)
    trimmed = next((t for t in texts if t != t.strip() and t.strip() in position), None)
    return Labels(tuple(names), table[codes], trimmed)


def as_numbers(
    cells: NDArray[Any], what: str, *, decimal_comma: bool = False, decimal_point: bool = True
) -> NDArray[np.float64]:
    """Numbers, with NaN where a cell is empty.

    With a `decimal_comma`, text may have one, and then no cell of the column may have a point.
    Without a `decimal_point`, because other columns have commas, none may have one if all points
    may stand between thousands.
    """
    if cells.dtype.kind in "fiub":
        return cells.astype(np.float64, copy=False)
    if cells.dtype.kind in _NO_NUMBERS:
        message = f"column '{what}' must hold numbers; it holds {_NO_NUMBERS[cells.dtype.kind]}."
        raise DataError(message, hint="name a column of numbers")
    if cells.dtype.kind == "O":
        found = cells.tolist()
        _refuse_containers(found, what)
        kept = [None if _absent(cell) else cell for cell in found]
        if all(cell is None or isinstance(cell, (bool, int)) for cell in kept):
            return np.array([np.nan if cell is None else float_of(cell) for cell in kept])
        cells = as_text_array(["" if cell is None else _text(cell) for cell in kept])
    commas = decimal_comma and _holds(cells, ".")
    commas = commas and (_has_commas(cells) or not (decimal_point or _has_points(cells)))
    if not commas:
        try:
            return _as_floats(cells)
        except ValueError:  # a cell is empty or not a number
            pass
    filled = _filled(cells, decimal_comma, commas)
    try:
        return _as_floats(filled)
    except ValueError:
        commas = commas or (decimal_comma and not decimal_point)
        raise _not_numbers(cells, filled, what, decimal_comma, commas) from None


def _as_floats(cells: NDArray[Any]) -> NDArray[np.float64]:
    """Text as numbers; raises ValueError also for 1_000, which only Python reads as a number."""
    if _holds(cells, "_"):
        raise ValueError("an underscore is no part of a number")
    return cells.astype(np.float64)


def _holds(cells: NDArray[Any], letter: str) -> bool:
    """Whether a cell of text holds a letter."""
    letters = {"S": np.uint8, "U": np.uint32}.get(cells.dtype.kind)
    if letters is None:
        return cells.dtype.kind == "O" and any(letter in cell for cell in cells.tolist())
    return bool((np.ascontiguousarray(cells).view(letters) == ord(letter)).any())


def empty_words() -> list[str]:
    """The same spellings with common capitals, for engines that compare letters."""
    capitals = {"NaN", "NaT", "N/a", *(word.capitalize() for word in EMPTY)}
    return sorted({*EMPTY, *(word.upper() for word in EMPTY), *capitals})


def _whole_numbers(texts: list[str]) -> list[str]:
    """Labels 1.0 as 1 if all are whole numbers: data frames write integers with gaps so."""
    filled = [text.strip() for text in texts if text.strip().lower() not in EMPTY]
    if not filled or not all(_WHOLE.fullmatch(text) for text in filled):
        return texts
    return [text.partition(".")[0] for text in texts]


def are_numbers(words: Iterable[str]) -> bool:
    """Whether Python reads all words as numbers."""
    try:
        list(map(float, words))
    except ValueError:
        return False
    return True


def without_point(text: str) -> str:
    """A whole number without the point and zeros after it; other text unchanged."""
    return text.partition(".")[0] if _WHOLE.fullmatch(text) else text


def _unique(cells: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Distinct cells, and each row's position among them; short bytes are compared as integers."""
    if cells.dtype.kind == "S" and cells.dtype.itemsize <= 8:
        keys = np.ascontiguousarray(cells.astype("S8")).view(np.uint64)
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(cells[first], kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        return cells[first][order], rank[codes.reshape(-1)]
    distinct, codes = np.unique(cells, return_inverse=True)
    return distinct, codes.reshape(-1)


def _has_commas(cells: NDArray[Any]) -> bool:
    """Whether a cell of text is a number with a decimal comma."""
    if not _holds(cells, ","):
        return False
    return any(_COMMA_NUMBER.fullmatch(text.strip()) for text in decoded(cells).tolist())


def _has_points(cells: NDArray[Any]) -> bool:
    """Whether a cell of text is a number with a decimal point, not one between thousands."""
    texts = [text.strip() for text in decoded(cells).tolist()]
    return any(are_numbers([t]) and not _PERHAPS_BETWEEN.fullmatch(t) for t in texts if "." in t)


def _filled(cells: NDArray[Any], decimal_comma: bool, commas: bool) -> NDArray[Any]:
    """The cells with `nan` for empty ones and a point for each decimal comma.

    Where numbers have `commas`, a point is doubled, so that its cell is no number.
    """
    if cells.dtype.kind == "O":
        texts = [cell.strip() for cell in cells.tolist()]
        point = [text.replace(".", "..") if commas else text for text in texts]
        point = [text.replace(",", ".") if decimal_comma else text for text in point]
        filled = ["nan" if text.lower() in EMPTY else text for text in point]
        return np.array(filled, dtype=object)
    text = np.char.strip(decoded(cells))
    empty = np.isin(np.char.lower(text), EMPTY)
    text = np.char.replace(text, ".", "..") if commas else text
    return np.where(empty, "nan", np.char.replace(text, ",", ".") if decimal_comma else text)


def decoded(cells: NDArray[Any]) -> NDArray[Any]:
    """Bytes as text."""
    if cells.dtype.kind != "S":
        return cells
    try:
        return np.char.decode(cells, "utf-8")
    except UnicodeDecodeError:
        return np.array([_text(cell) for cell in cells.tolist()])  # raises a helpful error


def _not_numbers(
    cells: NDArray[Any], filled: NDArray[Any], what: str, decimal_comma: bool, commas: bool
) -> DataError:
    """The error that tells which cells are not numbers."""
    bad = []
    for row, text in enumerate(filled.tolist()):
        try:
            _as_floats(np.array([text]))
        except ValueError:
            bad.append(row)
    cell = _text(cells[bad[0]])
    cell = cell if len(cell) <= _LONGEST_SHOWN else f"{cell[:_LONGEST_SHOWN]}..."
    near = _as_number(cell, decimal_comma, commas)
    beside = ", next to numbers with a decimal comma" if near and commas and "," not in cell else ""
    return DataError(
        f"column '{what}' must hold numbers; row {grouped(bad[0] + 1)} holds '{cell}'{beside} "
        f"({grouped(len(bad))} of {grouped(cells.shape[0])} rows).",
        hint=near or f"if these are decisions:  --decisions {shlex.quote(what)}",
        rows=bad[:10],
        code="number-written-otherwise" if near else "text-for-numbers",
    )


def _as_number(cell: str, decimal_comma: bool, commas: bool) -> str | None:
    """The plain spelling of a number that people write differently; None for other text.

    It has a comma where all numbers have `commas`, or where they may and this one does.
    """
    said = cell.strip()
    text = said.removesuffix("%").strip()
    plain = text.replace(" ", "").replace("\u00a0", "")
    with_comma = commas or decimal_comma
    if DECIMAL_COMMA.fullmatch(plain) or _POINT_BETWEEN.fullmatch(plain):
        plain = plain.replace(".", "").replace(",", ".")
    elif commas and _PERHAPS_BETWEEN.fullmatch(plain):
        small = f"{float(plain):.12g}".replace(".", ",")
        return f"write {said} as {plain.replace('.', '')} or as {small}, whichever it means"
    else:
        with_comma = commas
        plain = plain.replace(",", "") if _COMMA_BETWEEN.fullmatch(plain) else plain
    try:
        value = float(plain) / (100 if said.endswith("%") else 1)
    except ValueError:
        return None
    written = f"{value:.12g}".replace(".", "," if with_comma else ".")
    return f"write {said} as {written}" if plain != said or commas else None


def _refuse_containers(cells: list[Any], what: str) -> None:
    """Raise for cells that hold several values each, as Parquet columns may."""
    odd = [row for row, cell in enumerate(cells) if isinstance(cell, _CONTAINERS)]
    if odd:
        column = f"column '{what}'" if what else "a column"
        raise DataError(
            f"{column} holds lists or records, not one value for each case; row "
            f"{grouped(odd[0] + 1)} holds {str(cells[odd[0]])[:_LONGEST_SHOWN]} "
            f"({grouped(len(odd))} of {grouped(len(cells))} rows).",
            hint="name a column of values, or write one column for each part",
            rows=odd[:10],
        )


def _text(value: Any) -> str:
    """A distinct value as text; whole floats as integers, as in other files."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise DataError(
                f"a column holds bytes that are not text, such as {value[:20]!r}.",
                hint="name another column, or write text into it",
            ) from None
    try:
        return str(_whole(value))
    except ValueError:  # a whole number of thousands of digits
        raise DataError("a column holds a number of thousands of digits.") from None


def _whole(value: Any) -> Any:
    """1.0 as 1, so that a label has one spelling in every kind of file."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _absent(cell: Any) -> bool:
    """Whether a cell of an object column is empty."""
    try:
        return cell is None or bool(cell != cell)
    except ValueError:  # an array
        return False
