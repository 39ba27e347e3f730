"""Weighted binary logistic regression on one or a few features, by Newton in blocks.

The objective is the weighted mean of ``softplus(t) - target * t`` with
``t = offset + sum_j coefficient_j feature_j``; the data enter the linear part only through the
sums of features weighted by the targets, so smoothing the targets costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.newton import (
    TOLERANCE,
    Floats,
    Minimum,
    Objective,
    minimise,
    scaled_tolerance,
)

__all__ = ["Line", "fit_line", "fit_logistic", "logistic_objective", "target_sums"]

BLOCK = 8192
PILOT = 40_000


def target_sums(
    features: Sequence[Floats], targets: NDArray[Any], weights: Floats | None
) -> Floats:
    """Sum of each feature, and of the constant 1, weighted by targets and case weights."""
    mass = targets.astype(np.float64) if weights is None else targets * weights
    return np.array([*(float(np.dot(feature, mass)) for feature in features), float(mass.sum())])


def logistic_objective(
    features: Sequence[Floats],
    sums: Floats,
    weights: Floats | None,
    total: float,
) -> Objective:
    """Value, gradient and Hessian of the mean logistic loss; the intercept comes last."""
    count, size = len(features[0]), len(features) + 1

    def objective(theta: Floats) -> tuple[float, Floats, Floats]:
        value, mean, second = 0.0, np.zeros(size), np.zeros((size, size))
        for start in range(0, count, BLOCK):
            part = [feature[start : start + BLOCK] for feature in features]
            mass = None if weights is None else weights[start : start + BLOCK]
            loss, first, curve = _block(theta, part, mass)
            value += loss
            mean += first
            second += curve
        value = (value - float(theta @ sums)) / total
        return value, (mean - sums) / total, second / total

    return objective


def _block(theta: Floats, part: list[Floats], mass: Floats | None) -> tuple[float, Floats, Floats]:
    """Softplus sum, weighted feature sums and curvature of one block."""
    t = theta[-1] + theta[0] * part[0]
    for coefficient, feature in zip(theta[1:-1], part[1:], strict=True):
        t += coefficient * feature
    small = np.exp(-np.abs(t))
    large = 1.0 + small
    softplus = np.log(large)
    softplus += np.maximum(t, 0.0)
    probability = np.where(t >= 0.0, 1.0, small)
    probability /= large
    curvature = small / (large * large)
    if mass is not None:
        probability *= mass
        curvature *= mass
    value = float(softplus.sum()) if mass is None else float(np.dot(softplus, mass))
    size = len(theta)
    first, second = np.empty(size), np.empty((size, size))
    first[-1], second[-1, -1] = probability.sum(), curvature.sum()
    for i, feature in enumerate(part):
        first[i] = np.dot(feature, probability)
        bent = feature * curvature
        second[i, -1] = second[-1, i] = bent.sum()
        for j in range(i + 1):
            second[i, j] = second[j, i] = np.dot(part[j], bent)
    return value, first, second


def fit_logistic(
    features: Sequence[Floats],
    targets: NDArray[Any],
    weights: Floats | None,
    *,
    tolerance: float = TOLERANCE,
) -> Minimum:
    """Coefficients and intercept of least weighted mean log loss.

    Features should be centred and scaled by the caller. With many cases a regular subsample is
    fitted first, so that the whole data are passed over two or three times only.
    """
    count = len(features[0])
    start = np.zeros(len(features) + 1)
    if count > 4 * PILOT:
        step = count // PILOT
        pilot = [np.ascontiguousarray(feature[::step]) for feature in features]
        part = targets[::step]
        mass = None if weights is None else np.ascontiguousarray(weights[::step])
        used = part if mass is None else part[mass > 0]
        if used.min(initial=2) < 0.5 < used.max(initial=-1):
            rough = fit_logistic(pilot, part, mass, tolerance=1e-6)
            if np.abs(rough.parameters).max() < 1e3:
                start = rough.parameters
    total = float(count) if weights is None else float(weights.sum())
    sums = target_sums(features, targets, weights)
    return minimise(logistic_objective(features, sums, weights, total), start, tolerance=tolerance)


class Line(NamedTuple):
    """Slope and intercept of log odds on the scores as given, and how the search ended."""

    slope: float
    intercept: float
    value: float
    gradient: float
    steps: int
    smoothed: bool


def _deviation(scores: Floats, centre: float, weights: Floats) -> float:
    """Weighted standard deviation, also where squares overflow."""
    with np.errstate(over="ignore"):
        spread = float(np.sqrt(np.average((scores - centre) ** 2, weights=weights)))
    if np.isfinite(spread):
        return spread
    unit = float(np.abs(scores).max())
    far = scores / unit - centre / unit
    return unit * float(np.sqrt(np.average(far * far, weights=weights)))


def fit_line(
    scores: Floats,
    positive: NDArray[np.bool_],
    weights: Floats,
    *,
    counts: Floats,
    smoothing: bool | None = None,
    tolerance: float = TOLERANCE,
) -> Line:
    """Best line in one score. `smoothing` None uses Platt's targets only on separable data."""
    centre = float(np.average(scores, weights=weights))
    spread = _deviation(scores, centre, weights)
    if spread <= 1e-9 * abs(centre) and np.ptp(scores[weights > 0.0]) == 0.0:
        scores, spread = np.zeros(len(scores)), 0.0  # rounding must not tell equals apart
        centre = 0.0
    smoothed = bool(smoothing)
    if smoothing is None and spread > 0.0:
        high, low = scores[positive], scores[~positive]
        smoothed = bool(low.max() <= high.min() or high.max() <= low.min())
    spread = spread if spread > 0.0 else 1.0
    if smoothed:
        targets = np.where(positive, (counts[1] + 1) / (counts[1] + 2), 1 / (counts[0] + 2))
    else:
        targets = positive
    share = float(weights[positive].sum()) / float(weights.sum())
    close = scaled_tolerance(tolerance, min(share, 1.0 - share))
    found = fit_logistic([(scores - centre) / spread], targets, weights, tolerance=close)
    slope = float(found.parameters[0]) / spread
    intercept = float(found.parameters[1]) - slope * centre
    return Line(slope, intercept, found.value, found.gradient, found.steps, smoothed)
