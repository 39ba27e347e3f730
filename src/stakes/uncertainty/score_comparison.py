"""Comparison of systems by their scores, before any threshold, and across different data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from stakes._checks import same_length
from stakes._columns import as_floats, as_weights
from stakes._kernels.interval_ends import normal_quantile, student_limits
from stakes._names import encode
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import check_names
from stakes.summaries import ConfusionMatrix, GroupedCounts, PairedCounts, ScoreCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.comparison import Comparison, apart_draws, shares_best
from stakes.uncertainty.differences import (
    Difference,
    adjusted,
    as_margin,
    limited_difference,
    two_sided,
)
from stakes.uncertainty.intervals.group_intervals import (
    ScoreRows,
    carrying_groups,
    group_cases,
    score_statistic,
)
from stakes.uncertainty.intervals.interval import (
    MIN_CASES,
    OF_SYSTEMS,
    Replicates,
    as_level,
    refuse_weights,
    shortage,
)
from stakes.uncertainty.intervals.linear_costs import CostSum, as_stakes, cost_sum

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
    draws: int = 1000,
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
    draws : int
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
    drawn = Replicates.drawn(draw, draws, rng)
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


def compare_across(
    matrices: Mapping[Any, ConfusionMatrix | GroupedCounts],
    application: Any,
    *,
    weights: Any = None,
    normalized: bool = False,
    level: float = 0.95,
    margin: float | None = None,
    draws: int = 4000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Comparison:
    """Which of several systems is cheapest when each was tried on data of its own.

    Data sets with different class shares are not comparable as they stand; under the priors of
    one application they are, if cases within each class are alike everywhere.

    Parameters
    ----------
    matrices : mapping from system to ConfusionMatrix or GroupedCounts
        What each system did, each on its own cases. With GroupedCounts whole groups are drawn;
        cases that weigh differently must be given so, each case its own group if need be.
    application : Application, or several
        Costs and priors; the priors must be given.
    weights, normalized, level, margin, draws, rng, min_cases
        As in `compare`.

    Returns
    -------
    Comparison
        The p-values are those of the score test; those of Student's t where there are groups.

    References
    ----------
    .. [1] O. Miettinen and M. Nurminen, "Comparative analysis of two rates", Statistics in
       Medicine 4, 1985.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
    >>> found = compare_across({"a": ConfusionMatrix([[450, 50], [20, 180]]),
    ...                         "b": ConfusionMatrix([[900, 100], [40, 60]])}, app, rng=0)
    >>> found.best
    'a'
    """
    stakes = as_stakes(application, weights)
    if not stakes.with_priors:
        raise DataError(
            "`application` must give the priors under which data sets are compared.",
            hint="app.with_priors([...])",
        )
    given: Any = matrices
    if not isinstance(given, Mapping) or len(given) < 2:
        raise DataError(
            "`compare_across` needs the confusion matrices of at least two systems, by name.",
            hint="compare_across({'a': matrix_a, 'b': matrix_b}, app)",
        )
    margin = as_margin(margin)
    sums: dict[Any, CostSum] = {}
    notes: list[str] = []
    refused = False
    for name, one in matrices.items():
        matrix, cases = _counted(name, one)
        check_names(matrix, stakes.applications[0])
        joint = PairedCounts.from_confusion(matrix, name)
        sums[name] = cost_sum(joint.counts, joint.cells, stakes, normalized=normalized)
        short, said = shortage(
            cases, (*matrix.classes, "groups"), min_cases, np.append(stakes.matters, True)
        )
        refused, notes = refused or short, [*notes, *(f"{name}: {text}" for text in said)]
    names = tuple(matrices)
    costs = np.array([sums[name].value for name in names])
    drawn = Replicates.drawn(apart_draws(matrices, stakes, normalized), draws, rng)
    best = shares_best(drawn.values)
    table = stakes.cell_weights(normalized=normalized)
    groups = [
        carrying_groups(one, table[tuple(one.joint.cells.T)], by_class=True)
        for one in matrices.values()
        if isinstance(one, GroupedCounts)
    ]
    gaps = (drawn.values, min(groups)) if groups else None

    def at(reach: float) -> Comparison:
        pairs = _differences(sums, costs, as_level(reach), margin, gaps)
        return Comparison(names, costs, best, tuple(pairs), tuple(notes), refused, drawn, at)

    return at(level)


def _counted(name: Any, given: ConfusionMatrix | GroupedCounts) -> tuple[ConfusionMatrix, Any]:
    """The confusion matrix, and the cases of each class and groups behind it."""
    if isinstance(given, GroupedCounts):
        if len(given.systems) > 1:
            raise DataError(f"{name!r} must be the counts of one system; got {len(given.systems)}.")
        return given.confusion(), np.append(group_cases(given), float(min(given.n_groups)))
    counts = np.asarray(given.counts, dtype=np.float64)
    refuse_weights(counts, "confusion matrix", instead=OF_SYSTEMS)
    return given, np.append(given.class_totals, np.inf)


def _differences(
    sums: Mapping[Any, CostSum],
    costs: FloatArray,
    level: float,
    margin: float | None,
    drawn: tuple[FloatArray, float] | None,
) -> list[Difference]:
    """Every pair, the cheaper system first; from draws of whole groups if there are any."""
    from scipy.special import ndtr

    names, found = tuple(sums), []
    for pair in combinations(range(len(names)), 2):
        places = sorted(pair, key=lambda k: costs[k])
        first, second = (names[k] for k in places)
        a, b = sums[first], sums[second]
        total = CostSum(
            np.concatenate([a.counts, b.counts]),
            np.concatenate([a.weights, -b.weights]),
            a.constant - b.constant,
        )
        p_value = 2 * float(ndtr(-abs(total.z_score())))
        cases = float(total.counts.sum())
        gap, groups = None, None
        if drawn is not None:
            gap, groups = drawn[0][:, places[0]] - drawn[0][:, places[1]], drawn[1]
        found.append(
            limited_difference(
                first, second, total, level, margin, level, p_value, gap is None, cases, gap, groups
            )
        )
    return adjusted(found)
