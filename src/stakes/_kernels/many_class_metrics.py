"""Metrics of square tables of any size: arrays of (..., K, K) counts in, an array out.

Rows are true classes. A zero denominator gives `nan`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes._kernels import two_class_metrics as two_class
from stakes._kernels.two_class_metrics import ratio

Array: TypeAlias = NDArray[np.float64]


def _margins(counts: NDArray[Any]) -> tuple[Array, Array, Array, Array]:
    """Diagonal, class totals, decision totals and the total."""
    table = np.asarray(counts, dtype=np.float64)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    return right, table.sum(axis=-1), table.sum(axis=-2), table.sum(axis=(-2, -1))


def class_recall(counts: NDArray[Any]) -> Array:
    """Recall of each class, (..., K)."""
    right, classes, _, _ = _margins(counts)
    return ratio(right, classes)


def class_precision(counts: NDArray[Any]) -> Array:
    """Precision of each class, (..., K)."""
    right, _, decisions, _ = _margins(counts)
    return ratio(right, decisions)


def class_f_beta(counts: NDArray[Any], *, beta: float = 1.0) -> Array:
    """F-beta of each class against the rest, (..., K)."""
    right, classes, decisions, _ = _margins(counts)
    return ratio((1 + beta * beta) * right, beta * beta * classes + decisions)


def mean_f_beta(counts: NDArray[Any], *, beta: float = 1.0) -> Array:
    """F-beta of the macro averages of precision and recall."""
    precision = class_precision(counts).mean(axis=-1)
    recall = class_recall(counts).mean(axis=-1)
    return ratio((1 + beta * beta) * precision * recall, beta * beta * precision + recall)


def pooled_f_beta(counts: NDArray[Any]) -> Array:
    """F-beta of the pooled one-against-rest counts, which is the same for every beta."""
    right, _, _, total = _margins(counts)
    return ratio(right.sum(axis=-1), total)


def geometric_mean(counts: NDArray[Any]) -> Array:
    """Geometric mean of the recalls."""
    if counts.shape[-2:] == (2, 2):
        return two_class.geometric_mean(*two_class.cells(counts))
    recalls = class_recall(counts)
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.log(recalls).mean(axis=-1)))


def matthews(counts: NDArray[Any]) -> Array:
    """Correlation between the one-hot codes of class and decision."""
    if counts.shape[-2:] == (2, 2):
        return two_class.matthews(*two_class.cells(counts))
    right, classes, decisions, total = _margins(counts)
    top = right.sum(axis=-1) * total - (classes * decisions).sum(axis=-1)
    spread = total**2 - (decisions**2).sum(axis=-1), total**2 - (classes**2).sum(axis=-1)
    return ratio(top, np.sqrt(np.maximum(spread[0], 0)) * np.sqrt(np.maximum(spread[1], 0)))


def weighted_kappa(counts: NDArray[Any], *, weights: Array) -> Array:
    """One minus observed over chance disagreement, each weighted cell by cell."""
    _, classes, decisions, total = _margins(counts)
    observed = (weights * counts).sum(axis=(-2, -1)) * total
    chance = np.einsum("...i,ij,...j->...", classes, weights, decisions)
    return 1 - ratio(observed, chance)


def class_balance_accuracy(counts: NDArray[Any]) -> Array:
    """Mean over classes of the diagonal over the larger of its two margins."""
    right, classes, decisions, _ = _margins(counts)
    return np.asarray(ratio(right, np.maximum(classes, decisions)).mean(axis=-1))
