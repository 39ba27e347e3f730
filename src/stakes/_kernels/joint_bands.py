"""Bands that hold a whole curve at once, from draws of the curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["band_ends", "joint_share", "shares_above"]

Floats = NDArray[np.float64]


def shares_above(
    above: NDArray[np.int64], total: int, size: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draws (size, D) of the least and the most probability above each of D thresholds.

    With `above` of `total` cases above a threshold, the probability lies between that above the
    lowest of these cases and that above the next case below: two order statistics of uniform
    numbers, whose quantiles are the exact (Clopper-Pearson) limits of a share. One draw takes
    them for all thresholds from the same uniform numbers.
    """
    places = np.unique(np.concatenate([above, above + 1, [0, total + 1]]))
    drawn = np.zeros((size, places.shape[0]))
    drawn[:, 1:] = np.cumsum(rng.standard_gamma(np.diff(places), (size, places.size - 1)), axis=1)
    drawn /= drawn[:, -1:]
    least, most = (drawn[:, np.searchsorted(places, each)] for each in (above, above + 1))
    return least, most


def band_ends(draws: Floats, share: float) -> tuple[Floats, Floats]:
    """Quantiles of draws (B, 2, D), of a low and a high curve, with `share` left out on a side."""
    low, high = np.quantile(draws[:, 0], share, axis=0), np.quantile(draws[:, 1], 1 - share, axis=0)
    return low, high


def joint_share(draws: Floats, level: float) -> float:
    """The share to leave out on either side at every point, so that `level` of draws stay inside.

    A draw leaves the band of share q where its low curve ranks below q from the bottom, or its
    high one from the top; so each draw has a least such share over the curve, and the band takes
    the quantile of those.
    """
    size = draws.shape[0]
    depth = np.minimum(_inner_ranks(draws[:, 0]), _inner_ranks(-draws[:, 1])).min(axis=1)
    return float(np.quantile(depth, 1 - level, method="lower") / (size + 1))


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
