"""Increasing curves through scores: one for all classes, or one as smooth as the counts suggest."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.optimise.newton import Minimum, minimise

#: Where the slope of the curve changes: these posteriors, as logarithms.
KNOTS = np.log([1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 0.7])
_FLOOR = 0.01
_BLOCK_ELEMENTS = 1 << 16

Floats = NDArray[np.float64]


def _segments(logs: Floats) -> Floats:
    """The part of each log-posterior in each piece, (pieces, ...); the parts add to it."""
    out = np.empty((len(KNOTS) + 1, *logs.shape))
    np.minimum(logs, KNOTS[0], out=out[0])
    for place, (low, high) in enumerate(pairwise(KNOTS), start=1):
        np.clip(logs, low, high, out=out[place])
        out[place] -= low
    np.maximum(logs, KNOTS[-1], out=out[-1])
    out[-1] -= KNOTS[-1]
    return out


def bent(logs: Floats, slopes: Floats) -> Floats:
    """The curve at each log-posterior; slopes of 1 change nothing."""
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
        self.length = max(256, _BLOCK_ELEMENTS // logs.shape[1])
        own = logs[np.arange(len(targets)), targets]
        self.hits = _segments(own) @ self.weights
        self.fixed = float(self.weights @ offsets[targets])
        changes = np.diff(np.eye(pieces), axis=0)
        about_one, about_each_other = (1.0 / (weights.sum() * spread**2) for spread in spreads)
        self.penalty = about_one * np.eye(pieces) + about_each_other * changes.T @ changes

    def objective(self, slopes: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian."""
        away = slopes - 1.0
        gradient, hessian = self.penalty @ away - self.hits, self.penalty.copy()
        value = 0.5 * float(away @ self.penalty @ away) - float(slopes @ self.hits) - self.fixed
        for start in range(0, len(self.logs), self.length):
            part = slice(start, start + self.length)
            parts, weights = _segments(self.logs[part]), self.weights[part]
            posteriors = np.tensordot(slopes, parts, axes=1) + self.offsets
            top = posteriors.max(axis=1, keepdims=True)
            np.exp(posteriors - top, out=posteriors)
            totals = posteriors.sum(axis=1)
            value += float(weights @ (np.log(totals) + top[:, 0]))
            posteriors *= (weights / totals)[:, None]
            flat = parts.reshape(len(slopes), -1)
            heavy = parts * posteriors
            means = heavy.sum(axis=2)
            gradient += means.sum(axis=1)
            hessian += heavy.reshape(flat.shape) @ flat.T
            with np.errstate(divide="ignore", invalid="ignore"):
                shares = np.where(weights > 0.0, means / weights, 0.0)
            hessian -= means @ shares.T
        return value, gradient, hessian


def fit_curve(
    logs: Floats,
    targets: NDArray[np.intp],
    weights: Floats,
    *,
    offsets: Floats,
    spreads: tuple[float, float],
) -> Minimum:
    """Slopes, at least 0.01, of least penalised mean cross-entropy.

    `spreads` are the prior standard deviations of a slope about 1 and of the difference of two
    neighbours. The gradient reported is that of the slopes that may still move.
    """
    problem, start = _Problem(logs, targets, weights, offsets, spreads), np.ones(len(KNOTS) + 1)
    return minimise(problem.objective, start, least=_FLOOR * start)


_PIECES = 11
_STIFFNESS = 10.0 ** np.arange(5.0, -1.1, -0.5)
_ROUNDS = 60


class LikelyCurve(NamedTuple):
    """Log odds in each cell, and the logarithm of the evidence for curves of this kind."""

    log_odds: Floats
    evidence: float


def likely_curve(positives: Floats, totals: Floats) -> LikelyCurve:
    """The mean posterior in each cell over all curves and stiffnesses, made increasing."""
    from scipy.optimize import isotonic_regression
    from scipy.special import logit

    basis = _spline_basis(len(totals))
    size = basis.shape[1]
    bends = np.diff(np.eye(size), 2, axis=0)
    penalty = bends.T @ bends
    start = np.full(size, logit(positives.sum() / totals.sum()))
    curves, evidence = [], []
    for stiffness in _STIFFNESS:
        fitted = _penalised(basis, positives, totals, stiffness * penalty, start)
        start = fitted.coefficients
        own = 0.5 * (size - 2) * np.log(stiffness)
        evidence.append(fitted.log_likelihood + own - 0.5 * np.linalg.slogdet(fitted.precision)[1])
        spread = np.einsum("ij,ji->i", basis, np.linalg.solve(fitted.precision, basis.T))
        curves.append(_modest(basis @ start, spread, totals))
    whole = float(np.logaddexp.reduce(evidence))
    mean = mean_log_odds(np.array(curves), np.array(evidence) - whole)
    tiny = 1e-9 * totals.sum()
    rising = isotonic_regression(mean, weights=totals + tiny).x
    return LikelyCurve(np.asarray(rising), whole)


