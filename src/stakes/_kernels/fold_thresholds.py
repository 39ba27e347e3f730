"""Thresholds chosen on one part of the cases and judged on the rest, on label runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.roc_hull import cumulative
from stakes._kernels.scores_compiled import hull

__all__ = ["best_decisions", "cross_fitted_counts", "split_folds"]

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


def split_folds(counts: Ints, folds: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Divide cases at random into folds as equal as can be; yield the counts of each fold."""
    left = counts.copy()
    total = int(counts.sum())
    sizes = [total // folds + (k < total % folds) for k in range(folds)]
    for size in sizes[:-1]:
        part = rng.multivariate_hypergeometric(left, size, method="marginals")
        left = left - part
        yield part
    yield left


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
        parts = split_folds(negatives, folds, rng), split_folds(positives, folds, rng)
        for held0, held1 in zip(*parts, strict=True):
            chosen = best_decisions(negatives - held0, positives - held1, costs, priors)
            for k, held in enumerate((held0, held1)):
                table[k] += np.bincount(chosen, weights=held, minlength=costs.shape[1])
    return table / repeats
