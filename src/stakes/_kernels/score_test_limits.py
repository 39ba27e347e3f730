"""Limits of weighted sums of shares by inverting score tests; likelihood ratios for changed
shares.

Theta is such a sum, over strata and their cells. Counts have shape (S, I, J): data sets, strata,
cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.optimise.newton import bracketed_roots

Floats = NDArray[np.float64]

_NEWTON = 40
_TOLERANCE = 1e-9
_TINY = 1e-300
#: Weights up to this count as zero, since dividing by them would overflow.
_FAINT = 1e-290
#: Skewness below this is rounding.
_STRAIGHT = 1e-6


def _constrained_shares(counts: Floats, weights: Floats, multiplier: Floats) -> Floats:
    """The likeliest shares, (S, I, J), when theta is held by a multiplier of shape (S,)."""
    slope = multiplier[:, None, None] * weights
    lowest = slope.min(axis=2, keepdims=True)
    excess = slope - lowest
    totals = counts.sum(axis=2, keepdims=True)
    floor = totals * 1e-14
    level = totals.copy()
    for _ in range(_NEWTON):
        shares = counts / (level + excess + _TINY)
        mass = shares.sum(axis=2, keepdims=True)
        pull = (shares / (level + excess + _TINY)).sum(axis=2, keepdims=True)
        moved = np.maximum(level - (1.0 - mass) * mass / np.maximum(pull, _TINY), floor)
        settled = bool((np.abs(moved - level) <= 1e-13 * totals).all())
        level = moved
        if settled:
            break
    shares = counts / (level + excess + _TINY)
    rest = 1.0 - shares.sum(axis=2, keepdims=True)
    at_bottom = excess <= 0.0
    first = at_bottom & (np.cumsum(at_bottom, axis=2) == 1)
    return np.asarray(np.where(first, np.maximum(shares + rest, 0.0), shares))


def _moments(counts: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Theta and the variance of its estimate when the shares are true."""
    means = (weights * shares).sum(axis=2)
    squares = (weights * weights * shares).sum(axis=2)
    totals = np.maximum(counts.sum(axis=2), _TINY)
    spread = np.maximum(squares - means * means, 0.0) / totals
    return means.sum(axis=1), spread.sum(axis=1)


def _skewness(counts: Floats, weights: Floats, shares: Floats) -> Floats:
    """Skewness of the estimate of theta when the shares are true."""
    apart = weights - (weights * shares).sum(axis=2, keepdims=True)
    totals = np.maximum(counts.sum(axis=2), _TINY)
    second = ((shares * apart**2).sum(axis=2) / totals).sum(axis=1)
    third = ((shares * apart**3).sum(axis=2) / totals**2).sum(axis=1)
    return np.asarray(third / np.maximum(second**1.5, _TINY))


def _unskewed(steps: Floats, skewness: Floats) -> Floats:
    """Normal quantile of a gamma variable `steps` from its mean (Wilson and Hilferty 1931)."""
    skewed = np.abs(skewness) > _STRAIGHT
    bend = np.where(skewed, skewness, 1.0)
    return np.where(skewed, 6 / bend * (np.cbrt(1 + bend * steps / 2) - 1) + bend / 6, steps)


def _observed(counts: Floats) -> Floats:
    """The shares found in each stratum."""
    return np.asarray(counts / np.maximum(counts.sum(axis=2, keepdims=True), _TINY))


# Why costs get score intervals: docs/design/intervals.md.
def score_limits(
    counts: Floats, weights: Floats, z: float, *, skewed: bool = False
) -> tuple[Floats, Floats]:
    """Lower and upper limit of theta for each data set; `weights` broadcast to `counts`.

    With `skewed` the estimate is a gamma variable of its skewness in the test, not a normal one.
    """
    weights, exponent = _near_one(np.broadcast_to(weights, counts.shape))
    weights, scale = _scaled(weights)
    found, _ = _moments(counts, weights, _observed(counts))
    low, high = _search_range(counts)
    limits = []
    for sign in (1.0, -1.0):

        def excess(log_size: Floats, sign: float = sign) -> Floats:
            shares = _constrained_shares(counts, weights, sign * np.exp(log_size))
            theta, variance = _moments(counts, weights, shares)
            steps = np.minimum(np.abs(found - theta) / np.sqrt(variance + _TINY), 1e3)
            if skewed:
                steps = _unskewed(steps, sign * _skewness(counts, weights, shares))
            return np.asarray(np.minimum(steps, 1e3) - z)

        size = bracketed_roots(excess, low, high, tolerance=_TOLERANCE)
        shares = _constrained_shares(counts, weights, sign * np.exp(size))
        theta, _ = _moments(counts, weights, shares)
        limits.append(np.where(scale > 0, theta * scale, 0.0))
    constant = scale <= 0
    if constant.any():
        value = (weights[:, :, 0]).sum(axis=1)
        limits = [np.where(constant, value, limit) for limit in limits]
    return _enlarged(limits[0], exponent), _enlarged(limits[1], exponent)


