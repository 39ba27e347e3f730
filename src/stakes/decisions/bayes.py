"""The Bayes rule and its cut points, also when each case has its own costs; and hedging by
regret.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_switch, refuse_bad_posteriors, same_length, sum_tolerance
from stakes._columns import as_array
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.bayes_rule import (
    Compared,
    Piece,
    code_type,
    compared,
    cuts,
    decide_by_cuts,
    first_least,
    first_near,
    moved_shares,
    pieces,
    rounding_of_sums,
    row_modes,
    thresholds,
)
from stakes._kernels.fast_loops import blocks
from stakes.application import Application, CaseCosts, CostMatrix, UncertainApplication
from stakes.application.application import as_cost_matrix
from stakes.exceptions import CostError
from stakes.posteriors.class_order import ClassOrder, asked_order, said_names
from stakes.posteriors.posteriors import posterior_array
from stakes.results import Frame
from stakes.typing import FloatArray, Name


def class_posteriors(posteriors: Any, classes: Sequence[Name], order: ClassOrder) -> NDArray[Any]:
    """Checked posteriors with one column per class, in their own type, which sets ties."""
    array = posterior_array(posteriors, classes, order)
    refuse_bad_posteriors(array)
    return np.column_stack([1 - array, array]) if array.ndim == 1 else array


def _decide_per_case(
    posteriors: Any, costs: Any, order: ClassOrder, *, with_cost: bool
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """See `stakes.bayes_decisions`; `costs` is CaseCosts or an array (n, K, M)."""
    cases = costs if isinstance(costs, CaseCosts) else CaseCosts(costs)
    array = class_posteriors(posteriors, said_names(cases.classes, order), order)
    codes, paid = cheapest_by_case(array, cases)
    return (codes, paid) if with_cost else codes


def cheapest_by_case(
    array: NDArray[Any], cases: CaseCosts
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Decisions and what they are expected to cost; posteriors are checked, a column per class."""
    n_classes, n_decisions = cases.values.shape[1:]
    margin = rounding_of_sums(n_classes, array.dtype.name)
    array = array.astype(np.float64, copy=False)
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
        paid[rows] = expected[codes[rows], np.arange(expected.shape[1])]
    return codes, paid


#: Bytes of posteriors per block; the products of a block take about as much again.
_BLOCK_BYTES = 1 << 20


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
@answers_guesses
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
        Probabilities, float16, float32 or float64; a single column is the posterior of the second
        of two classes. Rows must add to 1; nothing is rescaled. `Posteriors` with names, and
        columns of a data frame that carry the names of the classes, are found by name.
    costs : CostMatrix, Application, CaseCosts or array-like
        (n_classes, n_decisions), or (n_cases, n_classes, n_decisions) for costs that
        differ from case to case.
    classes : sequence of names, optional
        The order of the columns of an array, such as ``clf.classes_``. Needed when the costs
        name the classes in another order than the sorted one. Costs that name no classes have
        their rows in the same order.
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
    Two classes are decided by `p > t`, with the exact cut points of `decision_intervals`
    rounded once to the type of the posteriors. Otherwise expected costs are compared as float64
    sums; the earlier of two decisions is taken when they differ by no more than the rounding
    of both sums.

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
    own = isinstance(costs, (CostMatrix, Application))
    if isinstance(costs, CaseCosts) or (not own and as_array(costs, "costs").ndim == 3):
        return _decide_per_case(posteriors, costs, order, with_cost=with_cost)
    matrix = as_cost_matrix(costs)
    array = posterior_array(posteriors, said_names(matrix.classes, order), order)
    codes = np.empty(array.shape[0], dtype=code_type(matrix.shape[1]))
    paid = np.empty(array.shape[0], dtype=_reckoned_in(array)) if with_cost else None
    if matrix.shape[0] == 2:
        half = getattr(posteriors, "dtype", None) == np.float16  # a column is read as float64
        kind = "float16" if half else array.dtype.name
        _decide_two_classes(array, kind, pieces(matrix.values), matrix, codes, paid)
    else:
        _decide(array, matrix, codes, paid)
    return codes if paid is None else (codes, paid)


def moved_decisions(
    posteriors: NDArray[Any], costs: CostMatrix, priors: Any, said_at: Any
) -> NDArray[Any]:
    """Bayes decisions at other shares than those that the posteriors were made for.

    Moving posteriors to other shares multiplies each class by a ratio; the costs of the class are
    multiplied instead, which gives the same decisions and leaves the rows alone.
    """
    if np.array_equal(priors, said_at):
        return bayes_decisions(posteriors, costs.values)
    return weighed_decisions(posteriors, costs, moved_shares(priors, said_at))


def weighed_decisions(
    posteriors: NDArray[Any], costs: CostMatrix, factors: Sequence[Fraction]
) -> NDArray[Any]:
    """Bayes decisions where the costs of each class are multiplied by its factor."""
    if costs.shape[0] != 2:
        ratios = np.array([float(factor / max(factors)) for factor in factors])
        return bayes_decisions(posteriors, costs.values * ratios[:, None])
    return decisions_by_stretch(posteriors, costs, pieces(costs.values, factors))


