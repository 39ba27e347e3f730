"""Scores pooled into blocks: by pool-adjacent-violators, Venn-Abers, and of equal mass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.label_runs import merged_scores, split_classes
from stakes._kernels.roc_hull import cumulative, hull, runs

Floats = NDArray[np.float64]


class Blocks(NamedTuple):
    """Per block of the isotonic fit, ascending: end scores and (weighted) cases by class."""

    lowest: Floats
    highest: Floats
    negatives: Floats
    positives: Floats


def pav_blocks(
    scores: NDArray[Any],
    positive: NDArray[np.bool_],
    weights: Floats | None,
    *,
    misleading: float = 0.0,
) -> Blocks:
    """Blocks of constant posterior, non-decreasing in the score.

    `misleading` cases of the wrong class are added beyond either end, which keeps every
    block's odds finite.
    """
    if weights is None:
        found = runs(*split_classes(scores, positive), None, None)
    else:
        low, low_counts = merged_scores(scores[~positive], weights[~positive])
        high, high_counts = merged_scores(scores[positive], weights[positive])
        found = runs(low, high, low_counts, high_counts)
    negatives, positives = found.negatives, found.positives
    if misleading:
        negatives = np.concatenate([[0], negatives, [misleading]])
        positives = np.concatenate([[misleading], positives, [0]])
    falls, rises = cumulative(negatives), cumulative(positives)
    corners = hull(falls, rises)
    last = len(found.lowest) - 1
    shift = 1 if misleading else 0
    first_run = np.clip(corners[:-1] - shift, 0, last)
    last_run = np.clip(corners[1:] - 1 - shift, 0, last)
    return Blocks(
        found.lowest[first_run].astype(np.float64),
        found.highest[last_run].astype(np.float64),
        np.diff(falls[corners]).astype(np.float64),
        np.diff(rises[corners]).astype(np.float64),
    )


def venn_abers_upper(positives: Floats, totals: Floats) -> Floats:
    """Isotonic value at each distinct score after one positive case is added there.

    The added case walks through the cumulated diagram from left to right; a stack holds the
    corners of the convex minorant to its right, so the whole takes one pass.
    """
    size = len(totals)
    x = [-1.0, 0.0, *np.cumsum(totals).tolist()]
    y = [-1.0, 0.0, *np.cumsum(positives).tolist()]
    stack: list[tuple[float, float]] = []
    for point in zip(x, y, strict=True):
        while len(stack) > 1 and not _turns_left(stack[-2], stack[-1], point):
            stack.pop()
        stack.append(point)
    stack.reverse()
    out = np.empty(size)
    before = (x[0], y[0])
    here = (x[1], y[1])
    for i in range(size):
        (x0, y0), (x1, y1) = stack[-1], stack[-2]
        out[i] = (y1 - y0) / (x1 - x0)
        after = (x[i + 2], y[i + 2])
        moved = (before[0] + after[0] - here[0], before[1] + after[1] - here[1])
        before, here = moved, after
        if (moved[1] - y0) * (x1 - x0) >= (y1 - y0) * (moved[0] - x0):
            continue
        stack.pop()
        while len(stack) > 1 and not _turns_left(moved, stack[-1], stack[-2]):
            stack.pop()
        stack.append(moved)
    return out


def _turns_left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Whether the path a, b, c turns counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - b[1]) > (b[1] - a[1]) * (c[0] - b[0])


Positions = NDArray[np.intp]


def equal_mass_cuts(mass: Floats, bins: int) -> Positions:
    """Number of levels below each cut, for cuts as close to equal mass as possible."""
    if len(mass) <= bins:
        return np.arange(1, len(mass))
    below = np.cumsum(mass) * bins  # so that whole masses are compared exactly
    total, share = below[-1] / bins, np.arange(1, bins)
    first = np.searchsorted(below[:-1], share * total)
    lower, upper = np.maximum(first - 1, 0), np.minimum(first, len(mass) - 2)
    to_lower, to_upper = (np.abs(below[at] - share * total) for at in (lower, upper))
    higher = (to_upper < to_lower) | ((to_upper == to_lower) & (2 * share < bins))
    cuts = np.where(higher, upper, lower)
    far = np.unique(cuts[np.minimum(to_lower, to_upper) > total / 2])  # the ends of heavy ties
    near = np.setdiff1d(cuts, far)
    ends, after = np.concatenate([[-np.inf], below[far], [np.inf]]), np.searchsorted(far, near)
    apart = np.minimum(below[near] - ends[after], ends[after + 1] - below[near])
    return np.union1d(near[apart >= total / 2], far) + 1


def half_way(places: Floats, cuts: Positions) -> Floats:
    """Edges half-way between neighbours; one next to an infinite score lies beyond finite ones."""
    most = np.finfo(np.float64).max
    low, high = (np.clip(places[at], -most, most) for at in (cuts - 1, cuts))
    middle = low / 2 + high / 2
    return np.asarray(np.where((low < middle) & (middle <= high), middle, high))
