"""Comparison of the scores of several systems on the same cases, before any threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from stakes._checks import same_length
from stakes._columns import as_floats
from stakes._kernels import run_bootstrap as runs_kernel
from stakes._kernels.auc_variance import placements
from stakes._kernels.interval_limits import normal_quantile
from stakes.application import Application, as_application
from stakes.exceptions import DataError
from stakes.metrics import auc, eer, min_cost
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.comparison import Comparison
from stakes.uncertainty.cost_draws import shares_best
from stakes.uncertainty.differences import Difference, adjusted, two_sided
from stakes.uncertainty.intervals import as_level
from stakes.uncertainty.replicates import Replicates
from stakes.uncertainty.sufficiency import MIN_CASES, shortage

__all__ = ["compare_scores", "error_weights"]

#: What is compared, in words; costs are "cheaper" and "cheapest".
_WORDS = {"auc": "AUC", "eer": "equal error rate"}


def compare_scores(
    y_true: Any,
    scores: Mapping[Any, Any],
    *,
    metric: str = "auc",
    application: Any = None,
    level: float = 0.95,
    replicates: int = 1000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Comparison:
    """Which of several systems orders the same cases best.

    For early development, before costs and thresholds; once decisions are taken, use `compare`.
    Lower is better throughout: for AUC the shares of wrongly ordered pairs, 1 - AUC, are compared.

    Parameters
    ----------
    y_true : column
        True classes, two of them.
    scores : mapping from system to column
        One score per case for each system; higher speaks for the second class.
    metric : {"auc", "eer", "min_cost"}
        What is compared.
    application : Application or CostMatrix, optional
        Costs and priors, for "min_cost" (two decisions).
    level : float
        Of each interval.
    replicates : int
        Draws of the cases.
    rng : None, int or numpy.random.Generator
        Source of randomness.
    min_cases : int
        With fewer cases of a class no verdict is given.

    Returns
    -------
    Comparison
        P-values are those of the normal limit, adjusted by Holm's method.

    Notes
    -----
    The difference of two AUCs has DeLong's variance [1]_. The others are drawn: cases of each
    class with replacement, the same cases for every system. The minimum cost is not corrected
    for optimism, which hits all systems alike.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44, 1988.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 4 == 0
    >>> a = rng.normal(2.0 * y)
    >>> found = compare_scores(y, {"a": a, "b": a + rng.normal(size=400)}, rng=0)
    >>> found.best
    'a'
    """
    given: Any = scores
    if not isinstance(given, Mapping) or len(given) < 2:
        raise DataError(
            "`compare_scores` needs the scores of at least two systems, by name.",
            hint="compare_scores(y_true, {'a': scores_a, 'b': scores_b})",
        )
    counts = {
        name: ScoreCounts.from_scores(y_true, column, kind="rank")
        for name, column in scores.items()
    }
    first = next(iter(counts.values()))
    first.require_both("compare_scores")
    codes = _second(y_true, first)
    columns = [as_floats(c, f"scores[{name!r}]") for name, c in scores.items()]
    for name, column in zip(scores, columns, strict=True):
        same_length("y_true", codes.shape[0], f"scores[{name!r}]", column.shape[0])
    values, draw, errors = _quantity(metric, application, counts, codes, columns)
    drawn = Replicates.drawn(draw, replicates, rng)
    refused, notes = shortage(first.class_totals, first.classes, min_cases)
    names = tuple(counts)
    best, word = shares_best(drawn.values), _WORDS.get(metric, "")

    def at(reach: float) -> Comparison:
        pairs = [
            _pair(names, values, pair, drawn, errors, as_level(reach), first.total)
            for pair in combinations(range(len(names)), 2)
        ]
        called = [replace(each, better=f"better by {word}") if word else each for each in pairs]
        return Comparison(
            names, values, best, tuple(adjusted(called)), notes, refused, drawn, at,
            f"best by {word}" if word else "cheapest",
        )  # fmt: skip

    return at(level)


def _second(y_true: Any, summary: ScoreCounts) -> Any:
    """Which cases are of the second class."""
    from stakes._names import encode

    return encode(y_true, summary.classes, "y_true").astype(bool)


def _quantity(
    metric: str, application: Any, counts: Mapping[Any, ScoreCounts], codes: Any, columns: list[Any]
) -> tuple[FloatArray, Any, FloatArray | None]:
    """The value of each system, how to draw it, and for AUC the covariance."""
    if metric == "auc":
        values = np.array([1 - auc(sc) for sc in counts.values()])
        covariance = _delong(codes, columns)

        def normal(size: int, generator: np.random.Generator) -> FloatArray:
            return np.asarray(
                generator.multivariate_normal(values, covariance, size=size, method="eigh")
            )

        return values, normal, covariance
    if metric == "eer":
        values = np.array([eer(sc) for sc in counts.values()])
        return values, _resampled(codes, columns, runs_kernel.rates_crossing), None
    if metric != "min_cost":
        raise DataError(f"`metric` must be 'auc', 'eer' or 'min_cost'; got {metric!r}.")
    if application is None:
        raise DataError("`min_cost` needs costs.", hint="application=stakes.Application(...)")
    app = as_application(application)
    values = np.array([min_cost(sc, app) for sc in counts.values()])
    alarm, miss, base = error_weights(app, next(iter(counts.values())).priors)
    return (
        values,
        _resampled(codes, columns, lambda r: base + runs_kernel.least_cost(r, alarm, miss)),
        None,
    )


def error_weights(app: Application, shares: FloatArray) -> tuple[float, float, float]:
    """Cost per unit of false positive and false negative rate, and what is always paid."""
    app.log_odds_threshold  # noqa: B018 - raises unless there is one threshold
    priors, costs = app.resolved_priors(shares), app.costs.values
    alarm, miss = priors[0] * (costs[0, 1] - costs[0, 0]), priors[1] * (costs[1, 0] - costs[1, 1])
    return float(alarm), float(miss), float(priors[0] * costs[0, 0] + priors[1] * costs[1, 1])


def _delong(codes: Any, columns: list[Any]) -> FloatArray:
    """Covariance of the areas under the curves of several scores."""
    parts: list[list[FloatArray]] = [[], []]
    for column in columns:
        levels, place = np.unique(column, return_inverse=True)
        place = place.reshape(-1)
        negatives, positives = (
            np.bincount(place[mask], minlength=levels.shape[0]) for mask in (~codes, codes)
        )
        of_positive, of_negative = placements(negatives, positives)
        parts[1].append(of_positive[place[codes]])
        parts[0].append(of_negative[place[~codes]])
    covariances = [np.cov(np.array(p)) / len(p[0]) for p in parts]
    return np.asarray(covariances[0] + covariances[1])


def _resampled(codes: Any, columns: list[Any], statistic: Any) -> Any:
    """Draw cases of each class and count them in the order of each system's scores."""
    systems = []
    for column in columns:
        order = np.argsort(column, kind="stable")
        ranked = column[order]
        starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        systems.append((order, codes[order], starts))
    members = [np.flatnonzero(~codes), np.flatnonzero(codes)]

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        found = np.empty((size, len(systems)))
        for b in range(size):
            hits = np.zeros(codes.shape[0], dtype=np.int64)
            for inside in members:
                n = inside.shape[0]
                hits[inside] = np.bincount(generator.integers(0, n, n), minlength=n)
            for s, (order, second, starts) in enumerate(systems):
                weights = hits[order]
                positives = np.add.reduceat(weights * second, starts)
                negatives = np.add.reduceat(weights, starts) - positives
                found[b, s] = statistic(runs_kernel.error_rates(negatives, positives))
        return found

    return draw


def _pair(
    names: tuple[Any, ...],
    values: FloatArray,
    pair: tuple[int, ...],
    drawn: Replicates,
    covariance: FloatArray | None,
    level: float,
    cases: float,
) -> Difference:
    """One pair, the better system first."""
    a, b = sorted(pair, key=lambda k: values[k])
    value = float(values[a] - values[b])
    gaps = drawn.values[:, a] - drawn.values[:, b]
    if covariance is not None:
        variance = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
        error = float(np.sqrt(max(variance, 0.0)))
    else:
        error = float(gaps.std(ddof=1))
    z = normal_quantile(level)
    low, high = value - z * error, value + z * error
    p_value = two_sided(value, error, np.inf)
    needed = np.inf if value == 0 else cases * (z * error / value) ** 2
    return Difference(
        names[a], names[b], value, low, high, p_value, p_value, False, level, None, needed
    )
