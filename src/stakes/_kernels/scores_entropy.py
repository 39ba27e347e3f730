"""Sums of log(1 + exp(z)) over many scores, in blocks that stay in the cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["softplus", "softplus_sum"]

_BLOCK = 1 << 15


def softplus(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 + exp(z)) without overflow; infinite z gives 0 or inf."""
    return np.asarray(np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z))))


def softplus_sum(
    scores: NDArray[np.floating[Any]], sign: float, shift: float, counts: NDArray[Any] | None
) -> float:
    """Sum, weighted by `counts`, of log(1 + exp(sign * score + shift))."""
    total = 0.0
    for start in range(0, scores.shape[0], _BLOCK):
        z = scores[start : start + _BLOCK].astype(np.float64)
        z *= sign
        z += shift
        rest = np.abs(z)
        np.negative(rest, out=rest)
        np.exp(rest, out=rest)
        np.log1p(rest, out=rest)
        np.maximum(z, 0.0, out=z)
        z += rest
        total += float(z.sum() if counts is None else z @ counts[start : start + _BLOCK])
    return total
