"""Work on many scores: by compiled loops where they pay, by arrays where they do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.compiled import compiled, pays
from stakes._kernels.scores import score_loops as scores_loops
from stakes._kernels.scores.label_runs import Runs, label_runs, split_classes, summed
from stakes._kernels.scores.roc import hull_vertices


def sorted_classes(
    scores: NDArray[np.floating[Any]], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """The scores of the first and of the second class, each in ascending order."""
    if not pays(scores.shape[0]):
        return split_classes(scores, positive)
    n_second = int(np.count_nonzero(positive))
    first = np.empty(scores.shape[0] - n_second + 1, dtype=scores.dtype)
    second = np.empty(n_second + 1, dtype=scores.dtype)
    compiled(scores_loops.split_loop)(scores, positive, first, second)
    first, second = first[:-1], second[:-1]
    first.sort()
    second.sort()
    return first, second


def runs(
    negatives: NDArray[np.floating[Any]],
    positives: NDArray[np.floating[Any]],
    negative_counts: NDArray[Any] | None,
    positive_counts: NDArray[Any] | None,
) -> Runs:
    """Label runs of two sorted classes; see `scores_runs.label_runs`."""
    if not pays(negatives.shape[0] + positives.shape[0]):
        return label_runs(negatives, positives, negative_counts, positive_counts)
    size = 2 * min(negatives.shape[0], positives.shape[0]) + 1
    counts = np.empty((2, size), dtype=np.int64)
    ends = np.empty((2, size), dtype=np.result_type(negatives, positives))
    used = compiled(scores_loops.merge_loop)(negatives, positives, *counts, *ends)
    cases = (
        part[:used] if weights is None else summed(weights, part[:used])
        for part, weights in zip(counts, (negative_counts, positive_counts), strict=True)
    )
    return Runs(*cases, *(part[:used] for part in ends))


def hull(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Vertices of the lower convex hull; see `roc_hull.hull_vertices`."""
    overflows = x.dtype.kind == "i" and int(x[-1]) * int(y[-1]) >= 2**62
    if overflows or not pays(x.shape[0]):
        return hull_vertices(x, y)
    kept = np.empty(x.shape[0], dtype=np.intp)
    size = compiled(scores_loops.hull_loop)(x, y, kept)
    return kept[:size].copy()


_BLOCK = 1 << 15


def softplus(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 + exp(z)) without overflow; infinite z gives 0 or inf."""
    return np.asarray(np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z))))


def softplus_sum(
    scores: NDArray[np.floating[Any]], sign: float, shift: float, counts: NDArray[Any] | None
) -> float:
    """Sum, weighted by `counts`, of log(1 + exp(sign * score + shift))."""
    total = 0.0
    for start in range(0, scores.shape[0], _BLOCK):
        z = scores[start : start + _BLOCK].astype(np.float64)
        z *= sign
        z += shift
        rest = np.abs(z)
        np.negative(rest, out=rest)
        np.exp(rest, out=rest)
        np.log1p(rest, out=rest)
        np.maximum(z, 0.0, out=z)
        z += rest
        total += float(z.sum() if counts is None else z @ counts[start : start + _BLOCK])
    return total
