"""The ends of an interval or a band: from draws, from a standard error, of rank statistics, with
heavy tails.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from stakes._kernels.optimise.newton import bracketed_roots
from stakes._kernels.run_bootstrap import Rates, rates_crossing

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
    """A sixth of the skewness of the influence of one case; `counts` cases share each influence."""
    second = float(np.sum(counts * influence**2))
    if second <= 0:
        return 0.0
    return float(np.sum(counts * influence**3) / (6 * second**1.5))


def studentized(
    value: float, error: float, replicates: Floats, errors: Floats, level: float
) -> tuple[float, float]:
    """Bootstrap-t: quantiles of the distance to the value, in each replicate's standard errors."""
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


def skewed_quantiles(
    value: float, error: float, skewness: float, shares: Floats, freedom: float = np.inf
) -> Floats:
    """The distribution whose quantiles are the ends of `skewed_limits`, at these shares."""
    reach = ndtri(shares) if np.isinf(freedom) else stdtrit(freedom, shares)
    moved = -_skewed(-reach, skewness)
    farther = np.where(reach < 0, np.minimum(moved, reach), np.maximum(moved, reach))
    return np.asarray(value + farther * error)


def _skewed(quantile: Any, skewness: float) -> Any:
    """The studentised mean that Hall's cubic turns into `quantile` (Hall 1992, eq 3.5)."""
    if abs(skewness) < 1e-8:
        return quantile
    moved = 1 + skewness * (quantile - skewness / 6)
    return 3 / skewness * (np.cbrt(moved) - 1)


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
    with np.errstate(over="ignore"):  # the square of a huge number of cases is infinite
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
    """Quantiles of draws (B, 2, D) of a low and a high curve, leaving out `share` on each side."""
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
    """Ranks from 1 up; equal values take the one deepest inside, so flat stretches do not count."""
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


#: Spread of logarithms above which intervals are too short: FIRST for one case, and MORE for each
#: e-fold of cases. Found by simulation: benchmarks/case_coverage.py measures what it flags.
FIRST, MORE = 0.45, 0.145
#: Fewer amounts than this tell nothing about their spread.
_FEWEST = 20
#: The amounts of a class with less than this share of the variance need no check.
MATTERS = 0.1


def _spread_of_logs(count: Floats, sums: Floats, squares: Floats) -> Floats:
    """Standard deviation of the logarithms of lognormal amounts with these moments.

    It follows from the coefficient of variation, so that sums and squares are enough, and amounts
    near zero hardly matter, as they would in the logarithms themselves.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(squares > 0, count * (squares / sums**2), 1.0)
    return np.asarray(np.sqrt(np.log(np.maximum(ratio, 1.0))))


def too_unequal(count: Floats, sums: Floats, squares: Floats) -> NDArray[np.bool_]:
    """Whether positive amounts are so unequal that the interval of their mean is too short.

    The more amounts there are, the more unequal they may be.
    """
    bound = FIRST + MORE * np.log(np.maximum(count, 1.0))
    return np.asarray((count >= _FEWEST) & (_spread_of_logs(count, sums, squares) > bound))


#: Half width, in standard errors of the gap between the rates, of the stretch of scores from
#: which the densities at the crossing are estimated.
_WINDOW = 4.0


def _crossing_cases(rates: Rates, n_negatives: float, n_positives: float) -> float:
    """Number of cases for which an ordinary error rate is as precise as the equal error rate.

    Near the crossing the rate is a weighted mean of both error rates, the weights being the
    densities of the other class; so its variance is e(1 - e) (w²/n1 + (1 - w)²/n0).
    """
    gap = rates.missed - rates.alarms
    value = rates_crossing(rates)
    share = min(max(value, 0.5 / (n_negatives + n_positives)), 0.5)
    reach = _WINDOW * np.sqrt(share * (1 - share) * (1 / n_negatives + 1 / n_positives))
    reach = max(reach, 1 / min(n_negatives, n_positives))
    alarms = np.interp([-reach, reach], gap, rates.alarms)
    missed = np.interp([-reach, reach], gap, rates.missed)
    fall, rise = alarms[0] - alarms[1], missed[1] - missed[0]
    weight = fall / (fall + rise) if fall + rise > 0 else 0.5
    return float(1 / (weight**2 / n_positives + (1 - weight) ** 2 / n_negatives))


def equal_error_limits(
    rates: Rates, n_negatives: float, n_positives: float, z: float
) -> tuple[float, float]:
    """Wilson's interval of the equal error rate, as if out of `_crossing_cases` cases."""
    cases = _crossing_cases(rates, n_negatives, n_positives)
    low, high = wilson(rates_crossing(rates), cases, z)
    return float(low), float(high)


