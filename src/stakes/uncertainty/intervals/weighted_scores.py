"""Intervals of metrics of scores when cases weigh differently."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._columns import as_column, as_floats
from stakes._kernels.fast_loops import ordinary_scale
from stakes._kernels.interval_ends import (
    AucMoments,
    auc_score_limits,
    equal_error_limits,
    normal_quantile,
    percentile,
)
from stakes._kernels.run_bootstrap import Rates
from stakes._names import encode
from stakes._random import as_generator
from stakes.application import Application, as_application
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.intervals.count_intervals import Asked
from stakes.uncertainty.intervals.group_intervals import (
    ScoreRows,
    class_hits,
    error_weights,
    score_draws,
    score_statistic,
)
from stakes.uncertainty.intervals.interval import MIN_CASES, Interval, Rule, percentile_rule
from stakes.uncertainty.intervals.linear_costs import CostSum, as_stakes, cost_sum
from stakes.uncertainty.intervals.score_intervals import score_function
from stakes.uncertainty.intervals.weighted_intervals import (
    effective_cases,
    equivalent_sum,
    required_weights,
)

#: Parts into which rows are divided to choose a threshold without them, and how often.
FOLDS, REPEATS = 10, 5


def weighted_score_interval(
    y_true: Any,
    scores: Any,
    *,
    sample_weight: Any,
    metric: Any = "auc",
    application: Any = None,
    kind: Any = "rank",
    method: str | None = None,
    level: float = 0.95,
    draws: int = 1000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Interval:
    """Interval of a metric of scores when cases weigh differently.

    What weights mean is as in `weighted_interval`: a row is one case, whatever it weighs, and
    only the proportions of the weights within each class matter. For the cost of decisions taken
    at a threshold fixed beforehand, decide and use `weighted_interval`.

    Parameters
    ----------
    y_true : column
        True classes, two of them.
    scores : column
        One score per case; higher speaks for the second class.
    sample_weight : column
        Weight of each case, not negative; a case of weight zero is left out.
    metric : {"auc", "eer", "min_cost"}, other name in `stakes.metrics`, or callable
        What is measured; a function gets a ScoreCounts.
    application : Application or CostMatrix, optional
        Costs and priors, for "min_cost" (two decisions) and for metrics that take them.
    kind : {"rank", "llr", "log_odds", "posterior"}
        What a score means, for metrics that need to know.
    method : {"score", "percentile"}, optional
        For "auc", "eer" and "min_cost" "score" (default) or "percentile"; else "percentile".
    level : float
        Share of data sets in which such an interval holds the truth.
    draws : int
        How many are drawn, for methods that draw.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer rows of a class no interval is given.

    Returns
    -------
    Interval
        With `.at(level)` and, where rows were drawn, `.more(draws)`.

    Notes
    -----
    AUC has the variance of the linearised area, DeLong's where all weights are equal, and the
    equal error rate that of the two error rates where they cross; their score intervals are those
    of `interval` with as many cases as have this variance. So is that of the minimum cost, from
    decisions halfway between those of the best threshold and those of thresholds that were chosen
    without the case. Otherwise rows of each class are drawn with replacement, with their weights;
    replicates of the minimum cost are moved by the bias that drawing shows.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44, 1988.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 4 == 0
    >>> s, w = rng.normal(2.0 * y), np.where(rng.random(400) < 0.5, 1.0, 4.0)
    >>> found = weighted_score_interval(y, s, sample_weight=w)
    >>> found.method, found.low < found.value < found.high
    ('score', True)
    """
    column = as_floats(scores, "scores")
    weights = required_weights(sample_weight, column.shape[0])
    summary = ScoreCounts.from_scores(y_true, column, kind=kind, sample_weight=weights)
    asked = Asked(
        metric, application, method=method, level=level, draws=draws, rng=rng, min_cases=min_cases
    )
    name = asked.name
    summary.require_both(name)
    kept = weights > 0
    truth, column, weights = as_column(y_true, "y_true")[kept], column[kept], weights[kept]
    second = encode(truth, summary.classes, "y_true").astype(bool)
    ranked = name in ("auc", "eer", "min_cost")
    method = asked.by(*(("score", "percentile") if ranked else ("percentile",)))
    cases = np.bincount(second, minlength=2), summary.classes
    rows = ScoreRows.ordered(second, column, weights)
    hits = class_hits(second)
    if not ranked:
        function = score_function(metric, application)

        def redraw(size: int, generator: np.random.Generator) -> FloatArray:
            like: dict[str, Any] = {"kind": summary.kind, "classes": summary.classes}
            drawn = (weights * hits(generator) for _ in range(size))
            every = (ScoreCounts.from_scores(truth, column, sample_weight=w, **like) for w in drawn)
            return np.array([function(each) for each in every])

        found = asked.drawn(redraw)
        return asked.found(method, function(summary), percentile_rule, cases, replicates=found)
    value, statistic = score_statistic(name, application, summary)
    notes: tuple[str, ...] = ()
    if name == "min_cost":
        notes = (f"optimism corrected: {value:.4g} on these very data",)
    if method == "score":
        rule: Rule = _area_rule(rows, value) if name == "auc" else _crossing_rule(rows)
        if name == "min_cost":
            least = _least_cost(rows, as_application(application), summary.priors, rng)
            value, rule = least.value, least.limits
        return asked.found(method, value, rule, cases, notes=notes)
    drawn = asked.drawn(score_draws([rows], statistic, hits))
    bias = float(drawn.defined.mean()) - value if name == "min_cost" else 0.0

    def moved(at: float, values: FloatArray) -> tuple[float, float]:
        low, high = percentile(values, at)
        return low - 2 * bias, high - 2 * bias

    return asked.found(method, value - bias, moved, cases, notes=notes, replicates=drawn)


def _area_rule(rows: ScoreRows, area: float) -> Any:
    """Score limits of the area from the influence of each row."""
    moves, weights = rows.influence()[rows.order], rows.weights
    assert weights is not None
    parts, sizes = [], []
    for inside in (~rows.second, rows.second):
        n, w = int(inside.sum()), weights[inside] / ordinary_scale(weights[inside])
        parts.append(float((moves[inside] ** 2).sum()) * n / max(n - 1, 1))
        sizes.append(float(w.sum()) ** 2 / float((w * w).sum()))
    moments = AucMoments(area, parts[1], parts[0], 0.0)
    return lambda at, _: auc_score_limits(moments, sizes[0], sizes[1], normal_quantile(at))


def _crossing_rule(rows: ScoreRows) -> Any:
    """Score limits of the equal error rate, from the rows that are wrong where rates cross."""
    assert rows.weights is not None
    n = rows.order.shape[0]
    rates: Rates = rows.rates(np.ones(n))
    right = int(np.searchsorted(rates.missed - rates.alarms, 0.0))
    below = np.arange(n) < np.append(rows.starts, n)[min(right, rows.starts.shape[0])]
    sizes = []
    for inside, wrong in ((~rows.second, ~below), (rows.second, below)):
        error, w = wrong[inside].astype(np.intp), rows.weights[inside]
        counts = np.bincount(error, minlength=2).astype(np.float64)
        sums, squares = (
            np.bincount(error, part, minlength=2).astype(np.float64) for part in (w, w * w)
        )
        influence = np.array([0.0, 1.0]) - sums[1] / sums.sum()
        sizes.append(effective_cases(counts, sums, squares, influence))
    return lambda at, _: equal_error_limits(rates, sizes[0], sizes[1], normal_quantile(at))


def _least_cost(
    rows: ScoreRows, app: Application, shares: FloatArray, rng: RandomSource
) -> CostSum:
    """The cost halfway between that of the best threshold and of those chosen without the case."""
    assert rows.weights is not None
    alarm, miss, _ = error_weights(app, shares)
    truth, n, level = rows.second.astype(np.intp), rows.order.shape[0], rows.levels()
    powers = np.stack([np.ones(n), rows.weights, rows.weights**2])

    def above(hits: Any) -> Any:
        found = rows.rates(hits)
        return level >= int(np.argmin(alarm * found.alarms + miss * found.missed))

    def tables(chosen: Any) -> FloatArray:
        return np.stack([np.bincount(2 * truth + chosen, p, minlength=4) for p in powers])

    generator, parts = as_generator(rng), []
    for _ in range(REPEATS):
        fold, chosen = np.empty(n, dtype=np.intp), np.empty(n, dtype=bool)
        for inside in (~rows.second, rows.second):
            fold[inside] = generator.permutation(int(inside.sum())) % FOLDS
        for k in range(FOLDS):
            hits = np.empty(n)
            hits[rows.order] = fold != k
            chosen[fold == k] = above(hits)[fold == k]
        parts.append(tables(chosen))
    cases, sums, squares = (tables(above(np.ones(n))) + np.mean(parts, axis=0)) / 2
    return equivalent_sum(cost_sum(sums.reshape(2, 2), as_stakes(app)), cases, squares)
