"""Ranks of scores, weighted and kept at a limited number of places."""

from __future__ import annotations

import numpy as np

from stakes.typing import FloatArray

__all__ = ["mid_ranks", "rank_log_odds"]

_KNOTS = 2049


def mid_ranks(odds: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Increasing scores and their ranks in (0, 1), at up to 2049 of them.

    The rank is the mass below plus half the mass at a score plus one half, over the whole mass
    plus one. Infinite scores are placed one unit beyond the finite ones.
    """
    places, inverse = np.unique(odds, return_inverse=True)
    mass = np.bincount(inverse.reshape(-1), weights=weights)
    ranks = (np.cumsum(mass) - mass / 2 + 0.5) / (float(mass.sum()) + 1)
    if len(places) > _KNOTS:
        kept = np.unique(np.round(np.linspace(0, len(places) - 1, _KNOTS)).astype(int))
        places, ranks = places[kept], ranks[kept]
    finite = places[np.isfinite(places)]
    if not finite.size:
        finite = np.zeros(1)
    return np.clip(places, finite.min() - 1.0, finite.max() + 1.0), ranks


def rank_log_odds(ranks: FloatArray) -> FloatArray:
    """Logarithm of the rank from below over the rank from above."""
    return np.asarray(np.log(ranks) - np.log1p(-ranks))