def decisions_by_stretch(
    posteriors: NDArray[Any], costs: CostMatrix, stretch: Sequence[Piece]
) -> NDArray[Any]:
    """Decisions of two classes, by stretches of the posterior of the second that are known."""
    codes = np.empty(posteriors.shape[0], dtype=code_type(costs.shape[1]))
    _decide_two_classes(posteriors, posteriors.dtype.name, stretch, costs, codes, None)
    return codes


def _reckoned_in(array: NDArray[Any]) -> np.dtype[Any]:
    """The type for products of posteriors: their own, except for float16."""
    return np.dtype(np.float64) if array.dtype == np.float16 else array.dtype


def _decide(
    array: NDArray[Any], matrix: CostMatrix, codes: NDArray[Any], paid: NDArray[Any] | None
) -> None:
    """Block by block: expected costs by one product, whose last row checks the sums.

    Its sums, in the type of the posteriors, give the best decision, except where another one is
    within their rounding; those few rows are decided again.
    """
    rule = compared(matrix.values, array.dtype.name)
    wide = _reckoned_in(array)
    kept, nearby = _fast_costs(matrix.values, rule, wide)
    weights = np.vstack([kept.T, np.ones(matrix.shape[0])]).astype(wide)
    size = max(1, _BLOCK_BYTES // (wide.itemsize * matrix.shape[0]))
    tolerance = sum_tolerance(array.dtype)
    for rows in blocks(array.shape[0], size):
        block = array[rows].astype(wide, copy=False)
        expected = weights @ block.T
        sums = expected[-1]
        if not (block.min() >= 0 and abs(sums.max() - 1) <= tolerance
                and abs(sums.min() - 1) <= tolerance):  # fmt: skip
            refuse_bad_posteriors(array)
        count = first_near(expected[:-1], nearby, codes[rows])
        if rule.margin:
            close = np.flatnonzero(count > 1)
            codes[rows][close] = rule.decide(block[close])
        if paid is not None:
            taken = matrix.values.T[codes[rows]]
            paid[rows] = np.einsum("nk,nk->n", block, taken, dtype=np.float64)


def _fast_costs(
    costs: NDArray[np.float64], rule: Compared, kind: np.dtype[Any]
) -> tuple[NDArray[np.float64], NDArray[np.floating[Any]]]:
    """Costs that give the same decisions in any type, and how far apart near columns may be.

    The mode of each row is subtracted, which leaves few terms; the largest entry is scaled to
    about 1. The cost of every column is raised by the most that rounding can change: that of the
    product, in its own type, and twice the margin for ties.
    """
    kept = rule.values if not rule.margin else costs - row_modes(costs)[:, None]
    scale = 0.5 ** int(np.frexp(np.abs(kept).max())[1])
    if not rule.margin:
        return kept * scale, np.zeros(kept.shape[1], dtype=kind)
    terms = np.count_nonzero(kept, axis=0) + 5
    hidden = terms * float(np.finfo(kind).eps) * np.abs(kept).max(axis=0)
    hidden = scale * (hidden + 2.5 * rule.margin * np.abs(costs).max(axis=0))
    hidden += len(kept) * float(np.finfo(kind).tiny)
    if hidden.max() <= 8 * hidden.min():  # comparing with a single limit is faster
        hidden[:] = hidden.max()
    return kept * scale + hidden, ((2 + 1e-4) * hidden).astype(kind)


def _decide_two_classes(
    array: NDArray[Any],
    kind: str,
    stretch: Sequence[Piece],
    matrix: CostMatrix,
    codes: NDArray[Any],
    paid: NDArray[Any] | None,
) -> None:
    """Block by block: compare the posterior of the second class with the cut points."""
    wide, tolerance = _reckoned_in(array), sum_tolerance(array.dtype)
    at = np.array(cuts(stretch, kind), dtype=wide)
    table = np.array([piece.decision for piece in stretch], dtype=codes.dtype)
    size = 1 << 15
    scratch = np.empty(size, dtype=wide)
    for rows in blocks(array.shape[0], size):
        block = array[rows].astype(wide, copy=False)
        if not _are_probabilities(block, scratch, tolerance):
            refuse_bad_posteriors(array)
        p = block if block.ndim == 1 else block[:, 1]
        decide_by_cuts(p, at, table, codes[rows])
        if paid is not None:
            chosen = matrix.values[:, codes[rows]]
            paid[rows] = chosen[0] * (1 - p) + chosen[1] * p


def _are_probabilities(block: NDArray[Any], scratch: NDArray[Any], tolerance: float) -> bool:
    """Whether a block of (n,) or (n, 2) posteriors is plainly valid."""
    if block.ndim == 1:
        return bool(block.min() >= 0 and block.max() <= 1)
    sums = np.add(block[:, 0], block[:, 1], out=scratch[: block.shape[0]])
    return bool(block.min() >= 0 and sums.max() - 1 <= tolerance and 1 - sums.min() <= tolerance)


@dataclass(frozen=True, slots=True)
class DecisionIntervals(AnswersGuesses):
    """The Bayes rule of a two-class application as stretches; see `decision_intervals`.

    Parameters
    ----------
    decisions : tuple of names
        `decisions[k]` is taken for posteriors of the second class between `cuts[k - 1]`
        and `cuts[k]`; at a cut itself the earlier column of the cost matrix wins.
    cuts : tuple of float
        The posteriors where the decision changes, ascending.
    """

    decisions: tuple[Name, ...]
    cuts: tuple[float, ...]

    def frame(self) -> Frame:
        """One row per stretch: decision, above, up_to."""
        ends = {"above": [0.0, *self.cuts], "up_to": [*self.cuts, 1.0]}
        return Frame({"decision": list(self.decisions), **ends})


def decision_intervals(costs: Any) -> DecisionIntervals:
    """Cut the posterior of the second class into stretches with one decision each.

    Works for two classes and any number of decisions: with "ask a person" there are two
    cuts, an unsure stretch between two sure ones. Decisions that never pay are absent.

    Parameters
    ----------
    costs : CostMatrix, Application or array-like of shape (2, n_decisions)
        What each decision costs for each true class.

    Returns
    -------
    DecisionIntervals
        Decisions in order of the posterior, and the cut points between them.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 28 and 32.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> rule = decision_intervals(CostMatrix.zero_one(["no", "yes"]).with_abstention(0.25))
    >>> rule.decisions, rule.cuts
    (('no', 'abstain', 'yes'), (0.25, 0.75))
    """
    matrix = as_cost_matrix(costs)
    if matrix.shape[0] != 2:
        raise CostError(
            f"intervals exist for two classes; got {matrix.shape[0]}.",
            hint="use stakes.bayes_decisions",
        )
    stretch = pieces(matrix.values)
    return DecisionIntervals(
        decisions=tuple(matrix.decisions[piece.decision] for piece in stretch),
        cuts=tuple(thresholds(stretch)),
    )


def minimax_regret_decisions(
    posteriors: Any,
    application: UncertainApplication,
    *,
    classes: Any = None,
    positive: Any = None,
    with_regret: bool = False,
) -> NDArray[Any] | tuple[NDArray[Any], FloatArray]:
    r"""For each case, the decision with the smallest possible excess over the best expected cost.

    For costs of which only ranges are known, when no distribution over them is wanted. With
    a distribution, `stakes.bayes_decisions` on `application.expected` is cheaper on average.

    .. math:: \arg\min_j \max_C \Big[\sum_i q_i C_{ij} - \min_k \sum_i q_i C_{ik}\Big]

    Parameters
    ----------
    posteriors : array-like of shape (n_cases, n_classes), or (n_cases,) for two classes
        As in `stakes.bayes_decisions`; they must already hold for the place of use.
    application : UncertainApplication
        Its costs are taken at the ends of their ranges; its priors are not used.
    classes, positive : optional
        The order of the columns, as in `stakes.bayes_decisions`.
    with_regret : bool
        Return the worst regret of each case too.

    Returns
    -------
    array of shape (n_cases,), or two of them
        Positions of the decisions (the earlier if tied), and regrets in the unit of the costs.

    Notes
    -----
    The regret is convex in the costs, so its worst case over a box or a set of draws is at a
    corner: the result is exact, in time proportional to the number of corners.

    References
    ----------
    .. [1] L. J. Savage, "The theory of statistical decision", JASA 46, 1951.

    Examples
    --------
    >>> from stakes.application import Between
    >>> app = UncertainApplication([[0, 1], [Between(2, 10), 0]])
    >>> minimax_regret_decisions([0.05, 0.2, 0.5], app, with_regret=True)
    (array([0, 1, 1], dtype=int8), array([0. , 0.4, 0. ]))
    """
    if not isinstance(application, UncertainApplication):
        raise CostError(
            f"`application` must be an UncertainApplication; got {type(application).__name__}.",
            hint="with known costs there is nothing to hedge: stakes.bayes_decisions",
        )
    array = class_posteriors(posteriors, application.classes, asked_order(classes, positive))
    array = array.astype(np.float64, copy=False)
    corners = np.unique(application.corners().costs, axis=0)
    codes = np.empty(array.shape[0], dtype=code_type(corners.shape[2]))
    regrets = np.empty(array.shape[0])
    size = max(1, (1 << 20) // (corners.shape[0] * corners.shape[2]))
    for rows in blocks(array.shape[0], size):
        risks = np.einsum("nk,ckm->ncm", array[rows], corners)
        worst = (risks - risks.min(axis=2, keepdims=True)).max(axis=1)
        codes[rows] = worst.argmin(axis=1)
        regrets[rows] = worst.min(axis=1)
    return (codes, regrets) if as_switch(with_regret, "with_regret") else codes
