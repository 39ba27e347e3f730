"""Variance and limits of rank statistics: the area under a ROC curve and the equal error rate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.limits.interval_ends import wilson
from stakes._kernels.optimise.roots import bracketed_roots
from stakes._kernels.resample.run_bootstrap import Rates, rates_crossing

#: Half width, in standard errors of the gap between the rates, of the stretch of scores from
#: which the densities at the crossing are estimated.
_WINDOW = 4.0


def _crossing_cases(rates: Rates, n_negatives: float, n_positives: float) -> float:
    """Number of cases that a plain error rate as sure as the equal error rate would have.

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
    """Wilson's interval of the equal error rate with that number of cases."""
    cases = _crossing_cases(rates, n_negatives, n_positives)
    low, high = wilson(rates_crossing(rates), cases, z)
    return float(low), float(high)


Floats = NDArray[np.float64]

#: Cases' worth of trust in the variance of a smooth model beside that of the data.
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
    """For each run: share of negatives below a positive of it, of positives above a negative."""
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
    """Areas that the estimate does not contradict, the error being that of the tried area.

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