def score_statistic(counts: Floats, weights: Floats) -> Floats:
    """Signed number of standard errors between the estimate of theta and zero, (S,)."""
    weights, _ = _near_one(np.broadcast_to(weights, counts.shape))
    weights, _ = _scaled(weights)
    found, _ = _moments(counts, weights, _observed(counts))
    if counts.shape[1] == 1:
        variance = _variance_at_zero(counts[:, 0], weights[:, 0], found)
        return np.asarray(found / np.sqrt(variance + _TINY))
    sign = np.where(found > 0, 1.0, -1.0)

    def short(log_size: Floats) -> Floats:
        shares = _constrained_shares(counts, weights, sign * np.exp(log_size))
        return np.asarray(_moments(counts, weights, shares)[0] * sign)

    size = bracketed_roots(short, *_search_range(counts), tolerance=_TOLERANCE)
    shares = _constrained_shares(counts, weights, sign * np.exp(size))
    _, variance = _moments(counts, weights, shares)
    return np.asarray(found / np.sqrt(variance + _TINY))


def _variance_at_zero(counts: Floats, weights: Floats, found: Floats) -> Floats:
    """Variance of the estimate of theta under the likeliest shares with theta zero, one stratum.

    These shares are n / (N + lambda x weight): multiplied by their divisors they add to N, so
    only lambda has to be found, between zero and where the first divisor vanishes. If
    theta is not zero there, the cell in question is empty and takes the share that is left.
    """
    total = counts.sum(axis=1)
    turned = np.where(found > 0, 1.0, -1.0)[:, None] * weights
    reach = -turned.min(axis=1)  # of the cells on the other side of zero
    possible = reach > _FAINT
    bound = total / np.where(possible, reach, 1.0)
    multiplier = _multiplier(counts, turned, total, bound)
    divisors = total[:, None] + multiplier[:, None] * turned
    filled = counts > 0
    shares = np.divide(counts, divisors, out=np.zeros_like(counts), where=filled)
    squares = (turned * turned * shares).sum(axis=1)
    rest = np.maximum(1.0 - shares.sum(axis=1), 0.0)
    at_end = multiplier >= bound
    variance = np.where(at_end, squares + reach * reach * rest, squares) / np.maximum(total, _TINY)
    return np.where(possible, variance, 0.0)


def _multiplier(counts: Floats, weights: Floats, total: Floats, bound: Floats) -> Floats:
    """Where the sum of n w / (N + lambda w) is zero, from 0 to `bound`; `bound` if nowhere.

    Newton's method on that sum times the distance to the bound, which has no pole, with the
    middle of the bracket where a step would leave it.
    """
    filled = counts > 0
    low, high = np.zeros_like(bound), bound.copy()
    at = bound / 2
    for _ in range(_NEWTON * 2):
        divisors = np.where(filled, total[:, None] + at[:, None] * weights, 1.0)
        parts = counts * weights / divisors
        value, slope = parts.sum(axis=1), -(parts * weights / divisors).sum(axis=1)
        low, high = np.where(value > 0, at, low), np.where(value > 0, high, at)
        left = bound - at
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = at - value * left / (slope * left - value)
        inside = (moved > low) & (moved < high)
        moved = np.where(inside, moved, (low + high) / 2)
        settled = bool((np.abs(moved - at) <= 1e-14 * bound).all())
        at = moved
        if settled:
            break
    return np.where(bound - at <= 1e-13 * bound, bound, at)


