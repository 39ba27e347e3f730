"""Small samples of the population of section 4.2, for pictures; rates are counted by the audit."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes.application import UtilityPoint
from stakes.typing import FloatArray

__all__ = ["Kind", "Pairs", "coordinates", "disturbed", "draw_pairs", "draw_points", "good_rates"]

Kind: TypeAlias = Literal["uniform", "gaussian"]


class Pairs(NamedTuple):
    """Utilities and two tables each, (n, 2, 2), rows true classes; class 1 comes first."""

    utilities: FloatArray
    first: FloatArray
    second: FloatArray


def draw_points(rng: np.random.Generator, n: int, kind: Kind) -> FloatArray:
    """Points of the plane of figure 1: uniform, or normal with standard deviation 1/3."""
    found = np.empty((0, 2))
    while found.shape[0] < n:
        shape = (4 * n, 2)
        trial = rng.uniform(-1, 1, shape) if kind == "uniform" else rng.normal(0, 1 / 3, shape)
        inside = (np.abs(trial) <= 1).all(axis=1) & (np.abs(trial[:, 1] - trial[:, 0]) < 1)
        found = np.concatenate([found, trial[inside]])
    return found[:n]


def good_rates(rng: np.random.Generator, n: int) -> FloatArray:
    """Rates from 1/2 to 1 with linearly growing density (section 3.3)."""
    return np.asarray(0.5 + 0.5 * np.sqrt(rng.random(n)))


def draw_pairs(rng: np.random.Generator, n: int, kind: Kind) -> Pairs:
    """True utilities, and pairs of confusion matrices with the same class shares."""
    points = draw_points(rng, n, kind)
    utilities = np.stack([UtilityPoint(x, y).utilities[::-1, ::-1] for x, y in points])
    share = rng.random(n)
    tables = []
    for _ in range(2):
        right = np.stack([good_rates(rng, n), good_rates(rng, n)], axis=1)
        table = np.zeros((n, 2, 2))
        table[:, [0, 1], [0, 1]], table[:, [0, 1], [1, 0]] = right, 1 - right
        tables.append(table * np.stack([1 - share, share], axis=1)[:, :, None])
    return Pairs(utilities, tables[0], tables[1])


def disturbed(rng: np.random.Generator, utilities: FloatArray, sd: float) -> FloatArray:
    """Normal errors on all cells, drawn again until none leaves [0, 1] or rewards an error."""
    result = utilities.copy()
    waiting: NDArray[np.intp] = np.arange(utilities.shape[0])
    while waiting.size:
        trial = utilities[waiting] + rng.normal(0, sd, (waiting.size, 2, 2))
        fine = ((trial >= 0) & (trial <= 1)).all(axis=(1, 2))
        fine &= (trial[:, 0, 0] >= trial[:, 0, 1]) & (trial[:, 1, 1] >= trial[:, 1, 0])
        result[waiting[fine]] = trial[fine]
        waiting = waiting[~fine]
    return result


def coordinates(utilities: FloatArray) -> FloatArray:
    """Points (n, 2) of the plane, of utilities whose rows are the true classes 0 and 1."""
    low = utilities.min(axis=(1, 2), keepdims=True)
    scaled = (utilities - low) / (utilities.max(axis=(1, 2), keepdims=True) - low)
    return np.stack([scaled[:, 1, 1] - scaled[:, 0, 0], scaled[:, 1, 0] - scaled[:, 0, 1]], axis=1)
