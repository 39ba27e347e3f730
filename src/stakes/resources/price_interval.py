"""How sure the price of a limit is: order statistics for one limit, a sandwich for several."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtrik, ndtri

from stakes.typing import FloatArray


def price_intervals(
    costs: FloatArray,
    weights: FloatArray,
    places: list[int],
    shares: list[tuple[float, float]],
    prices: FloatArray,
    level: float,
) -> list[tuple[float, float]]:
    """An interval for the price of each limit; costs are (decisions, cases)."""
    cases = float(weights.sum() ** 2 / (weights**2).sum())
    spread = float(ndtri(0.5 + level / 2))
    priced = costs + prices[:, None]
    binding = [k for k, j in enumerate(places) if prices[j] != 0]
    found = []
    by_limit = {}
    if len(binding) > 1:
        errors = _standard_errors(costs, weights, cases, prices, [places[k] for k in binding])
        by_limit = dict(zip(binding, errors.tolist(), strict=True))
    for k, j in enumerate(places):
        if not math.isfinite(by_limit.get(k, math.inf)):
            gains = _gains(costs, priced, j)
            found.append(_quantile_interval(gains, weights, cases, shares[k], level))
            continue
        size, half = abs(float(prices[j])), spread * by_limit[k]
        found.append((max(0.0, size - half), size + half))
    return found


def _gains(costs: FloatArray, priced: FloatArray, place: int) -> FloatArray:
    """What a decision saves in each case against the best of the others at their prices."""
    return np.asarray(np.delete(priced, place, axis=0).min(axis=0) - costs[place])


def _quantile_interval(
    gains: FloatArray, weights: FloatArray, cases: float, shares: tuple[float, float], level: float
) -> tuple[float, float]:
    """From where to where the quantile of the gains lies that a limit cuts off.

    Of n cases, the number above the true quantile is binomial; what it may be gives the ranks.
    """
    low, high = shares
    wanted = float(weights[gains > 0].sum() / weights.sum())
    upper = high < 1 and (low <= 0 or wanted > low)
    share = high if upper else low
    if not 0 < share < 1:
        return (0.0, 0.0)
    n = max(1, round(cases))
    few, many = np.ceil(bdtrik([(1 - level) / 2, (1 + level) / 2], n, share)) / n
    order = np.argsort(-gains, kind="stable")
    upto = np.cumsum(weights[order]) / weights.sum()
    ranks = np.searchsorted(upto, [few - 1e-12, many + 1e-12])
    ends = gains[order[np.clip(ranks, 0, gains.size - 1)]]
    ends = ends if upper else -ends[::-1]
    least, most = max(0.0, float(ends.min())), max(0.0, float(ends.max()))
    return (least, most)


def _standard_errors(
    costs: FloatArray, weights: FloatArray, cases: float, prices: FloatArray, places: list[int]
) -> FloatArray:
    """Standard errors of several prices: covariance of use, and how use answers to prices.

    The answer is a difference quotient over what sampling may move a price by itself.
    """
    shares = weights / weights.sum()

    def used(at: FloatArray) -> FloatArray:
        choice = (costs + at[:, None]).argmin(axis=0)
        return np.bincount(choice, shares, len(costs)).astype(np.float64)[places]

    here = used(prices)
    covariance = np.diag(here) - np.outer(here, here)
    answers = np.empty((len(places), len(places)))
    for k, j in enumerate(places):
        losses = -_gains(costs, costs + prices[:, None], j)
        sd = math.sqrt(max(here[k] * (1 - here[k]) * cases, 1.0)) / cases
        ranks = np.clip(np.array([here[k] - 2 * sd, here[k] + 2 * sd]) * losses.size, 0, None)
        places_of = np.minimum(ranks.astype(np.intp), losses.size - 1)
        ends = -np.partition(losses, places_of)[places_of]
        step = np.zeros(len(costs))
        step[j] = max(float(ends[0] - ends[1]) / 2, 1e-12 * (1 + abs(float(prices[j]))))
        answers[:, k] = (used(prices - step) - used(prices + step)) / (2 * step[j])
    try:
        inverse = np.linalg.inv(answers)
    except np.linalg.LinAlgError:
        return np.full(len(places), np.inf)
    return np.sqrt(np.maximum(np.diag(inverse @ covariance @ inverse.T) / cases, 0.0))
