"""The threshold that a metric likes best, and the cost ratio that it stands for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._columns import as_reals
from stakes.audit.count_metric import as_count_metric
from stakes.audit.laws import short
from stakes.exceptions import DataError, UndefinedError
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray

__all__ = ["BestThreshold", "best_threshold"]


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """Where a metric is best along the thresholds of a score; made by `best_threshold`.

    Parameters
    ----------
    metric : str
        Its name.
    threshold : float
        Act when the score is above it, in the units of the scores.
    log_odds : float
        The same on the posterior log odds; `nan` for scores of kind "rank".
    value : float
        The metric there.
    matrix : ConfusionMatrix
        What is decided there.
    """

    metric: str
    threshold: float
    log_odds: float
    value: float
    matrix: ConfusionMatrix

    @property
    def miss_cost(self) -> float:
        """Cost of a miss, in false alarms, whose Bayes threshold this is: exp(-log odds)."""
        return float(np.exp(-self.log_odds)) if self.log_odds > -700 else math.inf

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if math.isnan(self.log_odds):
            return f"{self.metric} is best above the score {self.threshold:.4g}."
        if math.isinf(self.miss_cost) or self.miss_cost == 0:
            which = "miss" if self.miss_cost else "false alarm"
            return (
                f"Tuning the threshold for {self.metric} on these scores means that only a "
                f"{which} counts."
            )
        counted = short(self.miss_cost, 2)
        plural = "" if counted == "1" else "s"
        return (
            f"Tuning the threshold for {self.metric} on these scores means that a miss counts "
            f"as {counted} false alarm{plural}."
        )


def best_threshold(
    metric: Any, scores: RankedScores, *, thresholds: Any = None,
    higher_is_better: bool | None = None, application: Any = None,
) -> BestThreshold:  # fmt: skip
    """The threshold that a metric likes best, and the cost ratio for which it is Bayes'.

    If the scores are calibrated, the Bayes threshold on the log odds is log(c_12 / c_21), so
    that tuning a metric to its best threshold t is the same as choosing c_21 / c_12 =
    exp(-t), without saying so.

    Parameters
    ----------
    metric : str, Metric or callable
        As in `implied_costs`.
    scores : ScoreCounts
        Binary scores; unless they are of kind "rank", taken as calibrated.
    thresholds : sequence of float, optional
        Try these only, in the units of the scores. By default every cut between two
        scores, whose best one is exact, and noisy where the metric is flat.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.
    application : Application, optional
        Costs for catalogued metrics that need some.

    Returns
    -------
    BestThreshold
        Of equally good thresholds the lowest.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 4.1.1 and eq 29.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 0, 1], [-2., -1., -.5, 0., 2.], kind="log_odds")
    >>> best = best_threshold("f1", sc)
    >>> best.threshold, round(best.miss_cost, 2), best.matrix.counts.tolist()
    (-0.75, 2.12, [[2.0, 1.0], [0.0, 2.0]])
    """
    scores.require_both("best_threshold")
    counted = as_count_metric(metric, higher_is_better=higher_is_better, application=application)
    cuts, negatives, positives = _cuts(scores, thresholds)
    totals = scores.class_totals
    rest = totals[0] - negatives, totals[1] - positives
    cells = np.stack([negatives, rest[0], positives, rest[1]], axis=-1).astype(np.float64)
    tables = cells.reshape(-1, 2, 2)
    values = counted.scores(tables)
    if np.isnan(values).all():
        raise UndefinedError(f"{counted.name} is undefined at every threshold.")
    best = int(np.nanargmax(values))
    matrix = ConfusionMatrix(tables[best], scores.classes)
    cut = float(cuts[best])
    return BestThreshold(
        counted.name, cut, _log_odds(scores, cut), float(counted.values(tables[best])), matrix
    )


def _cuts(scores: RankedScores, thresholds: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Thresholds, and the cases of each class that are not above them."""
    if thresholds is None:
        return scores.finest
    cuts = np.sort(as_reals(thresholds, "thresholds"))
    if cuts.ndim != 1 or np.isnan(cuts).any():
        raise DataError("`thresholds` must be one-dimensional and without NaN.")
    levels, negatives, positives = scores.levels
    place = np.searchsorted(levels, cuts, side="right")
    below = [np.concatenate([[0], np.cumsum(part)])[place] for part in (negatives, positives)]
    return cuts, below[0], below[1]


def _log_odds(scores: RankedScores, cut: float) -> float:
    """A threshold on the scores as one on the posterior log odds at the priors of the data."""
    if scores.kind == "rank":
        return math.nan
    if scores.kind == "llr":
        share = float(scores.priors[1])
        return cut + math.log(share) - math.log1p(-share)
    if scores.kind == "posterior":
        if not 0 < cut < 1:
            return -math.inf if cut <= 0 else math.inf
        return math.log(cut) - math.log1p(-cut)
    return cut
