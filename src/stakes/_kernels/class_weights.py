"""The cost of Bayes decisions as one class weight changes, exactly.

With posteriors weighted by w_i, the expected cost of each decision is a line in one weight w_k,
so each case's decision is read off the lower envelope of its lines and the total cost is
piecewise constant: its minimum needs one sort of the breakpoints.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_weight", "envelope_events"]

Floats = NDArray[np.float64]


def envelope_events(fixed: Floats, slope: Floats, cost: Floats) -> tuple[Floats, Floats, float]:
    """Breakpoints, cost changes there, and the total cost at weight 0.

    `fixed` and `slope` (n, D) give the line of each decision, `cost` (n, D) what it costs if
    taken. Ties go to the earlier decision at weight 0.
    """
    count = len(fixed)
    rows = np.arange(count)
    lowest = fixed.min(axis=1, keepdims=True)
    start = np.where(fixed <= lowest, slope, np.inf).argmin(axis=1)
    total = float(cost[rows, start].sum())
    places, changes = [], []
    current, at = start, np.zeros(count)
    while rows.size:
        own_slope = slope[rows, current][:, None]
        own_fixed = fixed[rows, current][:, None]
        drop = own_slope - slope[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            meet = np.where(drop > 0, (fixed[rows] - own_fixed) / drop, np.inf)
        where = meet.min(axis=1)
        tied = meet <= where[:, None]
        after = np.where(tied, slope[rows], np.inf).argmin(axis=1)
        moving = np.isfinite(where)
        rows, after, where, current = rows[moving], after[moving], where[moving], current[moving]
        at = np.maximum(where, at[moving])
        places.append(at)
        changes.append(cost[rows, after] - cost[rows, current])
        current = after
    if not places:
        return np.empty(0), np.empty(0), total
    return np.concatenate(places), np.concatenate(changes), total


def best_weight(fixed: Floats, slope: Floats, cost: Floats, now: float) -> tuple[float, float]:
    """The weight of least total cost and that cost; among equals the interval around `now`."""
    places, changes, total = envelope_events(fixed, slope, cost)
    if not places.size:
        return now, total
    order = np.argsort(places, kind="stable")
    places = places[order]
    levels = total + np.concatenate([[0.0], np.cumsum(changes[order])])
    edges = np.concatenate([[0.0], places, [np.inf]])
    open_ = edges[1:] > edges[:-1]
    least = levels[open_].min()
    good = np.flatnonzero(open_ & (levels <= least + 1e-12 * (1.0 + abs(least))))
    inside = good[(edges[good] < now) & (now < edges[good + 1])]
    if inside.size:
        return now, float(least)
    width = np.log(np.minimum(edges[good + 1], 1e12)) - np.log(np.maximum(edges[good], 1e-12))
    k = int(good[width.argmax()])
    low, high = edges[k], edges[k + 1]
    if not np.isfinite(high):
        return float(2.0 * low), float(least)
    if low == 0.0:
        return float(0.5 * high), float(least)
    return float(np.sqrt(low) * np.sqrt(high)), float(least)
