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
from stakes.evaluation.model_variants import Judged, Sources, Variant
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
    return [(_unmoved(table, grid), None) for table in tables]


def _unmoved(table: Any, grid: Grid, first_acted: NDArray[Any] | None = None) -> System:
    """Decisions that do not follow the sliders."""
    alarms, misses = (np.full(grid.x.shape, float(table[cell])) for cell in ((0, 1), (1, 0)))
    return System(alarms, misses, first_acted)


def systems_of(sources: Sources, grid: Grid) -> list[tuple[System, System | None]]:
    """Every model at all stops, as it is and re-calibrated."""
    return [(_as_is(one, sources, grid), _fitted(one, sources, grid)) for one in sources.judged]


def _as_is(one: Judged, sources: Sources, grid: Grid) -> System:
    """A model taken at its word."""
    if one.model.posteriors is None:
        codes = one.as_is.codes
        always = None if codes is None else np.where(codes == 1, 0, grid.x.shape[0])
        return _unmoved(one.as_is.confusion.counts, grid, always)
    return _at_stops(one.model.posteriors, one.as_is, sources, grid, sources.said_at)


def _fitted(one: Judged, sources: Sources, grid: Grid) -> System | None:
    """The same after cross-fitted calibration."""
    if one.fitted is None or one.recalibrated is None:
        return None
    return _at_stops(one.fitted, one.recalibrated, sources, grid, sources.cases.priors)


def _at_stops(
    posteriors: NDArray[Any], stated: Variant, sources: Sources, grid: Grid, said_at: FloatArray
) -> System:
    """Count the errors at every stop from when each case is first acted on.

    At the application itself it is exactly what was evaluated.
    """
    cases, x, share = sources.cases, grid.x, float(said_at[1])
    cuts = 1 / (1 + np.exp(x - math.log(share / (1 - share))))
    if stated.threshold is not None:
        cuts[grid.start] = stated.threshold
    # Cuts fall as x grows; a case is acted on from the first stop whose cut it exceeds.
    first = x.shape[0] - np.searchsorted(cuts[::-1], posteriors[:, 1], side="left")
    key = first + (x.shape[0] + 1) * cases.truth.astype(np.intp)
    sums = np.bincount(key, weights=cases.weights, minlength=2 * (x.shape[0] + 1))
    acted = sums.reshape(2, -1)[:, :-1].cumsum(axis=1).astype(np.float64)
    found = System(acted[0], sums.reshape(2, -1)[1].sum() - acted[1], first.astype(np.uint16))
    table = stated.confusion.counts
    found.false_alarms[grid.start], found.misses[grid.start] = table[0, 1], table[1, 0]
    return found
