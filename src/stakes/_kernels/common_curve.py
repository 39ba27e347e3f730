"""One increasing curve through the log-posteriors of all classes, by projected Newton steps.

The curve is linear between fixed knots. Its slopes are held near 1, where it changes nothing, and
near each other, so that the optimum is unique and finite on any data.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["KNOTS", "CurveFit", "bent", "fit_curve"]

#: Where the slope of the curve changes: these posteriors, as logarithms.
KNOTS = np.log([1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 0.7])
TOLERANCE = 1e-8
FLOOR = 0.01
NEAR_FLOOR = 1e-3
MAX_STEPS = 100
BLOCK_ELEMENTS = 1 << 16

Floats = NDArray[np.float64]


class CurveFit(NamedTuple):
    """Slopes from the lowest posteriors to the highest, and how the search ended."""

    slopes: Floats
    value: float
    gradient: float
    steps: int


def segments(logs: Floats) -> Floats:
    """How far each log-posterior reaches into each piece: (pieces, ...), adding to it."""
    out = np.empty((len(KNOTS) + 1, *logs.shape))
    np.minimum(logs, KNOTS[0], out=out[0])
    for place, (low, high) in enumerate(pairwise(KNOTS), start=1):
        np.clip(logs, low, high, out=out[place])
        out[place] -= low
    np.maximum(logs, KNOTS[-1], out=out[-1])
    out[-1] -= KNOTS[-1]
    return out


def bent(logs: Floats, slopes: Floats) -> Floats:
    """The curve at each log-posterior; slopes of 1 give it back."""
    out: Floats = slopes[0] * logs
    for knot, more in zip(KNOTS, np.diff(slopes), strict=True):
        if more != 0.0:
            out += more * np.maximum(logs - knot, 0.0)
    return out


class _Problem:
    """Penalised mean cross-entropy of softmax(curve(x) + offsets), x log-posteriors (n, K)."""

    def __init__(
        self,
        logs: Floats,
        targets: NDArray[np.intp],
        weights: Floats,
        offsets: Floats,
        spreads: tuple[float, float],
    ) -> None:
        self.logs, self.offsets = logs, offsets
        self.weights = weights / weights.sum()
        pieces = len(KNOTS) + 1
        self.length = max(256, BLOCK_ELEMENTS // logs.shape[1])
        own = logs[np.arange(len(targets)), targets]
        self.hits = segments(own) @ self.weights
        self.fixed = float(self.weights @ offsets[targets])
        changes = np.diff(np.eye(pieces), axis=0)
        about_one, about_each_other = (1.0 / (weights.sum() * spread**2) for spread in spreads)
        self.penalty = about_one * np.eye(pieces) + about_each_other * changes.T @ changes

    def _blocks(self) -> Iterator[tuple[Floats, Floats]]:
        for start in range(0, len(self.logs), self.length):
            part = slice(start, start + self.length)
            yield self.logs[part], self.weights[part]

    def value(self, slopes: Floats) -> float:
        """The objective."""
        away = slopes - 1.0
        total = 0.5 * float(away @ self.penalty @ away) - float(slopes @ self.hits) - self.fixed
        for logs, weights in self._blocks():
            logits = bent(logs, slopes) + self.offsets
            top = logits.max(axis=1)
            total += float(weights @ (np.log(np.exp(logits - top[:, None]).sum(axis=1)) + top))
        return total

    def derivatives(self, slopes: Floats) -> tuple[Floats, Floats]:
        """Gradient and Hessian."""
        gradient = self.penalty @ (slopes - 1.0) - self.hits
        hessian = self.penalty.copy()
        for logs, weights in self._blocks():
            parts = segments(logs)
            posteriors = np.tensordot(slopes, parts, axes=1) + self.offsets
            posteriors -= posteriors.max(axis=1, keepdims=True)
            np.exp(posteriors, out=posteriors)
            posteriors *= (weights / posteriors.sum(axis=1))[:, None]
            flat = parts.reshape(len(slopes), -1)
            heavy = parts * posteriors
            means = heavy.sum(axis=2)
            gradient += means.sum(axis=1)
            hessian += heavy.reshape(flat.shape) @ flat.T
            with np.errstate(divide="ignore", invalid="ignore"):
                shares = np.where(weights > 0.0, means / weights, 0.0)
            hessian -= means @ shares.T
        return gradient, hessian


def fit_curve(
    logs: Floats,
    targets: NDArray[np.intp],
    weights: Floats,
    *,
    offsets: Floats,
    spreads: tuple[float, float],
    tolerance: float = TOLERANCE,
) -> CurveFit:
    """Slopes, at least 0.01, of least penalised mean cross-entropy.

    `spreads` are the prior standard deviations of a slope about 1 and of the difference of two
    neighbours. The gradient that is reported is what is left of it where a slope may still move.
    """
    problem = _Problem(logs, targets, weights, offsets, spreads)
    slopes = np.ones(len(KNOTS) + 1)
    value = problem.value(slopes)
    steps, left = 0, np.inf
    while steps < MAX_STEPS:
        gradient, hessian = problem.derivatives(slopes)
        left = float(np.abs(slopes - np.maximum(slopes - gradient, FLOOR)).max())
        if left <= tolerance:
            break
        held = (slopes <= FLOOR + NEAR_FLOOR) & (gradient > 0.0)
        step = -gradient / np.diagonal(hessian)
        free = np.flatnonzero(~held)
        step[free] = -np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        length = 1.0
        while True:
            trial = np.maximum(slopes + length * step, FLOOR)
            reached = problem.value(trial)
            if reached <= value + 1e-4 * float(gradient @ (trial - slopes)) or length < 1e-10:
                break
            length /= 2.0
        if length < 1e-10:
            break  # as exact as the arithmetic allows
        slopes, value = trial, reached
        steps += 1
    return CurveFit(slopes, value, left, steps)
