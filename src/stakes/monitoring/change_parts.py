"""Samples of two periods, with groups that vary as a whole, and tests of what changed between
them.

Cost per case is the sum over classes of share x mean cost, P_i r_i. Its change is exactly

    sum (Q_i - P_i) (r_i + s_i) / 2   +   sum (P_i + Q_i) / 2 (s_i - r_i),

a part from the class shares and a part from the costs within classes, that is from the errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.interval_ends import normal_quantile, student_limits
from stakes._kernels.permutation import permuted_sums
from stakes._kernels.score_limits import chance_of, equal_shares, score_limits
from stakes._names import listed
from stakes.application import Application
from stakes.exceptions import DataError, MergeError
from stakes.metrics.costs.expected_cost import check_names
from stakes.summaries import ConfusionMatrix, CostTally, GroupedCounts
from stakes.typing import FloatArray, IntArray
from stakes.uncertainty.differences import two_sided
from stakes.uncertainty.intervals.interval import refuse_weights


class GroupSample(NamedTuple):
    """What each group adds to shares (G, K), to mean costs (G, K) and to rates (G, K, M)."""

    shares: FloatArray
    means: FloatArray
    rates: FloatArray
    filled: NDArray[np.bool_]

    @classmethod
    def of(cls, tables: FloatArray, costs: FloatArray) -> GroupSample:
        """From the counts of each group, (G, K, M)."""
        by_class = tables.sum(axis=2)
        sizes = by_class.sum(axis=1, keepdims=True)
        totals = by_class.sum(axis=0)
        filled = totals > 0
        safe = np.where(filled, totals, 1.0)
        paid = (tables * costs).sum(axis=2)
        average = paid.sum(axis=0) / safe
        rates = tables.sum(axis=0) / safe[:, None]
        return cls(
            (by_class - totals / totals.sum() * sizes) / totals.sum(),
            (paid - average * by_class) / safe,
            (tables - rates * by_class[:, :, None]) / safe[:, None],
            filled,
        )

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.shares.shape[0])

    def variance(self, parts: FloatArray) -> float:
        """Of a sum of what each group adds, (G,)."""
        return float((parts**2).sum()) * self.n_groups / max(self.n_groups - 1, 1)

    def cost(self, shares: FloatArray, means: FloatArray, priors: FloatArray | None) -> FloatArray:
        """What each group adds to the cost per case, (G,)."""
        known = np.nan_to_num(means)
        if priors is not None:
            return np.asarray((self.means * priors).sum(axis=1))
        return np.asarray((self.shares * known + self.means * shares).sum(axis=1))


def _freedom(variances: list[float], samples: tuple[GroupSample, GroupSample]) -> float:
    """Welch and Satterthwaite's degrees of freedom, from numbers of groups."""
    bottom = sum(v**2 / max(s.n_groups - 1, 1) for v, s in zip(variances, samples, strict=True))
    return sum(variances) ** 2 / bottom if bottom > 0 else np.inf


def _wald(
    samples: tuple[GroupSample, GroupSample], parts: list[FloatArray], gap: FloatArray
) -> float:
    """Probability of so large a vector of gaps."""
    from scipy.special import fdtrc

    total = np.zeros((gap.size, gap.size))
    for sample, z in zip(samples, parts, strict=True):
        total += z.T @ z * sample.n_groups / max(sample.n_groups - 1, 1)
    rank = int(np.linalg.matrix_rank(total, hermitian=True)) if gap.size else 0
    if rank == 0:
        return 1.0
    statistic = float(gap @ np.linalg.pinv(total, hermitian=True) @ gap)
    below = sum(sample.n_groups - 1 for sample in samples)
    if below <= rank:
        return 1.0  # too few groups to tell
    scaled = statistic * (below - rank + 1) / (below * rank)
    return float(fdtrc(rank, below - rank + 1, scaled))


