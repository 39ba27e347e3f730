"""The metrics of Table 2 for many outcomes at once, with the authors' conventions where 0/0."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes import CostMatrix
from stakes.metrics import catalogue, matched_beta
from stakes.papers.wa2025.case_costs import ErrorCosts
from stakes.typing import FloatArray

#: Metrics that do not look at costs, by the paper's name: the name in the catalogue.
_FREE = {
    "accuracy": "accuracy",
    "CBA": "class_balance_accuracy",
    "IAM": "imbalance_accuracy",
    "H": "beta_averaged_accuracy",
    "kappa": "kappa",
    "informedness": "informedness",
    "ROC-AUC": "balanced_accuracy",
    "MCC": "mcc",
    "markedness": "markedness",
    "precision": "precision",
    "NPV": "negative_predictive_value",
    "P4": "p4",
    "G-mean": "geometric_mean",
    "Jaccard": "jaccard",
    "F1": "f1",
    "recall": "recall",
    "B-ROC": "precision_recall_mean",
    "specificity": "specificity",
}
#: Also rated "as coded": with costs, the authors' code integrates by trapezoids; without, it adds
#: 1e-9 to a denominator, which breaks ties.
_CODED = {"precision", "NPV", "H informed", "EWA"}
#: In the order of the paper's figures.
METRICS = (
    "accuracy", "CBA", "IAM", "H", "WCA", "kappa", "informedness", "ROC-AUC", "WRA", "MCC",
    "markedness", "precision", "NPV", "P4", "G-mean", "Jaccard", "F1", "recall", "B-ROC",
    "specificity", "ACD", "WA", "H informed", "EWA",
)  # fmt: skip
#: The interior points at which the authors' code takes the density of a Beta distribution.
POINTS = np.linspace(0, 1, 1000)[1:-1]
#: Scores that differ by less are equal but for rounding.
_DECIMALS = 12
_TINY = 1e-9


def free_scores(tables: FloatArray) -> dict[str, FloatArray]:
    """Scores, higher is better, of the metrics without costs."""
    (tn, fp), (fn, tp) = np.moveaxis(tables, (-2, -1), (0, 1))
    return {
        **{name: np.round(_value(name, tables), _DECIMALS) for name in _FREE},
        "precision as coded": tp / (tp + fp + _TINY),
        "NPV as coded": tn / (tn + fn + _TINY),
    }


def as_coded(metric: str) -> str:
    """The name under which a metric of the figures stands as the authors' code computes it."""
    return f"{metric} as coded" if metric in _CODED else metric


def costed_scores(tables: FloatArray, costs: ErrorCosts, ratio: float) -> dict[str, FloatArray]:
    """Scores, higher is better, of the metrics with costs.

    As in the paper they take the nominal cost ratio; H informed and EWA take the Beta distribution
    that matches the customers' own ratios.
    """
    matrix = CostMatrix.binary(false_positive=1.0, false_negative=ratio / (1 - ratio))
    shares = costs.shares
    alpha, beta = matched_beta(shares)
    found = {
        "WCA": _with(tables, "weighted_class_accuracy", application=matrix),
        "WRA": _with(tables, "weighted_relative_accuracy", application=matrix),
        "ACD": -_with(tables, "accuracy_cost_distance", application=matrix),
        "WA": _with(tables, "weighted_accuracy", weight=ratio),
        "H informed": _with(tables, "matched_beta_accuracy", shares=shares),
        # The Beta distribution is one of c = 1 - w, hence the order of its parameters.
        "EWA": _with(tables, "expected_weighted_accuracy", alpha=beta, beta=alpha),
        "H informed as coded": trapezoid_h(tables, alpha, beta),
        "EWA as coded": _trapezoid_ewa(tables, alpha, beta),
    }
    return {name: np.round(value, _DECIMALS) for name, value in found.items()}


def beta_density_mass(alpha: float, beta: float) -> float:
    """Mass of a Beta distribution that the authors' trapezoid rule sees; 1 would be all of it."""
    return float(_trapezoid_weights(alpha, beta).sum())


def _with(tables: FloatArray, name: str, **settings: Any) -> FloatArray:
    """A catalogued metric with its parameters."""
    return catalogue[name].fixed(**settings).values(tables)


def _value(name: str, tables: FloatArray) -> FloatArray:
    """A metric without costs; where it is 0/0, what the authors' code gives."""
    value = catalogue[_FREE[name]].values(tables)
    unknown = np.isnan(value)
    if not unknown.any():
        return value
    (tn, fp), (fn, tp) = np.moveaxis(tables, (-2, -1), (0, 1))
    instead = {
        "markedness": np.where(tp + fp == 0, -fn / (tn + fn + _TINY), tp / (tp + fp + _TINY)),
        "B-ROC": tp / (tp + fn) / 2,
    }.get(name, np.zeros_like(value))
    return np.where(unknown, instead, value)


def _trapezoid_weights(alpha: float, beta: float) -> FloatArray:
    """Weights of the 998 points: the density times the width that the trapezoid rule gives it."""
    from scipy.special import betaln, xlog1py, xlogy

    width = np.full(POINTS.size, POINTS[1] - POINTS[0])
    width[[0, -1]] /= 2
    log_density = xlogy(alpha - 1, POINTS) + xlog1py(beta - 1, -POINTS) - betaln(alpha, beta)
    return np.asarray(np.exp(log_density) * width)


def trapezoid_h(tables: FloatArray, alpha: float, beta: float) -> FloatArray:
    """H by its definition in Table 2, the integrals by trapezoids.

    Both are linear in c, so that they need only the mass and the first moment of its density.
    """
    weights = _trapezoid_weights(alpha, beta)
    alarm = float(weights @ POINTS)
    miss = float(weights.sum()) - alarm
    (tn, fp), (fn, tp) = np.moveaxis(tables, (-2, -1), (0, 1))
    whole = alarm * (tn + fp) + miss * (fn + tp)
    return np.asarray(1 - (alarm * fp + miss * fn) / whole)


def _trapezoid_ewa(tables: FloatArray, alpha: float, beta: float) -> FloatArray:
    """EWA by trapezoids; all tables must have the same class totals."""
    weights = _trapezoid_weights(alpha, beta)
    negatives, positives = tables.reshape(-1, 2, 2)[0].sum(axis=1)
    whole = positives * (1 - POINTS) + negatives * POINTS
    hits, rest = float(weights @ ((1 - POINTS) / whole)), float(weights @ (POINTS / whole))
    return np.asarray(hits * tables[..., 1, 1] + rest * tables[..., 0, 0])
