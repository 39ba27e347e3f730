"""Rates of two-class decisions, within the true classes and within the decisions.

The positive class is the second one unless `positive` names the other. A zero denominator
gives `nan`.
"""

from __future__ import annotations

from typing import Any

from stakes._kernels import two_class_metrics as kernels
from stakes.metrics.counts.table_cells import of_two_classes
from stakes.typing import Name


def recall(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Share of the positive cases that were found: sensitivity, true-positive rate.

    An expected cost in which only misses count; always acting makes it perfect. Higher is
    better.

    .. math:: TP / (TP + FN)

    Returns
    -------
    float
        Between 0 and 1; `nan` without positive cases.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 12.

    Examples
    --------
    >>> recall([[90, 5], [1, 4]])
    0.8
    """
    return of_two_classes(kernels.recall, matrix, positive)


def specificity(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Share of the negative cases that were left alone: true-negative rate.

    The mirror of `recall`; never acting makes it perfect. Higher is better.

    .. math:: TN / (TN + FP)

    Returns
    -------
    float
        Between 0 and 1; `nan` without negative cases.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> specificity([[90, 10], [1, 4]])
    0.9
    """
    return of_two_classes(kernels.specificity, matrix, positive)


def false_positive_rate(matrix: Any, *, positive: Name | None = None) -> float:
    """Share of the negative cases that were acted on, 1 - `specificity`; lower is better.

    `nan` without negative cases.

    Examples
    --------
    >>> false_positive_rate([[90, 10], [1, 4]])
    0.1
    """
    return of_two_classes(lambda tn, fp, fn, tp: kernels.ratio(fp, tn + fp), matrix, positive)


def false_negative_rate(matrix: Any, *, positive: Name | None = None) -> float:
    """Share of the positive cases that were missed, 1 - `recall`; lower is better.

    `nan` without positive cases.

    Examples
    --------
    >>> false_negative_rate([[90, 10], [1, 4]])
    0.2
    """
    return of_two_classes(lambda tn, fp, fn, tp: kernels.ratio(fn, tp + fn), matrix, positive)


def precision(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Share of the positive decisions that were right: positive predictive value.

    Depends on the prevalence as much as on the system; higher is better.

    .. math:: TP / (TP + FP)

    Returns
    -------
    float
        Between 0 and 1; `nan` without positive decisions.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 12.

    Examples
    --------
    >>> precision([[90, 1], [1, 4]])
    0.8
    """
    return of_two_classes(kernels.precision, matrix, positive)


def negative_predictive_value(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Share of the negative decisions that were right; higher is better.

    .. math:: TN / (TN + FN)

    Returns
    -------
    float
        Between 0 and 1; `nan` without negative decisions.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> negative_predictive_value([[90, 1], [10, 4]])
    0.9
    """
    return of_two_classes(kernels.negative_predictive_value, matrix, positive)


def false_discovery_rate(matrix: Any, *, positive: Name | None = None) -> float:
    """Share of the positive decisions that were wrong, 1 - `precision`; lower is better.

    `nan` without positive decisions.

    Examples
    --------
    >>> false_discovery_rate([[90, 1], [1, 4]])
    0.2
    """
    return of_two_classes(lambda tn, fp, fn, tp: kernels.ratio(fp, tp + fp), matrix, positive)


def false_omission_rate(matrix: Any, *, positive: Name | None = None) -> float:
    """Share of the negative decisions that were wrong; lower is better.

    `nan` without negative decisions.

    Examples
    --------
    >>> false_omission_rate([[90, 1], [10, 4]])
    0.1
    """
    return of_two_classes(lambda tn, fp, fn, tp: kernels.ratio(fn, tn + fn), matrix, positive)


def informedness(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Youden's J: true-positive minus false-positive rate; higher is better.

    The normalised balanced error rate turned around, so its costs hang on the prevalence:
    a miss counts as N/P false alarms.

    .. math:: TP / P - FP / N

    Returns
    -------
    float
        Between -1 and 1, 0 for every naive system; `nan` when a class has no case.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> round(informedness([[90, 10], [1, 4]]), 4)
    0.7
    """
    return of_two_classes(kernels.informedness, matrix, positive)


def markedness(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Positive plus negative predictive value minus one; higher is better.

    .. math:: TP / (TP + FP) - FN / (TN + FN)

    Returns
    -------
    float
        Between -1 and 1; `nan` when one of the decisions was never taken.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> round(markedness([[90, 1], [10, 4]]), 4)
    0.7
    """
    return of_two_classes(kernels.markedness, matrix, positive)
