"""Normalising log scores row by row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["log_softmax", "shift_log_priors"]


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
