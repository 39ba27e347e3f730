"""Rows on a device -> decisions and summaries; only the small summary travels to the host."""

from __future__ import annotations

from typing import Any

import torch

from stakes._kernels.bayes_rule import rounding_of_sums
from stakes.application import Application, CostMatrix
from stakes.exceptions import DataError, PosteriorError
from stakes.integrations.torch.fused import can_fuse, fused_counts
from stakes.integrations.torch.tensors import (
    checked_weights,
    compared_costs,
    count_cells,
    decide,
    first_least,
    refuse_bad_labels,
    type_name,
)
from stakes.posteriors.class_order import asked_order
from stakes.summaries import ConfusionMatrix

#: How far a row may be from adding to one: the rounding of its own type.
SUM_TOLERANCES = {
    torch.float64: 1e-6,
    torch.float32: 1e-5,
    torch.float16: 1e-3,
    torch.bfloat16: 8e-3,
}


def cost_table(costs: Any) -> CostMatrix:
    """The cost matrix that is meant by an Application, a CostMatrix or a table."""
    if isinstance(costs, Application):
        return costs.costs
    if isinstance(costs, torch.Tensor):
        costs = costs.detach().cpu().numpy()
    return costs if isinstance(costs, CostMatrix) else CostMatrix(costs)


def bayes_decisions(
    posteriors: Any, costs: Any, *, classes: Any = None, positive: Any = None
) -> Any:
    r"""Take, for each row of a tensor, the decision of least expected cost, on its device.

    The tensor form of `stakes.bayes_decisions`: the same rule, ties to the earlier decision.

    .. math:: d(x) = \arg\min_j \sum_i c_{ij} P(H_i | x)

    Parameters
    ----------
    posteriors : Tensor of shape (n_cases, n_classes) or (n_cases,)
        Probabilities, of any floating type; a single column is the posterior of the second of
        two classes. Rows must add to 1 up to the rounding of their type.
    costs : Application, CostMatrix, array-like or Tensor
        Of shape (n_classes, n_decisions); or, as a tensor, one table per case, of shape
        (n_cases, n_classes, n_decisions).
    classes : sequence of names, optional
        The order of the columns. Needed when the costs name the classes in another order than
        the sorted one. Where there are labels, as in `confusion_counts`, these are positions,
        and so are the columns.
    positive : name, optional
        The class of which a single column is the probability; needed in the same case.

    Returns
    -------
    Tensor of int64, shape (n_cases,)
        Positions of the decisions, on the device of the posteriors.

    Notes
    -----
    Two classes are decided by the exact cut points of `stakes.decision_intervals`, rounded once
    to the type of the tensor; expected costs of more classes are computed in float64, and ties
    kept as in `stakes.bayes_decisions`, so a GPU, a CPU and NumPy decide alike.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 7, 26-28, 31.

    Examples
    --------
    >>> import torch
    >>> bayes_decisions(torch.tensor([[0.40, 0.25, 0.35]]), [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    tensor([1])
    """
    if isinstance(costs, torch.Tensor) and costs.ndim == 3:
        return _decide_per_case(posteriors, costs)
    matrix = cost_table(costs)
    refuse_bad_posteriors(posteriors, matrix.shape[0])
    order = asked_order(classes, positive)
    if posteriors.ndim == 1:
        p = posteriors if order.place(matrix.classes) == 1 else 1 - posteriors
        return decide(p, matrix.values)
    places = order.places(matrix.classes)
    return decide(posteriors if places is None else posteriors[:, places], matrix.values)


