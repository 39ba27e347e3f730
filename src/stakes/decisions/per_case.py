"""The Bayes rule when each case has its own costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import refuse_bad_posteriors, same_length
from stakes._kernels.bayes import code_type, first_least, rounding_of_sums
from stakes._kernels.blocks import blocks
from stakes.application import CaseCosts
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.reading import posterior_array

__all__ = ["decide_per_case"]


def decide_per_case(
    posteriors: Any, costs: Any, order: ClassOrder, *, with_cost: bool
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """See `stakes.bayes_decisions`; `costs` is CaseCosts or an array (n, K, M)."""
    cases = costs if isinstance(costs, CaseCosts) else CaseCosts(costs)
    n_classes, n_decisions = cases.values.shape[1:]
    array = posterior_array(posteriors, cases.classes, order)
    refuse_bad_posteriors(array)
    margin = rounding_of_sums(n_classes, array.dtype.name)
    array = array.astype(np.float64, copy=False)
    if array.ndim == 1:
        array = np.column_stack([1 - array, array])
    same_length("posteriors", array.shape[0], "costs", len(cases))
    codes = np.empty(array.shape[0], dtype=code_type(n_decisions))
    paid = np.empty(array.shape[0])
    for rows in blocks(array.shape[0], max(1, (1 << 17) // (n_classes * n_decisions))):
        costs_here = cases.values[rows]
        expected = np.einsum("nk,nkm->mn", array[rows], costs_here)
        sizes = expected
        if costs_here.min() < 0:
            sizes = np.einsum("nk,nkm->mn", array[rows], np.abs(costs_here))
        codes[rows] = first_least(expected, sizes, margin)
        taken = codes[rows][None].astype(np.intp)
        paid[rows] = np.take_along_axis(expected, taken, axis=0)[0]
    return (codes, paid) if with_cost else codes
