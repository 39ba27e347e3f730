"""Files opened with an engine: a lazy frame, or an error in one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stakes.exceptions import FormatError
from stakes.sources.cells import EMPTY
from stakes.sources.patterns import Files

#: Errors for a cell that is not a number: DuckDB (text files, columns), Polars, Spark.
_NO_NUMBER = (
    r"column \"(?P<column>.+?)\"\. Could not convert string \"(?P<cell>.*?)\" to 'DOUBLE'",
    r"convert string '(?P<cell>.*?)' to DOUBLE when casting from source column (?P<column>.+)",
    r"Could not convert string '(?P<cell>.*?)' to DOUBLE",
    r"could not parse `(?P<cell>.*?)` as dtype `f64` at column '(?P<column>.+?)' ",
    r"from `str` to `f64` failed in column '(?P<column>.+?)' for .*?values: \[\"(?P<cell>.*?)\"",
    r"The value '(?P<cell>.*?)' of the type \"STRING\" cannot be cast to \"DOUBLE\"",
)

#: Numbers, also with a decimal comma.
_NUMBER = r"[-+]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[-+]?[0-9]+)?|[-+]?inf(inity)?"

#: Errors for rows of text that do not fit the header: DuckDB, Polars, Spark.
_UNEVEN = (
    "when sniffing file|Expected Number of Columns|unterminated quote"
    "|found more fields than|CSV malformed|MALFORMED_RECORD_IN_PARSING|MALFORMED_CSV_RECORD"
)

#: Errors for failures of the engine itself: DuckDB, Spark.
_RECKONING = "Out of Range Error: Overflow|INTERNAL Error|ARITHMETIC_OVERFLOW|INTERNAL_ERROR"

#: The error for a column that only some files have: Polars.
_NO_COLUMN = r"did not find column (.+?), consider"

_AGAIN = "write or copy the file again, or leave it out"
_ALIKE = "write all numbers with a decimal comma, and without a point between thousands"
_POINTS = "write all numbers with a decimal point"
#: Hints, by parts of the engine's error.
_HINTS = {
    "memory": "allow more:  --memory 4GB",
    "mismatch|schema|has no column": "every file must have the same columns, of the same types",
    "gzip|end of file": _AGAIN,
    "do not exist in the CSV": "every file must have the same header and one row per case",
}


class UnreadGapError(FormatError):
    """A null marker or padded number that a second pass can parse.

    The engine wanted a number and met a word such as NA, or a number with spaces around it.
    """

    spaced = False  # whether the number has spaces around it


@dataclass(frozen=True, slots=True)
class Opened:
    """A lazy frame, with functions to rename columns and to follow and stop the work.

    `begin` is called first in the working thread.
    """

    frame: Any
    naming: Callable[[Any, Mapping[str, str]], Any]
    progress: Callable[[], float] | None = None
    begin: Callable[[], None] | None = None
    stop: Callable[[], None] | None = None

    def renamed(self, frame: Any, names: Mapping[str, str]) -> Any:
        """A frame of this engine with some columns renamed."""
        return self.naming(frame, names) if names else frame


def _said(error: Exception) -> str:
    """An engine's error in one line; from a Java stack trace, the problem and its cause."""
    lines = str(error).strip().splitlines()
    if found := re.match(_NO_COLUMN, str(error)):
        return f"a file has no column '{found[1]}'."
    told = [line for line in lines if line.startswith((": ", "Caused by: "))]
    if not lines or not told:
        return lines[0] if lines else type(error).__name__
    parts = []
    for line in (told[0], told[-1]):
        text = re.sub(r"^(: |Caused by: )[\w.$]+(: |$)", "", line)  # the class of the exception
        text = re.sub(r"^\[[A-Z_.]+\] | *SQLSTATE: \w+$", "", text).strip()
        if text and text not in parts:
            parts.append(text)
    return " ".join(parts) or lines[0]


def no_number(column: str) -> tuple[str, str]:
    """What DuckDB says of a cell that is no number, before and after the cell."""
    return f'column "{column}". Could not convert string "', "\" to 'DOUBLE'"


def odd_cell(error: Exception) -> tuple[str | None, str] | None:
    """The column and the cell of an engine's error for text that is no number; else None."""
    for pattern in _NO_NUMBER:
        if found := re.search(pattern, str(error)):
            return found.groupdict().get("column"), found["cell"]
    return None


def written_otherwise(files: Files, cell: str) -> str:
    """That numbers are read with another decimal sign than a cell has, and why; else empty."""
    header, word = files.header, cell.strip().lower()
    if header is None or header.delimiter != ";" or not re.fullmatch(_NUMBER, word):
        return ""
    first = "the first file" if len(files.paths) > 1 else "the file"
    if header.decimal_comma and "." in word:
        return f", and numbers are read with decimal commas, because {first} holds one"
    if not header.decimal_comma and "," in word:
        none = f"no number in the first megabyte of {first} has a comma"
        return f", and numbers are read with decimal points, because {none}"
    return ""


def _alike(files: Files) -> str:
    """How to write the numbers, or read them column by column."""
    comma = files.header is not None and files.header.decimal_comma
    return (_ALIKE if comma else _POINTS) + ", or  --engine memory" * Path(files.said).is_file()


def unreadable(error: Exception, files: Files) -> FormatError:
    """An engine's error as a FormatError in one line."""
    if found := odd_cell(error):
        column, cell = found
        comma = files.header is not None and files.header.decimal_comma
        cell = cell.replace("..", ".") if comma else cell  # points were doubled
        cell = cell.replace("__", "_")  # doubled where text was read as numbers
        which = f"column '{column}'" if column else "a column of scores or weights"
        word = cell.strip().lower()
        spaced = word != cell.lower()
        otherwise = written_otherwise(files, cell)
        unread = word in EMPTY or (spaced and re.fullmatch(_NUMBER, word))
        kind = UnreadGapError if unread else FormatError
        problem = kind(
            f"{files.title}: {which} must hold numbers; a row holds '{cell}'{otherwise}.",
            hint=_alike(files) if otherwise else "name another column, or correct the files",
            code="number-written-otherwise" if otherwise else "text-for-numbers",
        )
        if isinstance(problem, UnreadGapError):
            problem.spaced = spaced
        return problem
    if re.search(_UNEVEN, str(error)):
        wrong = "a row has more or fewer cells than the header, or a double quote is never closed"
        alone = "--engine memory, one file at a time, tells which row it is"
        return FormatError(f"{files.title}: {wrong}.", hint=alone)
    said = _said(error)
    if re.search(_RECKONING, str(error)):
        hint = "this is a fault of the engine, not of the files; choose another with --engine"
    elif re.search("invalid (utf-8|unicode)", str(error), re.IGNORECASE):
        hint = "save it as UTF-8, e.g.  iconv -f latin1 -t utf-8 file.csv > file-utf8.csv"
    elif known := [p for p in _HINTS if re.search(p, said, re.IGNORECASE)]:
        hint = _HINTS[known[0]]
    elif "://" in files.said:
        hint = "check the address, AWS_REGION and the keys (AWS_ACCESS_KEY_ID, ...)"
    elif len(files.paths) > 1 and not any(path in said for path in files.paths):
        hint = "find the damaged file by giving fewer of them"
    else:
        hint = _AGAIN
    return FormatError(f"{files.title}: {said}", hint=hint)
