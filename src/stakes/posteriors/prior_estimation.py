"""Estimating the class priors of a place from its unlabelled cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_priors, frozen
from stakes._kernels.mixture_shares import most_likely_shares
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.posteriors.posteriors import Posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, Name, Priors

__all__ = ["PriorEstimate", "estimate_priors"]


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
    method finds it in a dozen steps. The intervals come from its curvature, on the scale of log
    odds; they take the posteriors as calibrated and shrink with the number of unlabelled cases
    only. An estimate of 0 or 1 gets the interval that ends where the log-likelihood has dropped as
    far as at a normal interval's end.

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
    """Ends of the interval of each prior from the curvature of the log-likelihood."""
    from scipy.special import expit, ndtri

    if not 0 < level < 1:
        raise DataError(f"`level` must lie between 0 and 1; got {level!r}.")
    reach = float(ndtri(0.5 + level / 2))
    inside = priors > 1e-6
    low, high = priors.copy(), priors.copy()
    kept = np.flatnonzero(inside)
    if len(kept) > 1:
        mixed = ratios @ priors
        score = ratios[:, kept] / mixed[:, None]
        directions = score[:, :-1] - score[:, -1:]
        information = directions.T @ directions
        basis = np.vstack([np.eye(len(kept) - 1), -np.ones(len(kept) - 1)])
        spread = _spreads(information, basis, float(np.vdot(score, score)))
        p = priors[kept]
        scale = reach * spread / (p * (1 - p))
        odds = np.log(p) - np.log1p(-p)
        low[kept], high[kept] = expit(odds - scale), expit(odds + scale)
    for k in range(len(priors)):
        if not inside[k] or len(kept) == 1:
            low[k], high[k] = _edge(ratios, priors, k, reach)
    return low, high


def _spreads(information: FloatArray, basis: FloatArray, size: float) -> FloatArray:
    """Standard errors along `basis`; infinite where the cases tell nothing."""
    values, vectors = np.linalg.eigh(information)
    known = values > 1e-12 * size
    along = (basis @ vectors) ** 2
    variances = (along[:, known] / values[known]).sum(axis=1)
    variances[along[:, ~known].sum(axis=1) > 1e-9] = np.inf
    return np.asarray(np.sqrt(variances))


def _edge(ratios: FloatArray, priors: FloatArray, k: int, reach: float) -> tuple[float, float]:
    """Interval of a prior at 0 or 1: where mixing the other way costs reach^2/2 of likelihood."""
    from scipy.optimize import brentq

    found = ratios @ priors
    mixed = np.log(found).sum()
    others = np.delete(np.arange(len(priors)), k)
    at_top = priors[k] > 0.5
    target = ratios[:, others].mean(axis=1) if at_top else ratios[:, k]

    def drop(share: float) -> float:
        moved = (1 - share) * found + share * target
        return float(mixed - np.log(np.maximum(moved, 1e-300)).sum() - reach**2 / 2)

    end = 1.0 if drop(1.0) <= 0 else float(brentq(drop, 0.0, 1.0))
    return (1.0 - end, 1.0) if at_top else (0.0, end)
