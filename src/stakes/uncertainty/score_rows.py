"""Rows in the order of their scores, so that drawn rows are counted in one pass, not sorted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._kernels import run_bootstrap as runs_kernel
from stakes._kernels.auc_variance import placements
from stakes.application import Application, as_application
from stakes.exceptions import DataError
from stakes.metrics import auc, eer, min_cost
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray

__all__ = ["ScoreRows", "error_weights", "score_statistic"]

Statistic = Callable[[runs_kernel.Rates], float]


@dataclass(frozen=True, eq=False)
class ScoreRows:
    """Rows from the lowest score to the highest.

    `order` says where each row came from, `second` whether it is of the second class, `starts`
    where a new score begins, `weights` what rows weigh, or None when all weigh the same.
    """

    order: Any
    second: Any
    starts: Any
    weights: FloatArray | None = None

    @classmethod
    def ordered(cls, second: Any, scores: Any, weights: FloatArray | None = None) -> ScoreRows:
        """Sort the rows once."""
        order = np.argsort(scores, kind="stable")
        ranked = scores[order]
        starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        return cls(order, second[order], starts, None if weights is None else weights[order])

    def rates(self, hits: Any) -> runs_kernel.Rates:
        """Error rates at every threshold when each row, in its original place, counts so often."""
        counted = hits[self.order]
        if self.weights is not None:
            counted = counted * self.weights
        positives = np.add.reduceat(counted * self.second, self.starts)
        negatives = np.add.reduceat(counted, self.starts) - positives
        return runs_kernel.error_rates(negatives, positives)

    def by_score(self, values: Any) -> tuple[FloatArray, FloatArray]:
        """Sums of a value per row, in the order of scores, at each score: negatives, positives."""
        both = np.asarray(values, dtype=np.float64)
        return (
            np.add.reduceat(both * ~self.second, self.starts),
            np.add.reduceat(both * self.second, self.starts),
        )

    def levels(self) -> Any:
        """Which of the distinct scores each row has, in their order."""
        sizes = np.diff(np.append(self.starts, self.order.shape[0]))
        return np.repeat(np.arange(self.starts.shape[0]), sizes)

    def influence(self) -> FloatArray:
        """What each row, in its original place, moves the area under the ROC curve by.

        A row's weight over the weight of its class, times how far the share of the other class
        that it is ordered rightly with lies from the area.
        """
        weights = np.ones(self.order.shape[0]) if self.weights is None else self.weights
        negatives, positives = self.by_score(weights)
        of_positive, of_negative = placements(negatives, positives)
        level = self.levels()
        totals = float(negatives.sum()), float(positives.sum())
        area = float((positives * of_positive).sum()) / totals[1]
        place = np.where(self.second, of_positive[level], of_negative[level])
        found = np.empty(self.order.shape[0])
        found[self.order] = weights * (place - area) / np.where(self.second, totals[1], totals[0])
        return found


def score_statistic(metric: str, application: Any, summary: ScoreCounts) -> tuple[float, Statistic]:
    """The value on the data, and the same from the error rates of a replicate."""
    if metric == "auc":
        return auc(summary), runs_kernel.area
    if metric == "eer":
        return eer(summary), runs_kernel.rates_crossing
    if metric != "min_cost":
        raise DataError(f"`metric` must be 'auc', 'eer' or 'min_cost'; got {metric!r}.")
    if application is None:
        raise DataError("`min_cost` needs costs.", hint="application=stakes.Application(...)")
    app = as_application(application)
    alarm, miss, always = error_weights(app, summary.priors)
    return min_cost(summary, app), lambda r: always + runs_kernel.least_cost(r, alarm, miss)


def error_weights(app: Application, shares: FloatArray) -> tuple[float, float, float]:
    """Cost per unit of false positive and false negative rate, and what is always paid."""
    app.log_odds_threshold  # noqa: B018 - raises unless there is one threshold
    priors, costs = app.resolved_priors(shares), app.costs.values
    alarm, miss = priors[0] * (costs[0, 1] - costs[0, 0]), priors[1] * (costs[1, 0] - costs[1, 1])
    return float(alarm), float(miss), float(priors[0] * costs[0, 0] + priors[1] * costs[1, 1])
