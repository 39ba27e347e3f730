"""Fixed bins of a posterior, the same to the last bit on every engine.

Bins are narrow near 0 and near 1, where posteriors crowd: the fourth root of the distance to the
nearer end is cut into equal parts. It takes two square roots and one product, which every engine
rounds alike, unlike a logarithm. Thresholds are further edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import frozen
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """Bins of one score: those of the grid, cut further at thresholds."""

    half: int
    thresholds: tuple[float, ...]

    @classmethod
    def fitting(cls, n_bins: int, thresholds: Any) -> Bins:
        """At most `n_bins` bins with these thresholds among the edges."""
        inside = tuple(sorted({float(t) for t in thresholds if 0 <= t < 1}))
        return cls((n_bins - len(inside)) // 2, inside)

    @property
    def count(self) -> int:
        """How many codes there are."""
        return 2 * self.half + len(self.thresholds)

    @property
    def edges(self) -> FloatArray:
        """The distinct edges, ascending: a bin holds what is above one, up to the next."""
        return np.unique(self._all_edges())

    def position(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bin between distinct edges that each code stands for."""
        every = self._all_edges()
        first = np.concatenate(([0], np.cumsum(np.diff(every, prepend=-1.0) > 0)))
        return np.asarray(first[codes])

    def _all_edges(self) -> FloatArray:
        """The edges of the grid and the thresholds, sorted, perhaps twice the same."""
        return np.sort(np.concatenate((_grid_edges(self.half), self.thresholds)))


def scale(half: int) -> float:
    """What the fourth root is multiplied by: the largest number that keeps 1/2 below `half`."""
    root = float(np.sqrt(np.sqrt(0.5)))
    factor = half / root
    while root * factor >= half:
        factor = float(np.nextafter(factor, 0))
    return factor


def steps(dialect: Any, posterior: Any, half: int) -> Any:
    """How many bins lie between a posterior in [0, 1] and the nearer end, as a float."""
    near = dialect.literal(0.5) - dialect.size(posterior - dialect.literal(0.5))
    return dialect.floor(dialect.root(dialect.root(near)) * dialect.literal(scale(half)))


def place(dialect: Any, posterior: Any, taken: Any, half: int) -> Any:
    """The bin of the grid, counted from 0, as a float; `taken` are the steps from the end."""
    lit = dialect.literal
    above = dialect.indicator(posterior > lit(0.5))
    return taken + above * (lit(2.0 * half - 1) - lit(2.0) * taken)


def _placed(posteriors: FloatArray, half: int) -> FloatArray:
    """The same in NumPy."""
    near = 0.5 - np.abs(posteriors - 0.5)
    taken = np.floor(np.sqrt(np.sqrt(near)) * scale(half))
    return np.asarray(np.where(posteriors > 0.5, 2 * half - 1 - taken, taken))


@lru_cache(maxsize=8)
def _grid_edges(half: int) -> FloatArray:
    """The largest float of each bin but the last, found by bisection among the floats."""
    wanted = np.arange(2 * half - 1)
    low = np.zeros(wanted.shape, dtype=np.int64)
    high = np.full(wanted.shape, np.float64(1.0).view(np.int64))
    while (high - low > 1).any():
        middle = (low + high) // 2
        inside = _placed(middle.view(np.float64), half) <= wanted
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return frozen(low.view(np.float64))
