"""Two-class metrics of the cost-sensitive literature that are not an expected cost.

Those that are one stand in `special_cases` and `weighted_accuracy`.
"""

from __future__ import annotations

from typing import Any

from stakes._columns import as_reals
from stakes._kernels import two_class_metrics as kernels
from stakes.exceptions import CostError
from stakes.metrics.costs.weighted_accuracy import require_beta, weighted_accuracy
from stakes.metrics.counts.table_cells import at_error_costs
from stakes.typing import Name


def weighted_class_accuracy(
    matrix: Any, application: Any, *, positive: Name | None = None
) -> float:
    r"""WCA: recall and specificity weighed by the two costs of an error; higher is better.

    Because the rates are weighed and not the cells, its costs hang on the prevalence; see
    `weighted_accuracy` for the one that follows the total cost.

    .. math:: w \frac{TP}{P} + (1 - w) \frac{TN}{N}, \quad w = \frac{C_{FN}}{C_{FN} + C_{FP}}

    Returns
    -------
    float
        Between 0 and 1; `nan` when a class has no case.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> costs = CostMatrix.binary(false_positive=1, false_negative=3)
    >>> round(weighted_class_accuracy([[50, 50], [1, 9]], costs), 4)
    0.8
    """
    return at_error_costs(kernels.weighted_class_accuracy, matrix, application, positive)


def weighted_relative_accuracy(
    matrix: Any, application: Any, *, positive: Name | None = None
) -> float:
    r"""WRA: informedness times a number that depends on costs and prevalence only.

    On one data set it ranks as `informedness` does, whatever the costs; higher is better.

    .. math:: \frac{4k}{(1 + k)^2} \left( \frac{TP}{P} - \frac{FP}{N} \right), \quad
       k = \frac{N C_{FP}}{P C_{FN}}

    Returns
    -------
    float
        Between -1 and 1, 0 for every naive system; `nan` when a class has no case or a miss
        costs nothing.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> costs = CostMatrix.binary(false_positive=1, false_negative=10)
    >>> round(weighted_relative_accuracy([[90, 10], [1, 9]], costs), 4)
    0.8
    """
    return at_error_costs(kernels.weighted_relative_accuracy, matrix, application, positive)


def accuracy_cost_distance(matrix: Any, application: Any, *, positive: Name | None = None) -> float:
    r"""ACD: distance from the ideal of no errors and no cost; lower is better.

    Adds the error rate and the share of the worst cost as if they were two sides of a right
    angle, so it follows the costs only in part.

    .. math:: \sqrt{(1 - A)^2 + (TCC / TCC_{max})^2}

    Returns
    -------
    float
        Between 0 and sqrt(2); `nan` without cases that can cost anything.

    Notes
    -----
    TCC counts each error's cost above the right decision, so TCC_min is 0.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> costs = CostMatrix.binary(false_positive=1, false_negative=1)
    >>> round(accuracy_cost_distance([[90, 5], [5, 0]], costs), 4)
    0.1414
    """
    return at_error_costs(kernels.accuracy_cost_distance, matrix, application, positive)


def beta_averaged_accuracy(
    matrix: Any, *, alpha: float = 2.0, beta: float = 2.0, positive: Name | None = None
) -> float:
    r"""One minus the averaged cost over the averaged worst cost, with c ~ Beta; higher is better.

    `wa2025` calls it H, but it is not Hand's H-measure: no threshold is chosen. As both
    averages are linear in c = C_FP / (C_FP + C_FN), it is exactly the weighted accuracy at
    w = 1 - E[c], so with alpha = beta it is the accuracy.

    .. math:: 1 - \frac{\int u(c)\, TCC(c)\, dc}{\int u(c)\, TCC_{max}(c)\, dc}

    Parameters
    ----------
    matrix, positive
        See :ref:`common-parameters`.
    alpha, beta : float
        Of the Beta distribution u of c; positive. Only their ratio matters.

    Returns
    -------
    float
        Between 0 and 1; `nan` without cases.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2 (H).

    Examples
    --------
    >>> beta_averaged_accuracy([[90, 5], [1, 4]])
    0.94
    """
    require_beta(alpha, beta)
    return weighted_accuracy(matrix, beta / (alpha + beta), positive=positive)


def matched_beta(shares: Any) -> tuple[float, float]:
    r"""Beta distribution with the mean and variance of per-case cost shares.

    .. math:: \alpha = \frac{\bar c^2 (1 - \bar c)}{s^2} - \bar c, \quad
       \beta = \alpha \frac{1 - \bar c}{\bar c}

    Parameters
    ----------
    shares : column of float
        c = C_FP / (C_FP + C_FN) of each case, between 0 and 1.

    Returns
    -------
    tuple of two floats
        alpha and beta, each kept within [0.001, 1000] as the paper does; equal shares give
        the narrowest Beta with that mean, one of the two being 1000.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, footnote 4.

    Examples
    --------
    >>> alpha, beta = matched_beta([0.2, 0.4])
    >>> round(alpha, 4), round(beta, 4)
    (6.0, 14.0)
    """
    values = as_reals(shares, "shares", CostError)
    if values.size == 0 or not ((values >= 0) & (values <= 1)).all():
        raise CostError("`shares` must be numbers between 0 and 1, at least one.")
    mean, variance = float(values.mean()), float(values.var())
    if not 0 < mean < 1:
        raise CostError(f"`shares` must not all be 0 or all be 1; their mean is {mean:g}.")
    if variance == 0:
        top = 1e3 / max(mean, 1 - mean)
        return max(top * mean, 1e-3), max(top * (1 - mean), 1e-3)
    alpha = mean**2 * (1 - mean) / variance - mean
    beta = alpha * (1 - mean) / mean
    return min(max(alpha, 1e-3), 1e3), min(max(beta, 1e-3), 1e3)


def matched_beta_accuracy(matrix: Any, shares: Any, *, positive: Name | None = None) -> float:
    """`beta_averaged_accuracy` with the Beta matched to per-case costs; higher is better.

    The "H informed" of `wa2025`. Equal to the weighted accuracy at w = 1 - E[c] of that
    Beta, which is one minus the mean share unless `matched_beta` met its limits.

    Parameters
    ----------
    matrix, positive
        See :ref:`common-parameters`.
    shares : column of float
        c = C_FP / (C_FP + C_FN) of each case.

    Returns
    -------
    float
        Between 0 and 1; `nan` without cases.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2 (H informed).

    Examples
    --------
    >>> round(matched_beta_accuracy([[50, 30], [5, 15]], [0.05, 0.15]), 4)
    0.7115
    """
    alpha, beta = matched_beta(shares)
    return beta_averaged_accuracy(matrix, alpha=alpha, beta=beta, positive=positive)
