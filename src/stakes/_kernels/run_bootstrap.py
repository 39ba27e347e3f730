"""Bootstrap of rank statistics on label runs: no sorting, no rows."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.fast_loops import (
    compiled,
    fill_loop,
    gaps_loop,
    hits_loop,
    pays,
    poisson_loop,
    statistics_loop,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Cells up to this size, exclusive, have a row in the table.
_ROWS = 128
#: Counts in a row; beyond lies less than rounding.
_WIDTH = 256
#: For fewer cells the table does not pay.
_FEW = 200


class Rate(NamedTuple):
    """Expected draws per case of a cell, and an alias table for cells of 0, 1, 2, ... cases."""

    value: float
    shares: Floats
    aliases: NDArray[np.int16]


@functools.lru_cache(maxsize=8)
def _rate_of(value: float) -> Rate:
    """Prepare to draw with this many expected draws per case, at most 1."""
    counts = np.arange(_WIDTH)
    logs = np.array([math.lgamma(k + 1.0) for k in counts.tolist()])
    means = np.arange(_ROWS)[:, None] * value
    with np.errstate(divide="ignore", invalid="ignore"):
        law = np.where(counts > 0, np.exp(counts * np.log(means) - means - logs), np.exp(-means))
    law *= _WIDTH / law.sum(axis=1, keepdims=True)
    aliases = np.tile(counts.astype(np.int16), (_ROWS, 1))
    rows = np.arange(_ROWS)
    done = np.zeros((_ROWS, _WIDTH), dtype=bool)
    for _ in range(_WIDTH - 1):  # the column in least need is filled up by the fullest, row by row
        least = np.where(done, np.inf, law).argmin(axis=1)
        most = np.where(done, -np.inf, law).argmax(axis=1)
        done[rows, least] = True
        aliases[rows, least] = most
        law[rows, most] -= 1.0 - law[rows, least]
    law[~done] = 1.0
    return Rate(value, law, aliases)


def _poisson_counts(
    cells: Ints, value: float, rng: np.random.Generator, out: Ints, *, fast: bool
) -> None:
    """Independent Poisson counts with means `value`, at most 1, times the whole numbers `cells`."""
    if cells.shape[0] < _FEW:
        out[:] = rng.poisson(cells * value)
        return
    rate = _rate_of(value)
    large = np.flatnonzero(cells >= _ROWS)
    first: Floats = rng.random(cells.shape)
    second: Floats = rng.random(large.shape)
    if fast:
        left = np.empty(large.shape[0], dtype=np.intp)
        found = compiled(poisson_loop)(cells, *rate, first, second, out, left)
        left = left[:found]
    else:
        _looked_up(cells, rate, first, out)
        left = _by_rejection(value * cells[large], first[large], second, large, out)
    out[left] = rng.poisson(cells[left] * value)


def _looked_up(cells: Ints, rate: Rate, draws: Floats, out: Ints) -> None:
    """Counts of the small cells; those of the others are left for later."""
    x = draws * _WIDTH
    column = x.astype(np.int64)
    x -= column
    flat = np.minimum(cells, _ROWS - 1) * _WIDTH
    flat += column
    other = rate.aliases.ravel().take(flat)
    np.copyto(out, column)
    np.copyto(out, other, where=x >= rate.shares.ravel().take(flat))


def _by_rejection(
    mean: NDArray[Any], first: Floats, second: Floats, places: NDArray[np.intp], out: Ints
) -> NDArray[np.intp]:
    """Counts of the large cells, as in `run_loops.poisson_loop`; the places that were rejected."""
    b = 0.931 + 2.53 * np.sqrt(mean)
    a = -0.059 + 0.02483 * b
    u, v = first - 0.5, 1.0 - second
    us = np.maximum(0.5 - np.abs(u), 1e-20)
    count = np.floor((2.0 * a / us + b) * u + mean + 0.43)
    taken: NDArray[np.bool_] = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0))
    open_ = np.flatnonzero(~taken & (count >= 0) & ((us >= 0.013) | (v <= us)))
    taken[open_] = _accepted(mean[open_], count[open_], a[open_], b[open_], us[open_], v[open_])
    out[places[taken]] = count[taken]
    return places[~taken]


def _accepted(mean: Any, count: Any, a: Any, b: Any, us: Any, v: Any) -> Any:
    """The full test, where the quick one did not settle it."""
    from scipy.special import gammaln

    slack = np.log(v) + np.log(1.1239 + 1.1328 / (b - 3.4)) - np.log(a / (us * us) + b)
    return slack <= count * np.log(mean) - mean - gammaln(count + 1.0)


#: Cases per run of the rarer class up to which they are drawn one by one.
_BY_CASE = 16
#: Up to this many cases each knows its run from a table; beyond, the run is searched for.
_TABLED = 50_000_000
#: By how many standard deviations of the total a first Poisson draw is made too small.
_SHORT = 3.0
#: Work on this many runs is worth one case when it is asked whether Numba pays.
_RUNS_PER_CASE = 4


def _draw_cases(
    cell_of_case: NDArray[np.integer[Any]], n_cells: int, size: int, rng: np.random.Generator
) -> Ints:
    """Draw `size` cases with replacement and count them by cell."""
    return np.bincount(cell_of_case[_chosen(cell_of_case.shape[0], size, rng)], minlength=n_cells)


def _chosen(n_cases: int, size: int, rng: np.random.Generator) -> NDArray[np.integer[Any]]:
    """Places of cases drawn with replacement."""
    return rng.integers(0, n_cases, size, dtype=np.int32 if n_cases < 2**31 else np.int64)


def _draw_poisson(counts: NDArray[Any], rng: np.random.Generator) -> Ints:
    """One Poisson replicate: parts of a stream can draw their own; the total varies."""
    return rng.poisson(np.asarray(counts, dtype=np.float64))


class _Sampler(NamedTuple):
    """What all replicates of two classes in runs share."""

    below: Ints  # cases of the common class below each run
    filled: NDArray[np.intp]  # the runs of the rarer class
    inside: Ints  # and how many cases they hold
    rare_of_case: NDArray[Any] | None
    run_of_case: NDArray[Any] | None
    tied: bool
    rate: float | None  # of a Poisson draw that is filled up; none for too few cases
    fast: bool
    scratch: tuple[Ints, Ints, NDArray[np.int32]]  # kept: fresh pages cost more than the loops


def _sampler(rare: NDArray[Any], common: NDArray[Any], fast: bool) -> _Sampler:
    """Prepare the tables."""
    below = np.concatenate(([0], np.cumsum(common, dtype=np.int64)))
    filled = np.flatnonzero(rare)
    inside = rare[filled].astype(np.int64)
    rare_of_case = run_of_case = None
    if int(inside.sum()) <= _BY_CASE * filled.shape[0]:
        rare_of_case = np.repeat(_places(filled.shape[0]), inside)
    total = int(below[-1])
    if total <= _TABLED:
        run_of_case = np.repeat(_places(common.shape[0]), common)
    tied = bool((common[filled] > 0).any())
    short = 1.0 - _SHORT / float(np.sqrt(max(total, 1)))
    rate = short if short > 0.5 else None
    cells, own = np.empty((2, 2 * filled.shape[0] + 1), dtype=np.int64)
    scratch = cells, own, np.empty(common.shape[0], dtype=np.int32)
    return _Sampler(below, filled, inside, rare_of_case, run_of_case, tied, rate, fast, scratch)


def _places(size: int) -> NDArray[Any]:
    """0, 1, 2, ... in two bytes each where they fit: tables that stay in the cache."""
    return np.arange(size, dtype=np.uint16 if size < 2**16 else np.int32)


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
    fast = not poisson and pays(size * rare.shape[0] // _RUNS_PER_CASE)
    sampler = _sampler(rare, common, fast)
    for _ in range(size):
        hit = _draw_rare(sampler, rng, poisson)
        own, other = _draw_common(sampler, hit, rng, poisson)
        yield (own, other) if swapped else (other, own)


def _draw_rare(sampler: _Sampler, rng: np.random.Generator, poisson: bool) -> Ints:
    """Draw the rarer class, run by run."""
    inside, of_case = sampler.inside, sampler.rare_of_case
    if poisson:
        return _draw_poisson(inside, rng)
    if of_case is None:
        total = int(inside.sum())
        return rng.multinomial(total, inside / total)
    if not sampler.fast:
        return _draw_cases(of_case, inside.shape[0], of_case.shape[0], rng)
    chosen = _chosen(of_case.shape[0], of_case.shape[0], rng)
    hit = np.zeros(inside.shape[0], dtype=np.int64)
    compiled(hits_loop)(of_case, chosen, hit)
    return hit


def _draw_common(
    sampler: _Sampler, hit: Ints, rng: np.random.Generator, poisson: bool
) -> tuple[Ints, Ints]:
    """The rarer class as drawn, and the common one in the gaps and, where tied, in the runs."""
    below, total = sampler.below, int(sampler.below[-1])
    cells, own, cell_of_run = _gaps(sampler, hit)
    drawn = np.zeros(cells.shape[0], dtype=np.int64)
    used = slice(None) if sampler.tied else slice(0, None, 2)
    if poisson:
        drawn[used] = rng.poisson(cells[used])
        return own, drawn
    if drawn[used].shape[0] < _SHORT * np.sqrt(total) / 2:  # fewer cells than cases to fill up
        drawn[used] = rng.multinomial(total, cells[used] / total)
        return own, drawn
    rest = -1
    while rest < 0:  # once, but for one draw in 700
        if sampler.rate is not None:
            _poisson_counts(cells[used], sampler.rate, rng, drawn[used], fast=sampler.fast)
        rest = total - int(drawn[used].sum())
    chosen = rng.integers(0, total, rest, dtype=np.int64)
    if sampler.run_of_case is None:
        runs: NDArray[Any] = np.searchsorted(below, chosen, side="right") - 1
    else:
        runs = sampler.run_of_case[chosen]
    if sampler.fast:
        compiled(fill_loop)(runs, cell_of_run, drawn)
        return own, drawn
    return own, drawn + np.bincount(cell_of_run[runs], minlength=cells.shape[0])


def _gaps(sampler: _Sampler, hit: Ints) -> tuple[Ints, Ints, NDArray[np.int32]]:
    """Cases of the common class in each cell, drawn ones of the rarer, and the cell of each run."""
    below, filled = sampler.below, sampler.filled
    if sampler.fast:
        cells, own, cell_of_run = sampler.scratch
        kept = compiled(gaps_loop)(hit, filled, below, cells, own, cell_of_run)
        return cells[: 2 * kept + 1], own[: 2 * kept + 1].copy(), cell_of_run
    hits = np.flatnonzero(hit)
    at = filled[hits]
    starts, ends = below[at], below[at + 1]
    cells, own = np.zeros((2, 2 * at.shape[0] + 1), dtype=np.int64)
    cells[0:-1:2] = starts
    cells[-1] = below[-1]
    cells[2::2] -= ends
    cells[1::2] = ends - starts
    own[1::2] = hit[hits]
    steps = np.zeros(below.shape[0], dtype=np.int32)  # two steps up after each run `at`
    steps[at] = 1
    steps[at + 1] += 1
    return cells, own, np.cumsum(steps, out=steps)


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


#: What `statistics_of_draws` finds in each replicate, by the name of its column.
STATISTICS = ("auc", "eer", "hull_eer", "min_cost")


def statistics_of_draws(
    negatives: NDArray[Any],
    positives: NDArray[Any],
    size: int,
    rng: np.random.Generator,
    *,
    wanted: Sequence[str] = STATISTICS,
    false_alarm: float = 1.0,
    miss: float = 1.0,
) -> Floats:
    """Replicates (size, wanted) of rank statistics, drawn as by `draw_runs`."""
    found = np.empty((size, len(wanted)))
    pairs = enumerate(draw_runs(negatives, positives, size, rng))
    if pays(size * negatives.shape[0] // _RUNS_PER_CASE):
        columns = [STATISTICS.index(name) for name in wanted]
        rates, four = np.empty((2, 2 * negatives.shape[0] + 2)), np.empty(4)
        for k, (below, above) in pairs:
            compiled(statistics_loop)(below, above, false_alarm, miss, rates, four)
            found[k] = four[columns]
        return found
    functions: dict[str, Callable[[Rates], float]] = {
        "auc": area,
        "eer": rates_crossing,
        "hull_eer": hull_crossing,
        "min_cost": lambda rates: least_cost(rates, false_alarm, miss),
    }
    for k, pair in pairs:
        both = error_rates(*pair)
        found[k] = [functions[name](both) for name in wanted]
    return found
