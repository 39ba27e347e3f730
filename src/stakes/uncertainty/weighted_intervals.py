"""Intervals of metrics of decisions when cases weigh differently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stakes._kernels.interval_limits import bca, percentile
from stakes.exceptions import DataError
from stakes.metrics.expected_cost import check_names
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.cell_sums import CellSums
from stakes.uncertainty.count_intervals import COSTS, metric_name, table_statistic
from stakes.uncertainty.intervals import Interval
from stakes.uncertainty.linear_costs import CostSum, Stakes, as_stakes, cost_sum
from stakes.uncertainty.replicates import Replicates
from stakes.uncertainty.sufficiency import MIN_CASES, shortage
from stakes.uncertainty.weighted_cells import WeightedCells, equivalent_sum

__all__ = ["sums_interval", "weighted_interval"]


def weighted_interval(
    y_true: Any,
    decisions: Any,
    *,
    sample_weight: Any,
    metric: Any = "expected_cost",
    application: Any = None,
    method: str | None = None,
    level: float = 0.95,
    replicates: int = 2000,
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
    replicates : int
        How many are drawn, for methods that draw.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer rows of a class that matters no interval is given.

    Returns
    -------
    Interval
        With `.at(level)` and, where rows were drawn, `.more(replicates)`.

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
    name = metric_name(metric)
    if name in COSTS and application is None:
        raise DataError(f"`{name}` needs costs.", hint="application=stakes.Application(...)")
    stakes = None if application is None else as_stakes(application)
    cells = WeightedCells.counted(y_true, decisions, sample_weight, stakes)
    known = ("score", "percentile") if name in COSTS else ("bca", "percentile")
    method = method or known[0]
    if method not in known:
        raise DataError(f"`method` of {name!r} must be one of {', '.join(known)}; got {method!r}.")
    matters = stakes.matters if stakes is not None and name in COSTS else None
    refused, notes = shortage(cells.cases, cells.matrix.classes, min_cases, matters)
    common: dict[str, Any] = {"level": level, "method": method, "refused": refused}
    if stakes is None or name not in COSTS:
        statistic, apart = table_statistic(metric, cells.matrix, application), False
        return _drawn(cells, name, statistic, replicates, rng, notes, common, apart=apart)
    if method == "score":
        alike = cells.equivalent(_total(cells.sums, stakes, name))
        return Interval.found(
            name, alike.value, lambda at, _: alike.limits(at), notes=notes, **common
        )
    return _drawn(
        cells,
        name,
        lambda tables: np.array([_total(table, stakes, name).value for table in tables]),
        replicates,
        rng,
        notes,
        common,
        apart=stakes.with_priors,
    )


def sums_interval(
    summed: CellSums,
    metric: Any,
    *,
    application: Any,
    weights: Any,
    method: str | None,
    level: float,
    min_cases: int,
) -> Interval:
    """See `stakes.uncertainty.interval`: the score interval of a cost, as `weighted_interval`."""
    name = metric_name(metric)
    if name not in COSTS or method not in (None, "score"):
        raise DataError(
            "sums of weights and of their powers have intervals of costs, by the score test; got "
            f"{name!r}{'' if method is None else f' by {method!r}'}.",
            hint="give the rows: weighted_interval(y_true, decisions, sample_weight=..., "
            "metric=...)",
        )
    if application is None:
        raise DataError(f"`{name}` needs costs.", hint="application=stakes.Application(...)")
    if len(summed.systems) > 1:
        raise DataError("`interval` takes one system; for several use `compare`.")
    stakes = as_stakes(application, weights)
    for app in stakes.applications:
        check_names(summed.confusion(), app)
    sums, rows, squares = (
        summed.table(values) for values in (summed.joint.counts, summed.rows, summed.squares)
    )
    alike = equivalent_sum(_total(sums, stakes, name), rows, squares)
    refused, notes = shortage(summed.cases, summed.joint.classes, min_cases, stakes.matters)
    return Interval.found(
        name,
        alike.value,
        lambda at, _: alike.limits(at),
        level=level,
        method="score",
        refused=refused,
        notes=notes,
    )


def _total(table: FloatArray, stakes: Stakes, name: str) -> CostSum:
    """The cost of a table of weights."""
    places = np.argwhere(np.ones(table.shape, dtype=bool)).astype(np.intp)
    return cost_sum(table.ravel(), places, stakes, normalize=COSTS[name])


def _drawn(
    cells: WeightedCells,
    name: str,
    statistic: Callable[[FloatArray], FloatArray],
    replicates: int,
    rng: RandomSource,
    notes: tuple[str, ...],
    common: dict[str, Any],
    *,
    apart: bool,
) -> Interval:
    """Rows drawn with replacement, each with its weight."""
    value = float(statistic(cells.sums[None])[0])

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(cells.draw(size, generator, apart=apart))

    drawn = Replicates.drawn(draw, replicates, rng)

    def rule(at: float, found: Replicates | None) -> tuple[float, float]:
        assert found is not None
        if found.defined.shape[0] == 0:
            return np.nan, np.nan
        if common["method"] == "bca":
            return bca(found.defined, value, cells.skewness(statistic), at)
        return percentile(found.defined, at)

    found = Interval.found(name, value, rule, replicates=drawn, notes=drawn.noted(notes), **common)
    return found.noted_if_alike()
