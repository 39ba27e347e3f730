"""Did shares change between two samples? Likelihood ratios.

The test compares twice the drop in log likelihood, when the two samples must agree, with the
chi-squared distribution. Score tests (Pearson) are far too sure when a sample is compared with a
much larger one and few events are expected in it: three events where 0.1 are expected have
probability 1.5e-4, Pearson's statistic says 5e-20, the likelihood ratio 1.3e-4.

Arrays have shape (n_tests, n_strata, n_cells).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["chance_of", "equal_shares"]

Floats = NDArray[np.float64]


def equal_shares(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Statistic and degrees of freedom, (S,), of equal shares within each stratum of two samples.

    A stratum that is empty in either sample tells nothing; cells empty in both do not count.
    """
    totals = first.sum(axis=2), second.sum(axis=2)
    used = (totals[0] > 0) & (totals[1] > 0)
    both = first + second
    shares = both / np.maximum(both.sum(axis=2, keepdims=True), 1.0)
    drop = np.zeros(first.shape[0])
    for counts, total in zip((first, second), totals, strict=True):
        expected = shares * total[:, :, None]
        parts = _times_log(counts, expected).sum(axis=2)
        drop += np.where(used, parts, 0.0).sum(axis=1)
    cells = np.maximum((both > 0).sum(axis=2) - 1, 0)
    freedom = np.where(used, cells, 0).sum(axis=1).astype(np.float64)
    return np.maximum(2.0 * drop, 0.0), freedom


def chance_of(statistic: Floats, freedom: Floats) -> Floats:
    """Probability of such a statistic or a larger one; 1 without degrees of freedom."""
    from scipy.special import chdtrc

    some = np.asarray(freedom) > 0
    return np.asarray(np.where(some, chdtrc(np.where(some, freedom, 1.0), statistic), 1.0))


def _times_log(counts: Floats, expected: Floats) -> Floats:
    """counts x log(counts / expected), zero where there is no count."""
    filled = counts > 0
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=filled & (expected > 0))
    return np.asarray(np.where(filled, counts * np.log(ratio), 0.0))
