"""The loops that Numba compiles; plain Python, so that they can be read and tested without it.

They repeat what `scores_runs` and `roc_hull` do with whole arrays, in one
pass each. `scores_compiled` decides when they are used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
