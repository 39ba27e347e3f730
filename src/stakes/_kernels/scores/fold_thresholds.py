"""Thresholds chosen on one part of the cases and judged on the rest, on label runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.scores.compiled_scores import hull
from stakes._kernels.scores.roc import cumulative

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
    repeats: int,
    rng: np.random.Generator,
) -> Floats:
    """Cases by class and decision, (2, M), each decided by a rule learnt without its fold.

    Averaged over `repeats` random divisions into folds.
    """
    table = np.zeros(costs.shape)
    for _ in range(repeats):
        held = [_split_folds(counts, folds, rng) for counts in (negatives, positives)]
        kept = negatives - held[0], positives - held[1]
        chosen = _by_one_cut(*kept, costs, priors)
        if chosen is None:
            rules = [best_decisions(a, b, costs, priors) for a, b in zip(*kept, strict=True)]
            chosen = np.stack(rules)
        for k, part in enumerate(held):
            table[k] += np.bincount(chosen.ravel(), part.ravel(), minlength=costs.shape[1])
    return table / repeats
