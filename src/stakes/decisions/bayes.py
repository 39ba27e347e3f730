"""The Bayes rule: the decision of least expected cost."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from stakes._checks import refuse_bad_posteriors, sum_tolerance
from stakes._kernels.bayes import code_type, least_cost, margin_type, row_modes, tie_margins
from stakes._kernels.blocks import blocks
from stakes._kernels.intervals import decide_by_cuts, float_below, pieces
from stakes.application import Application, CaseCosts, CostMatrix
from stakes.decisions.per_case import decide_per_case
from stakes.posteriors.class_order import asked_order
from stakes.posteriors.reading import posterior_array

__all__ = ["bayes_decisions"]

#: Bytes of posteriors per block; the products of a block take about as much again.
BLOCK_BYTES = 1 << 20


@overload
def bayes_decisions(
    posteriors: Any,
    costs: Any,
    *,
    classes: Any = ...,
    positive: Any = ...,
    with_cost: Literal[False] = ...,
) -> NDArray[Any]: ...
@overload
def bayes_decisions(
    posteriors: Any,
    costs: Any,
    *,
    classes: Any = ...,
    positive: Any = ...,
    with_cost: Literal[True],
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def bayes_decisions(
    posteriors: Any,
    costs: Any,
    *,
    classes: Any = None,
    positive: Any = None,
    with_cost: bool = False,
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    r"""Take, for each case, the decision of least expected cost.

    Optimal for calibrated posteriors, whatever the costs and however many decisions there
    are; with 0-1 costs it is the argmax. Ties go to the earlier decision.

    .. math:: d(x) = \arg\min_j \sum_i c_{ij} P(H_i | x)

    Parameters
    ----------
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities, float32 or float64; a single column is the posterior of the second
        of two classes. Rows must add to 1; nothing is rescaled. `Posteriors` with names, and
        columns of a data frame that carry the names of the classes, are found by name.
    costs : CostMatrix, Application, CaseCosts or array-like
        (n_classes, n_decisions), or (n_cases, n_classes, n_decisions) for costs that
        differ from case to case.
    classes : sequence of names, optional
        The order of the columns of an array, such as ``clf.classes_``. Needed when the costs
        name the classes in another order than the sorted one.
    positive : name, optional
        The class of which a single column is the probability; needed in the same case.
    with_cost : bool
        Also return the expected cost per case of the decision taken.

    Returns
    -------
    ndarray of shape (n_cases,)
        Positions of the decisions, in the smallest signed integer type (int8 up to 128
        decisions). With `with_cost`, a pair: these, and the expected costs.

    Notes
    -----
    Rows are read in blocks, so extra memory stays small whatever the number of cases.
    Two classes are decided by exact cut points (see `decision_intervals`); otherwise
    expected costs are compared as float64 sums, of which float32 posteriors need few.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 7, 26-28, 31.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    >>> decisions, expected = bayes_decisions([[0.40, 0.25, 0.35]], costs, with_cost=True)
    >>> decisions, expected.round(2)
    (array([1], dtype=int8), array([0.75]))
    """
    order = asked_order(classes, positive)
    if isinstance(costs, CaseCosts) or (not _is_matrix(costs) and np.ndim(costs) == 3):
        return decide_per_case(posteriors, costs, order, with_cost=with_cost)
    matrix = _as_matrix(costs)
    array = posterior_array(posteriors, matrix.classes, order)
    codes = np.empty(array.shape[0], dtype=code_type(matrix.shape[1]))
    paid = np.empty(array.shape[0], dtype=array.dtype) if with_cost else None
    if matrix.shape[0] == 2:
        _decide_two_classes(array, matrix, codes, paid)
    else:
        _decide(array, matrix, codes, paid)
    return codes if paid is None else (codes, paid)


def _decide(
    array: NDArray[Any], matrix: CostMatrix, codes: NDArray[Any], paid: NDArray[Any] | None
) -> None:
    """Block by block: expected costs by one product, whose last row checks the sums."""
    modes = row_modes(matrix.values)
    kept = matrix.values - modes[:, None]
    margins = tie_margins(kept, margin_type(array.dtype))
    kept = (kept + margins).T
    nearby = 2 * margins[1] if array.dtype != np.float64 and len(margins) > 1 else 0.0
    weights = np.vstack([kept, np.ones(matrix.shape[0])]).astype(array.dtype)
    size = max(1, BLOCK_BYTES // (array.dtype.itemsize * matrix.shape[0]))
    tolerance = sum_tolerance(array.dtype)
    for rows in blocks(array.shape[0], size):
        block = array[rows]
        expected = weights @ block.T
        sums = expected[-1]
        if not (block.min() >= 0 and abs(sums.max() - 1) <= tolerance
                and abs(sums.min() - 1) <= tolerance):  # fmt: skip
            refuse_bad_posteriors(array)
        best = least_cost(expected[:-1], codes[rows])
        if nearby:
            _decide_again(block, expected[:-1], best + nearby, kept, codes[rows])
        if paid is not None:
            added = margins.astype(array.dtype)[codes[rows]]
            paid[rows] = best - added + block @ modes.astype(array.dtype)


def _decide_again(
    block: NDArray[Any],
    expected: NDArray[Any],
    limit: NDArray[Any],
    kept: NDArray[np.float64],
    codes: NDArray[Any],
) -> None:
    """In float64 where rounding of narrower sums could have chosen: two are below the limit."""
    close = np.flatnonzero((expected <= limit).sum(axis=0, dtype=np.int8) > 1)
    if close.size:
        codes[close] = (kept @ block[close].astype(np.float64).T).argmin(axis=0)


def _decide_two_classes(
    array: NDArray[Any], matrix: CostMatrix, codes: NDArray[Any], paid: NDArray[Any] | None
) -> None:
    """Block by block: compare the posterior of the second class with the exact cut points."""
    stretch = pieces(matrix.values)
    kind = array.dtype.type
    cuts = np.array(
        [float_below(piece.start, kind, strictly=piece.included) for piece in stretch[1:]],
        dtype=array.dtype,
    )
    table = np.array([piece.decision for piece in stretch], dtype=codes.dtype)
    size = 1 << 15
    scratch = np.empty(size, dtype=array.dtype)
    for rows in blocks(array.shape[0], size):
        block = array[rows]
        if not _are_probabilities(block, scratch):
            refuse_bad_posteriors(array)
        p = block if block.ndim == 1 else block[:, 1]
        decide_by_cuts(p, cuts, table, codes[rows])
        if paid is not None:
            chosen = matrix.values[:, codes[rows]]
            paid[rows] = chosen[0] * (1 - p) + chosen[1] * p


def _are_probabilities(block: NDArray[Any], scratch: NDArray[Any]) -> bool:
    """Whether a block of (n,) or (n, 2) posteriors needs no second look."""
    if block.ndim == 1:
        return bool(block.min() >= 0 and block.max() <= 1)
    sums = np.add(block[:, 0], block[:, 1], out=scratch[: block.shape[0]])
    tolerance = sum_tolerance(block.dtype)
    return bool(block.min() >= 0 and sums.max() - 1 <= tolerance and 1 - sums.min() <= tolerance)


def _is_matrix(costs: Any) -> bool:
    """Whether `costs` is one of our own objects."""
    return isinstance(costs, (CostMatrix, Application))


def _as_matrix(costs: Any) -> CostMatrix:
    """The cost matrix that is meant."""
    if isinstance(costs, Application):
        return costs.costs
    return costs if isinstance(costs, CostMatrix) else CostMatrix(costs)
