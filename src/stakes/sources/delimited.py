"""Delimited text: its header, and its columns as bytes, read with NumPy if the file is plain."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import FormatError
from stakes.messages.quantities import grouped
from stakes.sources.cells import are_numbers, as_text_array
from stakes.sources.formats import endings
from stakes.sources.table import Table

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
#: Longer cells are sliced one by one, not through an array of equal widths.
_WIDEST_CELL = 256
_ROWS_PER_BLOCK = 1 << 16

Getter = Callable[[], NDArray[Any]]


def fits(_: bytes, __: str) -> bool:
    """True: this reads any text that no other format fits."""
    return True


def read(data: bytes, name: str) -> Table:
    """The text as a table."""
    names, n_rows, getters, delimiter = parse(data, name)
    form = f"text, cells separated by {DELIMITERS[delimiter]}"
    comma = delimiter == ";"
    point = not (comma and b"," in data and _COMMA_CELL.search(data))
    return Table(
        name, n_rows, tuple(names), form, getters=getters, decimal_comma=comma, decimal_point=point
    )


# Why the csv module is not used for plain files: docs/design/files.md.
def parse(data: bytes, name: str) -> tuple[list[str], int, list[Getter], str]:
    """Column names, number of rows, a function that extracts each column, and the delimiter."""
    data = as_plain_text(data, name)
    if data[:4].lower() == b"sep=":  # a line that only spreadsheets write
        data = data.partition(b"\n")[2].lstrip(b"\n")
    header, _, body = data.partition(b"\n")
    delimiter = _delimiter_of(header.decode("utf-8"))
    if b'"' in data:
        if not _only_wraps(data, delimiter):
            return *_through_csv(data, delimiter, name), delimiter
        header, body = header.replace(b'"', b""), body.replace(b'"', b"")
    names = [cell.strip() for cell in header.decode("utf-8").split(delimiter)]
    _refuse_bare_rows(names, name)
    if not body:
        return names, 0, [lambda: np.empty(0, dtype="S1") for _ in names], delimiter
    padded = np.frombuffer(body + bytes(_WIDEST_CELL), dtype=np.uint8)
    buffer = padded[: len(body)]
    ends = np.flatnonzero((buffer == ord(delimiter)) | (buffer == ord("\n")))
    last = ends[len(names) - 1 :: len(names)]  # ends of lines, if all have as many cells
    even = ends.size % len(names) == 0 and bool((buffer[last] == ord("\n")).all())
    if not even or np.count_nonzero(buffer == ord("\n")) != last.size:
        return *_through_csv(data, delimiter, name), delimiter
    cuts = ends.reshape(-1, len(names))
    getters: list[Getter] = [partial(_cut, padded, cuts, j) for j in range(len(names))]
    return names, cuts.shape[0], getters, delimiter


def _only_wraps(data: bytes, delimiter: str) -> bool:
    """Whether quotation marks only enclose whole cells, and none needs them."""
    ends = re.escape(f"{delimiter}\n".encode())
    cell = rb'"(?:(?<=[%b]")|(?<=\A"))[^"%b]*"(?=[%b]|\Z)' % (ends, ends, ends)
    return 2 * sum(1 for _ in re.finditer(cell, data)) == data.count(b'"')


def _cut(padded: NDArray[np.uint8], cuts: NDArray[np.intp], j: int) -> NDArray[Any]:
    """The bytes of column `j`, as an array of equal widths; cells end at `cuts`.

    The text is followed by as many zeros as the widest cell has bytes.
    """
    stops = cuts[:, j]
    starts = cuts[:, j - 1] + 1 if j else np.concatenate([[0], cuts[:-1, -1] + 1])
    lengths = stops - starts
    width = max(1, int(lengths.max()))
    if width > _WIDEST_CELL:
        text = padded.tobytes()
        pairs = zip(starts.tolist(), stops.tolist(), strict=True)
        return as_text_array([text[start:stop].decode("utf-8").strip() for start, stop in pairs])
    table = np.empty((starts.size, width), dtype=np.uint8)
    offsets = np.arange(width)
    for first in range(0, starts.size, _ROWS_PER_BLOCK):
        rows = slice(first, first + _ROWS_PER_BLOCK)
        block = padded[starts[rows, None] + offsets]
        block[offsets >= lengths[rows, None]] = 0
        table[rows] = block
    return table.view(f"S{width}").reshape(-1)


def _through_csv(data: bytes, delimiter: str, name: str) -> tuple[list[str], int, list[Getter]]:
    """Parse with the csv module, which handles quotes and blank lines; refuse ragged lines."""
    reader = csv.reader(io.StringIO(data.decode("utf-8"), newline=""), delimiter=delimiter)
    with whole_cells(name):
        names = [cell.strip() for cell in next(reader)]
    _refuse_bare_rows(names, name)
    rows: list[list[str]] = []
    before = reader.line_num
    with whole_cells(name, reader):
        for row in reader:
            if row and "\n" in row[-1]:
                _refuse_unclosed(data, before, delimiter, name)
            if len(row) != len(names):
                if not row:
                    continue  # a blank line
                place = f"{name}: row {grouped(len(rows) + 1)}"
                raise uneven(row, len(names), place, reader.line_num)
            rows.append(row)
            before = reader.line_num
    columns = list(zip(*rows, strict=True)) if rows else [() for _ in names]
    return names, len(rows), [partial(as_text_array, column) for column in columns]


@contextmanager
def whole_cells(name: str, reader: Any = None) -> Iterator[None]:
    """Name the file and line of a cell that the csv module cannot read."""
    try:
        yield
    except csv.Error as error:
        place = "" if reader is None else f"line {grouped(reader.line_num)}: "
        raise FormatError(f"{name}: {place}{error}.") from None


def _refuse_unclosed(data: bytes, before: int, delimiter: str, name: str) -> None:
    """Raise if the row after these lines opens a quote that is never closed."""
    rest = data.decode("utf-8").split("\n", before)[before]
    try:
        next(csv.reader(io.StringIO(rest, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        if "end of data" in str(error):
            raise FormatError(
                f"{name}: line {grouped(before + 1)} opens a double quote that is never closed.",
                hint="close it, or write a quote inside a quoted cell twice",
            ) from None


def uneven(row: list[str], n_columns: int, place: str, line: int) -> FormatError:
    """The error for a row with more or fewer cells than the header."""
    has = f"has {len(row)} cell{'' if len(row) == 1 else 's'}, the header has {n_columns}"
    hint = "a cell that holds the delimiter must stand in double quotes"
    if len(row) < n_columns:
        hint = "an empty cell needs its delimiter too; the line may have been cut off"
    return FormatError(f"{place} (line {grouped(line)}) {has}.", hint=hint)


def _delimiter_of(header: str) -> str:
    """The delimiter that occurs most often in the header, outside quotation marks."""
    outside = "".join(header.split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def as_plain_text(data: bytes, name: str, *, above: int = 0) -> bytes:
    """UTF-8 without a byte-order mark, with Unix line ends; `above` counts lines before `data`."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", errors="replace").encode("utf-8")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data:
        hint = f"I read {', '.join(endings())}, and .gz of these"
        raise FormatError(f"{name} holds bytes that are not text.", hint=hint)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.strip(b"\n")
    if not data.strip():
        raise FormatError(f"{name} is empty.", hint="I need a header line and one row per case")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = above + data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{name}: line {grouped(line)} is not UTF-8 text (byte 0x{data[error.start]:02x}).",
            hint="save it as UTF-8, e.g.  iconv -f latin1 -t utf-8 file.csv > file-utf8.csv",
        ) from None
    return data + b"\n" if b"\n" in data else data


