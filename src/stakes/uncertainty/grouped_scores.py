"""Intervals of score metrics when cases belong together: customers, speakers, pairs of speakers."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._checks import same_length
from stakes._columns import as_column, as_floats, as_weights
from stakes._names import encode, observed_names
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.group_intervals import spread_of_groups
from stakes.uncertainty.intervals import Interval
from stakes.uncertainty.replicates import Replicates
from stakes.uncertainty.score_rows import ScoreRows, score_statistic
from stakes.uncertainty.sufficiency import MIN_CASES, shortage

__all__ = ["grouped_score_interval"]


def grouped_score_interval(
    y_true: Any,
    scores: Any,
    *,
    groups: Any,
    metric: str = "auc",
    application: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    replicates: int = 1000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Interval:
    """Interval of AUC, equal error rate or minimum cost when whole groups are drawn.

    Trials of one speaker, or visits of one customer, resemble each other; intervals that take
    them for independent cases are too narrow.

    Parameters
    ----------
    y_true : column
        True classes, two of them.
    scores : column
        One score per case; higher speaks for the second class.
    groups : column, or pair of columns
        Which group each case belongs to; with a pair (a tuple), the groups of both sides of a
        trial, whose weights multiply.
    metric : {"auc", "eer", "min_cost"}
        What is measured.
    application : Application or CostMatrix, optional
        Costs and priors, for "min_cost" (two decisions).
    sample_weight : column, optional
        Weight of each case, kept when its group is drawn.
    level : float
        Share of data sets in which such an interval holds the truth.
    replicates : int
        How often the groups are drawn.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer groups (of a side), or fewer cases of a class, no interval is given.

    Returns
    -------
    Interval
        Student's t with as many degrees of freedom as groups less one, around the estimate.

    Notes
    -----
    Cases are sorted once; a replicate is one pass over them. For decisions use `interval` with
    `GroupedCounts`, which needs no rows. The minimum cost is not corrected for optimism.

    References
    ----------
    .. [1] J. C. Wu, A. F. Martin, C. S. Greenberg and R. N. Kacker, "The impact of data
       dependence on speaker recognition evaluation", IEEE/ACM TASLP 25(1), 2017.
    .. [2] A. B. Owen and D. Eckles, "Bootstrapping data arrays of arbitrary order", Annals of
       Applied Statistics 6(3), 2012.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) % 3 == 0
    >>> speaker = np.arange(600) // 20
    >>> s = rng.normal(2.0 * y) + rng.normal(size=30)[speaker]
    >>> found = grouped_score_interval(y, s, groups=speaker, metric="eer", rng=0)
    >>> found.low < found.value < found.high
    True
    """
    summary = ScoreCounts.from_scores(y_true, scores, kind="rank", sample_weight=sample_weight)
    summary.require_both(metric)
    second = encode(y_true, summary.classes, "y_true").astype(bool)
    column, weights = as_floats(scores, "scores"), as_weights(sample_weight, second.shape[0])
    given = groups if isinstance(groups, tuple) else (groups,)
    sides = [_codes(side, second.shape[0]) for side in given]
    value, statistic = score_statistic(metric, application, summary)
    rows = ScoreRows.ordered(second, column, weights)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        found = np.empty(size)
        for b in range(size):
            hits = np.ones(second.shape[0], dtype=np.int64)
            for codes, n in sides:
                hits = hits * np.bincount(generator.integers(0, n, n), minlength=n)[codes]
            found[b] = statistic(rows.rates(hits))
        return found

    drawn = Replicates.drawn(draw, replicates, rng)
    least = min(n for _, n in sides)
    kept = second if weights is None else second[weights > 0]
    cases = np.bincount(kept, minlength=2).astype(np.float64)
    refused, notes = shortage(
        np.append(cases, float(least)), (*summary.classes, "groups"), min_cases
    )
    return spread_of_groups(metric, value, drawn, least, level, refused, notes)


def _codes(side: Any, length: int) -> tuple[Any, int]:
    """Positions of the groups of one side, and how many there are."""
    column = as_column(side, "groups")
    same_length("y_true", length, "groups", column.shape[0])
    names = observed_names(column)
    return encode(column, names, "groups").astype(np.intp), len(names)