def ratio_limits(counts: Floats, top: Floats, bottom: Floats, z: float) -> tuple[Floats, Floats]:
    """Limits of the ratio of two such sums, the lower one positive (after Fieller).

    A ratio r is kept when the test does not reject that the sum of top - r x bottom is zero.
    A limit is infinite when no ratio within 1e4 standard errors is rejected. It is the estimate
    itself when every ratio beyond it is rejected: where there was no error, for example, no shares
    with a case in every class give a ratio below zero.
    """
    top, above = _near_one(np.broadcast_to(top, counts.shape))
    bottom, beneath = _near_one(np.broadcast_to(bottom, counts.shape))
    shares = _observed(counts)
    below, _ = _moments(counts, bottom, shares)
    found = _moments(counts, top, shares)[0] / below
    _, variance = _moments(counts, top - found[:, None, None] * bottom, shares)
    n = counts.sum(axis=(1, 2))
    size = np.abs(top).max(axis=(1, 2)) / np.abs(below) + np.abs(found)
    unit = np.maximum(np.sqrt(variance) / below, size / n)
    sign = np.repeat([-1.0, 1.0], n.shape[0])  # both limits at once
    twice = [np.concatenate([each, each]) for each in (counts, top, bottom)]
    centre, unit = np.tile(found, 2), np.tile(unit, 2)

    def excess(log_step: Floats) -> Floats:
        r = centre + sign * unit * np.exp(log_step)
        gap = score_statistic(twice[0], twice[1] - r[:, None, None] * twice[2])
        return np.asarray(np.minimum(np.abs(gap), 1e3) - z)

    low, high = np.full_like(centre, -7.0), np.full_like(centre, 9.0)
    step = bracketed_roots(excess, low, high, tolerance=1e-7)
    limits = np.where(step < high - 1e-6, centre + sign * unit * np.exp(step), sign * np.inf)
    limits = np.where(excess(low) > 0, centre, limits)
    low, high = limits[: n.shape[0]], limits[n.shape[0] :]
    return _enlarged(low, above - beneath), _enlarged(high, above - beneath)


def _near_one(weights: Floats) -> tuple[Floats, NDArray[np.intc]]:
    """Weights divided by a power of two, which is exact, so that no square is too large."""
    _, exponent = np.frexp(np.abs(weights).max(axis=(1, 2)))
    return np.ldexp(weights, -exponent[:, None, None]), exponent


def _enlarged(values: Floats, exponent: NDArray[np.intc]) -> Floats:
    """Values times a power of two; infinite only where no double is as large."""
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(values, exponent))


def _scaled(weights: Floats) -> tuple[Floats, Floats]:
    """Weights divided by their largest difference, and that."""
    scale = np.ptp(weights, axis=2).max(axis=1)
    return weights / np.where(scale > 0, scale, 1.0)[:, None, None], scale


def _search_range(counts: Floats) -> tuple[Floats, Floats]:
    """Logarithms of the least and greatest multiplier that can matter."""
    n = counts.sum(axis=(1, 2))
    return np.full_like(n, -9.0), np.log(n + 1.0) + 16.0


def equal_shares(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Statistic and degrees of freedom, (S,), of equal shares within each stratum of two samples.

    A stratum that is empty in either sample tells nothing; cells empty in both do not count.
    """
    totals = first.sum(axis=2), second.sum(axis=2)
    used = (totals[0] > 0) & (totals[1] > 0)
    both = first + second
    shares = both / np.maximum(both.sum(axis=2, keepdims=True), 1.0)
    drop = np.zeros(first.shape[0])
    for counts, total in zip((first, second), totals, strict=True):
        expected = shares * total[:, :, None]
        parts = _times_log(counts, expected).sum(axis=2)
        drop += np.where(used, parts, 0.0).sum(axis=1)
    cells = np.maximum((both > 0).sum(axis=2) - 1, 0)
    freedom = np.where(used, cells, 0).sum(axis=1).astype(np.float64)
    return np.maximum(2.0 * drop, 0.0), freedom


def chance_of(statistic: Floats, freedom: Floats) -> Floats:
    """Probability of such a statistic or a larger one; 1 without degrees of freedom."""
    from scipy.special import chdtrc

    some = np.asarray(freedom) > 0
    return np.asarray(np.where(some, chdtrc(np.where(some, freedom, 1.0), statistic), 1.0))


def _times_log(counts: Floats, expected: Floats) -> Floats:
    """counts x log(counts / expected), zero where there is no count."""
    filled = counts > 0
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=filled & (expected > 0))
    return np.asarray(np.where(filled, counts * np.log(ratio), 0.0))
