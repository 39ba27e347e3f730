"""What moved between two samples: tests, and the parts of a change in cost.

Cost per case is the sum over classes of share x mean cost, P_i r_i. Its change is exactly

    sum (Q_i - P_i) (r_i + s_i) / 2   +   sum (P_i + Q_i) / 2 (s_i - r_i),

a part from the class shares and a part from the costs within classes, that is from the errors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stakes._kernels.limits.interval_ends import normal_quantile
from stakes._kernels.limits.score_limits import chance_of, equal_shares, score_limits
from stakes._kernels.resample.permutation import permuted_sums
from stakes.monitoring.samples import Samples, grouped_chances, grouped_errors, grouped_limits
from stakes.typing import FloatArray
from stakes.uncertainty.comparisons.differences import two_sided


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
    if before.groups is not None and after.groups is not None:
        found = [_grouped_chance(before, after, k, priors) for k in range(len(before.groups))]
        cost, share, rate = (np.array(each) for each in zip(*found, strict=True))
        return Chances(cost, share, rate)
    shares = equal_shares(before.class_totals[:, None, :], after.class_totals[:, None, :])
    rates = equal_shares(before.counts, after.counts)
    return Chances(_cost_chance(before, after, priors), chance_of(*shares), chance_of(*rates))


def _cost_parts(samples: Samples, k: int, priors: FloatArray | None) -> FloatArray:
    """What each group adds to the cost of a sample."""
    assert samples.groups is not None
    return samples.groups[k].cost(samples.shares[k], samples.means[k], priors)


def _grouped_chance(
    before: Samples, after: Samples, k: int, priors: FloatArray | None
) -> tuple[float, float, float]:
    """The three chances of one pair of samples that come in groups."""
    assert before.groups is not None
    assert after.groups is not None
    change = float(after.costs_at(priors)[k] - before.costs_at(priors)[k])
    rates = [
        each.counts[k] / np.maximum(each.class_totals[k], 1e-300)[:, None]
        for each in (before, after)
    ]
    return grouped_chances(
        (before.groups[k], after.groups[k]),
        change,
        (_cost_parts(before, k, priors), _cost_parts(after, k, priors)),
        (after.shares[k] - before.shares[k], rates[1] - rates[0]),
    )


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
        each = [grouped_errors((one, two), tuple(parts)) for one, two, *parts in pairs]
        errors = np.array([e[0] for e in each]), np.array([e[1] for e in each])
    prior_parts = (q - p) * (r + s) / 2
    return Moved(change, low, high, prior_parts, (p + q) / 2 * (s - r), *errors)


def _limits(
    before: Samples, after: Samples, priors: FloatArray | None, level: float, change: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """By the score test where each cell has one cost, by Welch's t otherwise."""
    if before.groups is not None and after.groups is not None:
        ends = [
            grouped_limits(
                (before.groups[k], after.groups[k]),
                float(change[k]),
                (_cost_parts(before, k, priors), _cost_parts(after, k, priors)),
                level,
            )
            for k in range(len(before.groups))
        ]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])
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
