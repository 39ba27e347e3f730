"""The exact paired test: had the two systems swapped places in each case, how often as large?

Whether an outcome is as large as the one found is a question of ties, and costs of 1 and 1e12 leave
no room for a tolerance on the sums. They are formed in floats, and again in integers where they are
near. Where sizes are floats, a tie may miss by the rounding of those in which outcomes differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["binomial_shares", "paired_p_value"]

Floats = NDArray[np.float64]
Rows = Callable[[NDArray[np.intp]], NDArray[np.int64]]

#: Up to this many outcomes the distribution is listed in full, beyond it sampled.
_LISTED = 1_000_000
#: Sizes are rounded by less than one part in this many.
_ROUNDING = 2**50


def binomial_shares(n: int) -> Floats:
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
    disagreement are binomial with one half. Listed in full when there are few outcomes,
    otherwise sampled, the sample counting itself. Fractions are sizes without rounding.
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
            shares = (shares[:, None] * binomial_shares(n)).ravel()

        def listed(rows: NDArray[np.intp]) -> NDArray[np.int64]:
            heads = np.unravel_index(rows, [n + 1 for n in pairs])
            return np.asarray(np.stack(heads, axis=1) * 2 - np.array(pairs))

        large = _as_large(values, listed, units, leads, pairs, rounded)
        return min(1.0, float(shares[large].sum())), True
    steps = 2 * rng.binomial(pairs, 0.5, size=(draws, len(pairs))) - np.array(pairs)
    large = _as_large(steps @ numbers, lambda rows: steps[rows], units, leads, pairs, rounded)
    return float((1 + np.count_nonzero(large)) / (draws + 1)), False


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
    """Which sums are as large as that of `leads`, either way; near ones again in integers."""
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
