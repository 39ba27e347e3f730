"""Softmax regression with a full matrix on class scores, by a Newton trust region.

Logits are ``W x + b``. Off-diagonal entries are held near 0 and diagonal entries near their
common scale by normal priors of stated spread, so that the optimum is unique and stays finite.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MatrixFit", "fit_matrix"]

TOLERANCE = 1e-5
BLOCK_ELEMENTS = 1 << 17

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
        self, scores: Floats, targets: NDArray[np.intp], weights: Floats, spreads: tuple[float, ...]
    ) -> None:
        count, size = scores.shape
        self.inputs = np.concatenate([scores, np.ones((count, 1))], axis=1)
        self.weights = weights / weights.sum()
        self.size, self.length = size, max(1024, BLOCK_ELEMENTS // size)
        hits = np.zeros((size, size + 1))
        np.add.at(hits, targets, self.weights[:, None] * self.inputs)
        self.linear = hits
        off, diagonal, bias = (1.0 / (weights.sum() * spread**2) for spread in spreads)
        self.penalty = np.full((size, size + 1), off)
        self.penalty[:, -1] = bias
        self.diagonal = diagonal
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
        pull = self._pull(theta)
        value = 0.5 * float(np.vdot(theta, pull)) - float(np.vdot(theta, self.linear))
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


def fit_matrix(
    scores: Floats,
    targets: NDArray[np.intp],
    weights: Floats,
    start: tuple[Floats, Floats],
    *,
    spreads: tuple[float, ...],
    tolerance: float = TOLERANCE,
) -> MatrixFit:
    """Matrix and biases of least penalised mean cross-entropy from `start` (scales, biases).

    `spreads` are the prior standard deviations of off-diagonal entries, of diagonal entries
    about their mean, and of biases. Scores are used as they are, shape (n, K).
    """
    from scipy.optimize import minimize

    problem = _Problem(scores, targets, weights, spreads)
    theta = np.concatenate([np.diag(start[0]), start[1][:, None]], axis=1)
    found = minimize(
        problem.value_and_gradient,
        theta.ravel(),
        jac=True,
        hessp=problem.curvature,
        method="trust-ncg",
        options={"gtol": tolerance, "maxiter": 500},
    )
    theta = found.x.reshape(theta.shape)
    biases = theta[:, -1] - theta[:, -1].mean()
    return MatrixFit(
        theta[:, :-1], biases, float(found.fun), float(np.abs(found.jac).max()), int(found.nit)
    )