def _grouped_errors(
    samples: tuple[GroupSample, GroupSample], parts: tuple[FloatArray, ...]
) -> tuple[float, float]:
    """Standard errors of the part from shares and of the part from errors."""
    p, q, r, s = parts
    found = []
    # In the sample before, shares count against the first part and costs against the second.
    for ours, tilt, sign in (((r + s) / 2, (q - p) / 2, -1.0), ((s - r) / 2, (p + q) / 2, 1.0)):
        variance = 0.0
        for sample, own, bend in zip(samples, (sign, 1.0), (-sign, 1.0), strict=True):
            z = own * (sample.shares * ours).sum(axis=1) + bend * (sample.means * tilt).sum(axis=1)
            variance += sample.variance(z)
        found.append(float(np.sqrt(variance)))
    return found[0], found[1]


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """S samples of K classes: counts (S, K, M), mean and variance of costs by class (S, K).

    `costs` (K, M) is None when costs differ from case to case; `groups` says what each group of
    cases adds, when whole groups vary.
    """

    counts: FloatArray
    means: FloatArray
    spreads: FloatArray
    costs: FloatArray | None
    groups: tuple[GroupSample, ...] | None = None

    @property
    def class_totals(self) -> FloatArray:
        """Cases by class, (S, K)."""
        return np.asarray(self.counts.sum(axis=2))

    @property
    def totals(self) -> FloatArray:
        """Cases, (S,)."""
        return np.asarray(self.counts.sum(axis=(1, 2)))

    @property
    def shares(self) -> FloatArray:
        """Share of each class, (S, K)."""
        return np.asarray(self.class_totals / self.totals[:, None])

    def at(self, places: IntArray) -> Samples:
        """Some of the samples, in the order given."""
        groups = None if self.groups is None else tuple(self.groups[k] for k in places.tolist())
        return Samples(
            self.counts[places], self.means[places], self.spreads[places], self.costs, groups
        )

    def costs_at(self, priors: FloatArray | None) -> FloatArray:
        """Cost per case, (S,): at given class shares, or at those of each sample."""
        shares = self.shares if priors is None else np.broadcast_to(priors, self.means.shape)
        known = np.where(shares > 0, self.means, 0.0)
        return np.asarray((shares * known).sum(axis=1))


def samples_of(summaries: Sequence[Any], app: Application, names: Sequence[Any]) -> Samples:
    """Confusion matrices, or tallies of costs, of the same classes and decisions."""
    kinds = {type(each) for each in summaries}
    if kinds == {ConfusionMatrix}:
        for name, each in zip(names, summaries, strict=True):
            _named(lambda each=each: check_names(each, app), name)
            _named(lambda each=each: _refuse_unusable(each), name)
        counts = np.array([each.counts for each in summaries], dtype=np.float64)
        return _counted(counts, np.asarray(app.costs.values))
    if kinds == {GroupedCounts}:
        return _grouped(summaries, app, names)
    if kinds == {CostTally}:
        return _tallied(summaries, app, names)
    found = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise DataError(
        "all periods or slices must be ConfusionMatrix, or all GroupedCounts, or all CostTally; "
        f"got {found}.",
        hint="of several systems take one: joint.confusion('gbm')",
    )


def _counted(counts: FloatArray, costs: FloatArray) -> Samples:
    """Mean and variance of what each class costs, from counts and one table of costs."""
    totals = counts.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (counts * costs).sum(axis=2) / totals
        spreads = np.maximum((counts * costs**2).sum(axis=2) / totals - means**2, 0.0)
    constant = (costs == costs[:, :1]).all(axis=1)  # known without a case
    means = np.where((totals == 0) & constant, costs[:, 0], means)
    return Samples(counts, means, np.nan_to_num(spreads), costs)


def _grouped(summaries: Sequence[GroupedCounts], app: Application, names: Sequence[Any]) -> Samples:
    """The counts, and what each group of cases adds to them."""
    matrices, groups = [], []
    for name, each in zip(names, summaries, strict=True):
        if len(each.groups) > 1 or len(each.systems) > 1:
            raise DataError(f"{name!r}: grouped counts must have one side and one system.")
        matrix = each.confusion()
        _named(lambda matrix=matrix: check_names(matrix, app), name)
        cells = each.joint.cells
        tables = np.zeros((each.counts.shape[0], *matrix.counts.shape))
        tables[:, cells[:, 0], cells[:, 1]] = each.counts
        matrices.append(np.asarray(matrix.counts, dtype=np.float64))
        groups.append(GroupSample.of(tables, np.asarray(app.costs.values)))
    return replace(_counted(np.array(matrices), np.asarray(app.costs.values)), groups=tuple(groups))


def _tallied(summaries: Sequence[CostTally], app: Application, names: Sequence[Any]) -> Samples:
    """The same from sums of costs that differ from case to case."""
    first = summaries[0]
    for name, each in zip(names, summaries, strict=True):
        if (each.classes, each.decisions) != (first.classes, first.decisions):
            raise MergeError(f"{name!r} has other classes or decisions than {names[0]!r}.")
        if each.total == 0:
            raise DataError(f"there are no cases in {name!r}.")
    if first.classes != app.classes:
        raise DataError(
            f"the tallies have classes {listed(first.classes)}, the application has "
            f"{listed(app.classes)}."
        )
    counts = np.array([each.counts for each in summaries])
    totals = counts.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.array([each.sums.sum(axis=1) for each in summaries]) / totals
        squares = np.array([each.squares.sum(axis=1) for each in summaries]) / totals
    return Samples(counts, means, np.nan_to_num(np.maximum(squares - means**2, 0.0)), None)


