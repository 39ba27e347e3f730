"""The ROC curve and its convex hull, sums of log(1 + exp), and thresholds chosen on folds."""

from __future__ import annotations

import bisect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels import fast_loops as scores_loops
from stakes._kernels.fast_loops import compiled, hull_loop, pays
from stakes._kernels.label_runs import Runs, label_runs, summed

#: Below this many points, or when a pass removes little, a stack is quicker than whole arrays.
_SMALL = 64


def cumulative(counts: NDArray[Any]) -> NDArray[Any]:
    """Sums of the first 0, 1, 2, ... counts."""
    sums = np.empty(counts.shape[0] + 1, dtype=counts.dtype)
    sums[0] = 0
    np.cumsum(counts, out=sums[1:])
    return sums


def hull_vertices(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Indices of the vertices of the lower convex hull, both ends included.

    A point on or above the segment between its neighbours is no vertex, whether or not the
    neighbours are; so each pass drops all such points at once. A stack does the rest.
    """
    if _may_overflow(x, y):
        x, y = x.astype(np.float64), y.astype(np.float64)
    kept = np.arange(x.shape[0], dtype=np.intp)
    px, py = x, y
    while kept.shape[0] > _SMALL:
        dx, dy = np.diff(px), np.diff(py)
        vertex = np.ones(kept.shape[0], dtype=bool)
        np.greater(dx[:-1] * dy[1:], dy[:-1] * dx[1:], out=vertex[1:-1])
        left = np.flatnonzero(vertex)
        kept, px, py = kept[left], px[left], py[left]
        if (vertex.shape[0] - left.shape[0]) * 16 < vertex.shape[0]:
            break
    stack = np.empty(kept.shape[0], dtype=np.intp)
    size = hull_loop(x[kept].tolist(), y[kept].tolist(), stack)  # a loop reads lists faster
    return kept[stack[:size]]


def _may_overflow(x: NDArray[Any], y: NDArray[Any]) -> bool:
    """Whether a product of two totals may leave 64-bit integers."""
    return x.dtype.kind == "i" and int(x[-1]) * int(y[-1]) >= 2**62


def ranked_pairs(negatives: NDArray[Any], positives: NDArray[Any]) -> float:
    """Share of (negative, positive) pairs in the right order, ties half; runs ascend."""
    n0, n1 = negatives.sum(), positives.sum()
    exact = negatives.dtype.kind == "i" and positives.dtype.kind == "i"
    if not exact or 2 * int(n0) * int(n1) >= 2**62:
        negatives, positives = negatives.astype(np.float64), positives.astype(np.float64)
        n0, n1 = negatives.sum(), positives.sum()
    below = np.cumsum(negatives)
    below *= 2
    below -= negatives  # twice the cases below, plus once those at the same score
    return float(np.dot(below, positives) / (2 * n0 * n1))


def rates_meet(
    below_first: NDArray[Any], below_second: NDArray[Any]
) -> tuple[float, int, int, float]:
    """Where the miss rate reaches the false alarm rate, on straight lines between cuts.

    Returns the common rate, the cuts on both sides, and how far it lies between them.
    """
    n0, n1 = float(below_first[-1]), float(below_second[-1])

    def gap(k: int) -> float:  # ascends from -1 to 1
        return float(below_second[k] / n1 - (n0 - below_first[k]) / n0)

    right = bisect.bisect_left(range(below_first.shape[0]), 0.0, key=gap)
    left = max(right - 1, 0)
    step = 0.0 if right == left else -gap(left) / (gap(right) - gap(left))
    miss = below_second[left] / n1, below_second[right] / n1
    return float(miss[0] + step * (miss[1] - miss[0])), left, right, step


def area_between(x: NDArray[np.float64], y: NDArray[np.float64], low: float, high: float) -> float:
    """Area under straight lines through ascending points, between two abscissas."""
    left, right = np.maximum(x[:-1], low), np.minimum(x[1:], high)
    kept = right > left
    left, right, x0, y0 = left[kept], right[kept], x[:-1][kept], y[:-1][kept]
    slope = (y[1:][kept] - y0) / (x[1:][kept] - x0)
    heights = 2 * y0 + slope * (left + right - 2 * x0)
    return float(np.sum(heights * (right - left)) / 2)


def runs(
    negatives: NDArray[np.floating[Any]],
    positives: NDArray[np.floating[Any]],
    negative_counts: NDArray[Any] | None,
    positive_counts: NDArray[Any] | None,
) -> Runs:
    """Label runs of two sorted classes: those of `label_runs`, by a compiled loop if it pays."""
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
    """Vertices of the lower convex hull: `hull_vertices`, by a compiled loop if it pays."""
    if _may_overflow(x, y) or not pays(x.shape[0]):
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


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def best_decisions(
    negatives: NDArray[Any], positives: NDArray[Any], costs: Floats, priors: Floats
) -> NDArray[np.intp]:
    """The decision of least cost for each run, monotone in the score, at these class priors."""
    below = cumulative(negatives), cumulative(positives)
    vertices = hull(*below)
    blocks = np.stack([np.diff(part[vertices]) for part in below], axis=1).astype(np.float64)
    totals = np.maximum([below[0][-1], below[1][-1]], 1)
    chosen = np.argmin(blocks * (priors / totals) @ costs, axis=1)
    return np.repeat(chosen, np.diff(vertices))


def _split_folds(counts: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """Divide cases at random into folds as equal as can be: the counts of each, (folds, R)."""
    left = counts.copy()
    total = int(counts.sum())
    parts = np.empty((folds, counts.shape[0]), dtype=np.int64)
    for k in range(folds - 1):
        size = total // folds + (k < total % folds)
        parts[k] = rng.multivariate_hypergeometric(left, size, method="marginals")
        left -= parts[k]
    parts[-1] = left
    return parts


def _by_one_cut(
    negatives: Ints, positives: Ints, costs: Floats, priors: Floats
) -> NDArray[np.intp] | None:
    """The same as `best_decisions` for rows of counts (F, R) when one threshold is optimal."""
    if costs.shape[1] != 2 or costs[0, 1] < costs[0, 0] or costs[1, 0] < costs[1, 1]:
        return None
    acting = (costs[:, 1] - costs[:, 0]) * priors
    gain = acting[0] * negatives / np.maximum(negatives.sum(axis=1, keepdims=True), 1)
    gain += acting[1] * positives / np.maximum(positives.sum(axis=1, keepdims=True), 1)
    above = np.zeros((gain.shape[0], gain.shape[1] + 1))
    above[:, :-1] = np.cumsum(gain[:, ::-1], axis=1)[:, ::-1]
    first = above.argmin(axis=1)  # of equal cuts, halfway between the lowest and the highest
    last = above.shape[1] - 1 - above[:, ::-1].argmin(axis=1)
    cut = (first + last + 1) // 2
    return np.asarray(np.arange(gain.shape[1]) >= cut[:, None], dtype=np.intp)


def cross_fitted_counts(
    negatives: Ints,
    positives: Ints,
    costs: Floats,
    priors: Floats,
    *,
    folds: int,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Cases by class and decision, (2, M), each decided by a rule learnt without its fold.

    Averaged over `draws` random divisions into folds.
    """
    table = np.zeros(costs.shape)
    for _ in range(draws):
        held = [_split_folds(counts, folds, rng) for counts in (negatives, positives)]
        kept = negatives - held[0], positives - held[1]
        chosen = _by_one_cut(*kept, costs, priors)
        if chosen is None:
            rules = [best_decisions(a, b, costs, priors) for a, b in zip(*kept, strict=True)]
            chosen = np.stack(rules)
        for k, part in enumerate(held):
            table[k] += np.bincount(chosen.ravel(), part.ravel(), minlength=costs.shape[1])
    return table / draws
