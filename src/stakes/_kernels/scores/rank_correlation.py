"""Rank correlation that looks at the top more than at the bottom, and its standardised form."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

#: Polynomials in 1/n of the moments under random order, lowest power first; additive
#: weights 1/(a + 2)^2 + 1/(b + 2)^2.
_MEAN = (-0.61684923, 15.79627476, -330.01375717, 3905.4467819, -17614.87206478)
_VARIANCE = (0.00813132, 1.88346539, -8.19607344, 36.22199888)
_LEFT_VARIANCE = (0.00383928, 0.54098273, 25.32238315, -1056.9999828, 15679.72016182,
                 -77089.49412102)  # fmt: skip
_OFFSET = 2.0


class Moments(NamedTuple):
    """Mean, variance and left variance of the correlation when the order is random."""

    mean: float
    variance: float
    left_variance: float


def mean_ranks(values: Array) -> Array:
    """Ranks from 1 along the last axis, ties sharing their mean rank."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    n = values.shape[-1]
    place = np.arange(n, dtype=np.int32)
    begins = np.ones(values.shape, dtype=bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(values.shape, dtype=bool)
    ends[..., :-1] = begins[..., 1:]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, n)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def plain_rank_correlation(first: Array, second: Array) -> Array:
    """Pearson correlation of ranks from 1, along the last axis; `nan` where all are tied."""
    middle = (first.shape[-1] + 1) / 2
    a, b = first - middle, second - middle
    spread = (a * a).sum(axis=-1) * (b * b).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(spread > 0, (a * b).sum(axis=-1) / np.sqrt(spread), np.nan))


def weighted_rank_correlation(first: Array, second: Array) -> Array:
    """Weighted Pearson correlation of ranks, along the last axis; rank 1 weighs most."""
    weight = 1 / (first + _OFFSET) ** 2 + 1 / (second + _OFFSET) ** 2
    weight = weight / weight.sum(axis=-1, keepdims=True)
    a = first - (weight * first).sum(axis=-1, keepdims=True)
    b = second - (weight * second).sum(axis=-1, keepdims=True)
    top = (weight * a * b).sum(axis=-1)
    spread = (weight * a * a).sum(axis=-1) * (weight * b * b).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(spread > 0, top / np.sqrt(spread), np.nan))


@cache
def chance_moments(n: int) -> Moments:
    """Moments for n ranks in random order: exact to 8, a fitted polynomial above."""
    if n > 8:
        x = 1.0 / n
        return Moments(*(float(np.polynomial.polynomial.polyval(x, np.array(c)))
                         for c in (_MEAN, _VARIANCE, _LEFT_VARIANCE)))  # fmt: skip
    orders = np.array(list(permutations(range(1, n + 1))), dtype=np.float64)
    values = weighted_rank_correlation(np.arange(1.0, n + 1), orders)
    mean = float(values.mean())
    below = np.minimum(values - mean, 0.0)
    return Moments(mean, float(values.var()), float((below**2).mean()))


def standardised(value: Array | float, moments: Moments) -> Array:
    """The correlation moved so that chance has mean 0, with -1 and 1 kept in place."""
    m = moments.mean
    g0, g1 = _level_and_slope(moments)
    low = -(1 + g0) / (1 + m) ** 2 + g1 / (1 + m)
    high = (1 - g0) / (1 - m) ** 2 - g1 / (1 - m)
    gap = value - m
    return np.asarray(g0 + g1 * gap + np.where(gap < 0, low, high) * gap**2)[()]


def _level_and_slope(moments: Moments) -> tuple[float, float]:
    """Value and slope at the mean of the piecewise quadratic of `standardised`."""
    m, v, left = moments
    if abs(left - v * (1 + m) / 2) < 1e-4:
        slope = 2 * min(1 - m - v, 1 + m - v) / (1 - m * m - v)
        return v * m / (1 - v - m * m), min(1.0, slope)
    a = 2 * left - v * (1 + m)
    b = ((1 - m * m) * v - 4 * m * left - (1 - m * m) ** 2) / a
    c = (2 * (1 + m * m) * left - (1 - m * m) * v) / a
    # The slope must not be negative at the mean, nor turn negative at either end.
    limits = [(b, -c), (-(2 * (1 + m) + b), c - 2 * (1 + m)), (2 * (1 - m) - b, c - 2 * (1 - m))]
    low = max((bound / k for k, bound in limits if k > 0), default=-np.inf)
    high = min((bound / k for k, bound in limits if k < 0), default=np.inf)
    g0 = float(min(max(0.0, low), high))
    return g0, (g0 * b + c) / (1 - m * m)
