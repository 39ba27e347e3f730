"""Intervals of what is computed from a confusion matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stakes._kernels.cell_draws import draw_cells, posterior_cells, replicated_moments
from stakes._kernels.interval_ends import acceleration, bca, percentile, student_limits, studentized
from stakes.application import as_application
from stakes.exceptions import DataError
from stakes.metrics import Metric, catalogue
from stakes.metrics.costs.expected_cost import check_names
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.intervals.interval import Interval, Replicates, refuse_weights, shortage
from stakes.uncertainty.intervals.linear_costs import CostSum, Stakes, as_stakes, cost_sum

COSTS = {"expected_cost": False, "normalized_expected_cost": True}
_COST_METHODS = ("score", "normal", "percentile", "bca", "studentized", "posterior")
_OTHER_METHODS = ("percentile", "bca", "posterior")
#: Pseudo-count of a cell in the posterior: Jeffreys' for two cells, Perks' in general.
_PRIOR_MASS = 1.0


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


def confusion_interval(
    matrix: ConfusionMatrix,
    metric: Any,
    *,
    application: Any,
    weights: Any,
    method: str | None,
    level: float,
    draws: int,
    rng: RandomSource,
    min_cases: int,
) -> Interval:
    """See `stakes.uncertainty.interval`."""
    refuse_weights(np.asarray(matrix.counts, dtype=np.float64), "confusion matrix")
    name = metric_name(metric)
    if name in COSTS:
        if application is None:
            raise DataError(f"`{name}` needs costs.", hint="application=stakes.Application(...)")
        stakes = as_stakes(application, weights)
        for app in stakes.applications:
            check_names(matrix, app)
        return _cost_interval(matrix, name, stakes, method or "score", level, draws, rng, min_cases)
    statistic = table_statistic(metric, matrix, application)
    refused, notes = shortage(matrix.class_totals, matrix.classes, min_cases)
    found = _resampled(matrix, name, statistic, method or "bca", level, draws, rng, refused, notes)
    if method is None and found.low == found.high:  # e.g. no error at all
        notes = (*notes, "all replicates are alike, so the posterior was taken instead")
        return _resampled(matrix, name, statistic, "posterior", level, draws, rng, refused, notes)
    return found.noted_if_alike()


def _cost_interval(
    matrix: ConfusionMatrix,
    name: str,
    stakes: Stakes,
    method: str,
    level: float,
    draws: int,
    rng: RandomSource,
    min_cases: int,
) -> Interval:
    """Costs: the score test, the delta method, or replicates of the same sums."""
    if method not in _COST_METHODS:
        raise DataError(f"`method` must be one of {', '.join(_COST_METHODS)}; got {method!r}.")
    cells = np.argwhere(np.ones_like(matrix.counts, dtype=bool)).astype(np.intp)
    total = cost_sum(matrix.counts.ravel(), cells, stakes, normalized=COSTS[name])
    refused, notes = shortage(matrix.class_totals, matrix.classes, min_cases, stakes.matters)
    common: dict[str, Any] = {"level": level, "method": method, "refused": refused, "notes": notes}
    if method == "score":
        return Interval.found(name, total.value, lambda at, _: total.limits(at), **common)
    if method == "normal":
        error = total.error
        return Interval.found(
            name, total.value, lambda at, _: student_limits(total.value, error, at), **common
        )
    drawn = Replicates.drawn(sum_draws(total, method), draws, rng)
    return Interval.found(name, total.value, _sum_rule(total, method), replicates=drawn, **common)


def sum_draws(total: CostSum, method: str) -> Callable[[int, np.random.Generator], FloatArray]:
    """Replicates of a cost, with its own standard error in a second column if needed."""
    total, unit = total.ordinary
    n_strata, width = total.counts.shape
    strata = np.repeat(np.arange(n_strata), width)
    counts, top = total.counts.ravel(), total.weights.ravel()
    prior = _PRIOR_MASS / width if total.prior is None else total.prior.ravel()

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        if method == "posterior":
            cells: Any = posterior_cells(counts, strata, size, generator, prior=prior)
        else:
            cells = draw_cells(counts, strata, size, generator)
        value, variance = replicated_moments(cells, strata, top, n_strata)
        if total.bottoms:
            naive = [
                replicated_moments(cells, strata, b.ravel(), n_strata)[0] for b in total.bottoms
            ]
            with np.errstate(divide="ignore", invalid="ignore"):
                value = value / np.min(naive, axis=0)
            if method == "studentized":
                variance = _ratio_variances(cells, strata, total, value, n_strata)
        value = value + total.constant
        if method != "studentized":
            return np.asarray(unit * value)
        return unit * np.column_stack([value, np.sqrt(variance)])

    return draw


def _ratio_variances(
    cells: Any, strata: Any, total: CostSum, ratio: FloatArray, n_strata: int
) -> FloatArray:
    """Delta-method variance of the ratio in each replicate."""
    sums = [replicated_moments(cells, strata, b.ravel(), n_strata)[0] for b in total.bottoms]
    best = np.argmin(sums, axis=0)
    below = np.stack([b.ravel() for b in total.bottoms])[best]
    gaps = total.weights.ravel() - ratio[:, None] * below
    n = cells.sum(axis=1)
    mean = (cells * gaps).sum(axis=1) / n
    spread = (cells * gaps**2).sum(axis=1) / n - mean**2
    return np.asarray(np.maximum(spread, 0.0) / n / np.min(sums, axis=0) ** 2)


def _sum_rule(total: CostSum, method: str) -> Any:
    """How replicates of a cost become limits."""

    def rule(level: float, drawn: Replicates | None) -> tuple[float, float]:
        assert drawn is not None
        values = drawn.values
        if method == "studentized":
            kept = np.isfinite(values).all(axis=1)
            error = total.error
            return studentized(total.value, error, values[kept, 0], values[kept, 1], level)
        values = values[np.isfinite(values)]
        if method == "bca":
            return bca(values, total.value, _skewness(total), level)
        return percentile(values, level)

    return rule


def _skewness(total: CostSum) -> float:
    """The acceleration of a cost from the influence of a case of each cell."""
    total, _ = total.ordinary
    totals = np.maximum(total.counts.sum(axis=1, keepdims=True), 1.0)
    shares = total.counts / totals
    weights = total.weights
    if total.bottoms:
        sizes = [float((shares * b).sum()) for b in total.bottoms]
        k = int(np.argmin(sizes))
        weights = weights - total.value * total.bottoms[k]
    influence = (weights - (shares * weights).sum(axis=1, keepdims=True)) / totals
    return acceleration(influence.ravel(), total.counts.ravel())


def table_statistic(
    metric: Any, matrix: ConfusionMatrix, application: Any
) -> Callable[[FloatArray], FloatArray]:
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
        return lambda tables: np.asarray(known.values(tables))

    def loop(tables: FloatArray) -> FloatArray:
        return np.array(
            [entry(ConfusionMatrix(t, matrix.classes, matrix.decisions)) for t in tables]
        )

    return loop


def _resampled(
    matrix: ConfusionMatrix,
    name: str,
    statistic: Callable[[FloatArray], FloatArray],
    method: str,
    level: float,
    draws: int,
    rng: RandomSource,
    refused: bool,
    notes: tuple[str, ...],
) -> Interval:
    """Any other metric: replicates of the whole table."""
    if method not in _OTHER_METHODS:
        raise DataError(f"`method` must be one of {', '.join(_OTHER_METHODS)}; got {method!r}.")
    counts = np.asarray(matrix.counts, dtype=np.float64)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        if method == "posterior":
            prior = _PRIOR_MASS / counts.size
            flat: Any = posterior_cells(counts.ravel(), None, size, generator, prior=prior)
        else:
            flat = draw_cells(counts.ravel(), None, size, generator).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(flat.reshape(size, *counts.shape))

    value = float(statistic(counts[None])[0])
    drawn = Replicates.drawn(draw, draws, rng)
    notes = drawn.noted(notes)

    def rule(level: float, found: Replicates | None) -> tuple[float, float]:
        assert found is not None
        values = found.defined
        if values.shape[0] == 0:
            return np.nan, np.nan
        if method == "bca":
            return bca(values, value, _jackknife(counts, statistic, value), level)
        low, high = percentile(values, level)
        if method == "posterior" and np.isfinite(value):  # no error at all is not contradicted
            return min(low, value), max(high, value)
        return low, high

    return Interval.found(
        name,
        value,
        rule,
        level=level,
        method=method,
        refused=refused,
        notes=notes,
        replicates=drawn,
    )


def _jackknife(
    counts: FloatArray, statistic: Callable[[FloatArray], FloatArray], value: float
) -> float:
    """Acceleration from leaving out one case of each cell, cells weighted by their cases."""
    filled = np.argwhere(counts >= 1)
    tables = np.repeat(counts[None], filled.shape[0], axis=0)
    tables[np.arange(filled.shape[0]), filled[:, 0], filled[:, 1]] -= 1
    with np.errstate(divide="ignore", invalid="ignore"):
        left = statistic(tables)
    weights = counts[filled[:, 0], filled[:, 1]]
    kept = np.isfinite(left)
    if not kept.any():
        return 0.0
    centre = float(np.average(left[kept], weights=weights[kept]))
    return acceleration(centre - left[kept], weights[kept])