#: Prior strength, in pseudo-cases, of the variance of a smooth model.
_MODEL_CASES = 10.0


class AucMoments(NamedTuple):
    """The area, the two parts of its variance (by positives, by negatives) and their skewness."""

    value: float
    by_positives: float
    by_negatives: float
    acceleration: float

    @property
    def variance(self) -> float:
        """DeLong's variance of the area."""
        return self.by_positives + self.by_negatives


def placements(negatives: NDArray[Any], positives: NDArray[Any]) -> tuple[Floats, Floats]:
    """For each run: share of negatives below its positives, of positives above its negatives."""
    below = np.cumsum(negatives) - negatives
    upto = np.cumsum(positives)
    n0, n1 = float(negatives.sum()), float(positives.sum())
    return (below + negatives / 2) / n0, (n1 - upto + positives / 2) / n1


def auc_moments(negatives: NDArray[Any], positives: NDArray[Any]) -> AucMoments:
    """DeLong's moments by placements, in one pass over the runs.

    References
    ----------
    .. [1] X. Sun and W. Xu, "Fast implementation of DeLong's algorithm", IEEE Signal Processing
       Letters 21(11), 2014.
    """
    n0, n1 = float(negatives.sum()), float(positives.sum())
    of_positive, of_negative = placements(negatives, positives)
    value = float((positives * of_positive).sum()) / n1
    first, second = of_positive - value, of_negative - value
    spread1 = float((positives * first**2).sum()) / max(n1 - 1, 1.0)
    spread0 = float((negatives * second**2).sum()) / max(n0 - 1, 1.0)
    cubes = float((positives * first**3).sum()) / n1**3
    cubes += float((negatives * second**3).sum()) / n0**3
    squares = spread1 / n1 + spread0 / n0
    skew = cubes / (6 * squares**1.5) if squares > 0 else 0.0
    return AucMoments(value, spread1 / n1, spread0 / n0, skew)


def auc_score_limits(
    moments: AucMoments, n_negatives: float, n_positives: float, z: float
) -> tuple[float, float]:
    """Limits of the areas that the estimate does not contradict, given the error of each area.

    The variance is that of Hanley and McNeil's exponential model at the tried area, scaled to
    agree with DeLong's at the estimate. The scale is drawn towards 1 with the weight of
    `_MODEL_CASES` cases, because DeLong's variance is itself uncertain when one class is small.
    """
    n0, n1 = n_negatives, n_positives
    edge = 0.5 / (n0 * n1)
    model = float(_exponential_variance(np.clip(moments.value, edge, 1 - edge), n0, n1))
    total = moments.variance
    parts = moments.by_positives**2 / max(n1 - 1, 1) + moments.by_negatives**2 / max(n0 - 1, 1)
    freedom = total**2 / parts if parts > 0 else min(n0, n1) - 1
    scale = (freedom * total / model + _MODEL_CASES) / (freedom + _MODEL_CASES)
    limits = []
    for end in (0.0, 1.0):

        def excess(log_part: Floats, end: float = end) -> Floats:
            area = moments.value + (end - moments.value) * np.exp(log_part)
            error = np.sqrt(scale * np.maximum(_exponential_variance(area, n0, n1), 1e-300))
            return np.asarray(np.minimum(np.abs(area - moments.value) / error, 1e6) - z)

        part = bracketed_roots(excess, np.array([-30.0]), np.array([-1e-12]))
        limits.append(float(moments.value + (end - moments.value) * np.exp(part[0])))
    return limits[0], limits[1]


def _exponential_variance(area: Any, n0: float, n1: float) -> Any:
    """Hanley and McNeil (1982): variance of the area between two exponential classes."""
    pairs1, pairs0 = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area)
    return (spread + (n1 - 1) * (pairs1 - area**2) + (n0 - 1) * (pairs0 - area**2)) / (n0 * n1)
