"""Costs as weighted sums of shares: what the analytic intervals and tests work on.

With priors given, classes are strata sampled apart and a cell weighs P_i c_ij; without, all
cells are one stratum and weigh c_ij. A normalised cost divides by the cost of the best naive
decision, which is a number when priors are given and another such sum when they are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_priors, as_switch
from stakes._kernels.fast_loops import ordinary_scale
from stakes._kernels.interval_ends import normal_quantile
from stakes._kernels.score_test_limits import ratio_limits, score_limits, score_statistic
from stakes._names import listed
from stakes.application import Application, CostMatrix, UncertainApplication, as_application
from stakes.exceptions import DataError, UndefinedError
from stakes.summaries import PairedCounts
from stakes.typing import FloatArray, Name

#: Divisors times cells of a ratio that are held at once. Beyond, cells that count alike are one,
#: and divisors are tested in turn: the same limits, but for rounding.
_AT_ONCE = 1 << 14
#: How many applications stand for a distribution of them.
_SAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Stakes:
    """One or several applications that may hold, with their probabilities.

    `mean` is their exact average where it is known and they are only samples.
    """

    applications: tuple[Application, ...]
    weights: FloatArray
    mean: Application | None = None

    @property
    def classes(self) -> tuple[Name, ...]:
        """Class names, the same in all."""
        return self.applications[0].classes

    @property
    def decisions(self) -> tuple[Name, ...]:
        """Decision names, the same in all."""
        return self.applications[0].decisions

    def measure(self, *, normalized: bool) -> str:
        """What a cost under these applications is measured in."""
        return (
            "NEC"
            if as_switch(normalized, "normalized")
            else f"{self.applications[0].unit or 'cost'} per case"
        )

    @property
    def with_priors(self) -> bool:
        """Whether the priors are given rather than those of the data."""
        return self.applications[0].priors is not None

    @property
    def matters(self) -> NDArray[np.bool_]:
        """Which classes can change the cost: a positive prior and costs that differ."""
        kept = np.zeros(len(self.classes), dtype=bool)
        for app in self.applications:
            varies = np.ptp(app.costs.values, axis=1) > 0
            kept |= varies if app.priors is None else varies & (app.priors > 0)
        return kept

    def cell_weights(self, *, normalized: bool) -> FloatArray:
        """P_i c_ij, or c_ij without priors, on average over the applications, (K, M)."""
        if self.mean is not None and not normalized:
            return _weights(self.mean, normalized)
        pairs = zip(self.applications, self.weights, strict=True)
        return np.asarray(sum(weight * _weights(app, normalized) for app, weight in pairs))

    def written_weights(
        self, cells: Iterable[tuple[int, int]], *, normalized: bool
    ) -> tuple[dict[tuple[int, int], Fraction], bool]:
        """The same of some cells (class, decision), up to a constant per class, as written.

        Also whether these are rounded: results of a computation, with all the digits of floats.
        """
        if self.mean is not None or len(self.applications) > 1:
            found = self.cell_weights(normalized=normalized)
            return {cell: Fraction(float(found[cell])) for cell in cells}, True
        app = self.applications[0]  # a normalised cost is a multiple, which changes no order
        costs = {cell: float(app.costs.values[cell]) for cell in cells}
        priors = {k: 1.0 if app.priors is None else float(app.priors[k]) for k, _ in costs}
        rounded = any(_digits(value) > 15 for value in {*priors.values(), *costs.values()})
        exact = {value: Fraction(repr(value)) for value in {*priors.values(), *costs.values()}}
        return {cell: exact[priors[cell[0]]] * exact[c] for cell, c in costs.items()}, rounded


def as_stakes(application: Any, weights: Any = None) -> Stakes:
    """One Application, or several with weights, or an uncertain one by its draws."""
    if isinstance(application, UncertainApplication):
        return _possible(application)
    several = isinstance(application, Sequence) and not isinstance(application, str)
    if several and application and isinstance(application[0], Sequence):
        several = any(isinstance(cell, Sequence) for cell in application[0])  # else one table
    apps = tuple(as_application(a) for a in (application if several else [application]))
    if not apps:
        raise DataError("`application` must hold at least one Application; got none.")
    for app in apps[1:]:
        if (app.classes, app.decisions) != (apps[0].classes, apps[0].decisions):
            raise DataError("all applications must have the same classes and decisions.")
        if (app.priors is None) != (apps[0].priors is None):
            raise DataError("either all applications must give priors or none.")
    shares = np.full(len(apps), 1 / len(apps))
    if weights is not None:
        shares = as_priors(weights, tuple(range(len(apps))), name="weights")
    return Stakes(apps, shares)


def _possible(application: UncertainApplication) -> Stakes:
    """The draws an uncertain application was given, or samples of it with its exact mean."""
    given = application.given
    own = given is not None and len(given) <= _SAMPLES and application.priors is None
    draws = given if own and given is not None else application.sample(_SAMPLES, rng=0)
    apps = tuple(
        Application(
            CostMatrix(costs, application.classes, application.decisions),
            None if draws.priors is None else draws.priors[k],
        )
        for k, costs in enumerate(draws.costs)
    )
    return Stakes(apps, draws.weights / draws.weights.sum(), None if own else application.expected)


def _weights(app: Application, normalized: bool) -> FloatArray:
    """Cell weights of one application."""
    if not as_switch(normalized, "normalized"):
        values = app.costs.values
        return values if app.priors is None else app.priors[:, None] * values
    standard = app.costs.standardized().values
    if app.priors is None:
        return standard
    naive = _positive(float((app.priors @ standard).min()))
    return np.asarray(app.priors[:, None] * standard / naive)


def _positive(naive: float) -> float:
    """The cost of the best naive decision, if it may divide."""
    if naive <= 0:
        raise UndefinedError("the normalised cost is undefined: a naive decision costs nothing.")
    return naive


def _digits(value: float) -> int:
    """Significant digits of the shortest decimal that is this number."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


