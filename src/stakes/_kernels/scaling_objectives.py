"""Cross-entropy of softmax regression on class scores with few parameters, in blocks of cases.

Logits are ``scale_k * score_k + bias_k``. Temperature has one scale and no bias, affine one
scale and K biases, vector K of each. The data enter the linear part only through the sums of
`class_scores`, so smoothing the targets costs nothing.
"""

from __future__ import annotations

import numpy as np

from stakes._kernels.class_scores import ClassScores, Floats, block_length, softmax_blocks
from stakes._kernels.newton import Objective, Slopes

__all__ = ["affine_objective", "affine_slopes", "temperature_objective", "vector_objective"]

GRAM_ELEMENTS = 1 << 18


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


def affine_slopes(scores: ClassScores, sums: Floats, weights: Floats, offsets: Floats) -> Slopes:
    """Value and gradient of `affine_objective`, in less than half of its time."""
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
