"""Reliability by isotonic regression: what the posteriors say against what happens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.scores.compiled_scores import hull
from stakes._kernels.scores.roc import cumulative
from stakes._random import as_generator
from stakes.curves.tabular import Tabular
from stakes.exceptions import DataError
from stakes.metrics.scores.proper_scores import ScoreDecomposition, score_decomposition
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray, RandomSource


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(Tabular):
    """Isotonic curve, band around the diagonal, and how often each posterior occurs."""

    forecast: FloatArray
    observed: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    weight: FloatArray
    brier: ScoreDecomposition
    level: float


def reliability(
    scores: RankedScores,
    *,
    n_resamples: int = 100,
    level: float = 0.9,
    points: int = 512,
    rng: RandomSource = None,
) -> ReliabilityCurve:
    """Share of the second class among cases with a given posterior, by isotonic regression.

    Shows where posteriors say too much or too little, without choosing bins. The band is
    what calibrated posteriors would stay in: outside it, calibration is in doubt.

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "posterior" or "log_odds"; LLRs are combined with the prior of the data.
    n_resamples : int
        Outcomes drawn from the posteriors themselves to make the band; 0 leaves it `nan`.
    level : float
        Of the pointwise band.
    points : int
        At most so many forecasts are returned, evenly spaced among the distinct ones.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    ReliabilityCurve
        Forecasts, observed shares, band, weight of the cases at (and below, since the
        previous point) each forecast, and the decomposition of the Brier score.

    Notes
    -----
    The band holds at each point by itself, not for the whole curve at once. Weighted cases
    are resampled as if each distinct forecast held its effective number of cases.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting and A. Jordan, "Stable reliability diagrams for
       probabilistic classifiers", PNAS 118(8), 2021.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.9], kind="posterior")
    >>> reliability(sc, n_resamples=0).observed
    array([0. , 0.5, 0.5, 1. ])
    """
    require_both(scores, "reliability")
    scores.require_scale("reliability")
    if not 0 < level < 1 or n_resamples < 0 or points < 2:
        raise DataError("`level` must lie in (0, 1), `n_resamples` >= 0 and `points` >= 2.")
    values, negatives, positives = scores.levels
    forecast = _as_posteriors(scores, values)
    total = (negatives + positives).astype(np.float64)
    observed = _isotonic(negatives, positives)
    kept = np.unique(np.linspace(0, len(forecast) - 1, min(points, len(forecast))).astype(int))
    low, high = _band(forecast, total, kept, n_resamples, level, rng)
    weight = np.diff(cumulative(total)[np.append(0, kept + 1)])
    split = score_decomposition(scores, "brier")
    return ReliabilityCurve(forecast[kept], observed[kept], low, high, weight, split, level)


def _as_posteriors(scores: RankedScores, values: NDArray[np.floating]) -> FloatArray:
    """Scores as posteriors at the prior of the data."""
    wide = values.astype(np.float64)
    if scores.kind == "posterior" and scores.prior is None:
        return wide
    if scores.kind == "posterior":
        with np.errstate(divide="ignore"):
            wide = np.log(wide) - np.log1p(-wide)
    return np.asarray(1 / (1 + np.exp(-wide - scores.shift_to(float(scores.priors[1])))))


def _isotonic(negatives: NDArray[np.generic], positives: NDArray[np.generic]) -> FloatArray:
    """The isotonic share of positives at each level."""
    x, y = cumulative(np.asarray(negatives)), cumulative(np.asarray(positives))
    corners = hull(x, y)
    first, second = np.diff(x[corners]), np.diff(y[corners])
    return np.repeat(second / (first + second), np.diff(corners))


def _band(
    forecast: FloatArray,
    total: FloatArray,
    kept: NDArray[np.intp],
    n_resamples: int,
    level: float,
    rng: RandomSource,
) -> tuple[FloatArray, FloatArray]:
    """Quantiles of isotonic curves of outcomes drawn from the forecasts."""
    if n_resamples == 0:
        return np.full(kept.shape, np.nan), np.full(kept.shape, np.nan)
    source = as_generator(rng)
    cases = np.maximum(np.rint(total), 1).astype(np.int64)
    drawn = np.empty((n_resamples, kept.shape[0]))
    for k in range(n_resamples):
        positives = source.binomial(cases, forecast)
        drawn[k] = _isotonic(cases - positives, positives)[kept]
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    return low, high
