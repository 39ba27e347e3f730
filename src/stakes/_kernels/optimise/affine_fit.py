"""Temperature, affine and vector scaling: their objectives, minimised by Newton's method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.class_scores import (
    ClassScores,
    Floats,
    block_length,
    class_sums,
    margins,
    smoothed_sums,
    softmax_blocks,
    spread_out,
    weighted_sums,
)
from stakes._kernels.optimise.newton import (
    JUST_POSITIVE,
    TOLERANCE,
    Minimum,
    Objective,
    Slopes,
    is_settled,
    minimise,
    scaled_tolerance,
)


def _sums(values: Floats, mass: Floats) -> Floats:
    """Weighted sums along the cases; not by BLAS, whose threads would cost more than they save."""
    return np.asarray(np.einsum("...j,j->...", values, mass))


def _temperature_objective(
    scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats
) -> Objective:
    """Mean cross-entropy of softmax(scale * score + offset); one parameter, scale * spread."""
    unit, total = scores.spread, float(weights.sum())
    linear = float(sums[0].sum()) / unit

    def objective(theta: Floats) -> tuple[float, Floats, Floats]:
        value, mean, square = -float(offsets @ sums[1]), 0.0, 0.0
        blocks = softmax_blocks(scores, weights, float(theta[0]) / unit, offsets)
        for part, shares, totals, mass, log_totals in blocks:
            value += log_totals
            shares *= part
            centre = shares.sum(axis=0) / totals
            squares = np.einsum("ij,ij->j", shares, part) / totals
            mean += float(_sums(centre, mass))
            square += float(_sums(squares - centre * centre, mass))
        value = (value - float(theta[0]) * linear) / total
        first = np.array([(mean / unit - linear) / total])
        return value, first, np.array([[square / unit / unit / total]])

    return objective


def _affine_objective(
    scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats
) -> Objective:
    """Mean cross-entropy of softmax(scale * score + bias + offset).

    Parameters are scale * spread and the biases but the last, which is held at 0 because adding
    a constant to all changes nothing.
    """
    size, unit, total = len(scores.values), scores.spread, float(weights.sum())
    linear = np.append(sums[0].sum() / unit, sums[1][:-1])
    length = min(block_length(size), len(weights))
    spare, rows = np.empty(size * length), np.empty((size + 2, length))

    def objective(theta: Floats) -> tuple[float, Floats, Floats]:
        biases = offsets.copy()
        biases[:-1] += theta[1:]
        value, square = -float(offsets @ sums[1]), 0.0
        drawn, pairs = np.zeros(size), np.zeros((size + 1, size + 2))
        blocks = softmax_blocks(scores, weights, float(theta[0]) / unit, biases, rows)
        for part, posteriors, totals, mass, log_totals in blocks:
            value += log_totals
            root = np.sqrt(mass)
            posteriors *= root / totals
            product = np.multiply(posteriors, part, out=spare[: part.size].reshape(part.shape))
            filled = rows[:, : len(mass)]
            np.sum(product, axis=0, out=filled[size])
            filled[-1] = root
            pairs += filled[:-1] @ filled.T  # posteriors and mean score with these and 1
            product *= root
            drawn += product.sum(axis=1)
            square += float(np.einsum("ij,ij->i", product, part).sum())
        mass_sum, mean = pairs[:size, -1], pairs[-1, -1]
        gradient = np.append(mean / unit, mass_sum[:-1]) - linear
        side = (drawn - pairs[:size, -2])[:-1, None] / unit
        curve = (np.diag(mass_sum) - pairs[:size, :size])[:-1, :-1]
        corner = np.array([[(square - pairs[-1, -2]) / unit / unit]])
        hessian = np.block([[corner, side.T], [side, curve]])
        return (value - float(theta @ linear)) / total, gradient / total, hessian / total

    return objective


def _affine_slopes(scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats) -> Slopes:
    """Value and gradient of `_affine_objective`, in less than half of its time."""
    unit, total = scores.spread, float(weights.sum())
    linear = np.append(sums[0].sum() / unit, sums[1][:-1])

    def slopes(theta: Floats) -> tuple[float, Floats]:
        biases = offsets.copy()
        biases[:-1] += theta[1:]
        value, mean, mass_sum = -float(offsets @ sums[1]), 0.0, np.zeros(len(biases))
        blocks = softmax_blocks(scores, weights, float(theta[0]) / unit, biases)
        for part, shares, totals, mass, log_totals in blocks:
            value += log_totals
            each = mass / totals
            mass_sum += _sums(shares, each)
            mean += float(_sums(np.einsum("ij,ij->j", shares, part), each))
        gradient = np.append(mean / unit, mass_sum[:-1]) - linear
        return (value - float(theta @ linear)) / total, gradient / total

    return slopes


def _vector_objective(
    scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats
) -> Objective:
    """Mean cross-entropy with one scale per class; parameters (K scales * spread, K - 1 biases)."""
    size, unit, total = len(scores.values), scores.spread, float(weights.sum())
    linear = np.concatenate([sums[0] / unit, sums[1][:-1]])
    units = np.append(np.full(size, unit), np.ones(size - 1))
    index = np.arange(size)

    def objective(theta: Floats) -> tuple[float, Floats, Floats]:
        biases = offsets.copy()
        biases[:-1] += theta[size:]
        value = -float(offsets @ sums[1])
        first, square = np.zeros(2 * size), np.zeros(size)
        hessian = np.zeros((2 * size, 2 * size))
        blocks = softmax_blocks(scores, weights, theta[:size] / unit, biases)
        for part, posteriors, totals, mass, log_totals in blocks:
            value += log_totals
            posteriors /= totals
            both = np.concatenate([posteriors * part, posteriors])
            first += _sums(both, mass)
            square += np.einsum("ij,ij,j->i", both[:size], part, mass)
            both *= np.sqrt(mass)
            hessian -= both @ both.T
        hessian[index, index] += square
        hessian[index, size + index] += first[:size]
        hessian[size + index, index] += first[:size]
        hessian[size + index, size + index] += first[size:]
        value -= float(theta @ linear)
        curve = hessian[:-1, :-1] / units / units[:, None]
        return value / total, (first[:-1] / units - linear) / total, curve / total

    return objective


_PILOT = 20_000
#: Gradient at which the fit of a subsample is good enough.
_NEAR = 1e-4
#: Largest spread of the log-posteriors at the start; beyond it all posteriors are 0 or 1, and the
#: objective has no curvature.
_STEEPEST = 30.0


class Scaling(NamedTuple):
    """Fitted scales and biases for the scores as given, and how the search ended."""

    scales: Floats
    biases: Floats
    value: float
    gradient: float
    steps: int
    smoothed: bool


def _minimum(
    form: str, data: tuple[ClassScores, Floats, Floats, Floats], start: Floats, tolerance: float
) -> Minimum:
    """The optimum of a form, 'temperature', 'affine' or 'vector', on (scores, sums, ...)."""
    least = _least(form, data[0])
    if form == "affine":
        objective, slopes = _affine_objective(*data), _affine_slopes(*data)
        return minimise(objective, start, tolerance=tolerance, slopes=slopes, least=least)
    made = _vector_objective if form == "vector" else _temperature_objective
    return minimise(made(*data), start, tolerance=tolerance, least=least)


def _least(form: str, scores: ClassScores) -> Floats | None:
    """Lower bound of each parameter: 0 for scales of barred or held classes; None if unbounded.

    A negative scale would make a barred class certain, though it is never the true one.
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
    """Make scales that multiply minus infinity at least slightly positive."""
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
    """Starting parameters: the fit of a simpler form, or of one or two growing subsamples."""
    size, count = scores.values.shape
    simple = "temperature" if form == "temperature" else "affine"
    theta = np.full(1, min(scores.spread, _STEEPEST))
    if simple == "affine":
        theta = np.concatenate([theta, np.zeros(size - 1)])
    wanted = _PILOT // 10 if form == "temperature" else max(_PILOT, 200 * size)
    numbers = [number for number in (wanted, 10 * wanted) if count > 4 * number]
    for number in numbers or ([count] if form == "vector" else []):
        part = spread_out(count, number)
        few = scores if number == count else scores.rows(part)
        few_targets, few_weights = targets[part], weights[part]
        counts = weighted_sums(few_targets, few_weights, size)
        sums = smoothed_sums(few, few_targets, few_weights, counts)
        theta = _minimum(simple, (few, sums, few_weights, offsets), theta, _NEAR).parameters
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
    """Scales and biases of least weighted mean cross-entropy, and its value for the labels.

    `smoothing` True uses Platt's targets, False the labels themselves; None uses the labels
    unless the best parameters lie at infinity, because some parameters of this form separate the
    classes or because some would grow without end. Scales of classes that are barred in some case
    are positive; a scale that all classes share is positive if any of them is barred.
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
