"""Rankings that differ: correlation of ranks, random tables and utilities, directions that
agree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Array: TypeAlias = NDArray[np.float64]
_TURN = 2 * np.pi


def common_arc(angles: Array) -> tuple[float, float]:
    """Middle and width of the arc of angles less than a quarter turn from all the given ones.

    A vector at `phi` has a positive product with all vectors at `angles` when phi lies in
    the arc. If there is no such arc, the width is 0 or negative, by as much as is missing.
    """
    ordered = np.sort(np.mod(angles, _TURN))
    gaps = np.diff(np.append(ordered, ordered[0] + _TURN))
    widest = int(np.argmax(gaps))
    first = ordered[(widest + 1) % ordered.size]  # the vectors run from `first` ...
    extent = _TURN - gaps[widest]  # ... over this angle
    return float(np.mod(first + extent / 2, _TURN)), float(np.pi - extent)


def triple_around_zero(angles: Array, margins: Array) -> tuple[int, int, int] | None:
    """Three vectors with zero in their hull, the smallest margin as large as possible.

    One vector stands for each of 60 sectors, the one with the largest margin; where that
    finds nothing, the vectors nearest to the opposite of each vector are tried.
    """
    sector = np.floor(np.mod(angles, _TURN) / _TURN * 60).astype(int)
    members = (np.flatnonzero(sector == k) for k in np.unique(sector))
    chosen = np.array([each[np.argmax(margins[each])] for each in members])
    found = _best_triple(chosen, angles, margins)
    return found if found is not None else _opposite_triple(angles, margins)


def _best_triple(chosen: NDArray[np.intp], angles: Array, margins: Array
                 ) -> tuple[int, int, int] | None:  # fmt: skip
    """The best of all triples of the chosen vectors."""
    order = chosen[np.argsort(np.mod(angles[chosen], _TURN))]
    triples = order[np.array([*combinations(range(order.size), 3)], dtype=np.intp).reshape(-1, 3)]
    turns = np.mod(angles[triples], _TURN)
    gaps = np.diff(turns, axis=1, append=turns[:, :1] + _TURN)
    around = triples[(gaps < np.pi - 1e-9).all(axis=1)]
    if not around.size:
        return None
    i, j, k = around[np.argmax(margins[around].min(axis=1))].tolist()
    return i, j, k


def _opposite_triple(angles: Array, margins: Array) -> tuple[int, int, int] | None:
    """A vector and the two nearest to its opposite, one on each side."""
    turn = np.mod(angles, _TURN)
    order = np.argsort(turn)
    ordered = turn[order]
    target = np.mod(turn + np.pi, _TURN)
    after = np.searchsorted(ordered, target, side="left") % turn.size
    before = after - 1
    up = np.mod(ordered[after] - target, _TURN)
    down = np.mod(target - ordered[before], _TURN)
    usable = (up < np.pi) & (down < np.pi) & (up + down < np.pi)
    if not usable.any():
        return None
    worst = np.minimum(margins, np.minimum(margins[order[after]], margins[order[before]]))
    best = int(np.argmax(np.where(usable, worst, -np.inf)))
    return best, int(order[before[best]]), int(order[after[best]])


def balance(vectors: Array) -> Array:
    """Weights, not negative and adding to one, with which three vectors cancel."""
    one, other = np.roll(vectors, -1, axis=0), np.roll(vectors, -2, axis=0)
    weights = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
    return np.asarray(weights / weights.sum())


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
    return _quotient((a * b).sum(axis=-1), spread)


def weighted_rank_correlation(first: Array, second: Array) -> Array:
    """Weighted Pearson correlation of ranks, along the last axis; rank 1 weighs most."""
    weight = 1 / (first + _OFFSET) ** 2 + 1 / (second + _OFFSET) ** 2
    weight = weight / weight.sum(axis=-1, keepdims=True)
    a = first - (weight * first).sum(axis=-1, keepdims=True)
    b = second - (weight * second).sum(axis=-1, keepdims=True)
    top = (weight * a * b).sum(axis=-1)
    spread = (weight * a * a).sum(axis=-1) * (weight * b * b).sum(axis=-1)
    return _quotient(top, spread)


def _quotient(product: Array, spread: Array) -> Array:
    """A correlation from a product of deviations and the product of their squares."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(spread > 0, product / np.sqrt(spread), np.nan))


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


