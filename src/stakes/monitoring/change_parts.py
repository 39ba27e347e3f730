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
from stakes._kernels.score_test_limits import chance_of, equal_shares, score_limits
from stakes._names import listed
from stakes.application import Application
from stakes.exceptions import DataError, MergeError
from stakes.messages.audience import either
from stakes.metrics.costs.expected_cost import check_names
from stakes.summaries import ConfusionMatrix, CostTally, GroupedCounts
from stakes.typing import FloatArray
from stakes.uncertainty.differences import two_sided
from stakes.uncertainty.intervals.interval import refuse_weights

#: Class shares at which costs are evaluated, if any; and a pair of arrays.
Priors = FloatArray | None
Ends = tuple[FloatArray, FloatArray]


class GroupSample(NamedTuple):
    """What each group adds to shares (G, K), mean costs (G, K) and rates (G, K, M)."""

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
        rates = tables.sum(axis=0) / safe[:, None]
        return cls(
            (by_class - totals / totals.sum() * sizes) / totals.sum(),
            (paid - paid.sum(axis=0) / safe * by_class) / safe,
            (tables - rates * by_class[:, :, None]) / safe[:, None],
            filled,
        )

    @property
    def freedom(self) -> int:
        """Number of groups minus one; at least one."""
        return max(len(self.shares) - 1, 1)

    def covariance(self, parts: FloatArray) -> FloatArray:
        """Covariance of sums over groups, from what each group adds, (G,) or (G, n)."""
        return np.asarray(parts.T @ parts * len(self.shares) / self.freedom)

    def cost(self, shares: FloatArray, means: FloatArray, priors: Priors) -> FloatArray:
        """What each group adds to the cost per case, (G,)."""
        if priors is not None:
            return np.asarray(self.means @ priors)
        return np.asarray(self.shares @ np.nan_to_num(means) + self.means @ shares)


Pair = tuple[GroupSample, GroupSample]


def _wald(samples: Pair, parts: list[FloatArray], gap: FloatArray) -> float:
    """p-value of a vector of gaps this large."""
    from scipy.special import fdtrc

    total = sum(sample.covariance(z) for sample, z in zip(samples, parts, strict=True))
    rank = int(np.linalg.matrix_rank(total, hermitian=True)) if gap.size else 0
    left = sum(len(sample.shares) - 1 for sample in samples) - rank
    if rank == 0 or left <= 0:
        return 1.0  # nothing differs, or there are too few groups to tell
    statistic = float(gap @ np.linalg.pinv(total, hermitian=True) @ gap)
    return float(fdtrc(rank, left + 1, statistic * (left + 1) / ((left + rank) * rank)))


def _grouped_errors(samples: Pair, p: Any, q: Any, r: Any, s: Any) -> list[float]:
    """Standard errors of the parts from shares and from errors."""
    found = []
    # In the sample before, shares count against the first part and costs against the second.
    for ours, tilt, sign in (((r + s) / 2, (q - p) / 2, -1.0), ((s - r) / 2, (p + q) / 2, 1.0)):
        variance = 0.0
        for sample, own, bend in zip(samples, (sign, 1.0), (-sign, 1.0), strict=True):
            added = own * (sample.shares @ ours) + bend * (sample.means @ tilt)
            variance += float(sample.covariance(added))
        found.append(float(np.sqrt(variance)))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """S samples of K classes: counts (S, K, M), mean and variance of costs by class (S, K).

    `costs` (K, M) is None if costs differ from case to case. `groups` holds what each group adds,
    if whole groups vary.
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

    def at(self, *places: int) -> Samples:
        """Some of the samples, in the order given."""
        kept = list(places)
        groups = None if self.groups is None else tuple(self.groups[k] for k in kept)
        return Samples(self.counts[kept], self.means[kept], self.spreads[kept], self.costs, groups)

    def costs_at(self, priors: Priors) -> FloatArray:
        """Cost per case, (S,), at the given class shares or at those of each sample."""
        shares = self.shares if priors is None else np.broadcast_to(priors, self.means.shape)
        return np.asarray((shares * np.where(shares > 0, self.means, 0.0)).sum(axis=1))

    def strata(self, priors: Priors) -> Ends:
        """Counts, (S, strata, cells), and the weighted cost of each cell, (1, strata, cells).

        With given class shares, each class is a stratum.
        """
        assert self.costs is not None
        if priors is not None:
            return self.counts, (priors[:, None] * self.costs)[None]
        return self.counts.reshape(len(self.counts), 1, -1), self.costs.reshape(1, 1, -1)


def samples_of(summaries: Sequence[Any], app: Application, names: Sequence[Any]) -> Samples:
    """Samples from confusion matrices, grouped counts or cost tallies of the same names."""
    kinds = {type(each) for each in summaries}
    if len(kinds) > 1 or not kinds <= {ConfusionMatrix, GroupedCounts, CostTally}:
        found = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise DataError(
            "all periods or slices must be summaries of the same kind, ConfusionMatrix, "
            f"GroupedCounts or CostTally; got {found}.",
            hint="stakes.ConfusionMatrix.from_decisions(y_true, decisions) for each; of several "
            "systems take one: joint.confusion('gbm')",
        )
    for name, each in zip(names, summaries, strict=True):
        try:
            _refuse_unusable(each, summaries[0], app)
        except DataError as error:
            raise type(error)(f"{name!r}: {error.message}", hint=error.hint) from None
    if kinds == {CostTally}:
        counts = np.array([each.counts for each in summaries])
        sums = np.array([(each.sums.sum(axis=1), each.squares.sum(axis=1)) for each in summaries])
        samples = _sampled(counts, sums[:, 0], sums[:, 1], None)
    else:
        costs = np.asarray(app.costs.values)
        tables = [each.confusion() if kinds == {GroupedCounts} else each for each in summaries]
        counts = np.array([table.counts for table in tables], dtype=np.float64)
        once, squared = ((counts * costs**power).sum(axis=2) for power in (1, 2))
        samples = _sampled(counts, once, squared, costs)
        if kinds == {GroupedCounts}:
            groups = (GroupSample.of(tables_of(each), costs) for each in summaries)
            samples = replace(samples, groups=tuple(groups))
    unknown = np.isnan(samples.means) & (app.priors is not None and np.asarray(app.priors) > 0)
    if unknown.any():
        k, place = (int(k) for k in np.argwhere(unknown)[0])
        raise DataError(
            f"{names[k]!r} has no case of {app.classes[place]!r}, so its cost at the given priors "
            "is unknown.",
            hint=either(
                "judge at the shares of the data: application.with_priors(None)",
                "take longer periods, or leave --prevalence out",
            ),
        )
    return samples


def _sampled(
    counts: FloatArray, sums: FloatArray, squares: FloatArray, costs: FloatArray | None
) -> Samples:
    """Mean and variance of each class's costs, from sums of costs and of their squares."""
    totals = counts.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / totals
        spreads = np.nan_to_num(np.maximum(squares / totals - means**2, 0.0))
    if costs is not None:  # if all decisions cost the same, no case is needed
        constant = (costs == costs[:, :1]).all(axis=1)
        means = np.where((totals == 0) & constant, costs[:, 0], means)
    return Samples(counts, means, spreads, costs)


