"""Check text files before an engine reads them, to refuse what reading into memory refuses."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from stakes.exceptions import FormatError
from stakes.messages.quantities import grouped
from stakes.sources.delimited import as_plain_text, text_header, uneven
from stakes.sources.patterns import Files

#: Bytes that are checked at a time.
BLOCK = 1 << 24
#: A longer row means that a double quote was never closed.
_LONGEST = 1 << 26
QUOTE, NEWLINE = ord('"'), ord("\n")


def looked_at(files: Files, engine: str) -> Files:
    """Check the local text files, and refuse what reading into memory would refuse.

    DuckDB counts the cells of every row itself, but ignores the checksum of a .gz file. Polars and
    Spark pad rows that are too short and cut those that are too long. Remote files and .zst files
    are left to the engine.
    """
    over_lines, first = False, files.header
    for path in (path for path in files.paths if "://" not in path):
        if engine == "duckdb" and path.lower().endswith(".gz"):
            for _ in _blocks(path):
                pass
        elif engine != "duckdb" and first is not None and not path.lower().endswith(".zst"):
            found = text_header(path)
            if found is not None and found.names != first.names:  # Polars goes by position
                names = ", ".join(found.names[:6])
                raise FormatError(
                    f"{path} has another header than {files.paths[0]}: {names}.",
                    hint="every file must have the same columns, in the same order",
                )
            over_lines |= _Lines(path, len(first.names), files.delimiter).checked()
    return replace(files, over_lines=over_lines)


def _blocks(path: str) -> Iterator[bytes]:
    """The content of a file, unpacked; a .gz file is read to the end, where its checksum is."""
    try:
        opening: Callable[..., Any] = gzip.open if path.lower().endswith(".gz") else open
        with opening(path, "rb") as file:
            while block := file.read(BLOCK):
                yield block
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        message = f"{Path(path).name}: the gz file is damaged ({error})."
        raise FormatError(message, hint="write or copy the file again, or leave it out") from None


class _Lines:
    """The lines of one file, block by block."""

    def __init__(self, path: str, n_columns: int, delimiter: str) -> None:
        self.path, self.name = path, Path(path).name
        self.n_columns, self.delimiter = n_columns, delimiter
        self.lines = 0  # lines before the current block
        self.over_lines = False

    def checked(self) -> bool:
        """Whether a cell spans several lines; raises for the first wrong row."""
        rest, first = b"", True
        for block in _blocks(self.path):
            data = rest + block
            held = b"\r" if data.endswith(b"\r") else b""  # its newline may follow
            data, first = self._plain(data.removesuffix(b"\r"), first), False
            end = data.rfind(b"\n") + 1  # end of the last whole row
            if b'"' in data:
                buffer = np.frombuffer(data, dtype=np.uint8)
                ends = np.flatnonzero((buffer == NEWLINE) & ~_inside(buffer))
                end = int(ends[-1]) + 1 if ends.size else 0
            if len(data) - end > _LONGEST:
                self._refuse(data[end:])
            self._check(data[:end])
            rest = data[end:] + held
        rest = rest.rstrip(b"\r\n")
        if rest:
            self._check(self._plain(rest, first) + b"\n", last=True)
        return self.over_lines

    def _plain(self, data: bytes, first: bool) -> bytes:
        """Text with Unix line ends, without the lines that may come before a header."""
        data = data.replace(b"\r\n", b"\n")
        if b"\r" in data:
            alone = "lines end in a carriage return alone, which engines read differently"
            unix = "tr '\\r' '\\n' < file.csv > file-unix.csv"
            raise FormatError(f"{self.name}: {alone}.", hint=unix)
        if first:
            data = data.removeprefix(b"\xef\xbb\xbf")
            bare = data.lstrip(b"\n")
            self.lines, data = len(data) - len(bare), bare
            if data[:4].lower() == b"sep=":
                data = data.partition(b"\n")[2]
                self.lines += 1
        return data

    def _check(self, rows: bytes, *, last: bool = False) -> None:
        """Raise if these rows are not text, or one has more or fewer cells than the header."""
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
        if rows[:1] == b"\n" or b"\n\n" in rows:  # blank lines are not rows
            empty = np.diff(places, prepend=-1) == 1
            closing = closing[~(closing & empty & np.append(True, closing[:-1]))]
        # with k columns, every k-th cell end must be a line end
        wanted = np.arange(1, closing.size + 1) % self.n_columns == 0
        if closing.size % self.n_columns or (closing != wanted).any():
            self._refuse(rows)
        self.lines += rows.count(b"\n")

    def _refuse(self, rows: bytes) -> NoReturn:
        """Raise for the first wrong row, found by checking one by one."""
        text = rows[: _LONGEST + 1].decode("utf-8", errors="replace")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter, strict=True)
        before = self.lines
        with suppress(csv.Error):
            for row in reader:
                if row and len(row) != self.n_columns:
                    place = f"{self.name}: a row"
                    raise uneven(row, self.n_columns, place, self.lines + reader.line_num)
                before = self.lines + reader.line_num
        quote = "a double quote is never closed, or stands inside a cell"
        hint = "put the whole cell in double quotes, and write a quote inside it twice"
        raise FormatError(f"{self.name}: after line {grouped(before)} {quote}.", hint=hint)


def _inside(buffer: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Whether each byte is inside double quotes; opening quotes count as inside."""
    return np.bitwise_xor.accumulate(buffer == QUOTE)


def _well_quoted(buffer: Any, ends: Any, inside: Any) -> bool:
    """Whether each quote opens or closes a whole cell, or is doubled inside one."""
    quotes = buffer == QUOTE
    opening = np.flatnonzero(quotes & inside)
    closing = np.flatnonzero(quotes & ~inside)
    before = np.where(opening > 0, opening - 1, opening)
    good = (opening == 0) | ends[before] | quotes[before]
    after = np.minimum(closing + 1, buffer.size - 1)
    return bool(good.all() and (ends[after] | quotes[after]).all())
