"""Softmax regression with a full matrix on class scores, by Newton steps of inner products.

Logits are ``W x + b``. Off-diagonal entries are held near 0 and diagonal entries near their
common scale by normal priors of stated spread, so that the optimum is unique and stays finite.
Steps are found by conjugate gradients, scaled by the diagonal of the Hessian, and shortened until
the objective falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.class_scores import doubts
from stakes._kernels.optimise.newton import scaled_tolerance

_TOLERANCE = 1e-5
_BLOCK_ELEMENTS = 1 << 17
_MAX_STEPS = 500
_MAX_INNER = 500

Floats = NDArray[np.float64]


class MatrixFit(NamedTuple):
    """Fitted matrix and biases, and how the search ended."""

    matrix: Floats
    biases: Floats
    value: float
    gradient: float
    steps: int


class _Problem:
    """Penalised mean cross-entropy of softmax(W x + b), with Hessian-vector products."""

    def __init__(
        self,
        scores: Floats,
        targets: NDArray[np.intp],
        weights: Floats,
        spreads: tuple[float, ...],
        middle: Floats,
        given: Floats | None = None,
    ) -> None:
        count, size = scores.shape
        self.inputs = np.concatenate([scores, np.ones((count, 1))], axis=1)
        self.weights = weights / weights.sum()
        self.size, self.length = size, max(1024, _BLOCK_ELEMENTS // size)
        leak = np.zeros(count) if given is None else self.weights * given / (size - 1)
        hits = np.zeros((size, size + 1))
        np.add.at(hits, targets, (self.weights - size * leak)[:, None] * self.inputs)
        self.linear = hits + leak @ self.inputs
        off, diagonal, bias = (1.0 / (weights.sum() * spread**2) for spread in spreads)
        self.penalty = np.full((size, size + 1), off)
        self.penalty[:, -1] = bias
        self.diagonal = diagonal
        self.centre = np.zeros((size, size + 1))
        self.centre[:, -1] = middle
        np.fill_diagonal(self.penalty, 0.0)
        self.cache: tuple[bytes, list[Floats]] | None = None

    def _pull(self, theta: Floats) -> Floats:
        """Gradient of the penalty; the diagonal is drawn to its own mean."""
        pull = self.penalty * theta
        own = np.diagonal(theta[:, :-1])
        index = np.arange(self.size)
        pull[index, index] = self.diagonal * (own - own.mean())
        return pull

    def _posteriors(self, theta: Floats, part: slice) -> tuple[Floats, Floats]:
        """Posteriors and log normalisers of one block."""
        logits = self.inputs[part] @ theta.T
        top = logits.max(axis=1, keepdims=True)
        np.exp(logits - top, out=logits)
        total = logits.sum(axis=1, keepdims=True)
        logits /= total
        return logits, (np.log(total) + top)[:, 0]

    def value_and_gradient(self, flat: Floats) -> tuple[float, Floats]:
        """Objective and gradient at a flat parameter vector."""
        theta = flat.reshape(self.size, self.size + 1)
        away = theta - self.centre
        pull = self._pull(away)
        value = 0.5 * float(np.vdot(away, pull)) - float(np.vdot(theta, self.linear))
        gradient = pull - self.linear
        for start in range(0, len(self.inputs), self.length):
            part = slice(start, start + self.length)
            posteriors, log_total = self._posteriors(theta, part)
            value += float(log_total @ self.weights[part])
            posteriors *= self.weights[part, None]
            gradient += posteriors.T @ self.inputs[part]
        return value, gradient.ravel()

    def _kept(self, flat: Floats) -> list[Floats]:
        """Posteriors of all blocks at the current parameters, computed once per step."""
        key = flat.tobytes()
        if self.cache is None or self.cache[0] != key:
            theta = flat.reshape(self.size, self.size + 1)
            starts = range(0, len(self.inputs), self.length)
            blocks = [self._posteriors(theta, slice(s, s + self.length))[0] for s in starts]
            self.cache = (key, blocks)
        return self.cache[1]

    def curvature(self, flat: Floats, direction: Floats) -> Floats:
        """Hessian times a direction."""
        step = direction.reshape(self.size, self.size + 1)
        bent = self._pull(step)
        for start in range(0, len(self.inputs), self.length):
            part = slice(start, start + self.length)
            posteriors = self._kept(flat)[start // self.length]
            moved = self.inputs[part] @ step.T
            moved -= np.einsum("ij,ij->i", moved, posteriors)[:, None]
            moved *= posteriors
            moved *= self.weights[part, None]
            bent += moved.T @ self.inputs[part]
        return bent.ravel()

    def stiffness(self, flat: Floats) -> Floats:
        """Diagonal of the Hessian."""
        found = self.penalty.copy()
        np.fill_diagonal(found, self.diagonal * (1.0 - 1.0 / self.size))
        for start in range(0, len(self.inputs), self.length):
            part = slice(start, start + self.length)
            posteriors = self._kept(flat)[start // self.length]
            spread = posteriors * (1.0 - posteriors) * self.weights[part, None]
            found += spread.T @ self.inputs[part] ** 2
        return found.ravel()


def fit_matrix(
    scores: Floats,
    targets: NDArray[np.intp],
    weights: Floats,
    start: tuple[Floats, Floats],
    *,
    counts: Floats,
    spreads: tuple[float, ...],
    middle: Floats | None = None,
    tolerance: float = _TOLERANCE,
) -> MatrixFit:
    """Matrix and biases of least penalised mean cross-entropy from `start` (scales, biases).

    `spreads` are the prior standard deviations of off-diagonal entries, of diagonal entries
    about their mean, and of biases about `middle` (0). Scores are used as they are, shape (n, K).
    Where the matrix tells all cases apart, each gives some of itself to the other classes, the
    more the fewer the `counts` of its class, or the mean of the diagonal would be infinite.
    """
    size = scores.shape[1]
    centre = np.zeros(size) if middle is None else middle
    shares = np.bincount(targets, weights=weights) / weights.sum()
    tolerance = scaled_tolerance(tolerance, float(shares[shares > 0.0].min()))
    theta = np.concatenate([np.diag(start[0]), start[1][:, None]], axis=1).ravel()
    found = _least(_Problem(scores, targets, weights, spreads, centre), theta, tolerance)
    logits = scores @ found.matrix.T + found.biases
    own = logits[np.arange(len(targets)), targets].copy()
    logits[np.arange(len(targets)), targets] = -np.inf
    if size > 1 and bool((own > logits.max(axis=1)).all()):
        given = doubts(counts)[targets]
        return _least(_Problem(scores, targets, weights, spreads, centre, given), theta, tolerance)
    return found


def _least(problem: _Problem, theta: Floats, tolerance: float) -> MatrixFit:
    """Newton's method, with steps halved until the objective falls."""
    value, gradient = problem.value_and_gradient(theta)
    steps = 0
    while np.abs(gradient).max() > tolerance and steps < _MAX_STEPS:
        step = _newton_step(problem, theta, gradient)
        slope, length = float(gradient @ step), 1.0
        if not slope < 0.0:
            break
        while length > 1e-10:
            reached, ahead = problem.value_and_gradient(theta + length * step)
            if reached <= value + 1e-4 * length * slope:
                break
            length /= 2.0
        else:
            break  # as exact as the arithmetic allows
        theta, value, gradient = theta + length * step, reached, ahead
        steps += 1
    found = theta.reshape(problem.size, problem.size + 1)
    biases = found[:, -1] - found[:, -1].mean()
    return MatrixFit(found[:, :-1], biases, value, float(np.abs(gradient).max()), steps)


def _newton_step(problem: _Problem, theta: Floats, gradient: Floats) -> Floats:
    """About minus the inverse Hessian times the gradient, the nearer the smaller that is."""
    scale = 1.0 / problem.stiffness(theta)
    step = np.zeros(len(theta))
    rest = -gradient
    pushed = scale * rest
    direction = pushed.copy()
    size = float(rest @ pushed)
    target = size * min(0.01, float(np.sqrt(size)))
    for _ in range(_MAX_INNER):
        bent = problem.curvature(theta, direction)
        curve = float(direction @ bent)
        if not curve > 0.0:
            break  # lost to rounding: what was found so far must do
        reach = size / curve
        step += reach * direction
        rest -= reach * bent
        pushed = scale * rest
        before, size = size, float(rest @ pushed)
        if size <= target:
            break
        direction = pushed + (size / before) * direction
    return step
