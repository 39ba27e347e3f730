"""Weighted logistic regression of two classes, and softmax regression with a full matrix, by
Newton steps.

Logits are ``W x + b``. Off-diagonal entries are held near 0 and diagonal entries near their
common scale by normal priors of stated spread, so that the optimum is unique and stays finite.
Steps are found by conjugate gradients, scaled by the diagonal of the Hessian, and shortened until
the objective falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.class_scores import doubts, spread_out
from stakes._kernels.fast_loops import ordinary_scale
from stakes._kernels.optimise.newton import (
    JUST_POSITIVE,
    TOLERANCE,
    Floats,
    Minimum,
    minimise,
    scaled_tolerance,
)

_BLOCK = 8192
#: Exponents below this do not overflow.
_SAFE = 700.0


def _target_sums(
    features: Sequence[Floats], targets: NDArray[Any], weights: Floats | None
) -> Floats:
    """Sum of each feature, and of the constant 1, weighted by targets and case weights."""
    sums = np.zeros(len(features) + 1)
    for start in range(0, len(targets), _BLOCK):  # blocks stay in the cache
        part = slice(start, start + _BLOCK)
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
        second = np.zeros((len(theta), len(theta)))
        value, gradient = self.slopes(theta, second)
        return value, gradient, second / self.total

    def slopes(self, theta: Floats, second: Floats | None = None) -> tuple[float, Floats]:
        """Value and gradient; second derivatives are added to `second`, if given."""
        value, first = 0.0, np.zeros(len(theta))
        for start in range(0, len(self.features[0]), _BLOCK):
            rows = slice(start, start + _BLOCK)
            part = [feature[rows] for feature in self.features]
            mass = None if self.weights is None else self.weights[rows]
            loss, slope, curvature = self._block(theta, part, mass, bent=second is not None)
            value += loss
            first += slope
            if second is not None:
                second += _second(part, curvature)
        gradient = (first - self.sums) / self.total
        return (value - float(theta @ self.sums)) / self.total, gradient

    def _block(
        self, theta: Floats, part: list[Floats], mass: Floats | None, *, bent: bool
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
    """Softplus of t, the probability, and its complement; `safe` if exp(t) cannot overflow."""
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


_PILOT = 40_000


def fit_logistic(
    features: Sequence[Floats],
    targets: NDArray[Any],
    weights: Floats | None,
    *,
    tolerance: float = TOLERANCE,
    least: Floats | None = None,
) -> Minimum:
    """Coefficients and intercept of least weighted mean log loss, each at least its `least`.

    Features should be centred and scaled by the caller. With many cases a subsample is
    fitted first, so that the whole data are passed over two or three times only.
    """
    count = len(features[0])
    start = np.zeros(len(features) + 1)
    if count > 4 * _PILOT:
        part = spread_out(count, _PILOT)
        some = targets[part]
        mass = None if weights is None else weights[part]
        used = some if mass is None else some[mass > 0]
        if (used < 0.5).any() and (used > 0.5).any():
            rough = fit_logistic(
                [feature[part] for feature in features], some, mass, tolerance=1e-6
            )
            if np.abs(rough.parameters).max() < 1e3:
                start = rough.parameters
    total = float(count) if weights is None else float(weights.sum())
    loss = LogisticLoss(features, _target_sums(features, targets, weights), weights, total)
    return minimise(loss.objective, start, tolerance=tolerance, slopes=loss.slopes, least=least)


class Line(NamedTuple):
    """Slope and intercept of log odds on the scores as given, and how the search ended.

    `value` is the weighted mean log loss of the labels, also where targets were smoothed.
    """

    slope: float
    intercept: float
    value: float
    gradient: float
    steps: int
    smoothed: bool


def _standardised(scores: Floats, weights: Floats) -> tuple[Floats, float, float]:
    """Standardised scores, with their weighted mean and deviation (0 if all are equal)."""
    unit = ordinary_scale(scores)
    if unit != 1.0:  # or squares would overflow or vanish
        moved, centre, spread = _standardised(scores / unit, weights)
        return moved, unit * centre, unit * spread
    total = float(weights.sum())
    centre = float(np.dot(scores, weights)) / total
    moved = scores - centre
    spread = float(np.sqrt(np.einsum("i,i,i->", moved, moved, weights) / total))
    if spread <= 1e-9 * abs(centre) and np.ptp(scores[weights > 0.0]) == 0.0:
        return np.zeros(len(scores)), 0.0, 0.0  # rounding must not tell equals apart
    if spread > 0.0:
        moved /= spread
    return moved, centre, spread


def _told_apart(scores: Floats, positive: NDArray[np.bool_]) -> bool:
    """Whether the scores separate the classes; the first block usually shows that they do not."""
    for some in (slice(_BLOCK), slice(None)):
        part, mask = scores[some], positive[some]
        low, high = (
            (s.min(initial=np.inf), s.max(initial=-np.inf)) for s in (part[~mask], part[mask])
        )
        if low[1] > high[0] and high[1] > low[0]:
            return False
    return True


def fit_line(
    scores: Floats,
    positive: NDArray[np.bool_],
    weights: Floats,
    *,
    counts: Floats,
    smoothing: bool | None = None,
    rising: bool = False,
    tolerance: float = TOLERANCE,
) -> Line:
    """Best line in one score. `smoothing` None uses Platt's targets only on separable data.

    A `rising` line has a positive slope: where the best one would fall, the slope is
    `JUST_POSITIVE`, which is flat for finite scores.
    """
    standard, centre, spread = _standardised(scores, weights)
    smoothed = bool(smoothing)
    if smoothing is None and spread > 0.0:
        smoothed = _told_apart(scores, positive)
    spread = spread if spread > 0.0 else 1.0
    targets = _platt(positive, counts) if smoothed else positive
    share = float(_target_sums([], positive, weights)[0]) / float(weights.sum())
    close = scaled_tolerance(tolerance, min(share, 1.0 - share))
    found = fit_logistic([standard], targets, weights, tolerance=close)
    if rising and found.parameters[0] <= 0.0:
        smoothed = bool(smoothing)  # no rising line tells them apart
        targets = _platt(positive, counts) if smoothed else positive
        found = fit_logistic([np.zeros(len(scores))], targets, weights, tolerance=close)
        slope, intercept = JUST_POSITIVE, float(found.parameters[1])
    else:
        slope = float(found.parameters[0]) / spread
        intercept = float(found.parameters[1]) - slope * centre
    value = found.value
    if smoothed:
        more = _target_sums([standard], targets - positive, weights)
        value += float(found.parameters @ more) / float(weights.sum())
    return Line(slope, intercept, value, found.gradient, found.steps, smoothed)


def _platt(positive: NDArray[np.bool_], counts: Floats) -> Floats:
    """Platt's smoothed targets, from the number of cases of each class."""
    return np.asarray(np.where(positive, (counts[1] + 1) / (counts[1] + 2), 1 / (counts[0] + 2)))


