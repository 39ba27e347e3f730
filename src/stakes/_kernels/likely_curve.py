"""A smooth increasing curve of log odds through counts, as smooth as they make likely."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

__all__ = [
    "LikelyCurve",
    "likely_curve",
    "mean_log_odds",
    "modest",
    "penalised",
    "prior_cases",
    "spline_basis",
]

_PIECES = 11
_STIFFNESS = 10.0 ** np.arange(5.0, -1.1, -0.5)
_ROUNDS = 60


class LikelyCurve(NamedTuple):
    """Log odds in each cell, and the logarithm of the evidence for curves of this kind."""

    log_odds: FloatArray
    evidence: float


def likely_curve(positives: FloatArray, totals: FloatArray) -> LikelyCurve:
    """The mean posterior in each cell over all curves and stiffnesses, made increasing."""
    from scipy.optimize import isotonic_regression
    from scipy.special import logit

    basis = spline_basis(len(totals))
    size = basis.shape[1]
    bends = np.diff(np.eye(size), 2, axis=0)
    penalty = bends.T @ bends
    start = np.full(size, logit(positives.sum() / totals.sum()))
    curves, evidence = [], []
    for stiffness in _STIFFNESS:
        fitted = penalised(basis, positives, totals, stiffness * penalty, start)
        start = fitted.coefficients
        own = 0.5 * (size - 2) * np.log(stiffness)
        evidence.append(fitted.log_likelihood + own - 0.5 * np.linalg.slogdet(fitted.precision)[1])
        spread = np.einsum("ij,ji->i", basis, np.linalg.solve(fitted.precision, basis.T))
        curves.append(modest(basis @ start, spread, totals))
    whole = float(np.logaddexp.reduce(evidence))
    mean = mean_log_odds(np.array(curves), np.array(evidence) - whole)
    tiny = 1e-9 * totals.sum()
    rising = isotonic_regression(mean, weights=totals + tiny).x
    return LikelyCurve(np.asarray(rising), whole)


def modest(log_odds: FloatArray, variance: FloatArray, totals: FloatArray) -> FloatArray:
    """Log odds after `prior_cases` more of each class.

    A variance v of log odds is that of n = 1 / (v p (1 - p)) cases, though never of more than there
    are, and (n p + c) / (n + 2 c) is the rule of succession for c = 1. It stays near p where many
    cases of one class have all but excluded the other, where the mean of a normal distribution of
    log odds would not, and is never surer than as many cases of one class as there are make it.
    """
    from scipy.special import expit

    p, q = expit(log_odds), expit(-log_odds)
    more = prior_cases(log_odds, totals) * np.maximum(variance * p * q, 1.0 / totals.sum())
    return np.asarray(np.log(p + more) - np.log(q + more))


def prior_cases(log_odds: FloatArray, totals: FloatArray) -> float:
    """Cases c of each class that stand for what is known of a posterior beforehand.

    Posteriors that follow Beta(c, c) have log odds of variance 2 trigamma(c): pi^2 / 3 for c = 1,
    the rule of succession, and more for less. Where the log odds of a curve spread more, most
    posteriors are near 0 or 1, and one near either end is no exception.
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


def mean_log_odds(curves: FloatArray, log_shares: FloatArray) -> FloatArray:
    """Log odds of the weighted mean of probabilities given by their log odds, over the rows."""
    for_it = np.logaddexp.reduce(log_shares[:, None] - np.logaddexp(0.0, -curves), axis=0)
    against = np.logaddexp.reduce(log_shares[:, None] - np.logaddexp(0.0, curves), axis=0)
    return np.asarray(for_it - against)


class Penalised(NamedTuple):
    """A penalised logistic fit: coefficients, penalised log-likelihood, curvature."""

    coefficients: FloatArray
    log_likelihood: float
    precision: FloatArray


def penalised(
    basis: FloatArray,
    positives: FloatArray,
    totals: FloatArray,
    penalty: FloatArray,
    start: FloatArray,
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


def spline_basis(cells: int) -> FloatArray:
    """Cubic B-splines at equally spaced cells, (cells, pieces + 3)."""
    from scipy.interpolate import BSpline

    knots = np.arange(-3.0, _PIECES + 4.0)
    places = np.linspace(0.0, _PIECES, cells)
    places[-1] = np.nextafter(float(_PIECES), 0.0)
    return np.asarray(BSpline.design_matrix(places, knots, 3).toarray())
