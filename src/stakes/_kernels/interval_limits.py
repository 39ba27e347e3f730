"""From replicates, or from a standard error, to the two ends of an interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

__all__ = [
    "acceleration",
    "bca",
    "logit_limits",
    "normal_quantile",
    "percentile",
    "student_limits",
    "studentized",
    "wilson",
]

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
    reach = (
        normal_quantile(level) if np.isinf(freedom) else float(stdtrit(freedom, 0.5 + level / 2))
    )
    return value - reach * error, value + reach * error


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
