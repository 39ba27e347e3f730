"""Bins of equal mass of values that may be tied.

Bins are cut between different values only, so that none is empty. The rule is the same seen from
either end, but for a tie in the very middle, which goes up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["equal_mass_cuts", "half_way"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


def equal_mass_cuts(mass: Floats, bins: int) -> Positions:
    """How many of the levels lie below each cut, the cuts as near to equal mass as can be."""
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
    """Edges half-way between neighbours; next to an infinite score beyond all finite ones."""
    most = np.finfo(np.float64).max
    low, high = (np.clip(places[at], -most, most) for at in (cuts - 1, cuts))
    middle = low / 2 + high / 2
    return np.asarray(np.where((low < middle) & (middle <= high), middle, high))
