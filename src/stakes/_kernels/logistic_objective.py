"""Weighted logistic loss on one or a few features, summed over blocks of cases.

The objective is the weighted mean of ``softplus(t) - target * t`` with
``t = offset + sum_j coefficient_j feature_j``; the data enter the linear part only through the
sums of features weighted by the targets, so smoothing the targets costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.newton import Floats

__all__ = ["BLOCK", "LogisticLoss", "target_sums"]

BLOCK = 8192
#: Exponents below this do not overflow.
_SAFE = 700.0


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


class LogisticLoss:
    """The mean logistic loss of cases, as a function of coefficients and, last, the intercept."""

    def __init__(
        self, features: Sequence[Floats], sums: Floats, weights: Floats | None, total: float
    ) -> None:
        self.features, self.sums, self.weights, self.total = features, sums, weights, total
        ends = [max(-float(f.min(initial=0.0)), float(f.max(initial=0.0))) for f in features]
        self.farthest = np.array([*ends, 1.0])

    def objective(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian."""
        value, first = 0.0, np.zeros(len(theta))
        second = np.zeros((len(theta), len(theta)))
        for part, mass in self._blocks():
            loss, slope, curvature = self._block(theta, part, mass)
            value += loss
            first += slope
            second += _second(part, curvature)
        gradient = (first - self.sums) / self.total
        return (value - float(theta @ self.sums)) / self.total, gradient, second / self.total

    def slopes(self, theta: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        value, first = 0.0, np.zeros(len(theta))
        for part, mass in self._blocks():
            loss, slope, _ = self._block(theta, part, mass, bent=False)
            value += loss
            first += slope
        gradient = (first - self.sums) / self.total
        return (value - float(theta @ self.sums)) / self.total, gradient

    def _blocks(self) -> Iterator[tuple[list[Floats], Floats | None]]:
        """Features and weights of some of the cases at a time."""
        for start in range(0, len(self.features[0]), BLOCK):
            part = [feature[start : start + BLOCK] for feature in self.features]
            yield part, None if self.weights is None else self.weights[start : start + BLOCK]

    def _block(
        self, theta: Floats, part: list[Floats], mass: Floats | None, *, bent: bool = True
    ) -> tuple[float, Floats, Floats]:
        """Softplus sum and weighted feature sums of one block; curvature of each case if `bent`."""
        t = theta[0] * part[0]
        t += theta[-1]
        for coefficient, feature in zip(theta[1:-1], part[1:], strict=True):
            t += coefficient * feature
        softplus, probability, other = _sigmoid(t, float(np.abs(theta) @ self.farthest) < _SAFE)
        if mass is not None:
            probability *= mass
        value = float(softplus.sum()) if mass is None else float(np.dot(softplus, mass))
        first = np.array([*(np.dot(feature, probability) for feature in part), probability.sum()])
        if bent:
            other *= probability
        return value, first, other


def _sigmoid(t: Floats, safe: bool) -> tuple[Floats, Floats, Floats]:
    """Softplus of t, the probability, and one less it; `safe` if exp(t) cannot overflow."""
    if safe:
        probability = np.exp(t, out=t)
        large = 1.0 + probability
        probability /= large
        return np.log(large), probability, np.divide(1.0, large, out=large)
    small = np.abs(t)
    np.negative(small, out=small)
    np.exp(small, out=small)
    large = 1.0 + small
    softplus = np.log(large)
    softplus += np.maximum(t, 0.0)
    small /= large
    np.divide(1.0, large, out=large)
    up = t >= 0.0
    return softplus, np.where(up, large, small), np.where(up, small, large)


def _second(part: list[Floats], curvature: Floats) -> Floats:
    """Second derivatives of one block."""
    second = np.empty((len(part) + 1, len(part) + 1))
    second[-1, -1] = curvature.sum()
    for i, feature in enumerate(part):
        bent = feature * curvature
        second[i, -1] = second[-1, i] = bent.sum()
        for j in range(i + 1):
            second[i, j] = second[j, i] = np.dot(part[j], bent)
    return second
