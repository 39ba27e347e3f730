"""Positive vectors under linear inequalities: whether there are any, how far, and draws."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from stakes.typing import FloatArray

__all__ = ["drawn", "inner_point", "least_and_most"]

#: Steps between two draws that are kept, for each unknown.
THINNING = 2
BURN_IN = 50
#: Inequalities may be missed by this much, relative to their size: rounding.
SLACK = 1e-9


def inner_point(rows: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray | None:
    """A point of {x : rows @ x >= 0, low <= x <= high} far from its edges; None if empty."""
    from scipy.optimize import linprog

    size = low.size
    scale = np.abs(rows).sum(axis=1) if rows.size else np.zeros(0)
    free = (high > low).astype(np.float64)
    goal = np.append(np.zeros(size), -1.0)  # the largest margin
    upper = np.column_stack([-rows, scale]) if rows.size else np.zeros((0, size + 1))
    walls = np.vstack(
        [
            np.column_stack([-np.eye(size), free * low]),
            np.column_stack([np.eye(size), free * low]),
        ]
    )
    found = linprog(
        goal,
        A_ub=np.vstack([upper, walls]),
        b_ub=np.concatenate([np.full(len(upper), SLACK), -low, high]),
        bounds=[(None, None)] * size + [(0, 1)],
    )
    return np.clip(found.x[:-1], low, high) if found.status == 0 else None


def least_and_most(
    rows: FloatArray, low: FloatArray, high: FloatArray, k: int
) -> tuple[float, float]:
    """How small and how large one entry can be."""
    from scipy.optimize import linprog

    ends = []
    for sign in (1.0, -1.0):
        goal = np.zeros(low.size)
        goal[k] = sign
        for slack in (0.0, SLACK):  # exactly, or up to rounding where that leaves nothing
            found = linprog(
                goal,
                A_ub=-rows if rows.size else None,
                b_ub=np.full(len(rows), slack) if rows.size else None,
                bounds=list(zip(low, high, strict=True)),
            )
            if found.status == 0:
                break
        ends.append(float(f"{found.x[k]:.9g}"))
    return ends[0], ends[1]


def drawn(
    rows: FloatArray, low: FloatArray, high: FloatArray, n: int, rng: np.random.Generator
) -> FloatArray:
    """Points of the set, uniform in their logarithms: along random lines, shrinking misses."""
    at = inner_point(rows, low, high)
    assert at is not None
    x, groups = np.log(at), _linked(rows, low.size)
    fixed = np.unique(groups[high <= low])
    moving = np.setdiff1d(groups, fixed)
    if moving.size == 0:
        return np.repeat(at[None], n, axis=0)
    free = np.flatnonzero(np.isin(groups, moving))
    member = np.searchsorted(moving, groups[free])
    bottom, top = np.log(low[free]), np.log(high[free])
    slack = SLACK * np.abs(rows).sum(axis=1) * high.max() if rows.size else np.zeros(0)
    kept = np.empty((n, low.size))
    steps = THINNING * moving.size
    for k in range(-BURN_IN, n):
        for _ in range(steps):
            direction = rng.normal(size=moving.size)[member]
            with np.errstate(divide="ignore"):
                ends = np.stack([(bottom - x[free]) / direction, (top - x[free]) / direction])
            start, stop = float(ends.min(axis=0).max()), float(ends.max(axis=0).min())
            start, stop = min(start, 0.0), max(stop, 0.0)
            x = _moved(x, free, direction, start, stop, rows, slack, rng)
        if k >= 0:
            kept[k] = np.exp(x)
    return np.clip(kept, low, high)


def _linked(rows: FloatArray, size: int) -> NDArray[np.intp]:
    """Which entries keep a fixed ratio to each other: the number of the group of each."""
    groups = np.arange(size)
    pairs = [row / np.abs(row).max() for row in rows if np.count_nonzero(row) == 2]
    for first, second in itertools.combinations(pairs, 2):
        i, j = np.flatnonzero(first)
        ratio = -first[i] / first[j]
        if second[i] * second[j] < 0 and np.flatnonzero(second).tolist() == [i, j]:
            opposite = first[i] * second[i] < 0
            if opposite and abs(-second[i] / second[j] / ratio - 1) < SLACK:
                groups[groups == groups[j]] = groups[i]
    return groups


def _moved(
    x: FloatArray,
    free: NDArray[np.intp],
    direction: FloatArray,
    start: float,
    stop: float,
    rows: FloatArray,
    slack: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """A random point of the line through x that is in the set; x itself is."""
    for _ in range(60):
        step = rng.uniform(start, stop)
        moved = x.copy()
        moved[free] += step * direction
        if not rows.size or bool((rows @ np.exp(moved) >= -slack).all()):
            return moved
        start, stop = (step, stop) if step < 0 else (start, step)
    return x
