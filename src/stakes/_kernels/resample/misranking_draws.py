"""Random utilities and random tables, and how often two rankings differ over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Array: TypeAlias = NDArray[np.float64]


def _utilities_at(x: Array, y: Array) -> Array:
    """Utilities (n, 2, 2), rows true classes, at points of the plane of utility matrices."""
    table = np.empty((x.shape[0], 2, 2))
    table[:, 0, 0] = 1 - np.maximum(x, 0)
    table[:, 0, 1] = np.maximum(-y, 0)
    table[:, 1, 0] = np.maximum(y, 0)
    table[:, 1, 1] = 1 - np.maximum(-x, 0)
    return table


def uniform_utilities(n: int, rng: np.random.Generator) -> Array:
    """Points drawn uniformly from the part of the plane where errors are not rewarded."""
    return _kept(n, lambda size: rng.uniform(-1, 1, size=(2, size)))


def truncated_normal_utilities(n: int, rng: np.random.Generator, sd: float = 1 / 3) -> Array:
    """Points drawn around accuracy with this standard deviation, cut off at the edges."""
    return _kept(n, lambda size: rng.normal(0, sd, size=(2, size)))


def _kept(n: int, draw: Callable[[int], Array]) -> Array:
    """Draw until `n` points lie inside the plane."""
    xs, ys, found = [], [], 0
    while found < n:
        x, y = draw(2 * (n - found) + 16)
        inside = (np.abs(y - x) < 1) & (np.abs(x) <= 1) & (np.abs(y) <= 1)
        xs.append(x[inside])
        ys.append(y[inside])
        found += xs[-1].size
    return _utilities_at(np.concatenate(xs)[:n], np.concatenate(ys)[:n])


def random_tables(
    n: int, n_classes: int, n_decisions: int, rng: np.random.Generator, priors: Array | None
) -> tuple[Array, Array]:
    """Pairs of tables of the same data, in shares of all cases; rows true classes.

    Class shares are uniform on the simplex unless `priors` fixes them, (K,) or (n, K). Each
    class is decided rightly at a rate 0.5 + 0.5 Beta(2, 1); what is left is spread uniformly
    over the other decisions.
    """
    if priors is None:
        if n_classes == 2:
            first = rng.random(n)
            shares = np.stack([first, 1 - first], axis=1)
        else:
            shares = rng.dirichlet(np.ones(n_classes), size=n)
    else:
        shares = np.broadcast_to(priors, (n, n_classes))
    pair = []
    for _ in range(2):
        right = 0.5 + 0.5 * np.sqrt(rng.random((n, n_classes)))
        table = np.empty((n, n_classes, n_decisions))
        for i in range(n_classes):
            others = [j for j in range(n_decisions) if j != i]
            table[:, i, i] = right[:, i]
            wrong = 1 - right[:, i]
            if len(others) == 1:
                table[:, i, others[0]] = wrong
            else:
                spread = rng.dirichlet(np.ones(len(others)), size=n)
                table[:, i, others] = wrong[:, None] * spread
        table *= shares[:, :, None]
        pair.append(table)
    return pair[0], pair[1]


def yields(tables: Array, utilities: Array) -> Array:
    """Average utility of each table; one utility matrix per table, or one for all."""
    product = tables * utilities
    return np.asarray(product.reshape(product.shape[0], -1).sum(axis=1))


def misranked(true_gap: Array, other_gap: Array) -> NDArray[np.bool_]:
    """Whether two differences fail to have the same strict sign; ties and `nan` count."""
    with np.errstate(invalid="ignore"):
        agree = ((true_gap > 0) & (other_gap > 0)) | ((true_gap < 0) & (other_gap < 0))
    return np.asarray(~agree)


#: A normal of this standard deviation is uniform between 0 and 1, to 12 digits.
_FLAT = 1e6


def disturbed(utilities: Array, sd: float, rng: np.random.Generator) -> Array:
    """Utilities with normal errors, given that all lie in [0, 1] and none rewards errors.

    Each cell is drawn from the normal cut off at 0 and 1; matrices in which a wrong decision
    is better than the right one are drawn again.
    """
    if sd == 0:
        return utilities
    diagonal = np.arange(min(utilities.shape[1:]))
    result = np.empty_like(utilities)
    waiting = np.arange(utilities.shape[0])
    while waiting.size:
        centre = utilities[waiting]
        trial = rng.random(centre.shape)
        if sd < _FLAT:
            low, high = ndtr(-centre / sd), ndtr((1 - centre) / sd)
            trial = centre + sd * ndtri(low + (high - low) * trial)
            np.clip(trial, 0.0, 1.0, out=trial)
        right = trial[:, diagonal, diagonal]
        fine = (trial[:, : diagonal.size] <= right[:, :, None]).all(axis=(1, 2))
        result[waiting[fine]] = trial[fine]
        waiting = waiting[~fine]
    return result
