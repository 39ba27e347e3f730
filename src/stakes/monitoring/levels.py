"""The cost of each of many samples with its interval, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes._kernels.interval_limits import normal_quantile, student_limits
from stakes._kernels.score_limits import score_limits
from stakes.application import Application
from stakes.monitoring.samples import Samples
from stakes.uncertainty import Interval, interval
from stakes.uncertainty.sufficiency import shortage

__all__ = ["cost_intervals"]


def cost_intervals(
    summaries: Sequence[Any], samples: Samples, app: Application, level: float, min_cases: int
) -> tuple[Interval, ...]:
    """As `stakes.uncertainty.interval` gives them one by one; `samples` are of `summaries`."""
    if samples.costs is None:
        return tuple(
            interval(each, application=app, level=level, min_cases=min_cases) for each in summaries
        )
    if samples.groups is not None:
        return tuple(
            _grouped(samples, k, app, level, min_cases) for k in range(len(samples.groups))
        )
    size, costs = samples.counts.shape[0], samples.costs
    if app.priors is None:
        counts, weights, constant = (
            samples.counts.reshape(size, 1, -1),
            costs.reshape(1, 1, -1),
            0.0,
        )
        matters = np.ptp(costs, axis=1) > 0
    else:
        weights = app.priors[:, None] * costs
        known = np.ptp(weights, axis=1) == 0
        constant = float(weights[known, 0].sum())
        weights = np.where(known[:, None], 0.0, weights)[None]
        counts, matters = samples.counts, ~known
    low, high = score_limits(counts, weights, normal_quantile(level))
    values = samples.costs_at(app.priors)
    found = []
    for k in range(size):
        refused, notes = shortage(samples.class_totals[k], app.classes, min_cases, matters)
        ends = (np.nan, np.nan) if refused else (low[k] + constant, high[k] + constant)
        found.append(
            Interval("expected_cost", float(values[k]), float(ends[0]), float(ends[1]), level,
                     "score", notes, refused)
        )  # fmt: skip
    return tuple(found)


def _grouped(samples: Samples, k: int, app: Application, level: float, min_cases: int) -> Interval:
    """The cost of one sample whose cases come in groups."""
    assert samples.groups is not None
    group = samples.groups[k]
    value = float(samples.costs_at(app.priors)[k])
    parts = group.cost(samples.shares[k], samples.means[k], app.priors)
    error = float(np.sqrt(group.variance(parts)))
    refused, notes = shortage(np.array([float(group.n_groups)]), ["groups"], min_cases)

    def rule(at: float, _: Any) -> tuple[float, float]:
        return student_limits(value, error, at, max(group.n_groups - 1, 1))

    return Interval.found(
        "expected_cost", value, rule, level=level, method="groups", refused=refused, notes=notes
    )
