"""The convex hull of a ROC curve, which is isotonic regression by another name.

With x and y the cumulative numbers of negatives and positives in ascending score, the lower
convex hull of the points (x, y) is the ROC convex hull seen from below, and its edges are the
blocks of the pool-adjacent-violators algorithm. Integer counts are compared by cross
multiplication, so no rounding takes part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.scores_loops import hull_loop

__all__ = ["cumulative", "hull_vertices"]

#: Below this many points, or when a pass removes little, a stack is quicker than whole arrays.
_SMALL = 64


def cumulative(counts: NDArray[Any]) -> NDArray[Any]:
    """Sums of the first 0, 1, 2, ... counts."""
    sums = np.empty(counts.shape[0] + 1, dtype=counts.dtype)
    sums[0] = 0
    np.cumsum(counts, out=sums[1:])
    return sums


def hull_vertices(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Indices of the vertices of the lower convex hull, both ends included.

    A point on or above the segment between its neighbours is no vertex, whether or not the
    neighbours are; so each pass drops all such points at once. What resists goes to a stack.
    """
    if _may_overflow(x, y):
        x, y = x.astype(np.float64), y.astype(np.float64)
    kept = np.arange(x.shape[0], dtype=np.intp)
    px, py = x, y
    while kept.shape[0] > _SMALL:
        dx, dy = np.diff(px), np.diff(py)
        vertex = np.ones(kept.shape[0], dtype=bool)
        np.greater(dx[:-1] * dy[1:], dy[:-1] * dx[1:], out=vertex[1:-1])
        left = np.flatnonzero(vertex)
        kept, px, py = kept[left], px[left], py[left]
        if (vertex.shape[0] - left.shape[0]) * 16 < vertex.shape[0]:
            break
    stack = np.empty(kept.shape[0], dtype=np.intp)
    size = hull_loop(_listed(x[kept]), _listed(y[kept]), stack)
    return kept[stack[:size]]


def _may_overflow(x: NDArray[Any], y: NDArray[Any]) -> bool:
    """Whether a product of two totals may leave 64-bit integers."""
    return x.dtype.kind == "i" and int(x[-1]) * int(y[-1]) >= 2**62


def _listed(values: NDArray[Any]) -> Any:
    """Plain Python numbers, which a Python loop reads faster than NumPy's."""
    return _Column(values.tolist())


class _Column(list[Any]):
    """A list that says its length as an array does."""

    @property
    def shape(self) -> tuple[int]:
        """Its only dimension."""
        return (len(self),)