@dataclass(frozen=True, eq=False)
class CostSum:
    """Sum of `weights` x shares within strata, plus `constant`; or a ratio of two such sums.

    Arrays have shape (n_strata, n_cells); `bottoms` holds one divisor per naive decision, of
    which the smallest counts. `prior` holds the pseudo-counts of a posterior over the shares.
    """

    counts: FloatArray
    weights: FloatArray
    constant: float = 0.0
    bottoms: tuple[FloatArray, ...] = ()
    prior: FloatArray | None = None

    @property
    def value(self) -> float:
        """The estimate."""
        top = float((self._shares() * self.weights).sum())
        if not self.bottoms:
            return top + self.constant
        return top / _positive(min(float((self._shares() * b).sum()) for b in self.bottoms))

    @property
    def influence(self) -> FloatArray:
        """How far a case of each cell lies from the mean of its stratum (delta method)."""
        shares, weights, scale = self._shares(), self.weights, 1.0
        if self.bottoms:
            sizes = [float((shares * b).sum()) for b in self.bottoms]
            k = int(np.argmin(sizes))
            weights, scale = weights - self.value * self.bottoms[k], 1 / sizes[k]
        means = (shares * weights).sum(axis=1, keepdims=True)
        return np.asarray((weights - means) * scale)

    @property
    def spreads(self) -> FloatArray:
        """Variance of one case's part in each stratum (delta method for a ratio)."""
        return np.asarray((self._shares() * self.influence**2).sum(axis=1))

    @property
    def error(self) -> float:
        """Estimated standard error of the estimate, finite wherever the weights are."""
        total, unit = self.ordinary
        cases = np.maximum(self.counts.sum(axis=1), 1.0)
        return unit * float(np.sqrt((total.spreads / cases).sum()))

    @property
    def ordinary(self) -> tuple[CostSum, float]:
        """The same sum of weights whose squares are finite, and what to multiply its value by."""
        scale = ordinary_scale(self.weights, *self.bottoms)
        if scale == 1:
            return self, 1.0
        bottoms = tuple(b / scale for b in self.bottoms)
        constant = self.constant if self.bottoms else self.constant / scale
        total = replace(self, weights=self.weights / scale, constant=constant, bottoms=bottoms)
        return total, 1.0 if self.bottoms else scale

    def _shares(self) -> FloatArray:
        totals = self.counts.sum(axis=1, keepdims=True)
        shares: FloatArray = np.divide(
            self.counts, totals, out=np.zeros_like(self.counts), where=totals > 0
        )
        return shares

    def limits(self, level: float, _: Any = None) -> tuple[float, float]:
        """Limits by inverting the score test, which needs no draws; see `score_limits`."""
        z = normal_quantile(level)
        counts = self.counts[None]
        if not self.bottoms:
            low, high = score_limits(counts, self.weights[None], z)
            return float(low[0]) + self.constant, float(high[0]) + self.constant
        usable = [b for b in self.bottoms if float((self._shares() * b).sum()) > 0]
        if len(usable) * self.counts.size > _AT_ONCE:
            return _limits_in_turn(counts, self.weights[None], usable, z)
        bottoms = np.stack(usable)
        copies = (bottoms.shape[0], *self.counts.shape)
        low, high = ratio_limits(np.broadcast_to(self.counts, copies), self.weights, bottoms, z)
        return float(low.max()), float(high.max())

    def minus(self, other: CostSum) -> CostSum:
        """The difference of two costs on cases of their own."""
        counts = np.concatenate([self.counts, other.counts])
        weights = np.concatenate([self.weights, -other.weights])
        return CostSum(counts, weights, self.constant - other.constant)

    def z_score(self) -> float:
        """How many standard errors the sum is from zero, under zero."""
        return float(score_statistic(self.counts[None], self.weights[None])[0])


