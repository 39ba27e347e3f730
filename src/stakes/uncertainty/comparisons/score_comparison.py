"""Comparison of the scores of several systems on the same cases, before any threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from stakes._checks import same_length
from stakes._columns import as_floats, as_weights
from stakes._kernels.limits.interval_ends import normal_quantile, student_limits
from stakes._names import encode
from stakes.exceptions import DataError
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.comparisons.comparison import Comparison
from stakes.uncertainty.comparisons.cost_draws import shares_best
from stakes.uncertainty.comparisons.differences import Difference, adjusted, two_sided
from stakes.uncertainty.intervals.grouped_scores import ScoreRows, score_statistic
from stakes.uncertainty.intervals.interval import MIN_CASES, as_level, shortage
from stakes.uncertainty.intervals.replicates import Replicates

#: What is compared, in words; costs are "cheaper" and "cheapest".
_WORDS = {"auc": "AUC", "eer": "equal error rate"}


def compare_scores(
    y_true: Any,
    scores: Mapping[Any, Any],
    *,
    metric: str = "auc",
    application: Any = None,
    level: float = 0.95,
    sample_weight: Any = None,
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
    sample_weight : column, optional
        Weight of each case. A row stays one case, whatever it weighs, and is drawn with its
        weight; a row that stands for several cases that were seen must be repeated instead.
    replicates : int
        Draws of the cases.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer cases of a class no verdict is given.

    Returns
    -------
    Comparison
        P-values are those of the normal limit, adjusted by Holm's method; for AUC with weights,
        those of Student's t with as many degrees of freedom as rows carry the variance.

    Notes
    -----
    The difference of two AUCs has DeLong's variance [1]_, with weights that of the linearised
    areas. The others are drawn: cases of each class with replacement, the same cases for every
    system. The minimum cost is not corrected for optimism, which hits all systems alike.

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
    columns = [as_floats(c, f"scores[{name!r}]") for name, c in scores.items()]
    counts = {
        name: ScoreCounts.from_scores(y_true, column, kind="rank", sample_weight=sample_weight)
        for name, column in zip(scores, columns, strict=True)
    }
    first = next(iter(counts.values()))
    first.require_both("compare_scores")
    second = encode(y_true, first.classes, "y_true").astype(bool)
    for name, column in zip(scores, columns, strict=True):
        same_length("y_true", second.shape[0], f"scores[{name!r}]", column.shape[0])
    weights = as_weights(sample_weight, second.shape[0])
    if weights is not None:
        kept = weights > 0
        second, weights = second[kept], weights[kept]
        columns = [column[kept] for column in columns]
    values, draw, areas = _quantity(metric, application, counts, second, columns, weights)
    drawn = Replicates.drawn(draw, replicates, rng)
    cases = np.bincount(second, minlength=2).astype(np.float64)
    refused, notes = shortage(cases, first.classes, min_cases)
    names = tuple(counts)
    best, word = shares_best(drawn.values), _WORDS.get(metric, "")

    def at(reach: float) -> Comparison:
        pairs = [
            _pair(names, values, pair, drawn, areas, as_level(reach), float(cases.sum()))
            for pair in combinations(range(len(names)), 2)
        ]
        called = [replace(each, better=f"better by {word}") if word else each for each in pairs]
        return Comparison(
            names, values, best, tuple(adjusted(called)), notes, refused, drawn, at,
            f"best by {word}" if word else "cheapest",
        )  # fmt: skip

    return at(level)


def _quantity(
    metric: str,
    application: Any,
    counts: Mapping[Any, ScoreCounts],
    second: Any,
    columns: list[Any],
    weights: FloatArray | None,
) -> tuple[FloatArray, Any, _Areas | None]:
    """The value of each system, how to draw it, and for AUC how sure differences are."""
    made = [score_statistic(metric, application, summary) for summary in counts.values()]
    if metric != "auc":
        values = np.array([value for value, _ in made])
        return values, _resampled(second, columns, made[0][1], weights), None
    values = np.array([1 - value for value, _ in made])
    areas = _Areas.of(second, columns, weights)
    covariance = areas.covariance

    def normal(size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(
            generator.multivariate_normal(values, covariance, size=size, method="eigh")
        )

    return values, normal, areas


@dataclass(frozen=True, eq=False)
class _Areas:
    """How far each row moves each area, class by class; and whether rows weigh differently."""

    moves: tuple[FloatArray, FloatArray]
    weighted: bool

    @classmethod
    def of(cls, second: Any, columns: list[Any], weights: FloatArray | None) -> _Areas:
        """From the rows."""
        moves = np.array([ScoreRows.ordered(second, c, weights).influence() for c in columns])
        return cls((moves[:, ~second], moves[:, second]), weights is not None)

    @property
    def covariance(self) -> FloatArray:
        """DeLong's covariance of the areas."""
        found = [m @ m.T * (m.shape[1] / max(m.shape[1] - 1, 1)) for m in self.moves]
        return np.asarray(found[0] + found[1])

    def freedom(self, a: int, b: int) -> float:
        """Degrees of freedom of the variance of a difference: rows that carry it (Satterthwaite).

        Endless without weights, as DeLong's test has it.
        """
        if not self.weighted:
            return np.inf
        squares = [(m[a] - m[b]) ** 2 for m in self.moves]
        fourths = sum(float((part**2).sum()) for part in squares)
        total = sum(float(part.sum()) for part in squares)
        return max(total**2 / fourths, 1.0) if fourths > 0 else np.inf


def _resampled(
    second: Any, columns: list[Any], statistic: Any, weights: FloatArray | None = None
) -> Any:
    """Draw cases of each class and count them in the order of each system's scores."""
    systems = [ScoreRows.ordered(second, column, weights) for column in columns]
    members = [np.flatnonzero(~second), np.flatnonzero(second)]

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        found = np.empty((size, len(systems)))
        for b in range(size):
            hits = np.zeros(second.shape[0], dtype=np.int64)
            for inside in members:
                n = inside.shape[0]
                hits[inside] = np.bincount(generator.integers(0, n, n), minlength=n)
            found[b] = [statistic(rows.rates(hits)) for rows in systems]
        return found

    return draw


def _pair(
    names: tuple[Any, ...],
    values: FloatArray,
    pair: tuple[int, ...],
    drawn: Replicates,
    areas: _Areas | None,
    level: float,
    cases: float,
) -> Difference:
    """One pair, the better system first."""
    a, b = sorted(pair, key=lambda k: values[k])
    value = float(values[a] - values[b])
    gaps = drawn.values[:, a] - drawn.values[:, b]
    error, freedom = float(gaps.std(ddof=1)), np.inf
    if areas is not None:
        covariance = areas.covariance
        variance = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
        error, freedom = float(np.sqrt(max(variance, 0.0))), areas.freedom(a, b)
    low, high = student_limits(value, error, level, freedom)
    p_value = two_sided(value, error, freedom)
    needed = np.inf if value == 0 else cases * (normal_quantile(level) * error / value) ** 2
    return Difference(
        names[a], names[b], value, low, high, p_value, p_value, False, level, None, needed
    )
