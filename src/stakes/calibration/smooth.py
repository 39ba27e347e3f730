"""Calibration by a smooth curve over the ranks, as smooth as the cases make likely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stakes.calibration.calibrator import Calibrator, binary_log_posteriors
from stakes.calibration.cases import Cases, Scores
from stakes.calibration.ranking import mid_ranks, rank_log_odds
from stakes.typing import FloatArray, Priors

__all__ = ["Smooth"]

#: Cells into which the log odds of the ranks are rounded; the curve is kept at their centres.
_CELLS = 401
_PIECES = 11
_STIFFNESS = 10.0 ** np.arange(5.0, -1.1, -0.5)
_ROUNDS = 60


class Smooth(Calibrator):
    r"""A smooth increasing curve over the ranks of the scores, of any shape and any scale.

    For two classes when the shape of the miscalibration is unknown and cases are not many: less
    rigid than `Beta` and `Rank`, less jumpy than `Isotonic`. How smooth the curve is follows from
    the cases themselves, and how sure it is too: where few cases speak, posteriors stay nearer to
    one half than the best curve alone, as a mean over all likely curves does.

    .. math:: \mathrm{logit}\,p = \sum_j \beta_j B_j(\mathrm{logit}\,r), \qquad
              \lambda \sum_j (\beta_j - 2\beta_{j+1} + \beta_{j+2})^2 \text{ as penalty}

    Takes log odds or any increasing score (n,), or log-posteriors (n, 2); returns posteriors
    (n, 2), never exactly 0 or 1. Infinite scores are only the first and the last in rank.

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.

    Notes
    -----
    Cubic B-splines with 11 equal pieces in the log odds of the mid-rank r. Thirteen values of
    :math:`\lambda` are weighed by their marginal likelihood (Laplace) and averaged; each curve
    :math:`\eta` of variance v enters as :math:`\eta/\sqrt{1 + \pi v/8}`. One case of average class,
    spread over all, keeps separable data finite. What still decreases is pooled. Target priors
    shift the log odds; the curve does not depend on them. The work after sorting does not grow
    with the cases.

    References
    ----------
    .. [1] Eilers, Marx, *Flexible smoothing with B-splines and penalties*, Statistical Science
       11, 1996.
    .. [2] MacKay, *The evidence framework applied to classification networks*, Neural
       Computation 4, 1992.

    Examples
    --------
    >>> cal = Smooth().fit([-9.0, -1.0, 2.0, 1.0, 300.0, -2.0], [0, 0, 0, 1, 1, 1])
    >>> low, high = cal.posteriors([-5.0, 5.0])[:, 1]
    >>> bool(low < 0.5 < high)
    True
    """

    kind = "smooth"

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
    ) -> None:
        super().__init__(priors=priors, classes=classes, bound=bound)
        self.places: FloatArray = np.empty(0)
        self.ranks: FloatArray = np.empty(0)
        self.curve: FloatArray = np.empty(0)
        self.shift = 0.0

    def _fit(self, cases: Cases) -> None:
        odds = cases.scores.log_odds()
        cases.need_all_classes("two classes are needed")
        self.places, self.ranks = mid_ranks(odds, cases.weights)
        offsets = cases.prior_offsets()
        self.shift = float(offsets[1] - offsets[0])
        at = self._positions(odds)
        weights = cases.weights
        totals = np.bincount(at, weights=weights, minlength=_CELLS)
        positives = np.bincount(at, weights=weights * (cases.codes == 1), minlength=_CELLS)
        share = float(positives.sum() / totals.sum())
        extra = totals / totals.sum()
        self.curve = likely_curve(positives + share * extra, totals + extra)

    def _positions(self, odds: FloatArray) -> Any:
        """The cell of each score, from 0."""
        return np.rint(self._along(odds)).astype(np.intp)

    def _along(self, odds: FloatArray) -> FloatArray:
        """Place of each score along the cells, not rounded."""
        first, last = rank_log_odds(self.ranks[[0, -1]])
        width = float(last - first) or 1.0
        found = rank_log_odds(np.interp(odds, self.places, self.ranks))
        return np.asarray((found - first) / width * (_CELLS - 1))

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        along = self._along(scores.log_odds())
        return binary_log_posteriors(np.interp(along, np.arange(_CELLS), self.curve) + self.shift)

    def _parameters(self) -> dict[str, Any]:
        return {
            "places": self.places,
            "ranks": self.ranks,
            "curve": self.curve,
            "shift": self.shift,
        }


def likely_curve(positives: FloatArray, totals: FloatArray) -> FloatArray:
    """Log odds in each cell: the mean posterior over all stiffnesses, made increasing."""
    from scipy.optimize import isotonic_regression
    from scipy.special import expit, logit

    basis = spline_basis(_CELLS)
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
        curves.append(expit(basis @ start / np.sqrt(1.0 + np.pi * spread / 8.0)))
    shares = np.exp(np.array(evidence) - max(evidence))
    mean = shares @ np.array(curves) / shares.sum()
    tiny = 1e-9 * totals.sum()
    return np.asarray(isotonic_regression(logit(mean), weights=totals + tiny).x)


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