_TOLERANCE = 1e-5
_BLOCK_ELEMENTS = 1 << 17
_MAX_STEPS = 500
_MAX_INNER = 500


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
        self.size, length = size, max(1024, _BLOCK_ELEMENTS // size)
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
        self.parts = [slice(k, k + length) for k in range(0, count, length)]

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
        for part in self.parts:
            posteriors, log_total = self._posteriors(theta, part)
            value += float(log_total @ self.weights[part])
            posteriors *= self.weights[part, None]
            gradient += posteriors.T @ self.inputs[part]
        return value, gradient.ravel()

    def posteriors(self, flat: Floats) -> list[tuple[slice, Floats]]:
        """Posteriors of all cases, block by block, for `curvature` and `stiffness`."""
        theta = flat.reshape(self.size, self.size + 1)
        return [(part, self._posteriors(theta, part)[0]) for part in self.parts]

    def curvature(self, at: list[tuple[slice, Floats]], direction: Floats) -> Floats:
        """Hessian times a direction, where the posteriors are these."""
        step = direction.reshape(self.size, self.size + 1)
        bent = self._pull(step)
        for part, posteriors in at:
            moved = self.inputs[part] @ step.T
            moved -= np.einsum("ij,ij->i", moved, posteriors)[:, None]
            moved *= posteriors
            moved *= self.weights[part, None]
            bent += moved.T @ self.inputs[part]
        return bent.ravel()

    def stiffness(self, at: list[tuple[slice, Floats]]) -> Floats:
        """Diagonal of the Hessian."""
        found = self.penalty.copy()
        np.fill_diagonal(found, self.diagonal * (1.0 - 1.0 / self.size))
        for part, posteriors in at:
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
    If the matrix separates the classes, the mean of the diagonal would be infinite; each case then
    gives a share to the other classes, a larger one the smaller the `counts` of its class.
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
    """Roughly minus the inverse Hessian times the gradient; more exact for small gradients."""
    posteriors = problem.posteriors(theta)
    scale = 1.0 / problem.stiffness(posteriors)
    step = np.zeros(len(theta))
    rest = -gradient
    pushed = scale * rest
    direction = pushed.copy()
    size = float(rest @ pushed)
    target = size * min(0.01, float(np.sqrt(size)))
    for _ in range(_MAX_INNER):
        bent = problem.curvature(posteriors, direction)
        curve = float(direction @ bent)
        if not curve > 0.0:
            break  # lost to rounding: keep what was found so far
        reach = size / curve
        step += reach * direction
        rest -= reach * bent
        pushed = scale * rest
        before, size = size, float(rest @ pushed)
        if size <= target:
            break
        direction = pushed + (size / before) * direction
    return step
