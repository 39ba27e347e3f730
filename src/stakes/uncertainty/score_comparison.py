"""Comparison of systems by their scores, without thresholds, and across different data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._checks import of_kind, same_length
from stakes._columns import as_floats, as_weights
from stakes._names import encode
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import check_names
from stakes.summaries import ConfusionMatrix, GroupedCounts, PairedCounts, ScoreCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.comparison import Comparison, compared, cost_draws
from stakes.uncertainty.differences import Gap, group_gap, score_law, student_gap
from stakes.uncertainty.intervals.group_intervals import (
    ScoreRows,
    carrying_groups,
    class_hits,
    group_cases,
    score_draws,
    score_statistic,
)
from stakes.uncertainty.intervals.interval import (
    MIN_CASES,
    OF_SYSTEMS,
    Draw,
    Replicates,
    refuse_weights,
    shortage,
)
from stakes.uncertainty.intervals.linear_costs import CostSum, as_stakes, cost_sum

#: The name of each metric and of the values compared; costs have words of their own.
_WORDS = {"auc": ("AUC", "1 - AUC"), "eer": ("equal error rate", "equal error rate")}


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
        One score per case for each system; higher means the second class.
    metric : {"auc", "eer", "min_cost"}
        What is compared.
    application : Application or CostMatrix, optional
        Costs and priors, for "min_cost" (two decisions).
    level : float
        Of each interval.
    sample_weight : column, optional
        Weight of each case. A row stays one case, whatever its weight, and is drawn with it. A
        row that stands for several observed cases must be repeated instead.
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
        those of Student's t with the effective number of rows as degrees of freedom.

    Notes
    -----
    The difference of two AUCs has DeLong's variance [1]_, with weights that of the linearised
    areas. The others are drawn: cases of each class with replacement, the same cases for every
    system. The minimum cost is not corrected for optimism, which affects all systems alike.

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
    counts = [
        ScoreCounts.from_scores(y_true, column, kind="rank", sample_weight=sample_weight)
        for column in columns
    ]
    counts[0].require_both("compare_scores")
    second = encode(y_true, counts[0].classes, "y_true").astype(bool)
    for name, column in zip(scores, columns, strict=True):
        same_length("y_true", second.shape[0], f"scores[{name!r}]", column.shape[0])
    weights = as_weights(sample_weight, second.shape[0])
    if weights is not None:
        kept = weights > 0
        second, weights, columns = second[kept], weights[kept], [c[kept] for c in columns]
    names = tuple(scores)
    made = [score_statistic(metric, application, summary) for summary in counts]
    values = np.array([1 - value if metric == "auc" else value for value, _ in made])
    rows = [ScoreRows.ordered(second, column, weights) for column in columns]
    moves = None
    if metric == "auc":
        every = np.array([each.influence() for each in rows])
        moves = every[:, ~second], every[:, second]
        draw = _normal_draws(values, moves)
    else:
        draw = score_draws(rows, made[0][1], class_hits(second))
    drawn = Replicates.drawn(draw, draws, rng, least=2)
    cases = np.bincount(second, minlength=2).astype(np.float64)

    def gap(a: int, b: int) -> Gap:
        error, freedom = float((drawn.values[:, a] - drawn.values[:, b]).std(ddof=1)), np.inf
        if moves is not None:
            error, freedom = _error_of_areas([m[a] - m[b] for m in moves], weights is not None)
        value = float(values[a] - values[b])
        return student_gap(names[a], names[b], value, error, freedom, float(cases.sum()))

    short = shortage(cases, counts[0].classes, min_cases)
    word, measure = _WORDS.get(metric, ("", "cost per case"))
    return compared(names, values, drawn, gap, short, word=word, measure=measure)(level)


def _normal_draws(values: FloatArray, moves: tuple[FloatArray, FloatArray]) -> Draw:
    """Draws from the normal limit, with DeLong's covariance of the areas."""
    parts = [m @ m.T * (m.shape[1] / max(m.shape[1] - 1, 1)) for m in moves]
    law: dict[str, Any] = {"mean": values, "cov": parts[0] + parts[1], "method": "eigh"}
    return lambda size, generator: np.asarray(generator.multivariate_normal(size=size, **law))


