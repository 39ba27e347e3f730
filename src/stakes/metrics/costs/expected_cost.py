"""The expected cost, normalised or not, by cell, and totals that are one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_number, of_kind, positive_share, refuse_absent
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels import two_class_metrics as kernels
from stakes._names import cell_names, listed
from stakes.application import Application, CostMatrix, as_application
from stakes.application.cost_input import application_of, refuse_other_positive
from stakes.application.cost_matrix import named_line
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.metrics.counts.table_cells import (
    as_table,
    at_error_costs,
    binary_cells,
)
from stakes.metrics.summary_input import of_decisions, refuse_probabilities
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.summaries.confusion import refuse_undecided
from stakes.typing import FloatArray, Name, Priors


@answers_guesses
def expected_cost(
    y_true: Any,
    decisions: Any = None,
    *,
    application: Any,
    sample_weight: Any = None,
    counts: Any = None,
    positive: Any = None,
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
    counts : column, optional
        How many identical cases each row stands for, instead of repeating it.
    positive : name, optional
        The positive class, for costs that name no classes, such as ``{"fn": 10, "fp": 1}``.

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
    app = _named(application, y_true, decisions, positive)
    matrix = _as_confusion(y_true, decisions, app, sample_weight, counts)
    return float(_cells(matrix, app, app.costs.values).sum())


# Why the best constant decision divides: docs/design/costs.md.
@answers_guesses
def normalized_expected_cost(
    y_true: Any,
    decisions: Any = None,
    *,
    application: Any,
    sample_weight: Any = None,
    counts: Any = None,
    positive: Any = None,
) -> float:
    r"""Expected cost above that of perfect decisions, relative to the best constant decision.

    The cost of the best constant decision, which ignores the input, is also counted above that of
    perfect decisions. 0 is perfect, 1 is useless, above 1 is worse than useless; lower is better.
    Comparable across applications.

    .. math:: \frac{\sum_{ij} c_{ij} P_i R_{ij}}{\min_j \sum_i c_{ij} P_i}

    Parameters
    ----------
    y_true, decisions, application, sample_weight, counts, positive
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
    app = _named(application, y_true, decisions, positive)
    matrix = _as_confusion(y_true, decisions, app, sample_weight, counts)
    standard = app.costs.standardized()
    constant = app.resolved_priors(matrix.priors) @ standard.values
    best = int(np.argmin(constant))
    if constant[best] <= 0:
        raise UndefinedError(
            f"the normalised cost is undefined: always deciding {app.decisions[best]!r} is "
            "already perfect under these costs and priors.",
            hint="give every class a positive prior, or a cost to every decision",
        )
    return float(_cells(matrix, app, standard.values).sum()) / float(constant[best])


@dataclass(frozen=True, slots=True)
class CostShares(AnswersGuesses):
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


@of_decisions
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
    truths, decisions = map(tuple, cell_names(app.classes, app.decisions).values())
    return CostShares(truths, decisions, cells.ravel(), float(cells.sum()))


def _named(application: Any, y_true: Any, decisions: Any, positive: Any) -> Application:
    """What is at stake, with the names of the cases where the costs have none."""
    table = isinstance(y_true, ConfusionMatrix)
    columns = decisions is not None and not table
    if columns:
        refuse_probabilities(decisions, y_true, application, positive)
    if columns or (table and positive is not None):
        app = application_of(application, y_true, positive)
    else:
        app = as_application(application)
    refuse_other_positive(app, positive)
    return app


def _as_confusion(
    y_true: Any, decisions: Any, app: Application, sample_weight: Any, counts: Any
) -> ConfusionMatrix:
    """The confusion matrix over the names of the application."""
    if isinstance(y_true, ConfusionMatrix):
        if any(each is not None for each in (decisions, sample_weight, counts)):
            raise DataError(
                "with a ConfusionMatrix, leave `decisions`, `sample_weight` and `counts` out."
            )
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
        counts=counts,
    )


def check_names(matrix: ConfusionMatrix, app: Application) -> None:
    """Raise unless rows and columns mean the same in both."""
    of_kind(matrix, "matrix", ConfusionMatrix)
    if (matrix.classes, matrix.decisions) != (app.classes, app.decisions):
        raise DataError(
            "the confusion matrix and the costs must have the same classes and decisions; got "
            f"{listed(matrix.classes)} x {listed(matrix.decisions)} and "
            f"{listed(app.classes)} x {listed(app.decisions)}.",
            hint=_same_names(matrix, app.costs),
        )


