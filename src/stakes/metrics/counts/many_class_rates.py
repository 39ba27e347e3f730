"""Metrics of tables of any size: kappa, MCC, and averages over the classes.

Each class is taken in turn as the positive one. `nan` for one class makes the average `nan`:
nothing is left out and nothing is counted as 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from stakes._kernels import many_class_metrics as many_class
from stakes._kernels import two_class_metrics as kernels
from stakes.exceptions import CostError, DataError
from stakes.metrics.counts.binary_rates import checked_beta
from stakes.metrics.counts.table_cells import of_square, of_two_classes
from stakes.typing import FloatArray, Name


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
    table = np.asarray(getattr(weights, "values", weights), dtype=np.float64)
    if table.shape != (size, size) or not np.isfinite(table).all() or np.diag(table).any():
        raise CostError(
            f"`weights` must be a finite {size} x {size} matrix with 0 on the diagonal; "
            f"got shape {table.shape}."
        )
    return table


#: Equal weight to each class, weight by its cases, or one pool of all decisions.
Average: TypeAlias = Literal["macro", "weighted", "micro"]


def multiclass_precision(matrix: Any, *, average: Average = "macro") -> float:
    """Precision of each class in turn, averaged; higher is better.

    Parameters
    ----------
    matrix
        See :ref:`common-parameters`.
    average : {"macro", "weighted", "micro"}
        Equal weights; weights by cases; or the pooled counts, which give the accuracy.

    Returns
    -------
    float
        Between 0 and 1; `nan` when a decision was never taken (not for "micro").

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.7.

    Examples
    --------
    >>> multiclass_precision([[4, 1, 0], [0, 4, 1], [0, 0, 4]])
    0.8666666666666667
    """
    return of_square(
        averaged, matrix, "multiclass_precision", each=many_class.class_precision, average=average
    )


def multiclass_recall(matrix: Any, *, average: Average = "macro") -> float:
    """Recall of each class in turn, averaged; higher is better.

    Parameters
    ----------
    matrix
        See :ref:`common-parameters`.
    average : {"macro", "weighted", "micro"}
        Equal weights, which give the balanced accuracy; weights by cases, or the pooled
        counts, which both give the accuracy.

    Returns
    -------
    float
        Between 0 and 1; `nan` when a class has no case (not for "micro").

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.7.

    Examples
    --------
    >>> multiclass_recall([[4, 1, 0], [0, 4, 1], [0, 0, 4]])
    0.8666666666666667
    """
    return of_square(
        averaged, matrix, "multiclass_recall", each=many_class.class_recall, average=average
    )


def multiclass_f_beta(matrix: Any, *, beta: float = 1.0, average: Average = "macro") -> float:
    """F-beta of each class in turn, averaged; higher is better.

    Parameters
    ----------
    matrix
        See :ref:`common-parameters`.
    beta : float
        How many times more recall counts than precision.
    average : {"macro", "weighted", "micro"}
        Equal weights; weights by cases; or the pooled counts, which give the accuracy
        whatever beta is.

    Returns
    -------
    float
        Between 0 and 1; `nan` when a class has neither cases nor decisions (not for
        "micro").

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.7.

    Examples
    --------
    >>> round(multiclass_f_beta([[4, 1, 0], [0, 4, 1], [0, 0, 4]], beta=2), 4)
    0.8619
    """
    each = partial(many_class.class_f_beta, beta=checked_beta(beta))
    return of_square(averaged, matrix, "multiclass_f_beta", each=each, average=average)


def macro_precision(matrix: Any) -> float:
    """Mean precision of the classes; higher is better. See `multiclass_precision`.

    Examples
    --------
    >>> macro_precision([[4, 1], [0, 5]])
    0.9166666666666667
    """
    return multiclass_precision(matrix)


def macro_recall(matrix: Any) -> float:
    """Mean recall of the classes, the balanced accuracy; higher is better.

    See `multiclass_recall`.

    Examples
    --------
    >>> macro_recall([[4, 1], [0, 5]])
    0.9
    """
    return multiclass_recall(matrix)


def macro_f1(matrix: Any) -> float:
    """Mean F1 of the classes, the usual meaning of macro F1; higher is better.

    Not the F1 of the mean precision and recall: see `f1_of_averages`. `nan` when a class
    has neither cases nor decisions.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.7 (MC1).

    Examples
    --------
    >>> round(macro_f1([[4, 1, 0], [0, 4, 1], [0, 0, 4]]), 4)
    0.8593
    """
    return multiclass_f_beta(matrix)


def weighted_f1(matrix: Any) -> float:
    """F1 of the classes, averaged with their shares as weights; higher is better.

    `nan` when a class has neither cases nor decisions.

    Examples
    --------
    >>> round(weighted_f1([[4, 1, 0], [0, 4, 1], [0, 0, 4]]), 4)
    0.8571
    """
    return multiclass_f_beta(matrix, average="weighted")


def micro_f1(matrix: Any) -> float:
    """F1 of the pooled one-against-rest counts, which is the accuracy; higher is better.

    `nan` when there are no cases.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.7.

    Examples
    --------
    >>> micro_f1([[4, 1], [0, 5]])
    0.9
    """
    return multiclass_f_beta(matrix, average="micro")


def f1_of_averages(matrix: Any, *, beta: float = 1.0) -> float:
    """F1 of the mean precision and the mean recall, the other macro F1; higher is better.

    Parameters
    ----------
    matrix
        See :ref:`common-parameters`.
    beta : float
        For F-beta instead of F1.

    Returns
    -------
    float
        Between 0 and 1; `nan` when a class has no case or a decision was never taken, and
        when nothing is right.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.7 (MC2).

    Examples
    --------
    >>> round(f1_of_averages([[4, 1, 0], [0, 4, 1], [0, 0, 4]]), 4)
    0.8667
    """
    return of_square(many_class.mean_f_beta, matrix, "f1_of_averages", beta=checked_beta(beta))


def averaged(
    counts: FloatArray, each: Callable[..., FloatArray], average: Average = "macro"
) -> FloatArray:
    """Numbers of each class brought to one, for each of many tables."""
    if average == "micro":
        return many_class.pooled_f_beta(counts)
    values = each(counts)
    if average == "macro":
        return np.asarray(values.mean(axis=-1))
    if average == "weighted":
        totals = counts.sum(axis=-1)
        return kernels.ratio((values * totals).sum(axis=-1), totals.sum(axis=-1))
    raise DataError(f"`average` must be 'macro', 'weighted' or 'micro'; got {average!r}.")