def _modest(log_odds: Floats, variance: Floats, totals: Floats) -> Floats:
    """Log odds after `_prior_cases` more of each class.

    A variance v of log odds is that of n = 1 / (v p (1 - p)) cases, at most as many as there are,
    and (n p + c) / (n + 2 c) is the rule of succession for c = 1. Unlike the mean of a normal
    distribution of log odds, it stays near p where many cases of one class all but exclude the
    other. It is never surer than if all cases were of one class.
    """
    from scipy.special import expit

    p, q = expit(log_odds), expit(-log_odds)
    more = _prior_cases(log_odds, totals) * np.maximum(variance * p * q, 1.0 / totals.sum())
    return np.asarray(np.log(p + more) - np.log(q + more))


def _prior_cases(log_odds: Floats, totals: Floats) -> float:
    """Prior strength of a posterior, as a number c of cases of each class.

    Posteriors that follow Beta(c, c) have log odds of variance 2 trigamma(c): pi^2 / 3 for c = 1,
    the rule of succession, and more for smaller c. Where the log odds of a curve spread more, most
    posteriors are near 0 or 1, so such posteriors are expected and c is smaller.
    """
    from scipy.optimize import brentq
    from scipy.special import polygamma

    shares = totals / totals.sum()
    centre = float(shares @ log_odds)
    spread = float(shares @ (log_odds - centre) ** 2)
    if spread <= 2.0 * float(polygamma(1, 1.0)):
        return 1.0
    low = np.sqrt(2.0 / spread)  # trigamma(c) is above 1 / c^2
    return float(brentq(lambda c: 2.0 * float(polygamma(1, c)) - spread, low, 1.0))


def mean_log_odds(curves: Floats, log_shares: Floats) -> Floats:
    """Log odds of the weighted mean of probabilities given by their log odds, over the rows."""
    for_it = np.logaddexp.reduce(log_shares[:, None] - np.logaddexp(0.0, -curves), axis=0)
    against = np.logaddexp.reduce(log_shares[:, None] - np.logaddexp(0.0, curves), axis=0)
    return np.asarray(for_it - against)


class Penalised(NamedTuple):
    """A penalised logistic fit: coefficients, penalised log-likelihood, curvature."""

    coefficients: Floats
    log_likelihood: float
    precision: Floats


def _penalised(
    basis: Floats, positives: Floats, totals: Floats, penalty: Floats, start: Floats
) -> Penalised:
    """Newton's method with steps of at most 4 in log odds."""
    from scipy.special import expit

    found = start
    for _ in range(_ROUNDS):
        p = expit(basis @ found)
        precision = basis.T @ (basis * (totals * p * (1.0 - p))[:, None]) + penalty
        precision[np.diag_indices_from(precision)] += 1e-10 * np.trace(precision)
        slope = basis.T @ (positives - totals * p) - penalty @ found
        step = np.linalg.solve(precision, slope)
        moved = float(np.abs(basis @ step).max())
        found = found + step * min(1.0, 4.0 / max(moved, 1e-300))
        if moved < 1e-7:
            break
    eta = basis @ found
    value = float(positives @ eta - totals @ np.logaddexp(0.0, eta))
    return Penalised(found, value - 0.5 * float(found @ penalty @ found), precision)


def _spline_basis(cells: int) -> Floats:
    """Cubic B-splines at equally spaced cells, (cells, pieces + 3)."""
    from scipy.interpolate import BSpline

    knots = np.arange(-3.0, _PIECES + 4.0)
    places = np.linspace(0.0, _PIECES, cells)
    places[-1] = np.nextafter(float(_PIECES), 0.0)
    return np.asarray(BSpline.design_matrix(places, knots, 3).toarray())
