"""Bootstrap of rank statistics on label runs: no sorting, no rows."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
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
    ranks_loop,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Cells with fewer cases than this have a row in the table.
_ROWS = 128
#: Counts in a row; larger ones are less likely than rounding shows.
_WIDTH = 256
#: For fewer cells the table does not pay.
_FEW = 200


class Rate(NamedTuple):
    """An alias table of the draws from cells of 0, 1, 2, ... cases."""

    shares: Floats
    aliases: NDArray[np.int16]


@functools.lru_cache(maxsize=8)
def _rate_of(value: float) -> Rate:
    """The alias table for this many expected draws per case, at most 1."""
    counts = np.arange(_WIDTH)
    logs = np.array([math.lgamma(k + 1.0) for k in counts.tolist()])
    means = np.arange(_ROWS)[:, None] * value
    with np.errstate(divide="ignore", invalid="ignore"):
        law = np.where(counts > 0, np.exp(counts * np.log(means) - means - logs), np.exp(-means))
    law *= _WIDTH / law.sum(axis=1, keepdims=True)
    aliases = np.tile(counts.astype(np.int16), (_ROWS, 1))
    rows = np.arange(_ROWS)
    done = np.zeros((_ROWS, _WIDTH), dtype=bool)
    for _ in range(_WIDTH - 1):  # in each row the fullest column fills up the emptiest
        least = np.where(done, np.inf, law).argmin(axis=1)
        most = np.where(done, -np.inf, law).argmax(axis=1)
        done[rows, least] = True
        aliases[rows, least] = most
        law[rows, most] -= 1.0 - law[rows, least]
    law[~done] = 1.0
    return Rate(law, aliases)


def _poisson_counts(
    cells: Ints, value: float, rng: np.random.Generator, out: Ints, *, fast: bool
) -> None:
    """Independent Poisson counts with means `value`, at most 1, times the whole numbers `cells`."""
    if cells.shape[0] < _FEW:
        out[:] = rng.poisson(cells * value)
        return
    rate, draws = _rate_of(value), rng.random(cells.shape)
    if fast:
        compiled(poisson_loop)(cells, rate.shares, rate.aliases, draws, out)
    else:
        _looked_up(cells, rate, draws, out)
    large = np.flatnonzero(cells >= _ROWS)
    out[large] = rng.poisson(cells[large] * value)


def _looked_up(cells: Ints, rate: Rate, draws: Floats, out: Ints) -> None:
    """Counts of the small cells; the caller draws those of the others."""
    x = draws * _WIDTH
    column = x.astype(np.int64)
    x -= column
    flat = np.minimum(cells, _ROWS - 1) * _WIDTH
    flat += column
    np.copyto(out, column)
    np.copyto(out, rate.aliases.ravel().take(flat), where=x >= rate.shares.ravel().take(flat))


#: Cases per run of the rarer class up to which they are drawn one by one.
_BY_CASE = 16
#: Up to this many cases each knows its run from a table; beyond, the run is searched for.
_TABLED = 50_000_000
#: A first Poisson draw is too small by this many standard deviations of the total, on average.
_SHORT = 3.0
#: This many runs count as one case in deciding whether Numba pays.
_RUNS_PER_CASE = 4


class _Sampler(NamedTuple):
    """Tables that all replicates of two classes use."""

    below: Ints  # cases of the common class below each run
    filled: NDArray[np.intp]  # the runs of the rarer class
    inside: Ints  # and how many cases they hold
    rare_of_case: NDArray[Any] | None
    run_of_case: NDArray[Any] | None
    tied: bool
    rate: float | None  # of a Poisson draw that is filled up; none for too few cases
    fast: bool
    scratch: tuple[Ints, Ints, NDArray[np.int32]]  # reused: new memory costs more than the loops


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
    negatives: NDArray[Any], positives: NDArray[Any], size: int, rng: np.random.Generator
) -> Iterator[tuple[Ints, Ints]]:
    """Replicates of both classes, each as counts of its own runs in ascending score.

    The number of cases is kept exactly: Poisson counts of a slightly smaller mean are filled up
    with single cases, and the sum is multinomial again.
    """
    swapped = int(positives.sum()) > int(negatives.sum())
    rare, common = (negatives, positives) if swapped else (positives, negatives)
    sampler = _sampler(rare, common, pays(size * rare.shape[0] // _RUNS_PER_CASE))
    for _ in range(size):
        own, other = _draw_common(sampler, _draw_rare(sampler, rng), rng)
        yield (own, other) if swapped else (other, own)


def _draw_rare(sampler: _Sampler, rng: np.random.Generator) -> Ints:
    """Draw the rarer class, run by run."""
    inside, of_case = sampler.inside, sampler.rare_of_case
    if of_case is None:
        total = int(inside.sum())
        return rng.multinomial(total, inside / total)
    n = of_case.shape[0]
    chosen = rng.integers(0, n, n, dtype=np.int32 if n < 2**31 else np.int64)
    if not sampler.fast:
        return np.bincount(of_case[chosen], minlength=inside.shape[0])
    hit = np.zeros(inside.shape[0], dtype=np.int64)
    compiled(hits_loop)(of_case, chosen, hit)
    return hit


def _draw_common(sampler: _Sampler, hit: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The rarer class as drawn, and the common one in the gaps and, where tied, in the runs."""
    below, total = sampler.below, int(sampler.below[-1])
    cells, own, cell_of_run = _gaps(sampler, hit)
    drawn = np.zeros(cells.shape[0], dtype=np.int64)
    used = slice(None) if sampler.tied else slice(0, None, 2)
    if drawn[used].shape[0] < _SHORT * np.sqrt(total) / 2:  # fewer cells than cases to fill up
        drawn[used] = rng.multinomial(total, cells[used] / total)
        return own, drawn
    rest = -1
    while rest < 0:  # one pass is enough, except for one draw in 700
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
    """The rate at which the two error rates are equal, on straight lines between cuts."""
    missed, alarms = rates
    right = min(int(np.searchsorted(missed - alarms, 0.0)), missed.shape[0] - 1)
    left = max(right - 1, 0)
    start, end = missed[left] - alarms[left], missed[right] - alarms[right]
    if end == start:
        return float(missed[left])
    return float(missed[left] - start / (end - start) * (missed[right] - missed[left]))


def least_cost(rates: Rates, false_alarm: float, miss: float) -> float:
    """Least of miss x FNR + false_alarm x FPR over all cuts, ends included."""
    return float((miss * rates.missed + false_alarm * rates.alarms).min())


def rank_draws(
    negatives: NDArray[Any], positives: NDArray[Any], size: int, rng: np.random.Generator
) -> Floats:
    """Replicates (size, 2) of AUC and equal error rate, drawn as by `draw_runs`."""
    found, fast = np.empty((size, 2)), pays(size * negatives.shape[0] // _RUNS_PER_CASE)
    for k, pair in enumerate(draw_runs(negatives, positives, size, rng)):
        if fast:
            compiled(ranks_loop)(*pair, found[k])
        else:
            rates = error_rates(*pair)
            found[k] = area(rates), rates_crossing(rates)
    return found
