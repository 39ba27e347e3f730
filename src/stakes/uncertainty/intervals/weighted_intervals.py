"""Intervals of metrics of decisions when cases weigh differently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._columns import as_column, as_weights
from stakes._kernels.interval_ends import acceleration, bca, percentile
from stakes._names import encode
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import check_names
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, IntArray, RandomSource
from stakes.uncertainty.intervals.case_rows import CellSums
from stakes.uncertainty.intervals.count_intervals import COSTS, metric_name, table_statistic
from stakes.uncertainty.intervals.interval import MIN_CASES, Interval, Replicates, shortage
from stakes.uncertainty.intervals.linear_costs import CostSum, Stakes, as_stakes, cost_sum

#: Errors' worth of trust in the weights being unrelated to the errors, beside what the data say.
_TRUST = 10.0
#: Weights beyond this, or whose largest is below its inverse, are divided by the largest.
_FAR = 1e50
#: Rows per distinct weight from which it pays to draw how often each weight occurs.
_ALIKE = 8
#: At most so many numbers are drawn at once.
_ROOM = 1 << 22


def required_weights(sample_weight: Any, length: int) -> FloatArray:
    """The weights, which must be there; made smaller or larger where squares would be lost."""
    weights = as_weights(sample_weight, length)
    if weights is None:
        raise DataError(
            "`sample_weight` is missing.", hint="without weights: interval(summary, metric)"
        )
    largest = float(weights.max(initial=1.0 if length == 0 else 0.0))
    return weights if 1 / _FAR < largest < _FAR else weights / largest


def effective_cases(
    rows: FloatArray, sums: FloatArray, squares: FloatArray, influence: FloatArray
) -> float:
    """How many equal cases would be as sure of a mean as these weighted ones.

    Of cells with so many `rows`, of these sums of weights and of squared weights, each cell
    `influence` away from the mean. With few errors their weights are a matter of luck, so the
    variance is drawn towards that of weights unrelated to the errors (Kish), with the weight of
    `_TRUST` errors. Equal weights give the number of rows.
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
    """A cost of weighted cases as one of as many equal cases as are as sure of it."""
    shape, counts = total.counts.shape, total.counts.copy()
    rows, squares = rows.reshape(shape), squares.reshape(shape)
    for k, influence in enumerate(total.influence):
        if counts[k].any():
            n = effective_cases(rows[k], total.counts[k], squares[k], influence)
            counts[k] *= n / counts[k].sum()
    return replace(total, counts=counts)


