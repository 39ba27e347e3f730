"""Intervals for the mean of a difference between two losses, case by case."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stakes._kernels.class_scores import weighted_sums
from stakes.application import Application
from stakes.calibration.cases import Cases, group_numbers
from stakes.calibration.per_case import Aim
from stakes.exceptions import DataError
from stakes.typing import FloatArray, IntArray

__all__ = ["gain_interval"]


class _Spread(NamedTuple):
    """Where the mean is taken to lie, and its standard error."""

    centre: float
    error: float


def gain_interval(
    values: FloatArray,
    weights: FloatArray,
    cases: Cases,
    level: float,
    *,
    by: Aim,
) -> tuple[float, float]:
    """Normal interval of a weighted mean; by class when priors are given, by group if any.

    For a cost there are two cases (or groups) more, of the class where they weigh most: all the
    difference that a decision can make speaks for and against. Errors not yet seen are not
    impossible; and with none seen in any class, their mean is as large as it can be, at a given
    chance of seeing none, when all are of that class. The interval always holds the plain mean.
    """
    from scipy.special import ndtri

    if not 0 < level < 1:
        raise DataError(f"`level` must lie between 0 and 1; got {level!r}.")
    mean = float(weights @ values)
    if not np.isfinite(mean):
        return (float("nan"), float("nan"))
    reach = float(ndtri(0.5 + level / 2))
    unit = np.arange(len(values)) if cases.groups is None else group_numbers(cases.groups)
    if not isinstance(by, Application):
        half = reach * _spread(values, weights, cases, unit, np.zeros(len(cases.counts))).error
        return (mean - half, mean + half)
    costs = by.costs.values
    ranges = np.asarray(costs.max(axis=1) - costs.min(axis=1))
    found = _spread(values, weights, cases, unit, ranges)
    low, high = found.centre - reach * found.error, found.centre + reach * found.error
    return (min(low, mean), max(high, mean))


def _spread(
    values: FloatArray, weights: FloatArray, cases: Cases, unit: IntArray, ranges: FloatArray
) -> _Spread:
    """Centre and standard error with two units more, at plus and minus the range of a class."""
    size = len(ranges)
    mass = weighted_sums(cases.codes, weights, size)
    number = _units(weights, cases.codes, unit, mass)
    each = np.divide(mass, number + 2.0, out=np.zeros(size), where=mass > 0.0)
    most = int((each * ranges).argmax())
    more = np.where((np.arange(size) == most) & (ranges > 0.0), 2.0, 0.0)
    kept = np.divide(number, number + more, out=np.ones(size), where=mass > 0.0)
    share = weights * kept[cases.codes]
    sums = np.bincount(cases.codes, weights=share * values, minlength=size)
    centre = float(sums.sum())
    if cases.given:
        origin = np.divide(sums, mass, out=np.zeros(size), where=mass > 0.0)
    else:
        origin = np.full(size, centre)
    parts = share * (values - origin[cases.codes])
    if cases.groups is not None:
        parts = weighted_sums(unit, parts)
    unseen = each**2 * more * (ranges**2 + origin**2)  # (ranges - origin)^2 + (ranges + origin)^2
    return _Spread(centre, float(np.sqrt(parts @ parts + unseen.sum())))


def _units(weights: FloatArray, codes: IntArray, unit: IntArray, mass: FloatArray) -> FloatArray:
    """Independent units of each class: as many of equal weight as vary like these (Kish)."""
    size = len(mass)
    pairs, place = np.unique(unit * size + codes, return_inverse=True)
    held = np.bincount(place.reshape(-1), weights=weights)
    squares = np.bincount(pairs % size, weights=held**2, minlength=size)
    return np.divide(mass**2, squares, out=np.zeros(size), where=squares > 0.0)