def _utilities_at(x: Array, y: Array) -> Array:
    """Utilities (n, 2, 2), rows true classes, at points of the plane of utility matrices."""
    table = np.empty((x.shape[0], 2, 2))
    table[:, 0, 0] = 1 - np.maximum(x, 0)
    table[:, 0, 1] = np.maximum(-y, 0)
    table[:, 1, 0] = np.maximum(y, 0)
    table[:, 1, 1] = 1 - np.maximum(-x, 0)
    return table


def uniform_utilities(n: int, rng: np.random.Generator) -> Array:
    """Points drawn uniformly from the part of the plane where errors are not rewarded."""
    return _kept(n, lambda size: rng.uniform(-1, 1, size=(2, size)))


def truncated_normal_utilities(n: int, rng: np.random.Generator, sd: float = 1 / 3) -> Array:
    """Points drawn around accuracy with this standard deviation, cut off at the edges."""
    return _kept(n, lambda size: rng.normal(0, sd, size=(2, size)))


def _kept(n: int, draw: Callable[[int], Array]) -> Array:
    """Draw until `n` points lie inside the plane."""
    xs, ys, found = [], [], 0
    while found < n:
        x, y = draw(2 * (n - found) + 16)
        inside = (np.abs(y - x) < 1) & (np.abs(x) <= 1) & (np.abs(y) <= 1)
        xs.append(x[inside])
        ys.append(y[inside])
        found += xs[-1].size
    return _utilities_at(np.concatenate(xs)[:n], np.concatenate(ys)[:n])


def random_tables(
    n: int, n_classes: int, n_decisions: int, rng: np.random.Generator, priors: Array | None
) -> tuple[Array, Array]:
    """Pairs of tables of the same data, in shares of all cases; rows true classes.

    Class shares are uniform on the simplex unless `priors` fixes them, (K,) or (n, K). Each
    class is decided rightly at a rate 0.5 + 0.5 Beta(2, 1); what is left is spread uniformly
    over the other decisions.
    """
    if priors is None:
        if n_classes == 2:
            first = rng.random(n)
            shares = np.stack([first, 1 - first], axis=1)
        else:
            shares = rng.dirichlet(np.ones(n_classes), size=n)
    else:
        shares = np.broadcast_to(priors, (n, n_classes))
    pair = []
    for _ in range(2):
        right = 0.5 + 0.5 * np.sqrt(rng.random((n, n_classes)))
        table = np.empty((n, n_classes, n_decisions))
        for i in range(n_classes):
            others = [j for j in range(n_decisions) if j != i]
            table[:, i, i] = right[:, i]
            wrong = 1 - right[:, i]
            if len(others) == 1:
                table[:, i, others[0]] = wrong
            else:
                spread = rng.dirichlet(np.ones(len(others)), size=n)
                table[:, i, others] = wrong[:, None] * spread
        table *= shares[:, :, None]
        pair.append(table)
    return pair[0], pair[1]


def yields(tables: Array, utilities: Array) -> Array:
    """Average utility of each table; one utility matrix per table, or one for all."""
    product = tables * utilities
    return np.asarray(product.reshape(product.shape[0], -1).sum(axis=1))


def misranked(true_gap: Array, other_gap: Array) -> NDArray[np.bool_]:
    """Whether two differences fail to have the same strict sign; ties and `nan` count."""
    with np.errstate(invalid="ignore"):
        agree = ((true_gap > 0) & (other_gap > 0)) | ((true_gap < 0) & (other_gap < 0))
    return np.asarray(~agree)


#: A normal of this standard deviation is uniform between 0 and 1, to 12 digits.
_FLAT = 1e6


def disturbed(utilities: Array, sd: float, rng: np.random.Generator) -> Array:
    """Utilities with normal errors, given that all lie in [0, 1] and none rewards errors.

    Each cell is drawn from the normal cut off at 0 and 1; matrices in which a wrong decision
    is better than the right one are drawn again.
    """
    if sd == 0:
        return utilities
    diagonal = np.arange(min(utilities.shape[1:]))
    result = np.empty_like(utilities)
    waiting = np.arange(utilities.shape[0])
    while waiting.size:
        centre = utilities[waiting]
        trial = rng.random(centre.shape)
        if sd < _FLAT:
            low, high = ndtr(-centre / sd), ndtr((1 - centre) / sd)
            trial = centre + sd * ndtri(low + (high - low) * trial)
            np.clip(trial, 0.0, 1.0, out=trial)
        right = trial[:, diagonal, diagonal]
        fine = (trial[:, : diagonal.size] <= right[:, :, None]).all(axis=(1, 2))
        result[waiting[fine]] = trial[fine]
        waiting = waiting[~fine]
    return result
