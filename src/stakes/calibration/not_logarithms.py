"""Refusing probabilities where logarithms are read: they would be taken at their word."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError, PosteriorError

__all__ = [
    "FEW_CASES",
    "looks_like_probabilities",
    "mostly_outside",
    "refuse_exact_rows",
    "refuse_probabilities",
    "refuse_probability_rows",
]

#: What rounding puts outside of [0, 1]; and how far exact rows may be from adding to 1.
_SLACK, _EXACT = 1e-3, 1e-5
#: Share of the rows that must add to 1.
_MOST = 0.95
#: With fewer rows, sums must be exact: logits may add to about 1 by chance.
_FEW_ROWS = 5
#: With fewer cases, or values, a column of scores may lie in [0, 1] by chance.
FEW_CASES, _FEW_VALUES = 20, 3


def refuse_exact_rows(table: NDArray[Any], name: str) -> None:
    """Raise when every row of a table adds to 1 to the last digit, as probabilities do."""
    if not _within(table, _EXACT):
        return
    if bool((np.abs(table.sum(axis=1, dtype=np.float64) - 1.0) < _EXACT).all()):
        raise _no_logarithms(table, name, "add to 1")


def refuse_probability_rows(table: NDArray[Any], name: str) -> None:
    """Raise when the rows of a table look like probabilities, also after rounding."""
    if not _within(table, _SLACK):
        return
    sums = table.sum(axis=1, dtype=np.float64)
    exact = bool((np.abs(sums - 1.0) < _EXACT).all())
    rounded = 0.005 * table.shape[1]  # to two digits; of many classes small ones may all vanish
    near = (sums > 0.99 - min(rounded, 0.5)) & (sums < 1.01 + min(rounded, 0.09))
    if exact or (len(table) >= _FEW_ROWS and near.mean() >= _MOST):
        found = "add to 1" if exact else f"{int(near.sum())} of them add to about 1"
        raise _no_logarithms(table, name, found)


def refuse_probabilities(odds: NDArray[Any], name: str, hint: str) -> None:
    """Raise when one score per case looks like a probability; `hint` says what to type."""
    if not looks_like_probabilities(odds):
        return
    raise DataError(
        f"`{name}` must be log odds; all {len(odds)} lie in [0, 1], from {odds.min():.3g} to "
        f"{odds.max():.3g}, like probabilities.",
        hint=hint,
    )


def looks_like_probabilities(odds: NDArray[Any]) -> bool:
    """Whether many cases have one score each, of several values, and all lie in [0, 1]."""
    if len(odds) < FEW_CASES or not _within(odds, _SLACK):
        return False
    return any(len(np.unique(part)) >= _FEW_VALUES for part in (odds[:100], odds))


def mostly_outside(odds: NDArray[Any]) -> bool:
    """Whether many cases have one score each, and most of these lie outside [0, 1]."""
    if len(odds) < FEW_CASES:
        return False
    return bool(((odds < -_SLACK) | (odds > 1.0 + _SLACK)).mean() > 0.5)


def _no_logarithms(table: NDArray[Any], name: str, found: str) -> PosteriorError:
    """That the rows of a table are probabilities, and what to pass."""
    return PosteriorError(
        f"`{name}` must be logarithms (log-posteriors or logits); all {len(table)} rows lie "
        f"in [0, 1] and {found}, so they are probabilities.",
        hint="probabilities: Posteriors(p), or np.log(p); logits all the same: "
        "Posteriors.from_logits(scores)",
    )


def _within(values: NDArray[Any], slack: float) -> bool:
    """Whether there are values, and all lie in [0, 1]; the first ones mostly tell."""
    for part in (values[:100], values):
        if not part.size or part.min() < -slack or part.max() > 1.0 + slack:
            return False
    return True
