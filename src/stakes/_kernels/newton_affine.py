"""Temperature, affine and vector scaling by Newton, begun at the fits of subsamples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.class_scores import (
    ClassScores,
    Floats,
    class_sums,
    margins,
    smoothed_sums,
    spread_out,
    weighted_sums,
)
from stakes._kernels.newton import (
    JUST_POSITIVE,
    TOLERANCE,
    Minimum,
    is_settled,
    minimise,
    scaled_tolerance,
)
from stakes._kernels.scaling_objectives import (
    affine_objective,
    affine_slopes,
    temperature_objective,
    vector_objective,
)

__all__ = ["Scaling", "fit_scaling"]

PILOT = 20_000
#: Gradient at which a subsample has told what it can.
NEAR = 1e-4
#: Spread of the log-posteriors at the start; beyond, all posteriors are 0 or 1 and nothing bends.
STEEPEST = 30.0


class Scaling(NamedTuple):
    """Fitted scales and biases for the scores as given, and how the search ended."""

    scales: Floats
    biases: Floats
    value: float
    gradient: float
    steps: int
    smoothed: bool


def _minimum(
    form: str,
    data: tuple[ClassScores, Floats, Floats, Floats],
    start: Floats,
    tolerance: float,
) -> Minimum:
    """The optimum of a form, 'temperature', 'affine' or 'vector', on (scores, sums, ...)."""
    least = _least(form, data[0])
    if form == "affine":
        objective, slopes = affine_objective(*data), affine_slopes(*data)
        return minimise(objective, start, tolerance=tolerance, slopes=slopes, least=least)
    made = vector_objective if form == "vector" else temperature_objective
    return minimise(made(*data), start, tolerance=tolerance, least=least)


def _least(form: str, scores: ClassScores) -> Floats | None:
    """The least of each parameter: 0 for scales of barred or held classes, or none at all.

    A negative scale would make certain of what the scores bar, and no such class is the true one.
    """
    if scores.barred is None and scores.held is None:
        return None
    size = len(scores.values)
    barred = np.zeros(size, dtype=bool) if scores.barred is None else scores.barred.any(axis=1)
    if scores.held is not None:
        barred = barred | scores.held
    if form == "vector":
        return np.concatenate([np.where(barred, 0.0, -np.inf), np.full(size - 1, -np.inf)])
    return np.append(0.0, np.full(size - 1 if form == "affine" else 0, -np.inf))


def _kept_signs(form: str, scores: ClassScores, scales: Floats) -> Floats:
    """Scales that multiply minus infinity are positive, if only just."""
    least = _least(form, scores)
    if least is None:
        return scales
    bars = np.isfinite(least[: len(scales)] if form == "vector" else least[:1])
    return np.where(bars, np.maximum(scales, JUST_POSITIVE), scales)


def _unpacked(form: str, theta: Floats, size: int, spread: float) -> tuple[Floats, Floats]:
    """Scales and biases, both of length K, biases summing to 0, for the scores as given."""
    if form == "vector":
        scales, biases = theta[:size], np.append(theta[size:], 0.0)
    else:
        scales = np.full(size, theta[0])
        biases = np.append(theta[1:], 0.0) if form == "affine" else np.zeros(size)
    return scales / spread, biases - biases.mean()


def _start(
    form: str, scores: ClassScores, targets: NDArray[np.intp], weights: Floats, offsets: Floats
) -> Floats:
    """Where to begin: the fit of a simpler form, or of subsamples, the second ten times larger."""
    size, count = scores.values.shape
    simple = "temperature" if form == "temperature" else "affine"
    theta = np.full(1, min(scores.spread, STEEPEST))
    if simple == "affine":
        theta = np.concatenate([theta, np.zeros(size - 1)])
    wanted = PILOT // 10 if form == "temperature" else max(PILOT, 200 * size)
    numbers = [number for number in (wanted, 10 * wanted) if count > 4 * number]
    for number in numbers or ([count] if form == "vector" else []):
        part = spread_out(count, number)
        few = scores if number == count else scores.rows(part)
        few_targets, few_weights = targets[part], weights[part]
        counts = weighted_sums(few_targets, few_weights, size)
        sums = smoothed_sums(few, few_targets, few_weights, counts)
        theta = _minimum(simple, (few, sums, few_weights, offsets), theta, NEAR).parameters
    if form == "vector":
        theta = np.concatenate([np.full(size, theta[0]), theta[1:]])
    return theta


def fit_scaling(
    form: str,
    scores: ClassScores,
    targets: NDArray[np.intp],
    weights: Floats,
    *,
    counts: Floats,
    offsets: Floats,
    smoothing: bool | None = None,
    tolerance: float = TOLERANCE,
) -> Scaling:
    """Scales and biases of least weighted mean cross-entropy, and that of the labels themselves.

    `smoothing` True uses Platt's targets, False the labels themselves; None uses the labels
    unless the best parameters lie at infinity, because some parameters of this form tell all
    cases apart or because some of them would go on growing. Scales of classes that are barred in
    some case are positive, for all of them where there is one scale.
    """
    size = len(scores.values)
    shares = weighted_sums(targets, weights) / weights.sum()
    tolerance = scaled_tolerance(tolerance, float(shares[shares > 0.0].min()))
    start = _start(form, scores, targets, weights, offsets)
    plain = class_sums(scores, targets, weights)
    sums, smoothed = plain, bool(smoothing)
    while True:
        if smoothed:
            sums = smoothed_sums(scores, targets, weights, counts)
        data = scores, sums, weights, offsets
        found = _minimum(form, data, start, tolerance)
        scales, biases = _unpacked(form, found.parameters, size, scores.spread)
        if smoothed or smoothing is False:
            break
        apart = margins(scores, targets, scales, biases + offsets) > 0.0
        if not apart and not is_settled(found, tolerance):
            found = _minimum(form, data, found.parameters, 1e-4 * tolerance)
            scales, biases = _unpacked(form, found.parameters, size, scores.spread)
        if not apart and is_settled(found, tolerance):
            break
        smoothed = True
    more = scales @ (sums - plain)[0] + (biases + offsets) @ (sums - plain)[1]
    value = found.value + float(more) / float(weights.sum())
    scales = _kept_signs(form, scores, scales)
    return Scaling(scales, biases, value, found.gradient, found.steps, smoothed)