def _refuse_bare_rows(names: list[str], name: str) -> None:
    """Raise if the first line is a comment or data; whole numbers may be names of classes."""
    if len(names) == 1 and names[0].startswith("#"):
        message = f"the first line of {name} is a comment ({names[0]}), not column names."
        raise FormatError(message, hint="take out the lines that begin with #")

    numbers = [cell for cell in names if are_numbers([cell])]
    if len(numbers) == len(names) or any(not cell.lstrip("+-").isdigit() for cell in numbers):
        data = f"the first line of {name} looks like data ({', '.join(names[:4])})"
        header = "add a header line, e.g.  truth,model_a"
        raise FormatError(f"{data}, not like column names.", hint=header)


#: Bytes that are read for the header; headers are shorter.
_ENOUGH = 1 << 20
#: A number with a decimal comma, after a semicolon or at the beginning of a line.
_DECIMAL_COMMA = re.compile(rb"(?:^|;) *-?\d*,\d", re.MULTILINE)
#: A whole cell with such a number, perhaps within quotation marks.
_COMMA_CELL = re.compile(rb'(?:^|;)[ "]*[-+]?[\d.]*,\d+[ "]*\r?(?:;|$)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TextHeader:
    """Names of columns, the delimiter, and how numbers are written.

    Blank lines may come before it, and a line with the delimiter (``sep=;``).
    """

    names: tuple[str, ...]
    delimiter: str
    decimal_comma: bool = False
    blank: bool = False
    told: bool = False


def text_header(path: str) -> TextHeader | None:
    """The header of a text file, plain or .gz; None if it cannot be read here."""
    data, name = _first_bytes(path), Path(path).name
    if data is None:
        return None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        hint = "save it as UTF-8, e.g.  iconv -f utf-16 -t utf-8 file.csv > file-utf8.csv"
        raise FormatError(f"{name} is UTF-16 text, which engines do not read.", hint=hint)
    if len(data) == _ENOUGH:  # keep whole lines
        data = data[: data.rfind(b"\n") + 1]
    if not data:
        return None
    plain = as_plain_text(data, name)
    start = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    blank = start.startswith(b"\n")
    told = plain[:4].lower() == b"sep="  # a line that only spreadsheets write
    if told:
        plain = plain.partition(b"\n")[2]
    line, _, below = (part.decode("utf-8") for part in plain.partition(b"\n"))
    delimiter = _delimiter_of(line)
    with whole_cells(name):
        names = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
        lines = csv.reader(io.StringIO(below, newline=""), delimiter=delimiter)
        row = next(filter(None, lines), None)
    _refuse_bare_rows(names, name)
    if row is not None and len(row) > len(names):  # DuckDB ignores an empty last cell
        raise uneven(row, len(names), f"{name}: row 1", 2 + int(told))
    comma = delimiter == ";" and _DECIMAL_COMMA.search(plain) is not None
    return TextHeader(tuple(names), delimiter, comma, blank, told)


def _first_bytes(path: str) -> bytes | None:
    """The beginning of a file, unpacked; None if only the engine can read it."""
    if path.lower().endswith(".zst"):
        return None
    opening: Callable[..., Any] = gzip.open if path.lower().endswith(".gz") else open
    try:
        with opening(path, "rb") as file:
            found: bytes = file.read(_ENOUGH)
            return found
    except (OSError, EOFError, zlib.error):
        return None
