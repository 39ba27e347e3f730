"""How far two orders of the same things agree: Spearman, and Spearman weighted to the top."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from stakes._kernels.weighted_ranks import chance_moments, standardised, weighted_rank_correlation
from stakes.exceptions import DataError
from stakes.typing import FloatArray

__all__ = ["rank_correlation", "weighted_spearman"]


def weighted_spearman(first: Any, second: Any, *, top: Literal["high", "low"] = "high") -> float:
    r"""Spearman correlation that looks at the top ranks more, standardised for chance.

    Each thing weighs 1/(a + 2)^2 + 1/(b + 2)^2, with a and b its two ranks from the top. The
    weighted correlation is negative on average for things in random order; the standardised
    one is brought close to 0 there, and keeps -1 and 1.

    Parameters
    ----------
    first, second : columns of float
        Values of the same things, at least 3; ties share their mean rank.
    top : {"high", "low"}
        Whether rank 1, which weighs most, is the highest or the lowest value.

    Returns
    -------
    float
        At most 1; `nan` when one of the columns is constant.

    Notes
    -----
    The constants are exact for up to 8 things and fitted polynomials in 1/n above, as published;
    with them chance has a mean of about -0.01 for 201 things, not exactly 0.

    References
    ----------
    .. [1] "Standardization of weighted ranking correlation coefficients", arXiv:2504.08428,
       2025; used by "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 4.1.

    Examples
    --------
    >>> round(weighted_spearman([1, 2, 3, 4], [10, 20, 30, 40]), 6)
    1.0
    >>> best_right = weighted_spearman([1, 2, 3, 4, 5], [2, 1, 3, 4, 5])
    >>> best_right > weighted_spearman([1, 2, 3, 4, 5], [1, 2, 3, 5, 4])
    True
    """
    if top not in ("high", "low"):
        raise DataError(f"`top` must be 'high' or 'low'; got {top!r}.")
    a, b = _columns(first, second)
    sign = -1.0 if top == "high" else 1.0
    value = float(weighted_rank_correlation(_ranks(sign * a), _ranks(sign * b)))
    return value if np.isnan(value) else standardised(value, chance_moments(a.size))


def rank_correlation(first: Any, second: Any, *, kind: Literal["spearman", "weighted"] = "spearman",
                     top: Literal["high", "low"] = "high") -> float:  # fmt: skip
    """Rank correlation of two columns.

    Parameters
    ----------
    first, second : columns of float
        Values of the same things, at least 3.
    kind : {"spearman", "weighted"}
        Spearman's, or `weighted_spearman`.
    top : {"high", "low"}
        For "weighted": where the weight lies.

    Returns
    -------
    float
        Between -1 and 1; `nan` when one of the columns is constant.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 4.

    Examples
    --------
    >>> rank_correlation([1, 2, 3], [10, 30, 20])
    0.5
    """
    if kind == "weighted":
        return weighted_spearman(first, second, top=top)
    if kind != "spearman":
        raise DataError(f"`kind` must be 'spearman' or 'weighted'; got {kind!r}.")
    a, b = (_ranks(column) for column in _columns(first, second))
    a, b = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread > 0 else float("nan")


def _columns(first: Any, second: Any) -> tuple[FloatArray, FloatArray]:
    """Two columns of the same length without `nan`."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or a.size < 3:
        raise DataError(
            f"rank correlation needs two columns of the same length, at least 3; got shapes "
            f"{a.shape} and {b.shape}."
        )
    if np.isnan(a).any() or np.isnan(b).any():
        raise DataError("rank correlation needs values that are not nan.")
    return a, b


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1, ties sharing their mean."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), dtype=np.float64)
