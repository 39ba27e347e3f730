"""Two-class metrics that take the costs of the errors: arrays of tn, fp, fn, tp in, an array out.

`fp_cost` and `fn_cost` are what each error costs above the right decision.
"""

from __future__ import annotations

import numpy as np

from stakes._kernels.two_class import Array, informedness, ratio

__all__ = [
    "accuracy_cost_distance",
    "c_score",
    "share_of_worst_cost",
    "weighted_accuracy",
    "weighted_class_accuracy",
    "weighted_relative_accuracy",
]


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
