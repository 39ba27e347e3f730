"""Any metric of the catalogue against the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application, CostMatrix
from stakes.curves.bayes_error import as_grid
from stakes.exceptions import DataError
from stakes.metrics import Metric, catalogue
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray


@dataclass(frozen=True)
class BestThreshold:
    """The threshold that one metric likes best, and what that implies.

    `implied_cost` is the cost of a false negative, next to 1 for a false positive, for which
    this would be the Bayes threshold (`ferrer2025` eq 29).
    """

    metric: str
    threshold: float
    value: float
    implied_cost: float


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdSweep:
    """Values of several metrics at each threshold, with the share of cases acted on."""

    threshold: FloatArray
    acted_on: FloatArray
    values: Mapping[str, FloatArray]
    higher_is_better: Mapping[str, bool]
    log_odds: FloatArray

    def frame(self) -> Frame:
        """One row per threshold, one column per metric."""
        return Frame({"threshold": self.threshold, "acted_on": self.acted_on, **self.values})

    def best(self, metric: str) -> BestThreshold:
        """Where a metric is best; of equal thresholds, the lowest."""
        if metric not in self.values:
            raise DataError(f"no metric {metric!r} here; there are {', '.join(self.values)}.")
        column = self.values[metric]
        if np.isnan(column).all():
            return BestThreshold(metric, np.nan, np.nan, np.nan)
        k = int(np.nanargmax(column) if self.higher_is_better[metric] else np.nanargmin(column))
        with np.errstate(over="ignore"):
            implied = float(np.exp(-self.log_odds[k]))
        return BestThreshold(metric, float(self.threshold[k]), float(column[k]), implied)

    def __repr__(self) -> str:
        return f"ThresholdSweep({len(self.threshold)} thresholds: {', '.join(self.values)})"


def threshold_sweep(
    scores: RankedScores,
    thresholds: Any = None,
    *,
    metrics: Sequence[Any],
    application: Any = None,
) -> ThresholdSweep:
    r"""Values of metrics at every threshold: what each of them would choose.

    Shows that the threshold which a metric likes depends on the data, where the Bayes
    threshold of a cost depends on the costs alone.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; the implied cost is `nan` for kind "rank".
    thresholds : array-like, optional
        In the units of the scores; default, every cut between distinct scores.
    metrics : sequence of str, Metric, Application or CostMatrix
        Names in `stakes.metrics.catalogue` (also "f_beta:beta=2"), entries of it, or
        applications, which stand for their normalised expected cost.
    application : Application or CostMatrix, optional
        For metrics that need costs.

    Returns
    -------
    ThresholdSweep
        `.best(name)` gives the best threshold of a metric and the costs that it implies.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, figures 1 and 2, eq 29.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1], [-3, -1, 0.5, 0, 2], kind="log_odds")
    >>> sweep = threshold_sweep(sc, metrics=["f1", "mcc"])
    >>> sweep.best("f1")
    BestThreshold(metric='f1', threshold=-0.5, value=0.8, implied_cost=1.6487212707001282)
    """
    if thresholds is None:
        cuts, counts = scores.finest[0], scores.finest_tables
    else:
        cuts = as_grid(thresholds, np.empty(0), "thresholds")
        counts = scores.counts_beside_each(cuts)
    values: dict[str, FloatArray] = {}
    directions: dict[str, bool] = {}
    for wanted in metrics:
        name, metric = _resolved(wanted, application, scores)
        values[name], directions[name] = metric.values(counts), metric.higher_is_better
    acted_on = counts[:, :, 1].sum(axis=1) / scores.total
    return ThresholdSweep(cuts, acted_on, values, directions, _log_odds(scores, cuts))


def _resolved(wanted: Any, application: Any, scores: RankedScores) -> tuple[str, Metric]:
    """A metric of the catalogue with its label."""
    if isinstance(wanted, CostMatrix):
        wanted = Application(wanted)
    if isinstance(wanted, Application):
        known = wanted if wanted.priors is not None else wanted.with_priors(scores.priors)
        wrongly_waiting = known.costs.standardized().values[1, 0]
        wrongly_acting = known.costs.standardized().values[0, 1]
        ratio = wrongly_waiting / wrongly_acting if wrongly_acting else np.inf
        metric = catalogue["normalized_expected_cost"].fixed(application=known)
        return f"NEC({ratio:g})", metric
    metric = catalogue.find(wanted) if isinstance(wanted, str) else wanted
    if application is not None:
        metric = metric.with_application(application)
    return (wanted if isinstance(wanted, str) else metric.label), metric


def _log_odds(scores: RankedScores, cuts: FloatArray) -> FloatArray:
    """Thresholds as posterior log odds at the priors of the data."""
    if scores.kind == "rank":
        return np.full_like(cuts, np.nan)
    if scores.kind == "posterior":
        with np.errstate(divide="ignore", invalid="ignore"):
            cuts = np.log(np.clip(cuts, 0, 1)) - np.log1p(-np.clip(cuts, 0, 1))
    return np.asarray(cuts + scores.shift_to(float(scores.priors[1])))
