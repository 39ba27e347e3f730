"""Loops that are fast: arrays in pieces that fit the cache, and plain Python that Numba compiles
where it pays.

The array code of the neighbouring modules is always right and always there. The same work
as compiled loops is used when Numba is installed (the extra `fast`) and pays for its import
and compilation: from `_LARGE` cases on, or from `MEDIUM` when the program has imported Numba
itself. The variable STAKES_FAST set to 0 forbids it, to 1 demands it whatever the size.

They repeat what `scores_runs` and `roc_hull` do with whole arrays, in one
pass each. `scores_compiled` decides when they are used.

They repeat what `run_bootstrap` and `poisson_counts` do with whole arrays. Random numbers are
drawn outside, so that both ways make the same draws from the same seed.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import math
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 2_000_000
MEDIUM = 100_000


def pays(n_cases: int) -> bool:
    """Whether the compiled loops are used for this many cases."""
    wish = os.environ.get("STAKES_FAST", "")
    if wish == "0":
        return False
    if wish == "1":
        return _installed()
    return n_cases >= (MEDIUM if "numba" in sys.modules else _LARGE) and _installed()


@functools.lru_cache(maxsize=1)
def _installed() -> bool:
    """Whether Numba can be imported."""
    return importlib.util.find_spec("numba") is not None


@functools.cache
def compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    """A plain loop compiled on its first call and kept on disk afterwards."""
    numba = importlib.import_module("numba")
    made: Callable[..., Any] = numba.njit(cache=True, nogil=True)(loop)
    return made


#: Rows per block for single-column work: 32 Ki int64 take 256 KiB, a core's private cache.
_BLOCK_ROWS = 1 << 15


def blocks(n_rows: int, size: int = _BLOCK_ROWS) -> Iterator[slice]:
    """Slices that cover `n_rows` rows in order."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


#: Numbers between 2 to the power of minus this and of this are ordinary: their squares, and sums
#: of many of these, neither overflow nor vanish.
_ORDINARY = 300


def ordinary_scale(*arrays: NDArray[np.float64]) -> float:
    """What to divide by, and multiply by afterwards; 1 where the largest number is ordinary.

    Powers of two change the exponents alone, so that nothing is rounded.
    """
    largest = max((float(np.abs(each).max()) for each in arrays if each.size), default=0.0)
    if largest == 0 or not math.isfinite(largest):
        return 1.0
    exponent = math.frexp(largest)[1]
    return 1.0 if -_ORDINARY < exponent <= _ORDINARY else math.ldexp(1.0, exponent - 1)


def split_loop(scores: Any, positive: Any, first: Any, second: Any) -> None:
    """Write the scores of each class into its own array, which has one place to spare.

    Each score is written to both and one of the two places moves on: no branch to mispredict.
    """
    i: Any = 0
    j: Any = 0
    for k in range(scores.shape[0]):
        first[i] = scores[k]
        second[j] = scores[k]
        step: Any = np.int64(positive[k])
        j += step
        i += 1 - step


def merge_loop(
    negatives: Any, positives: Any, in_negatives: Any, in_positives: Any, low: Any, high: Any
) -> int:
    """Merge two sorted classes into label runs written to the last four; return their number.

    The counts are numbers of entries of `negatives` and `positives`.
    """
    n0, n1 = negatives.shape[0], positives.shape[0]
    i = j = runs = 0
    while i < n0 or j < n1:
        if j == n1 or (i < n0 and negatives[i] < positives[j]):
            start = i
            if j == n1:
                i = n0
            else:
                limit = positives[j]
                while i < n0 and negatives[i] < limit:
                    i += 1
            in_negatives[runs], in_positives[runs] = i - start, 0
            low[runs], high[runs] = negatives[start], negatives[i - 1]
        elif i == n0 or positives[j] < negatives[i]:
            start = j
            if i == n0:
                j = n1
            else:
                limit = negatives[i]
                while j < n1 and positives[j] < limit:
                    j += 1
            in_negatives[runs], in_positives[runs] = 0, j - start
            low[runs], high[runs] = positives[start], positives[j - 1]
        else:
            shared, first, second = negatives[i], i, j
            while i < n0 and negatives[i] == shared:
                i += 1
            while j < n1 and positives[j] == shared:
                j += 1
            in_negatives[runs], in_positives[runs] = i - first, j - second
            low[runs] = high[runs] = shared
        runs += 1
    return runs


def hull_loop(x: NDArray[Any], y: NDArray[Any], kept: NDArray[np.intp]) -> int:
    """Indices of the vertices of the lower convex hull of ascending points, as a stack."""
    size = 0
    for k in range(x.shape[0]):
        while size >= 2:
            a, b = kept[size - 2], kept[size - 1]
            turn = (x[b] - x[a]) * (y[k] - y[a]) - (y[b] - y[a]) * (x[k] - x[a])
            if turn > 0:
                break
            size -= 1
        kept[size] = k
        size += 1
    return size


