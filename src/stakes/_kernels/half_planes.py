"""Directions in the plane: is there a vector that has a positive product with all of them?"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
_TURN = 2 * np.pi


def common_arc(angles: Array) -> tuple[float, float]:
    """Middle and width of the arc of angles less than a quarter turn from all the given ones.

    A vector at `phi` has a positive product with all vectors at `angles` when phi lies in
    the arc. The width is not positive when there is none: minus by how much it fails.
    """
    ordered = np.sort(np.mod(angles, _TURN))
    gaps = np.diff(np.append(ordered, ordered[0] + _TURN))
    widest = int(np.argmax(gaps))
    first = ordered[(widest + 1) % ordered.size]  # the vectors run from `first` ...
    extent = _TURN - gaps[widest]  # ... over this angle
    return float(np.mod(first + extent / 2, _TURN)), float(np.pi - extent)


def triple_around_zero(angles: Array, margins: Array) -> tuple[int, int, int] | None:
    """Three vectors with zero in their hull, the smallest margin as large as possible.

    One vector stands for each of 60 sectors, the one with the largest margin; where that
    finds nothing, the vectors nearest to the opposite of each vector are tried.
    """
    chosen = []
    sector = np.floor(np.mod(angles, _TURN) / _TURN * 60).astype(int)
    for k in np.unique(sector):
        members = np.flatnonzero(sector == k)
        chosen.append(int(members[np.argmax(margins[members])]))
    found = _best_triple(np.array(chosen), angles, margins)
    return found if found is not None else _opposite_triple(angles, margins)


def _best_triple(chosen: NDArray[np.intp], angles: Array, margins: Array
                 ) -> tuple[int, int, int] | None:  # fmt: skip
    """The best of all triples of the chosen vectors."""
    order = chosen[np.argsort(np.mod(angles[chosen], _TURN))]
    turn = np.mod(angles[order], _TURN)
    n = order.size
    if n < 3:
        return None
    i, j, k = (index.ravel() for index in np.meshgrid(*[np.arange(n)] * 3, indexing="ij"))
    kept = (i < j) & (j < k)
    i, j, k = i[kept], j[kept], k[kept]
    limit = np.pi - 1e-9
    around = ((turn[j] - turn[i]) < limit) & ((turn[k] - turn[j]) < limit)
    around &= (_TURN - turn[k] + turn[i]) < limit
    if not around.any():
        return None
    i, j, k = i[around], j[around], k[around]
    worst = np.minimum(np.minimum(margins[order[i]], margins[order[j]]), margins[order[k]])
    best = int(np.argmax(worst))
    return int(order[i[best]]), int(order[j[best]]), int(order[k[best]])


def _opposite_triple(angles: Array, margins: Array) -> tuple[int, int, int] | None:
    """A vector and the two nearest to its opposite, one on each side."""
    turn = np.mod(angles, _TURN)
    order = np.argsort(turn)
    ordered = turn[order]
    target = np.mod(turn + np.pi, _TURN)
    after = np.searchsorted(ordered, target, side="left") % turn.size
    before = after - 1
    up = np.mod(ordered[after] - target, _TURN)
    down = np.mod(target - ordered[before], _TURN)
    usable = (up < np.pi) & (down < np.pi) & (up + down < np.pi)
    if not usable.any():
        return None
    worst = np.minimum(margins, np.minimum(margins[order[after]], margins[order[before]]))
    best = int(np.argmax(np.where(usable, worst, -np.inf)))
    return best, int(order[before[best]]), int(order[after[best]])


def balance(vectors: Array) -> Array:
    """Weights, not negative and adding to one, with which three vectors cancel."""

    def cross(a: Array, b: Array) -> float:
        return float(a[0] * b[1] - a[1] * b[0])

    weights = np.array(
        [
            cross(vectors[1], vectors[2]),
            cross(vectors[2], vectors[0]),
            cross(vectors[0], vectors[1]),
        ]
    )
    return np.asarray(weights / weights.sum())
