"""Weighted logistic loss on one or a few features, summed over blocks of cases.

The objective is the weighted mean of ``softplus(t) - target * t`` with
``t = offset + sum_j coefficient_j feature_j``; the data enter the linear part only through the
sums of features weighted by the targets, so smoothing the targets costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.newton import Floats, Objective, Slopes

__all__ = ["BLOCK", "logistic_objective", "logistic_slopes", "target_sums"]

BLOCK = 8192


def target_sums(
    features: Sequence[Floats], targets: NDArray[Any], weights: Floats | None
) -> Floats:
    """Sum of each feature, and of the constant 1, weighted by targets and case weights."""
    sums = np.zeros(len(features) + 1)
    for start in range(0, len(targets), BLOCK):
        part = slice(start, start + BLOCK)
        mass = targets[part].astype(np.float64)
        if weights is not None:
            mass *= weights[part]
        sums += [*(np.dot(feature[part], mass) for feature in features), mass.sum()]
    return sums


def logistic_objective(
    features: Sequence[Floats], sums: Floats, weights: Floats | None, total: float
) -> Objective:
    """Value, gradient and Hessian of the mean logistic loss; the intercept comes last."""

    def objective(theta: Floats) -> tuple[float, Floats, Floats]:
        value, first = 0.0, np.zeros(len(theta))
        second = np.zeros((len(theta), len(theta)))
        for start in range(0, len(features[0]), BLOCK):
            part = [feature[start : start + BLOCK] for feature in features]
            mass = None if weights is None else weights[start : start + BLOCK]
            loss, slope, small, large = _block(theta, part, mass)
            value += loss
            first += slope
            second += _curvature(part, small, large, mass)
        return (value - float(theta @ sums)) / total, (first - sums) / total, second / total

    return objective


def logistic_slopes(
    features: Sequence[Floats], sums: Floats, weights: Floats | None, total: float
) -> Slopes:
    """Value and gradient of `logistic_objective`."""

    def slopes(theta: Floats) -> tuple[float, Floats]:
        value, first = 0.0, np.zeros(len(theta))
        for start in range(0, len(features[0]), BLOCK):
            part = [feature[start : start + BLOCK] for feature in features]
            mass = None if weights is None else weights[start : start + BLOCK]
            loss, slope, _, _ = _block(theta, part, mass)
            value += loss
            first += slope
        return (value - float(theta @ sums)) / total, (first - sums) / total

    return slopes


def _block(
    theta: Floats, part: list[Floats], mass: Floats | None
) -> tuple[float, Floats, Floats, Floats]:
    """Softplus sum and weighted feature sums of one block; exp(-|t|), and 1 more."""
    t = theta[0] * part[0]
    t += theta[-1]
    for coefficient, feature in zip(theta[1:-1], part[1:], strict=True):
        t += coefficient * feature
    small = np.abs(t)
    np.negative(small, out=small)
    np.exp(small, out=small)
    large = 1.0 + small
    softplus = np.log(large)
    softplus += np.maximum(t, 0.0)
    probability = np.where(t >= 0.0, 1.0, small)
    probability /= large
    if mass is not None:
        probability *= mass
    value = float(softplus.sum()) if mass is None else float(np.dot(softplus, mass))
    first = np.array([*(np.dot(feature, probability) for feature in part), probability.sum()])
    return value, first, small, large


def _curvature(part: list[Floats], small: Floats, large: Floats, mass: Floats | None) -> Floats:
    """Second derivatives of one block."""
    large *= large
    curvature = np.divide(small, large, out=large)
    if mass is not None:
        curvature *= mass
    second = np.empty((len(part) + 1, len(part) + 1))
    second[-1, -1] = curvature.sum()
    for i, feature in enumerate(part):
        bent = feature * curvature
        second[i, -1] = second[-1, i] = bent.sum()
        for j in range(i + 1):
            second[i, j] = second[j, i] = np.dot(part[j], bent)
    return second
