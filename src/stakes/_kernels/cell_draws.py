"""Replicates of counts: distributed as if rows were resampled, but drawn cell by cell.

A statistic that sees rows only through the counts of cells has the same bootstrap distribution
whether rows are drawn with replacement or the cell counts are drawn from a multinomial. So a
replicate costs as much as there are cells, however many rows there were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.fast_loops import ordinary_scale

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def draw_cells(
    counts: NDArray[Any], strata: NDArray[np.intp] | None, size: int, rng: np.random.Generator
) -> Ints:
    """Multinomial replicates (size, C) of counts (C,), separately in each stratum if any."""
    counts = np.asarray(counts)
    drawn = np.zeros((size, counts.shape[0]), dtype=np.int64)
    for members in _strata(strata, counts.shape[0]).values():
        inside = counts[members]
        size_here = float(inside.sum())
        if size_here > 0:
            drawn[:, members] = rng.multinomial(round(size_here), inside / size_here, size=size)
    return drawn


def posterior_cells(
    counts: NDArray[Any],
    strata: NDArray[np.intp] | None,
    size: int,
    rng: np.random.Generator,
    *,
    prior: float | Floats,
) -> Floats:
    """Draws (size, C) from the Dirichlet posterior of the shares, times the number of cases.

    `prior` is the pseudo-count of each cell, or of all; with 0 this is the Bayesian bootstrap.
    """
    shape = np.asarray(counts, dtype=np.float64) + prior
    filled = np.where(shape > 0, shape, 1.0)
    drawn = rng.standard_gamma(filled, (size, shape.shape[0])) * (shape > 0)
    for members in _strata(strata, shape.shape[0]).values():
        total = drawn[:, members].sum(axis=1, keepdims=True)
        scale = float(np.asarray(counts)[members].sum())
        drawn[:, members] *= scale / np.where(total > 0, total, 1.0)
    return drawn


#: The most numbers drawn at once.
_ROOM = 1 << 22


def in_parts(draw: Callable[[int], Floats], size: int, width: int) -> Floats:
    """Replicates of `width` numbers each, drawn in parts that fit into memory."""
    step = max(1, _ROOM // width)
    parts = [min(step, size - start) for start in range(0, size, step)]
    return np.concatenate([draw(part) for part in parts])


def draw_groups(counts: NDArray[Any], size: int, rng: np.random.Generator) -> Floats:
    """Replicates (size, C) of the merged counts when whole groups, rows of (G, C), are drawn."""
    n, table = counts.shape[0], np.asarray(counts, dtype=np.float64)

    def some(many: int) -> Floats:
        weights = rng.multinomial(n, np.full(n, 1.0 / n), size=many)
        return np.asarray(weights.astype(np.float64) @ table)

    return in_parts(some, size, n)


def draw_crossed(
    keys: NDArray[np.intp], counts: NDArray[Any], size: int, rng: np.random.Generator
) -> Floats:
    """Like `draw_groups`, for rows of counts in two crossed groupings, whose weights multiply."""
    left, right = int(keys[:, 0].max()) + 1, int(keys[:, 1].max()) + 1
    first, second = (
        rng.multinomial(n, np.full(n, 1.0 / n), size=size).astype(np.float64) for n in (left, right)
    )
    drawn = np.empty((size, counts.shape[1]))
    table = np.asarray(counts, dtype=np.float64)
    step = max(1, _ROOM // keys.shape[0])
    for start in range(0, size, step):
        part = slice(start, start + step)
        drawn[part] = (first[part][:, keys[:, 0]] * second[part][:, keys[:, 1]]) @ table
    return drawn


def replicated_costs(
    draws: NDArray[Any], classes: NDArray[np.intp], costs: Floats, priors: Floats | None
) -> Floats:
    """Cost per case (B, S) of S systems from drawn cells (B, C), with costs (C, S).

    Without priors the class shares are those of each replicate. A class with positive prior
    and no case in a replicate makes it NaN.
    """
    scale = ordinary_scale(costs)
    if scale != 1:
        return replicated_costs(draws, classes, costs / scale, priors) * scale
    if priors is None:
        return np.asarray((draws @ costs) / draws.sum(axis=1, keepdims=True))
    places = _strata(classes, len(classes))
    result = np.zeros((draws.shape[0], costs.shape[1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        for k in np.flatnonzero(priors > 0).tolist():
            part = draws[:, places[k]] if k in places else draws[:, :0]
            own = costs[places[k]] if k in places else costs[:0]
            result += priors[k] * ((part @ own) / part.sum(axis=1, keepdims=True))
    return result


def _strata(strata: NDArray[np.intp] | None, size: int) -> dict[int, Any]:
    """Where the cells of each stratum are: slices when they lie together, else positions."""
    if strata is None:
        return {0: slice(0, size)}
    if (strata[1:] >= strata[:-1]).all():
        names, starts = np.unique(strata, return_index=True)
        stops = np.append(starts[1:], strata.shape[0]).tolist()
        return {
            int(name): slice(start, stop)
            for name, start, stop in zip(names, starts.tolist(), stops, strict=True)
        }
    return {int(name): np.flatnonzero(strata == name) for name in np.unique(strata)}


def _class_sums(draws: NDArray[Any], classes: NDArray[np.intp], n_classes: int) -> Floats:
    """Cases of each class (B, K) in drawn cells (B, C)."""
    belongs = np.zeros((classes.shape[0], n_classes))
    belongs[np.arange(classes.shape[0]), classes] = 1.0
    return np.asarray(draws @ belongs)


def replicated_moments(
    draws: NDArray[Any], strata: NDArray[np.intp], weights: Floats, n_strata: int
) -> tuple[Floats, Floats]:
    """A weighted sum of shares within strata, and its estimated variance, per replicate.

    Weights must be of an ordinary size, so that their squares are finite: see `ordinary_scale`.
    """
    totals = _class_sums(draws, strata, n_strata)
    first = _class_sums(draws * weights, strata, n_strata)
    second = _class_sums(draws * weights**2, strata, n_strata)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(totals > 0, first / totals, 0.0)
        spread = np.where(totals > 0, (second / totals - means**2) / totals, 0.0)
    return means.sum(axis=1), np.maximum(spread, 0.0).sum(axis=1)
