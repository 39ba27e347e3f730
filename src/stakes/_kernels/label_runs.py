"""Two sorted classes of scores merged into label runs, without sorting their cases again.

A label run is a stretch of consecutive scores that belong to one class; a score that both
classes share is a run of its own with both counts. Rank statistics see nothing else, and
there are at most twice as many runs as cases of the smaller class, plus one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.fast_loops import blocks

#: Number of neighbouring pairs compared first, to see whether repeats are common.
_PROBES = 1 << 14


class Runs(NamedTuple):
    """Cases of each class, and the lowest and highest score, of each run; scores ascend."""

    negatives: NDArray[Any]
    positives: NDArray[Any]
    lowest: NDArray[np.floating[Any]]
    highest: NDArray[np.floating[Any]]


def split_classes(
    scores: NDArray[np.floating[Any]], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """The scores of the first and of the second class, each in ascending order."""
    n_second = int(np.count_nonzero(positive))
    first = np.empty(scores.shape[0] - n_second, dtype=scores.dtype)
    second = np.empty(n_second, dtype=scores.dtype)
    i = j = 0
    for rows in blocks(scores.shape[0]):
        part, mask = scores[rows], positive[rows]
        chosen, others = np.flatnonzero(mask), np.flatnonzero(~mask)
        np.take(part, others, out=first[i : i + others.shape[0]], mode="clip")
        np.take(part, chosen, out=second[j : j + chosen.shape[0]], mode="clip")
        i, j = i + others.shape[0], j + chosen.shape[0]
    first.sort()
    second.sort()
    return first, second


def label_runs(
    negatives: NDArray[np.floating[Any]],
    positives: NDArray[np.floating[Any]],
    negative_counts: NDArray[Any] | None,
    positive_counts: NDArray[Any] | None,
) -> Runs:
    """Merge by looking the distinct scores of the smaller class up in the larger one."""
    first, second = (negatives, negative_counts), (positives, positive_counts)
    swapped = positives.shape[0] <= negatives.shape[0]
    (small, of_small), (large, of_large) = (second, first) if swapped else (first, second)
    few, many, lowest, highest = _merged(small, large, of_small, of_large)
    return Runs(*((many, few) if swapped else (few, many)), lowest, highest)


def _merged(
    small: NDArray[np.floating[Any]],
    large: NDArray[np.floating[Any]],
    small_counts: NDArray[Any] | None,
    large_counts: NDArray[Any] | None,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Counts of the small and of the large class, lowest and highest score of each run."""
    if small.shape[0] == 0:
        return _one_class(large, large_counts)
    start, left, shared = _openings(small, large)
    stop = np.append(start[1:], small.shape[0])
    right = left.copy()
    right[shared] = np.searchsorted(large, small[start[shared]], side="right")
    rows = 2 * start.shape[0] + 1
    bounds = np.zeros(rows + 1, dtype=np.intp)  # of each run, in the large class
    bounds[1:-1:2], bounds[2:-1:2], bounds[-1] = left, right, large.shape[0]
    small_bounds = np.zeros(rows + 1, dtype=np.intp)
    small_bounds[2::2], small_bounds[3::2] = stop, stop
    lowest, highest = np.empty(rows, dtype=small.dtype), np.empty(rows, dtype=small.dtype)
    lowest[1::2], highest[1::2] = small[start], small[stop - 1]
    lowest[0::2] = np.take(large, bounds[0:-1:2], mode="clip")
    highest[0::2] = large[bounds[1::2] - 1]
    counts = stretch_sums(small_counts, small_bounds), stretch_sums(large_counts, bounds)
    kept = _filled(bounds[1::2] > bounds[0:-1:2], rows)
    return counts[0][kept], counts[1][kept], lowest[kept], highest[kept]


def _filled(gaps: NDArray[np.bool_], rows: int) -> slice | NDArray[np.bool_]:
    """Which runs hold cases: a slice if only those at the ends may be empty, else a mask."""
    if gaps[1:-1].all():
        return slice(0 if gaps[0] else 1, rows if gaps[-1] else rows - 1)
    kept = np.ones(rows, dtype=bool)
    kept[0::2] = gaps
    return kept


