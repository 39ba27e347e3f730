"""Loops that are fast: arrays in pieces that fit the cache, and plain Python that Numba compiles
where it pays.

The array code of `cell_counts`, `label_runs`, `roc_hull` and `run_bootstrap` is always right and
always there. The same work as compiled loops is used when Numba is installed (the extra `fast`)
and pays for its import and compilation: from `_LARGE` cases on, or from `MEDIUM` when the program
has imported Numba itself. The variable STAKES_FAST set to 0 forbids it, to 1 demands it whatever
the size. Random numbers are drawn outside the loops, so that both ways make the same draws from
the same seed.
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


# Why Numba is never needed: docs/design/architecture.md.
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
    """A power of two to divide by, and to multiply results by; 1 if the largest is ordinary.

    Powers of two change only the exponents, so that nothing is rounded.
    """
    largest = max((float(np.abs(each).max()) for each in arrays if each.size), default=0.0)
    if largest == 0 or not math.isfinite(largest):
        return 1.0
    exponent = math.frexp(largest)[1]
    return 1.0 if -_ORDINARY < exponent <= _ORDINARY else math.ldexp(1.0, exponent - 1)


def merge_loop(
    negatives: Any, positives: Any, in_negatives: Any, in_positives: Any, low: Any, high: Any
) -> int:
    """Merge two sorted classes into label runs in the last four arrays; return their number.

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


def hull_loop(x: Any, y: Any, kept: NDArray[np.intp]) -> int:
    """Indices of the vertices of the lower convex hull of ascending points, as a stack."""
    size = 0
    for k in range(len(x)):
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

    Each run is written, but only a hit advances the position: there is no branch to mispredict.
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


def poisson_loop(cells: Any, shares: Any, aliases: Any, draws: Any, out: Any) -> None:
    """Poisson counts of the cells that have a row in the tables, from uniform numbers."""
    rows, width = shares.shape
    for place in range(cells.shape[0]):
        cell = min(cells[place], rows - 1)
        x = draws[place] * width
        column = int(x)
        out[place] = column if x - column < shares[cell, column] else aliases[cell, column]


def fill_loop(runs: Any, cell_of_run: Any, drawn: Any) -> None:
    """Add single cases, given by their runs, to the cells."""
    for k in range(runs.shape[0]):
        drawn[cell_of_run[runs[k]]] += 1


def ranks_loop(negatives: Any, positives: Any, found: Any) -> None:
    """AUC and equal error rate of one replicate, written to `found`."""
    n0, n1 = negatives.sum(), positives.sum()
    below = upto = 0
    area = 0.0
    missed, alarms, missed_before, alarms_before = 0.0, 1.0, 0.0, 1.0
    for k in range(negatives.shape[0]):
        area += positives[k] * (2.0 * below + negatives[k])
        below += negatives[k]
        upto += positives[k]
        if missed < alarms:
            missed_before, alarms_before = missed, alarms
            missed, alarms = upto / n1, (n0 - below) / n0
    start, end = missed_before - alarms_before, missed - alarms
    found[0], found[1] = area / (2.0 * n0 * n1), missed_before
    if end != start:
        found[1] -= start / (end - start) * (missed - missed_before)
