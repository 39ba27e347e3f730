"""Arrays that NumPy saved: .npy and .npz files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import FormatError
from stakes.sources.table import Table, table_of_arrays
from stakes.sources.table_file import read_bytes


def read(data: bytes, name: str) -> Table:
    """The arrays of a file, by name; zip files of another kind are refused."""
    inside = name.removesuffix(".gz")
    if not data.startswith(b"PK"):
        return table_of_arrays(name, {Path(inside).stem: _array(data, name)})
    if inside.lower().endswith(".npz"):
        return table_of_arrays(name, _archive(data, name))
    if inside.lower().endswith((".xlsx", ".ods")):
        raise FormatError(f"{inside} is a spreadsheet.", hint="save the sheet as CSV")
    raise FormatError(f"{inside} is a zip file.", hint="unpack it, and give what was in it")


def read_array(path: str) -> NDArray[Any]:
    """One array from a .npy file."""
    data, name = read_bytes(path)
    return _array(data, name)


def _array(data: bytes, name: str) -> NDArray[Any]:
    """One array; arrays of Python objects are refused, because loading them runs code."""
    try:
        return np.asarray(np.load(io.BytesIO(data), allow_pickle=False))
    except ValueError as error:
        raise FormatError(
            f"{name}: {error}.",
            hint="save numbers or strings, not Python objects",
        ) from None


def _archive(data: bytes, name: str) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except ValueError as error:
        raise FormatError(
            f"{name}: {error}.", hint="save numbers or strings, not Python objects"
        ) from None
