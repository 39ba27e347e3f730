"""Groups of like forecasts, and whether any of them is further from the truth than by chance."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes.typing import FloatArray, IntArray

__all__ = ["Look", "equal_mass", "furthest"]

#: A calibrated classifier is found wanting once in so many times.
_FALSE_ALARMS = 100
#: Groups are halved so often; smaller ones than `_LEAST` of the cases, or 10, are not looked at.
_HALVINGS = 5
_LEAST = 0.02
#: Smaller distances between forecast and frequency are not worth a word: this, or a tenth of what
#: was said (of the rest up to 1, where that is less).
_WORD = 0.01


class Look(NamedTuple):
    """What was said of a group, what happened, and its number of cases, whatever they weigh."""

    said: float
    happened: float
    cases: int


def equal_mass(said: FloatArray, weights: FloatArray, groups: int) -> IntArray:
    """Group of each case when forecasts are cut into so many of equal mass; equal ones together.

    Weights are repetitions. Numbered from 0 without gaps; ties may leave fewer groups.
    """
    order = np.argsort(said, kind="stable")
    reached = np.cumsum(weights[order])
    wanted = np.arange(1, groups) * float(reached[-1]) / groups
    places = np.minimum(np.searchsorted(reached, wanted, side="right"), len(said) - 1)
    member = np.searchsorted(np.unique(said[order][places]), said, side="right")
    return np.asarray(np.unique(member, return_inverse=True)[1].reshape(-1), dtype=np.intp)


def furthest(
    said: FloatArray, happened: NDArray[np.bool_], weights: FloatArray, groups: int | None
) -> tuple[Look | None, bool]:
    """The group of forecasts furthest from what happened beyond chance; whether any is judged.

    Looked at are all cases, their halves by forecast, quarters and so on, every forecast that is
    common by itself, and `groups` of equal mass if a number is given: none depends on what
    happened. The chance of each is bounded by the binomial distribution of its mean forecast, and
    shared among all. One of `groups` goes before the others.
    """
    values, member = np.unique(said, return_inverse=True)
    member = member.reshape(-1)
    parts = [weights, weights * said, weights * happened, weights**2, 1.0 * (weights > 0.0)]
    sums = [
        np.append(0.0, np.cumsum(np.bincount(member, weights=part, minlength=len(values))))
        for part in parts
    ]
    first, after, asked = _ranges(values, sums[0], groups).T
    mass, spoken, came, squares, rows = (column[after] - column[first] for column in sums)
    number = mass**2 / squares
    seen = (number >= 10.0 - 1e-9) & (mass >= _LEAST * sums[0][-1])
    if not seen.any():
        return None, False
    mass, number = mass[seen], number[seen]
    mean = np.clip(spoken[seen] / mass, 0.0, 1.0)
    share = np.clip(came[seen] / mass, 0.0, 1.0)
    gap = np.abs(mean - share)
    clear = _chances(mean, share, number) < 0.5 / _FALSE_ALARMS / len(mass)
    clear &= gap > np.minimum(_WORD, 0.1 * np.minimum(mean, 1.0 - mean))
    if not clear.any():
        return None, True
    if (clear & (asked[seen] > 0)).any():
        clear &= asked[seen] > 0
    k = int(np.where(clear, gap, -1.0).argmax())
    return Look(float(mean[k]), float(share[k]), int(rows[seen][k])), True


def _ranges(values: FloatArray, below: FloatArray, groups: int | None) -> IntArray:
    """Each group looked at: its first distinct forecast, the first after it, whether asked for."""
    weights = np.diff(below)
    found = {(int(k), int(k) + 1): 0 for k in np.flatnonzero(weights >= _LEAST * below[-1])}
    counts = [2**depth for depth in range(_HALVINGS + 1)] + ([groups] if groups else [])
    for count in counts:
        member = equal_mass(values, weights, count)
        ends = np.flatnonzero(np.diff(member, prepend=-1, append=member[-1] + 1)).tolist()
        found |= dict.fromkeys(pairwise(ends), int(count == groups))
    return np.array([(*ends, asked) for ends, asked in found.items()], dtype=np.intp)


def _chances(mean: FloatArray, share: FloatArray, number: FloatArray) -> FloatArray:
    """At most the chance of a share as high, or as low, among so many cases of that mean."""
    from scipy.special import betainc

    times = share * number
    high = np.where(times > 0.0, betainc(np.maximum(times, 1e-9), number - times + 1.0, mean), 1.0)
    rest = number - times
    low = np.where(rest > 0.0, betainc(np.maximum(rest, 1e-9), times + 1.0, 1.0 - mean), 1.0)
    return np.where(share > mean, high, low)
