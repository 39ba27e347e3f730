"""Cases by combination of several codes, only combinations that occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["add_cells", "joint_cells"]

#: Up to this many possible combinations a plain table is counted, above it codes are sorted.
_TABLE = 1 << 22
_LARGEST = 1 << 40


def joint_cells(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Distinct rows of the code columns, sorted, and the cases (or weight) of each."""
    joint = codes[0].astype(np.int64)
    bound = sizes[0]
    known: NDArray[np.intp] | None = None  # rows of codes that `joint` numbers, if compressed
    done = 1
    for column, size in zip(codes[1:], sizes[1:], strict=True):
        if bound * size > _LARGEST:
            known, joint = _compressed(joint, known, sizes[:done])
            bound = known.shape[0]
        joint = joint * size + column
        bound *= size
        known = None if known is None else _extended(known, size)
        done += 1
    if bound <= _TABLE:
        table = np.bincount(joint, weights=weights, minlength=bound)
        found = np.flatnonzero(table)
        counts = table[found]
    else:
        found, inverse = np.unique(joint, return_inverse=True)
        counts = np.bincount(inverse.reshape(-1), weights=weights, minlength=found.shape[0])
    cells = known[found] if known is not None else _decoded(found, sizes)
    return add_cells(cells, counts) if known is not None else (cells, counts)


def _compressed(
    joint: NDArray[np.int64], known: NDArray[np.intp] | None, sizes: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Number the combinations that occur from 0 on; return their rows and the new codes."""
    found, inverse = np.unique(joint, return_inverse=True)
    rows = _decoded(found, sizes) if known is None else known[found]
    return rows, inverse.reshape(-1).astype(np.int64)


def _extended(rows: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Every row followed by every code of one more column."""
    return np.column_stack([np.repeat(rows, size, axis=0), np.tile(np.arange(size), rows.shape[0])])


def _decoded(joint: NDArray[np.int64], sizes: Sequence[int]) -> NDArray[np.intp]:
    """The row of codes that each joint code stands for."""
    return np.column_stack(np.unravel_index(joint, tuple(sizes))).astype(np.intp)


def add_cells(
    cells: NDArray[np.intp], counts: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Add the counts of equal rows; rows come out sorted, empty ones are left out."""
    kept = counts > 0
    cells, counts = cells[kept], counts[kept]
    if cells.shape[0] == 0:
        return cells, counts
    order = np.lexsort(cells.T[::-1])
    cells, counts = cells[order], counts[order]
    fresh = np.ones(cells.shape[0], dtype=bool)
    fresh[1:] = (cells[1:] != cells[:-1]).any(axis=1)
    starts = np.flatnonzero(fresh)
    return cells[starts], np.add.reduceat(counts, starts)
