"""Arrays that NumPy saved: .npy and .npz files."""

from __future__ import annotations

import io
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import FormatError
from stakes.sources.table import Table, table_of_arrays
from stakes.sources.table_file import read_bytes, refuse_bomb

#: Raised by NumPy, zipfile and zlib for a truncated or changed file.
_DAMAGED = (ValueError, SyntaxError, OSError, EOFError, KeyError, MemoryError, RuntimeError,
            tokenize.TokenError, zipfile.BadZipFile, zlib.error)  # fmt: skip


def read(data: bytes, name: str) -> Table:
    """The arrays of a file, by name; zip files of another kind are refused."""
    inside = name.removesuffix(".gz")
    if not data.startswith(b"PK"):
        return table_of_arrays(name, {Path(inside).stem: _loaded(data, name)})
    if inside.lower().endswith(".npz"):
        return table_of_arrays(name, _loaded(data, name))
    if inside.lower().endswith((".xlsx", ".ods")):
        raise FormatError(f"{inside} is a spreadsheet.", hint="save the sheet as CSV")
    raise FormatError(f"{inside} is a zip file.", hint="unpack it, and give what was in it")


def read_array(path: str) -> NDArray[Any]:
    """One array from a .npy file."""
    found: NDArray[Any] = _loaded(*read_bytes(path))
    return found


def _loaded(data: bytes, name: str) -> Any:
    """One array, or the arrays of an archive by name. Refuses objects, which run code."""
    try:
        if data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                refuse_bomb(sum(each.file_size for each in packed.infolist()), name)
        found = np.load(io.BytesIO(data), allow_pickle=False)
        if not isinstance(found, Mapping):
            return _readable(np.asarray(found))
        return {key: _readable(array) for key, array in found.items()}
    except FormatError:
        raise
    except _DAMAGED as error:
        plain = "save numbers or strings, not Python objects"
        raise FormatError(f"{name}: {error}.", hint=plain) from None


def _readable(array: NDArray[Any]) -> NDArray[Any]:
    """An array with valid Unicode text; raises ValueError otherwise."""
    if array.dtype.kind == "U" and array.size:
        letters = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="))).view(np.uint32)
        if letters.max(initial=0) > sys.maxunicode:
            raise ValueError("its text holds letters that do not exist, so it is damaged")
    return array
