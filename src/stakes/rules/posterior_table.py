"""Calibrated posteriors of two classes as a table, for calibrators without a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes.rules.raw_cuts import calibrated_second
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.rules.cut_points import CutPoints

#: The target error of a posterior, and the most points of a table.
_CLOSE, _MOST_PLACES = 1e-5, 1 << 16
#: How many scores between points are tried, and how often the table is refined.
_TRIED, _ROUNDS = 100_003, 6


def posterior_table(rule: CutPoints) -> tuple[FloatArray, FloatArray, float]:
    """Scores, their posteriors at the rule's priors, and the largest interpolation error.

    The table is linear between points. The error is measured at 100,003 equally spaced scores, at
    every score where the calibrator is known to bend, and beyond the ends.
    """
    low, high, error = 0.0, 1.0, 0.0
    if rule.scores != "posterior":
        high = _reach(rule)
        low = -high
        ends = _second(rule, np.array([-1e100, low, high, 1e100]))
        error = float(np.abs(ends[[0, 3]] - ends[[1, 2]]).max())
    bends = _bends(rule, low, high)
    tried = np.union1d(np.linspace(low, high, _TRIED), bends)
    exact = _second(rule, tried)
    few = bends[:: 1 + len(bends) // (_MOST_PLACES // 4)]
    at = np.union1d(np.linspace(low, high, 257), few)
    for _ in range(_ROUNDS):
        at, values = _halved(rule, at)
        gaps = np.abs(np.interp(tried, at, values) - exact)
        if gaps.max() <= _CLOSE or len(at) >= _MOST_PLACES:
            break
        at = np.union1d(at, tried[gaps > _CLOSE])
    return at, values, max(error, float(gaps.max()))


def _halved(rule: CutPoints, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Add points: halve intervals until the middle of each is close to its straight line.

    An interval is kept if no float lies between its ends, so steps are found to the last digit.
    """
    values, checked = _second(rule, at), np.zeros(len(at) - 1, dtype=bool)
    while not checked.all() and len(at) < _MOST_PLACES:
        left, right = at[:-1][~checked], at[1:][~checked]
        middle = left / 2 + right / 2
        exact = _second(rule, middle)
        gap = np.abs(exact - (values[:-1] + values[1:])[~checked] / 2)
        done = (gap <= _CLOSE / 4) | (middle <= left) | (middle >= right)
        checked[~checked] = done
        more = np.flatnonzero(~checked)
        at = np.insert(at, more + 1, middle[~done])
        values = np.insert(values, more + 1, exact[~done])
        checked = np.insert(checked, more, np.zeros(len(more), dtype=bool))
    return at, values


def _bends(rule: CutPoints, low: float, high: float) -> FloatArray:
    """Scores between the ends at which a calibrator was fitted: as log odds, and raw."""
    found = rule.calibrator
    maps = getattr(found, "maps", None)
    known = [np.asarray(getattr(found, name, [])).ravel() for name in ("places", "edges")]
    known += [] if maps is None else [np.asarray(maps[0][0]).ravel()]
    places = np.concatenate(known).astype(np.float64)
    if rule.scores == "posterior":
        with np.errstate(over="ignore"):
            places = np.append(places, 1 / (1 + np.exp(-places)))
    return np.unique(places[(places >= low) & (places <= high)])


def _reach(rule: CutPoints) -> float:
    """A score beyond which calibrated posteriors hardly change."""
    ends = _second(rule, np.array([-1e100, 1e100]))
    for power in range(332):
        reach = 2.0**power
        there = _second(rule, np.array([-reach, reach]))
        if np.abs(there - ends).max() <= _CLOSE / 4:
            return reach
    return 1e100


def _second(rule: CutPoints, scores: FloatArray) -> FloatArray:
    """The calibrated posterior of the second class, at the rule's priors."""
    first, second = (float(factor / max(rule.factors)) for factor in rule.factors)
    found = calibrated_second(rule, scores)
    if 0 in rule.factors:
        return np.full(len(scores), float(second > 0))
    return np.asarray(second * found / (first * (1 - found) + second * found))
