"""Intervals of metrics of decisions when cases weigh differently."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from stakes._columns import as_column, as_weights, refuse_lost_weights
from stakes._kernels.interval_ends import acceleration
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.intervals.case_rows import CaseRows, CellSums, tables_of_cells
from stakes.uncertainty.intervals.count_intervals import (
    COSTS,
    Asked,
    sum_values,
    table_interval,
    table_statistic,
)
from stakes.uncertainty.intervals.interval import MIN_CASES, Interval
from stakes.uncertainty.intervals.linear_costs import CostSum, Stakes, cost_sum

#: Prior strength, in pseudo-errors, that weights and errors are independent.
_TRUST = 10.0
#: Weights beyond this, or whose largest is below its inverse, are divided by the largest.
_FAR = 1e50


def required_weights(sample_weight: Any, length: int) -> FloatArray:
    """The weights, which must be there; made smaller or larger where squares would be lost."""
    weights = as_weights(sample_weight, length)
    if weights is None:
        raise DataError(
            "`sample_weight` is missing.", hint="without weights: interval(summary, metric)"
        )
    if not length:
        raise DataError("there are no cases, so there is no interval.")
    refuse_lost_weights(weights)
    largest = float(weights.max())
    return weights if 1 / _FAR < largest < _FAR else weights / largest


def effective_cases(
    rows: FloatArray, sums: FloatArray, squares: FloatArray, influence: FloatArray
) -> float:
    """How many equal cases would be as sure of a mean as these weighted ones.

    `rows`, `sums` and `squares` are the number of rows of each cell, and their sums of weights
    and of squared weights; `influence` is how far each cell lies from the mean. With few errors
    their weights are a matter of luck, so the variance is shrunk towards that of weights
    unrelated to the errors (Kish), with a prior strength of `_TRUST` errors. Equal weights give
    the number of rows.
    """
    total = float(sums.sum())
    kish = total**2 / float(squares.sum())
    spread = float((sums * influence**2).sum()) / total
    variance = float((squares * influence**2).sum()) / total**2
    if spread <= 0 or variance <= 0:
        return kish
    size = float(np.abs(influence).max())
    _, place = np.unique(np.round(influence / size, 9), return_inverse=True)
    alike = np.bincount(place.reshape(-1), weights=rows)
    errors = float(rows.sum() - alike.max())
    return (errors + _TRUST) / (errors * variance / spread + _TRUST / kish)


def equivalent_sum(total: CostSum, rows: FloatArray, squares: FloatArray) -> CostSum:
    """A cost of weighted cases as a sum over the effective number of equal cases."""
    shape, counts = total.counts.shape, total.counts.copy()
    rows, squares = rows.reshape(shape), squares.reshape(shape)
    for k, influence in enumerate(total.influence):
        if counts[k].any():
            n = effective_cases(rows[k], total.counts[k], squares[k], influence)
            counts[k] *= n / counts[k].sum()
    return replace(total, counts=counts)


# A weighted row is one case: docs/design/weights.md.
def weighted_interval(
    y_true: Any,
    decisions: Any,
    *,
    sample_weight: Any,
    metric: Any = "expected_cost",
    application: Any = None,
    method: str | None = None,
    level: float = 0.95,
    draws: int = 2000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Interval:
    r"""Interval of a metric of decisions when cases weigh differently.

    For sampling weights: a row is one case, drawn by itself, and stands for `sample_weight`
    cases of the population (inverse probability of being sampled, importance weight). Whole
    numbers that say how often a row occurred are something else: with them there are as many
    cases as they add up to, and ``interval(ConfusionMatrix.from_decisions(..., sample_weight))``
    is right. Only the proportions of the weights matter here.

    Parameters
    ----------
    y_true, decisions : columns of the same length
        True classes and decisions, as in `expected_cost`.
    sample_weight : column
        Weight of each case, not negative; a case of weight zero is left out.
    metric : str or callable
        A name in `stakes.metrics.catalogue`, or any function of a ConfusionMatrix.
    application : Application, UncertainApplication or CostMatrix, optional
        Costs and priors. With priors, classes are taken apart; without, together.
    method : {"score", "percentile", "bca"}, optional
        For costs "score" (default) or "percentile"; for other metrics "bca" (default) or
        "percentile". The last two draw rows, with their weights.
    level : float
        Share of data sets in which such an interval holds the truth.
    draws : int
        How many are drawn, for methods that draw.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer rows of a class that matters no interval is given.

    Returns
    -------
    Interval
        With `.at(level)` and, where rows were drawn, `.more(draws)`.

    Notes
    -----
    The variance of a mean of costs c with weights w is that of the linearised mean,

    .. math:: \hat v = \sum_i w_i^2 (c_i - \bar c)^2 \Big/ \Big(\sum_i w_i\Big)^2,

    and the score interval is that of as many equal cases as have this variance [1]_. With few
    errors the estimate of the variance is poor; it is drawn towards that of weights unrelated to
    the errors, which belongs to :math:`(\sum w)^2 / \sum w^2` cases [2]_. With equal weights this
    is `interval`. Weights are taken as known; for cases that belong together use `GroupedCounts`.

    References
    ----------
    .. [1] E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data", Survey Methodology 24, 1998.
    .. [2] L. Kish, "Survey Sampling", Wiley, 1965, section 11.7.

    Examples
    --------
    >>> from stakes import Application
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) % 3 == 0
    >>> d, w = y ^ (rng.random(600) < 0.1), np.where(rng.random(600) < 0.5, 1.0, 4.0)
    >>> app = Application([[0, 1], [5, 0]], priors=[0.9, 0.1])
    >>> found = weighted_interval(y, d, sample_weight=w, application=app)
    >>> found.method, found.low < found.value < found.high
    ('score', True)
    """
    asked = Asked(
        metric, application, method=method, level=level, draws=draws, rng=rng, min_cases=min_cases
    )
    cost = asked.name in COSTS
    stakes = asked.stakes() if cost or application is not None else None
    truth, chosen = as_column(y_true, "y_true"), as_column(decisions, "decisions")
    weights = required_weights(sample_weight, truth.shape[0])
    names: dict[str, Any] = {}
    if stakes is not None:
        names = {"classes": stakes.classes, "decision_names": stakes.decisions}
    matrix = ConfusionMatrix.from_decisions(truth, chosen, sample_weight=weights, **names)
    method = asked.by("score" if cost else "bca", "percentile")
    rows = CaseRows.from_decisions(
        truth, {"system": chosen}, sample_weight=weights, groups=None, application=matrix
    )
    if method == "score":
        return _score_interval(rows.summed(), asked)
    return _drawn_interval(rows, asked, method, matrix, stakes if cost else None)


def sums_interval(summed: CellSums, asked: Asked) -> Interval:
    """See `stakes.uncertainty.interval`: the score interval of a cost, as `weighted_interval`."""
    if asked.name not in COSTS or asked.method not in (None, "score"):
        raise DataError(
            "sums of weights and of their powers have intervals of costs, by the score test; got "
            f"{asked.name!r}{'' if asked.method is None else f' by {asked.method!r}'}.",
            hint="give the rows: weighted_interval(y_true, decisions, sample_weight=..., "
            "metric=...)",
        )
    if len(summed.joint.systems) > 1:
        raise DataError("`interval` takes one system; for several use `compare`.")
    return _score_interval(summed, asked)


def _score_interval(summed: CellSums, asked: Asked) -> Interval:
    """The score interval of the cost at the effective number of equally weighted cases."""
    joint = summed.joint
    stakes = asked.stakes(joint.confusion(joint.systems[0]))
    sums, rows, squares = (
        tables_of_cells(joint, values) for values in (joint.counts, summed.rows, summed.squares)
    )
    total = cost_sum(sums, stakes, normalized=COSTS[asked.name])
    alike = equivalent_sum(total, rows, squares)
    cases = summed.cases, joint.classes
    return asked.found("score", alike.value, alike.limits, cases, matters=stakes.matters)


def _drawn_interval(
    rows: CaseRows, asked: Asked, method: str, matrix: ConfusionMatrix, stakes: Stakes | None
) -> Interval:
    """From rows drawn with their weights; for a cost, each class apart where there are priors."""
    table = np.asarray(matrix.counts, dtype=np.float64)
    unit = float(table.sum()) / rows.weights.sum()  # so that a metric sees the weights as given
    parts = [rows]
    if stakes is None:
        statistic = table_statistic(asked.metric, matrix, asked.application)
    else:
        total = cost_sum(table, stakes, normalized=COSTS[asked.name])
        parts = rows.by_class() if stakes.with_priors else parts

        def statistic(tables: FloatArray) -> FloatArray:
            return sum_values(total, tables.reshape(len(tables), -1))

    def tables(size: int, generator: np.random.Generator) -> FloatArray:
        drawn = [part.draw(size, generator) for part in parts]
        return np.asarray(unit * tables_of_cells(rows.joint, np.sum(drawn, axis=0)))

    def skewness() -> float:
        """The acceleration, from what a little less of each cell does to the statistic."""
        cells = rows.joint.cells
        less = np.repeat(table[None], len(cells) + 1, axis=0)
        less[np.arange(len(cells)), *cells.T] *= 1 - 1e-4
        with np.errstate(divide="ignore", invalid="ignore"):
            values = statistic(less)
        slopes = (values[-1] - values[:-1]) / table[*cells.T]
        influence = (slopes[rows.place] * rows.weights)[np.isfinite(slopes)[rows.place]]
        return acceleration(influence, np.ones(len(influence)))

    cases, matters = (rows.cases, matrix.classes), None if stakes is None else stakes.matters
    return table_interval(asked, method, statistic, table, tables, skewness, cases, matters=matters)
