"""The cheapest mixtures of the corners of several hulls whose rates stay close to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Corners with a smaller share than this are dropped.
_NEVER = 1e-9
_EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def hull_mixtures(
    costs: Sequence[Floats],
    rates: Sequence[Floats],
    weights: Floats,
    *,
    ratio: float | None = None,
    difference: float | None = None,
) -> tuple[list[Floats], float] | None:
    """The share of each corner of each hull, and the marginal cost of the limit.

    For hull g, `costs[g]` holds the cost of each corner and `rates[g]` (limits, corners) the rates
    that are limited. The lowest of each rate must be at least `ratio` of the highest, or they may
    differ by at most `difference`. None where no mixture keeps the limit.

    Variables are the shares of all corners, then the lowest and the highest of each rate.
    """
    from scipy.optimize import linprog

    starts = np.cumsum([0, *(cost.size for cost in costs)])
    n_corners, n_limits = int(starts[-1]), len(rates[0])
    prices = [w * (cost - cost.min()) for w, cost in zip(weights, costs, strict=True)]
    scale = max(float(price.max()) for price in prices) or 1.0
    sizes = np.abs(np.concatenate(rates, axis=1)).max(axis=1)
    sizes[sizes == 0] = 1.0
    objective = np.concatenate([*prices, np.zeros(2 * n_limits)]) / scale
    rows, bounds = _limit_rows(rates, starts, sizes)
    first = 1.0 if ratio is None else ratio
    for j in range(n_limits):  # first * high - low <= difference
        low = n_corners + 2 * j
        rows += [(bounds + j, low, -1.0), (bounds + j, low + 1, first)]
    ends = np.zeros(bounds + n_limits)
    if difference is not None:
        ends[bounds:] = difference / sizes
    whole = [(g, k, 1.0) for g in range(len(costs)) for k in range(starts[g], starts[g + 1])]
    for options in (_EXACT, {}):  # the usual tolerances where the strict ones are out of reach
        done = linprog(
            objective,
            A_ub=_matrix(rows, (ends.size, objective.size)),
            b_ub=ends,
            A_eq=_matrix(whole, (len(costs), objective.size)),
            b_eq=np.ones(len(costs)),
            bounds=[(0, None)] * n_corners + [(None, None)] * (2 * n_limits),
            method="highs-ds",
            options=options,
        )
        if done.status in (0, 2):  # solved, or impossible
            break
    if done.status != 0:
        return None
    highest = done.x[n_corners + 1 :: 2]
    slopes = -done.ineqlin.marginals[bounds:] * scale
    price = float(slopes @ (highest if difference is None else 1 / sizes))
    parts = np.split(done.x[:n_corners], starts[1:-1])
    return [_mixture(part) for part in parts], max(0.0, price)


def _limit_rows(
    rates: Sequence[Floats], starts: NDArray[np.intp], sizes: Floats
) -> tuple[list[tuple[int, int, float]], int]:
    """Rows of low <= rate <= high, as (row, column, value), and how many there are."""
    found: list[tuple[int, int, float]] = []
    row = 0
    for start, rate in zip(starts[:-1].tolist(), rates, strict=True):
        for j, values in enumerate((rate / sizes[:, None]).tolist()):
            low = int(starts[-1]) + 2 * j
            for sign, bound in ((-1.0, low), (1.0, low + 1)):
                found += [(row, start + k, sign * value) for k, value in enumerate(values)]
                found.append((row, bound, -sign))
                row += 1
    return found, row


def _matrix(entries: list[tuple[int, int, float]], shape: tuple[int, int]) -> Any:
    """A sparse matrix from (row, column, value)."""
    from scipy.sparse import coo_array

    rows, columns, values = zip(*entries, strict=True)
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


def _mixture(shares: Floats) -> Floats:
    """Shares without those that are only rounding errors."""
    kept = np.where(shares > _NEVER, shares, 0.0)
    return np.asarray(kept / kept.sum())
