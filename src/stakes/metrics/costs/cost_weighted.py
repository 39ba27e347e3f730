"""Two-class metrics of the cost-sensitive literature that weigh accuracy and cost."""

from __future__ import annotations

from typing import Any

from stakes._kernels import two_class_metrics as kernels
from stakes.metrics.counts.table_cells import (
    at_error_costs,
)
from stakes.metrics.summary_input import of_decisions
from stakes.summaries import ConfusionMatrix
from stakes.typing import Name


@of_decisions
def weighted_class_accuracy(
    matrix: Any, application: Any, *, positive: Name | None = None
) -> float:
    r"""WCA: recall and specificity weighed by the two costs of an error; higher is better.

    Because the rates are weighed and not the cells, its costs depend on the prevalence; see
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


@of_decisions
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


@of_decisions
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


@of_decisions
def c_score(matrix: ConfusionMatrix, application: Any, *, positive: Name | None = None) -> float:
    """Cost of the errors per positive case, in false alarms; lower is better.

    (C_FN FN + C_FP FP) / (P C_FP), with each error's cost above the right decision. `nan`
    without positives, or when a false alarm costs nothing.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> cm = ConfusionMatrix([[50, 30], [5, 15]])
    >>> c_score(cm, CostMatrix.binary(false_positive=1, false_negative=9))
    3.75
    """
    return at_error_costs(kernels.c_score, matrix, application, positive)
