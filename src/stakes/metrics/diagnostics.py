"""Numbers of diagnostic tests: likelihood ratios, their quotient, and the net benefit."""

from __future__ import annotations

from typing import Any

from stakes._kernels import two_class as kernels
from stakes.exceptions import CostError
from stakes.metrics.tables import of_two_classes
from stakes.typing import Name

__all__ = [
    "diagnostic_odds_ratio",
    "negative_likelihood_ratio",
    "net_benefit",
    "positive_likelihood_ratio",
]


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
    if not 0 <= threshold < 1:
        raise CostError(f"`threshold` must be at least 0 and below 1; got {threshold!r}.")
    return of_two_classes(kernels.net_benefit, matrix, positive, threshold=threshold)