def tables_of(grouped: GroupedCounts) -> NDArray[Any]:
    """Cases by truth and decision of each group, (G, K, M); one side and one system."""
    joint, cells = grouped.joint, grouped.joint.cells
    shape = (len(grouped.counts), len(joint.classes), len(joint.decisions))
    tables = np.zeros(shape, dtype=grouped.counts.dtype)
    tables[:, cells[:, 0], cells[:, 1]] = grouped.counts
    return tables


def _refuse_unusable(summary: Any, first: Any, app: Application) -> None:
    """Raise for other classes or decisions, for no cases, and for weights instead of cases."""
    if isinstance(summary, CostTally):
        if (summary.classes, summary.decisions) != (first.classes, first.decisions):
            raise MergeError("it has other classes or decisions than the first.")
        if summary.classes != app.classes:
            raise DataError(
                f"the tally has classes {listed(summary.classes)}, the application has "
                f"{listed(app.classes)}."
            )
    elif isinstance(summary, GroupedCounts):
        if len(summary.groups) > 1 or len(summary.systems) > 1:
            raise DataError("grouped counts must have one side and one system.")
        check_names(summary.confusion(), app)
        return
    else:
        check_names(summary, app)
        refuse_weights(
            np.asarray(summary.counts, dtype=np.float64),
            "confusion matrix",
            instead=either(
                "count cases; costs of weighted ones: stakes.uncertainty.compare_across("
                "{'before': grouped, 'after': grouped}, app), of GroupedCounts.from_decisions(..., "
                "groups=range(n), sample_weight=...)",
                "count cases for monitoring:  stakes eval ... --save FILE,  without --weight",
            ),
        )
    if summary.total == 0:
        raise DataError("there are no cases.")


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
    """p-values, (S,), of a change this large if nothing had changed."""

    cost: FloatArray
    priors: FloatArray
    rates: FloatArray


# A change is tested as if nothing had changed: docs/design/monitoring.md.
def chances_of(before: Samples, after: Samples, priors: Priors) -> Chances:
    """p-values for three questions: did the cost, the class shares, or the rates move?"""
    if before.groups is not None:
        return _grouped_chances(before, after, priors)
    shares = equal_shares(before.class_totals[:, None, :], after.class_totals[:, None, :])
    rates = equal_shares(before.counts, after.counts)
    return Chances(_cost_chance(before, after, priors), chance_of(*shares), chance_of(*rates))


def _group_pairs(
    before: Samples, after: Samples, priors: Priors
) -> Iterator[tuple[Pair, float, float, float]]:
    """Pairs of grouped samples: the pair, the change in cost, its error and degrees of freedom.

    Degrees of freedom are Welch and Satterthwaite's, from numbers of groups.
    """
    changes = (after.costs_at(priors) - before.costs_at(priors)).tolist()
    pairs = zip(before.groups or (), after.groups or (), changes, strict=True)
    for k, (one, two, change) in enumerate(pairs):
        found = [
            (float(group.covariance(group.cost(each.shares[k], each.means[k], priors))), group)
            for group, each in ((one, before), (two, after))
        ]
        total, bottom = sum(v for v, _ in found), sum(v**2 / g.freedom for v, g in found)
        freedom = total**2 / bottom if bottom > 0 else np.inf
        yield (one, two), change, float(np.sqrt(total)), freedom


