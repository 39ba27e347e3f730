"""Cases by true class and decision, counted in blocks that stay in the cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.blocks import blocks

__all__ = ["count_pairs", "sum_weights"]


def count_pairs(
    truth: NDArray[Any], decisions: NDArray[Any], n_classes: int, n_decisions: int
) -> NDArray[np.int64] | None:
    """Cases with each pair of codes, (n_classes, n_decisions); None if a code is out of range."""
    if n_classes == n_decisions == 2 and truth.dtype.itemsize == decisions.dtype.itemsize == 1:
        return _count_bytes(truth.view(np.uint8), decisions.view(np.uint8))
    size = n_classes * n_decisions
    total = np.zeros(size, dtype=np.int64)
    for rows in blocks(truth.shape[0]):
        i, j = truth[rows], decisions[rows]
        if not (_within(i, n_classes) and _within(j, n_decisions)):
            return None
        codes = np.multiply(i, n_decisions, dtype=np.intp, casting="unsafe")
        np.add(codes, j, out=codes, casting="unsafe")
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
        i, j = truth[rows], decisions[rows]
        if not (_within(i, n_classes) and _within(j, n_decisions)):
            return None
        codes = np.multiply(i, n_decisions, dtype=np.intp, casting="unsafe")
        np.add(codes, j, out=codes, casting="unsafe")
        total += np.bincount(codes, weights=weights[rows], minlength=size)
    return total.reshape(n_classes, n_decisions)


def _count_bytes(
    truth: NDArray[np.uint8], decisions: NDArray[np.uint8]
) -> NDArray[np.int64] | None:
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


def _within(codes: NDArray[Any], size: int) -> bool:
    """Whether all codes are positions below `size`."""
    return bool(codes.max() < size and codes.min() >= 0)