def _refuse_unusable(matrix: ConfusionMatrix) -> None:
    """No cases, or weights in their place."""
    if matrix.total == 0:
        raise DataError("there are no cases.")
    refuse_weights(
        np.asarray(matrix.counts, dtype=np.float64),
        "confusion matrix",
        instead="count cases; costs of weighted ones: stakes.uncertainty.compare_across({'before': "
        "grouped, 'after': grouped}, app), of GroupedCounts.from_decisions(..., groups=range(n), "
        "sample_weight=...)",
    )


def _named(check: Any, name: Any) -> None:
    """Run a check; its complaint says which sample it is about."""
    try:
        check()
    except DataError as error:
        raise DataError(f"{name!r}: {error.message}", hint=error.hint) from None


class Moved(NamedTuple):
    """Change in cost, (S,), with its limits; its parts by class, (S, K), with standard errors."""

    change: FloatArray
    low: FloatArray
    high: FloatArray
    prior_parts: FloatArray
    rate_parts: FloatArray
    prior_error: FloatArray
    rate_error: FloatArray


class Chances(NamedTuple):
    """Probabilities, (S,), of so much change if nothing had changed."""

    cost: FloatArray
    priors: FloatArray
    rates: FloatArray


def chances_of(before: Samples, after: Samples, priors: FloatArray | None) -> Chances:
    """Three questions: did the cost, the class shares, the decisions within classes move?"""
    if before.groups is not None:
        return _grouped_chances(before, after, priors)
    shares = equal_shares(before.class_totals[:, None, :], after.class_totals[:, None, :])
    rates = equal_shares(before.counts, after.counts)
    return Chances(_cost_chance(before, after, priors), chance_of(*shares), chance_of(*rates))


def _group_pairs(
    before: Samples, after: Samples, priors: FloatArray | None
) -> Iterator[tuple[tuple[GroupSample, GroupSample], float, float, float]]:
    """Pairs of samples in groups: both, the change in cost, its error, its degrees of freedom."""
    changes = (after.costs_at(priors) - before.costs_at(priors)).tolist()
    pairs = zip(before.groups or (), after.groups or (), changes, strict=True)
    for k, (one, two, change) in enumerate(pairs):
        variances = [
            group.variance(group.cost(each.shares[k], each.means[k], priors))
            for group, each in ((one, before), (two, after))
        ]
        yield (one, two), change, float(np.sqrt(sum(variances))), _freedom(variances, (one, two))


def _grouped_chances(before: Samples, after: Samples, priors: FloatArray | None) -> Chances:
    """The same of samples that come in groups."""
    rates = [each.counts / np.maximum(each.class_totals, 1e-300)[:, :, None]
             for each in (before, after)]  # fmt: skip
    gaps = zip(after.shares - before.shares, rates[1] - rates[0], strict=True)
    found = []
    for pair, change, error, freedom in _group_pairs(before, after, priors):
        share_gap, rate_gap = next(gaps)
        both = pair[0].filled & pair[1].filled
        inner = [s.rates[:, both, 1:].reshape(s.n_groups, -1) for s in pair]
        shares = _wald(pair, [s.shares[:, 1:] for s in pair], share_gap[1:])
        decided = _wald(pair, inner, rate_gap[both][:, 1:].ravel())
        found.append((two_sided(change, error, freedom), shares, decided))
    return Chances(*np.array(found).T)


def _cost_chance(before: Samples, after: Samples, priors: FloatArray | None) -> FloatArray:
    """By permutation when each cell has one cost; by Welch's t otherwise."""
    if before.costs is not None:
        if priors is not None:
            return permuted_sums(
                before.counts, after.counts, (priors[:, None] * before.costs)[None]
            )
        size = before.counts.shape[0]
        first, second = (each.counts.reshape(size, 1, -1) for each in (before, after))
        return permuted_sums(first, second, before.costs.reshape(1, 1, -1))
    change = after.costs_at(priors) - before.costs_at(priors)
    error, freedom = _welch(before, after, priors)
    return np.array([two_sided(*each) for each in zip(change, error, freedom, strict=True)])


