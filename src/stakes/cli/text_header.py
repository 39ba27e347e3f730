"""The first lines of text files that stay where they are: read here, so that no engine guesses."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from stakes.cli.delimited import as_plain_text, delimiter_of, refuse_bare_rows, uneven
from stakes.exceptions import FormatError

__all__ = ["TextHeader", "text_header"]

#: Bytes that are looked at; a header is shorter.
ENOUGH = 1 << 20
#: A cell that begins like a number with a comma, after a semicolon or at the beginning of a line.
DECIMAL_COMMA = re.compile(rb"(?:^|;) *-?\d*,\d", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TextHeader:
    """Names of columns, what stands between cells, and how numbers are written.

    Above it may be blank lines, and one that tells the delimiter (``sep=;``).
    """

    names: tuple[str, ...]
    delimiter: str
    decimal_comma: bool = False
    blank: bool = False
    told: bool = False


def text_header(path: str) -> TextHeader | None:
    """The header of a text file, plain or .gz; None where it cannot be looked at."""
    data, name = _first_bytes(path), Path(path).name
    if data is None:
        return None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FormatError(
            f"{name} is UTF-16 text, which engines do not read.",
            hint="save it as UTF-8, e.g.  iconv -f utf-16 -t utf-8 file.csv > file-utf8.csv",
        )
    if len(data) == ENOUGH:  # whole lines
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
    delimiter = delimiter_of(line)
    names = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    refuse_bare_rows(names, name)
    row = next(filter(None, csv.reader(io.StringIO(below, newline=""), delimiter=delimiter)), None)
    if row is not None and len(row) > len(names):  # DuckDB passes over an empty last cell
        raise uneven(row, len(names), f"{name}: row 1", 2 + int(told))
    comma = delimiter == ";" and DECIMAL_COMMA.search(plain) is not None
    return TextHeader(tuple(names), delimiter, comma, blank, told)


def _first_bytes(path: str) -> bytes | None:
    """The beginning of a file, unpacked; None where that is left to the engine."""
    try:
        if path.lower().endswith(".gz"):
            with gzip.open(path, "rb") as packed:
                return packed.read(ENOUGH)
        if path.lower().endswith(".zst"):
            return None
        with Path(path).open("rb") as file:
            return file.read(ENOUGH)
    except (OSError, EOFError, zlib.error):
        return None
