"""Estimating the class priors of a place from decisions alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._checks import frozen
from stakes._columns import as_reals
from stakes._names import listed
from stakes._random import as_generator
from stakes.exceptions import DataError, UndefinedError
from stakes.posteriors.prior_estimation import PriorEstimate
from stakes.typing import FloatArray, RandomSource

#: Decisions less likely than this under any priors refute that only the priors have changed.
_REFUTED = 0.01


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
        Shares or weighted numbers do for the estimate, here and in `matrix`, but have no intervals
        (nan), because they do not tell how many cases there were.
    level, replicates, rng
        Confidence of the intervals, from that many draws of both tables.

    Returns
    -------
    PriorEstimate
        Estimate with intervals. Where no priors explain the decisions, `possible` is False and
        `text` says so.

    Notes
    -----
    Undefined when the rows of rates are linearly dependent: then different priors give the same
    decisions.

    Rates and shares are drawn from Dirichlet distributions of the counts and one case more, spread
    over all decisions, so that a decision which was not seen is not impossible. An estimate of 0
    or 1 gets an interval as wide, to the one side, as if priors could be negative. When even the
    nearest priors are further from the decisions than chance allows (chi-square at 1 %, for the
    labelled and the new cases together), a class no longer gets the decisions it got: the priors
    cannot be told, and the intervals go from 0 to 1.

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
    if int(replicates) != replicates or replicates < 1:
        raise DataError(f"`replicates` must be a whole number, at least 1; got {replicates!r}.")
    counts = np.asarray(matrix.counts, dtype=np.float64)
    new = _counted(decisions, counts.shape[1])
    totals = counts.sum(axis=1)
    if (totals == 0).any():
        absent = [matrix.classes[k] for k in np.flatnonzero(totals == 0)]
        raise UndefinedError(
            f"`matrix` has no labelled case of class {listed(absent)}, so no rates of it."
        )
    rates = counts / totals[:, None]
    if np.linalg.matrix_rank(rates) < len(rates):
        raise UndefinedError("different priors give the same decisions, so they cannot be told.")
    found = _simplex_fit(rates, new / new.sum())
    possible = True
    if not all(np.allclose(table, np.rint(table), rtol=1e-9, atol=1e-9) for table in (counts, new)):
        low = high = np.full(len(found), np.nan)
    elif possible := _explained(counts, new, found):
        low, high = _intervals(counts, new, found, level, replicates, rng)
    else:
        low, high = np.zeros(len(found)), np.ones(len(found))
    return PriorEstimate(
        matrix.classes,
        frozen(found),
        frozen(low),
        frozen(high),
        level=level,
        method="black-box shift estimation",
        iterations=1,
        possible=possible,
    )


def _counted(decisions: Any, size: int) -> FloatArray:
    """The number of each decision, checked."""
    new = as_reals(decisions, "decisions")
    if new.shape != (size,):
        raise DataError(
            f"`decisions` must count each of the {size} decisions; got shape {new.shape}."
        )
    if not np.isfinite(new).all() or (new < 0).any() or not new.any():
        raise DataError(f"`decisions` must be counts, not all 0; got {new.tolist()}.")
    return new


def _smoothed(counts: FloatArray) -> FloatArray:
    """Counts and one case more, spread over the columns."""
    return np.asarray(counts + 1.0 / counts.shape[-1])


def _simplex_fit(left: FloatArray, shares: FloatArray) -> FloatArray:
    """Non-negative priors, adding to 1, whose mixture of the rows of `left` is nearest."""
    from scipy.optimize import nnls

    # Priors that add to 1 are off by `priors @ apart`. For each direction of the priors the best
    # scale of the sum below is known, and then the sum grows with how far they are off: its
    # minimum has the direction that is sought, whatever the weight of the last equation.
    apart = left - shares
    apart = apart / max(float(np.abs(apart).max()), np.finfo(float).tiny)
    system = np.vstack([apart.T, np.ones(len(left))])
    found, _ = nnls(system, np.append(np.zeros(len(shares)), 1.0))
    return np.asarray(found / found.sum())


def _summing(left: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Equations for the priors, and a heavy one that they add to 1."""
    heavy = 1e4 * max(1.0, float(np.abs(left).max()))
    return np.vstack([left.T, np.full(len(left), heavy)]), np.append(shares, heavy)


def _explained(counts: FloatArray, new: FloatArray, priors: FloatArray) -> bool:
    """Whether some priors give the decisions, but for chance in both tables."""
    from scipy.special import chdtrc

    totals = counts.sum(axis=1)
    likely = _smoothed(counts) / (totals + 1.0)[:, None]
    expected = priors @ likely
    spread = _multinomial(expected) / new.sum()
    for share, row, total in zip(priors, likely, totals, strict=True):
        spread += share**2 * _multinomial(row) / total
    values, vectors = np.linalg.eigh(spread)
    known = values > 1e-12 * values.max()
    white = vectors[:, known] / np.sqrt(values[known])
    rates, shares = counts / totals[:, None], new / new.sum()
    nearest = _simplex_fit(rates @ white, shares @ white)
    rest = (shares - nearest @ rates) @ white
    return bool(chdtrc(len(new) - 1, float(rest @ rest)) >= _REFUTED)


def _multinomial(shares: FloatArray) -> FloatArray:
    """Covariance of one draw."""
    return np.asarray(np.diag(shares) - np.outer(shares, shares))


def _intervals(
    counts: FloatArray,
    new: FloatArray,
    found: FloatArray,
    level: float,
    replicates: int,
    rng: RandomSource,
) -> tuple[FloatArray, FloatArray]:
    """Quantiles over draws of both tables; one-sided from an estimate of 0 or 1."""
    random = as_generator(rng)
    ends = [(1 - level) / 2, 0.5, (1 + level) / 2]
    free = np.empty((replicates, len(counts)))
    held = np.empty_like(free)
    for k in range(replicates):
        rates = np.stack([random.dirichlet(row) for row in _smoothed(counts)])
        shares = random.dirichlet(_smoothed(new))
        free[k] = np.linalg.lstsq(*_summing(rates, shares), rcond=None)[0]
        held[k] = free[k] if free[k].min() >= 0.0 else _simplex_fit(rates, shares)
    below, middle, above = np.quantile(free, ends, axis=0)
    low, _, high = np.quantile(held, ends, axis=0)
    low = np.where(found > 1.0 - 1e-9, np.minimum(low, found - (middle - below)), low)
    high = np.where(found < 1e-9, np.maximum(high, found + (above - middle)), high)
    return np.clip(np.minimum(low, found), 0.0, 1.0), np.clip(np.maximum(high, found), 0.0, 1.0)
