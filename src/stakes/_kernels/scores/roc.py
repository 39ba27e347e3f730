"""The ROC curve from cumulative counts: its convex hull, its area, and where the error rates
meet.
"""

from __future__ import annotations

import bisect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.scores.score_loops import hull_loop

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


def ranked_pairs(negatives: NDArray[Any], positives: NDArray[Any]) -> float:
    """Share of (negative, positive) pairs in the right order, ties half; runs ascend."""
    n0, n1 = negatives.sum(), positives.sum()
    exact = negatives.dtype.kind == "i" and positives.dtype.kind == "i"
    if not exact or 2 * int(n0) * int(n1) >= 2**62:
        negatives, positives = negatives.astype(np.float64), positives.astype(np.float64)
        n0, n1 = negatives.sum(), positives.sum()
    below = np.cumsum(negatives)
    below *= 2
    below -= negatives  # twice the cases below, plus once those at the same score
    return float(np.dot(below, positives) / (2 * n0 * n1))


def rates_meet(
    below_first: NDArray[Any], below_second: NDArray[Any]
) -> tuple[float, int, int, float]:
    """Where the miss rate reaches the false alarm rate, on straight lines between cuts.

    Returns the common rate, the cuts on both sides, and how far it lies between them.
    """
    n0, n1 = float(below_first[-1]), float(below_second[-1])

    def gap(k: int) -> float:  # ascends from -1 to 1
        return float(below_second[k] / n1 - (n0 - below_first[k]) / n0)

    right = bisect.bisect_left(range(below_first.shape[0]), 0.0, key=gap)
    left = max(right - 1, 0)
    step = 0.0 if right == left else -gap(left) / (gap(right) - gap(left))
    miss = below_second[left] / n1, below_second[right] / n1
    return float(miss[0] + step * (miss[1] - miss[0])), left, right, step


def area_between(x: NDArray[np.float64], y: NDArray[np.float64], low: float, high: float) -> float:
    """Area under straight lines through ascending points, between two abscissas."""
    left, right = np.maximum(x[:-1], low), np.minimum(x[1:], high)
    kept = right > left
    left, right, x0, y0 = left[kept], right[kept], x[:-1][kept], y[:-1][kept]
    slope = (y[1:][kept] - y0) / (x[1:][kept] - x0)
    heights = 2 * y0 + slope * (left + right - 2 * x0)
    return float(np.sum(heights * (right - left)) / 2)
