"""Rates of two-class tables, and numbers made of them: F-scores, likelihood ratios, net benefit.

The positive class is the second one unless `positive` names the other. A zero denominator
gives `nan`.
"""

from __future__ import annotations

from typing import Any

from stakes._checks import as_number
from stakes._kernels import two_class_metrics as kernels
from stakes.exceptions import CostError
from stakes.metrics.counts.table_cells import of_two_classes
from stakes.metrics.summary_input import of_decisions
from stakes.typing import Name


@of_decisions
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


@of_decisions
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


@of_decisions
def false_positive_rate(matrix: Any, *, positive: Name | None = None) -> float:
    """Share of the negative cases that were acted on, 1 - `specificity`; lower is better.

    `nan` without negative cases.

    Examples
    --------
    >>> false_positive_rate([[90, 10], [1, 4]])
    0.1
    """
    return of_two_classes(lambda tn, fp, fn, tp: kernels.ratio(fp, tn + fp), matrix, positive)


@of_decisions
def false_negative_rate(matrix: Any, *, positive: Name | None = None) -> float:
    """Share of the positive cases that were missed, 1 - `recall`; lower is better.

    `nan` without positive cases.

    Examples
    --------
    >>> false_negative_rate([[90, 10], [1, 4]])
    0.2
    """
    return of_two_classes(lambda tn, fp, fn, tp: kernels.ratio(fn, tp + fn), matrix, positive)


@of_decisions
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


@of_decisions
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


@of_decisions
def false_discovery_rate(matrix: Any, *, positive: Name | None = None) -> float:
    """Share of the positive decisions that were wrong, 1 - `precision`; lower is better.

    `nan` without positive decisions.

    Examples
    --------
    >>> false_discovery_rate([[90, 1], [1, 4]])
    0.2
    """
    return of_two_classes(lambda tn, fp, fn, tp: kernels.ratio(fp, tp + fp), matrix, positive)


@of_decisions
def false_omission_rate(matrix: Any, *, positive: Name | None = None) -> float:
    """Share of the negative decisions that were wrong; lower is better.

    `nan` without negative decisions.

    Examples
    --------
    >>> false_omission_rate([[90, 1], [10, 4]])
    0.1
    """
    return of_two_classes(lambda tn, fp, fn, tp: kernels.ratio(fn, tn + fn), matrix, positive)


