"""What an interval is asked of, and intervals of what is computed from a confusion matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._columns import in_brief
from stakes._kernels.cell_draws import draw_cells, posterior_cells, replicated_moments
from stakes._kernels.interval_ends import acceleration, bca, percentile, student_limits, studentized
from stakes._names import place_of
from stakes.application import as_application
from stakes.exceptions import DataError
from stakes.metrics import Metric, catalogue
from stakes.metrics.costs.expected_cost import check_names
from stakes.metrics.counts.table_cells import need_positive
from stakes.metrics.metric import has_positive
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name, RandomSource
from stakes.uncertainty.intervals.interval import (
    MIN_CASES,
    Draw,
    Interval,
    Replicates,
    Rule,
    refuse_weights,
    shortage,
)
from stakes.uncertainty.intervals.linear_costs import CostSum, Stakes, as_stakes, cost_sum

COSTS = {"expected_cost": False, "normalized_expected_cost": True}
#: Pseudo-count of a cell in the posterior: Jeffreys' for two cells, Perks' in general.
_PRIOR_MASS = 1.0

Statistic = Callable[[FloatArray], FloatArray]


def metric_name(metric: Any) -> str:
    """The name of a metric given by name, as catalogue entry or as function."""
    if isinstance(metric, str):
        known = catalogue[metric].name if metric in catalogue else metric
        return str(known)
    if isinstance(metric, Metric):
        return metric.label
    name = getattr(metric, "__name__", None)
    if not callable(metric) or name is None:
        raise DataError(f"`metric` must be a name or a function; got {type(metric).__name__}.")
    home = str(getattr(metric, "__module__", ""))
    return str(name) if home.startswith("stakes.metrics") else f"{name} (given)"


@dataclass(frozen=True, eq=False)
class Asked:
    """The arguments of a public interval function, in one object."""

    metric: Any
    application: Any
    weights: Any = None
    method: str | None = None
    normalized: bool = False
    level: float = 0.95
    draws: int = 2000
    rng: RandomSource = None
    min_cases: int = MIN_CASES

    @property
    def name(self) -> str:
        """The name of the metric."""
        return metric_name(self.metric)

    def by(self, *known: str) -> str:
        """The method, the first of those known unless another one was asked for."""
        if self.method is None:
            return known[0]
        if place_of(self.method, known) is None:
            raise DataError(
                f"`method` of {self.name!r} must be one of {', '.join(known)}; got "
                f"{in_brief(self.method)}."
            )
        return self.method

    def stakes(self, matrix: ConfusionMatrix | None = None) -> Stakes:
        """The costs, which must be there and have the names of the matrix, if there is one."""
        if self.application is None:
            raise DataError(
                f"`{self.name}` needs costs.", hint="application=stakes.Application(...)"
            )
        stakes = as_stakes(self.application, self.weights)
        if matrix is not None:
            check_names(matrix, stakes.applications[0])
        return stakes

    def drawn(self, draw: Draw, least: int = 1) -> Replicates:
        """As many replicates as were asked for."""
        return Replicates.drawn(draw, self.draws, self.rng, least)

    def found(
        self,
        method: str,
        value: float,
        rule: Rule,
        cases: tuple[Any, Sequence[Name]],
        *,
        matters: Any = None,
        notes: tuple[str, ...] = (),
        replicates: Replicates | None = None,
    ) -> Interval:
        """The interval by a rule, unless there are too few cases (numbers and their names)."""
        refused, short = shortage(*cases, self.min_cases, matters)
        notes = (*short, *notes) if replicates is None else replicates.noted((*short, *notes))
        found = Interval.found(
            self.name, value, rule, level=self.level, method=method, refused=refused, notes=notes,
            replicates=replicates,
        )  # fmt: skip
        return found.noted_if_alike() if method in ("percentile", "bca") else found


def confusion_interval(matrix: ConfusionMatrix, asked: Asked) -> Interval:
    """See `stakes.uncertainty.interval`."""
    counts = np.asarray(matrix.counts, dtype=np.float64)
    refuse_weights(counts, "confusion matrix")
    if asked.name in COSTS:
        return _cost_interval(matrix, asked, asked.stakes(matrix))
    statistic = table_statistic(asked.metric, matrix, asked.application)
    method = asked.by("bca", "percentile", "posterior")
    found = _resampled(matrix, asked, statistic, method)
    if asked.method is None and found.low == found.high:  # e.g. no error at all
        note = "all replicates are alike, so the posterior was taken instead"
        return _resampled(matrix, asked, statistic, "posterior", (note,))
    return found


def _cost_interval(matrix: ConfusionMatrix, asked: Asked, stakes: Stakes) -> Interval:
    """Costs: the score test, the delta method, or replicates of the same sums."""
    method = asked.by("score", "normal", "percentile", "bca", "studentized", "posterior")
    total = cost_sum(matrix.counts, stakes, normalized=COSTS[asked.name])
    value, error = total.value, total.error

    def rule(level: float, values: FloatArray) -> tuple[float, float]:
        if method == "normal":
            return student_limits(value, error, level)
        if method == "studentized":
            return studentized(value, error, values[:, 0], values[:, 1], level)
        if method == "bca":
            return bca(values, value, _skewness(total), level)
        return percentile(values, level)

    drawn = None
    if method not in ("score", "normal"):
        drawn = asked.drawn(sum_draws(total, method))
    cases = matrix.class_totals, matrix.classes
    by = total.limits if method == "score" else rule
    return asked.found(method, value, by, cases, matters=stakes.matters, replicates=drawn)


def sum_draws(total: CostSum, method: str) -> Draw:
    """Replicates of a cost, with its own standard error in a second column if needed."""
    n_strata, width = total.counts.shape
    strata, counts = np.repeat(np.arange(n_strata), width), total.counts.ravel()
    prior = _PRIOR_MASS / width if total.prior is None else total.prior.ravel()

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        if method == "posterior":
            cells: Any = posterior_cells(counts, strata, size, generator, prior=prior)
        else:
            cells = draw_cells(counts, strata, size, generator)
        return sum_values(total, cells, with_errors=method == "studentized")

    return draw


def sum_values(total: CostSum, cells: Any, *, with_errors: bool = False) -> FloatArray:
    """A cost in each replicate (B, C) of its cells, and its standard error there if wanted."""
    total, unit = total.ordinary
    n_strata, width = total.counts.shape
    strata, top = np.repeat(np.arange(n_strata), width), total.weights.ravel()
    value, variance = replicated_moments(cells, strata, top, n_strata)
    if total.bottoms:
        bottoms = [b.ravel() for b in total.bottoms]
        naive = np.array([replicated_moments(cells, strata, b, n_strata)[0] for b in bottoms])
        with np.errstate(divide="ignore", invalid="ignore"):
            value = value / naive.min(axis=0)
        if with_errors:
            gaps = top - value[:, None] * np.stack(bottoms)[naive.argmin(axis=0)]
            variance = _variances(cells, gaps) / naive.min(axis=0) ** 2
    value = value + total.constant
    return unit * (np.column_stack([value, np.sqrt(variance)]) if with_errors else value)


def _variances(cells: Any, gaps: FloatArray) -> FloatArray:
    """Variance of the mean of `gaps` in each replicate, for the delta method of a ratio."""
    n = cells.sum(axis=1)
    mean = (cells * gaps).sum(axis=1) / n
    spread = (cells * gaps**2).sum(axis=1) / n - mean**2
    return np.asarray(np.maximum(spread, 0.0) / n)


def _skewness(total: CostSum) -> float:
    """The acceleration of a cost from the influence of a case of each cell."""
    total, _ = total.ordinary
    influence = total.influence / np.maximum(total.counts.sum(axis=1, keepdims=True), 1.0)
    return acceleration(influence.ravel(), total.counts.ravel())


def table_statistic(metric: Any, matrix: ConfusionMatrix, application: Any) -> Statistic:
    """The metric of many tables (B, K, M) at once."""
    entry = catalogue.get(metric) if isinstance(metric, str) else metric
    if entry is None:
        raise DataError(
            f"no metric {metric!r} of a confusion matrix.", hint="see stakes.metrics.catalogue"
        )
    name = str(getattr(entry, "__name__", ""))
    if name in catalogue and catalogue[name].function is entry:
        entry = catalogue[name]
    if isinstance(entry, Metric):
        app = None if application is None else as_application(application)
        known = entry if app is None else entry.with_application(app)
        if has_positive(known):
            need_positive(matrix, None, told=False)
        return lambda tables: np.asarray(known.values(tables))

    def loop(tables: FloatArray) -> FloatArray:
        return np.array(
            [entry(ConfusionMatrix(t, matrix.classes, matrix.decisions)) for t in tables]
        )

    return loop


def table_interval(
    asked: Asked,
    method: str,
    statistic: Statistic,
    table: FloatArray,
    tables: Draw,
    skewness: Callable[[], float],
    cases: tuple[Any, Sequence[Name]],
    **more: Any,
) -> Interval:
    """Any metric of a table, from replicates of the whole table."""
    value = float(statistic(table[None])[0])

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(tables(size, generator))

    def rule(level: float, values: FloatArray) -> tuple[float, float]:
        if method == "bca":
            return bca(values, value, skewness(), level)
        low, high = percentile(values, level)
        if method == "posterior" and np.isfinite(value):  # no error at all is not contradicted
            return min(low, value), max(high, value)
        return low, high

    return asked.found(method, value, rule, cases, replicates=asked.drawn(draw), **more)


def _resampled(
    matrix: ConfusionMatrix,
    asked: Asked,
    statistic: Statistic,
    method: str,
    notes: tuple[str, ...] = (),
) -> Interval:
    """Any metric but a cost, from counts."""
    counts = np.asarray(matrix.counts, dtype=np.float64)

    def tables(size: int, generator: np.random.Generator) -> FloatArray:
        if method == "posterior":
            prior = _PRIOR_MASS / counts.size
            flat: Any = posterior_cells(counts.ravel(), None, size, generator, prior=prior)
        else:
            flat = draw_cells(counts.ravel(), None, size, generator).astype(np.float64)
        return np.asarray(flat.reshape(size, *counts.shape))

    def jackknife() -> float:
        """Acceleration from leaving out one case of each cell, cells weighted by their cases."""
        filled = np.argwhere(counts >= 1)
        left = np.repeat(counts[None], filled.shape[0], axis=0)
        left[np.arange(filled.shape[0]), *filled.T] -= 1
        with np.errstate(divide="ignore", invalid="ignore"):
            values = statistic(left)
        kept = np.isfinite(values)
        if not kept.any():
            return 0.0
        weights = counts[*filled[kept].T]
        centre = float(np.average(values[kept], weights=weights))
        return acceleration(centre - values[kept], weights)

    cases = matrix.class_totals, matrix.classes
    return table_interval(asked, method, statistic, counts, tables, jackknife, cases, notes=notes)
