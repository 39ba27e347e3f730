"""Text files looked at before an engine reads them: what memory refuses is refused here too."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from stakes.exceptions import FormatError
from stakes.messages.quantities import grouped
from stakes.sources.delimited import as_plain_text, text_header, uneven
from stakes.sources.patterns import Files

#: Bytes that are looked at together.
BLOCK = 1 << 24
#: A row longer than this is no row: a double quote was never closed.
_LONGEST = 1 << 26
QUOTE, NEWLINE = ord('"'), ord("\n")


def looked_at(files: Files, engine: str) -> Files:
    """The text files on this machine, once nothing is left in them that memory would refuse.

    DuckDB counts the cells of every row itself, but does not look at the checksum of a .gz file.
    Polars and Spark fill rows up that are too short, and cut those that are too long. What lies
    elsewhere, or is packed as .zst, is left to the engine.
    """
    here = [path for path in files.paths if "://" not in path]
    if engine == "duckdb":
        for path in here:
            if path.lower().endswith(".gz"):
                for _ in _blocks(path):
                    pass
        return files
    over_lines = False
    for path in here:
        if files.header is not None and not path.lower().endswith(".zst"):
            _refuse_another_header(path, files)
            lines = _Lines(path, len(files.header.names), files.delimiter)
            over_lines |= lines.checked()
    return replace(files, over_lines=over_lines)


def _refuse_another_header(path: str, files: Files) -> None:
    """Raise when the columns of a file are not those of the first: Polars goes by their places."""
    found, first = text_header(path), files.header
    if found is None or first is None or found.names == first.names:
        return
    raise FormatError(
        f"{path} has another header than {files.paths[0]}: {', '.join(found.names[:6])}.",
        hint="every file must have the same columns, in the same order",
    )


def _blocks(path: str) -> Iterator[bytes]:
    """The content of a file, unpacked; a .gz file is read to the end, where its checksum stands."""
    name = Path(path).name
    try:
        opening: Callable[..., Any] = gzip.open if path.lower().endswith(".gz") else open
        with opening(path, "rb") as file:
            while block := file.read(BLOCK):
                yield block
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FormatError(
            f"{name}: the gz file is damaged ({error}).",
            hint="write or copy the file again, or leave it out",
        ) from None


class _Lines:
    """The lines of one file, block by block."""

    def __init__(self, path: str, n_columns: int, delimiter: str) -> None:
        self.path, self.name = path, Path(path).name
        self.n_columns, self.delimiter = n_columns, delimiter
        self.lines = 0  # before the block that is looked at
        self.over_lines = False

    def checked(self) -> bool:
        """Whether a cell goes on over several lines; an error for the first row that is wrong."""
        rest, first = b"", True
        for block in _blocks(self.path):
            data = rest + block
            held = data.endswith(b"\r")  # its other half may come
            data = data[:-1] if held else data
            data, first = self._plain(data, first), False
            rows, rest = self._cut(data)
            self._check(rows)
            rest += b"\r" if held else b""
        rest = rest.rstrip(b"\r\n")
        if rest:
            self._check(self._plain(rest, first) + b"\n", last=True)
        return self.over_lines

    def _plain(self, data: bytes, first: bool) -> bytes:
        """Lines ended by a single newline, without what may stand above a header."""
        if first:
            data = data.removeprefix(b"\xef\xbb\xbf")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        if b"\r" in data:
            raise FormatError(
                f"{self.name}: lines end in a carriage return alone, which engines read "
                "differently.",
                hint="tr '\\r' '\\n' < file.csv > file-unix.csv",
            )
        if first:
            bare = data.lstrip(b"\n")
            self.lines = len(data) - len(bare)
            data = bare
            if data[:4].lower() == b"sep=":
                data = data.partition(b"\n")[2]
                self.lines += 1
        return data

    def _cut(self, data: bytes) -> tuple[bytes, bytes]:
        """The whole rows, and what begins another one."""
        end = data.rfind(b"\n") + 1
        if b'"' in data:
            buffer = np.frombuffer(data, dtype=np.uint8)
            ends = np.flatnonzero((buffer == NEWLINE) & ~_inside(buffer))
            end = int(ends[-1]) + 1 if ends.size else 0
        if len(data) - end > _LONGEST:
            self._refuse(data[end:])
        return data[:end], data[end:]

    def _check(self, rows: bytes, *, last: bool = False) -> None:
        """Raise when these rows are no text, or one has more or fewer cells than the header."""
        if b"\0" in rows or not rows.isascii():
            as_plain_text(rows, self.name, above=self.lines)
        buffer = np.frombuffer(rows, dtype=np.uint8)
        ends = (buffer == ord(self.delimiter)) | (buffer == NEWLINE)
        if b'"' in rows:
            inside = _inside(buffer)
            if (last and inside[-1]) or not _well_quoted(buffer, ends, inside):
                self._refuse(rows)
            self.over_lines |= bool((inside & (buffer == NEWLINE)).any())
            ends &= ~inside
        places = np.flatnonzero(ends)
        closing = buffer[places] == NEWLINE
        if rows[:1] == b"\n" or b"\n\n" in rows:  # blank lines are no rows
            before = np.concatenate([[-1], places[:-1]])
            begun = np.concatenate([[True], closing[:-1]])
            blank = closing & begun & (places == before + 1)
            closing = closing[~blank]
        even = closing.size % self.n_columns == 0
        table = closing.reshape(-1, self.n_columns) if even else None
        if table is None or table[:, :-1].any() or not table[:, -1].all():
            self._refuse(rows)
        self.lines += rows.count(b"\n")

    def _refuse(self, rows: bytes) -> NoReturn:
        """Raise for the first of these rows that is wrong, which is looked for one by one."""
        text = rows[: _LONGEST + 1].decode("utf-8", errors="replace")
        lines = io.StringIO(text, newline="")
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        before = self.lines
        try:
            for row in reader:
                if row and len(row) != self.n_columns:
                    place = f"{self.name}: a row"
                    raise uneven(row, self.n_columns, place, self.lines + reader.line_num)
                before = self.lines + reader.line_num
        except csv.Error:
            pass
        raise FormatError(
            f"{self.name}: after line {grouped(before)} a double quote is never closed, or stands "
            "inside a cell.",
            hint="put the whole cell in double quotes, and write a quote inside it twice",
        )


def _inside(buffer: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Whether each byte stands between double quotes; of the quotes themselves the first does."""
    return np.bitwise_xor.accumulate(buffer == QUOTE)


def _well_quoted(buffer: Any, ends: Any, inside: Any) -> bool:
    """Whether each quote opens or closes a whole cell, or stands beside another inside of one."""
    quotes = buffer == QUOTE
    opening = np.flatnonzero(quotes & inside)
    closing = np.flatnonzero(quotes & ~inside)
    before = np.where(opening > 0, opening - 1, opening)
    good = (opening == 0) | ends[before] | quotes[before]
    after = np.minimum(closing + 1, buffer.size - 1)
    return bool(good.all() and (ends[after] | quotes[after]).all())
