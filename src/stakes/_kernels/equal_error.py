"""Score limits of the equal error rate."""

from __future__ import annotations

import numpy as np

from stakes._kernels.interval_limits import wilson
from stakes._kernels.run_bootstrap import Rates, rates_crossing

__all__ = ["crossing_cases", "equal_error_limits"]

#: Half width, in standard errors of the gap between the rates, of the stretch of scores from
#: which the densities at the crossing are estimated.
WINDOW = 4.0


def crossing_cases(rates: Rates, n_negatives: float, n_positives: float) -> float:
    """Number of cases that a plain error rate as sure as the equal error rate would have.

    Near the crossing the rate is a weighted mean of both error rates, the weights being the
    densities of the other class; so its variance is e(1 - e) (w²/n1 + (1 - w)²/n0).
    """
    gap = rates.missed - rates.alarms
    value = rates_crossing(rates)
    share = min(max(value, 0.5 / (n_negatives + n_positives)), 0.5)
    reach = WINDOW * np.sqrt(share * (1 - share) * (1 / n_negatives + 1 / n_positives))
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
    cases = crossing_cases(rates, n_negatives, n_positives)
    low, high = wilson(rates_crossing(rates), cases, z)
    return float(low), float(high)
