"""HDF5 files: keys and scores of trials as BOSARIS and its kin write them, or plain arrays.

A key holds `trial_mask` (1 target, -1 nontarget, 0 no trial) over the names in `ID/row_ids` and
`ID/column_ids`; scores hold `scores` or `score_mat`, with `score_mask`, over such names.
"""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._optional import load
from stakes.exceptions import FormatError
from stakes.messages.quantities import grouped
from stakes.sources.table import Table, table_of_arrays
from stakes.sources.table_file import refuse_bomb
from stakes.sources.trial_lists import List, table_of_list

#: Raised by h5py for a truncated or changed file, and for invalid text.
_DAMAGED = (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError)
#: How a heap of texts begins.
_HEAP = b"GCOL\x01\0\0\0"
_ROWS = ("ID/row_ids", "modelset", "enroll_ids", "row_ids")
_COLUMNS = ("ID/column_ids", "segset", "test_ids", "column_ids")
_SCORES = ("scores", "score_mat")


def read(data: bytes, name: str) -> Table:
    """Trials with scores, or else the arrays of the file by name."""
    found = hdf5_list(data, name)
    if found is None:
        return table_of_arrays(name, hdf5_arrays(data, name))
    if found.keys is None or found.scores is None:
        what, other = ("trials", "scores") if found.scores is None else ("scores", "trials")
        hint = "stakes eval --trials KEY.h5 --scores SCORES.h5   (one file of scores per model)"
        raise FormatError(f"{name} holds {what} without {other}.", hint=hint)
    return table_of_list(found)


def hdf5_arrays(data: bytes, name: str) -> dict[str, NDArray[Any]]:
    """Every array of the file by its path, text as text."""
    h5py = load("h5py", extra="hdf5")
    found: dict[str, NDArray[Any]] = {}
    _refuse_endless(data, name)

    def keep(path: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.shape is not None:
            refuse_bomb(item.nbytes if item.nbytes > len(data) else 0, name)
            is_text = h5py.check_string_dtype(item.dtype) is not None
            if is_text:
                _refuse_far_texts(item, data, name)
            found[path] = np.asarray(item.asstr()[()] if is_text else item[()])

    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            file.visititems(keep)
    except FormatError:
        raise
    except _DAMAGED as error:
        raise FormatError(f"{name}: the HDF5 file is damaged ({error}).") from None
    return found


def _refuse_endless(data: bytes, name: str) -> None:
    """Raise if a heap of texts has an empty gap, on which the library loops forever.

    A heap begins with GCOL, its version and its size. Each object begins with its number, which is
    0 for a gap, and its size.
    """
    at = data.find(_HEAP)
    while at >= 0:
        size = int.from_bytes(data[at + 8 : at + 16], "little")
        place, end = at + 16, min(at + size, len(data))
        while place + 16 <= end:
            number, _, _, length = struct.unpack_from("<HHIQ", data, place)
            if number == length == 0:
                raise FormatError(f"{name}: the HDF5 file is damaged (a heap has an empty gap).")
            place += length if number == 0 else 16 + -(-length // 8) * 8
        at = data.find(_HEAP, at + 4)


def _refuse_far_texts(item: Any, data: bytes, name: str) -> None:
    """Raise if a text would be longer than the file, or lies beyond its end.

    A text of variable length is stored as its length, the address of a heap, and a place in it.
    """
    start, kind = item.id.get_offset(), [("length", "<u4"), ("heap", "<u8"), ("place", "<u4")]
    if start is None or item.id.get_storage_size() != 16 * item.size:
        return
    texts = np.frombuffer(data[start : start + 16 * item.size].ljust(16 * item.size, b"\0"), kind)
    if (texts["length"] > len(data)).any() or (texts["heap"] > len(data)).any():
        raise FormatError(f"{name}: the HDF5 file is damaged (a text lies outside of it).")


def hdf5_list(data: bytes, name: str) -> List | None:
    """Trials, scores, or both, one by one; None if the file holds neither."""
    arrays = hdf5_arrays(data, name)
    mask = arrays.get("trial_mask")  # 1 for targets, -1 for nontargets
    if {"target_mask", "nontarget_mask"} <= set(arrays):  # an older form has two masks
        target, other = (arrays[k].astype(np.int8) for k in ("target_mask", "nontarget_mask"))
        mask = target - other
    matrix, rows, columns = (
        next((arrays[key] for key in keys if key in arrays), None)
        for keys in (_SCORES, _ROWS, _COLUMNS)
    )
    if (mask is None and matrix is None) or rows is None or columns is None:
        return None
    shape = (rows.shape[0], columns.shape[0])
    mask = None if mask is None else _turned(mask, shape, name)
    matrix = None if matrix is None else _turned(matrix, shape, name)
    wanted = np.ones(shape, dtype=bool) if mask is None else mask != 0
    if matrix is not None and "score_mask" in arrays:
        wanted = wanted & (_turned(arrays["score_mask"], shape, name) != 0)
    i, j = np.nonzero(wanted)
    parts = ["trials"] * (mask is not None) + ["scores"] * (matrix is not None)
    size = f"{grouped(i.size)} {' with '.join(parts)}, {shape[0]} x {shape[1]} names"
    return List(
        name,
        [rows[i].astype(str), columns[j].astype(str)],
        None if mask is None else np.where(mask[i, j] > 0, "target", "nontarget"),
        None if matrix is None else matrix[i, j].astype(np.float64),
        size,
    )


def _turned(matrix: NDArray[Any], shape: tuple[int, int], name: str) -> NDArray[Any]:
    """A matrix of rows by columns, transposed if it was written the other way."""
    if matrix.shape == shape:
        return matrix
    if matrix.shape == shape[::-1]:
        return matrix.T
    raise FormatError(
        f"{name}: a matrix of shape {matrix.shape} does not fit {shape[0]} x {shape[1]} names."
    )
