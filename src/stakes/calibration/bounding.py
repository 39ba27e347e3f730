"""How far scores are trusted: no farther from the best of their case than a bound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.calibration.scores import Scores

__all__ = ["bounded"]


def bounded(scores: Scores, option: float | str, bound: float | None) -> tuple[Scores, float]:
    """Scores moved to the bound, infinite ones too, and the bound, learnt where none is known."""
    if scores.table is None:
        odds = np.asarray(scores.odds)
        if bound is None:
            bound = _bound_from(np.abs(odds), option)
        return Scores(None, np.clip(odds, -bound, bound), scores.rows), bound
    best = scores.table.max(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        table = np.subtract(scores.table, best, dtype=np.float64)
    if bound is None:
        bound = _bound_from(-table, option)
    return Scores(np.maximum(table, -bound), None, scores.rows), bound


def _bound_from(distances: NDArray[Any], option: float | str) -> float:
    """The bound itself, or for "data" log 2 beyond the largest finite distance."""
    if option != "data":
        return float(option)
    finite = distances[np.isfinite(distances)]
    return float(finite.max(initial=0.0)) + float(np.log(2.0))
