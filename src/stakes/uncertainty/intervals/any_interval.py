"""The one function that gives an interval for any metric of any summary."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._kernels.limits.heavy_tails import MATTERS, too_unequal
from stakes._kernels.limits.interval_ends import student_limits
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix, CostTally, GroupedCounts
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import RandomSource
from stakes.uncertainty.intervals.case_rows import CaseRows, CellSums
from stakes.uncertainty.intervals.count_intervals import confusion_interval
from stakes.uncertainty.intervals.group_intervals import grouped_interval
from stakes.uncertainty.intervals.interval import MIN_CASES, Interval, few_carry, shortage
from stakes.uncertainty.intervals.score_intervals import score_interval
from stakes.uncertainty.intervals.weighted_intervals import sums_interval


def _tally_interval(tally: CostTally, *, priors: Any, level: float, min_cases: int) -> Interval:
    """See `stakes.uncertainty.interval`: Welch's t on the class means."""
    totals = tally.class_totals
    matters = np.asarray(priors) > 0 if priors is not None else None
    refused, notes = shortage(totals, tally.classes, min_cases, matters)
    value = tally.cost(priors)
    if priors is None:
        n = np.array([tally.total])
        sums, squares, shares = tally.sums.sum(), tally.squares.sum(), np.ones(1)
    else:
        n, sums, squares = totals, tally.sums.sum(axis=1), tally.squares.sum(axis=1)
        shares = np.asarray(priors, dtype=np.float64)
    means = sums / np.maximum(n, 1)
    spread = np.maximum(squares - n * means**2, 0.0) / np.maximum(n - 1, 1)
    parts = shares**2 * spread / np.maximum(n, 1)
    error = float(np.sqrt(parts.sum()))
    bottom = float((parts**2 / np.maximum(n - 1, 1)).sum())
    freedom = error**4 / bottom if bottom > 0 else np.inf
    notes += _unequal(tally, priors, min_cases)
    return Interval.found(
        "expected_cost",
        value,
        lambda at, _: student_limits(value, error, at, freedom),
        level=level,
        method="student",
        refused=refused,
        notes=notes,
    )


def _unequal(tally: CostTally, priors: Any, min_cases: int) -> tuple[str, ...]:
    """A note when a few cases could carry the cost, and so the interval is too short.

    With several decisions, costs of one class and decision are amounts; in a single column they
    may be mostly zeros, and sums do not tell how many.
    """
    if len(tally.decisions) == 1:
        if tally.effective_cases >= min_cases:
            return ()
        return (
            f"the costs weigh like {tally.effective_cases:.3g} equal ones: a few cases carry most "
            "of the cost, and the interval is probably too short",
        )
    shares = tally.priors if priors is None else np.asarray(priors, dtype=np.float64)
    scale = np.divide(shares, tally.class_totals, out=np.zeros(len(shares)), where=shares > 0)
    parts = scale[:, None] ** 2 * tally.squares
    matters = parts > MATTERS * parts.sum()
    found = matters & too_unequal(tally.counts, np.abs(tally.sums), tally.squares)
    rows = np.flatnonzero(found.any(axis=1))
    return (few_carry([tally.classes[k] for k in rows]),) if rows.size else ()


def interval(
    summary: Any,
    metric: Any = "expected_cost",
    *,
    application: Any = None,
    weights: Any = None,
    method: str | None = None,
    normalize: bool = False,
    level: float = 0.95,
    replicates: int = 2000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Interval:
    """How sure a number is: the values that the data do not contradict.

    For every metric of every summary, with the method that measured best for it (see the page
    on intervals); no rows are needed. Costs, AUC, equal error rate and minimum cost need no
    random numbers by default.

    Parameters
    ----------
    summary : ConfusionMatrix, ScoreCounts, ScoreBins, CostTally or GroupedCounts
        What happened. With GroupedCounts whole groups are drawn, of one side or of both. Of
        weighted rows, what `stakes.engines.Reduction.weighted` has added up.
    metric : str or callable
        A name in `stakes.metrics`, or any function of the summary.
    application : Application, UncertainApplication, or several, optional
        Costs and priors. With priors, classes are drawn apart; without, jointly. A list means
        that one of them holds; the cost is then their average.
    weights : sequence of float, optional
        Probability of each of several applications; default, equal.
    method : str, optional
        For costs: "score" (default), "normal" (delta method), "percentile", "bca",
        "studentized", "posterior" (Dirichlet). For AUC: "score" (default), "delong", "normal",
        "percentile", "bca". For the equal error rate and the minimum cost: "score" (default)
        or "percentile". For other metrics: "bca" (default), "percentile", "posterior".
    normalize : bool
        For "actual_cost" and "min_cost": divide by the best naive cost.
    level : float
        Share of data sets in which such an interval holds the truth.
    replicates : int
        How many are drawn, for methods that draw.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
        Draws depend on the summary and the seed alone.
    min_cases : int
        With fewer cases (or groups) of a class that matters no interval is given.

    Returns
    -------
    Interval
        With `.at(level)` and `.more(replicates)`; its `notes` say where it rests on few cases.

    References
    ----------
    .. [1] D. D. Margineantu and T. G. Dietterich, "Bootstrap methods for the cost-sensitive
       evaluation of classifiers", ICML 2000.
    .. [2] O. Miettinen and M. Nurminen, "Comparative analysis of two rates", Statistics in
       Medicine 4, 1985, section 3.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> cm = ConfusionMatrix([[900, 60], [5, 35]])
    >>> app = Application([[0, 1], [10, 0]])
    >>> interval(cm, "expected_cost", application=app)
    <Interval of expected_cost: 0.11 (0.07725 to 0.1771), 0.95 by score>
    >>> interval(cm, "mcc", rng=0).method
    'bca'
    >>> print(interval(ConfusionMatrix([[90, 5], [2, 3]]), application=app))
    0.25 (too few cases for an interval)
    """
    common: dict[str, Any] = {"level": level, "min_cases": min_cases}
    drawing: dict[str, Any] = {"replicates": replicates, "rng": rng}
    if isinstance(summary, ConfusionMatrix):
        return confusion_interval(
            summary,
            metric,
            application=application,
            weights=weights,
            method=method,
            **drawing,
            **common,
        )
    if isinstance(summary, (GroupedCounts, CaseRows)):
        return grouped_interval(
            summary, metric, application=application, weights=weights, **drawing, **common
        )
    if isinstance(summary, CellSums):
        return sums_interval(
            summary, metric, application=application, weights=weights, method=method, **common
        )
    if isinstance(summary, CostTally):
        priors = getattr(application, "priors", None)
        return _tally_interval(summary, priors=priors, **common)
    if isinstance(summary, RankedScores):
        return score_interval(
            summary,
            metric,
            application=application,
            weights=weights,
            method=method,
            normalize=normalize,
            **drawing,
            **common,
        )
    raise DataError(
        f"`summary` must be a summary of cases; got {type(summary).__name__}.",
        hint="ConfusionMatrix.from_decisions(y_true, decisions), ScoreCounts.from_scores(...)",
    )
