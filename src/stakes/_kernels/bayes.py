"""The decision of least expected cost for each row of posteriors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["case_margins", "code_type", "least_cost", "margin_type", "row_modes", "tie_margins"]


def code_type(n_decisions: int) -> type[np.signedinteger[Any]]:
    """The smallest signed integer type that holds the positions of all decisions."""
    if n_decisions <= 2**7:
        return np.int8
    return np.int16 if n_decisions <= 2**15 else np.int32


def row_modes(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The most frequent cost of each row (the larger one when several are).

    Taking it off each row changes no decision and leaves most entries zero. The 0-1 matrix
    becomes minus the identity, so its expected costs are single posteriors, without the
    rounding of a sum, and ties between posteriors stay ties.
    """
    modes = np.empty(costs.shape[0])
    for i, row in enumerate(costs):
        values, counts = np.unique(row, return_counts=True)
        modes[i] = values[::-1][np.argmax(counts[::-1])]
    return modes


def tie_margins(kept: NDArray[np.float64], kind: np.dtype[Any]) -> NDArray[np.float64]:
    """What to add to each column of costs so that rounding cannot break a tie.

    Sums of products are rounded differently by different processors, and posteriors written
    with a few decimals tie often. Each column is made dearer than the one before by more than
    the rounding of a sum, so that the earlier one wins. Where every column has one entry at
    most, and that a power of two as in the 0-1 matrix, expected costs are exact, and nothing is
    added.
    """
    n_classes, n_decisions = kept.shape
    powers = np.isin(np.abs(np.frexp(kept)[0]), (0.0, 0.5))
    if powers.all() and (np.count_nonzero(kept, axis=0) <= 1).all():
        return np.zeros(n_decisions)
    step = n_classes * float(np.finfo(kind).eps) * float(np.abs(kept).max())
    margins: NDArray[np.float64] = step * np.arange(n_decisions)
    return margins


def margin_type(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The type whose rounding the margins cover: float32 for float32, float64 for all others."""
    return np.dtype(np.float32 if kind == np.float32 else np.float64)


def case_margins(kept: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for one table of costs per case, (n, K, M): what to add to expected costs (M, n)."""
    n_classes, n_decisions = kept.shape[1:]
    step = n_classes * float(np.finfo(np.float64).eps) * np.abs(kept).max(axis=(1, 2))
    margins: NDArray[np.float64] = np.arange(n_decisions)[:, None] * step
    return margins


def least_cost(
    expected: NDArray[np.floating[Any]], codes: NDArray[np.signedinteger[Any]]
) -> NDArray[np.floating[Any]]:
    """Write the first minimum of each column of `expected` (M, n) into `codes`; return the minima.

    A running minimum over whole rows: every step is one vectorised pass over contiguous
    memory, which an argmin along the short axis is not.
    """
    best: NDArray[np.floating[Any]] = expected[0].copy()
    codes[:] = 0
    for j in range(1, expected.shape[0]):
        better = expected[j] < best
        np.minimum(best, expected[j], out=best)
        np.maximum(codes, better.view(np.int8) * codes.dtype.type(j), out=codes)
    return best
