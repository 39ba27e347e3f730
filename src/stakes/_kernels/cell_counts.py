"""Cases counted by combinations of codes, in blocks that stay in the cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.fast_loops import blocks, compiled, pays

#: Rows per block when one-byte codes are counted in pairs: enough to pay for 65,536 bins.
_PAIRED_ROWS = 1 << 19


def count_pairs(
    truth: NDArray[Any], decisions: NDArray[Any], n_classes: int, n_decisions: int
) -> NDArray[np.int64] | None:
    """Cases with each pair of codes, (n_classes, n_decisions); None if a code is out of range."""
    one_byte = truth.dtype.itemsize == decisions.dtype.itemsize == 1
    if one_byte and n_classes == n_decisions == 2:
        return _count_bits(truth.view(np.uint8), decisions.view(np.uint8))
    if pays(truth.shape[0]):
        table: NDArray[np.int64] = np.zeros((n_classes, n_decisions), dtype=np.int64)
        within = compiled(_count_loop)(_plain(truth), _plain(decisions), table)
        return table if within else None
    size = n_classes * n_decisions
    if one_byte and size <= 256 and truth.shape[0] >= _PAIRED_ROWS:
        return _count_bytes(truth.view(np.uint8), decisions.view(np.uint8), n_classes, n_decisions)
    total = np.zeros(size, dtype=np.int64)
    for rows in blocks(truth.shape[0]):
        codes = _joint(truth[rows], decisions[rows], n_classes, n_decisions)
        if codes is None:
            return None
        total += np.bincount(codes, minlength=size)
    return total.reshape(n_classes, n_decisions)


def sum_weights(
    truth: NDArray[Any],
    decisions: NDArray[Any],
    weights: NDArray[np.float64],
    n_classes: int,
    n_decisions: int,
) -> NDArray[np.float64] | None:
    """Weight of each pair of codes, (n_classes, n_decisions); None if a code is out of range."""
    size = n_classes * n_decisions
    total = np.zeros(size, dtype=np.float64)
    for rows in blocks(truth.shape[0]):
        codes = _joint(truth[rows], decisions[rows], n_classes, n_decisions)
        if codes is None:
            return None
        total += np.bincount(codes, weights=weights[rows], minlength=size)
    return total.reshape(n_classes, n_decisions)


def _count_bits(truth: NDArray[np.uint8], decisions: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """The two-by-two table of one-byte codes, from three population counts a block."""
    positives = acted = hits = 0
    for rows in blocks(truth.shape[0]):
        i, j = truth[rows], decisions[rows]
        if i.max() > 1 or j.max() > 1:
            return None
        positives += int(np.count_nonzero(i))
        acted += int(np.count_nonzero(j))
        hits += int(np.count_nonzero(i & j))
    misses, alarms = positives - hits, acted - hits
    quiet = truth.shape[0] - positives - alarms
    return np.array([[quiet, alarms], [misses, hits]], dtype=np.int64)


def _count_bytes(
    truth: NDArray[np.uint8], decisions: NDArray[np.uint8], n_classes: int, n_decisions: int
) -> NDArray[np.int64] | None:
    """One-byte codes counted two rows at a time, as the halves of 16-bit numbers."""
    pairs, odd = np.zeros(1 << 16, dtype=np.int64), np.zeros(256, dtype=np.int64)
    for rows in blocks(truth.shape[0], _PAIRED_ROWS):
        i, j = truth[rows], decisions[rows]
        if i.max() >= n_classes or j.max() >= n_decisions:
            return None
        codes = np.multiply(i, n_decisions, dtype=np.uint8)
        codes += j
        even = codes.shape[0] & ~1
        pairs += np.bincount(codes[:even].view(np.uint16), minlength=1 << 16)
        odd += np.bincount(codes[even:], minlength=256)
    halves = pairs.reshape(256, 256)
    total: NDArray[np.int64] = halves.sum(axis=0) + halves.sum(axis=1) + odd
    return total[: n_classes * n_decisions].reshape(n_classes, n_decisions)


def _count_loop(truth: NDArray[Any], decisions: NDArray[Any], total: NDArray[np.int64]) -> bool:
    """Count pairs into `total` in one pass; False when a code is out of range (for Numba)."""
    n_classes, n_decisions = total.shape
    parts = np.zeros((4, n_classes, n_decisions), dtype=np.int64)  # four, so that no
    for k in range(truth.shape[0]):  # increment waits for the one before it
        i, j = truth[k], decisions[k]
        if i < 0 or j < 0 or i >= n_classes or j >= n_decisions:
            return False
        parts[k & 3, i, j] += 1
    for part in parts:
        total += part
    return True


def _plain(codes: NDArray[Any]) -> NDArray[Any]:
    """Booleans as bytes."""
    return codes.view(np.uint8) if codes.dtype == bool else codes


def _joint(
    truth: NDArray[Any], decisions: NDArray[Any], n_classes: int, n_decisions: int
) -> NDArray[np.intp] | None:
    """One code per case for truth and decision together; None if one is out of range."""
    if not (_within(truth, n_classes) and _within(decisions, n_decisions)):
        return None
    codes: NDArray[np.intp] = np.multiply(truth, n_decisions, dtype=np.intp, casting="unsafe")
    np.add(codes, decisions, out=codes, casting="unsafe")
    return codes


def _within(codes: NDArray[Any], size: int) -> bool:
    """Whether all codes are positions below `size`."""
    return bool(codes.max() < size and codes.min() >= 0)


#: Up to this many possible combinations a plain table is counted, above it codes are sorted.
_TABLE = 1 << 22
_LARGEST = 1 << 40


def joint_cells(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int], weights: NDArray[Any] | None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Distinct rows of the code columns, sorted, and the cases (or weight) of each.

    Integer weights are numbers of cases, and stay integers.
    """
    bound = math.prod(sizes)
    if bound > _LARGEST:  # rows as they are, since one number cannot tell them apart
        cases = np.ones(len(codes[0]), dtype=np.int64) if weights is None else weights
        return add_cells(np.column_stack(codes).astype(np.intp), cases)
    joint = codes[0].astype(np.int64)
    for column, size in zip(codes[1:], sizes[1:], strict=True):
        joint = joint * size + column
    if bound <= _TABLE:
        table = np.bincount(joint, weights=weights, minlength=bound)
        found = np.flatnonzero(table)
        counts = table[found]
    else:
        found, inverse = np.unique(joint, return_inverse=True)
        counts = np.bincount(inverse.reshape(-1), weights=weights, minlength=found.shape[0])
    if weights is not None:
        counts = counts.astype(weights.dtype, copy=False)
    return np.column_stack(np.unravel_index(found, tuple(sizes))).astype(np.intp), counts


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
