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
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.intervals.count_intervals import confusion_interval, metric_name
from stakes.uncertainty.intervals.interval import (
    OF_SCORES,
    Interval,
    Replicates,
    refuse_weights,
    shortage,
)
from stakes.uncertainty.optimism import min_cost_interval

_METHODS = {
    "auc": ("score", "delong", "normal", "percentile", "bca"),
    "eer": ("score", "percentile"),
    "min_cost": ("score", "percentile"),
    "actual_cost": ("score", "normal", "percentile", "bca", "studentized", "posterior"),
}


def score_interval(
    scores: RankedScores,
    metric: Any,
    *,
    application: Any,
    weights: Any,
    method: str | None,
    normalized: bool,
    level: float,
    draws: int,
    rng: RandomSource,
    min_cases: int,
) -> Interval:
    """See `stakes.uncertainty.interval`."""
    name = metric_name(metric)
    known = _METHODS.get(name, ("percentile",))
    method = method or known[0]
    if method not in known:
        raise DataError(f"`method` of {name!r} must be one of {', '.join(known)}; got {method!r}.")
    scores.require_both(name)
    runs = scores.runs
    refuse_weights(np.concatenate([runs.negatives, runs.positives]), instead=OF_SCORES)
    if name == "actual_cost":
        return _actual(
            scores, application, weights, normalized, method, level, draws, rng, min_cases
        )
    if name == "min_cost":
        return min_cost_interval(
            scores,
            application,
            method=method,
            normalized=normalized,
            level=level,
            draws=draws,
            rng=rng,
            min_cases=min_cases,
        )
    refused, notes = shortage(scores.class_totals, scores.classes, min_cases)
    common: dict[str, Any] = {"level": level, "method": method, "refused": refused, "notes": notes}
    if method in ("percentile", "bca"):
        return _resampled(scores, metric, name, application, draws, rng, common)
    negatives, positives = scores.runs.negatives, scores.runs.positives
    n0, n1 = scores.class_totals.tolist()
    if name == "eer":
        rates = runs_kernel.error_rates(negatives, positives)
        return Interval.found(
            name,
            eer(scores),
            lambda at, _: equal_error_limits(rates, n0, n1, normal_quantile(at)),
            **common,
        )
    moments = auc_moments(negatives, positives)

    def rule(at: float, _: Replicates | None) -> tuple[float, float]:
        if method == "score":
            return auc_score_limits(moments, n0, n1, normal_quantile(at))
        error = float(np.sqrt(moments.variance))
        if method == "normal" or not 0 < moments.value < 1:
            return student_limits(moments.value, error, at)
        return logit_limits(moments.value, error, at)

    return Interval.found(name, auc(scores), rule, **common)


def _actual(
    scores: RankedScores,
    application: Any,
    weights: Any,
    normalized: bool,
    method: str,
    level: float,
    draws: int,
    rng: RandomSource,
    min_cases: int,
) -> Interval:
    """Costs at the Bayes threshold are those of a confusion matrix."""
    app = as_application(application)
    matrix = at_bayes_threshold(scores, app).confusion
    found = confusion_interval(
        matrix,
        "normalized_expected_cost" if normalized else "expected_cost",
        application=app.with_costs(app.costs) if weights is None else application,
        weights=weights,
        method=method,
        level=level,
        draws=draws,
        rng=rng,
        min_cases=min_cases,
    )
    return replace(found, metric="actual_cost")


def _resampled(
    scores: RankedScores,
    metric: Any,
    name: str,
    application: Any,
    draws: int,
    rng: RandomSource,
    common: dict[str, Any],
) -> Interval:
    """Replicates on label runs where the metric needs only ranks, else on distinct scores."""
    if name in ("auc", "eer"):
        value = auc(scores) if name == "auc" else eer(scores)
        negatives, positives = scores.runs.negatives, scores.runs.positives

        def draw(size: int, generator: np.random.Generator) -> FloatArray:
            found = runs_kernel.statistics_of_draws(
                negatives, positives, size, generator, wanted=[name]
            )
            return found[:, 0]
    else:
        function = score_function(metric, application)
        value = function(scores)

        def draw(size: int, generator: np.random.Generator) -> FloatArray:
            return np.array([function(s) for s in resampled_scores(scores, size, generator)])

    drawn = Replicates.drawn(draw, draws, rng)
    skew = auc_moments(scores.runs.negatives, scores.runs.positives).acceleration

    def rule(level: float, found: Replicates | None) -> tuple[float, float]:
        assert found is not None
        if common["method"] == "bca":
            return bca(found.values, value, skew, level)
        return percentile(found.values, level)

    return Interval.found(name, value, rule, replicates=drawn, **common).noted_if_alike()


def score_function(metric: Any, application: Any) -> Callable[[Any], float]:
    """A metric of scores, by name or given; it gets the application if it takes one."""
    import stakes.metrics

    name = metric_name(metric)
    function = getattr(stakes.metrics, metric, None) if isinstance(metric, str) else metric
    if not callable(function):
        raise DataError(f"no metric {metric!r} of scores.", hint="give a function of the summary")
    home = str(getattr(function, "__module__", ""))
    if isinstance(function, Metric) or not home.startswith("stakes.metrics"):
        given = () if application is None else (application,)
        return lambda scores: _number(function(scores, *given), name)
    takes = inspect.signature(function).parameters
    if next(iter(takes)) != "scores":
        raise DataError(
            f"`{name}` is not a number of scores.",
            hint=f"decide first: interval(at_bayes_threshold(scores, app).confusion, {name!r})",
        )
    known = {"scores"} if application is None else {"scores", "application"}
    needs = [p.name for p in takes.values() if p.default is p.empty and p.name not in known]
    if needs:
        raise DataError(
            f"`{name}` needs {', '.join(needs)}.",
            hint="application=stakes.Application(...)"
            if needs == ["application"]
            else f"give a function: lambda scores: {name}(scores, ...)",
        )
    given = (application,) if "application" in takes and application is not None else ()
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
            yield ScoreCounts(
                first[0],
                second[0],
                first[1],
                second[1],
                scores.classes,
                scores.kind,
                scores.from_priors,
            )
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
