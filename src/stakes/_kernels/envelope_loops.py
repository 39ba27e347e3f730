"""The loop over lower envelopes that Numba compiles; plain Python, to be read and tested.

It repeats what `class_weights` does with whole arrays, case by case.
"""

from __future__ import annotations

import math
from typing import Any

__all__ = ["envelope_loop"]


def envelope_loop(
    fixed: Any, slope: Any, cost: Any, places: Any, changes: Any
) -> tuple[int, float]:
    """Follow each case's lowest line from weight 0 on; note where it changes, and the cost change.

    Returns the number of changes, of which there is room for one less than lines in each case,
    and the total cost at weight 0.
    """
    lines = fixed.shape[1]
    found = 0
    total = 0.0
    for n in range(fixed.shape[0]):
        own = 0
        for j in range(1, lines):
            lower = fixed[n, j] < fixed[n, own]
            if lower or (fixed[n, j] == fixed[n, own] and slope[n, j] < slope[n, own]):
                own = j
        total += cost[n, own]
        at = 0.0
        while True:
            where = math.inf
            after = own
            for j in range(lines):
                drop = slope[n, own] - slope[n, j]
                if drop > 0.0:
                    meet = (fixed[n, j] - fixed[n, own]) / drop
                    if meet < where or (meet == where and slope[n, j] < slope[n, after]):
                        where = meet
                        after = j
            if not where < math.inf:
                break
            at = max(at, where)
            places[found] = at
            changes[found] = cost[n, after] - cost[n, own]
            found += 1
            own = after
    return found, total
