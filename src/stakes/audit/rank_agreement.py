"""How far two orders of the same things agree: Spearman, and Spearman weighted to the top."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from stakes._columns import as_reals
from stakes._kernels.scores import rank_correlation as kernels
from stakes.exceptions import DataError
from stakes.typing import FloatArray

Kind: TypeAlias = Literal["spearman", "weighted"]
Top: TypeAlias = Literal["high", "low"]


def weighted_spearman(first: Any, second: Any, *, top: Top = "high") -> float:
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
    return rank_correlation(first, second, kind="weighted", top=top)


def rank_correlation(
    first: Any, second: Any, *, kind: Kind = "spearman", top: Top = "high"
) -> float:
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
    a, b = as_reals(first, "first"), as_reals(second, "second")
    if a.ndim != 1 or a.shape != b.shape or a.size < 3:
        raise DataError(
            f"rank correlation needs two columns of the same length, at least 3; got shapes "
            f"{a.shape} and {b.shape}."
        )
    return float(rank_correlations(a, b, kind=kind, top=top))


def rank_correlations(
    first: Any, second: Any, *, kind: Kind = "spearman", top: Top = "high"
) -> FloatArray:
    """Rank correlations of many pairs of columns at once.

    For experiments with thousands of rankings: every array is ranked once, then each column of
    the one meets each column of the other that broadcasting puts beside it.

    Parameters
    ----------
    first, second : arrays of shape (..., n)
        Columns lie along the last axis, of the same length n, at least 3; the axes before it
        broadcast.
    kind, top
        As for `rank_correlation`.

    Returns
    -------
    ndarray
        Of the broadcast shape without the last axis; `nan` where a column is constant.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 4.

    Examples
    --------
    >>> metrics = np.array([[[1, 2, 3]], [[3, 2, 1]]])  # 2 metrics
    >>> costs = np.array([[10, 20, 30], [10, 30, 20]])  # 2 cost ratios
    >>> rank_correlations(metrics, costs)
    array([[ 1. ,  0.5],
           [-1. , -0.5]])
    """
    if kind not in ("spearman", "weighted"):
        raise DataError(f"`kind` must be 'spearman' or 'weighted'; got {kind!r}.")
    if top not in ("high", "low"):
        raise DataError(f"`top` must be 'high' or 'low'; got {top!r}.")
    sign = -1.0 if top == "high" else 1.0
    a, b = sign * as_reals(first, "first"), sign * as_reals(second, "second")
    if min(a.ndim, b.ndim) < 1 or a.shape[-1] != b.shape[-1] or a.shape[-1] < 3:
        raise DataError(
            f"rank correlations need columns of the same length, at least 3; got shapes "
            f"{a.shape} and {b.shape}."
        )
    if np.isnan(a).any() or np.isnan(b).any():
        raise DataError("rank correlation needs values that are not nan.")
    return _paired(kernels.mean_ranks(a), kernels.mean_ranks(b), kind)


def _paired(a: FloatArray, b: FloatArray, kind: Kind) -> FloatArray:
    """Correlations of ranks, block by block so that the broadcast product is never held."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    a, b = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
    found = np.empty(shape[:-1])
    moments = kernels.chance_moments(shape[-1]) if kind == "weighted" else None
    for block in np.ndindex(shape[:-2]):
        if moments is None:
            found[block] = kernels.plain_rank_correlation(a[block], b[block])
        else:
            value = kernels.weighted_rank_correlation(a[block], b[block])
            found[block] = kernels.standardised(value, moments)
    return found
