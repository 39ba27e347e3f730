"""Estimating the class priors of a place from its unlabelled cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_priors, frozen
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.posteriors.posteriors import Posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, Name, Priors, RandomSource

__all__ = ["PriorEstimate", "estimate_priors", "estimate_priors_from_decisions"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PriorEstimate:
    """Estimated class priors with intervals.

    What `estimate_priors` and `estimate_priors_from_decisions` return.

    Attributes
    ----------
    classes : tuple of names
        The classes.
    priors, low, high : ndarray
        Estimate and ends of its interval at `level`, class by class.
    method : str
        How it was found.
    iterations : int
        Steps until nothing changed.
    """

    classes: tuple[Name, ...]
    priors: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    method: str
    iterations: int

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
        shown = ", ".join(
            f"{name}: {p:.3g} ({a:.3g}-{b:.3g})"
            for name, p, a, b in zip(self.classes, self.priors, self.low, self.high, strict=True)
        )
        return f"<PriorEstimate by {self.method}: {shown}>"


def estimate_priors(
    posteriors: Any,
    priors: Priors,
    *,
    level: float = 0.95,
    tolerance: float = 1e-9,
    max_iterations: int = 100_000,
) -> PriorEstimate:
    r"""Class priors of unlabelled cases by maximum likelihood (expectation-maximisation).

    Use it when a calibrated classifier moves to a place where the classes have other shares and
    nothing is labelled. Follow with `shift_priors`.

    .. math:: P'_k \leftarrow \frac1N \sum_n
       \frac{(P'_k/P_k)\,p_{nk}}{\sum_j (P'_j/P_j)\,p_{nj}}

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
    The likelihood is concave, so the maximum is unique unless classes cannot be told apart. The
    intervals come from its curvature, on the scale of log odds; they take the posteriors as
    calibrated and shrink with the number of unlabelled cases only. An estimate of 0 or 1 gets the
    interval that ends where the log-likelihood has dropped as far as at a normal interval's end.

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
    ratios = read.values / old
    now, iterations = old.copy(), 0
    while True:
        parts = ratios * now
        parts /= parts.sum(axis=1, keepdims=True)
        after = parts.mean(axis=0)
        iterations += 1
        if np.abs(after - now).max() < tolerance:
            break
        if iterations >= max_iterations:
            raise UndefinedError(
                f"the priors still change after {max_iterations} steps; classes may be alike.",
                hint="raise `tolerance`",
            )
        now = after
    low, high = _intervals(ratios, after, level)
    return PriorEstimate(
        read.classes,
        frozen(after),
        frozen(low),
        frozen(high),
        level=level,
        method="expectation-maximisation",
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

    mixed = np.log(ratios @ priors).sum()
    others = np.delete(np.arange(len(priors)), k)
    at_top = priors[k] > 0.5
    target = ratios[:, others].mean(axis=1) if at_top else ratios[:, k]

    def drop(share: float) -> float:
        moved = (1 - share) * (ratios @ priors) + share * target
        return float(mixed - np.log(np.maximum(moved, 1e-300)).sum() - reach**2 / 2)

    end = 1.0 if drop(1.0) <= 0 else float(brentq(drop, 0.0, 1.0))
    return (1.0 - end, 1.0) if at_top else (0.0, end)


def estimate_priors_from_decisions(
    matrix: Any,
    decisions: Any,
    *,
    level: float = 0.95,
    replicates: int = 1000,
    rng: RandomSource = 0,
) -> PriorEstimate:
    r"""Class priors of unlabelled cases from hard decisions alone (black-box shift estimation).

    Needs no calibrated posteriors: only how often each class gets each decision among labelled
    cases, and how often each decision occurs among the new ones.

    .. math:: \min_{P'\ge 0,\ \sum P'=1} \left\| R^{\mathsf T} P' - d \right\|^2

    Parameters
    ----------
    matrix : ConfusionMatrix
        Labelled cases from the old place: rows true classes, columns decisions.
    decisions : array-like
        Counts of each decision in the new place, shape (n_decisions,), in the order of the columns.
    level, replicates, rng
        Confidence of the intervals, from that many parametric bootstrap replicates of both tables.

    Returns
    -------
    PriorEstimate
        Estimate with percentile intervals.

    Notes
    -----
    Undefined when the rows of rates are linearly dependent: then different priors give the same
    decisions.

    References
    ----------
    .. [1] Lipton, Wang, Smola, *Detecting and correcting for label shift with black box
       predictors*, ICML 2018.

    Examples
    --------
    >>> from stakes.summaries import ConfusionMatrix
    >>> labelled = ConfusionMatrix([[90, 10], [20, 80]])
    >>> estimate_priors_from_decisions(labelled, [550, 450]).priors.round(4).tolist()
    [0.5, 0.5]
    """
    if not hasattr(matrix, "counts"):
        raise DataError(
            f"`matrix` must be a ConfusionMatrix; got {type(matrix).__name__}.",
            hint="stakes.ConfusionMatrix(counts), rows true classes",
        )
    if not 0 < level < 1:
        raise DataError(f"`level` must lie between 0 and 1; got {level!r}.")
    counts = np.asarray(matrix.counts, dtype=np.float64)
    new = np.asarray(decisions, dtype=np.float64)
    if new.shape != (counts.shape[1],) or not new.sum() > 0 or (new < 0).any():
        raise DataError(
            f"`decisions` must count each of the {counts.shape[1]} decisions; "
            f"got shape {new.shape}."
        )
    totals = counts.sum(axis=1)
    if (totals == 0).any():
        raise UndefinedError("a class without labelled cases has no rates.")
    rates = counts / totals[:, None]
    if np.linalg.matrix_rank(rates) < len(rates):
        raise UndefinedError("different priors give the same decisions, so they cannot be told.")
    found = _simplex_fit(rates, new / new.sum())
    random = np.random.default_rng(rng)
    drawn = np.empty((replicates, len(rates)))
    for row in drawn:
        again = np.stack(
            [random.multinomial(int(t), r) / int(t) for t, r in zip(totals, rates, strict=True)]
        )
        row[:] = _simplex_fit(
            again, random.multinomial(int(new.sum()), new / new.sum()) / int(new.sum())
        )
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return PriorEstimate(
        matrix.classes,
        frozen(found),
        frozen(np.asarray(low)),
        frozen(np.asarray(high)),
        level=level,
        method="black-box shift estimation",
        iterations=1,
    )


def _simplex_fit(rates: FloatArray, shares: FloatArray) -> FloatArray:
    """Non-negative priors, adding to 1, whose decisions come nearest to `shares`."""
    from scipy.optimize import nnls

    heavy = 1e4  # the weight of the condition that they add to 1
    left = np.vstack([rates.T, heavy * np.ones(len(rates))])
    found, _ = nnls(left, np.append(shares, heavy))
    return np.asarray(found / found.sum())
