"""Poisson counts of cells of whole sizes, by arrays or by a compiled loop, with equal draws.

Small cells look their count up in an alias table (Walker, 1977), larger ones use transformed
rejection (algorithm PTRS of Hoermann, 1993). The uniform numbers are drawn in whole arrays from
the generator, so that what is drawn does not depend on who does the arithmetic.

References
----------
W. Hoermann (1993), The transformed rejection method for generating Poisson random variables.
Insurance: Mathematics and Economics 12, 39-45.
A. J. Walker (1977), An efficient method for generating discrete random variables with general
distributions. ACM Transactions on Mathematical Software 3, 253-256.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.compiled import compiled
from stakes._kernels.run_loops import poisson_loop

__all__ = ["Rate", "poisson_counts", "rate_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Cells up to this size, exclusive, have a row in the table.
_ROWS = 128
#: Counts in a row; beyond lies less than rounding.
_WIDTH = 256
#: For fewer cells the table does not pay.
_FEW = 200


class Rate(NamedTuple):
    """Expected draws per case of a cell, and an alias table for cells of 0, 1, 2, ... cases."""

    value: float
    shares: Floats
    aliases: NDArray[np.int16]


@functools.lru_cache(maxsize=8)
def rate_of(value: float) -> Rate:
    """Prepare to draw with this many expected draws per case, at most 1."""
    counts = np.arange(_WIDTH)
    logs = np.array([math.lgamma(k + 1.0) for k in counts.tolist()])
    means = np.arange(_ROWS)[:, None] * value
    with np.errstate(divide="ignore", invalid="ignore"):
        law = np.where(counts > 0, np.exp(counts * np.log(means) - means - logs), np.exp(-means))
    law *= _WIDTH / law.sum(axis=1, keepdims=True)
    aliases = np.tile(counts.astype(np.int16), (_ROWS, 1))
    rows = np.arange(_ROWS)
    done = np.zeros((_ROWS, _WIDTH), dtype=bool)
    for _ in range(_WIDTH - 1):  # the column in least need is filled up by the fullest, row by row
        least = np.where(done, np.inf, law).argmin(axis=1)
        most = np.where(done, -np.inf, law).argmax(axis=1)
        done[rows, least] = True
        aliases[rows, least] = most
        law[rows, most] -= 1.0 - law[rows, least]
    law[~done] = 1.0
    return Rate(value, law, aliases)


def poisson_counts(
    cells: Ints, value: float, rng: np.random.Generator, out: Ints, *, fast: bool
) -> None:
    """Independent Poisson counts with means `value`, at most 1, times the whole numbers `cells`."""
    if cells.shape[0] < _FEW:
        out[:] = rng.poisson(cells * value)
        return
    rate = rate_of(value)
    large = np.flatnonzero(cells >= _ROWS)
    first: Floats = rng.random(cells.shape)
    second: Floats = rng.random(large.shape)
    if fast:
        left = np.empty(large.shape[0], dtype=np.intp)
        found = compiled(poisson_loop)(cells, *rate, first, second, out, left)
        left = left[:found]
    else:
        _looked_up(cells, rate, first, out)
        left = _by_rejection(value * cells[large], first[large], second, large, out)
    out[left] = rng.poisson(cells[left] * value)


def _looked_up(cells: Ints, rate: Rate, draws: Floats, out: Ints) -> None:
    """Counts of the small cells; those of the others are left for later."""
    x = draws * _WIDTH
    column = x.astype(np.int64)
    x -= column
    flat = np.minimum(cells, _ROWS - 1) * _WIDTH
    flat += column
    other = rate.aliases.ravel().take(flat)
    np.copyto(out, column)
    np.copyto(out, other, where=x >= rate.shares.ravel().take(flat))


def _by_rejection(
    mean: NDArray[Any], first: Floats, second: Floats, places: NDArray[np.intp], out: Ints
) -> NDArray[np.intp]:
    """Counts of the large cells, as in `run_loops.poisson_loop`; the places that were rejected."""
    b = 0.931 + 2.53 * np.sqrt(mean)
    a = -0.059 + 0.02483 * b
    u, v = first - 0.5, 1.0 - second
    us = np.maximum(0.5 - np.abs(u), 1e-20)
    count = np.floor((2.0 * a / us + b) * u + mean + 0.43)
    taken: NDArray[np.bool_] = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0))
    open_ = np.flatnonzero(~taken & (count >= 0) & ((us >= 0.013) | (v <= us)))
    taken[open_] = _accepted(mean[open_], count[open_], a[open_], b[open_], us[open_], v[open_])
    out[places[taken]] = count[taken]
    return places[~taken]


def _accepted(mean: Any, count: Any, a: Any, b: Any, us: Any, v: Any) -> Any:
    """The full test, where the quick one did not settle it."""
    from scipy.special import gammaln

    slack = np.log(v) + np.log(1.1239 + 1.1328 / (b - 3.4)) - np.log(a / (us * us) + b)
    return slack <= count * np.log(mean) - mean - gammaln(count + 1.0)