def hits_loop(cell_of_case: Any, chosen: Any, hit: Any) -> None:
    """Count the chosen cases by cell."""
    for k in range(chosen.shape[0]):
        hit[cell_of_case[chosen[k]]] += 1


def gaps_loop(hit: Any, filled: Any, below: Any, cells: Any, own: Any, cell_of_run: Any) -> int:
    """Sizes of the common class between and in the runs that were hit; return their number.

    Each run is written down, and the place moves on if it was hit: no branch to mispredict.
    """
    kept: Any = 0
    done: Any = 0
    run = 0
    for k in range(hit.shape[0]):
        at = filled[k]
        step: Any = 1 if hit[k] > 0 else 0
        cells[2 * kept] = below[at] - done
        cells[2 * kept + 1] = below[at + 1] - below[at]
        own[2 * kept] = 0
        own[2 * kept + 1] = hit[k]
        while run < at:
            cell_of_run[run] = 2 * kept
            run += 1
        cell_of_run[at] = 2 * kept + step
        run = at + 1
        done += step * (below[at + 1] - done)
        kept += step
    last = 2 * kept
    cells[last] = below[below.shape[0] - 1] - done
    own[last] = 0
    while run < cell_of_run.shape[0]:
        cell_of_run[run] = last
        run += 1
    return int(kept)


def poisson_loop(
    cells: Any, rate: float, shares: Any, aliases: Any, first: Any, second: Any, out: Any, left: Any
) -> int:
    """Poisson counts of `cells`; return how many were rejected, their places noted in `left`."""
    rows, width = shares.shape
    rejected = large = 0
    for place in range(cells.shape[0]):
        cell = cells[place]
        if cell < rows:
            x = first[place] * width
            column = int(x)
            out[place] = column if x - column < shares[cell, column] else aliases[cell, column]
            continue
        mean = rate * cell
        b = 0.931 + 2.53 * math.sqrt(mean)
        a = -0.059 + 0.02483 * b
        u, v = first[place] - 0.5, 1.0 - second[large]
        large += 1
        us = max(0.5 - abs(u), 1e-20)
        n = math.floor((2.0 * a / us + b) * u + mean + 0.43)
        taken = us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2.0)
        if not taken and n >= 0 and (us >= 0.013 or v <= us):
            slack = 1.1239 + 1.1328 / (b - 3.4)
            found = math.log(v) + math.log(slack) - math.log(a / (us * us) + b)
            taken = found <= n * math.log(mean) - mean - math.lgamma(n + 1.0)
        if taken:
            out[place] = int(n)
        else:
            left[rejected] = place
            rejected += 1
    return rejected


def fill_loop(runs: Any, cell_of_run: Any, drawn: Any) -> None:
    """Add single cases, given by their runs, to the cells."""
    for k in range(runs.shape[0]):
        drawn[cell_of_run[runs[k]]] += 1


def statistics_loop(
    negatives: Any, positives: Any, alarm: float, miss: float, rates: Any, found: Any
) -> None:
    """AUC, equal error rate, the same on the hull, and least cost of one replicate.

    `rates` holds the two error rates at each cut, `found` the four numbers.
    """
    size = negatives.shape[0]
    n0, n1 = negatives.sum(), positives.sum()
    part0, part1 = 1.0 / n0, 1.0 / n1
    rates[0, 0], rates[1, 0] = 0.0, 1.0
    below = upto = 0
    area = 0.0
    least = alarm
    cut = size
    lowest = 1.0
    furthest = 0
    for k in range(size):
        area += positives[k] * (2.0 * below + negatives[k])
        below += negatives[k]
        upto += positives[k]
        missed, alarms = upto * part1, (n0 - below) * part0
        rates[0, k + 1], rates[1, k + 1] = missed, alarms
        least = min(least, miss * missed + alarm * alarms)
        if missed + alarms < lowest:
            lowest, furthest = missed + alarms, k + 1
        if cut == size and missed >= alarms:
            cut = k + 1
    found[0] = area / (2.0 * n0 * n1)
    found[3] = least
    left, right = cut - 1, cut
    for kind in range(1, 3):
        if kind == 2:  # on the hull: the point furthest below the chord splits it
            left, right = 0, size
            if lowest < 1.0 - 1e-15:
                if rates[0, furthest] >= rates[1, furthest]:
                    right = furthest
                else:
                    left = furthest
            while lowest < 1.0 - 1e-15 and right - left > 1:
                x, y = rates[1, left], rates[0, left]
                dx, dy = x - rates[1, right], rates[0, right] - y
                bottom = 0.0
                split = left
                for k in range(left + 1, right):
                    height = (rates[0, k] - y) * dx - (x - rates[1, k]) * dy
                    if height < bottom:
                        bottom, split = height, k
                if bottom >= -1e-15:
                    break
                if rates[0, split] >= rates[1, split]:
                    right = split
                else:
                    left = split
        start, end = rates[0, left] - rates[1, left], rates[0, right] - rates[1, right]
        found[kind] = rates[0, left]
        if end != start:
            found[kind] -= start / (end - start) * (rates[0, right] - rates[0, left])
