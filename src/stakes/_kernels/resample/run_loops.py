"""Loops over label runs that Numba compiles; plain Python, so that they can be read and tested.

They repeat what `run_bootstrap` and `poisson_counts` do with whole arrays. Random numbers are
drawn outside, so that both ways make the same draws from the same seed.
"""

from __future__ import annotations

import math
from typing import Any


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
