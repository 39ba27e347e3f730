"""Estimating class priors from unlabelled cases, by posteriors or by decisions alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_level, as_number, as_priors, as_whole, frozen
from stakes._columns import as_reals
from stakes._guesses import AnswersGuesses
from stakes._kernels.optimise.newton import most_likely_shares
from stakes._names import listed
from stakes._random import as_generator
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.posteriors.posteriors import Posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, Name, Priors, RandomSource

#: Shares up to this count as 0 in the intervals of the others.
_NONE = 1e-6
#: The curvature gives the interval of a share if that reaches no further, in log odds.
_NEAR = 0.5
#: The other shares are not fitted again for more work than this: rows times classes squared, for
#: each share whose interval the curvature does not give.
_MUCH = 1e7
#: Stands for a density of 0, so that its logarithm is finite: no interval reaches such a share.
_IMPOSSIBLE = 1e-300


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PriorEstimate(AnswersGuesses):
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
        Steps until convergence.
    possible : bool
        Whether some priors explain the cases, up to chance. If not, the priors are the nearest, and
        the intervals go from 0 to 1.
    """

    classes: tuple[Name, ...]
    priors: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    method: str
    iterations: int
    possible: bool = True

    def __post_init__(self) -> None:
        for name in ("priors", "low", "high"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def text(self) -> str:
        """The estimate in a sentence, or that there is none."""
        rows = list(zip(self.classes, self.priors, self.low, self.high, strict=True))
        found = ", ".join(f"{name} {100 * p:.3g} %" for name, p, _, _ in rows)
        if not self.possible:
            return (
                "No class mix explains these cases: the scores within each class have changed as "
                f"well, so the class mix is not known (nearest: {found})."
            )
        if np.isnan(self.low).any():
            return (
                f"Estimated class mix: {found}; how far they can be trusted is not known, because "
                "the numbers of cases are not whole."
            )
        parts = [f"{n} {100 * p:.3g} % ({100 * a:.3g} to {100 * b:.3g} %)" for n, p, a, b in rows]
        return f"Estimated class mix: {', '.join(parts)}."

    def frame(self) -> Frame:
        """One row per class."""
        shares = {"prior": self.priors, "low": self.low, "high": self.high}
        return Frame({"class": list(self.classes), **shares})

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
    The likelihood is concave, so the maximum is unique unless classes cannot be separated.
    Expectation-maximisation [1]_ converges to it slowly if a classifier is weak; Newton's method
    finds it in a dozen steps. The intervals take the posteriors as calibrated and shrink with the
    number of unlabelled cases only. If a share is several standard errors from 0 and 1, they come
    from the curvature of the log-likelihood, on the scale of log odds. Otherwise they end where the
    log-likelihood, maximised over the other shares, has dropped as far as at the end of a normal
    interval: an interval from 0 says that there may be no case of the class at all, and how many
    there are at most. With many classes the other shares are then kept in proportion to save time,
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
    max_iterations = as_whole(max_iterations, "max_iterations")
    tolerance = as_number(tolerance, "tolerance")
    if not 0 <= tolerance < 1:
        raise DataError(f"`tolerance` must be from 0 to below 1; got {tolerance:g}.")
    if not len(read):
        raise DataError("`posteriors` must hold at least one case; got none.")
    ratios = np.ascontiguousarray(read.values / old)
    limits: dict[str, Any] = {"tolerance": tolerance, "max_iterations": max_iterations}
    after, iterations = most_likely_shares(ratios, old, **limits)
    if iterations > max_iterations:
        raise UndefinedError(
            f"the priors still change after {max_iterations} steps; classes may be alike.",
            hint="raise `tolerance`",
        )
    low, high = _intervals(ratios, after, level)
    return PriorEstimate(read.classes, after, low, high, level, "maximum likelihood", iterations)


def _intervals(
    ratios: FloatArray, priors: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Ends of the interval of each prior: from the curvature, or where the likelihood drops."""
    from scipy.special import expit, ndtri

    reach = float(ndtri(0.5 + as_level(level) / 2))
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
    """Standard errors by the curvature; 0 for shares at 0, infinite if cases are uninformative."""
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
    """Where moving a prior lowers the log-likelihood by reach^2/2, others re-fitted or kept."""
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


#: Weight of the equation that priors add to 1, relative to those of the rates.
_HEAVY = 1e4
#: Decisions less likely than this under any priors refute that only the priors have changed.
_REFUTED = 0.01


def estimate_priors_from_decisions(
    matrix: Any, decisions: Any, *, level: float = 0.95, draws: int = 1000, rng: RandomSource = 0
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
    level, draws, rng
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

    Rates and shares are drawn from Dirichlet distributions of the counts plus one case spread
    over all decisions, so that a decision that was not seen is not impossible. The interval of an
    estimate of 0 or 1 is one-sided, as wide as if priors could be negative. If even the nearest
    priors are further from the decisions than chance allows (chi-square at 1 %, for the labelled
    and the new cases together), the rates themselves have changed: the priors cannot be estimated,
    and the intervals go from 0 to 1.

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
    if getattr(getattr(matrix, "counts", None), "ndim", 0) != 2:
        raise DataError(
            f"`matrix` must be a ConfusionMatrix; got {type(matrix).__name__}.",
            hint="stakes.ConfusionMatrix(counts), rows true classes",
        )
    level, draws = as_level(level), as_whole(draws, "draws", most=100_000)
    counts = np.asarray(matrix.counts, dtype=np.float64)
    new = as_reals(decisions, "decisions")
    if new.shape != counts.shape[1:]:
        raise DataError(f"`decisions` must be {counts.shape[1]} counts; got shape {new.shape}.")
    if not np.isfinite(new).all() or (new < 0).any() or not new.any():
        raise DataError(f"`decisions` must be counts, not all 0; got {new.tolist()}.")
    totals = counts.sum(axis=1)
    if (totals == 0).any():
        absent = [matrix.classes[k] for k in np.flatnonzero(totals == 0)]
        raise UndefinedError(f"`matrix` has no labelled case of class {listed(absent)}.")
    rates = counts / totals[:, None]
    if np.linalg.matrix_rank(rates) < len(rates):
        raise UndefinedError("different priors give the same decisions, so they cannot be told.")
    found = _simplex_fit(rates, new / new.sum())
    possible = True
    if not all(np.allclose(table, np.rint(table), rtol=1e-9, atol=1e-9) for table in (counts, new)):
        low = high = np.full(len(found), np.nan)
    elif possible := _explained(counts, new, found):
        low, high = _intervals_from_decisions((counts, new), found, level, draws, rng)
    else:
        low, high = np.zeros(len(found)), np.ones(len(found))
    method = "black-box shift estimation"
    return PriorEstimate(matrix.classes, found, low, high, level, method, 1, possible)


def _simplex_fit(left: FloatArray, shares: FloatArray) -> FloatArray:
    """Non-negative priors, adding to 1, whose mixture of the rows of `left` is nearest."""
    from scipy.optimize import nnls

    # Priors that add to 1 miss the shares by `priors @ apart`. For each direction of the priors the
    # best scale is known, and the sum below then grows with that error. So its minimum has the
    # right direction, whatever the weight of the last equation.
    apart = left - shares
    apart = apart / max(float(np.abs(apart).max()), np.finfo(float).tiny)
    system = np.vstack([apart.T, np.ones(len(left))])
    found, _ = nnls(system, np.append(np.zeros(len(shares)), 1.0))
    return np.asarray(found / found.sum())


def _explained(counts: FloatArray, new: FloatArray, priors: FloatArray) -> bool:
    """Whether some priors explain the decisions, up to chance in both tables."""
    from scipy.special import chdtrc

    totals = counts.sum(axis=1)
    likely = (counts + 1.0 / counts.shape[1]) / (totals + 1.0)[:, None]  # one more case, spread
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
    """Covariance of one multinomial draw."""
    return np.asarray(np.diag(shares) - np.outer(shares, shares))


def _intervals_from_decisions(
    tables: tuple[FloatArray, FloatArray], found: FloatArray, level: float, draws: int, rng: Any
) -> tuple[FloatArray, FloatArray]:
    """Quantiles over draws of both tables; one-sided from an estimate of 0 or 1."""
    random, (counts, new) = as_generator(rng), tables
    ends = [(1 - level) / 2, 0.5, (1 + level) / 2]
    extra = 1.0 / counts.shape[1]  # one more case in each row, spread over the decisions
    free = np.empty((draws, len(counts)))
    held = np.empty_like(free)
    for k in range(draws):
        rates = np.stack([random.dirichlet(row + extra) for row in counts])
        shares = random.dirichlet(new + extra)
        system = np.vstack([rates.T, np.full(len(rates), _HEAVY)])  # last row: they add to 1
        free[k] = np.linalg.lstsq(system, np.append(shares, _HEAVY), rcond=None)[0]
        held[k] = free[k] if free[k].min() >= 0.0 else _simplex_fit(rates, shares)
    below, middle, above = np.quantile(free, ends, axis=0)
    low, _, high = np.quantile(held, ends, axis=0)
    low = np.where(found > 1.0 - 1e-9, np.minimum(low, found - (middle - below)), low)
    high = np.where(found < 1e-9, np.maximum(high, found + (above - middle)), high)
    return np.clip(np.minimum(low, found), 0.0, 1.0), np.clip(np.maximum(high, found), 0.0, 1.0)