@dataclass(frozen=True, eq=False)
class WeightedCells:
    """Rows by cell of a confusion matrix, with their weights; those of weight zero left out.

    `matrix` holds the sums of weights; `rows` and `squares` the number of rows and the sums of
    squared weights, in the same shape; `kinds`, `weights` and `counts` the cell (by position),
    weight and number of all rows that are alike, ordered by cell.
    """

    matrix: ConfusionMatrix
    rows: FloatArray
    squares: FloatArray
    kinds: IntArray
    weights: FloatArray
    counts: IntArray

    @classmethod
    def counted(
        cls, y_true: Any, decisions: Any, sample_weight: Any, application: Any
    ) -> WeightedCells:
        """Count rows under the names of the application, if there is one."""
        names: dict[str, Any] = {}
        if application is not None:
            names = {"classes": application.classes, "decision_names": application.decisions}
        truth, chosen = as_column(y_true, "y_true"), as_column(decisions, "decisions")
        weights = required_weights(sample_weight, truth.shape[0])
        matrix = ConfusionMatrix.from_decisions(truth, chosen, sample_weight=weights, **names)
        kept = weights > 0
        cells = encode(truth[kept], matrix.classes, "y_true").astype(np.intp)
        cells = cells * len(matrix.decisions) + encode(chosen[kept], matrix.decisions, "decisions")
        shape, weights = matrix.counts.shape, weights[kept]
        size = shape[0] * shape[1]
        rows = np.bincount(cells, minlength=size).astype(np.float64).reshape(shape)
        squares: FloatArray = np.bincount(cells, weights * weights, minlength=size).astype(
            np.float64
        )
        squares = squares.reshape(shape)
        order = np.lexsort((weights, cells))
        cells, weights = cells[order], weights[order]
        new = np.append(True, (np.diff(cells) != 0) | (np.diff(weights) != 0))
        starts = np.flatnonzero(new)
        counts = np.diff(np.append(starts, cells.shape[0]))
        return cls(matrix, rows, squares, cells[starts], weights[starts], counts)

    @property
    def sums(self) -> FloatArray:
        """Sums of weights by class and decision."""
        return np.asarray(self.matrix.counts, dtype=np.float64)

    @property
    def cases(self) -> FloatArray:
        """Number of rows of each class."""
        return np.asarray(self.rows.sum(axis=1))

    def equivalent(self, total: CostSum) -> CostSum:
        """A cost of these cases as one of equal cases that are as sure of it."""
        return equivalent_sum(total, self.rows, self.squares)

    def draw(self, size: int, generator: np.random.Generator, *, apart: bool) -> FloatArray:
        """Tables (size, K, M) of rows drawn with their weights, each class apart or not."""
        shape = self.rows.shape
        found = np.zeros((size, shape[0] * shape[1]))
        filled = np.flatnonzero(self.rows.ravel())
        by_class = filled // shape[1] if apart else np.zeros_like(filled)
        for k in np.unique(by_class):
            cells = filled[by_class == k]
            rows = self.rows.ravel()[cells]
            wanted = generator.multinomial(int(rows.sum()), rows / rows.sum(), size=size)
            for place, cell in enumerate(cells.tolist()):
                inside = self.kinds == cell
                found[:, cell] = _drawn_sums(
                    self.weights[inside], self.counts[inside], wanted[:, place], generator
                )
        return found.reshape(size, *shape)

    def skewness(self, statistic: Callable[[FloatArray], FloatArray]) -> float:
        """The acceleration of a statistic, from what a little less of each cell does to it."""
        filled = np.argwhere(self.rows > 0)
        tables = np.repeat(self.sums[None], filled.shape[0] + 1, axis=0)
        places = np.arange(filled.shape[0]), filled[:, 0], filled[:, 1]
        steps = 1e-4 * tables[places]
        tables[places] -= steps
        with np.errstate(divide="ignore", invalid="ignore"):
            values = statistic(tables)
        slopes = np.zeros(self.rows.size)
        slopes[np.ravel_multi_index((filled[:, 0], filled[:, 1]), self.rows.shape)] = (
            values[-1] - values[:-1]
        ) / steps
        influence = slopes[self.kinds] * self.weights
        known = np.isfinite(influence)
        return acceleration(influence[known], self.counts[known].astype(np.float64))


def _drawn_sums(
    weights: FloatArray, counts: IntArray, wanted: IntArray, generator: np.random.Generator
) -> FloatArray:
    """Sums of so many weights drawn with replacement, of which there are `counts` alike."""
    if weights.shape[0] == 1:
        return np.asarray(wanted * weights[0], dtype=np.float64)
    if weights.shape[0] * _ALIKE > counts.sum():  # hardly any are alike: draw them one by one
        rows = np.repeat(weights, counts)
        return np.array([rows[generator.integers(0, len(rows), n)].sum() for n in wanted])
    found, step = np.empty(wanted.shape[0]), max(1, _ROOM // weights.shape[0])
    for start in range(0, wanted.shape[0], step):
        part = slice(start, start + step)
        found[part] = generator.multinomial(wanted[part], counts / counts.sum()) @ weights
    return found


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
        return _drawn(cells, name, statistic, draws, rng, notes, common, apart=apart)
    if method == "score":
        alike = cells.equivalent(_total(cells.sums, stakes, name))
        return Interval.found(
            name, alike.value, lambda at, _: alike.limits(at), notes=notes, **common
        )
    return _drawn(
        cells,
        name,
        lambda tables: np.array([_total(table, stakes, name).value for table in tables]),
        draws,
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
    return cost_sum(table.ravel(), places, stakes, normalized=COSTS[name])


def _drawn(
    cells: WeightedCells,
    name: str,
    statistic: Callable[[FloatArray], FloatArray],
    draws: int,
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

    drawn = Replicates.drawn(draw, draws, rng)

    def rule(at: float, found: Replicates | None) -> tuple[float, float]:
        assert found is not None
        if found.defined.shape[0] == 0:
            return np.nan, np.nan
        if common["method"] == "bca":
            return bca(found.defined, value, cells.skewness(statistic), at)
        return percentile(found.defined, at)

    found = Interval.found(name, value, rule, replicates=drawn, notes=drawn.noted(notes), **common)
    return found.noted_if_alike()
