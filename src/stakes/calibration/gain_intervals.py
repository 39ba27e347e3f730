"""Intervals for the mean of a difference between two losses, case by case."""

from __future__ import annotations

import numpy as np

from stakes._kernels.class_scores import weighted_sums
from stakes.calibration.cases import Cases, group_numbers
from stakes.exceptions import DataError
from stakes.typing import FloatArray, IntArray

__all__ = ["check_level", "gain_interval", "reach", "spread"]


def gain_interval(
    values: FloatArray, weights: FloatArray, cases: Cases, level: float
) -> tuple[float, float]:
    """Interval of a weighted mean by Student's t; by class if priors are given, by group if any."""
    check_level(level)
    mean = float(weights @ values)
    if not np.isfinite(mean):
        return (float("nan"), float("nan"))
    index = np.arange(len(values)) if cases.groups is None else group_numbers(cases.groups)
    half = reach(level, weights, index) * spread(values, weights, cases, index)
    return (mean - half, mean + half)


def check_level(level: float) -> None:
    """Raise unless it is a share."""
    if not 0 < level < 1:
        raise DataError(f"`level` must lie between 0 and 1; got {level!r}.")


def reach(level: float, weights: FloatArray, index: IntArray) -> float:
    """Standard errors to either side, by Student's t: cases or groups may be few.

    Its degrees of freedom are one less than the groups, of equal weight, that vary like these.
    """
    from scipy.special import stdtrit

    held = weighted_sums(index, weights)
    number = float(held.sum() ** 2 / (held @ held))
    return float(stdtrit(max(number - 1.0, 1.0), 0.5 + level / 2))


def spread(values: FloatArray, weights: FloatArray, cases: Cases, index: IntArray) -> float:
    """Standard error of a mean whose weights add to 1; `index` numbers the groups."""
    size = len(cases.counts)
    mass = weighted_sums(cases.codes, weights, size)
    sums = weighted_sums(cases.codes, weights * values, size)
    if cases.given:
        origin = np.divide(sums, mass, out=np.zeros(size), where=mass > 0.0)
    else:
        origin = np.full(size, sums.sum())
    parts = weights * (values - origin[cases.codes])
    if cases.groups is not None:
        parts = weighted_sums(index, parts)
    return float(np.sqrt(parts @ parts))
