"""Intervals of metrics of decisions when whole groups of cases are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._kernels.interval_limits import student_limits
from stakes._kernels.resampling import draw_crossed, draw_groups
from stakes.exceptions import DataError
from stakes.summaries import GroupedCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.count_intervals import COSTS, metric_name, table_statistic
from stakes.uncertainty.intervals import Interval
from stakes.uncertainty.replicates import Replicates
from stakes.uncertainty.sufficiency import shortage

__all__ = ["group_draws", "grouped_interval"]


def grouped_interval(
    grouped: GroupedCounts,
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
    refused, notes = shortage(np.array([float(least)]), ["groups"], min_cases)
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


def group_draws(grouped: GroupedCounts, size: int, generator: np.random.Generator) -> FloatArray:
    """Replicates (size, C) of the joint cells when groups, of one side or two, are drawn."""
    if len(grouped.groups) == 2:
        return draw_crossed(grouped.keys, grouped.counts, size, generator)
    return draw_groups(grouped.counts, size, generator)
