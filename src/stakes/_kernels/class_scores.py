"""Scores of K classes laid out for repeated passes, and the sums the fits need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLOCK_ELEMENTS = 1 << 16
_MIN_BLOCK = 2048
#: Log-posteriors that differ by no more than this differ by rounding alone.
_ROUNDING = 1e-13

Floats = NDArray[np.float64]


class ClassScores(NamedTuple):
    """`values` (K, n), their `spread`; `barred` (K, n) marks impossible classes, or None.

    `centres` (K,) were subtracted from the scores; before that the largest score of a case is 0.
    Scores more than `far` below that are masks rather than scores. `held` (K,) marks classes that
    are barred in other cases: their scales are held positive as well.
    """

    values: Floats
    barred: NDArray[np.bool_] | None
    spread: float
    centres: Floats | None = None
    far: float = np.inf
    held: NDArray[np.bool_] | None = None

    def rows(self, part: NDArray[np.intp]) -> ClassScores:
        """Some of the cases, copied."""
        barred = None if self.barred is None else np.ascontiguousarray(self.barred[:, part])
        return self._replace(values=np.ascontiguousarray(self.values[:, part]), barred=barred)

    def possible(self) -> NDArray[np.bool_] | None:
        """Which scores are neither barred nor far below the best, (K, n); None for all of them."""
        values = self.values if self.centres is None else self.values + self.centres[:, None]
        if self.barred is None and float(values.min(initial=0.0)) >= -self.far:
            return None
        barred = np.zeros(values.shape, dtype=bool) if self.barred is None else self.barred
        near = ~barred & (values >= -self.far)
        return near if near.any(axis=1).all() else ~barred

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
    return max(_MIN_BLOCK, _BLOCK_ELEMENTS // size)


def binary_log_posteriors(log_odds: Floats) -> Floats:
    """Log-posteriors (n, 2) of log odds of the second class."""
    return np.column_stack([-np.logaddexp(0.0, log_odds), -np.logaddexp(0.0, -log_odds)])


def lay_out(
    scores: NDArray[np.floating[Any]],
    weights: Floats | None = None,
    *,
    normalised: bool = False,
    centred: bool = False,
) -> ClassScores:
    """Transpose (n, K) scores to (K, n) in float64; minus infinity becomes a barred class.

    Per case the largest score becomes 0; with `normalised` the scores become log-posteriors,
    with `centred` the median of each class is subtracted, so that a constant class is exactly 0.
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
    some, more = slice(None, None, 1 + count // 500), slice(None, None, 1 + count // 10_000)
    far = _far(values[:, some], None if weights is None else weights[some])
    centres = _centred(values, barred, weights) if centred else None
    spread = _spread(values[:, more], None if weights is None else weights[more])
    return ClassScores(values, barred, min(spread, far), centres, far)


def median(values: Floats, weights: Floats | None = None) -> float:
    """Weighted median; the middle of the two where exactly half lies below."""
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    low, high = np.searchsorted(below, 0.5 * below[-1] * np.array([1 - 1e-12, 1 + 1e-12]))
    return float(values[order[low]] + values[order[high]]) / 2.0


def _centred(values: Floats, barred: NDArray[np.bool_] | None, weights: Floats | None) -> Floats:
    """Take the median off each row of possible scores, in place, and return the medians."""
    centres = np.zeros(len(values))
    for k, row in enumerate(values):
        free = slice(None) if barred is None else ~barred[k]
        kept = row[free]
        if kept.size:
            centres[k] = median(kept, None if weights is None else weights[free])
            still = np.abs(kept - centres[k]).max() <= _ROUNDING * (1.0 + abs(centres[k]))
            row[...] = 0.0 if still else row - centres[k]
    return centres


def _spread(values: Floats, weights: Floats | None) -> float:
    """Root mean square."""
    lowest = float(np.abs(values).max(initial=0.0)) or 1.0
    if not values.size:
        return 1.0
    squares = (values / lowest) ** 2
    return lowest * float(np.sqrt(np.average(squares.mean(axis=0), weights=weights))) or 1.0


def _far(values: Floats, weights: Floats | None) -> float:
    """A hundred times the usual lead of the best score over the second."""
    if not values.size:
        return np.inf
    second, first = np.partition(values, len(values) - 2, axis=0)[-2:]
    ahead = first > second
    if not ahead.any():
        return np.inf
    return 100.0 * median((first - second)[ahead], None if weights is None else weights[ahead])


def class_sums(scores: ClassScores, targets: NDArray[np.intp], weights: Floats) -> Floats:
    """Row 0: summed score of the true class; row 1: summed weight; per class, shape (2, K)."""
    size = len(scores.values)
    own = scores.values[targets, np.arange(len(targets))]
    return np.stack([weighted_sums(targets, each, size) for each in (own * weights, weights)])


def doubts(counts: Floats) -> Floats:
    """The share that a case of each class gives to the other classes when targets are smoothed."""
    return np.asarray(2.0 / (len(counts) * (counts + 2.0)))


def smoothed_sums(
    scores: ClassScores, targets: NDArray[np.intp], weights: Floats, counts: Floats
) -> Floats:
    """`class_sums` when each case of class i gives 2 / (K (N_i + 2)) to other possible classes.

    For two classes these are Platt's targets, (N_1 + 1)/(N_1 + 2) and 1/(N_0 + 2); for more, the
    classes give away about two cases together as well, not one each. A class far below the best of
    its case, such as a mask of -1e9, gets nothing, unless some class would then never get anything.
    """
    size = len(scores.values)
    given = weights * doubts(counts)[targets]
    possible = scores.possible()
    if possible is None:
        leak = given / max(size - 1, 1)
        sums = class_sums(scores, targets, weights - given - leak)
        sums[1] += leak.sum()
        sums[0] += scores.values @ leak
        return sums
    possible[targets, np.arange(len(targets))] = True
    others = possible.sum(axis=0) - 1
    leak = np.where(others > 0, given / np.maximum(others, 1), 0.0)
    sums = class_sums(scores, targets, weights - (others + 1) * leak)
    sums[1] += possible @ leak
    sums[0] += np.einsum("ij,ij,j->i", scores.values, possible, leak)
    return sums


def spread_out(count: int, number: int) -> NDArray[np.intp]:
    """An ascending sample of `number` out of `count` places: a random one in each of equal parts.

    Regular steps could meet a single class where the classes alternate.
    """
    edges = np.arange(number) * count // number
    more = (np.arange(1, number + 1) * count // number) - edges
    return np.asarray(edges + (np.random.default_rng(0).random(number) * more).astype(np.intp))


def softmax_blocks(
    scores: ClassScores,
    weights: Floats,
    scales: Floats | float,
    biases: Floats,
    buffer: Floats | None = None,
) -> Iterator[tuple[Floats, Floats, Floats, Floats, float]]:
    """Yield per block: scores, posteriors times totals, totals, weights, summed log totals.

    All blocks share one buffer, the first K rows of `buffer` if given: the caller may overwrite
    the posteriors, and the next block does.
    """
    size, count = scores.values.shape
    safe = scores.barred is None and scores.centres is None
    safe &= bool(np.all(np.asarray(scales) >= 0.0)) and float(np.ptp(biases)) < 300.0
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


def log_softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-posteriors of (n, K) log scores; one infinite score takes all the probability."""
    top = scores.max(axis=1, keepdims=True)
    certain = np.isposinf(top[:, 0])
    if certain.any():
        scores = scores.copy()
        scores[certain] = np.where(np.isposinf(scores[certain]), 0.0, -np.inf)
        top = scores.max(axis=1, keepdims=True)
    shifted: NDArray[np.float64] = scores - top
    shifted -= np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return shifted


def shift_log_priors(
    logs: NDArray[np.float64], before: NDArray[np.float64], after: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Log scores under other priors, not yet normalised."""
    with np.errstate(divide="ignore"):
        moved: NDArray[np.float64] = logs + (np.log(after) - np.log(before))
    return moved
