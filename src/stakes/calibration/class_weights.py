"""The least cost over class weights, whatever the calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import frozen
from stakes._kernels.class_weights import best_weight
from stakes.application import Application
from stakes.calibration.cases import Cases, read_cases
from stakes.decisions import bayes_decisions
from stakes.posteriors import Posteriors
from stakes.typing import FloatArray

__all__ = ["ClassWeights", "best_class_weights"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassWeights:
    """Class weights of least cost on these cases, which is optimistic for others.

    What `best_class_weights` returns.

    Attributes
    ----------
    weights : ndarray
        One per class, with geometric mean 1; posteriors are multiplied by them before deciding.
    cost, actual : float
        Cost per case with these weights, and with all weights 1.
    sweeps : int
        Passes over the classes until nothing improved.
    """

    weights: FloatArray
    cost: float
    actual: float
    sweeps: int

    def decisions(self, posteriors: Any, costs: Any) -> Any:
        """Bayes decisions of the weighted posteriors."""
        read = posteriors if isinstance(posteriors, Posteriors) else Posteriors(posteriors)
        values = read.values * self.weights
        return bayes_decisions(values / values.sum(axis=1, keepdims=True), costs)

    def __repr__(self) -> str:
        return f"<ClassWeights: cost {self.actual:.4g} -> {self.cost:.4g} (optimistic)>"


def best_class_weights(
    y_true: Any, posteriors: Any, *, application: Application, sample_weight: Any = None
) -> ClassWeights:
    r"""Least cost over class weights, one class at a time with an exact line search.

    For two classes it is the minimum cost over thresholds; for more it is what the minimum
    detection cost is to verification: a cost that a mere shift of log-posteriors could reach.
    Report it beside the cost after calibration. Lower is better.

    .. math:: \min_{w>0} \sum_n u_n\, c(y_n, d_n), \qquad
       d_n = \arg\min_j \sum_i c_{ij} w_i q_{ni}

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    posteriors : Posteriors or array-like of shape (n_cases, n_classes)
        Probabilities.
    application : Application
        Costs and priors. Its priors weight the cases; the posteriors are used as they are. A class
        with a prior must have a case.
    sample_weight : array-like of shape (n_cases,), optional
        Weights.

    Returns
    -------
    ClassWeights
        The weights and the (optimistic) cost.

    Notes
    -----
    Along one weight the decision of each case follows the lower envelope of its expected costs, so
    the cost is piecewise constant and its minimum exact. Over all weights together the problem is
    hard: the result is a local minimum, never above the cost at weights 1.

    References
    ----------
    .. [1] Lachiche, Flach, *Improving accuracy and cost of two-class and multi-class probabilistic
       classifiers using ROC curves*, ICML 2003.

    Examples
    --------
    >>> app = Application([[0, 1], [1, 0]])
    >>> found = best_class_weights([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], application=app)
    >>> found.actual, found.cost
    (0.5, 0.0)
    """
    read = posteriors if isinstance(posteriors, Posteriors) else Posteriors(posteriors)
    cases = read_cases(
        read,
        y_true,
        sample_weight=sample_weight,
        classes=application.classes,
        priors=application.priors,
    )
    if cases.given:
        cases.need_all_classes("add cases of that class, or leave out the priors")
    share = cases.prior_weights() / cases.prior_weights().sum()
    costs, values = application.costs.values, read.values
    paid = costs[cases.codes] * share[:, None]
    weights, actual, best, sweeps = _descend(values, costs, paid)
    weights = weights / np.exp(np.log(weights).mean())
    cost = _cost(values * weights, costs, cases, share)
    if cost > min(best, actual):  # rounding at a tie: keep what is certain
        weights, cost = (np.ones(len(weights)), actual) if actual <= best else (weights, cost)
    return ClassWeights(frozen(weights), cost, actual, sweeps)


def _cost(values: FloatArray, costs: FloatArray, cases: Cases, share: FloatArray) -> float:
    """Cost per case of deciding by weighted posteriors."""
    decisions = (values @ costs).argmin(axis=1)
    return float(share @ costs[cases.codes, decisions])


def _descend(
    values: FloatArray, costs: FloatArray, paid: FloatArray
) -> tuple[FloatArray, float, float, int]:
    """Coordinate descent from weights 1: the weights, the cost there, the least cost, sweeps."""
    size = values.shape[1]
    weights = np.ones(size)
    rows = np.arange(len(values))
    actual = float(paid[rows, (values @ costs).argmin(axis=1)].sum())
    best, sweeps, improved = actual, 0, True
    while improved and sweeps < 50:
        improved, sweeps = False, sweeps + 1
        for k in range(size):
            rest = np.delete(np.arange(size), k)
            fixed = (values[:, rest] * weights[rest]) @ costs[rest]
            slope = np.outer(values[:, k], costs[k])
            weight, found = best_weight(fixed, slope, paid, float(weights[k]))
            if found < best - 1e-12 * (1.0 + abs(best)):
                weights[k], best, improved = weight, found, True
    return weights, actual, best, sweeps
