"""The class shares of new cases from their scores, and what decisions cost at these shares.

How each class scores is taken to be what it was in the reference. Then the mean of any function of
the scores is, among the new cases, the mixture of its means in the classes of the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, logit

from stakes._kernels.interval_ends import normal_quantile
from stakes._kernels.optimise.newton import most_likely_shares
from stakes.estimation.decided_cases import DecidedCases
from stakes.posteriors.prior_estimation import PriorEstimate
from stakes.typing import FloatArray

#: Shares of which the scores leave out more than this are not known.
_UNTOLD = 1e-3


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Cases with calibrated posteriors, for the class shares of the reference."""

    cases: DecidedCases
    posteriors: FloatArray

    def expected(self, factors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Expected cost of each case, and its variance, if odds are multiplied by `factors`."""
        moved = self.posteriors * factors
        moved = moved / moved.sum(axis=1, keepdims=True)
        mean = np.einsum("nk,nk->n", moved, self.cases.paid)
        apart = self.cases.paid - mean[:, None]
        return mean, np.einsum("nk,nk->n", moved, apart**2)

    def noise(self, variances: FloatArray) -> float:
        """Variance of a weighted mean of independent values with these variances."""
        return float(self.cases.squares @ variances / self.cases.mass.sum() ** 2)


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """Means within the classes of the reference, and how sure they are.

    The means are over the labelled cases of a class. Variances are, by half, over all reference
    cases with the posterior of the class: a class of few cases says too little of its spread, and
    posteriors alone would have to be right.
    """

    reference: Calibrated

    @cached_property
    def members(self) -> FloatArray:
        """Mass of each case in its class, as a share of the class; (n, K)."""
        cases = self.reference.cases
        table = (cases.labels[:, None] == np.arange(len(cases.classes))) * cases.mass[:, None]
        return np.asarray(table / table.sum(axis=0))

    @cached_property
    def likely(self) -> FloatArray:
        """The same, by half with posteriors in place of labels."""
        table = self.reference.posteriors * self.reference.cases.mass[:, None]
        return np.asarray(table / table.sum(axis=0) / 2 + self.members / 2)

    @cached_property
    def per_case(self) -> FloatArray:
        """What the variance of one case of each class is multiplied by for a mean."""
        cases = self.reference.cases
        table = self.members / cases.mass[:, None]
        return np.asarray((table**2 * cases.squares[:, None]).sum(axis=0))

    def worth(self, mixed: FloatArray) -> float:
        """How many cases of equal weight a mixture of the classes is worth (Kish)."""
        cases = self.reference.cases
        return 1 / float((mixed / cases.mass) ** 2 @ cases.squares)

    def means(self, values: FloatArray) -> FloatArray:
        """Mean of each column in each class, (columns, K)."""
        return np.asarray(values.T @ self.members)

    def spread(self, values: FloatArray, shares: FloatArray) -> FloatArray:
        """Covariance of sum_k shares_k mean_k of the columns.

        `values` is (n, columns), or (n, columns, K) if they depend on the class.
        """
        total = np.zeros((values.shape[1], values.shape[1]))
        for k, share in enumerate(shares.tolist()):
            own = values[..., k] if values.ndim == 3 else values
            total += share**2 * self.per_case[k] * covariance(own, self.likely[:, k])
        return total


def covariance(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Covariance of columns under weights that add to 1."""
    apart = values - weights @ values
    return np.asarray((apart * weights[:, None]).T @ apart)


@dataclass(frozen=True, eq=False)
class ShareFit:
    """Class shares of the new cases: the most likely ones, and those that the means ask for."""

    old: FloatArray
    likely: FloatArray
    shares: FloatArray
    tangent_old: FloatArray
    tangent_new: FloatArray
    inverse: FloatArray


# How shares are estimated: docs/design/estimation.md.
def fit_shares(reference: Calibrated, new: Calibrated, means: ClassMeans) -> ShareFit:
    """Shares of the new cases: most likely first, then such that the moments agree.

    Likelihood takes the calibration at its word. Its slopes, as functions of the scores, are then
    averaged over the labelled cases of each class, so that an error of calibration cancels.
    """
    old = reference.cases.shares
    start, _ = most_likely_shares(
        np.ascontiguousarray(new.posteriors / old),
        np.maximum(old, 1e-6),
        tolerance=1e-8,
        max_iterations=500,
        weights=new.cases.mass,
    )
    tangent = [_slopes(each.posteriors / old, start) for each in (reference, new)]
    table = means.means(tangent[0])
    inverse = np.asarray(np.linalg.pinv(table, rcond=1e-6), dtype=np.float64)
    found = np.maximum(inverse @ new.cases.mean(tangent[1]), 0.0)
    return ShareFit(old, start, found / found.sum(), tangent[0], tangent[1], inverse)


def _slopes(ratios: FloatArray, shares: FloatArray) -> FloatArray:
    """Derivative of each case's log-likelihood by the shares."""
    return np.asarray(ratios / np.maximum(ratios @ shares, 1e-300)[:, None])


def share_covariance(fit: ShareFit, new: Calibrated, means: ClassMeans) -> FloatArray:
    """Covariance of the shares, from the new cases and the reference."""
    cases = new.cases
    spread = covariance(fit.tangent_new, cases.mass / cases.mass.sum()) / cases.effective
    spread = spread + means.spread(fit.tangent_old, fit.shares)
    return np.asarray(fit.inverse @ spread @ fit.inverse.T)


def prior_estimate(fit: ShareFit, new: Calibrated, means: ClassMeans, level: float) -> Any:
    """The shares with intervals, on the scale of log odds inside, from 0 or to 1 at the ends."""
    spread = np.sqrt(np.maximum(np.diag(share_covariance(fit, new, means)), 0.0))
    told = np.diag(fit.inverse @ means.means(fit.tangent_old))
    spread[told < 1 - _UNTOLD] = np.inf  # classes that score alike
    reach, shares = normal_quantile(level), fit.shares
    inside = np.clip(shares, 1e-9, 1 - 1e-9)
    scale = reach * spread / (inside * (1 - inside))
    near = scale <= 2.0
    low = np.where(near, expit(logit(inside) - scale), np.maximum(shares - reach * spread, 0.0))
    high = np.where(near, expit(logit(inside) + scale), np.minimum(shares + reach * spread, 1.0))
    method = "mixture of the reference classes"
    return PriorEstimate(new.cases.classes, shares, low, high, level, method, 1)


# ----------------------------------------------------------------- costs


@dataclass(frozen=True, slots=True)
class Estimated:
    """A cost, and the variance of its distance from what the labels will give."""

    cost: float
    variance: float


def _label_noise(reference: Calibrated, new: Calibrated, factors: FloatArray) -> float:
    """Variance of the mean cost by the labels of the new cases.

    More than posteriors expect, if the labels of the reference varied more, and by one error that
    the reference happens not to hold.
    """
    cases = reference.cases
    mean, doubt = reference.expected(factors)
    off = cases.paid[np.arange(len(cases)), cases.labels] - mean
    noise = excess(cases, off, doubt, factors) * new.noise(new.expected(factors)[1])
    return noise + _one_more_error(reference, doubt, factors, new.cases.effective)


def excess(
    cases: DecidedCases, off: FloatArray, expected: FloatArray, factors: FloatArray
) -> float:
    """How much more values varied over the labels of a reference than expected, at least 1."""
    weights = cases.mass * factors[cases.labels]
    whole = float(weights @ expected)
    return max(1.0, float(weights @ off**2) / whole) if whole > 0 else 1.0


def _one_more_error(
    reference: Calibrated, doubt: FloatArray, factors: FloatArray, number: float
) -> float:
    """Variance of the cost of `number` new cases if the reference had shown one error more.

    The error costs what errors cost where posteriors are in doubt. A mean of e errors in n cases
    has a variance of e / n^2, and leaves one of e / n per new case to the labels.
    """
    cases = reference.cases
    weights = cases.squares * (reference.posteriors @ factors) ** 2 * doubt
    if not weights.sum() > 0:
        return 0.0
    swing = np.ptp(cases.paid, axis=1)
    size = cases.effective
    return float(weights @ swing**2 / weights.sum()) * (1 / size + 1 / number) / size


def unchanged_cost(reference: Calibrated, new: Calibrated) -> Estimated:
    """Cost of the new cases if nothing has changed.

    What calibrated posteriors expect of the new cases; and the same plus what they missed in the
    reference.
    """
    even = np.ones(len(reference.cases.classes))
    expected, _ = new.expected(even)
    before, doubt = reference.expected(even)
    cases = reference.cases
    missed = cases.mean(cases.paid[np.arange(len(cases)), cases.labels] - before)
    noise, cost = _label_noise(reference, new, even), float(new.cases.mean(expected))
    trusting = Estimated(cost, noise + _calibration_doubt(reference, new, even, moves=False))
    careful = Estimated(cost + float(missed), noise + reference.noise(doubt))
    return weighed(trusting, careful)


def shifted_cost(
    reference: Calibrated, new: Calibrated, means: ClassMeans, fit: ShareFit
) -> Estimated:
    """Cost of the new cases at their estimated shares, whether calibration is right or not."""
    return weighed(_likely_shift(reference, new, fit), _corrected_shift(reference, new, means, fit))


# The two parts of the way, and why: docs/design/estimation.md.
def weighed(trusting: Estimated, careful: Estimated, *, held: float | None = None) -> Estimated:
    """The estimate that trusts the calibration, moved to the careful one where they disagree.

    Under a right calibration the variance of their difference is that of their variances, as the
    first is efficient (Hausman 1978). The larger the squared difference is beside that, the larger
    is the part of the way; the rest of the way counts as doubt. With `held`, the first stands until
    the squared difference is `held` times what chance makes it (James and Stein).
    """
    apart = careful.cost - trusting.cost
    chance = careful.variance - trusting.variance
    if chance <= 0.0:
        return careful
    if held is None:
        part = apart**2 / (apart**2 + chance)
    else:
        part = max(0.0, 1.0 - held * chance / apart**2) if apart else 0.0
    variance = trusting.variance + part**2 * chance + ((1 - part) * apart) ** 2
    return Estimated(trusting.cost + part * apart, variance)


def _likely_shift(reference: Calibrated, new: Calibrated, fit: ShareFit) -> Estimated:
    """What posteriors expect, moved to the most likely shares."""
    factors = fit.likely / fit.old
    expected, _ = new.expected(factors)
    variance = _calibration_doubt(reference, new, factors, moves=True)
    variance += _label_noise(reference, new, factors)
    return Estimated(float(new.cases.mean(expected)), variance)


def _corrected_shift(
    reference: Calibrated, new: Calibrated, means: ClassMeans, fit: ShareFit
) -> Estimated:
    """What moved posteriors expect, plus what they miss in each class of the reference.

    An error of the shares matters as much as the classes differ in what is missed, `slope`; it
    comes from the same scores, so that both are added before squaring.
    """
    factors = fit.shares / fit.old
    expected, _ = new.expected(factors)
    before, _ = reference.expected(factors)
    missed = reference.cases.paid - before[:, None]
    slope = np.einsum("nk,nk->k", missed, means.members)
    along = fit.inverse.T @ slope
    cost = float(new.cases.mean(expected) + fit.shares @ slope)
    left = missed - (fit.tangent_old @ along)[:, None]
    variance = float(means.spread(left[:, None, :], fit.shares)[0, 0])
    variance += _label_noise(reference, new, factors)
    moved = fit.tangent_new @ along
    apart = moved - new.cases.mean(moved)
    return Estimated(cost, variance + new.noise(apart**2))


def _calibration_doubt(
    reference: Calibrated, new: Calibrated, factors: FloatArray, *, moves: bool
) -> float:
    """Variance of the mean expected cost by the doubt of the calibration and of the shares.

    The calibration is in doubt as an affine map of its own log posteriors is that was fitted to
    the reference: a scale and a shift of each class. The most likely shares move with it, and with
    the new cases. All slopes are covariances under the posteriors of each case.
    """
    old = reference.posteriors
    weights = reference.cases.mass / reference.cases.mass.sum()
    curvature = _mean_covariances(old, _logs(old), weights)
    shares = new.cases.mass / new.cases.mass.sum()
    moved = new.posteriors * factors
    moved = moved / moved.sum(axis=1, keepdims=True)
    table = _mean_covariances(moved, _logs(new.posteriors), shares)
    apart = new.cases.paid - np.einsum("nk,nk->n", moved, new.cases.paid)[:, None]
    scaled = moved * apart * shares[:, None]
    slope = np.append(scaled.sum(axis=0), np.vdot(scaled, _logs(new.posteriors)))
    variance = 0.0
    if moves:
        inner = np.linalg.pinv(covariance(moved, shares), rcond=1e-9, hermitian=True)
        own = slope[:-1]
        variance = float(own @ inner @ own) / new.cases.effective
        slope = slope + own @ inner @ table[:-1]
    doubt = np.linalg.pinv(curvature, rcond=1e-10, hermitian=True)
    return variance + float(slope @ doubt @ slope) / reference.cases.effective


def _logs(posteriors: FloatArray) -> FloatArray:
    """Log posteriors, the best of each case 0, with a bound where they are none."""
    best = posteriors.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.maximum(posteriors / best, 1e-30)))


def _mean_covariances(posteriors: FloatArray, logs: FloatArray, weights: FloatArray) -> FloatArray:
    """Mean over cases of the covariance, under the posteriors, of class marks and of the logs."""
    scaled = posteriors * weights[:, None]
    size = posteriors.shape[1]
    out = np.zeros((size + 1, size + 1))
    out[:size, :size] = np.diag(scaled.sum(axis=0)) - scaled.T @ posteriors
    apart = logs - np.einsum("nk,nk->n", posteriors, logs)[:, None]
    out[:size, size] = out[size, :size] = (scaled * apart).sum(axis=0)
    out[size, size] = np.vdot(scaled, apart**2)
    return out
