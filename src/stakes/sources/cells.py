"""Cells of a file as numbers or as labels; empty cells are reported, never filled."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError
from stakes.messages.quantities import grouped

_WHOLE = re.compile(r"[-+]?[0-9]+(\.0*)?")
#: A comma before decimals: thousands stand in threes, after a digit that is not 0.
DECIMAL_COMMA = re.compile(r"[-+]?(0?,[0-9]+|[0-9]+,([0-9]{1,2}|[0-9]{4,}))")
#: Cells that hold several values.
_CONTAINERS = (list, tuple, dict, set, np.ndarray)
#: What arrays hold that NumPy would turn into numbers that say something else.
_NO_NUMBERS = {"c": "complex numbers", "M": "times", "m": "spans of time", "V": "records"}
_LONGEST_SHOWN = 60
#: Spellings of "no value" that spreadsheets and data frames leave behind.
EMPTY = ("", "na", "n/a", "nan", "null", "none", "?", "<na>", "nat")


@dataclass(frozen=True, slots=True)
class Labels:
    """A column of labels: the distinct names, and the position of each row's name (-1: empty)."""

    names: tuple[str, ...]
    codes: NDArray[np.intp]
    trimmed: str | None = None  # a name that had spaces around it, as it stood in the file
    times: NDArray[Any] | None = None  # how often each occurs, where the rows are not here

    @property
    def counts(self) -> NDArray[Any]:
        """How often each name occurs."""
        if self.times is not None:
            return self.times
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))


#: Text is an array of equal widths up to this many letters in all; beyond, each cell is apart.
_MOST_LETTERS = 1 << 26


def as_text_array(cells: Sequence[str], rows: int = 0) -> NDArray[Any]:
    """Text as an array: of equal widths as a rule, of objects where one long cell widens all.

    `rows` is how many cells are taken from it, where that is more.
    """
    longest = max(map(len, cells), default=0)
    wide = longest * max(len(cells), rows) > _MOST_LETTERS
    return np.array(cells, dtype=object if wide else np.str_)


def as_labels(cells: NDArray[Any], what: str = "") -> Labels:
    """Labels as text; spaces around them are left out, which `trimmed` reports."""
    if cells.dtype.kind == "O":
        found = cells.tolist()
        _refuse_containers(found, what)
        cells = as_text_array(["" if _absent(cell) else _text(cell) for cell in found])
    elif cells.dtype.kind == "M" and np.datetime_data(cells.dtype)[0] == "ns":
        cells = cells.astype("datetime64[us]")  # else Python makes numbers of them
    distinct, codes = _unique(cells)
    texts = _whole_numbers([_text(value) for value in distinct.tolist()])
    names = list(dict.fromkeys(t.strip() for t in texts if t.strip().lower() not in EMPTY))
    position = {name: i for i, name in enumerate(names)}
    table = np.array([position.get(text.strip(), -1) for text in texts], dtype=np.intp)
    trimmed = next((t for t in texts if t != t.strip() and t.strip() in position), None)
    return Labels(tuple(names), table[codes], trimmed)


def as_numbers(
    cells: NDArray[Any], what: str, *, decimal_comma: bool = False
) -> NDArray[np.float64]:
    """Numbers, with NaN where a cell is empty."""
    if cells.dtype.kind in "fiub":
        return cells.astype(np.float64, copy=False)
    if cells.dtype.kind in _NO_NUMBERS:
        message = f"column '{what}' must hold numbers; it holds {_NO_NUMBERS[cells.dtype.kind]}."
        raise DataError(message, hint="name a column of numbers")
    if cells.dtype.kind == "O":
        found = cells.tolist()
        _refuse_containers(found, what)
        cells = as_text_array(["" if _absent(cell) else _text(cell) for cell in found])
    try:
        return _as_floats(cells)
    except ValueError:  # something is empty, or no number
        pass
    filled = _filled(cells, decimal_comma)
    try:
        return _as_floats(filled)
    except ValueError:
        raise _not_numbers(cells, filled, what) from None


def _as_floats(cells: NDArray[Any]) -> NDArray[np.float64]:
    """Text as numbers; raise ValueError also for 1_000, which only Python calls a number."""
    letters = {"S": np.uint8, "U": np.uint32}.get(cells.dtype.kind)
    if cells.dtype.kind == "O" and any("_" in cell for cell in cells.tolist()):
        raise ValueError("an underscore is no part of a number")
    if letters is not None and (np.ascontiguousarray(cells).view(letters) == ord("_")).any():
        raise ValueError("an underscore is no part of a number")
    return cells.astype(np.float64)


