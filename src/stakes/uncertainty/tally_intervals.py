"""Intervals of average costs that differ from case to case."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._kernels.heavy_tails import MATTERS, too_unequal
from stakes._kernels.interval_limits import student_limits
from stakes.summaries import CostTally
from stakes.uncertainty.intervals import Interval
from stakes.uncertainty.sufficiency import few_carry, shortage

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