@of_decisions
def informedness(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Youden's J: true-positive minus false-positive rate; higher is better.

    The normalised balanced error rate turned around, so its costs depend on the prevalence:
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


@of_decisions
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


@of_decisions
def f_beta(matrix: Any, *, beta: float, positive: Name | None = None) -> float:
    r"""Weighted harmonic mean of precision and recall, F-beta; higher is better.

    One minus an expected cost with c_FN = beta^2 and c_FP = 1, divided by a number that
    grows with the share of positive decisions; so a system that acts more looks better at
    the same cost.

    .. math:: \frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}

    Parameters
    ----------
    matrix, positive
        See :ref:`common-parameters`.
    beta : float
        How many times more recall counts than precision; positive.

    Returns
    -------
    float
        Between 0 and 1; always acting gives (1 + beta^2) P_2 / (beta^2 P_2 + 1). `nan` when
        there are neither positive cases nor positive decisions.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 12-16.

    Examples
    --------
    >>> round(f_beta([[90, 5], [1, 4]], beta=2), 4)
    0.6897
    """
    return of_two_classes(kernels.f_beta, matrix, positive, beta=checked_beta(beta))


@of_decisions
def f1(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Harmonic mean of precision and recall, `f_beta` with beta = 1; higher is better.

    At a table with this value a miss counts as 2/F1 - 1 false alarms: the worse the
    system, the more.

    .. math:: \frac{2 TP}{2 TP + FN + FP}

    Returns
    -------
    float
        Between 0 and 1; `nan` when there are neither positive cases nor positive decisions.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 13.

    Examples
    --------
    >>> round(f1([[90, 5], [1, 4]]), 4)
    0.5714
    """
    return of_two_classes(kernels.f_beta, matrix, positive, beta=1.0)


@of_decisions
def jaccard(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Overlap of positive cases and positive decisions, F1 / (2 - F1); higher is better.

    Also called intersection over union, threat score and critical success index.

    .. math:: \frac{TP}{TP + FP + FN}

    Returns
    -------
    float
        Between 0 and 1; `nan` when there are neither positive cases nor positive decisions.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> jaccard([[90, 5], [1, 4]])
    0.4
    """
    return of_two_classes(kernels.jaccard, matrix, positive)


@of_decisions
def fowlkes_mallows(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Geometric mean of precision and recall; higher is better.

    .. math:: \sqrt{\frac{TP}{TP + FP} \cdot \frac{TP}{TP + FN}}

    Returns
    -------
    float
        Between 0 and 1; `nan` without positive cases or without positive decisions.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, section 3.3.

    Examples
    --------
    >>> round(fowlkes_mallows([[90, 5], [1, 4]]), 4)
    0.5963
    """
    return of_two_classes(kernels.fowlkes_mallows, matrix, positive)


@of_decisions
def p4(matrix: Any, *, positive: Name | None = None) -> float:
    r"""Harmonic mean of precision, recall, specificity and NPV; higher is better.

    .. math:: \frac{4\,TP\,TN}{4\,TP\,TN + (TP + TN)(FP + FN)}

    Returns
    -------
    float
        Between 0 and 1, 0 for always the same decision; `nan` when all cases are of one class
        and all decisions right, or when there are none.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> round(p4([[90, 5], [1, 4]]), 4)
    0.7186
    """
    return of_two_classes(kernels.p4, matrix, positive)


def checked_beta(beta: float) -> float:
    """`beta` if it is a positive number."""
    number = as_number(beta, "beta", CostError)
    if not 0 < number < 1e100:  # its square must be a number too
        raise CostError(f"`beta` must be a positive number below 1e100; got {beta!r}.")
    return number


@of_decisions
def positive_likelihood_ratio(matrix: Any, *, positive: Name | None = None) -> float:
    r"""LR+: how many times more often positives are acted on than negatives.

    By how much a positive decision multiplies the odds of the positive class. Higher is
    better; every naive system that acts has 1.

    .. math:: \frac{TP / P}{FP / N}

    Returns
    -------
    float
        At least 0, unbounded; `nan` without false positives or when a class has no case.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 22.

    Examples
    --------
    >>> round(positive_likelihood_ratio([[90, 10], [1, 4]]), 4)
    8.0
    """
    return of_two_classes(kernels.positive_likelihood_ratio, matrix, positive)


@of_decisions
def negative_likelihood_ratio(matrix: Any, *, positive: Name | None = None) -> float:
    r"""LR-: how many times more often positives are passed over than negatives.

    Lower is better; every naive system that does not act has 1.

    .. math:: \frac{FN / P}{TN / N}

    Returns
    -------
    float
        At least 0, unbounded; `nan` without true negatives or when a class has no case.

    References
    ----------
    .. [1] A.-M. Simundic, "Measures of diagnostic accuracy: basic definitions", 2009.

    Examples
    --------
    >>> round(negative_likelihood_ratio([[80, 20], [1, 4]]), 4)
    0.25
    """
    return of_two_classes(kernels.negative_likelihood_ratio, matrix, positive)


@of_decisions
def diagnostic_odds_ratio(matrix: Any, *, positive: Name | None = None) -> float:
    r"""LR+ over LR-: odds of acting on positives over odds of acting on negatives.

    Does not depend on the prevalence; higher is better, 1 is chance.

    .. math:: \frac{TP \cdot TN}{FP \cdot FN}

    Returns
    -------
    float
        At least 0, unbounded; `nan` without one of the two kinds of error.

    References
    ----------
    .. [1] A. S. Glas et al., "The diagnostic odds ratio", J. Clin. Epidemiol. 56, 2003.

    Examples
    --------
    >>> diagnostic_odds_ratio([[90, 10], [1, 4]])
    36.0
    """
    return of_two_classes(kernels.diagnostic_odds_ratio, matrix, positive)


@of_decisions
def net_benefit(matrix: Any, *, threshold: float, positive: Name | None = None) -> float:
    r"""True positives per case, less the false positives weighed by the odds of a threshold.

    An expected cost in which a miss counts as (1 - p) / p false alarms, turned around and
    shifted by the prevalence. Higher is better.

    .. math:: \frac{TP}{n} - \frac{p}{1 - p} \frac{FP}{n}

    Parameters
    ----------
    matrix, positive
        See :ref:`common-parameters`.
    threshold : float
        The posterior p above which acting is worth it, at least 0 and below 1.

    Returns
    -------
    float
        In true positives per case, at most the prevalence; `nan` without cases.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 19-21.

    Examples
    --------
    >>> round(net_benefit([[80, 10], [2, 8]], threshold=0.2), 4)
    0.055
    """
    threshold = checked_threshold(threshold)
    return of_two_classes(kernels.net_benefit, matrix, positive, threshold=threshold)


def checked_threshold(threshold: float) -> float:
    """`threshold` if it has finite odds."""
    threshold = as_number(threshold, "threshold", CostError)
    if not 0 <= threshold < 1:
        raise CostError(f"`threshold` must be at least 0 and below 1; got {threshold!r}.")
    return threshold
