"""Read a file, a pipe or standard input as a table."""

from __future__ import annotations

import gzip
import hashlib
import io
import shlex
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from stakes._files import as_path
from stakes.exceptions import DataError, FormatError
from stakes.sources.formats import FORMATS, format_of, refuse_unsafe
from stakes.sources.patterns import several_words
from stakes.sources.stacked_tables import stacked
from stakes.sources.table import Table
from stakes.sources.trial_lists import lone_half

#: The most bytes to unpack, and how many at a time.
_MOST_UNPACKED, _PART = 1_000_000_000, 1 << 24
#: What was read from pipes, by device and inode.
_PIPES: dict[tuple[int, int], bytes] = {}


def read_table(path: str, *, new: bool = False, copied: bool = False) -> Table:
    """The columns of a file, or of several one below the other; `-` is standard input.

    A file without rows, or one that is given twice, is refused unless the cases are `new`. Cells of
    several files that will be `copied` must be of the same types.
    """
    if words := several_words(path):
        tables = [read_table(word, new=new) for word in words]
        return stacked(tables, words, new=new, copied=copied)
    data, name = read_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    if data[:2] == b"\x1f\x8b":
        data = unzipped(data, name)
    if name.lower().endswith(".toml"):
        file = shlex.quote(path)
        hint = f"stakes eval DATA.csv ... --costs {file}\nto see the costs:  stakes costs {file}"
        raise FormatError(f"{name} holds costs, not cases.", hint=hint)
    found = format_of(data, name)
    if found is FORMATS[-1]:
        _refuse_half(data, name, path)
    table = found.read(data, name)
    if not table.n_rows and not new:
        has = "a header" if table.form.startswith("text") else "columns"
        raise DataError(f"{name} has {has} and no rows.", hint="I need one row per case")
    return replace(table, digest=digest)


def _refuse_half(data: bytes, name: str, path: str) -> None:
    """Raise for a list of trials without scores, or of scores without keys."""
    half, file = lone_half(data), shlex.quote(path)
    if half == "trials":
        both = f"stakes eval --trials {file} --scores SCORES.txt   (one file of scores per model)"
        raise FormatError(f"{name} is a list of trials without scores.", hint=both)
    if half == "scores":
        message = f"{name} is a list of scores without a word for which trials are targets."
        raise FormatError(message, hint=f"stakes eval --trials TRIALS.txt --scores {file}")


def read_bytes(path: Any) -> tuple[bytes, str]:
    """The content of a file as it stands, and what to call it."""
    if isinstance(path, str) and path == "-":
        return sys.stdin.buffer.read(), "standard input"
    file = as_path(path)
    refuse_unsafe(file)
    if file.is_file() or not file.exists() or file.is_dir():
        return file.read_bytes(), file.name
    return _from_pipe(file), "the pipe"


def _from_pipe(file: Path) -> bytes:
    """The content of a pipe such as ``<(zcat data.csv.gz)``, kept because it can be read once."""
    found = file.stat()
    key = (found.st_dev, found.st_ino)
    if key not in _PIPES:
        _PIPES[key] = file.read_bytes()
    return _PIPES[key]


def unzipped(data: bytes, name: str) -> bytes:
    """The content of a gz file, up to a limit, checked before memory is full."""
    parts: list[bytes] = []
    size = 0
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            while part := stream.read(_PART):
                size += len(part)
                refuse_bomb(size, name)
                parts.append(part)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{name}: the gz file is damaged ({error}).") from None
    return b"".join(parts)


def refuse_bomb(size: int, name: str, most: int | None = None, hint: str | None = None) -> None:
    """Raise for a packed file that would unpack to more bytes than the limit."""
    most = _MOST_UNPACKED if most is None else most
    if size > most:
        raise FormatError(
            f"{name} unpacks to more than {most / 1e9:g} GB, which I do not do unasked.",
            hint=hint
            or "unpack it first and give what was in it; CSV can also be read by an engine:  "
            "stakes eval FILE --engine duckdb",
        )