def _same_names(matrix: ConfusionMatrix, costs: CostMatrix) -> str:
    """What to type where a table and costs have different names."""
    line = named_line(costs, matrix.classes) if matrix.decisions == matrix.classes else None
    if line is None:
        return "give both the same names, in the same order"
    if matrix.by_alphabet:
        turned = list(reversed(matrix.classes))
        line += f"; if that is {turned[1]!r}, count with classes={turned}, and give them here too"
    return f"name the classes of the costs, as in the table: {line}"


def _cells(matrix: ConfusionMatrix, app: Application, costs: FloatArray) -> FloatArray:
    """Cost of each cell per case: P_i R_ij c_ij."""
    if matrix.total == 0:
        raise DataError("there are no cases, so there is no cost per case.")
    shares = app.resolved_priors(matrix.priors)
    rates = matrix.rates
    empty = np.isnan(rates[:, 0])
    constant = (costs == costs[:, :1]).all(axis=1)
    refuse_absent(app.classes, shares, constant | ~empty)
    rates = np.where(empty[:, None], 1.0 / costs.shape[1], rates)
    return shares[:, None] * rates * costs


@of_decisions
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
    return 0.0 - expected_cost(as_table(matrix, app), application=app)


@of_decisions
def detection_cost(
    matrix: ConfusionMatrix,
    *,
    priors: Priors,
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
    priors : float, pair or mapping
        Share of the positive (target) class where the system will run; or of both classes, in
        their order or by name.
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
    >>> round(detection_cost(cm, priors=0.5), 4)
    0.3312
    >>> round(detection_cost(cm, priors=0.5, normalized=True), 4)
    0.6623
    """
    cells = binary_cells(matrix, positive)
    classes = getattr(matrix, "classes", (0, 1))  # plain counts have no names
    at = 1 if positive is None else classes.index(positive)
    prior = positive_share(priors, classes=classes, at=at)
    table = ConfusionMatrix([[cells.tn, cells.fp], [cells.fn, cells.tp]])
    costs = CostMatrix.binary(false_positive=false_alarm, false_negative=miss)
    app = Application(costs, priors=[1 - prior, prior])
    if normalized:
        return normalized_expected_cost(table, application=app)
    return expected_cost(table, application=app)


@of_decisions
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
    alpha = as_number(alpha, "alpha", PriorError)
    if not (math.isfinite(alpha) and alpha > 0):
        raise PriorError(f"`alpha` must be a positive number; got {alpha!r}.")
    return detection_cost(matrix, priors=0.5, miss=1.0, false_alarm=alpha, normalized=True)


@of_decisions
def savings(matrix: ConfusionMatrix, application: Any) -> float:
    """Share of the naive cost that the system avoids, 1 - NEC; higher is better.

    Examples
    --------
    >>> savings(ConfusionMatrix([[9, 1], [2, 8]]), Application([[0, 1], [1, 0]]))
    0.7
    """
    app = as_application(application)
    return 1.0 - normalized_expected_cost(as_table(matrix, app), application=app)


@of_decisions
def total_classification_cost(matrix: ConfusionMatrix, application: Any) -> float:
    """Cost of all cases together, as given; lower is better.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 1-2.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> cm = ConfusionMatrix([[50, 30], [5, 15]])
    >>> total_classification_cost(cm, CostMatrix.binary(false_positive=1, false_negative=9))
    75.0
    """
    app = as_application(application)
    matrix = as_table(matrix, app)
    check_names(matrix, app)
    return float((matrix.counts * app.costs.values).sum())


@of_decisions
def msu(matrix: ConfusionMatrix, application: Any, *, positive: Name | None = None) -> float:
    """Share of the worst possible cost that is avoided; higher is better, between 0 and 1.

    1 - (TCC - TCC_min) / TCC_max with TCC_max = C_FN P + C_FP N, which makes it equal to the
    weighted accuracy at the weight of the costs. `nan` without cases that can cost anything.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2 and eq 6.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> cm = ConfusionMatrix([[50, 30], [5, 15]])
    >>> round(msu(cm, CostMatrix.binary(false_positive=1, false_negative=9)), 4)
    0.7115
    """
    return 1 - at_error_costs(kernels.share_of_worst_cost, matrix, application, positive)
