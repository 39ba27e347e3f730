"""Scores of K classes laid out for repeated passes, and the sums the fits need.

Scores lie in columns of cases, shape (K, n), so that reductions over classes run along whole
rows of memory. Each case's scores are moved so that the largest is 0 (or so that their
exponentials add to 1). The fits measure scales in units of one over the spread of the scores,
so that tolerances mean the same whatever their unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ClassScores",
    "block_length",
    "class_sums",
    "lay_out",
    "margins",
    "smoothed_sums",
    "softmax_blocks",
    "weighted_sums",
]

BLOCK_ELEMENTS = 1 << 16
MIN_BLOCK = 2048
#: Log-posteriors that differ by no more than this differ by rounding alone.
ROUNDING = 1e-13

Floats = NDArray[np.float64]


class ClassScores(NamedTuple):
    """`values` (K, n), their `spread`; `barred` (K, n) marks impossible classes, or None.

    `centres` (K,) were taken off the scores; without them the largest score of a case is 0.
    """

    values: Floats
    barred: NDArray[np.bool_] | None
    spread: float
    centres: Floats | None = None

    def rows(self, part: slice) -> ClassScores:
        """Some of the cases, copied."""
        barred = None if self.barred is None else np.ascontiguousarray(self.barred[:, part])
        values = np.ascontiguousarray(self.values[:, part])
        return ClassScores(values, barred, self.spread, self.centres)

    def vary(self) -> bool:
        """Whether the scores of any two cases differ."""
        return self.barred is not None or any(
            bool((part != self.values[:, :1]).any()) for part in (self.values[:, :100], self.values)
        )


def weighted_sums(codes: NDArray[Any], weights: Floats, size: int = 0) -> Floats:
    """Sum of weights by code, in float64."""
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64, copy=False)


def block_length(size: int) -> int:
    """Cases per block for K = `size` classes."""
    return max(MIN_BLOCK, BLOCK_ELEMENTS // size)


def lay_out(
    scores: NDArray[np.floating[Any]], *, normalised: bool = False, centred: bool = False
) -> ClassScores:
    """Transpose (n, K) scores to (K, n) in float64; minus infinity becomes a barred class.

    Per case the largest score becomes 0; with `normalised` the scores become log-posteriors,
    with `centred` less the median of each class, so that one which never changes is exactly 0.
    """
    count, size = scores.shape
    values = np.empty((size, count))
    lowest = 0.0
    for start in range(0, count, block_length(size)):
        part = values[:, start : start + block_length(size)]
        part[...] = scores[start : start + block_length(size)].T
        part -= part.max(axis=0)
        if normalised:
            part -= np.log(np.exp(part).sum(axis=0))
        lowest = min(lowest, float(part.min()))
    barred = None
    if not np.isfinite(lowest):
        barred = np.isneginf(values)
        values[barred] = 0.0
    centres = _centred(values, barred) if centred else None
    return ClassScores(values, barred, _spread(values[:, :: 1 + count // 10_000]), centres)


def _centred(values: Floats, barred: NDArray[np.bool_] | None) -> Floats:
    """Take the median off each row of possible scores, in place, and return the medians."""
    centres = np.zeros(len(values))
    for k, row in enumerate(values):
        kept = row if barred is None else row[~barred[k]]
        if kept.size:
            centres[k] = np.median(kept)
            still = np.abs(kept - centres[k]).max() <= ROUNDING * (1.0 + abs(centres[k]))
            row[...] = 0.0 if still else row - centres[k]
    return centres


def _spread(values: Floats) -> float:
    """Root mean square, unless a few scores far below the rest (masks of -1e9) make it up."""
    if not values.size:
        return 1.0
    size, lowest = len(values), float(-values.min()) or 1.0
    spread = lowest * float(np.sqrt(np.mean((values / lowest) ** 2)))
    few = np.ascontiguousarray(values[:, :: 1 + values.shape[1] // 500].T)
    second, first = np.partition(few, size - 2, axis=1)[:, size - 2 :].T
    lead = (first - second)[first > second]
    if lead.size:
        spread = min(spread, 100.0 * float(np.median(lead)))
    return spread if spread > 0.0 else 1.0


def class_sums(scores: ClassScores, targets: NDArray[np.intp], weights: Floats) -> Floats:
    """Row 0: summed score of the true class; row 1: summed weight; per class, shape (2, K)."""
    size = len(scores.values)
    own = scores.values[targets, np.arange(len(targets))]
    return np.stack(
        [
            np.bincount(targets, weights=own * weights, minlength=size),
            np.bincount(targets, weights=weights, minlength=size),
        ]
    )


def smoothed_sums(
    scores: ClassScores, targets: NDArray[np.intp], weights: Floats, counts: Floats
) -> Floats:
    """Sums when each case of class i gives 1/(N_i + K) of itself to every possible class.

    For two classes these are Platt's targets, (N_1 + 1)/(N_1 + 2) and 1/(N_0 + 2).
    """
    size = len(scores.values)
    leak = weights / (counts[targets] + size)
    if scores.barred is None:
        sums = class_sums(scores, targets, weights - size * leak)
        sums[1] += leak.sum()
    else:
        possible = ~scores.barred
        sums = class_sums(scores, targets, weights - possible.sum(axis=0) * leak)
        sums[1] += possible @ leak
    sums[0] += scores.values @ leak
    return sums


def softmax_blocks(
    scores: ClassScores,
    weights: Floats,
    scales: Floats | float,
    biases: Floats,
    buffer: Floats | None = None,
) -> Iterator[tuple[Floats, Floats, Floats, Floats, float]]:
    """Yield per block: scores, posteriors times totals, totals, weights, summed log totals.

    The posteriors share one buffer, the first K rows of the one given: they may be overwritten
    and do not outlive their turn.
    """
    size, count = scores.values.shape
    safe = (
        bool(np.all(np.asarray(scales) >= 0.0))
        and float(np.ptp(biases)) < 300.0
        and scores.barred is None
        and scores.centres is None
    )
    length = min(block_length(size), count)
    if buffer is None:
        buffer = np.empty((size, length))
    factors = scales if isinstance(scales, float) else scales[:, None]
    for start in range(0, count, length):
        part = scores.values[:, start : start + length]
        mass = weights[start : start + length]
        logits = buffer[:size, : part.shape[1]]
        np.multiply(part, factors, out=logits)
        if biases.any():
            logits += biases[:, None]
        if scores.barred is not None:
            logits[scores.barred[:, start : start + length]] = -np.inf
        shift = np.zeros(1) if safe else logits.max(axis=0)
        if not safe:
            logits -= shift
        np.exp(logits, out=logits)
        total = logits.sum(axis=0)
        yield part, logits, total, mass, float(np.einsum("j,j->", np.log(total) + shift, mass))


def margins(
    scores: ClassScores, targets: NDArray[np.intp], scales: Floats, biases: Floats
) -> float:
    """Smallest lead of the true class over the best other class, over all cases."""
    size, count = scores.values.shape
    length, least = block_length(size), np.inf
    for start in range(0, count, length):
        stop = min(start + length, count)
        logits = scores.values[:, start:stop] * scales[:, None] + biases[:, None]
        if scores.barred is not None:
            logits[scores.barred[:, start:stop]] = -np.inf
        index = np.arange(stop - start)
        own = logits[targets[start:stop], index]
        logits[targets[start:stop], index] = -np.inf
        least = min(least, float((own - logits.max(axis=0)).min()))
        if least <= 0.0:
            break
    return least