def empty_words() -> list[str]:
    """The same spellings in the capitals that occur, for engines that compare letters."""
    capitals = {"NaN", "NaT", "N/a", *(word.capitalize() for word in EMPTY)}
    return sorted({*EMPTY, *(word.upper() for word in EMPTY), *capitals})


def _whole_numbers(texts: list[str]) -> list[str]:
    """1.0 as 1 when every label is a whole number, as data frames write integers with gaps."""
    filled = [text.strip() for text in texts if text.strip().lower() not in EMPTY]
    if not filled or not all(_WHOLE.fullmatch(text) for text in filled):
        return texts
    return [text.partition(".")[0] for text in texts]


def are_numbers(words: Iterable[str]) -> bool:
    """Whether Python reads all of some words as numbers."""
    try:
        list(map(float, words))
    except ValueError:
        return False
    return True


def without_point(text: str) -> str:
    """A whole number without the point and the zeros behind it; other text as it stands."""
    return text.partition(".")[0] if _WHOLE.fullmatch(text) else text


def _unique(cells: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Distinct cells and the position of each row's; short bytes are compared as integers."""
    if cells.dtype.kind == "S" and cells.dtype.itemsize <= 8:
        keys = np.ascontiguousarray(cells.astype("S8")).view(np.uint64)
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(cells[first], kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        return cells[first][order], rank[codes.reshape(-1)]
    distinct, codes = np.unique(cells, return_inverse=True)
    return distinct, codes.reshape(-1)


def _filled(cells: NDArray[Any], decimal_comma: bool) -> NDArray[Any]:
    """The cells with `nan` where they are empty and a point where a decimal comma stood."""
    if cells.dtype.kind == "O":
        texts = [cell.strip() for cell in cells.tolist()]
        point = [text.replace(",", ".") if decimal_comma else text for text in texts]
        filled = ["nan" if text.lower() in EMPTY else text for text in point]
        return np.array(filled, dtype=object)
    text = np.char.strip(_decoded(cells))
    empty = np.isin(np.char.lower(text), EMPTY)
    return np.where(empty, "nan", np.char.replace(text, ",", ".") if decimal_comma else text)


def _decoded(cells: NDArray[Any]) -> NDArray[Any]:
    """Bytes as text."""
    if cells.dtype.kind != "S":
        return cells
    try:
        return np.char.decode(cells, "utf-8")
    except UnicodeDecodeError:
        return np.array([_text(cell) for cell in cells.tolist()])  # which says what is wrong


def _not_numbers(cells: NDArray[Any], filled: NDArray[Any], what: str) -> DataError:
    """Which cells are not numbers."""
    bad = []
    for row, text in enumerate(filled.tolist()):
        try:
            _as_floats(np.array([text]))
        except ValueError:
            bad.append(row)
    cell = _text(cells[bad[0]])
    cell = cell if len(cell) <= _LONGEST_SHOWN else f"{cell[:_LONGEST_SHOWN]}..."
    near = _as_number(cell)
    return DataError(
        f"column '{what}' must hold numbers; row {grouped(bad[0] + 1)} holds '{cell}' "
        f"({grouped(len(bad))} of {grouped(cells.shape[0])} rows).",
        hint=near or f"if these are decisions:  --decisions {shlex.quote(what)}",
        rows=bad[:10],
        code="number-written-otherwise" if near else "text-for-numbers",
    )


def _as_number(cell: str) -> str | None:
    """How to write a number that people write otherwise; None for other text."""
    text = cell.strip().removesuffix("%").strip()
    if DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    plain = text.replace(",", "").replace(" ", "").replace("\u00a0", "")
    try:
        value = float(plain) / (100 if cell.strip().endswith("%") else 1)
    except ValueError:
        return None
    return f"write {cell.strip()} as {value:.12g}" if plain != cell.strip() else None


def _refuse_containers(cells: list[Any], what: str) -> None:
    """Raise for cells that hold several values each, as columns of Parquet may."""
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
    """1.0 as 1, so that a label is spelt alike whatever the file stored."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _absent(cell: Any) -> bool:
    """Whether a cell of an object column holds nothing."""
    try:
        return cell is None or bool(cell != cell)
    except ValueError:  # an array
        return False
