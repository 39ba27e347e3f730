"""The stops of the sliders: counts of every model at each, so that a page can be exact.

Costs and shares of two classes only add up to one number, the effective prior log odds
x = log(cost ratio) + log odds of the share. Both sliders move in equal steps from where they
stand, so x does too, and the errors of a model need counting at these stops only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.evaluation.judgement import Judged, Sources
from stakes.typing import FloatArray

#: Natural logarithm from one stop to the next.
STEP = 0.05
#: Cost ratios reach a hundred times as far, either way.
RATIO_STOPS = 92
#: Shares reach from 0.05 % to 95 %, and always this many stops either way.
_SHARES = (-7.6, 3.0)
_LEAST_SHARE_STOPS = 20


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the sliders stand, and how many stops there are to either side of it."""

    log_ratio: float
    log_odds: float
    lower_shares: int
    upper_shares: int

    @property
    def start(self) -> int:
        """The position of the application itself among the stops."""
        return RATIO_STOPS + self.lower_shares

    @property
    def x(self) -> FloatArray:
        """The effective prior log odds at every stop."""
        steps = np.arange(2 * RATIO_STOPS + self.lower_shares + self.upper_shares + 1)
        return np.asarray(self.log_ratio + self.log_odds + STEP * (steps - self.start))

    @property
    def ratio_stops(self) -> NDArray[np.intp]:
        """The stops that the cost ratio alone reaches."""
        return np.arange(self.lower_shares, self.lower_shares + 2 * RATIO_STOPS + 1)


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """One rule at all stops: false alarms and misses, and when each case is first acted on."""

    false_alarms: FloatArray
    misses: FloatArray
    first_acted: NDArray[Any] | None


def grid_of(app: Application) -> Grid | None:
    """The sliders of an application; None unless it has two classes with one cut between."""
    if app.costs.shape != (2, 2) or app.priors is None or not 0 < app.priors[1] < 1:
        return None
    (a, b), (c, d) = app.costs.values.tolist()
    if b <= a or c <= d:
        return None
    odds = math.log(app.priors[1] / app.priors[0])
    low, high = (math.floor(abs(edge - odds) / STEP) for edge in _SHARES)
    low = low if odds > _SHARES[0] else 0
    high = high if odds < _SHARES[1] else 0
    least = _LEAST_SHARE_STOPS
    return Grid(math.log((c - d) / (b - a)), odds, max(low, least), max(high, least))


def systems_of_counts(tables: Sequence[Any], grid: Grid) -> list[tuple[System, System | None]]:
    """Decisions that are only counted, the same at all stops."""
    size = grid.x.shape[0]
    return [
        (System(np.full(size, float(t[0, 1])), np.full(size, float(t[1, 0])), None), None)
        for t in tables
    ]


def systems_of(sources: Sources, grid: Grid) -> list[tuple[System, System | None]]:
    """Every model at all stops, as it is and re-calibrated."""
    return [(_as_is(one, sources, grid), _fitted(one, sources, grid)) for one in sources.judged]


def _as_is(one: Judged, sources: Sources, grid: Grid) -> System:
    """A model taken at its word; at the application itself, exactly what was evaluated."""
    table = one.as_is.confusion.counts
    if one.model.posteriors is None:
        size = grid.x.shape[0]
        always = np.where(one.as_is.codes == 1, 0, size) if one.as_is.codes is not None else None
        alarms, missed = float(table[0, 1]), float(table[1, 0])
        return System(np.full(size, alarms), np.full(size, missed), always)
    share = float(sources.said_at[1])
    found = _at_stops(one.model.posteriors[:, 1], sources, grid, share, one.as_is.threshold)
    found.false_alarms[grid.start], found.misses[grid.start] = table[0, 1], table[1, 0]
    return found


def _fitted(one: Judged, sources: Sources, grid: Grid) -> System | None:
    """The same after cross-fitted calibration."""
    if one.fitted is None or one.recalibrated is None:
        return None
    share, cut = float(sources.cases.priors[1]), one.recalibrated.threshold
    found = _at_stops(one.fitted[:, 1], sources, grid, share, cut)
    table = one.recalibrated.confusion.counts
    found.false_alarms[grid.start], found.misses[grid.start] = table[0, 1], table[1, 0]
    return found


def _at_stops(
    posteriors: NDArray[Any], sources: Sources, grid: Grid, share: float, stated: float | None
) -> System:
    """Count the errors at every stop from when each case is first acted on.

    `stated` is the threshold at the application itself, exactly.
    """
    cases, x = sources.cases, grid.x
    cuts = 1 / (1 + np.exp(x - math.log(share / (1 - share))))
    if stated is not None:
        cuts[grid.start] = stated
    # Cuts fall as x grows; a case is acted on from the first stop whose cut it exceeds.
    first = x.shape[0] - np.searchsorted(cuts[::-1], posteriors, side="left")
    key = first + (x.shape[0] + 1) * cases.truth.astype(np.intp)
    sums = np.bincount(key, weights=cases.weights, minlength=2 * (x.shape[0] + 1))
    acted = sums.reshape(2, -1)[:, :-1].cumsum(axis=1).astype(np.float64)
    total = sums.reshape(2, -1)[1].sum()
    return System(acted[0], total - acted[1], first.astype(np.uint16))
