"""The costs that a metric implies: at an operating point, and by the threshold it likes best."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._columns import as_reals, in_brief
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._names import place_of
from stakes.application import CostMatrix
from stakes.audit.audit_words import false_alarms, opening
from stakes.audit.count_metric import CountMetric, as_count_metric
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics.counts.table_cells import as_table, need_positive
from stakes.metrics.metric_catalogue import spoken
from stakes.results import Frame, frame_of
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray, Name

#: Step of the differences, as a share of the cases that can move.
_STEP = 1e-3
#: Costs that differ by less count as the same; the largest cost is 1.
_ALIKE = 1e-4


@dataclass(frozen=True, slots=True)
class ImpliedCosts(AnswersGuesses):
    """What a metric makes each decision cost near a table; made by `implied_costs`.

    Parameters
    ----------
    metric : str
        Its name.
    matrix : ConfusionMatrix
        The operating point.
    costs : CostMatrix
        Standardised: each row's minimum is 0. For two classes a false alarm costs 1 (a miss,
        when false alarms cost nothing); for more the costliest error costs 1.
    positive : int
        Position of the positive class, for two classes.
    """

    metric: str
    matrix: ConfusionMatrix
    costs: CostMatrix
    positive: int = 1

    @property
    def miss_cost(self) -> float:
        """For two classes, how many false alarms a miss counts as; infinite if only misses do."""
        if self.costs.shape != (2, 2):
            raise DataError("a miss and a false alarm exist for two classes and two decisions.")
        order = [1 - self.positive, self.positive]
        (tn, fp), (fn, tp) = self.costs.values[np.ix_(order, order)].tolist()
        miss, false_alarm = float(fn - tp), float(fp - tn)
        if false_alarm == 0:
            return math.copysign(math.inf, miss) if miss else math.nan
        return miss / false_alarm

    @property
    def sentence(self) -> str:
        """The finding in words."""
        return f"{opening(self.metric)} {self._minded()}."

    def _minded(self) -> str:
        """How the metric treats errors, as the end of a sentence."""
        values = self.costs.values
        if not values.any():
            return "does not react to single errors here"
        if self.costs.shape != (2, 2):
            errors = values[np.eye(*values.shape) == 0]
            if np.ptp(errors) <= _ALIKE and not np.trace(values):
                return "penalises all errors alike here"
            row, column = np.unravel_index(int(values.argmax()), values.shape)
            decision, truth = self.costs.decisions[column], self.costs.classes[row]
            error = f"deciding {decision!r} when the truth is {truth!r}"
            return f"penalises one error most here: {error}"
        p, n = self.positive, 1 - self.positive
        rewarded = [
            words
            for words, i, j in (("misses", p, n), ("false alarms", n, p))
            if values[i, i] > 0 and values[i, j] == 0
        ]
        if rewarded:
            return f"rewards {' and '.join(rewarded)} here"
        if math.isinf(self.miss_cost) or self.miss_cost == 0:
            return f"counts only {'misses' if self.miss_cost else 'false alarms'} here"
        return f"treats a miss as {false_alarms(self.miss_cost, 2)} here"

    def frame(self) -> Frame:
        """One row per truth and decision with the implied cost."""
        places = itertools.product(self.costs.classes, self.costs.decisions)
        rows = [(*place, c) for place, c in zip(places, self.costs.values.flat, strict=True)]
        return frame_of(("truth", "decision", "cost"), rows)


# Cases move between decisions: docs/design/audit.md.
@answers_guesses
def implied_costs(
    metric: Any, matrix: Any, *, positive: Name | None = None,
    higher_is_better: bool | None = None, application: Any = None,
) -> ImpliedCosts:  # fmt: skip
    r"""The cost matrix that a metric implies at an operating point.

    Near a table every smooth metric ranks as an expected cost does, with the costs

    .. math:: c_{ij} = -\partial m / \partial n_{ij}

    up to a shift of each row and a common factor. Unless the metric is itself a cost, the
    costs differ from table to table.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (K, M) array of counts, rows true
        classes.
    matrix : ConfusionMatrix or array-like
        The operating point.
    positive : name, optional
        The positive class of a two-class metric; the second one by default.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.
    application : Application, optional
        Costs for catalogued metrics that need some.

    Returns
    -------
    ImpliedCosts
        The costs in standard form; `sentence` puts them in words.

    Notes
    -----
    Derivatives are central differences of fourth order along moves of cases between
    decisions, one-sided where a cell is empty. Where a metric has a kink the two sides are
    averaged.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, sections 3 and 4.1.1.

    Examples
    --------
    >>> found = implied_costs("f1", [[90, 5], [1, 4]])
    >>> round(found.miss_cost, 4)  # (TP + FP + FN) / TP
    2.5
    >>> print(found.sentence)
    F1 treats a miss as 2.5 false alarms here.
    """
    table = as_table(matrix)
    if positive is not None and place_of(positive, table.classes) is None:
        raise DataError(f"`positive` must be one of {table.classes}; got {in_brief(positive)}.")
    need_positive(table, positive)  # a miss is one of the positive class
    index = 1 if positive is None else table.classes.index(positive)
    counted = as_count_metric(
        metric, higher_is_better=higher_is_better, application=application, positive=index
    )
    counts = np.asarray(table.counts, dtype=np.float64)
    if not np.isfinite(counted.scores(counts)):
        raise UndefinedError(
            f"{counted.name} is not a finite number at this table, so it implies no costs there."
        )
    costs = -_gradient(counted, counts)
    costs = costs - costs.min(axis=1, keepdims=True)
    matrix_of_costs = CostMatrix(_scaled(costs, index), table.classes, table.decisions)
    return ImpliedCosts(counted.name, table, matrix_of_costs, index)


def _gradient(metric: CountMetric, counts: FloatArray) -> FloatArray:
    """Derivatives of the score along moves from the fullest cell of each row."""
    gradient = np.zeros(counts.shape)
    for i, row in enumerate(counts):
        source = int(np.argmax(row))
        if row[source] == 0:
            raise UndefinedError(
                f"row {i} of the table is empty, so what its errors cost is unknown.",
                hint="give a table with cases of every class",
            )
        for j in range(len(row)):
            if j != source:
                gradient[i, j] = _slope(metric, counts, i, source, j)
    if not np.isfinite(gradient).all():
        raise UndefinedError(f"{metric.name} is not finite next to this table.")
    gradient[np.abs(gradient) < 1e-7 * np.abs(gradient).max()] = 0.0
    return gradient


def _slope(metric: CountMetric, counts: FloatArray, row: int, source: int, target: int) -> float:
    """Change of the score per case that goes from one decision to another."""
    change = np.zeros_like(counts)
    change[row, source], change[row, target] = -1.0, 1.0
    room = counts[row, source], counts[row, target]
    if room[1] > 0:
        h = _STEP * min(room)
        steps, weights = np.array([-2, -1, 1, 2]), np.array([1, -8, 8, -1]) / 12
    else:
        h = _STEP * room[0]
        steps, weights = np.arange(5), np.array([-25, 48, -36, 16, -3]) / 12
    scores = metric.scores(counts + h * steps[:, None, None] * change)
    return float((scores - metric.scores(counts)) @ weights / h)


def _scaled(costs: FloatArray, positive: int) -> FloatArray:
    """Two classes: a false alarm costs 1, else a miss does. More: the costliest error costs 1."""
    unit = costs.max()
    if costs.shape == (2, 2):
        unit = costs[1 - positive].max() or unit
    return np.asarray(costs / unit if unit else costs)


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
        """Cost of a miss, in false alarms, for which this threshold is optimal: exp(-log odds)."""
        return float(np.exp(-self.log_odds)) if self.log_odds > -700 else math.inf

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if math.isnan(self.log_odds):
            return f"{opening(self.metric)} is best above the score {self.threshold:.4g}."
        means = f"treats a miss as {false_alarms(self.miss_cost, 2)}"
        if math.isinf(self.miss_cost) or self.miss_cost == 0:
            means = f"counts only {'misses' if self.miss_cost else 'false alarms'}"
        name = spoken(self.metric)
        right = "if the probabilities are right"
        return f"The best threshold for {name}, {self.threshold:.3g}, {means}, {right}."


@answers_guesses
def best_threshold(
    metric: Any, scores: RankedScores, *, thresholds: Any = None,
    higher_is_better: bool | None = None, application: Any = None,
) -> BestThreshold:  # fmt: skip
    """The threshold that a metric likes best, and the cost ratio that it is optimal for.

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
        Try these only, in the units of the scores. By default every cut between two scores is
        tried: the best one is exact, but noisy where the metric is flat.
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
    require_both(scores, "best_threshold")
    counted = as_count_metric(metric, higher_is_better=higher_is_better, application=application)
    if thresholds is None:
        cuts, tables = scores.finest[0], scores.finest_tables
    else:
        cuts = np.sort(np.atleast_1d(as_reals(thresholds, "thresholds")))
        if cuts.ndim != 1 or np.isnan(cuts).any():
            raise DataError("`thresholds` must be one-dimensional and without NaN.")
        tables = scores.counts_beside_each(cuts)
    values = counted.scores(tables)
    if np.isnan(values).all():
        raise UndefinedError(f"{counted.name} is undefined at every threshold.")
    best = int(np.nanargmax(values))
    matrix = ConfusionMatrix(tables[best], scores.classes)
    cut, value = float(cuts[best]), float(counted.values(tables[best]))
    return BestThreshold(counted.name, cut, _log_odds(scores, cut), value, matrix)


def _log_odds(scores: RankedScores, cut: float) -> float:
    """A threshold on the scores as one on the posterior log odds at the priors of the data."""
    if scores.kind == "rank":
        return math.nan
    if scores.kind == "posterior":
        if not 0 < cut < 1:
            return -math.inf if cut <= 0 else math.inf
        cut = math.log(cut) - math.log1p(-cut)
    return cut + scores.shift_to(float(scores.priors[1]))
