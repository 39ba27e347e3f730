"""What decisions cost: the expected cost, and the expected cost next to the best naive one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._names import listed
from stakes.application import Application, as_application
from stakes.exceptions import DataError, UndefinedError
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.summaries.confusion import refuse_undecided
from stakes.typing import FloatArray, Name


def expected_cost(
    y_true: Any,
    decisions: Any = None,
    *,
    application: Any,
    sample_weight: Any = None,
) -> float:
    r"""Average cost per case of the decisions taken.

    The number to minimise when costs and priors are known; lower is better. To compare
    across applications use `normalized_expected_cost`.

    .. math:: \sum_i P_i \sum_j R_{ij} c_{ij}

    Parameters
    ----------
    y_true : column, or ConfusionMatrix
        True classes: names, or positions when the names are not integers. With a
        confusion matrix, `decisions` is left out.
    decisions : column, optional
        One decision per case; see `bayes_decisions`.
    application : Application or CostMatrix
        Costs and priors. Its priors, if any, replace the class shares of the data.
    sample_weight : column, optional
        Weight of each case; weights count in the rates and in the priors of the data.

    Returns
    -------
    float
        In the unit of the costs, as given (not standardised).

    Raises
    ------
    DataError
        When a class with positive prior has no case, unless its cost is the same for
        every decision.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 1-2.

    Examples
    --------
    >>> from stakes import Application
    >>> app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
    >>> round(expected_cost([0, 0, 0, 1], [0, 1, 0, 1], application=app), 3)
    0.3
    """
    app = as_application(application)
    matrix = _as_confusion(y_true, decisions, app, sample_weight)
    return float(_cells(matrix, app, app.costs.values).sum())


def normalized_expected_cost(
    y_true: Any,
    decisions: Any = None,
    *,
    application: Any,
    sample_weight: Any = None,
) -> float:
    r"""Expected cost divided by that of the best decision that ignores the input.

    0 is perfect, 1 is useless, above 1 is worse than useless; lower is better. Comparable
    across applications.

    .. math:: \frac{\sum_{ij} c_{ij} P_i R_{ij}}{\min_j \sum_i c_{ij} P_i}

    Parameters
    ----------
    y_true, decisions, application, sample_weight
        As in `expected_cost`.

    Returns
    -------
    float
        Without unit. Costs are standardised first (each row's minimum becomes 0), so that
        gains cannot turn the order around.

    Raises
    ------
    UndefinedError
        When the best naive decision costs nothing, so that there is nothing to divide by.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 3-4.

    Examples
    --------
    >>> from stakes import Application
    >>> app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
    >>> round(normalized_expected_cost([0, 0, 0, 1], [0, 1, 0, 1], application=app), 3)
    0.333
    """
    app = as_application(application)
    matrix = _as_confusion(y_true, decisions, app, sample_weight)
    standard = app.costs.standardized()
    naive = float((app.resolved_priors(matrix.priors) @ standard.values).min())
    if naive <= 0:
        best = int(np.argmin(app.resolved_priors(matrix.priors) @ standard.values))
        raise UndefinedError(
            f"the normalised cost is undefined: always deciding {app.decisions[best]!r} is "
            "already perfect under these costs and priors.",
            hint="give every class a positive prior, or a cost to every decision",
        )
    return float(_cells(matrix, app, standard.values).sum()) / naive


@dataclass(frozen=True, slots=True)
class CostShares:
    """Where the money goes: each cell's part of the expected cost; see `cost_by_cell`.

    Parameters
    ----------
    truths, decisions : tuple of names
        The cell of each part.
    costs : array
        Each cell's part, in the unit of the costs.
    total : float
        Their sum, the expected cost.
    """

    truths: tuple[Name, ...]
    decisions: tuple[Name, ...]
    costs: FloatArray
    total: float

    def frame(self) -> Frame:
        """One row per cell, costliest first: truth, decision, cost, share."""
        order = np.argsort(-np.abs(self.costs), kind="stable")
        gross = float(np.abs(self.costs).sum())
        return Frame(
            {
                "truth": [self.truths[k] for k in order],
                "decision": [self.decisions[k] for k in order],
                "cost": self.costs[order],
                "share": np.abs(self.costs[order]) / gross if gross else self.costs[order],
            }
        )


def cost_by_cell(matrix: ConfusionMatrix, application: Any) -> CostShares:
    """Split the expected cost by true class and decision.

    Shows which errors the money goes to. The parts add to the expected cost.

    Parameters
    ----------
    matrix : ConfusionMatrix
        What was decided.
    application : Application or CostMatrix
        Costs and priors.

    Returns
    -------
    CostShares
        The parts, in the unit of the costs; `.frame()` sorts them by size, with each
        part's share of the sum of absolute costs.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 2.

    Examples
    --------
    >>> cm = ConfusionMatrix([[90, 5], [1, 4]])
    >>> print(cost_by_cell(cm, Application([[0, 1], [10, 0]])).frame())
    truth  decision  cost  share
    1      0         0.1   0.666667
    0      1         0.05  0.333333
    0      0         0     0
    1      1         0     0
    """
    app = as_application(application)
    check_names(matrix, app)
    cells = _cells(matrix, app, app.costs.values)
    n_decisions = len(app.decisions)
    return CostShares(
        truths=tuple(name for name in app.classes for _ in range(n_decisions)),
        decisions=app.decisions * len(app.classes),
        costs=cells.ravel(),
        total=float(cells.sum()),
    )


def _as_confusion(
    y_true: Any, decisions: Any, app: Application, sample_weight: Any
) -> ConfusionMatrix:
    """The confusion matrix over the names of the application."""
    if isinstance(y_true, ConfusionMatrix):
        if decisions is not None or sample_weight is not None:
            raise DataError("with a ConfusionMatrix, leave `decisions` and `sample_weight` out.")
        check_names(y_true, app)
        return y_true
    if decisions is None:
        refuse_undecided(y_true)
        raise DataError(
            "`decisions` is missing.", hint="expected_cost(y_true, decisions, application=...)"
        )
    return ConfusionMatrix.from_decisions(
        y_true,
        decisions,
        classes=app.classes,
        decision_names=app.decisions,
        sample_weight=sample_weight,
    )


def check_names(matrix: ConfusionMatrix, app: Application) -> None:
    """Raise unless rows and columns mean the same in both."""
    if (matrix.classes, matrix.decisions) != (app.classes, app.decisions):
        raise DataError(
            "the confusion matrix and the costs must have the same classes and decisions; got "
            f"{listed(matrix.classes)} x {listed(matrix.decisions)} and "
            f"{listed(app.classes)} x {listed(app.decisions)}.",
            hint="give both the same names, in the same order",
        )


def _cells(matrix: ConfusionMatrix, app: Application, costs: FloatArray) -> FloatArray:
    """Cost of each cell per case: P_i R_ij c_ij."""
    if matrix.total == 0:
        raise DataError("there are no cases, so there is no cost per case.")
    shares = app.resolved_priors(matrix.priors)
    rates = matrix.rates
    empty = np.isnan(rates[:, 0])
    constant = (costs == costs[:, :1]).all(axis=1)
    unknown = empty & (shares > 0) & ~constant
    if unknown.any():
        names = [name for name, bad in zip(app.classes, unknown, strict=True) if bad]
        raise DataError(
            f"no case of {listed(names)} in the data, but its prior is "
            f"{', '.join(f'{p:g}' for p in shares[unknown])}, so the cost is unknown.",
            hint="bring cases of it, or set its prior to 0",
        )
    rates = np.where(empty[:, None], 1.0 / costs.shape[1], rates)
    return shares[:, None] * rates * costs
