"""The ends of an interval, or of a band around a curve, from draws or from a standard error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

Floats = NDArray[np.float64]


def normal_quantile(level: float) -> float:
    """How many standard errors a two-sided interval of this level spans on each side."""
    return float(ndtri(0.5 + level / 2))


def percentile(replicates: Floats, level: float) -> tuple[float, float]:
    """Quantiles of the replicates that leave equal shares out on both sides."""
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bca(replicates: Floats, value: float, accelerate: float, level: float) -> tuple[float, float]:
    """Quantiles moved for bias and for skewness (Efron 1987); ties count half."""
    below = np.mean(replicates < value) + np.mean(replicates == value) / 2
    if not 0 < below < 1:
        return percentile(replicates, level)
    bias = float(ndtri(below))
    shares = []
    for end in ((1 - level) / 2, (1 + level) / 2):
        moved = bias + float(ndtri(end))
        shares.append(float(ndtr(bias + moved / (1 - accelerate * moved))))
    low, high = np.quantile(replicates, shares)
    return float(low), float(high)


def acceleration(influence: Floats, counts: Floats) -> float:
    """Skewness of the influence of one case over six, cases of equal influence counted."""
    second = float(np.sum(counts * influence**2))
    if second <= 0:
        return 0.0
    return float(np.sum(counts * influence**3) / (6 * second**1.5))


def studentized(
    value: float, error: float, replicates: Floats, errors: Floats, level: float
) -> tuple[float, float]:
    """Bootstrap-t: quantiles of the distance from the value in the replicate's own errors."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (replicates - value) / errors
    ratios = ratios[np.isfinite(ratios)]
    if ratios.shape[0] < 2:
        return value, value
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return value - float(high) * error, value - float(low) * error


def student_limits(
    value: float, error: float, level: float, freedom: float = np.inf
) -> tuple[float, float]:
    """The estimate plus and minus a quantile of Student's t times its standard error."""
    reach = _reach(level, freedom)
    return value - reach * error, value + reach * error


def _reach(level: float, freedom: float) -> float:
    """How many standard errors Student's interval spans on each side."""
    return normal_quantile(level) if np.isinf(freedom) else float(stdtrit(freedom, 0.5 + level / 2))


def skewed_limits(
    value: float, error: float, skewness: float, level: float, freedom: float = np.inf
) -> tuple[float, float]:
    """The ends of Student's interval and of Hall's for skewed means, whichever lie farther out.

    `skewness` is that of the estimate: of one case over the root of the number of cases. Where
    tails are heavy, samples that saw a large case have both a high mean and a high skewness, and
    Hall's interval alone would leave the truth below it too often.
    """
    reach = _reach(level, freedom)
    low, high = _skewed(reach, skewness), _skewed(-reach, skewness)
    return value - max(low, reach) * error, value - min(high, -reach) * error


def _skewed(quantile: float, skewness: float) -> float:
    """The studentised mean that Hall's cubic turns into `quantile` (Hall 1992, eq 3.5)."""
    if abs(skewness) < 1e-8:
        return quantile
    moved = 1 + skewness * (quantile - skewness / 6)
    return float(3 / skewness * (np.cbrt(moved) - 1))


def skewed_p_value(value: float, error: float, skewness: float, freedom: float = np.inf) -> float:
    """Two-sided p-value of no difference: the level at which `skewed_limits` reach zero."""
    if error <= 0:
        return 1.0 if value == 0 else 0.0
    ratio = value / error
    third = skewness / 3
    moved = ratio + third * ratio**2 + third**2 * ratio**3 / 3 + skewness / 6
    nearest = min(abs(ratio), max(moved, 0.0) if ratio > 0 else max(-moved, 0.0))
    below = ndtr(-nearest) if np.isinf(freedom) else stdtr(freedom, -nearest)
    return float(2 * below)


def logit_limits(value: float, error: float, level: float) -> tuple[float, float]:
    """Symmetric on the log-odds scale, for shares strictly between 0 and 1."""
    odds = np.log(value) - np.log1p(-value)
    reach = normal_quantile(level) * error / (value * (1 - value))
    return float(1 / (1 + np.exp(reach - odds))), float(1 / (1 + np.exp(-reach - odds)))


def wilson(share: Floats | float, n: Floats | float, z: float) -> tuple[Floats, Floats]:
    """Wilson's score interval of a share out of n cases; n need not be whole."""
    share, n = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = np.where(share <= 0, 0.0, centre - reach)
    high = np.where(share >= 1, 1.0, centre + reach)
    return low, high


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
