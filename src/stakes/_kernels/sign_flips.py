"""The exact paired test: had the two systems swapped places in each case, how often as large?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.scaling import ordinary_scale

__all__ = ["binomial_shares", "paired_p_value"]

#: Up to this many outcomes the distribution is listed in full, beyond it sampled.
_LISTED = 1_000_000


def binomial_shares(n: int) -> NDArray[np.float64]:
    """Probabilities of 0, ..., n heads of a fair coin."""
    from scipy.special import gammaln

    k = np.arange(n + 1)
    return np.asarray(np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * np.log(2)))


def paired_p_value(
    wins: NDArray[Any],
    losses: NDArray[Any],
    sizes: NDArray[np.float64],
    *,
    draws: int,
    rng: np.random.Generator,
) -> tuple[float, bool]:
    """Two-sided p-value of sum(sizes x (wins - losses)), and whether it is exact.

    Under the hypothesis that the systems are exchangeable, the wins of each kind of
    disagreement are binomial with one half. Listed in full when there are few outcomes,
    otherwise sampled, the sample counting itself.
    """
    pairs = np.asarray(wins + losses, dtype=np.int64)
    kept = (pairs > 0) & (sizes != 0)
    wins, pairs, sizes = np.asarray(wins)[kept], pairs[kept], np.asarray(sizes)[kept]
    if pairs.shape[0] == 0:
        return 1.0, True
    sizes = sizes / ordinary_scale(sizes)
    found = abs(float((sizes * (2 * wins - pairs)).sum()))
    slack = 1e-9 * float((np.abs(sizes) * pairs).sum())
    outcomes = float(np.prod(pairs + 1.0))
    if outcomes <= _LISTED:
        values, shares = np.zeros(1), np.ones(1)
        for n, size in zip(pairs.tolist(), sizes.tolist(), strict=True):
            step = size * (2 * np.arange(n + 1) - n)
            values = (values[:, None] + step).ravel()
            shares = (shares[:, None] * binomial_shares(n)).ravel()
        return min(1.0, float(shares[np.abs(values) >= found - slack].sum())), True
    drawn = rng.binomial(pairs, 0.5, size=(draws, pairs.shape[0]))
    sums = np.abs((2 * drawn - pairs) @ sizes)
    return float((1 + np.count_nonzero(sums >= found - slack)) / (draws + 1)), False
