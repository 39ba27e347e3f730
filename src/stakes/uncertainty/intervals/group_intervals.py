"""Intervals of decisions and of scores when whole groups of cases are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import of_kind, same_length
from stakes._columns import as_column, as_floats, as_weights
from stakes._kernels import run_bootstrap as runs_kernel
from stakes._kernels.cell_draws import draw_crossed, draw_groups
from stakes._kernels.interval_ends import placements, student_limits
from stakes._names import encode, observed_names
from stakes.application import Application, as_application
from stakes.exceptions import DataError
from stakes.metrics import auc, eer, min_cost
from stakes.summaries import GroupedCounts, ScoreCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.intervals.case_rows import (
    CaseRows,
    CellSums,
    mean_moves,
    satterthwaite,
    tables_of_cells,
)
from stakes.uncertainty.intervals.count_intervals import COSTS, Asked, table_statistic
from stakes.uncertainty.intervals.interval import MIN_CASES, Draw, Interval, whole

#: Counts of whole groups, or rows that weigh differently, each a group of its own.
Groups = GroupedCounts | CaseRows | CellSums


def grouped_interval(grouped: GroupedCounts | CaseRows, asked: Asked) -> Interval:
    """See `stakes.uncertainty.interval`: whole groups are drawn."""
    joint = grouped.joint
    if len(joint.systems) > 1:
        raise DataError("`interval` takes one system; for several use `compare`.")
    matrix, matters = joint.confusion(joint.systems[0]), None
    if asked.name in COSTS and asked.weights is not None:
        raise DataError("with groups give one application.")
    statistic = table_statistic(asked.metric, matrix, asked.application)
    if asked.name in COSTS:
        matters = np.append(asked.stakes().matters, True)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(tables_of_cells(joint, group_draws(grouped, size, generator)))

    value = float(statistic(np.asarray(matrix.counts, dtype=np.float64)[None])[0])
    least = min(grouped.n_groups)
    cases = np.append(group_cases(grouped), float(least)), (*matrix.classes, "groups")
    return _spread_of_groups(asked, value, draw, least, cases, matters)


def _spread_of_groups(
    asked: Asked, value: float, draw: Draw, least: int, cases: Any, matters: Any = None
) -> Interval:
    """Student's interval from replicates of whole groups; `least` of them on the smaller side."""

    def rule(at: float, values: FloatArray) -> tuple[float, float]:
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
        return student_limits(value, spread, at, max(least - 1, 1))

    drawn = asked.drawn(draw, least=2)
    return asked.found("groups", value, rule, cases, matters=matters, replicates=drawn)


def group_cases(grouped: Groups) -> FloatArray:
    """Cases of each class; where cases weigh differently, groups (of a side) that have any."""
    if isinstance(grouped, (CaseRows, CellSums)):
        return grouped.cases  # a row is one case, also where weights are whole
    if whole(np.asarray(grouped.counts, dtype=np.float64)):
        return grouped.class_totals
    found = []
    for k in range(len(grouped.joint.classes)):
        rows = (grouped.counts[:, grouped.joint.cells[:, 0] == k] > 0).any(axis=1)
        found.append(float(min(np.unique(side[rows]).shape[0] for side in grouped.keys.T)))
    return np.array(found)


def carrying_groups(grouped: Groups, parts: FloatArray, *, by_class: bool) -> float:
    """How many groups carry the variance of a mean of `parts` of the joint cells.

    Cases that weigh differently may leave it to a few; the degrees of freedom are then those of
    Satterthwaite, from the fourth moment of what each group moves the mean by.
    """
    if isinstance(grouped, (CaseRows, CellSums)):
        return grouped.carrying(parts, by_class=by_class)
    least = float(min(grouped.n_groups))
    table = np.asarray(grouped.counts, dtype=np.float64)
    if len(grouped.groups) > 1 or whole(table):
        return least
    return satterthwaite(table @ mean_moves(grouped.joint, parts, by_class=by_class), least)


def group_draws(grouped: Groups, size: int, generator: np.random.Generator) -> FloatArray:
    """Replicates (size, C) of the joint cells when groups, of one side or two, are drawn."""
    if isinstance(grouped, (CaseRows, CellSums)):
        return grouped.draw(size, generator)
    if len(grouped.groups) == 2:
        return draw_crossed(grouped.keys, grouped.counts, size, generator)
    return draw_groups(grouped.counts, size, generator)


OfRates = Callable[[runs_kernel.Rates], float]
#: How often each row occurs in a replicate.
Hits = Callable[[np.random.Generator], Any]


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
        """Error rates at every threshold, with a count for each row in its original place."""
        counted = hits[self.order]
        if self.weights is not None:
            counted = counted * self.weights
        positives = np.add.reduceat(counted * self.second, self.starts)
        negatives = np.add.reduceat(counted, self.starts) - positives
        return runs_kernel.error_rates(negatives, positives)

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
        negatives, positives = (
            np.add.reduceat(weights * inside, self.starts) for inside in (~self.second, self.second)
        )
        of_positive, of_negative = placements(negatives, positives)
        level = self.levels()
        totals = float(negatives.sum()), float(positives.sum())
        area = float((positives * of_positive).sum()) / totals[1]
        place = np.where(self.second, of_positive[level], of_negative[level])
        found = np.empty(self.order.shape[0])
        found[self.order] = weights * (place - area) / np.where(self.second, totals[1], totals[0])
        return found


