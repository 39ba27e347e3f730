"""Do decisions cost what the posteriors promise?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import frozen
from stakes.application import Application, CostMatrix
from stakes.calibration.labelled_scores import read_cases
from stakes.decisions import bayes_decisions
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import read_posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, Name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionCalibration:
    """Per decision: cases, promised cost, actual cost, and their difference.

    What `decision_calibration` returns.

    Attributes
    ----------
    decisions : tuple of names
        The decisions, in the order of the cost matrix.
    cases : ndarray
        (Weighted) number of cases that got each decision.
    promised, actual : ndarray
        Mean expected cost by the posteriors, and mean cost; nan for a decision never taken.
    standard_error : ndarray
        Of the difference; with two cases more that cost the least and the most a decision can,
        so that errors not yet seen are not taken for impossible.
    """

    decisions: tuple[Name, ...]
    cases: FloatArray
    promised: FloatArray
    actual: FloatArray
    standard_error: FloatArray

    @property
    def difference(self) -> FloatArray:
        """`promised` - `actual`; negative where the posteriors are too hopeful."""
        return self.promised - self.actual

    @property
    def total(self) -> float:
        """Promised minus actual cost per case, over all decisions."""
        taken = self.cases > 0
        return float(self.cases[taken] @ self.difference[taken] / self.cases.sum())

    def frame(self) -> Frame:
        """One row per decision."""
        return Frame(
            {
                "decision": list(self.decisions),
                "cases": self.cases,
                "promised": self.promised,
                "actual": self.actual,
                "difference": self.difference,
                "standard_error": self.standard_error,
            }
        )

    def __repr__(self) -> str:
        return f"<DecisionCalibration: promised minus actual {self.total:.4g} per case>"


def decision_calibration(
    y_true: Any, posteriors: Any, *, costs: Any, sample_weight: Any = None
) -> DecisionCalibration:
    r"""Compare, decision by decision, the cost the posteriors promise with the cost that came.

    A classifier whose differences are all 0 can be trusted for these costs, even if it is not
    calibrated in every other sense. Look at it before believing an expected cost.

    .. math:: \mathrm{E}[c(q, d)\,|\,d] - \mathrm{E}[c(Y, d)\,|\,d]

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities; decisions are the Bayes decisions.
    costs : CostMatrix, Application or array-like
        Costs of each decision. Priors of an application are not used: promises and costs are both
        taken over these cases.
    sample_weight : array-like of shape (n_cases,), optional
        Weights.

    Returns
    -------
    DecisionCalibration
        One row per decision, in the units of the costs.

    References
    ----------
    .. [1] Zhao, Kim, Sahoo, Ma, Ermon, *Calibrating predictions to decisions*, NeurIPS 2021.

    Examples
    --------
    >>> result = decision_calibration([0, 1, 1, 1], [0.5, 0.5, 0.75, 0.75], costs=[[0, 1], [1, 0]])
    >>> result.promised.tolist(), result.actual.tolist()
    ([0.5, 0.25], [0.5, 0.0])
    """
    matrix = _matrix(costs)
    read = read_posteriors(posteriors, matrix.classes, ClassOrder(labels=y_true))
    cases = read_cases(read, y_true, sample_weight=sample_weight, classes=matrix.classes)
    taken, promised = bayes_decisions(read, matrix, with_cost=True)
    actual = matrix.values[cases.codes, taken]
    size, weights = len(matrix.decisions), cases.weights
    mass = np.bincount(taken, weights=weights, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        said = np.bincount(taken, weights=weights * promised, minlength=size) / mass
        came = np.bincount(taken, weights=weights * actual, minlength=size) / mass
        parts = weights * (promised - actual - (said - came)[taken])
        seen = np.bincount(taken, weights=parts**2, minlength=size) / mass**2
        number = mass**2 / np.bincount(taken, weights=weights**2, minlength=size)
        ends = (came - matrix.values.min(axis=0)) ** 2 + (matrix.values.max(axis=0) - came) ** 2
        error = np.sqrt(number**2 * seen + ends) / (number + 2.0)  # with two cases more
    return DecisionCalibration(
        matrix.decisions, *(frozen(part) for part in (mass, said, came, error))
    )


def _matrix(costs: Any) -> CostMatrix:
    """The cost matrix inside whatever was given."""
    if isinstance(costs, Application):
        return costs.costs
    return costs if isinstance(costs, CostMatrix) else CostMatrix(costs)