def _grouped_chances(before: Samples, after: Samples, priors: Priors) -> Chances:
    """The same for samples with groups."""
    rates = [each.counts / np.maximum(each.class_totals, 1e-300)[:, :, None]
             for each in (before, after)]  # fmt: skip
    gaps = zip(after.shares - before.shares, rates[1] - rates[0], strict=True)
    found = []
    for pair, change, error, freedom in _group_pairs(before, after, priors):
        share_gap, rate_gap = next(gaps)
        both = pair[0].filled & pair[1].filled
        inner = [s.rates[:, both, 1:].reshape(len(s.rates), -1) for s in pair]
        shares = _wald(pair, [s.shares[:, 1:] for s in pair], share_gap[1:])
        decided = _wald(pair, inner, rate_gap[both][:, 1:].ravel())
        found.append((two_sided(change, error, freedom), shares, decided))
    return Chances(*np.array(found).T)


def _cost_chance(before: Samples, after: Samples, priors: Priors) -> FloatArray:
    """By permutation if each cell has one cost; otherwise by Welch's t."""
    if before.costs is not None:
        counts, costs = before.strata(priors)
        return permuted_sums(counts, after.strata(priors)[0], costs)
    change = after.costs_at(priors) - before.costs_at(priors)
    error, freedom = _welch(before, after, priors)
    return np.array([two_sided(*each) for each in zip(change, error, freedom, strict=True)])


def _welch(before: Samples, after: Samples, priors: Priors) -> Ends:
    """Standard error of a change of means, and its degrees of freedom."""
    parts, sizes = [], []
    for each in (before, after):
        inside, n = each.spreads if priors is None else priors**2 * each.spreads, each.class_totals
        if priors is None:
            own = np.where(n > 0, each.means, 0.0) - each.costs_at(None)[:, None]
            inside = (each.shares * (inside + own**2)).sum(axis=1, keepdims=True)
            n = each.totals[:, None]
        sizes.append(np.maximum(n - 1, 1))
        parts.append(inside / sizes[-1])
    variances, cases = np.concatenate(parts, axis=1), np.concatenate(sizes, axis=1)
    total = variances.sum(axis=1)
    bottom = (variances**2 / cases).sum(axis=1)
    freedom = np.divide(total**2, bottom, out=np.full_like(total, np.inf), where=bottom > 0)
    return np.sqrt(total), freedom


def moved(before: Samples, after: Samples, priors: Priors, level: float) -> Moved:
    """How much the cost moved, and which parts came from shares and from errors."""
    change = after.costs_at(priors) - before.costs_at(priors)
    low, high = _limits(before, after, priors, level, change)
    p, q = before.shares, after.shares
    r, s = before.means, after.means
    r, s = np.where(np.isnan(r), s, r), np.where(np.isnan(s), r, s)  # absent: as in the other
    r, s = np.nan_to_num(r), np.nan_to_num(s)
    if priors is not None:
        error, _ = _welch(before, after, priors)
        if before.groups is not None:
            error = (high - low) / (2 * normal_quantile(level))
        nothing = np.zeros_like(p), np.zeros_like(change)
        return Moved(change, low, high, nothing[0], priors * (s - r), nothing[1], error)
    if before.groups is None or after.groups is None:
        errors = _part_errors(before, after, (p, q, r, s))
    else:
        pairs = zip(zip(before.groups, after.groups, strict=True), p, q, r, s, strict=True)
        errors = tuple(np.array([_grouped_errors(*each) for each in pairs]).T)
    return Moved(change, low, high, (q - p) * (r + s) / 2, (p + q) / 2 * (s - r), *errors)


def _limits(
    before: Samples, after: Samples, priors: Priors, level: float, change: FloatArray
) -> Ends:
    """By the score test if each cell has one cost; otherwise by Welch's t."""
    if before.groups is not None:
        found = _group_pairs(before, after, priors)
        low, high = np.array([student_limits(c, e, level, df) for _, c, e, df in found]).T
        return low, high
    if before.costs is None:
        from scipy.special import stdtrit

        error, freedom = _welch(before, after, priors)
        reach = stdtrit(np.minimum(freedom, 1e9), (1 + level) / 2) * error
        return change - reach, change + reach
    (first, costs), (second, _) = before.strata(priors), after.strata(priors)
    costs = np.where(np.ptp(costs, axis=2, keepdims=True) == 0, 0.0, costs)  # same in both
    counts = np.concatenate([first, second], axis=1)
    return score_limits(counts, np.concatenate([-costs, costs], axis=1), normal_quantile(level))


def _part_errors(before: Samples, after: Samples, parts: tuple[FloatArray, ...]) -> Ends:
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