def score_draws(systems: Sequence[ScoreRows], statistic: OfRates, hits: Hits) -> Draw:
    """Draws of a statistic on rows drawn by `hits`, (size,) or with several systems (size, S)."""

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        drawn = (hits(generator) for _ in range(size))
        found = np.array([[statistic(rows.rates(each)) for rows in systems] for each in drawn])
        return found if len(systems) > 1 else found[:, 0]

    return draw


def class_hits(second: Any) -> Hits:
    """How often each row occurs when rows of each class are drawn with replacement."""
    members = [np.flatnonzero(~second), np.flatnonzero(second)]

    def hits(generator: np.random.Generator) -> Any:
        found = np.zeros(second.shape[0], dtype=np.int64)
        for inside in members:
            n = inside.shape[0]
            found[inside] = np.bincount(generator.integers(0, n, n), minlength=n)
        return found

    return hits


def score_statistic(metric: str, application: Any, summary: ScoreCounts) -> tuple[float, OfRates]:
    """The value on the data, and the same from the error rates of a replicate."""
    of_kind(metric, "metric", str)
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


def grouped_score_interval(
    y_true: Any,
    scores: Any,
    *,
    groups: Any,
    metric: str = "auc",
    application: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    draws: int = 1000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Interval:
    """Interval of AUC, equal error rate or minimum cost when whole groups are drawn.

    Trials of one speaker, or visits of one customer, resemble each other; intervals that take
    them for independent cases are too narrow.

    Parameters
    ----------
    y_true : column
        True classes, two of them.
    scores : column
        One score per case; higher speaks for the second class.
    groups : column, or pair of columns
        Which group each case belongs to; with a pair (a tuple), the groups of both sides of a
        trial, whose weights multiply.
    metric : {"auc", "eer", "min_cost"}
        What is measured.
    application : Application or CostMatrix, optional
        Costs and priors, for "min_cost" (two decisions).
    sample_weight : column, optional
        Weight of each case, kept when its group is drawn.
    level : float
        Share of data sets in which such an interval holds the truth.
    draws : int
        How often the groups are drawn.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer groups (of a side), or fewer cases of a class, no interval is given.

    Returns
    -------
    Interval
        Student's t with as many degrees of freedom as groups less one, around the estimate.

    Notes
    -----
    Cases are sorted once; a replicate is one pass over them. For decisions use `interval` with
    `GroupedCounts`, which needs no rows. The minimum cost is not corrected for optimism.

    References
    ----------
    .. [1] J. C. Wu, A. F. Martin, C. S. Greenberg and R. N. Kacker, "The impact of data
       dependence on speaker recognition evaluation", IEEE/ACM TASLP 25(1), 2017.
    .. [2] A. B. Owen and D. Eckles, "Bootstrapping data arrays of arbitrary order", Annals of
       Applied Statistics 6(3), 2012.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) % 3 == 0
    >>> speaker = np.arange(600) // 20
    >>> s = rng.normal(2.0 * y) + rng.normal(size=30)[speaker]
    >>> found = grouped_score_interval(y, s, groups=speaker, metric="eer", rng=0)
    >>> found.low < found.value < found.high
    True
    """
    asked = Asked(metric, application, level=level, draws=draws, rng=rng, min_cases=min_cases)
    summary = ScoreCounts.from_scores(y_true, scores, kind="rank", sample_weight=sample_weight)
    summary.require_both(metric)
    second = encode(y_true, summary.classes, "y_true").astype(bool)
    column, weights = as_floats(scores, "scores"), as_weights(sample_weight, second.shape[0])
    given = groups if isinstance(groups, tuple) and groups else (groups,)
    sides = [_codes(side, second.shape[0]) for side in given]
    value, statistic = score_statistic(metric, application, summary)
    rows = ScoreRows.ordered(second, column, weights)

    def hits(generator: np.random.Generator) -> Any:
        found = np.ones(second.shape[0], dtype=np.int64)
        for codes, n in sides:
            found = found * np.bincount(generator.integers(0, n, n), minlength=n)[codes]
        return found

    least = min(n for _, n in sides)
    kept = second if weights is None else second[weights > 0]
    cases = np.append(np.bincount(kept, minlength=2), least), (*summary.classes, "groups")
    return _spread_of_groups(asked, value, score_draws([rows], statistic, hits), least, cases)


def _codes(side: Any, length: int) -> tuple[Any, int]:
    """Positions of the groups of one side, and how many there are."""
    column = as_column(side, "groups")
    same_length("y_true", length, "groups", column.shape[0])
    names = observed_names(column)
    return encode(column, names, "groups").astype(np.intp), len(names)
