"""How far decisions agree with the classes, however many: accuracy, MCC, kappa and their kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stakes._columns import as_reals
from stakes._kernels import many_class_metrics as many_class
from stakes._kernels import two_class_metrics as kernels
from stakes.application import Application, CostMatrix
from stakes.exceptions import CostError
from stakes.metrics.costs.expected_cost import expected_cost
from stakes.metrics.counts.table_cells import (
    of_square,
    of_two_classes,
    square_table,
)
from stakes.metrics.summary_input import of_decisions
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name


@of_decisions
def mcc(matrix: Any) -> float:
    r"""Matthews correlation coefficient, for two classes or more; higher is better.

    For two classes it is 1 minus the normalised balanced error rate, times a factor that
    grows as the decisions become lopsided; so at equal cost it prefers lopsided systems.

    .. math:: \sqrt{\frac{P_2 (1 - P_2)}{R_{*2} (1 - R_{*2})}} (1 - R_{12} - R_{21})

    Returns
    -------
    float
        Between -1 and 1, 0 for systems that ignore the input; `nan` when all cases are of
        one class or all decisions the same.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 17-18.
    .. [2] J. Gorodkin, "Comparing two K-category assignments by a K-category correlation
       coefficient", 2004.

    Examples
    --------
    >>> round(mcc([[90, 5], [1, 4]]), 4)
    0.5692
    >>> mcc([[10, 0, 0], [0, 10, 0], [0, 0, 10]])
    1.0
    """
    return of_square(many_class.matthews, matrix, "mcc")


@of_decisions
def kappa(matrix: Any, *, weights: Any = None) -> float:
    r"""Cohen's kappa: agreement beyond what the margins alone would give; higher is better.

    .. math:: 1 - \frac{\sum_{ij} w_{ij} n_{ij}}{\sum_{ij} w_{ij} n_{i*} n_{*j} / n}

    Parameters
    ----------
    matrix
        See :ref:`common-parameters`.
    weights : "linear", "quadratic" or array-like of shape (K, K), optional
        How much each disagreement counts, 0 on the diagonal: like a cost matrix. By default
        1 off the diagonal; the two words take the distance of the positions, and its square.

    Returns
    -------
    float
        Between -1 and 1, 0 for systems that ignore the input; `nan` when chance alone would
        never disagree. A matrix of weights of your own may take it below -1.

    References
    ----------
    .. [1] J. Cohen, "Weighted kappa", Psychological Bulletin 70, 1968.
    .. [2] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> round(kappa([[90, 5], [1, 4]]), 4)
    0.542
    >>> round(kappa([[8, 2, 0], [1, 7, 2], [0, 3, 7]], weights="quadratic"), 4)
    0.7895
    """
    return of_square(kappas, matrix, "kappa", weights=weights)


@of_decisions
def geometric_mean(matrix: Any) -> float:
    r"""Geometric mean of the recalls of all classes, G-mean; higher is better.

    .. math:: \left( \prod_i n_{ii} / n_{i*} \right)^{1/K}

    Returns
    -------
    float
        Between 0 and 1, 0 as soon as one class is never found; `nan` when a class has no
        case.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> round(geometric_mean([[90, 10], [1, 4]]), 4)
    0.8485
    """
    return of_square(many_class.geometric_mean, matrix, "geometric_mean")


@of_decisions
def class_balance_accuracy(matrix: Any) -> float:
    r"""CBA: mean over classes of the smaller of precision and recall; higher is better.

    .. math:: \frac{1}{K} \sum_i \frac{n_{ii}}{\max(n_{i*}, n_{*i})}

    Returns
    -------
    float
        Between 0 and 1; `nan` when a class has neither cases nor decisions.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> class_balance_accuracy([[8, 2], [0, 6]])
    0.775
    """
    return of_square(many_class.class_balance_accuracy, matrix, "class_balance_accuracy")


def kappas(counts: FloatArray, weights: Any = None) -> FloatArray:
    """The kappa of each of many tables."""
    return many_class.weighted_kappa(counts, weights=_disagreements(weights, counts.shape[-1]))


def _disagreements(weights: Any, size: int) -> FloatArray:
    """The (K, K) weights of `kappa` from a word, a matrix, or nothing."""
    place = np.arange(size, dtype=np.float64)
    distance = np.abs(place[:, None] - place)
    if weights is None:
        return np.sign(distance)
    if isinstance(weights, str):
        if weights not in ("linear", "quadratic"):
            raise CostError(
                f"`weights` must be 'linear', 'quadratic' or a matrix; got {weights!r}."
            )
        return distance if weights == "linear" else distance**2
    given = weights.values if isinstance(weights, CostMatrix) else weights
    table = as_reals(given, "weights", CostError)
    if table.shape != (size, size) or not np.isfinite(table).all() or np.diag(table).any():
        raise CostError(
            f"`weights` must be a finite {size} x {size} matrix with 0 on the diagonal; "
            f"got shape {table.shape}."
        )
    return table


@of_decisions
def error_rate(matrix: ConfusionMatrix) -> float:
    """Share of wrong decisions: the expected cost with 0-1 costs; lower is better.

    Returns `nan` when there are no cases.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 5.

    Examples
    --------
    >>> round(error_rate(ConfusionMatrix([[300, 30], [20, 15]])), 3)
    0.137
    """
    table = square_table(matrix, "error_rate")
    return _share_of_wrong(table, None) if table.total else math.nan


@of_decisions
def accuracy(matrix: ConfusionMatrix) -> float:
    """Share of right decisions, one minus the error rate; higher is better.

    Examples
    --------
    >>> round(accuracy(ConfusionMatrix([[300, 30], [20, 15]])), 3)
    0.863
    """
    return 1.0 - error_rate(matrix)


@of_decisions
def balanced_error_rate(matrix: ConfusionMatrix) -> float:
    """Average over classes of the share of wrong decisions; lower is better.

    The expected cost when an error costs 1 / (K P_i), that is, 0-1 costs with equal priors.
    `nan` when a class has no case.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 6.

    Examples
    --------
    >>> balanced_error_rate(ConfusionMatrix([[8, 2], [0, 10]]))
    0.1
    """
    table = square_table(matrix, "balanced_error_rate")
    size = len(table.classes)
    return _share_of_wrong(table, np.full(size, 1 / size)) if table.class_totals.all() else math.nan


@of_decisions
def balanced_accuracy(matrix: ConfusionMatrix) -> float:
    """Average recall over classes, one minus the balanced error rate; higher is better.

    Examples
    --------
    >>> balanced_accuracy(ConfusionMatrix([[8, 2], [0, 10]]))
    0.9
    """
    return 1.0 - balanced_error_rate(matrix)


def _share_of_wrong(table: ConfusionMatrix, priors: FloatArray | None) -> float:
    """The expected cost when each error costs 1."""
    app = Application(CostMatrix.zero_one(len(table.classes)), priors=priors)
    return expected_cost(ConfusionMatrix(table.counts), application=app)


@of_decisions
def imbalance_accuracy(matrix: Any, *, positive: Name | None = None) -> float:
    r"""IAM, the imbalance accuracy metric: 2 CBA - 1; higher is better.

    .. math:: \frac{1}{2} \left[ \frac{TP - \max(FP, FN)}{\max(P, TP + FP)}
       + \frac{TN - \max(FP, FN)}{\max(N, TN + FN)} \right]

    Returns
    -------
    float
        Between -1 and 1; `nan` when a class has neither cases nor decisions.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> round(imbalance_accuracy([[8, 2], [0, 6]]), 4)
    0.55
    """
    return of_two_classes(kernels.imbalance_accuracy, matrix, positive)


@of_decisions
def precision_recall_mean(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Mean of precision and recall, the single-point B-ROC of `wa2025`; higher is better.

    .. math:: \frac{1}{2} \left[ \frac{TP}{P} + \frac{TP}{TP + FP} \right]

    Returns
    -------
    float
        Between 0 and 1; `nan` without positive cases or without positive decisions.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> precision_recall_mean([[90, 4], [1, 4]])
    0.65
    """
    return of_two_classes(kernels.precision_recall_mean, matrix, positive)
