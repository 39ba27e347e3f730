"""Intervals of metrics of decisions when whole groups of cases are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._kernels.limits.interval_ends import student_limits
from stakes._kernels.resample.cell_draws import draw_crossed, draw_groups
from stakes.exceptions import DataError
from stakes.summaries import GroupedCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.intervals.case_rows import CaseRows, CellSums, satterthwaite
from stakes.uncertainty.intervals.count_intervals import COSTS, metric_name, table_statistic
from stakes.uncertainty.intervals.interval import Interval, shortage, whole
from stakes.uncertainty.intervals.linear_costs import as_stakes
from stakes.uncertainty.intervals.replicates import Replicates

#: At most so many numbers are drawn at once.
_ROOM = 1 << 22


def grouped_interval(
    grouped: GroupedCounts | CaseRows,
    metric: Any,
    *,
    application: Any,
    weights: Any,
    level: float,
    replicates: int,
    rng: RandomSource,
    min_cases: int,
) -> Interval:
    """See `stakes.uncertainty.interval`: whole groups are drawn."""
    if len(grouped.systems) > 1:
        raise DataError("`interval` takes one system; for several use `compare`.")
    matrix = grouped.confusion()
    name = metric_name(metric)
    if name in COSTS and weights is not None:
        raise DataError("with groups give one application.")
    statistic = table_statistic(metric, matrix, application)
    cells, shape = grouped.joint.cells, matrix.counts.shape
    place = np.ravel_multi_index((cells[:, 0], cells[:, 1]), shape)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        flat = np.zeros((size, shape[0] * shape[1]))
        flat[:, place] = group_draws(grouped, size, generator)
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(flat.reshape(size, *shape))

    value = float(statistic(np.asarray(matrix.counts, dtype=np.float64)[None])[0])
    drawn = Replicates.drawn(draw, replicates, rng)
    least = min(grouped.n_groups)
    matters = None
    if name in COSTS:
        matters = np.append(as_stakes(application).matters, True)
    cases = np.append(group_cases(grouped), float(least))
    refused, notes = shortage(cases, (*matrix.classes, "groups"), min_cases, matters)
    return spread_of_groups(name, value, drawn, least, level, refused, notes)


def spread_of_groups(
    name: str,
    value: float,
    drawn: Replicates,
    least: int,
    level: float,
    refused: bool,
    notes: tuple[str, ...],
) -> Interval:
    """Student's interval from replicates of whole groups; `least` of them on the smaller side."""

    def rule(at: float, found: Replicates | None) -> tuple[float, float]:
        assert found is not None
        return student_limits(value, float(np.std(found.defined, ddof=1)), at, max(least - 1, 1))

    return Interval.found(
        name,
        value,
        rule,
        level=level,
        method="groups",
        refused=refused,
        notes=drawn.noted(notes),
        replicates=drawn,
    )


def group_cases(grouped: GroupedCounts | CaseRows | CellSums) -> FloatArray:
    """Cases of each class; where cases weigh differently, groups (of a side) that have any."""
    if isinstance(grouped, (CaseRows, CellSums)):
        return grouped.cases  # a row is one case, also where weights are whole
    if whole(np.asarray(grouped.counts, dtype=np.float64)):
        return grouped.class_totals
    found = []
    for k in range(len(grouped.joint.classes)):
        rows = (grouped.counts[:, grouped.joint.cells[:, 0] == k] > 0).any(axis=1)
        sides = [np.unique(side[rows]).shape[0] for side in grouped.keys.T]
        found.append(float(min(sides)))
    return np.array(found)


def carrying_groups(
    grouped: GroupedCounts | CaseRows | CellSums, parts: FloatArray, *, by_class: bool
) -> float:
    """How many groups carry the variance of a mean of `parts` of the joint cells.

    Cases that weigh differently may leave it to a few; the degrees of freedom are then those of
    Satterthwaite, from the fourth moment of what each group moves the mean by.
    """
    if isinstance(grouped, (CaseRows, CellSums)):
        return grouped.carrying(parts, by_class=by_class)
    least = float(min(grouped.n_groups))
    table = np.asarray(grouped.counts, dtype=np.float64)
    if len(grouped.groups) > 1 or whole(table):
        return least
    classes, sums = grouped.joint.cells[:, 0], table.sum(axis=0)
    strata = classes if by_class else np.zeros_like(classes)
    moves = np.zeros(table.shape[0])
    for k in np.unique(strata):
        inside = (strata == k) & (sums > 0)
        total = float(sums[inside].sum())
        mean = float(sums[inside] @ parts[inside]) / total
        moves += table[:, inside] @ (parts[inside] - mean) / total
    return satterthwaite(moves, least)


def group_draws(
    grouped: GroupedCounts | CaseRows | CellSums, size: int, generator: np.random.Generator
) -> FloatArray:
    """Replicates (size, C) of the joint cells when groups, of one side or two, are drawn."""
    if isinstance(grouped, (CaseRows, CellSums)):
        return grouped.draw(size, generator)
    if len(grouped.groups) == 2:
        return draw_crossed(grouped.keys, grouped.counts, size, generator)
    step = max(1, _ROOM // grouped.counts.shape[0])
    parts = [min(step, size - start) for start in range(0, size, step)]
    return np.concatenate([draw_groups(grouped.counts, part, generator) for part in parts])