def _welch(
    before: Samples, after: Samples, priors: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Standard error of a change of means, and its degrees of freedom."""
    parts, sizes = [], []
    for each in (before, after):
        if priors is None:
            mean = each.costs_at(None)[:, None]
            own = np.where(each.class_totals > 0, each.means, 0.0)
            inside = (each.shares * (each.spreads + (own - mean) ** 2)).sum(axis=1, keepdims=True)
            n = each.totals[:, None]
            parts.append(inside / np.maximum(n - 1, 1))
        else:
            n = each.class_totals
            parts.append(priors**2 * each.spreads / np.maximum(n - 1, 1))
        sizes.append(np.maximum(n - 1, 1))
    variances, cases = np.concatenate(parts, axis=1), np.concatenate(sizes, axis=1)
    total = variances.sum(axis=1)
    bottom = (variances**2 / cases).sum(axis=1)
    freedom = np.divide(total**2, bottom, out=np.full_like(total, np.inf), where=bottom > 0)
    return np.sqrt(total), freedom


def moved(before: Samples, after: Samples, priors: FloatArray | None, level: float) -> Moved:
    """By how much the cost moved, and which part of it came from where."""
    change = after.costs_at(priors) - before.costs_at(priors)
    low, high = _limits(before, after, priors, level, change)
    p, q = before.shares, after.shares
    r, s = before.means, after.means
    r, s = np.where(np.isnan(r), s, r), np.where(np.isnan(s), r, s)  # absent: as in the other
    if priors is not None:
        weight = np.broadcast_to(priors, p.shape)
        with np.errstate(invalid="ignore"):
            rate_parts = np.where(weight > 0, weight * (s - r), 0.0)
        error, _ = _welch(before, after, priors)
        if before.groups is not None:
            error = (high - low) / (2 * normal_quantile(level))
        zeros = np.zeros_like(rate_parts)
        return Moved(change, low, high, zeros, rate_parts, np.zeros_like(change), error)
    r, s = np.nan_to_num(r), np.nan_to_num(s)
    errors = _part_errors(before, after, (p, q, r, s))
    if before.groups is not None and after.groups is not None:
        pairs = zip(before.groups, after.groups, p, q, r, s, strict=True)
        each = [_grouped_errors((one, two), tuple(parts)) for one, two, *parts in pairs]
        errors = tuple(np.array(each).T)
    prior_parts = (q - p) * (r + s) / 2
    return Moved(change, low, high, prior_parts, (p + q) / 2 * (s - r), *errors)


def _limits(
    before: Samples, after: Samples, priors: FloatArray | None, level: float, change: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """By the score test where each cell has one cost, by Welch's t otherwise."""
    if before.groups is not None:
        found = _group_pairs(before, after, priors)
        low, high = np.array([student_limits(c, e, level, df) for _, c, e, df in found]).T
        return low, high
    if before.costs is None:
        from scipy.special import stdtrit

        error, freedom = _welch(before, after, priors)
        reach = stdtrit(np.minimum(freedom, 1e9), (1 + level) / 2) * error
        return change - reach, change + reach
    size = before.counts.shape[0]
    if priors is None:
        counts = np.stack([each.counts.reshape(size, -1) for each in (before, after)], axis=1)
        weights = np.stack([-before.costs.ravel(), before.costs.ravel()])
        return score_limits(counts, weights[None], normal_quantile(level))
    costs = priors[:, None] * before.costs
    costs = np.where(np.ptp(costs, axis=1, keepdims=True) == 0, 0.0, costs)  # the same in both
    counts = np.concatenate([before.counts, after.counts], axis=1)
    return score_limits(counts, np.concatenate([-costs, costs])[None], normal_quantile(level))


def _part_errors(
    before: Samples, after: Samples, parts: tuple[FloatArray, ...]
) -> tuple[FloatArray, FloatArray]:
    """Standard errors of the two parts, by the delta method on class means and shares."""
    p, q, r, s = parts
    found = []
    for ours, tilt in (((r + s) / 2, (q - p) / 2), ((s - r) / 2, (p + q) / 2)):
        variance = np.zeros(p.shape[0])
        for each, shares in ((before, p), (after, q)):
            slope = np.divide(tilt, shares, out=np.zeros_like(tilt), where=shares > 0)
            mean = (shares * ours).sum(axis=1)
            square = (shares * (ours**2 + slope**2 * each.spreads)).sum(axis=1)
            variance += np.maximum(square - mean**2, 0.0) / each.totals
        found.append(np.sqrt(variance))
    return found[0], found[1]
