"""Bands that hold a whole curve at once, from draws of the curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["joint_band", "pointwise_band"]

Floats = NDArray[np.float64]


def pointwise_band(draws: Floats, level: float) -> tuple[Floats, Floats]:
    """Quantiles at each point by itself, from draws (B, D)."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def joint_band(draws: Floats, level: float) -> tuple[Floats, Floats]:
    """Quantiles of one common share at every point, such that `level` of draws stay inside.

    A draw leaves the band of share q where its rank from either end is below q / 2; so each
    draw has a least such share over the curve, and the band takes the quantile of those.
    """
    size = draws.shape[0]
    ranks = _inner_ranks(draws)
    depth = np.minimum(ranks, size + 1 - ranks).min(axis=1)
    share = float(np.quantile(depth, 1 - level, method="lower")) / (size + 1)
    low, high = np.quantile(draws, [share, 1 - share], axis=0)
    return low, high


def _inner_ranks(draws: Floats) -> Floats:
    """Ranks from 1 up; equal values take the one deepest inside, so flat stretches count not."""
    size = draws.shape[0]
    order = np.argsort(draws, axis=0, kind="stable")
    values = np.take_along_axis(draws, order, axis=0)
    ranks = np.empty(draws.shape, dtype=np.float64)
    for d in range(draws.shape[1]):
        starts = np.flatnonzero(np.append(True, values[1:, d] != values[:-1, d]))
        stops = np.append(starts[1:], size)
        inner = np.clip((size + 1) / 2, starts + 1, stops)
        ranks[order[:, d], d] = np.repeat(inner, stops - starts)
    return ranks
