"""Estimating the class priors of a place from its unlabelled cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_priors, frozen
from stakes._kernels.optimise.mixture import most_likely_shares
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.posteriors.posteriors import Posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, Name, Priors

#: A share up to this is 0 when the others are looked at.
_NONE = 1e-6
#: The curvature speaks for a share whose interval, in log odds, reaches no further to each side.
_NEAR = 0.5
#: The other shares are not fitted again for more work than this: rows times classes squared, for
#: each share that the curvature does not speak for.
_MUCH = 1e7
#: Stands for a density of 0, so that its logarithm is finite: no interval reaches such a share.
_IMPOSSIBLE = 1e-300


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PriorEstimate:
    """Estimated class priors with intervals.

    What `estimate_priors` and `estimate_priors_from_decisions` return.

    Attributes
    ----------
    classes : tuple of names
        The classes.
    priors, low, high : ndarray
        Estimate and ends of its interval at `level`, class by class; nan where the number of cases
        is not known.
    method : str
        How it was found.
    iterations : int
        Steps until nothing changed.
    possible : bool
        Whether the cases could have come from any priors, but for chance. If not, the priors are
        the nearest, and the intervals go from 0 to 1.
    """

    classes: tuple[Name, ...]
    priors: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    method: str
    iterations: int
    possible: bool = True

    @property
    def text(self) -> str:
        """The estimate in a sentence, or that there is none."""
        names = [
            f"{name} {100 * p:.3g} %" for name, p in zip(self.classes, self.priors, strict=True)
        ]
        if not self.possible:
            return (
                "No priors explain these cases: what each class gets has changed as well, so that "
                f"the priors are not known (nearest: {', '.join(names)})."
            )
        if np.isnan(self.low).any():
            return (
                f"Estimated priors: {', '.join(names)}; how far they can be trusted is not known, "
                "because the numbers of cases are not whole."
            )
        ends = zip(self.low, self.high, strict=True)
        sure = [f"({100 * low:.3g} to {100 * high:.3g} %)" for low, high in ends]
        return f"Estimated priors: {', '.join(map(' '.join, zip(names, sure, strict=True)))}."

    def frame(self) -> Frame:
        """One row per class."""
        return Frame(
            {
                "class": list(self.classes),
                "prior": self.priors,
                "low": self.low,
                "high": self.high,
            }
        )

    def __repr__(self) -> str:
        rows = zip(self.classes, self.priors, self.low, self.high, strict=True)
        shown = ", ".join(
            f"{name}: {p:.3g}" + ("" if np.isnan(a) else f" ({a:.3g}-{b:.3g})")
            for name, p, a, b in rows
        )
        doubt = "" if self.possible else "no priors explain these cases; nearest "
        return f"<PriorEstimate by {self.method}: {doubt}{shown}>"


def estimate_priors(
    posteriors: Any,
    priors: Priors,
    *,
    level: float = 0.95,
    tolerance: float = 1e-9,
    max_iterations: int = 1000,
) -> PriorEstimate:
    r"""Class priors of unlabelled cases by maximum likelihood.

    Use it when a calibrated classifier moves to a place where the classes have other shares and
    nothing is labelled. Follow with `shift_priors`.

    .. math:: \max_{P'\ge 0,\ \sum P'=1}\ \sum_n \log \sum_k \frac{P'_k}{P_k}\,p_{nk}

    Parameters
    ----------
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Calibrated probabilities of the unlabelled cases under the old priors.
    priors : sequence or mapping of float
        The old priors, for which the posteriors were made.
    level : float
        Confidence of the intervals.
    tolerance : float
        Stop when the largest change of a prior is below this.
    max_iterations : int
        Raise after that many steps.

    Returns
    -------
    PriorEstimate
        Estimate with intervals.

    Notes
    -----
    The likelihood is concave, so the maximum is unique unless classes cannot be told apart. It is
    the one that expectation-maximisation [1]_ creeps to where a classifier tells little; Newton's
    method finds it in a dozen steps. The intervals take the posteriors as calibrated and shrink
    with the number of unlabelled cases only. Where a share is several standard errors from 0 and 1,
    they come from the curvature of the log-likelihood, on the scale of log odds. Elsewhere they end
    where the log-likelihood, greatest over the other shares, has dropped as far as at a normal
    interval's end: an interval from 0 says that there may be no case of the class at all, and how
    many there are at most. With many classes the others are then kept in proportion to save time,
    and the interval is at least as wide as a normal one.

    References
    ----------
    .. [1] Saerens, Latinne, Decaestecker, *Adjusting the outputs of a classifier to new a priori
       probabilities: a simple procedure*, Neural Computation 14 (2002), **eq. 2.9**.

    Examples
    --------
    >>> found = estimate_priors([0.9] * 30 + [0.1] * 10, [0.5, 0.5])
    >>> found.priors.round(4).tolist()  # p solves .75 = .9 p + .1 (1 - p)
    [0.1875, 0.8125]
    """
    read = posteriors if isinstance(posteriors, Posteriors) else Posteriors(posteriors)
    old = as_priors(priors, read.classes)
    if (old <= 0).any():
        raise PriorError(f"`priors` must be positive; got {old.tolist()}.")
    if not (max_iterations >= 1 and 0 <= tolerance < 1):
        raise DataError(
            "`max_iterations` must be at least 1, and `tolerance` from 0 to below 1; got "
            f"{max_iterations!r} and {tolerance!r}."
        )
    if not len(read):
        raise DataError("`posteriors` must hold at least one case; got none.")
    ratios = np.ascontiguousarray(read.values / old)
    after, iterations = most_likely_shares(
        ratios, old, tolerance=tolerance, max_iterations=max_iterations
    )
    if iterations > max_iterations:
        raise UndefinedError(
            f"the priors still change after {max_iterations} steps; classes may be alike.",
            hint="raise `tolerance`",
        )
    low, high = _intervals(ratios, after, level)
    return PriorEstimate(
        read.classes,
        frozen(after),
        frozen(low),
        frozen(high),
        level=level,
        method="maximum likelihood",
        iterations=iterations,
    )


def _intervals(
    ratios: FloatArray, priors: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Ends of the interval of each prior: from the curvature, or where the likelihood drops."""
    from scipy.special import expit, ndtri

    if not 0 < level < 1:
        raise DataError(f"`level` must lie between 0 and 1; got {level!r}.")
    reach = float(ndtri(0.5 + level / 2))
    half = reach * _spreads(ratios, priors)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(priors) - np.log1p(-priors)
        scale = half / (priors * (1 - priors))
    low, high = expit(odds - scale), expit(odds + scale)
    far = np.flatnonzero((priors <= _NONE) | (priors >= 1 - _NONE) | ~(scale <= _NEAR))
    fit_others = ratios.size * ratios.shape[1] * len(far) <= _MUCH
    for k in far.tolist():
        low[k], high[k] = _dropped(ratios, priors, k, reach, fit_others)
        if len(priors) > 2 and not fit_others:
            low[k] = max(0.0, min(low[k], priors[k] - half[k]))
            high[k] = min(1.0, max(high[k], priors[k] + half[k]))
    return low, high


def _spreads(ratios: FloatArray, priors: FloatArray) -> FloatArray:
    """Standard errors by the curvature; 0 for shares at 0, infinite where cases tell nothing."""
    kept = np.flatnonzero(priors > _NONE)
    out = np.zeros(len(priors))
    if len(kept) < 2:
        return out
    score = ratios[:, kept] / (ratios @ priors)[:, None]
    directions = score[:, :-1] - score[:, -1:]
    values, vectors = np.linalg.eigh(directions.T @ directions)
    known = values > 1e-12 * float(np.vdot(score, score))
    basis = np.vstack([np.eye(len(kept) - 1), -np.ones(len(kept) - 1)])
    along = (basis @ vectors) ** 2
    variances = (along[:, known] / values[known]).sum(axis=1)
    variances[along[:, ~known].sum(axis=1) > 1e-9] = np.inf
    out[kept] = np.sqrt(variances)
    return out


def _dropped(
    ratios: FloatArray, priors: FloatArray, k: int, reach: float, fit_others: bool
) -> tuple[float, float]:
    """Where moving a prior costs reach^2/2 of log-likelihood, the others at their best or kept."""
    from scipy.optimize import brentq

    own, others = ratios[:, k], np.delete(ratios, k, axis=1)
    rest, size = np.delete(priors, k), others.shape[1]
    start = np.full(size, 1.0 / size) if rest.sum() <= _NONE else rest / rest.sum()
    most = np.log(ratios @ priors).sum()

    def drop(share: float) -> float:
        shares = start
        if size > 1 and fit_others and share < 1.0:
            mixed = np.maximum(share * own[:, None] + (1 - share) * others, _IMPOSSIBLE)
            begin = np.maximum(start, 1e-3 / size)
            shares, _ = most_likely_shares(mixed, begin, tolerance=1e-6, max_iterations=100)
        moved = share * own + (1 - share) * (others @ shares)
        return float(most - np.log(np.maximum(moved, _IMPOSSIBLE)).sum() - reach**2 / 2)

    at = float(priors[k])
    fine = {"xtol": 1e-6 * min(max(at, 1e-6), max(1.0 - at, 1e-6)), "rtol": 1e-6}
    low = 0.0 if drop(0.0) <= 0.0 else float(brentq(drop, 0.0, at, **fine))
    high = 1.0 if drop(1.0) <= 0.0 else float(brentq(drop, at, 1.0, **fine))
    return low, high
