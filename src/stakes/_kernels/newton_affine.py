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
    block_length,
    class_sums,
    margins,
    smoothed_sums,
    softmax_blocks,
    weighted_sums,
)
from stakes._kernels.newton import (
    TOLERANCE,
    Objective,
    is_flat,
    minimise,
    scaled_tolerance,
)

__all__ = [
    "Scaling",
    "affine_objective",
    "fit_scaling",
    "temperature_objective",
    "vector_objective",
]

PILOT = 20_000
#: Gradient at which a subsample has told what it can.
NEAR = 1e-4
#: Spread of the log-posteriors at the start; beyond, all posteriors are 0 or 1 and nothing bends.
STEEPEST = 30.0
GRAM_ELEMENTS = 1 << 18


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


def temperature_objective(
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


class _Gram:
    """Sum of X W X^T over blocks of X (rows, cases), in few and large products.

    Every product wakes the threads of BLAS, which is slow on a busy machine.
    """

    def __init__(self, rows: int, count: int) -> None:
        self.width = max(1, min(count, GRAM_ELEMENTS // rows + block_length(rows)))
        self.kept = np.empty((rows, self.width))
        self.used = 0
        self.total = np.zeros((rows, rows))

    def add(self, roots: Floats, *values: Floats) -> None:
        """Take the rows of a block, one array below the other, and the roots of its weights."""
        more, row = len(roots), 0
        if self.used + more > self.width:
            self.flush()
        for part in values:
            rows = slice(row, row + len(part))
            np.multiply(part, roots, out=self.kept[rows, self.used : self.used + more])
            row += len(part)
        self.used += more

    def flush(self) -> Floats:
        """Add what is kept to the total, and return it."""
        part = self.kept[:, : self.used]
        self.total += part @ part.T
        self.used = 0
        return self.total


def affine_objective(
    scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats
) -> Objective:
    """Mean cross-entropy of softmax(scale * score + bias + offset).

    Parameters are scale * spread and the biases but the last, which is held at 0 because adding
    a constant to all changes nothing.
    """
    size, unit, total = len(scores.values), scores.spread, float(weights.sum())
    linear = np.append(sums[0].sum() / unit, sums[1][:-1])
    length = min(block_length(size), len(weights))
    spare, ones = np.empty(size * length), np.ones((1, length))

    def objective(theta: Floats) -> tuple[float, Floats, Floats]:
        biases = offsets.copy()
        biases[:-1] += theta[1:]
        value, square = -float(offsets @ sums[1]), 0.0
        drawn, gram = np.zeros(size), _Gram(size + 2, len(weights))
        blocks = softmax_blocks(scores, weights, float(theta[0]) / unit, biases)
        for part, posteriors, totals, mass, log_totals in blocks:
            value += log_totals
            posteriors /= totals
            product = np.multiply(posteriors, part, out=spare[: part.size].reshape(part.shape))
            centre = product.sum(axis=0, keepdims=True)
            drawn += _sums(product, mass)
            product *= part
            square += float(_sums(product, mass).sum())
            gram.add(np.sqrt(mass), posteriors, centre, ones[:, : len(mass)])
        pairs = gram.flush()  # of posteriors, mean score and 1
        mass_sum, mean = pairs[:size, -1], pairs[-2, -1]
        gradient = np.append(mean / unit, mass_sum[:-1]) - linear
        side = (drawn - pairs[:size, -2])[:-1, None] / unit
        curve = (np.diag(mass_sum) - pairs[:size, :size])[:-1, :-1]
        corner = np.array([[(square - pairs[-2, -2]) / unit / unit]])
        hessian = np.block([[corner, side.T], [side, curve]])
        return (value - float(theta @ linear)) / total, gradient / total, hessian / total

    return objective


def vector_objective(
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
        gram = _Gram(2 * size, len(weights))
        blocks = softmax_blocks(scores, weights, theta[:size] / unit, biases)
        for part, posteriors, totals, mass, log_totals in blocks:
            value += log_totals
            posteriors /= totals
            both = np.concatenate([posteriors * part, posteriors])
            first += _sums(both, mass)
            square += np.einsum("ij,ij,j->i", both[:size], part, mass)
            gram.add(np.sqrt(mass), both)
        hessian = -gram.flush()
        hessian[index, index] += square
        hessian[index, size + index] += first[:size]
        hessian[size + index, index] += first[:size]
        hessian[size + index, size + index] += first[size:]
        value -= float(theta @ linear)
        curve = hessian[:-1, :-1] / units / units[:, None]
        return value / total, (first[:-1] / units - linear) / total, curve / total

    return objective


def _objective(
    form: str, scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats
) -> Objective:
    """The objective of a form: 'temperature', 'affine' or 'vector'."""
    made = {
        "temperature": temperature_objective,
        "affine": affine_objective,
        "vector": vector_objective,
    }
    return made[form](scores, sums, weights, offsets)


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
    """Where to begin: the fit of a simpler form, or of subsamples, the second ten times larger."""
    size, count = scores.values.shape
    simple = "temperature" if form == "temperature" else "affine"
    theta = np.full(1, min(scores.spread, STEEPEST))
    if simple == "affine":
        theta = np.concatenate([theta, np.zeros(size - 1)])
    wanted = PILOT // 10 if form == "temperature" else max(PILOT, 200 * size)
    steps = [count // number for number in (wanted, 10 * wanted) if count > 4 * number]
    for step in steps or ([1] if form == "vector" else []):
        part = slice(None, None, step)
        few = scores if step == 1 else scores.rows(part)
        few_targets, few_weights = targets[part], np.ascontiguousarray(weights[part])
        counts = weighted_sums(few_targets, few_weights, size)
        sums = smoothed_sums(few, few_targets, few_weights, counts)
        objective = _objective(simple, few, sums, few_weights, offsets)
        theta = minimise(objective, theta, tolerance=NEAR).parameters
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
    shares = weighted_sums(targets, weights) / weights.sum()
    tolerance = scaled_tolerance(tolerance, float(shares[shares > 0.0].min()))
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
        scales = scales / scores.spread
        if smoothed or smoothing is False:
            break
        flat = is_flat(found.hessian, 10.0 * tolerance)
        if not (flat or margins(scores, targets, scales, biases + offsets) > 0.0):
            break
        smoothed = True
    return Scaling(scales, biases, found.value, found.gradient, found.steps, smoothed)