def _openings(
    small: NDArray[np.floating[Any]], large: NDArray[np.floating[Any]]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """Where runs of the small class begin, how many of the large lie below, and whether tied."""
    parts: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    before, was_tied, low = -1, False, 0
    for rows in blocks(small.shape[0]):
        values = small[rows]
        high = int(np.searchsorted(large, values[-1], side="right"))
        nearby = large[low:high]
        below = np.searchsorted(nearby, values, side="left")
        if high > low:
            tied = np.take(nearby, below, mode="clip") == values
        else:
            tied = np.zeros(values.shape[0], dtype=bool)
        opens = np.empty(values.shape[0], dtype=bool)
        opens[0] = below[0] + low != before or bool(tied[0]) != was_tied
        np.not_equal(below[1:], below[:-1], out=opens[1:])
        if tied.any():
            opens[1:] |= tied[1:] != tied[:-1]
        starts = np.flatnonzero(opens)
        parts.append((starts + rows.start, below[starts] + low, tied[starts]))
        before, was_tied = int(below[-1]) + low, bool(tied[-1])
        low = before
    start, left, shared = (np.concatenate(part) for part in zip(*parts, strict=True))
    return start, left, shared


def _one_class(
    values: NDArray[np.floating[Any]], counts: NDArray[Any] | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """One run that holds every case, or none when there is none."""
    total = np.array([values.shape[0] if counts is None else counts.sum()])[: values.shape[0]]
    return np.zeros_like(total), total, values[:1].copy(), values[-1:].copy()


def _starts(values: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
    """Where each distinct value of a sorted array begins."""
    fresh = np.empty(values.shape[0], dtype=bool)
    fresh[:1] = True
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    return np.flatnonzero(fresh)


def stretch_sums(counts: NDArray[Any] | None, bounds: NDArray[np.intp]) -> NDArray[Any]:
    """Cases between consecutive bounds; without counts every entry is one case.

    Sums are not differences of cumulative sums, so an empty stretch gives exactly 0.
    """
    if counts is None:
        return np.diff(bounds)
    sums = np.zeros(bounds.shape[0] - 1, dtype=counts.dtype)
    filled = np.flatnonzero(bounds[1:] > bounds[:-1])
    if filled.size:
        sums[filled] = np.add.reduceat(counts[: bounds[-1]], bounds[filled])
    return sums


def summed(counts: NDArray[Any], lengths: NDArray[np.int64]) -> NDArray[Any]:
    """Sums of consecutive blocks of counts."""
    return stretch_sums(counts, np.concatenate((np.zeros(1, dtype=np.intp), np.cumsum(lengths))))


def distinct_scores(
    negatives: NDArray[np.floating[Any]],
    positives: NDArray[np.floating[Any]],
    negative_counts: NDArray[Any] | None,
    positive_counts: NDArray[Any] | None,
) -> tuple[NDArray[np.floating[Any]], NDArray[Any], NDArray[Any]]:
    """Distinct scores, ascending, with the cases of each class at each of them."""
    values = np.sort(np.concatenate((negatives, positives)))
    values = values[_starts(values)]
    counted = []
    for scores, counts in ((negatives, negative_counts), (positives, positive_counts)):
        bounds = np.concatenate(([0], np.searchsorted(scores, values, side="right")))
        counted.append(stretch_sums(counts, bounds))
    return values, counted[0], counted[1]


def compressed(
    values: NDArray[np.floating[Any]],
) -> tuple[NDArray[np.floating[Any]], NDArray[Any] | None]:
    """Sorted values as distinct ones with counts when at least half are repeats."""
    step = max(1, values.shape[0] // _PROBES)
    probe = values[:-1:step] == values[1::step][: values[:-1:step].shape[0]]
    if 3 * np.count_nonzero(probe) < probe.shape[0]:
        return values, None  # far from half: no need to look at every value
    fresh = 1 + np.count_nonzero(values[1:] != values[:-1])
    if values.shape[0] < 2 * fresh:
        return values, None
    first = _starts(values)
    return values[first], np.diff(np.append(first, values.shape[0]))


def merged_scores(
    values: NDArray[np.floating[Any]], counts: NDArray[Any]
) -> tuple[NDArray[np.floating[Any]], NDArray[Any]]:
    """Distinct values in ascending order with the sums of their counts; zeros are left out."""
    kept = counts > 0
    values, counts = values[kept], counts[kept]
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    first = _starts(values)
    return values[first], np.add.reduceat(counts, first) if first.size else counts


def rounded_down(values: NDArray[np.float64], dtype: Any) -> NDArray[np.floating[Any]]:
    """Thresholds in the type of the scores, such that `score > threshold` stays the same."""
    with np.errstate(over="ignore"):
        near = values.astype(dtype)
        return np.where(near > values, np.nextafter(near, near.dtype.type(-np.inf)), near)
