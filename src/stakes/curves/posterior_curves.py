"""Curves of what posteriors say: reliability, and the cost of abstaining."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, as_whole
from stakes._kernels.roc_hull import cumulative, hull
from stakes._random import as_generator
from stakes.application import as_application
from stakes.curves.bayes_error import Tabular, as_grid, as_log_odds
from stakes.exceptions import CostError
from stakes.metrics.scores.operating_points import aligned, at_bayes_threshold
from stakes.metrics.scores.proper_scores import ScoreDecomposition, score_decomposition
from stakes.metrics.summary_input import of_scores
from stakes.summaries.ranked_scores import RankedScores, require_both, require_scores
from stakes.typing import FloatArray, RandomSource


@dataclass(frozen=True, eq=False, repr=False)
class AbstentionCurve(Tabular):
    """Coverage and cost for each cost of abstaining."""

    abstention_cost: FloatArray
    coverage: FloatArray
    cost: FloatArray
    cost_when_decided: FloatArray
    lower_threshold: FloatArray
    upper_threshold: FloatArray


@of_scores
def abstention(
    scores: RankedScores, application: Any, *, abstention_costs: Any = None
) -> AbstentionCurve:
    """How many cases are decided, and at which cost, as abstaining costs more.

    For choosing how many cases to hand to a person.

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr", "log_odds" or "posterior".
    application : Application or CostMatrix
        Costs of the two decisions (without abstention) and priors.
    abstention_costs : array-like, optional
        What one abstention costs, in the unit of the costs; default, 101 values from 0 to
        the cost above which abstaining never pays.

    Returns
    -------
    AbstentionCurve
        `coverage` is the share decided, at the priors of the application; `cost` counts
        abstentions at their price; `cost_when_decided` is the mean cost of the decided
        cases, `nan` when there is none. Between the thresholds, the case is handed over.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section A.3, eq 31.

    Examples
    --------
    >>> from stakes import CostMatrix, ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9], kind="posterior")
    >>> print(abstention(sc, CostMatrix.zero_one(2), abstention_costs=[0.2, 0.45]).frame())
    abstention_cost  coverage  cost  cost_when_decided  lower_threshold  upper_threshold
    0.2              0.5       0.1   0                  0.2              0.8
    0.45             1         0     0                  0.45             0.55
    """
    require_scores(scores, "abstention")
    app = aligned(scores.classes, as_application(application))
    costs = app.costs
    if costs.shape != (2, 2):
        raise CostError("give the costs of the two decisions; abstention is added here.")
    grid = as_grid(abstention_costs, np.linspace(0, _useless_from(costs.values), 101), "costs")
    shares = app.resolved_priors(scores.priors)
    rows = [_row(scores, app, shares, float(price)) for price in grid]
    return AbstentionCurve(grid, *np.array(rows).reshape(-1, 5).T)


def _useless_from(values: FloatArray) -> float:
    """The price above which abstaining is never best: the most that a best decision can cost.

    That is where both decisions cost the same, or at a certain case.
    """
    (a, b), (c, d) = values.tolist()
    slope = (b - a) + (c - d)
    alike = (b - a) / slope if slope else 0.0
    uncertain = a + alike * (c - a) if 0 < alike < 1 else 0.0
    return float(max(min(a, b), min(c, d), uncertain, 0.0))


def _row(scores: RankedScores, app: Any, shares: FloatArray, price: float) -> list[float]:
    """Coverage, cost, cost of the decided, and both thresholds at one price."""
    name = "abstain" if "abstain" not in app.decisions else "abstain (here)"
    wider = app.with_costs(app.costs.with_abstention(price, name=name))
    point = at_bayes_threshold(scores, wider)
    joint = shares[:, None] * point.confusion.rates
    decided = float(joint[:, :2].sum())
    paid = float((joint[:, :2] * app.costs.values).sum())
    cuts = (-np.inf, *point.thresholds, np.inf)
    low = high = cuts[1] if point.thresholds else np.nan
    if name in point.stretches:
        k = point.stretches.index(name)
        low, high = cuts[k], cuts[k + 1]
    mean = paid / decided if decided > 0 else np.nan
    return [decided, paid + price * (1 - decided), mean, low, high]


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


@of_scores
def reliability(
    scores: RankedScores,
    *,
    draws: int = 100,
    level: float = 0.9,
    points: int = 512,
    rng: RandomSource = None,
) -> ReliabilityCurve:
    """Share of the second class among cases with a given posterior, by isotonic regression.

    Shows where posteriors say too much or too little, without choosing bins. Calibrated
    posteriors would stay inside the band: outside it, calibration is in doubt.

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "posterior" or "log_odds"; LLRs are combined with the prior of the data.
    draws : int
        Outcomes drawn from the posteriors themselves to make the band; 0 leaves it `nan`.
    level : float
        Level of the pointwise band.
    points : int
        The most forecasts to return, evenly spaced among the distinct ones.
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
    >>> reliability(sc, draws=0).observed
    array([0. , 0.5, 0.5, 1. ])
    """
    require_both(scores, "reliability")
    scores.require_scale("reliability")
    level, draws = as_level(level), as_whole(draws, "draws", least=0, most=100_000)
    points = as_whole(points, "points", least=2)
    _, negatives, positives = scores.levels
    forecast = forecasts_of(scores)
    total = (negatives + positives).astype(np.float64)
    observed = _isotonic(negatives, positives)
    kept = np.unique(np.linspace(0, len(forecast) - 1, min(points, len(forecast))).astype(int))
    low = high = np.full(kept.shape, np.nan)
    if draws:  # isotonic curves of outcomes drawn from the forecasts
        source, cases = as_generator(rng), np.maximum(np.rint(total), 1).astype(np.int64)
        drawn = np.empty((draws, kept.shape[0]))
        for k in range(draws):
            outcomes = source.binomial(cases, forecast)
            drawn[k] = _isotonic(cases - outcomes, outcomes)[kept]
        low, high = np.quantile(drawn, [(1 - level) / 2, 1 - (1 - level) / 2], axis=0)
    weight = np.diff(cumulative(total)[np.append(0, kept + 1)])
    split = score_decomposition(scores, "brier")
    return ReliabilityCurve(forecast[kept], observed[kept], low, high, weight, split, level)


def forecasts_of(scores: RankedScores) -> FloatArray:
    """The posterior of each level, at the prior of the data."""
    values = scores.levels[0]
    if scores.kind == "posterior" and scores.from_priors is None:
        return values.astype(np.float64)
    moved = as_log_odds(scores, values) + scores.shift_to(float(scores.priors[1]))
    return np.asarray(1 / (1 + np.exp(-moved)))


def _isotonic(negatives: NDArray[np.generic], positives: NDArray[np.generic]) -> FloatArray:
    """The isotonic share of positives at each level."""
    x, y = cumulative(np.asarray(negatives)), cumulative(np.asarray(positives))
    corners = hull(x, y)
    first, second = np.diff(x[corners]), np.diff(y[corners])
    return np.repeat(second / (first + second), np.diff(corners))
