"""Metrics of two-class tables: arrays of tn, fp, fn, tp in, an array of numbers out."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]


def cells(counts: NDArray[Any], positive: int = 1) -> tuple[Array, Array, Array, Array]:
    """True negatives, false positives, false negatives and true positives of (..., 2, 2) counts."""
    n, p = 1 - positive, positive
    table = np.asarray(counts, dtype=np.float64)
    return table[..., n, n], table[..., n, p], table[..., p, n], table[..., p, p]


def ratio(numerator: Any, denominator: Any) -> Array:
    """The quotient; `nan` where the denominator is zero."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    quotient: Array = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
    return quotient


def recall(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.recall`."""
    return ratio(tp, tp + fn)


def specificity(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.specificity`."""
    return ratio(tn, tn + fp)


def precision(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.precision`."""
    return ratio(tp, tp + fp)


def negative_predictive_value(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.negative_predictive_value`."""
    return ratio(tn, tn + fn)


def informedness(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.informedness`."""
    return ratio(tp, tp + fn) - ratio(fp, fp + tn)


def markedness(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.markedness`."""
    return ratio(tp, tp + fp) - ratio(fn, fn + tn)


def positive_likelihood_ratio(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.positive_likelihood_ratio`."""
    return ratio(ratio(tp, tp + fn), ratio(fp, fp + tn))


def negative_likelihood_ratio(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.negative_likelihood_ratio`."""
    return ratio(ratio(fn, tp + fn), ratio(tn, fp + tn))


def diagnostic_odds_ratio(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.diagnostic_odds_ratio`."""
    return ratio(tp * tn, fp * fn)


def net_benefit(tn: Array, fp: Array, fn: Array, tp: Array, *, threshold: float) -> Array:
    """See `stakes.metrics.net_benefit`."""
    return ratio(tp - threshold / (1 - threshold) * fp, tn + fp + fn + tp)


def f_beta(tn: Array, fp: Array, fn: Array, tp: Array, *, beta: float = 1.0) -> Array:
    """See `stakes.metrics.f_beta`."""
    weight = beta * beta
    return ratio((1 + weight) * tp, (1 + weight) * tp + weight * fn + fp)


def jaccard(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.jaccard`."""
    return ratio(tp, tp + fp + fn)


def fowlkes_mallows(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.fowlkes_mallows`."""
    return np.sqrt(ratio(tp, tp + fp) * ratio(tp, tp + fn))


def p4(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.p4`."""
    return ratio(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn))


def matthews(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.mcc`."""
    classes = np.sqrt(tn + fp) * np.sqrt(tp + fn)
    decisions = np.sqrt(tn + fn) * np.sqrt(tp + fp)
    return ratio(tp * tn - fp * fn, classes * decisions)


def geometric_mean(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.geometric_mean`."""
    return np.sqrt(ratio(tp, tp + fn) * ratio(tn, tn + fp))


def imbalance_accuracy(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.imbalance_accuracy`."""
    larger = np.maximum(fp, fn)
    return (ratio(tp - larger, tp + larger) + ratio(tn - larger, tn + larger)) / 2


def precision_recall_mean(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.precision_recall_mean`."""
    return (ratio(tp, tp + fn) + ratio(tp, tp + fp)) / 2


def weighted_accuracy(tn: Array, fp: Array, fn: Array, tp: Array, *, weight: float) -> Array:
    """See `stakes.metrics.weighted_accuracy`."""
    return ratio(weight * tp + (1 - weight) * tn, weight * (tp + fn) + (1 - weight) * (tn + fp))


def share_of_worst_cost(
    tn: Array, fp: Array, fn: Array, tp: Array, *, fp_cost: float, fn_cost: float
) -> Array:
    """Cost of the errors over the cost of doing everything wrong."""
    return ratio(fn_cost * fn + fp_cost * fp, fn_cost * (tp + fn) + fp_cost * (tn + fp))


def c_score(tn: Array, fp: Array, fn: Array, tp: Array, *, fp_cost: float, fn_cost: float) -> Array:
    """See `stakes.metrics.c_score`."""
    return ratio(fn_cost * fn + fp_cost * fp, fp_cost * (tp + fn))


def weighted_class_accuracy(
    tn: Array, fp: Array, fn: Array, tp: Array, *, fp_cost: float, fn_cost: float
) -> Array:
    """See `stakes.metrics.weighted_class_accuracy`."""
    weight = fn_cost / (fn_cost + fp_cost)
    return weight * ratio(tp, tp + fn) + (1 - weight) * ratio(tn, tn + fp)


def weighted_relative_accuracy(
    tn: Array, fp: Array, fn: Array, tp: Array, *, fp_cost: float, fn_cost: float
) -> Array:
    """See `stakes.metrics.weighted_relative_accuracy`."""
    skew = ratio((tn + fp) * fp_cost, (tp + fn) * fn_cost)
    return 4 * skew / (1 + skew) ** 2 * informedness(tn, fp, fn, tp)


def accuracy_cost_distance(
    tn: Array, fp: Array, fn: Array, tp: Array, *, fp_cost: float, fn_cost: float
) -> Array:
    """See `stakes.metrics.accuracy_cost_distance`."""
    wrong = ratio(fp + fn, tn + fp + fn + tp)
    paid = share_of_worst_cost(tn, fp, fn, tp, fp_cost=fp_cost, fn_cost=fn_cost)
    return np.asarray(np.hypot(wrong, paid))


def mean_reciprocal(alpha: float, beta: float, x: float) -> float:
    """E[1 / (1 - x W)] for W ~ Beta(alpha, beta) and x < 1.

    This is Gauss's hypergeometric function 2F1(1, alpha; alpha + beta; x), taken from his
    continued fraction for a quotient of contiguous functions (Cuyt et al., *Handbook of
    Continued Fractions for Special Functions*, 2008, section 15.3), evaluated from the far
    end with the limit of its tails. It converges for every x < 1 at the rate
    ((1 - s) / (1 + s))^k with s = sqrt(1 - x).
    """
    if x < 0:  # 1 - x W = (1 - x) (1 - x' (1 - W)), with x' in (0, 1)
        return mean_reciprocal(beta, alpha, x / (x - 1)) / (1 - x)
    root = math.sqrt(1 - x)
    tail = (1 + root) / 2
    for k in range(min(100 + math.ceil(20 / root), 1_000_000), 0, -1):
        tail = 1 + x * _coefficient(k, alpha, beta, alpha + beta - 1) / tail
    return 1 / tail


def _coefficient(k: int, alpha: float, beta: float, shifted: float) -> float:
    """The k-th partial numerator of the fraction, without x."""
    if k == 1:
        return -alpha / (alpha + beta)
    n = k // 2
    if k % 2:
        return -(alpha + n) * (shifted + n) / ((shifted + 2 * n) * (shifted + 2 * n + 1))
    return -n * (beta - 1 + n) / ((shifted + 2 * n - 1) * (shifted + 2 * n))
