"""The costs that a target sensitivity implies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stakes.exceptions import CostError
from stakes.metrics.operating_points import OperatingPoint, at_threshold
from stakes.metrics.rate_thresholds import at_sensitivity
from stakes.summaries.ranked_scores import RankedScores, require_both

__all__ = ["SensitivityCosts", "costs_of_sensitivity"]


@dataclass(frozen=True, slots=True)
class SensitivityCosts:
    """What a target sensitivity implies; made by `costs_of_sensitivity`.

    Parameters
    ----------
    alpha : tuple of two floats
        The weights alpha = c_12 P_1 / (c_21 P_2) under which the point is the best one.
    prior : float
        Share of the second class in the data.
    point : OperatingPoint
        The threshold and what it decides.
    """

    alpha: tuple[float, float]
    prior: float
    point: OperatingPoint

    @property
    def false_alarm_cost(self) -> tuple[float, float]:
        """Cost of a false alarm in misses, c_12 / c_21 = alpha P_2 / P_1: least and most."""
        odds = self.prior / (1 - self.prior)
        return self.alpha[0] * odds, self.alpha[1] * odds

    @property
    def miss_cost(self) -> tuple[float, float]:
        """Cost of a miss in false alarms: least and most."""
        low, high = self.false_alarm_cost
        return (1 / high if high else math.inf), (1 / low if low else math.inf)


def costs_of_sensitivity(scores: RankedScores, sensitivity: float, *, method: str = "hull"
                         ) -> SensitivityCosts:  # fmt: skip
    r"""The cost ratio that a target sensitivity implies for a baseline system.

    Turns "find at least 95 % of them" into a cost that can be looked at, and used with
    other systems: `alpha_cost` with this alpha.

    .. math:: c_{12} / c_{21} = \alpha P_2 / P_1

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Scores of the baseline system.
    sensitivity : float
        The least true positive rate.
    method : {"hull", "bayes"}
        "hull": the alphas for which the best threshold on this data has at least this
        sensitivity, and no higher than needed; only the order of scores counts. "bayes":
        the alpha whose Bayes threshold is the one of `at_sensitivity`, for calibrated scores.

    Returns
    -------
    SensitivityCosts
        Alpha and the costs of the two errors in terms of each other, as intervals.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1], [-2.0, -1.0, 1.0, 0.5, 3.0], kind="llr")
    >>> implied = costs_of_sensitivity(sc, 0.9)
    >>> implied.point.threshold, implied.alpha
    (-0.25, (0.0, 1.5))
    """
    require_both(scores, "costs_of_sensitivity")
    prior = float(scores.priors[1])
    point = at_sensitivity(scores, sensitivity)
    if method == "bayes":
        scores.require_scale("costs_of_sensitivity")
        threshold = point.threshold
        if scores.kind == "posterior":
            threshold = math.log(threshold) - math.log1p(-threshold)
        alpha = math.exp(threshold - scores.log_prior_odds())
        return SensitivityCosts((alpha, alpha), prior, point)
    if method != "hull":
        raise CostError(f"`method` must be 'hull' or 'bayes'; got {method!r}.")
    below = scores.cumulated[1][scores.hull]
    found = 1 - below / scores.class_totals[1]
    vertex = int(np.flatnonzero(found >= sensitivity * (1 - 1e-12))[-1])
    first, second = scores.blocks()
    with np.errstate(divide="ignore"):
        slopes = (second / scores.class_totals[1]) / (first / scores.class_totals[0])
    low = float(slopes[vertex - 1]) if vertex > 0 else 0.0
    high = float(slopes[vertex]) if vertex < slopes.size else math.inf
    cut = float(scores.cuts[scores.hull[vertex]])
    return SensitivityCosts((low, high), prior, at_threshold(scores, cut))
