"""Intervals of average costs that differ from case to case."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._kernels.interval_limits import student_limits
from stakes.summaries import CostTally
from stakes.uncertainty.intervals import Interval
from stakes.uncertainty.sufficiency import shortage

__all__ = ["tally_interval"]


def tally_interval(tally: CostTally, *, priors: Any, level: float, min_cases: int) -> Interval:
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
    if tally.effective_cases < min_cases:
        notes = (
            *notes,
            f"heavy tail: the costs weigh like {tally.effective_cases:.3g} equal ones, so the "
            "interval rests on a few large cases",
        )
    return Interval.found(
        "expected_cost",
        value,
        lambda at, _: student_limits(value, error, at, freedom),
        level=level,
        method="student",
        refused=refused,
        notes=notes,
    )
