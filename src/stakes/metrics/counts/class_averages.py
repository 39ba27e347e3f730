"""Precision, recall and F, averaged over any number of classes.

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
from stakes.exceptions import DataError
from stakes.metrics.counts.binary_rates import checked_beta
from stakes.metrics.counts.table_cells import of_square
from stakes.metrics.summary_input import of_decisions
from stakes.typing import FloatArray

#: Equal weight to each class, weight by its cases, or one pool of all decisions.
Average: TypeAlias = Literal["macro", "weighted", "micro"]


@of_decisions
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


@of_decisions
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


@of_decisions
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


@of_decisions
def macro_precision(matrix: Any) -> float:
    """Mean precision of the classes; higher is better. See `multiclass_precision`.

    Examples
    --------
    >>> macro_precision([[4, 1], [0, 5]])
    0.9166666666666667
    """
    return multiclass_precision(matrix)


@of_decisions
def macro_recall(matrix: Any) -> float:
    """Mean recall of the classes, the balanced accuracy; higher is better.

    See `multiclass_recall`.

    Examples
    --------
    >>> macro_recall([[4, 1], [0, 5]])
    0.9
    """
    return multiclass_recall(matrix)


@of_decisions
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


@of_decisions
def weighted_f1(matrix: Any) -> float:
    """F1 of the classes, averaged with their shares as weights; higher is better.

    `nan` when a class has neither cases nor decisions.

    Examples
    --------
    >>> round(weighted_f1([[4, 1, 0], [0, 4, 1], [0, 0, 4]]), 4)
    0.8571
    """
    return multiclass_f_beta(matrix, average="weighted")


@of_decisions
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


@of_decisions
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
