"""Permutation tests: sums moved between two samples, and systems swapped case by case."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.fast_loops import blocks
from stakes._kernels.optimise.newton import bracketed_roots

Floats = NDArray[np.float64]

_STEEPEST = 60.0  # tilts beyond this mean that the sum lies at the end of what is possible
_NEWTON = 60


class _Draws(NamedTuple):
    """Cells (S, I, J) of both samples, what one case adds to the sum, and the share drawn."""

    cells: Floats
    steps: Floats
    share: Floats
    drawn: Floats


def permuted_sums(first: Floats, second: Floats, weights: Floats) -> Floats:
    """Two-sided probability, (S,), of a difference of sums this large if nothing changed.

    The sum of a sample is that of `weights` x shares within strata; arrays have shape
    (n_tests, n_strata, n_cells). Strata that are empty in either sample are left out.
    """
    n_first, n_second = (x.sum(axis=2, keepdims=True) for x in (first, second))
    used = (n_first > 0) & (n_second > 0)
    both = np.where(used, first + second, 0.0)
    share = np.where(used, n_second / np.maximum(n_first + n_second, 1.0), 0.5)
    each = np.where(used, 1 / np.maximum(n_first, 1.0) + 1 / np.maximum(n_second, 1.0), 0.0)
    steps = np.broadcast_to(weights, both.shape) * each
    totals = np.maximum(both.sum(axis=2, keepdims=True), 1.0)
    steps = steps - (both * steps).sum(axis=2, keepdims=True) / totals
    spread = (share * (1 - share) * both * steps**2).sum(axis=(1, 2))
    unit = np.sqrt(np.where(spread > 0, spread, 1.0))
    steps = steps / unit[:, None, None]
    found = (np.where(used, second, 0.0) * steps).sum(axis=(1, 2))
    draws = _Draws(both, steps, share, np.where(used, n_second, 0.0))
    above, below = _tail(draws, found), _tail(draws._replace(steps=-steps), -found)
    p = np.minimum(1.0, 2.0 * np.minimum(above, below))
    return np.asarray(np.where(spread > 0, p, 1.0))


def _tail(draws: _Draws, found: Floats) -> Floats:
    """Probability of this sum or a larger one; one half or more where it lies below its mean."""
    from scipy.special import ndtr

    reach = np.where(draws.cells > 0, np.abs(draws.steps), 0.0).max(axis=(1, 2))
    steepest = _STEEPEST / np.where(reach > 0, reach, 1.0)

    def short(tilt: Floats) -> Floats:
        chance = _tilted(draws, tilt, _levels(draws, tilt))  # the expected sum minus the observed
        # one
        return np.asarray((draws.cells * draws.steps * chance).sum(axis=(1, 2)) - found)

    tilt = bracketed_roots(short, np.zeros_like(found), steepest, tolerance=1e-9)
    level = _levels(draws, tilt)
    root = np.sqrt(np.maximum(2 * _drop(draws, tilt, level, found), 0.0))
    slope = tilt * np.sqrt(np.maximum(_flatness(draws, tilt, level), 0.0))
    at_end = short(steepest) <= 1e-7 * steepest.clip(1e-300) ** -1
    inside = (root > 1e-4) & (slope > 1e-12)
    safe = np.where(inside, root, 1.0)
    density = np.exp(-0.5 * safe**2) / np.sqrt(2 * np.pi)
    curved = ndtr(-safe) - density * (1 / safe - 1 / np.where(inside, slope, 1.0))
    end = np.exp(-0.5 * root**2)  # exact where only one outcome is as far out
    p = np.where(inside & ~at_end, np.clip(curved, 0.0, end), np.where(at_end, end, 0.5))
    return np.asarray(np.where(found > 0, p, 1.0))


def _tilted(draws: _Draws, tilt: Floats, level: Floats) -> Floats:
    """Probability that a case of each cell is drawn, under a tilt (S,) and levels (S, I, 1)."""
    lean = tilt[:, None, None] * draws.steps + level
    odds = np.log(draws.share / (1 - draws.share)) + lean
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _levels(draws: _Draws, tilt: Floats) -> Floats:
    """The levels that keep the number of cases drawn from each stratum as it was."""
    lean = tilt[:, None, None] * draws.steps
    filled = draws.cells > 0
    low = -np.where(filled, lean, -np.inf).max(axis=2, keepdims=True)
    high = -np.where(filled, lean, np.inf).min(axis=2, keepdims=True)
    empty = ~filled.any(axis=2, keepdims=True)
    low, high = np.where(empty, 0.0, low), np.where(empty, 0.0, high)
    level = np.clip(0.0, low, high)
    for _ in range(_NEWTON):
        chance = _tilted(draws, tilt, level)
        gap = (draws.cells * chance).sum(axis=2, keepdims=True) - draws.drawn
        if bool((np.abs(gap) <= 1e-11 * np.maximum(draws.drawn, 1.0)).all()):
            break
        low, high = np.where(gap < 0, level, low), np.where(gap > 0, level, high)
        slope = (draws.cells * chance * (1 - chance)).sum(axis=2, keepdims=True)
        moved = level - gap / np.maximum(slope, 1e-300)
        level = np.where((moved > low) & (moved < high), moved, (low + high) / 2)
    return np.asarray(level, dtype=np.float64)


def _drop(draws: _Draws, tilt: Floats, level: Floats, found: Floats) -> Floats:
    """How far the log likelihood falls without the tilt."""
    lean = tilt[:, None, None] * draws.steps + level
    grown = np.logaddexp(np.log1p(-draws.share), np.log(draws.share) + lean)
    used = tilt * found + (level * draws.drawn).sum(axis=(1, 2))
    return np.asarray(used - (draws.cells * grown).sum(axis=(1, 2)))


def _flatness(draws: _Draws, tilt: Floats, level: Floats) -> Floats:
    """Ratio of the determinants of the second derivatives, with and without the tilt."""
    chance = _tilted(draws, tilt, level)
    heavy = draws.cells * chance * (1 - chance)
    counts = heavy.sum(axis=2)
    cross = (heavy * draws.steps).sum(axis=2)
    filled = counts > 0
    bent = np.divide(cross**2, counts, out=np.zeros_like(counts), where=filled)
    inner = (heavy * draws.steps**2).sum(axis=(1, 2)) - bent.sum(axis=1)
    before = (draws.cells * draws.share * (1 - draws.share)).sum(axis=2)
    ratio = np.divide(counts, before, out=np.ones_like(counts), where=before > 0)
    return np.asarray(inner * ratio.prod(axis=1))


Rows = Callable[[NDArray[np.intp]], NDArray[np.int64]]

#: Up to this many outcomes the distribution is listed in full, beyond it sampled.
_LISTED = 1_000_000
#: Numbers of disagreements that are drawn at a time.
_AT_ONCE = 4_000_000
#: Sizes given as floats are rounded by less than one part in this many.
_ROUNDING = 2**50


def _binomial_shares(n: int) -> Floats:
    """Probabilities of 0, ..., n heads of a fair coin."""
    from scipy.special import gammaln

    k = np.arange(n + 1)
    return np.asarray(np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * np.log(2)))


def paired_p_value(
    wins: Sequence[int] | NDArray[Any],
    losses: Sequence[int] | NDArray[Any],
    sizes: Sequence[Fraction | float] | Floats,
    *,
    draws: int,
    rng: np.random.Generator,
) -> tuple[float, bool]:
    """Two-sided p-value of sum(sizes x (wins - losses)), and whether it is exact.

    Under the hypothesis that the systems are exchangeable, the wins of each kind of
    disagreement are binomial with one half. The outcomes are listed in full if they are few, and
    sampled otherwise, with the observed one in the sample. Fractions are sizes without rounding.
    """
    units, leads, pairs = _kinds(wins, losses, sizes)
    if not units:
        return 1.0, True
    rounded = not all(isinstance(size, Fraction) for size in sizes)
    numbers = np.array([float(Fraction(u, max(units))) for u in units])  # at most 1
    if math.prod(n + 1 for n in pairs) <= _LISTED:
        values, shares = np.zeros(1), np.ones(1)
        for n, size in zip(pairs, numbers.tolist(), strict=True):
            values = (values[:, None] + size * (2 * np.arange(n + 1) - n)).ravel()
            shares = (shares[:, None] * _binomial_shares(n)).ravel()

        def listed(rows: NDArray[np.intp]) -> NDArray[np.int64]:
            heads = np.unravel_index(rows, [n + 1 for n in pairs])
            return np.asarray(np.stack(heads, axis=1) * 2 - np.array(pairs))

        large = _as_large(values, listed, units, leads, pairs, rounded)
        return min(1.0, float(shares[large].sum())), True
    times = 0
    for part in blocks(draws, max(1, _AT_ONCE // len(pairs))):
        size = part.stop - part.start
        steps = 2 * rng.binomial(pairs, 0.5, size=(size, len(pairs))) - np.array(pairs)
        drawn = partial(np.take, steps, axis=0)
        found = _as_large(steps @ numbers, drawn, units, leads, pairs, rounded)
        times += int(np.count_nonzero(found))
    return float((1 + times) / (draws + 1)), False


def _kinds(wins: Any, losses: Any, sizes: Any) -> tuple[list[int], list[int], list[int]]:
    """The distinct sizes in their common unit, with wins less losses, and pairs, of each."""
    found: dict[Fraction, list[int]] = {}
    for won, lost, size in zip(wins, losses, map(Fraction, sizes), strict=True):
        place = found.setdefault(abs(size), [0, 0])
        place[0] += int(won - lost) if size > 0 else int(lost - won)
        place[1] += int(won + lost)
    kept = {size: place for size, place in found.items() if size and place[1]}
    unit = math.lcm(*(size.denominator for size in kept))
    leads, pairs = ([place[k] for place in kept.values()] for k in (0, 1))
    return [int(size * unit) for size in kept], leads, pairs


def _as_large(
    sums: Floats, rows: Rows, units: list[int], leads: list[int], pairs: list[int], rounded: bool
) -> NDArray[np.bool_]:
    """Which sums are as large as that of `leads`, of either sign; near ties by integers."""
    most = sum(u * n for u, n in zip(units, pairs, strict=True))
    lead = sum(u * each for u, each in zip(units, leads, strict=True))
    found = abs(lead)
    at = float(Fraction(found, max(units)))
    slack = 4 * (len(units) + 8) * np.finfo(float).eps * float(Fraction(most, max(units)))
    large = np.abs(sums) >= at
    near = np.flatnonzero(np.abs(np.abs(sums) - at) <= slack)
    kind = np.int64 if most < 2**62 else object
    for part in np.array_split(near, 1 + near.size // 100_000):
        steps = rows(part)
        exact = steps.astype(kind) @ np.array(units, dtype=kind)
        large[part] = np.abs(exact) >= found
        if not rounded:
            continue
        less = np.flatnonzero(np.abs(exact) < found)
        signs = np.where((exact[less] > 0) == (lead > 0), 1, -1)
        apart = np.abs(steps[less] - signs[:, None] * np.array(leads)).astype(object) @ units
        large[part[less]] = (found - np.abs(exact[less]).astype(object)) * _ROUNDING <= apart
    return np.asarray(large)
