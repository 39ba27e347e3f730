"""The Bayes rule when each case has its own costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import refuse_bad_posteriors, same_length
from stakes._kernels.bayes import case_margins, code_type, least_cost
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
    array = array.astype(np.float64, copy=False)
    if array.ndim == 1:
        array = np.column_stack([1 - array, array])
    same_length("posteriors", array.shape[0], "costs", len(cases))
    codes = np.empty(array.shape[0], dtype=code_type(n_decisions))
    paid = np.empty(array.shape[0])
    for rows in blocks(array.shape[0], max(1, (1 << 17) // (n_classes * n_decisions))):
        lowest = cases.values[rows].min(axis=2)
        kept = cases.values[rows] - lowest[:, :, None]
        expected = np.einsum("nk,nkm->mn", array[rows], kept)
        margins = case_margins(kept)
        best = least_cost(expected + margins, codes[rows])
        added = np.take_along_axis(margins, codes[rows][None].astype(np.intp), axis=0)[0]
        paid[rows] = best - added + np.einsum("nk,nk->n", array[rows], lowest)
    return (codes, paid) if with_cost else codes
