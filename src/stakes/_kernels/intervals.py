"""Two classes: exact cut points on the posterior of the second one.

With two classes the expected cost of each decision is a straight line in p, the posterior of
the second class, and the Bayes decision is the lower envelope of these lines. Its corners are
rational numbers; rounded down to a float they give the same answer as exact arithmetic for
every float p, ties included.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Piece", "decide_by_cuts", "float_below", "pieces"]


class Piece(NamedTuple):
    """A stretch of posteriors with one decision: from `start` (included or not) on."""

    start: Fraction
    included: bool
    decision: int


def pieces(costs: NDArray[np.float64]) -> list[Piece]:
    """The decisions in order of p, for (2, M) costs; ties go to the earlier column."""
    lines = [(Fraction(a), Fraction(b) - Fraction(a)) for a, b in zip(*costs.tolist(), strict=True)]
    corners = sorted({Fraction(0), Fraction(1), *_corners(lines)})
    found: list[Piece] = []
    for left, right in zip(corners, [*corners[1:], None], strict=True):
        _append(found, Piece(left, True, _winner(lines, left)))
        if right is not None:
            _append(found, Piece(left, False, _winner(lines, (left + right) / 2)))
    return found


def _append(found: list[Piece], piece: Piece) -> None:
    """Add a piece unless it goes on with the same decision."""
    if not found or found[-1].decision != piece.decision:
        found.append(piece)


def _winner(lines: list[tuple[Fraction, Fraction]], p: Fraction) -> int:
    """The first line that is lowest at p."""
    heights = [intercept + slope * p for intercept, slope in lines]
    return heights.index(min(heights))


def _corners(lines: list[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """Where the lower envelope changes from one line to another, inside (0, 1)."""
    corners: list[Fraction] = []
    p = Fraction(0)
    while True:
        height, slope = min((a + b * p, b) for a, b in lines)
        crossings = [(a + b * p - height) / (slope - b) for a, b in lines if b < slope]
        if not crossings or p + min(crossings) >= 1:
            return corners
        p += min(crossings)
        corners.append(p)


def float_below(value: Fraction, kind: type[np.floating[Any]], *, strictly: bool) -> Any:
    """The largest float that is not above `value` (or is below it, if `strictly`)."""
    nearest = kind(float(value))
    exact = Fraction(float(nearest))
    if exact > value or (strictly and exact == value):
        nearest = np.nextafter(nearest, kind(-np.inf))
        if Fraction(float(nearest)) > value:  # float64 then float32: rounded up twice
            nearest = np.nextafter(nearest, kind(-np.inf))
    elif exact < value:
        above = np.nextafter(nearest, kind(np.inf))
        if Fraction(float(above)) < value or (not strictly and Fraction(float(above)) == value):
            nearest = above
    return nearest


def decide_by_cuts(
    p: NDArray[np.floating[Any]],
    cuts: NDArray[np.floating[Any]],
    table: NDArray[np.signedinteger[Any]],
    codes: NDArray[np.signedinteger[Any]],
) -> None:
    """Write the decision of each p into `codes`: `table[k]` where k cuts lie below p."""
    if cuts.shape[0] == 0:
        codes[:] = table[0]
        return
    if cuts.shape[0] == 1 and table[0] == 0 and table[1] == 1 and codes.dtype == np.int8:
        np.greater(p, cuts[0], out=codes.view(np.bool_))
        return
    if cuts.shape[0] > 16:
        codes[:] = table[np.searchsorted(cuts, p, side="left")]
        return
    passed = np.greater(p, cuts[0]).view(np.int8)
    for cut in cuts[1:]:
        passed = passed + np.greater(p, cut).view(np.int8)
    np.take(table, passed, out=codes, mode="clip")
