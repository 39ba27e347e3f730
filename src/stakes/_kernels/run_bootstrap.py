"""Bootstrap of rank statistics on label runs: no sorting, no rows.

Within a stretch of cases of one class the order does not matter to any rank statistic, and a
multinomial over cases adds up to a multinomial over stretches. So a replicate draws one count
for each run of the smaller class; runs of which nothing was drawn are gone, which joins the
runs of the other class around them; then that class is drawn. A score that both classes share
is a run with two counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Rates",
    "area",
    "draw_cases",
    "draw_poisson",
    "draw_runs",
    "error_rates",
    "hull_crossing",
    "least_cost",
    "rates_crossing",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Cases per run of the rarer class up to which they are drawn one by one.
_BY_CASE = 16
#: Up to this many cases each knows its run from a table; beyond, the run is searched for.
_TABLED = 50_000_000
#: By how many standard deviations of the total a first Poisson draw is made too small.
_SHORT = 4.0


def draw_cases(
    cell_of_case: NDArray[np.integer[Any]], n_cells: int, size: int, rng: np.random.Generator
) -> Ints:
    """Draw `size` cases with replacement and count them by cell."""
    kind = np.int32 if cell_of_case.shape[0] < 2**31 else np.int64
    chosen = rng.integers(0, cell_of_case.shape[0], size, dtype=kind)
    return np.bincount(cell_of_case[chosen], minlength=n_cells)


def draw_poisson(counts: NDArray[Any], rng: np.random.Generator) -> Ints:
    """One Poisson replicate: parts of a stream can draw their own; the total varies."""
    return rng.poisson(np.asarray(counts, dtype=np.float64))


def draw_runs(
    negatives: NDArray[Any],
    positives: NDArray[Any],
    size: int,
    rng: np.random.Generator,
    *,
    poisson: bool = False,
) -> Iterator[tuple[Ints, Ints]]:
    """Replicates of both classes, each as counts of its own runs in ascending score.

    With `poisson` the number of cases varies too. Otherwise it is kept, exactly: Poisson counts
    of a slightly smaller mean are filled up by single cases, which is a multinomial again.
    """
    swapped = int(positives.sum()) > int(negatives.sum())
    rare, common = (negatives, positives) if swapped else (positives, negatives)
    below = np.concatenate(([0], np.cumsum(common)))
    filled = np.flatnonzero(rare)
    inside = rare[filled]
    total = int(inside.sum())
    by_case = total <= _BY_CASE * filled.shape[0]
    rare_of_case = np.repeat(np.arange(filled.shape[0], dtype=np.int32), inside if by_case else 0)
    run_of_case = None
    if int(below[-1]) <= _TABLED:
        run_of_case = np.repeat(np.arange(common.shape[0], dtype=np.int32), common)
    tied = bool((common[filled] > 0).any())
    for _ in range(size):
        if poisson:
            hit = draw_poisson(inside, rng)
        elif by_case:
            hit = draw_cases(rare_of_case, filled.shape[0], total, rng)
        else:
            hit = rng.multinomial(total, inside / total)
        kept = np.flatnonzero(hit)
        other = _draw_between(below, filled[kept], run_of_case, tied, rng, poisson)
        own = np.zeros(other.shape[0], dtype=np.int64)
        own[1::2] = hit[kept]
        yield (own, other) if swapped else (other, own)


def _draw_between(
    below: Ints,
    at: NDArray[np.intp],
    run_of_case: NDArray[np.int32] | None,
    tied: bool,
    rng: np.random.Generator,
    poisson: bool,
) -> Ints:
    """Draw the common class in the gaps between the runs `at` and, where tied, in them."""
    cells = np.zeros(2 * at.shape[0] + 1, dtype=np.int64)
    ends = below[at]
    cells[0:-1:2] = ends
    cells[-1] = below[-1]
    cells[2::2] -= below[at + 1]
    if tied:
        cells[1::2] = below[at + 1] - ends
    total = int(below[-1])
    drawn = np.zeros(cells.shape[0], dtype=np.int64)
    used = slice(None) if tied else slice(0, None, 2)
    if poisson:
        drawn[used] = rng.poisson(cells[used])
        return drawn
    missing = _SHORT * np.sqrt(total)
    if drawn[used].shape[0] < missing / 2:  # fewer cells than cases to fill up
        drawn[used] = rng.multinomial(total, cells[used] / total)
        return drawn
    short = 1.0 - missing / total
    if short > 0.5:
        drawn[used] = rng.poisson(cells[used] * short)
    rest = total - int(drawn.sum())
    if rest < 0:  # about once in 30,000 draws
        return _draw_between(below, at, run_of_case, tied, rng, poisson)
    cell_of_run = np.zeros(below.shape[0], dtype=np.int32)  # two steps up after each run `at`
    cell_of_run[at] += 1
    cell_of_run[at + 1] += 1
    np.cumsum(cell_of_run, out=cell_of_run)
    chosen = rng.integers(0, total, rest, dtype=np.int64)
    if run_of_case is None:
        runs: NDArray[Any] = np.searchsorted(below, chosen, side="right") - 1
    else:
        runs = run_of_case[chosen]
    return drawn + np.bincount(cell_of_run[runs], minlength=cells.shape[0])


class Rates(NamedTuple):
    """False negative and false positive rate at each cut, from the lowest to the highest."""

    missed: Floats
    alarms: Floats


def error_rates(negatives: NDArray[Any], positives: NDArray[Any]) -> Rates:
    """The rates of one replicate; NaN when a class is empty."""
    below, upto = np.cumsum(negatives), np.cumsum(positives)
    missed, alarms = np.zeros(below.shape[0] + 1), np.ones(below.shape[0] + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(upto, upto[-1], out=missed[1:])
        np.divide(below[-1] - below, below[-1], out=alarms[1:])
    return Rates(missed, alarms)


def area(rates: Rates) -> float:
    """Area under the ROC curve, ties half."""
    missed, alarms = rates
    heights = 2.0 - alarms[1:] - alarms[:-1]
    heights *= np.diff(missed)
    return float(heights.sum()) / 2  # no np.dot: its threads cost more than they save here


def rates_crossing(rates: Rates) -> float:
    """Where the two error rates meet, the ROC curve joined by straight lines."""
    right = int(np.searchsorted(rates.missed - rates.alarms, 0.0))
    return _between(rates, max(right - 1, 0), min(right, rates.missed.shape[0] - 1))


def hull_crossing(rates: Rates) -> float:
    """The same on the ROC convex hull, of which only the edge at the crossing is found.

    The point furthest below the chord splits it; the half that spans the crossing goes on.
    """
    missed, alarms = rates
    left, right = 0, missed.shape[0] - 1
    while right - left > 1:
        dx, dy = alarms[left] - alarms[right], missed[right] - missed[left]
        inner = slice(left + 1, right)
        height = (missed[inner] - missed[left]) * dx - (alarms[left] - alarms[inner]) * dy
        k = left + 1 + int(np.argmin(height))
        if height[k - left - 1] >= -1e-15:
            break
        left, right = (left, k) if missed[k] >= alarms[k] else (k, right)
    return _between(rates, left, right)


def _between(rates: Rates, left: int, right: int) -> float:
    """Where the line from one cut to another meets the diagonal."""
    start, end = (rates.missed[k] - rates.alarms[k] for k in (left, right))
    if end == start:
        return float(rates.missed[left])
    part = -start / (end - start)
    return float(rates.missed[left] + part * (rates.missed[right] - rates.missed[left]))


def least_cost(rates: Rates, false_alarm: float, miss: float) -> float:
    """Least of miss x FNR + false_alarm x FPR over all cuts, ends included."""
    return float((miss * rates.missed + false_alarm * rates.alarms).min())