def confusion_counts(y_true: Any, posteriors: Any, *, costs: Any, sample_weight: Any = None) -> Any:
    """Cases by true class and Bayes decision, as a small tensor on the device of the rows.

    One pass over the rows; with Triton on a GPU one kernel reads them once. Counts of parts, of
    devices and of machines add.

    Parameters
    ----------
    y_true : Tensor of integers, shape (n_cases,)
        Positions of the true classes.
    posteriors : Tensor of shape (n_cases, n_classes) or (n_cases,)
        As in `bayes_decisions`.
    costs : Application, CostMatrix or array-like of shape (n_classes, n_decisions)
        What decides.
    sample_weight : Tensor of shape (n_cases,), optional
        Weight of each case, not negative.

    Returns
    -------
    Tensor of shape (n_classes, n_decisions)
        int64; float64 with weights.

    Raises
    ------
    PosteriorError, LabelError
        When a row is not a posterior or a label not a position; nothing is repaired.

    Examples
    --------
    >>> import torch
    >>> p = torch.tensor([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]])
    >>> confusion_counts(torch.tensor([0, 1, 1]), p, costs=[[0, 1], [10, 0]])
    tensor([[0, 1],
            [0, 2]])
    """
    table = cost_table(costs).values
    if y_true.shape[0] != posteriors.shape[0]:
        raise DataError(f"`y_true` has {y_true.shape[0]} rows, `posteriors` {posteriors.shape[0]}.")
    if sample_weight is None and can_fuse(posteriors, table):
        tolerance = SUM_TOLERANCES[posteriors.dtype]
        counts, bad = fused_counts(
            y_true, posteriors, compared_costs(table, posteriors.dtype), tolerance=tolerance
        )
        if not int(bad):
            return counts
    refuse_bad_posteriors(posteriors, table.shape[0])
    refuse_bad_labels(y_true, table.shape[0])
    weights = None if sample_weight is None else checked_weights(sample_weight, y_true.shape[0])
    return count_cells(y_true, posteriors, table, weights=weights)


def confusion_matrix(
    y_true: Any, posteriors: Any, *, costs: Any, sample_weight: Any = None
) -> ConfusionMatrix:
    r"""Reduce rows on a device to a `stakes.ConfusionMatrix` of their Bayes decisions.

    Everything after it (costs, intervals, audits, reports) works on the host and never sees rows.

    Parameters
    ----------
    y_true, posteriors, costs, sample_weight
        As in `confusion_counts`.

    Returns
    -------
    ConfusionMatrix
        With the names of the costs.

    Examples
    --------
    >>> import torch
    >>> costs = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["wait", "call"])
    >>> p = torch.tensor([[0.95, 0.05], [0.4, 0.6]])
    >>> print(confusion_matrix(torch.tensor([0, 1]), p, costs=costs))
    truth \ decision  wait  call  total
    stay                 1     0      1
    churn                0     1      1
    """
    matrix = cost_table(costs)
    counts = confusion_counts(y_true, posteriors, costs=matrix, sample_weight=sample_weight)
    return ConfusionMatrix(counts.cpu().numpy(), matrix.classes, matrix.decisions)


def _decide_per_case(posteriors: Any, costs: Any) -> Any:
    """One cost table per case."""
    refuse_bad_posteriors(posteriors, costs.shape[1])
    wide = posteriors.double()
    if wide.ndim == 1:
        wide = torch.stack([1 - wide, wide], dim=1)
    if wide.shape[0] != costs.shape[0]:
        raise DataError(f"`posteriors` has {wide.shape[0]} rows but `costs` has {costs.shape[0]}.")
    tables = costs.double()
    expected, sizes = (torch.einsum("nk,nkm->nm", wide, t) for t in (tables, tables.abs()))
    return first_least(
        expected, sizes, rounding_of_sums(tables.shape[1], type_name(posteriors.dtype))
    )


def refuse_bad_posteriors(posteriors: Any, n_classes: int) -> None:
    """Raise when rows are not probabilities of the classes."""
    shape = tuple(posteriors.shape)
    if posteriors.dtype not in SUM_TOLERANCES:
        raise PosteriorError(f"`posteriors` must be of a floating type; got {posteriors.dtype}.")
    if not (len(shape) == 2 and shape[1] == n_classes) and not (len(shape) == 1 and n_classes == 2):
        raise PosteriorError(
            f"`posteriors` must have shape (n, {n_classes}), one column per class; got {shape}."
        )
    if not shape[0]:
        return
    single = posteriors if posteriors.dtype == torch.float64 else posteriors.float()
    low, tolerance = single, SUM_TOLERANCES[posteriors.dtype]
    off = single - 1
    if single.ndim == 2:
        low, off = single.amin(dim=1), (single.sum(dim=1) - 1).abs()
    good = (low >= 0) & (off <= tolerance)
    if not bool(good.all()):
        rows = torch.nonzero(~good).reshape(-1)
        first = int(rows[0])
        raise PosteriorError(
            f"`posteriors` must be probabilities that add to 1; row {first} is "
            f"{posteriors[first].tolist()} ({rows.numel()} of {shape[0]} rows fail).",
            hint="for logits, use logits.softmax(dim=1)",
            rows=rows[:10].tolist(),
        )
