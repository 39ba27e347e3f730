"""Softmax regression on class scores with few parameters, by Newton in blocks.

Logits are ``scale_k * score_k + bias_k``. Temperature has one scale and no bias, affine one
scale and K biases, vector K of each. The data enter the linear part only through the sums of
`class_scores`, so smoothing the targets costs nothing.
"""

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
    softmax_blocks,
    weighted_sums,
)
from stakes._kernels.newton import TOLERANCE, Objective, minimise

__all__ = ["Scaling", "affine_objective", "fit_scaling", "vector_objective"]

PILOT = 20_000


class Scaling(NamedTuple):
    """Fitted scales and biases for the scores as given, and how the search ended."""

    scales: Floats
    biases: Floats
    value: float
    gradient: float
    steps: int
    smoothed: bool


def _sums(values: Floats, mass: Floats) -> Floats:
    """Weighted sums along the cases; small enough that waking BLAS threads would cost more."""
    return np.asarray(np.einsum("...j,j->...", values, mass))


def affine_objective(
    scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats, *, biased: bool
) -> Objective:
    """Mean cross-entropy of softmax(scale * score + bias + offset); parameters (scale, biases).

    The last bias is held at 0 (adding a constant to all changes nothing), so there are K
    parameters, or 1 without biases.
    """
    size = len(scores.values)
    total = float(weights.sum())
    linear = np.array([sums[0].sum(), *(sums[1][:-1] if biased else ())])

    def objective(theta: Floats) -> tuple[float, Floats, Floats]:
        biases = offsets.copy()
        if biased:
            biases[:-1] += theta[1:]
        value, mean, square = -float(offsets @ sums[1]), 0.0, 0.0
        mass_sum, cross, outer = np.zeros(size), np.zeros(size), np.zeros((size, size))
        scales = np.full(size, theta[0])
        for part, posteriors, mass, log_total in softmax_blocks(scores, weights, scales, biases):
            value += log_total
            product = posteriors * part
            centre = product.sum(axis=0)
            drawn = centre * mass
            mean += float(drawn.sum())
            square += float(_sums(product * part, mass).sum()) - float(_sums(centre, drawn))
            if biased:
                mass_sum += _sums(posteriors, mass)
                cross += _sums(product, mass) - _sums(posteriors, drawn)
                outer += (posteriors * mass) @ posteriors.T
        gradient = np.array([mean, *(mass_sum[:-1] if biased else ())]) - linear
        hessian = np.array([[square]])
        if biased:
            side = cross[:-1, None]
            curve = (np.diag(mass_sum) - outer)[:-1, :-1]
            hessian = np.block([[hessian, side.T], [side, curve]])
        return (value - float(theta @ linear)) / total, gradient / total, hessian / total

    return objective


def vector_objective(
    scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats
) -> Objective:
    """Mean cross-entropy with one scale per class; parameters (K scales, K - 1 biases)."""
    size = len(scores.values)
    total = float(weights.sum())
    linear = np.concatenate([sums[0], sums[1][:-1]])
    index = np.arange(size)

    def objective(theta: Floats) -> tuple[float, Floats, Floats]:
        biases = offsets.copy()
        biases[:-1] += theta[size:]
        value = -float(offsets @ sums[1])
        first, square = np.zeros(2 * size), np.zeros(size)
        outer = np.zeros((2 * size, 2 * size))
        for part, posteriors, mass, log_total in softmax_blocks(
            scores, weights, theta[:size], biases
        ):
            value += log_total
            both = np.concatenate([posteriors * part, posteriors])
            weighted = both * mass
            first += weighted.sum(axis=1)
            square += np.einsum("ij,ij->i", weighted[:size], part)
            outer += weighted @ both.T
        hessian = -outer
        hessian[index, index] += square
        hessian[index, size + index] += first[:size]
        hessian[size + index, index] += first[:size]
        hessian[size + index, size + index] += first[size:]
        value -= float(theta @ linear)
        return value / total, (first[:-1] - linear) / total, hessian[:-1, :-1] / total

    return objective


def _objective(
    form: str, scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats
) -> Objective:
    """The objective of a form: 'temperature', 'affine' or 'vector'."""
    if form == "vector":
        return vector_objective(scores, sums, weights, offsets)
    return affine_objective(scores, sums, weights, offsets, biased=form == "affine")


def _unpacked(form: str, theta: Floats, size: int) -> tuple[Floats, Floats]:
    """Scales and biases, both of length K, biases summing to 0."""
    if form == "vector":
        scales, biases = theta[:size], np.append(theta[size:], 0.0)
    else:
        scales = np.full(size, theta[0])
        biases = np.append(theta[1:], 0.0) if form == "affine" else np.zeros(size)
    return scales, biases - biases.mean()


def _start(
    form: str, scores: ClassScores, targets: NDArray[np.intp], weights: Floats, offsets: Floats
) -> Floats:
    """Where to begin: the fit of a simpler form, or of a regular subsample of many cases."""
    size, count = scores.values.shape
    theta = np.full(1, scores.spread)
    if form != "temperature":
        theta = np.concatenate([theta, np.zeros(size - 1)])
    wanted = max(PILOT, 200 * size)
    many = count > 4 * wanted
    if many or form == "vector":
        few, few_targets, few_weights = scores, targets, weights
        if many:
            part = slice(None, None, count // wanted)
            few, few_targets = scores.rows(part), targets[part]
            few_weights = np.ascontiguousarray(weights[part])
        counts = weighted_sums(few_targets, few_weights, size)
        sums = smoothed_sums(few, few_targets, few_weights, counts)
        simple = "temperature" if form == "temperature" else "affine"
        objective = _objective(simple, few, sums, few_weights, offsets)
        theta = minimise(objective, theta, tolerance=1e-5).parameters
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
    """Scales and biases of least weighted mean cross-entropy.

    `smoothing` True uses Platt's targets, False the labels themselves; None uses the labels
    unless the best parameters lie at infinity, because some parameters of this form tell all
    cases apart or because the curvature has vanished in some direction.
    """
    size = len(scores.values)
    start = _start(form, scores, targets, weights, offsets)
    smoothed = bool(smoothing)
    while True:
        if smoothed:
            sums = smoothed_sums(scores, targets, weights, counts)
        else:
            sums = class_sums(scores, targets, weights)
        objective = _objective(form, scores, sums, weights, offsets)
        found = minimise(objective, start, tolerance=tolerance)
        scales, biases = _unpacked(form, found.parameters, size)
        if smoothed or smoothing is False:
            break
        flat = np.linalg.eigvalsh(found.hessian)[0] <= 10.0 * tolerance
        if not (flat or margins(scores, targets, scales, biases + offsets) > 0.0):
            break
        smoothed = True
    return Scaling(
        scales / scores.spread, biases, found.value, found.gradient, found.steps, smoothed
    )
