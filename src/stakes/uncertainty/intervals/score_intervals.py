"""Intervals of what is computed from scores: AUC, equal error rate, costs at thresholds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels import run_bootstrap as runs_kernel
from stakes._kernels.interval_ends import (
    auc_moments,
    auc_score_limits,
    bca,
    equal_error_limits,
    logit_limits,
    normal_quantile,
    percentile,
    student_limits,
)
from stakes.application import as_application
from stakes.exceptions import DataError
from stakes.metrics import Metric, at_bayes_threshold, auc, eer
from stakes.summaries import ScoreBins, ScoreCounts
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray
from stakes.uncertainty.intervals.count_intervals import Asked, confusion_interval, metric_name
from stakes.uncertainty.intervals.interval import OF_SCORES, Interval, refuse_weights
from stakes.uncertainty.optimism import min_cost_interval

_METHODS = {
    "auc": ("score", "delong", "normal", "percentile", "bca"),
    "eer": ("score", "percentile"),
    "min_cost": ("score", "percentile"),
    "actual_cost": ("score", "normal", "percentile", "bca", "studentized", "posterior"),
}


def score_interval(scores: RankedScores, asked: Asked) -> Interval:
    """See `stakes.uncertainty.interval`."""
    name = asked.name
    method = asked.by(*_METHODS.get(name, ("percentile",)))
    scores.require_both(name)
    negatives, positives = scores.runs.negatives, scores.runs.positives
    refuse_weights(np.concatenate([negatives, positives]), instead=OF_SCORES)
    if name == "actual_cost":
        return _actual(scores, asked)
    if name == "min_cost":
        return min_cost_interval(scores, asked, method)
    if method in ("percentile", "bca"):
        return _resampled(scores, asked, method)
    cases = scores.class_totals, scores.classes
    n0, n1 = scores.class_totals.tolist()
    if name == "eer":
        rates = runs_kernel.error_rates(negatives, positives)
        return asked.found(
            method,
            eer(scores),
            lambda at, _: equal_error_limits(rates, n0, n1, normal_quantile(at)),
            cases,
        )
    moments = auc_moments(negatives, positives)

    def rule(at: float, _: FloatArray) -> tuple[float, float]:
        if method == "score":
            return auc_score_limits(moments, n0, n1, normal_quantile(at))
        error = float(np.sqrt(moments.variance))
        if method == "normal" or not 0 < moments.value < 1:
            return student_limits(moments.value, error, at)
        return logit_limits(moments.value, error, at)

    return asked.found(method, auc(scores), rule, cases)


def _actual(scores: RankedScores, asked: Asked) -> Interval:
    """Costs at the Bayes threshold are those of a confusion matrix."""
    app = as_application(asked.application)
    matrix = at_bayes_threshold(scores, app).confusion
    cost = "normalized_expected_cost" if asked.normalized else "expected_cost"
    return replace(confusion_interval(matrix, replace(asked, metric=cost)), metric=asked.name)


def _resampled(scores: RankedScores, asked: Asked, method: str) -> Interval:
    """Replicates on label runs where the metric needs only ranks, else on distinct scores."""
    negatives, positives = scores.runs.negatives, scores.runs.positives
    ranked = asked.name in ("auc", "eer")
    if ranked:
        function: Callable[[Any], float] = auc if asked.name == "auc" else eer
    else:
        function = score_function(asked.metric, asked.application)
    value = function(scores)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        if not ranked:
            return np.array([function(s) for s in resampled_scores(scores, size, generator)])
        found = runs_kernel.rank_draws(negatives, positives, size, generator)
        return found[:, 0 if asked.name == "auc" else 1]

    def rule(level: float, values: FloatArray) -> tuple[float, float]:
        if method == "percentile":
            return percentile(values, level)
        return bca(values, value, auc_moments(negatives, positives).acceleration, level)

    cases = scores.class_totals, scores.classes
    return asked.found(method, value, rule, cases, replicates=asked.drawn(draw))


def score_function(metric: Any, application: Any) -> Callable[[Any], float]:
    """A metric of scores, by name or given; it gets the application if it takes one."""
    import stakes.metrics

    name = metric_name(metric)
    function = getattr(stakes.metrics, metric, None) if isinstance(metric, str) else metric
    if not callable(function):
        raise DataError(f"no metric {metric!r} of scores.", hint="give a function of the summary")
    given = () if application is None else (application,)
    ours = str(getattr(function, "__module__", "")).startswith("stakes.metrics")
    if ours and not isinstance(function, Metric):
        takes = inspect.signature(function).parameters
        if next(iter(takes)) != "scores":
            raise DataError(
                f"`{name}` is not a number of scores.",
                hint=f"decide first: interval(at_bayes_threshold(scores, app).confusion, {name!r})",
            )
        known = {"scores", "application"} if given else {"scores"}
        needs = [p.name for p in takes.values() if p.default is p.empty and p.name not in known]
        if needs:
            hint = f"give a function: lambda scores: {name}(scores, ...)"
            if needs == ["application"]:
                hint = "application=stakes.Application(...)"
            raise DataError(f"`{name}` needs {', '.join(needs)}.", hint=hint)
        given = given if "application" in takes else ()
    return lambda scores: _number(function(scores, *given), name)


def _number(value: Any, name: str) -> float:
    """What a metric gave, if it is one number."""
    if np.ndim(value) == 0 and isinstance(value, int | float | np.number):
        return float(value)
    raise DataError(
        f"`{name}` must give one number; got {type(value).__name__}.",
        hint="give a function that picks one: lambda scores: ...",
    )


def resampled_scores(
    scores: RankedScores, size: int, generator: np.random.Generator
) -> Iterator[RankedScores]:
    """Summaries like this one, with each class drawn anew from its own scores."""
    for _ in range(size):
        if isinstance(scores, ScoreBins):
            columns = [generator.multinomial(int(c.sum()), c / c.sum()) for c in scores.counts.T]
            yield replace(scores, counts=np.stack(columns, axis=1))
        elif isinstance(scores, ScoreCounts):
            first = _drawn(scores.negatives, scores.negative_counts, generator)
            second = _drawn(scores.positives, scores.positive_counts, generator)
            like = scores.classes, scores.kind, scores.from_priors
            yield ScoreCounts(first[0], second[0], first[1], second[1], *like)
        else:
            raise DataError(f"cannot resample {type(scores).__name__}.")


def _drawn(
    values: NDArray[Any], counts: NDArray[Any] | None, generator: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sorted values with the number of times each was drawn; those not drawn are left out."""
    if counts is None:
        n = values.shape[0]
        hits = np.bincount(generator.integers(0, n, n), minlength=n)
    else:
        total = round(float(counts.sum()))
        hits = generator.multinomial(total, counts / counts.sum())
    kept = hits > 0
    return values[kept], hits[kept]
