"""Limits of a weighted sum of multinomial shares by inverting the score test.

Cases fall into cells; cells belong to strata that were sampled apart (one per class when the
priors are given, one in all when they come from the data). The quantity is
theta = sum of `weights` x shares within strata. A value of theta is kept when the estimate lies
within `z` standard errors of it, the standard error being that of the likeliest shares with that
theta. With one stratum of two cells this is Wilson's interval, with two such strata
Miettinen and Nurminen's (without their factor N / (N - 1)), with the cells -1, 0, 1 of a paired
difference Tango's.

The likeliest shares under the constraint are n / (nu + lambda x weight), nu fixed by adding to
one, so theta is a decreasing function of the multiplier lambda, which is what is searched for.
A cell without cases gets a share only when its weight is the most extreme of its stratum.

Arrays have shape (n_data_sets, n_strata, n_cells); strata with fewer cells repeat a cell with
no cases.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.root_finding import bracketed_roots

__all__ = ["constrained_shares", "ratio_limits", "score_limits", "score_statistic"]

Floats = NDArray[np.float64]

_NEWTON = 40
_TOLERANCE = 1e-9
_TINY = 1e-300


def constrained_shares(counts: Floats, weights: Floats, multiplier: Floats) -> Floats:
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


def _observed(counts: Floats) -> Floats:
    """The shares found in each stratum."""
    return np.asarray(counts / np.maximum(counts.sum(axis=2, keepdims=True), _TINY))


def score_limits(counts: Floats, weights: Floats, z: float) -> tuple[Floats, Floats]:
    """Lower and upper limit of theta for each data set; `weights` broadcast to `counts`."""
    counts, weights, scale = _scaled(counts, weights)
    found, _ = _moments(counts, weights, _observed(counts))
    low, high = _search_range(counts)
    limits = []
    for sign in (1.0, -1.0):

        def excess(log_size: Floats, sign: float = sign) -> Floats:
            shares = constrained_shares(counts, weights, sign * np.exp(log_size))
            theta, variance = _moments(counts, weights, shares)
            return np.asarray(
                np.minimum(np.abs(found - theta) / np.sqrt(variance + _TINY), 1e3) - z
            )

        size = bracketed_roots(excess, low, high, tolerance=_TOLERANCE)
        theta, _ = _moments(
            counts, weights, constrained_shares(counts, weights, sign * np.exp(size))
        )
        limits.append(np.where(scale > 0, theta * scale, 0.0))
    constant = scale <= 0
    if constant.any():
        value = (weights[:, :, 0]).sum(axis=1)
        limits = [np.where(constant, value, limit) for limit in limits]
    return limits[0], limits[1]


def score_statistic(counts: Floats, weights: Floats) -> Floats:
    """Signed number of standard errors between the estimate of theta and zero, (S,)."""
    counts, weights, _ = _scaled(counts, weights)
    found, _ = _moments(counts, weights, _observed(counts))
    sign = np.where(found > 0, 1.0, -1.0)

    def short(log_size: Floats) -> Floats:
        shares = constrained_shares(counts, weights, sign * np.exp(log_size))
        return np.asarray(_moments(counts, weights, shares)[0] * sign)

    size = bracketed_roots(short, *_search_range(counts), tolerance=_TOLERANCE)
    _, variance = _moments(
        counts, weights, constrained_shares(counts, weights, sign * np.exp(size))
    )
    return np.asarray(found / np.sqrt(variance + _TINY))


def ratio_limits(counts: Floats, top: Floats, bottom: Floats, z: float) -> tuple[Floats, Floats]:
    """Limits of the ratio of two such sums, the lower one positive (after Fieller).

    A ratio r is kept when the test does not reject that the sum of top - r x bottom is zero.
    A limit is infinite when no ratio within 1e4 standard errors is rejected.
    """
    top, bottom = np.broadcast_to(top, counts.shape), np.broadcast_to(bottom, counts.shape)
    shares = _observed(counts)
    below, _ = _moments(counts, bottom, shares)
    found = _moments(counts, top, shares)[0] / below
    _, variance = _moments(counts, top - found[:, None, None] * bottom, shares)
    n = counts.sum(axis=(1, 2))
    size = np.abs(top).max(axis=(1, 2)) / np.abs(below) + np.abs(found)
    unit = np.maximum(np.sqrt(variance) / below, size / n)
    limits = []
    for sign in (-1.0, 1.0):

        def excess(log_step: Floats, sign: float = sign) -> Floats:
            r = found + sign * unit * np.exp(log_step)
            gap = score_statistic(counts, top - r[:, None, None] * bottom)
            return np.asarray(np.minimum(np.abs(gap), 1e3) - z)

        low, high = np.full_like(found, -7.0), np.full_like(found, 9.0)
        step = bracketed_roots(excess, low, high, tolerance=1e-7)
        reached = step < high - 1e-6
        limits.append(np.where(reached, found + sign * unit * np.exp(step), sign * np.inf))
    return limits[0], limits[1]


def _scaled(counts: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Counts and weights of full shape, the weights divided by their largest difference."""
    weights = np.broadcast_to(weights, counts.shape)
    scale = np.ptp(weights, axis=2).max(axis=1)
    return counts, weights / np.where(scale > 0, scale, 1.0)[:, None, None], scale


def _search_range(counts: Floats) -> tuple[Floats, Floats]:
    """Logarithms of the least and greatest multiplier that can matter."""
    n = counts.sum(axis=(1, 2))
    return np.full_like(n, -9.0), np.log(n + 1.0) + 16.0