def cost_sum(counts: NDArray[Any], stakes: Stakes, *, normalized: bool = False) -> CostSum:
    """The cost of one system from counts, or weights, by class and decision."""
    table = np.asarray(counts, dtype=np.float64)
    weights = stakes.cell_weights(normalized=normalized)
    if not stakes.with_priors:
        if normalized and weights.size * len(weights.T) > _AT_ONCE:
            return _of_few_cells(table, weights)
        bottoms = [np.repeat(column, len(weights.T)).reshape(1, -1) for column in weights.T]
        flat = table.reshape(1, -1), weights.reshape(1, -1)
        return CostSum(*flat, 0.0, tuple(bottoms) if normalized else ())
    empty = table.sum(axis=1) == 0
    unknown = empty & (np.ptp(weights, axis=1) > 0)
    if unknown.any():
        names = [n for n, bad in zip(stakes.classes, unknown, strict=True) if bad]
        raise DataError(f"no case of {listed(names)} in the data, so the cost is unknown.")
    known = np.where(empty, weights[:, 0], 0.0)  # paid whatever is decided
    return CostSum(table, np.where(empty[:, None], 0.0, weights), float(known.sum()))


def _of_few_cells(table: FloatArray, weights: FloatArray) -> CostSum:
    """A normalised cost of many classes: as many cells as occur, not as could.

    Cells of a class at the same cost are one. Of cells without cases those of the least and the
    greatest cost in a class are kept: a test needs no other. They carry its pseudo-counts.
    """
    order = np.argsort(weights, axis=1, kind="stable")
    ranked = np.take_along_axis(weights, order, axis=1)
    first = np.ones(ranked.shape, dtype=bool)
    first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    starts = np.flatnonzero(first)
    sums = np.add.reduceat(np.take_along_axis(table, order, axis=1).ravel(), starts)
    classes, costs = starts // weights.shape[1], ranked.ravel()[starts]
    border = np.append(np.diff(classes) > 0, True)
    kept = (sums > 0) | border | np.concatenate(([True], border[:-1]))
    classes, costs, sums = classes[kept], costs[kept], sums[kept]
    prior = 1.0 / len(weights) / np.bincount(classes)[classes]
    bottoms = tuple(column[classes][None] for column in weights.T)
    return CostSum(sums[None], costs[None], 0.0, bottoms, prior[None])


def _limits_in_turn(
    counts: FloatArray, top: FloatArray, bottoms: Sequence[FloatArray], z: float
) -> tuple[float, float]:
    """The greatest limits over many divisors, the greatest ratio first.

    Most divisors are passed over after a test or two: of the limits found before them.
    """
    above, low, high = float((counts * top).sum()), -np.inf, -np.inf

    def rejected(bottom: FloatArray, ratio: float) -> bool:
        return bool(abs(score_statistic(counts, top - ratio * bottom)[0]) > z)

    sizes = [float((counts * bottom).sum()) for bottom in bottoms]
    for k in np.argsort(sizes, kind="stable").tolist():
        bottom, found = bottoms[k][None], above / sizes[k]
        raised = found >= high or not rejected(bottom, high)
        if raised or (found > low and rejected(bottom, low)):
            ends = ratio_limits(counts, top, bottom, z)
            low, high = max(low, float(ends[0][0])), max(high, float(ends[1][0]))
    return low, high


def difference_sum(two: PairedCounts, stakes: Stakes, *, normalized: bool = False) -> CostSum:
    """Cost of the first minus cost of the second system of joint counts.

    Each stratum gets three empty cells: no difference, and the largest there could be either
    way. They carry the posterior's pseudo-counts, a third each (Perks' prior for three outcomes).
    """
    counts, cells = two.counts, two.cells
    weights = stakes.cell_weights(normalized=normalized)
    by_class = cells[:, 0] if stakes.with_priors else np.zeros(cells.shape[0], dtype=np.intp)
    n_strata = len(stakes.classes) if stakes.with_priors else 1
    gaps = weights[cells[:, 0], cells[:, 1]] - weights[cells[:, 0], cells[:, 2]]
    reach = np.ptp(weights, axis=1)
    reach = reach if stakes.with_priors else reach.max(keepdims=True)
    width = int(np.bincount(by_class, minlength=n_strata).max()) + 3
    table, gap_table, prior = (np.zeros((n_strata, width)) for _ in range(3))
    for k in range(n_strata):
        inside = by_class == k
        n = int(inside.sum())
        table[k, :n], gap_table[k, :n] = counts[inside], gaps[inside]
        gap_table[k, n], gap_table[k, n + 1] = -reach[k], reach[k]
        prior[k, n : n + 3] = 1 / 3
    if stakes.with_priors or not normalized:
        return CostSum(table, gap_table, prior=prior)
    shares = np.bincount(cells[:, 0], weights=counts, minlength=len(stakes.classes))
    best = int(np.argmin(shares @ (weights / ordinary_scale(weights))))  # it divides
    below = np.full((1, width), weights[int(np.argmax(np.ptp(weights, axis=1))), best])
    below[0, : cells.shape[0]] = weights[cells[:, 0], best]
    return CostSum(table, gap_table, 0.0, (below,), prior)
