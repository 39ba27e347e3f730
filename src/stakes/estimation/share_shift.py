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

    The means are over the labelled cases of a class. Variances are over all reference cases, each
    with the posterior of the class: a class of few cases would say too little of its spread.
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
        """The same with posteriors in place of labels."""
        table = self.reference.posteriors * self.reference.cases.mass[:, None]
        return np.asarray(table / table.sum(axis=0))

    @cached_property
    def per_case(self) -> FloatArray:
        """What the variance of one case of each class is multiplied by for a mean."""
        cases = self.reference.cases
        table = self.members / cases.mass[:, None]
        return np.asarray((table**2 * cases.squares[:, None]).sum(axis=0))

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
            total += share**2 * self.per_case[k] * _covariance(own, self.likely[:, k])
        return total


def _covariance(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Covariance of columns under weights that add to 1."""
    apart = values - weights @ values
    return np.asarray((apart * weights[:, None]).T @ apart)


@dataclass(frozen=True, eq=False)
class ShareFit:
    """Class shares of the new cases, and the moments they were found by."""

    old: FloatArray
    shares: FloatArray
    tangent_old: FloatArray
    tangent_new: FloatArray
    inverse: FloatArray

    @property
    def factors(self) -> FloatArray:
        """By how much the odds of each class were multiplied."""
        return self.shares / self.old


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
    return ShareFit(old, found / found.sum(), tangent[0], tangent[1], inverse)


def _slopes(ratios: FloatArray, shares: FloatArray) -> FloatArray:
    """Derivative of each case's log-likelihood by the shares."""
    return np.asarray(ratios / np.maximum(ratios @ shares, 1e-300)[:, None])


def share_covariance(fit: ShareFit, new: Calibrated, means: ClassMeans) -> FloatArray:
    """Covariance of the shares, from the new cases and the reference."""
    cases = new.cases
    spread = _covariance(fit.tangent_new, cases.mass / cases.mass.sum()) / cases.effective
    spread = spread + means.spread(fit.tangent_old, fit.shares)
    return np.asarray(fit.inverse @ spread @ fit.inverse.T)


def prior_estimate(fit: ShareFit, new: Calibrated, means: ClassMeans, level: float) -> Any:
    """The shares with intervals, on the scale of log odds inside, from 0 or to 1 at the ends."""
    spread = np.sqrt(np.maximum(np.diag(share_covariance(fit, new, means)), 0.0))
    reach, shares = normal_quantile(level), fit.shares
    inside = np.clip(shares, 1e-9, 1 - 1e-9)
    scale = reach * spread / (inside * (1 - inside))
    near = scale <= 2.0
    low = np.where(near, expit(logit(inside) - scale), np.maximum(shares - reach * spread, 0.0))
    high = np.where(near, expit(logit(inside) + scale), np.minimum(shares + reach * spread, 1.0))
    method = "mixture of the reference classes"
    return PriorEstimate(new.cases.classes, shares, low, high, level, method, 1)


@dataclass(frozen=True, slots=True)
class Estimated:
    """A cost, and the variance of its distance from what the labels will give."""

    cost: float
    variance: float


def unchanged_cost(reference: Calibrated, new: Calibrated) -> Estimated:
    """Cost of the new cases if nothing has changed.

    What calibrated posteriors expect of the new cases, plus what they missed in the reference.
    """
    even = np.ones(len(reference.cases.classes))
    expected, variances = new.expected(even)
    before, doubt = reference.expected(even)
    cases = reference.cases
    missed = cases.paid[np.arange(len(cases)), cases.labels] - before
    cost = new.cases.mean(expected) + cases.mean(missed)
    return Estimated(float(cost), new.noise(variances) + reference.noise(doubt))


def shifted_cost(
    reference: Calibrated, new: Calibrated, means: ClassMeans, fit: ShareFit
) -> Estimated:
    """Cost of the new cases at their estimated shares.

    What moved posteriors expect of the new cases, plus what they miss in each class of the
    reference at these shares. An error of the shares matters as much as the classes differ in what
    is missed, `slope`; it comes from the same scores, so that both are added before squaring.
    """
    expected, variances = new.expected(fit.factors)
    before, _ = reference.expected(fit.factors)
    missed = reference.cases.paid - before[:, None]
    slope = np.einsum("nk,nk->k", missed, means.members)
    along = fit.inverse.T @ slope
    cost = float(new.cases.mean(expected) + fit.shares @ slope)
    left = missed - (fit.tangent_old @ along)[:, None]
    variance = new.noise(variances) + float(means.spread(left[:, None, :], fit.shares)[0, 0])
    moved = fit.tangent_new @ along
    apart = moved - new.cases.mean(moved)
    return Estimated(cost, variance + new.noise(apart**2))
