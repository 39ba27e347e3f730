"""The class weights of least cost: one at a time exactly, from several starts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.bayes_rule import Compared
from stakes._kernels.fast_loops import blocks, compiled, pays


def _envelope_loop(
    fixed: Any, slope: Any, cost: Any, places: Any, changes: Any
) -> tuple[int, float]:
    """Follow each case's lowest line from weight 0 on; note where it changes, and the cost change.

    Returns the number of changes and the total cost at weight 0. Each case changes at most once
    less than it has lines, for which `places` and `changes` have room.
    """
    lines = fixed.shape[1]
    found = 0
    total = 0.0
    for n in range(fixed.shape[0]):
        own = 0
        for j in range(1, lines):
            lower = fixed[n, j] < fixed[n, own]
            if lower or (fixed[n, j] == fixed[n, own] and slope[n, j] < slope[n, own]):
                own = j
        total += cost[n, own]
        at = 0.0
        while True:
            where = math.inf
            after = own
            for j in range(lines):
                drop = slope[n, own] - slope[n, j]
                if drop > 0.0:
                    meet = (fixed[n, j] - fixed[n, own]) / drop
                    if meet < where or (meet == where and slope[n, j] < slope[n, after]):
                        where = meet
                        after = j
            if not where < math.inf:
                break
            at = max(at, where)
            places[found] = at
            changes[found] = cost[n, after] - cost[n, own]
            found += 1
            own = after
    return found, total


Floats = NDArray[np.float64]

#: Rows whose lines are followed at once, so that they stay in the cache.
_BLOCK = 8192
#: Rows times classes of a sample on which starts are tried, when there are more.
_SAMPLE = 3000


def _envelope_events(fixed: Floats, slope: Floats, cost: Floats) -> tuple[Floats, Floats, float]:
    """Breakpoints, cost changes there, and the total cost at weight 0.

    `fixed` and `slope` (n, D) give the line of each decision, `cost` (n, D) what it costs if
    taken. Ties go to the earlier decision at weight 0.
    """
    events = _compiled_events if pays(fixed.size) else _block_events
    parts = [events(fixed[rows], slope[rows], cost[rows]) for rows in blocks(len(fixed), _BLOCK)]
    places, changes = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    return places, changes, float(sum(part[2] for part in parts))


def _block_events(fixed: Floats, slope: Floats, cost: Floats) -> tuple[Floats, Floats, float]:
    """Breakpoints, cost changes and total cost of some rows."""
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


def _compiled_events(fixed: Floats, slope: Floats, cost: Floats) -> tuple[Floats, Floats, float]:
    """Like `_block_events`, by a compiled loop."""
    room = len(fixed) * (fixed.shape[1] - 1)
    places, changes = np.empty(room), np.empty(room)
    count, total = compiled(_envelope_loop)(fixed, slope, cost, places, changes)
    return places[:count].copy(), changes[:count].copy(), float(total)


def _best_weight(fixed: Floats, slope: Floats, cost: Floats, now: float) -> tuple[float, float]:
    """The weight of least total cost and that cost; `now` is kept if nothing is cheaper."""
    places, changes, total = _envelope_events(fixed, slope, cost)
    if not places.size:
        return now, total
    order = np.argsort(places)
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


def least_cost_weights(
    values: Floats, rule: Compared, paid: Floats, starts: int
) -> tuple[Floats, int]:
    """The cheapest weights found, and the passes over the classes that the last descent took.

    Decisions are taken by the `rule` (K, D) on `values` (n, K), and cost `paid` (n, D). The
    `starts` besides weights of 1 are tried on a sample if there are many rows, and the best one
    on all rows.
    """
    count, size = values.shape
    plain = np.ones(size)
    if size == 2 or not starts:  # of two weights only the ratio matters: one search is exact
        return _descent(values, rule, paid, plain)
    if count * size <= _SAMPLE:
        return _best_descent(values, rule, paid, [plain], drawn=starts)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(count, max(_SAMPLE // size, 1), replace=False))
    start, _ = _best_descent(values[rows], rule, paid[rows], [plain], drawn=starts)
    return _best_descent(values, rule, paid, [plain, start])


def _best_descent(
    values: Floats, rule: Compared, paid: Floats, starts: list[Floats], drawn: int = 0
) -> tuple[Floats, int]:
    """The best descent from the given starts and from random ones, far away or near the best."""
    rng = np.random.default_rng(0)
    best, least, sweeps = starts[0], np.inf, 0
    for k in range(len(starts) + drawn):
        step = rng.normal(size=len(best))
        start = best * np.exp(step) if k % 2 else np.exp(2.0 * step)
        found, passes = _descent(values, rule, paid, starts[k] if k < len(starts) else start)
        total = _total(values, rule, paid, found)
        if total < least - 1e-12 * (1.0 + abs(total)):
            best, least, sweeps = found, total, passes
    return best, sweeps


def _descent(values: Floats, rule: Compared, paid: Floats, start: Floats) -> tuple[Floats, int]:
    """One weight after the other until none improves, and the passes over the classes."""
    costs = rule.values
    size, weights = len(start), start.copy()
    best, steps, idle = _total(values, rule, paid, start), 0, 0
    while idle < size and steps < 50 * size:
        k = steps % size
        others = weights.copy()
        others[k] = 0.0
        fixed, slope = (values * others) @ costs, np.outer(values[:, k], costs[k])
        weight, found = _best_weight(fixed, slope, paid, float(weights[k]))
        steps, idle = steps + 1, idle + 1
        if found < best - 1e-12 * (1.0 + abs(best)):
            weights[k], best, idle = weight, found, 0
    return weights, -(-steps // size)


def _total(values: Floats, rule: Compared, paid: Floats, weights: Floats) -> float:
    """Cost of all rows at some weights."""
    moved = values * weights
    taken = rule.decide(moved / moved.sum(axis=1, keepdims=True))
    return float(paid[np.arange(len(values)), taken].sum())
