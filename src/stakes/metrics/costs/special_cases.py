"""Famous numbers that are the expected cost with some parameters fixed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stakes.application import Application, CostMatrix, as_application
from stakes.exceptions import DataError, PriorError
from stakes.metrics.costs.expected_cost import expected_cost, normalized_expected_cost
from stakes.metrics.counts.table_cells import as_table, binary_cells, named_table
from stakes.summaries import ConfusionMatrix
from stakes.typing import Name


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
    matrix = _square(matrix, "error_rate")
    if matrix.total == 0:
        return math.nan
    costs = CostMatrix.zero_one(len(matrix.classes))
    return expected_cost(_unnamed(matrix), application=Application(costs))


def accuracy(matrix: ConfusionMatrix) -> float:
    """Share of right decisions, one minus the error rate; higher is better.

    Examples
    --------
    >>> round(accuracy(ConfusionMatrix([[300, 30], [20, 15]])), 3)
    0.863
    """
    return 1.0 - error_rate(matrix)


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
    matrix = _square(matrix, "balanced_error_rate")
    if (matrix.class_totals == 0).any():
        return math.nan
    size = len(matrix.classes)
    app = Application(CostMatrix.zero_one(size), priors=np.full(size, 1 / size))
    return expected_cost(_unnamed(matrix), application=app)


def balanced_accuracy(matrix: ConfusionMatrix) -> float:
    """Average recall over classes, one minus the balanced error rate; higher is better.

    Examples
    --------
    >>> balanced_accuracy(ConfusionMatrix([[8, 2], [0, 10]]))
    0.9
    """
    return 1.0 - balanced_error_rate(matrix)


def utility_yield(matrix: ConfusionMatrix, application: Any) -> float:
    """Average gain per case, minus the expected cost; higher is better.

    For costs made by `CostMatrix.from_utilities` this is the sum of utilities times cell
    shares.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, eq 10.

    Examples
    --------
    >>> gains = CostMatrix.from_utilities([[15, -35], [-335, 165]])
    >>> round(utility_yield(ConfusionMatrix([[27, 23], [15, 35]]), gains), 2)
    3.5
    """
    app = as_application(application)
    return 0.0 - expected_cost(named_table(matrix, app), application=app)


def detection_cost(
    matrix: ConfusionMatrix,
    *,
    prior: float,
    miss: float = 1.0,
    false_alarm: float = 1.0,
    positive: Name | None = None,
    normalized: bool = False,
) -> float:
    r"""Detection cost function (DCF) of a two-class system; lower is better.

    .. math:: \pi C_{miss} P_{miss} + (1 - \pi) C_{fa} P_{fa}

    Parameters
    ----------
    matrix : ConfusionMatrix
        Two classes, two decisions.
    prior : float
        Prior of the positive (target) class.
    miss, false_alarm : float
        Cost of each error.
    positive : name, optional
        The target class; the second one if absent.
    normalized : bool
        Divide by the better of always accepting and always rejecting.

    Returns
    -------
    float
        In the unit of the costs, or without unit when normalised.

    References
    ----------
    .. [1] S. Cumani, "Bayes decisions and Model evaluation", lecture slides: un-normalised
       and normalised DCF.

    Examples
    --------
    >>> cm = ConfusionMatrix([[300, 30], [20, 15]])
    >>> round(detection_cost(cm, prior=0.5), 4)
    0.3312
    >>> round(detection_cost(cm, prior=0.5, normalized=True), 4)
    0.6623
    """
    if not 0 <= prior <= 1:
        raise PriorError(f"`prior` must lie between 0 and 1; got {prior!r}.")
    cells = binary_cells(matrix, positive)
    table = ConfusionMatrix([[cells.tn, cells.fp], [cells.fn, cells.tp]])
    costs = CostMatrix.binary(false_positive=false_alarm, false_negative=miss)
    app = Application(costs, priors=[1 - prior, prior])
    if normalized:
        return normalized_expected_cost(table, application=app)
    return expected_cost(table, application=app)


def alpha_cost(matrix: ConfusionMatrix, alpha: float) -> float:
    """Normalised cost of a two-class system by its one free parameter; lower is better.

    `alpha` is c_12 P_1 / (c_21 P_2), the weight of errors on the first class relative to
    those on the second. Every combination of costs and priors with the same alpha gives
    the same number.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 4.

    Examples
    --------
    >>> alpha_cost(ConfusionMatrix([[9, 1], [2, 8]]), alpha=2.0)
    0.4
    """
    if not (math.isfinite(alpha) and alpha > 0):
        raise PriorError(f"`alpha` must be a positive number; got {alpha!r}.")
    return detection_cost(matrix, prior=0.5, miss=1.0, false_alarm=alpha, normalized=True)


def savings(matrix: ConfusionMatrix, application: Any) -> float:
    """Share of the naive cost that the system avoids, 1 - NEC; higher is better.

    Examples
    --------
    >>> savings(ConfusionMatrix([[9, 1], [2, 8]]), Application([[0, 1], [1, 0]]))
    0.7
    """
    app = as_application(application)
    return 1.0 - normalized_expected_cost(named_table(matrix, app), application=app)


def _square(matrix: Any, what: str) -> ConfusionMatrix:
    """The table; an error unless every decision is one of the classes, in the same order."""
    table = as_table(matrix)
    if table.classes != table.decisions:
        raise DataError(
            f"`{what}` needs decisions that are the classes; got {table!r}.",
            hint="with other decisions, say what each costs: expected_cost(cm, application=...)",
        )
    return table


def _unnamed(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """The same table with positions for names."""
    return ConfusionMatrix(matrix.counts)