def _error_of_areas(moves: list[FloatArray], weighted: bool) -> tuple[float, float]:
    """Standard error of a difference of areas, and its degrees of freedom.

    `moves` is what each row of each class adds to it. Without weights the degrees of freedom are
    infinite, as in DeLong's test; with weights they follow Satterthwaite.
    """
    squares = [float((m**2).sum()) for m in moves]
    parts = (s * m.size / max(m.size - 1, 1) for s, m in zip(squares, moves, strict=True))
    error = float(np.sqrt(sum(parts)))
    fourths = sum(float(((m**2) ** 2).sum()) for m in moves) if weighted else 0.0
    return error, max(sum(squares) ** 2 / fourths, 1.0) if fourths > 0 else np.inf


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
    """Which of several systems is cheapest if each was tried on data of its own.

    Data sets with different class shares are not comparable directly. Under the priors of one
    application they are, if cases within each class are alike everywhere.

    Parameters
    ----------
    matrices : mapping from system to ConfusionMatrix or GroupedCounts
        The decisions of each system on its own cases. With GroupedCounts whole groups are drawn;
        weighted cases must be given so, each case its own group if need be.
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
    from scipy.special import ndtr

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
    names, short, notes = tuple(matrices), [], []
    sums: list[CostSum] = []
    for name, one in matrices.items():
        matrix, cases = _counted(name, one)
        check_names(matrix, stakes.applications[0])
        sums.append(cost_sum(matrix.counts, stakes, normalized=normalized))
        classes, matters = (*matrix.classes, "groups"), np.append(stakes.matters, True)
        refused, said = shortage(cases, classes, min_cases, matters)
        short.append(refused)
        notes += [f"{name}: {text}" for text in said]
    table = stakes.cell_weights(normalized=normalized)
    groups = [
        carrying_groups(one, table[tuple(one.joint.cells.T)], by_class=True)
        for one in matrices.values()
        if isinstance(one, GroupedCounts)
    ]
    every = [
        one if isinstance(one, GroupedCounts) else PairedCounts.from_confusion(one)
        for one in matrices.values()
    ]
    least = 2 if groups else 1
    drawn = Replicates.drawn(cost_draws(every, stakes, normalized), draws, rng, least)

    def gap(a: int, b: int) -> Gap:
        total = sums[a].minus(sums[b])
        value, cases = total.value, float(total.counts.sum())
        if groups:
            draws_of = drawn.values[:, a] - drawn.values[:, b]
            return group_gap(names[a], names[b], value, draws_of, min(groups), cases)
        score = total.z_score()
        p_value, law = 2 * float(ndtr(-abs(score))), score_law(value, total.error, score)
        return Gap(names[a], names[b], value, total.error, total.limits, p_value, cases, law, True)

    costs = np.array([each.value for each in sums])
    too_few, several = (any(short), tuple(notes)), len(stakes.applications) > 1
    how: Any = {
        "margin": margin,
        "mixed": several,
        "measure": stakes.measure(normalized=normalized),
    }
    return compared(names, costs, drawn, gap, too_few, **how)(level)


def _counted(name: Any, given: ConfusionMatrix | GroupedCounts) -> tuple[ConfusionMatrix, Any]:
    """The confusion matrix, and the cases of each class and groups that it counts."""
    if isinstance(given, GroupedCounts):
        if len(given.systems) > 1:
            raise DataError(f"{name!r} must be the counts of one system; got {len(given.systems)}.")
        return given.confusion(), np.append(group_cases(given), float(min(given.n_groups)))
    of_kind(given, "systems", ConfusionMatrix, GroupedCounts)
    counts = np.asarray(given.counts, dtype=np.float64)
    refuse_weights(counts, "confusion matrix", instead=OF_SYSTEMS)
    return given, np.append(given.class_totals, np.inf)
