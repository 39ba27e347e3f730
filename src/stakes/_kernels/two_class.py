"""Metrics of a two-class table, cell by cell: arrays of tn, fp, fn, tp in, an array out.

A zero denominator gives `nan`, never 0 and never infinity.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "cells",
    "class_balance_accuracy",
    "diagnostic_odds_ratio",
    "f_beta",
    "fowlkes_mallows",
    "geometric_mean",
    "imbalance_accuracy",
    "informedness",
    "jaccard",
    "markedness",
    "matthews",
    "negative_likelihood_ratio",
    "negative_predictive_value",
    "net_benefit",
    "p4",
    "positive_likelihood_ratio",
    "precision",
    "precision_recall_mean",
    "ratio",
    "recall",
    "specificity",
]

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


def class_balance_accuracy(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.class_balance_accuracy`."""
    larger = np.maximum(fp, fn)
    return (ratio(tp, tp + larger) + ratio(tn, tn + larger)) / 2


def imbalance_accuracy(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.imbalance_accuracy`."""
    larger = np.maximum(fp, fn)
    return (ratio(tp - larger, tp + larger) + ratio(tn - larger, tn + larger)) / 2


def precision_recall_mean(tn: Array, fp: Array, fn: Array, tp: Array) -> Array:
    """See `stakes.metrics.precision_recall_mean`."""
    return (ratio(tp, tp + fn) + ratio(tp, tp + fp)) / 2
