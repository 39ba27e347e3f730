"""Tensors to summaries and scores, where the tensors are."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from stakes._checks import as_pair
from stakes._kernels.bayes_rule import rounding_of_sums
from stakes._kernels.label_runs import rounded_down
from stakes.application import CostMatrix
from stakes.application.application import as_cost_matrix
from stakes.exceptions import DataError, PosteriorError
from stakes.integrations.torch.tensors import (
    can_fuse,
    checked_weights,
    compared_costs,
    count_cells,
    decide,
    first_least,
    fused_counts,
    of_tensor,
    refuse_bad_labels,
    type_name,
)
from stakes.posteriors.class_order import asked_order
from stakes.summaries import ConfusionMatrix, ScoreBins, ScoreCounts
from stakes.summaries.ranked_scores import ScoreKind, checked_kind
from stakes.summaries.score_bins import as_edges

#: How far a row may be from adding to one: the rounding of its own type.
SUM_TOLERANCES = {
    torch.float64: 1e-6,
    torch.float32: 1e-5,
    torch.float16: 1e-3,
    torch.bfloat16: 8e-3,
}


def cost_table(costs: Any) -> CostMatrix:
    """The cost matrix that is meant by costs in any form, also a tensor."""
    if isinstance(costs, torch.Tensor):
        costs = costs.detach().cpu().numpy()
    return as_cost_matrix(costs)


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
    if len(of_tensor(y_true, "y_true")) != len(of_tensor(posteriors, "posteriors")):
        raise DataError(f"`y_true` has {y_true.shape[0]} rows, `posteriors` {posteriors.shape[0]}.")
    if sample_weight is None and can_fuse(posteriors, table):
        rule, tolerance = compared_costs(table, posteriors.dtype), SUM_TOLERANCES[posteriors.dtype]
        counts, bad = fused_counts(y_true, posteriors, rule, tolerance=tolerance)
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
    margin = rounding_of_sums(tables.shape[1], type_name(posteriors.dtype))
    return first_least(expected, sizes, margin)


def refuse_bad_posteriors(posteriors: Any, n_classes: int) -> None:
    """Raise when rows are not probabilities of the classes."""
    shape = tuple(of_tensor(posteriors, "posteriors").shape)
    if posteriors.dtype not in SUM_TOLERANCES:
        raise PosteriorError(f"`posteriors` must be of a floating type; got {posteriors.dtype}.")
    if shape[1:] != (n_classes,) and not (len(shape) == 1 and n_classes == 2):
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


def score_counts(
    y_true: Any, scores: Any, *, kind: ScoreKind, classes: tuple[Any, Any] = (0, 1)
) -> ScoreCounts:
    """Sort the scores of each class on their device and bring the summary to the host.

    The same object as `stakes.ScoreCounts.from_scores` makes, from which every curve, cost and
    rank statistic is read.

    Parameters
    ----------
    y_true : Tensor of integers or booleans, shape (n_cases,)
        0 for the first, 1 for the second class.
    scores : Tensor of shape (n_cases,)
        Higher speaks for the second class. float16 and bfloat16 become float32.
    kind : {"llr", "log_odds", "posterior", "rank"}
        What a score means; never guessed.
    classes : pair of names
        The two classes.

    Returns
    -------
    ScoreCounts
        On the host. Scores that repeat travel once, with their count.

    Examples
    --------
    >>> import torch
    >>> y, s = torch.tensor([0, 0, 1, 1]), torch.tensor([-1.5, 0.0, 0.0, 2.0])
    >>> score_counts(y, s, kind="llr")
    ScoreCounts(4 cases, 2 of 1, kind 'llr')
    """
    positive, given = _checked(y_true, scores, kind)
    classes = as_pair(classes, "classes", "two names")
    first, n_first = _sorted_side(given[~positive])
    second, n_second = _sorted_side(given[positive])
    return ScoreCounts._trusted(first, second, n_first, n_second, classes, checked_kind(kind), None)


def score_bins(
    y_true: Any, scores: Any, *, edges: Any, kind: ScoreKind, classes: tuple[Any, Any] = (0, 1)
) -> ScoreBins:
    """Count scores in bins with exact edges; the table on the device has a fixed size.

    Parameters
    ----------
    y_true, scores, kind, classes
        As in `score_counts`.
    edges : array-like of float, ascending
        Put every threshold that will be asked for among them.

    Returns
    -------
    ScoreBins
        On the host.

    Examples
    --------
    >>> import torch
    >>> y, s = torch.tensor([0, 1, 1]), torch.tensor([0.1, 0.2, 1.0])
    >>> score_bins(y, s, edges=[0.0, 0.5], kind="llr").counts
    array([[0, 0],
           [1, 1],
           [0, 1]])
    """
    positive, given = _checked(y_true, scores, kind)
    classes = as_pair(classes, "classes", "two names")
    ends = as_edges(edges)
    inner = torch.tensor(rounded_edges(ends, given.dtype), device=given.device)
    return bin_scores(*binned_counts(positive, given, inner), ends, kind, classes)


def binned_counts(positive: Any, scores: Any, edges: Any) -> tuple[Any, tuple[Any, Any]]:
    """Counts (bins, 2), and the lowest and highest score of each bin, on the device."""
    place = torch.bucketize(scores.contiguous(), edges)
    size = edges.shape[0] + 1
    counts = torch.bincount(place * 2 + positive, minlength=2 * size).reshape(size, 2)
    empty = torch.full((size,), torch.inf, dtype=torch.float64, device=scores.device)
    wide = scores.double()
    lowest = empty.scatter_reduce(0, place, wide, "amin")
    return counts, (lowest, (-empty).scatter_reduce(0, place, wide, "amax"))


def bin_scores(
    counts: Any, ends: tuple[Any, Any], edges: Any, kind: ScoreKind, classes: Any
) -> ScoreBins:
    """The host summary of `binned_counts`."""
    table = counts.cpu().numpy()
    empty = table.sum(axis=1) == 0
    lowest, highest = (np.where(empty, np.nan, part.cpu().numpy()) for part in ends)
    return ScoreBins(edges, table, lowest, highest, classes, checked_kind(kind), None)


def rounded_edges(edges: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """Edges in the type of the scores, so that the comparison stays exact."""
    kind = np.dtype(np.float64 if dtype == torch.float64 else np.float32)
    return np.asarray(rounded_down(edges, kind))


def _checked(y_true: Any, scores: Any, kind: str) -> tuple[Any, Any]:
    """Which cases are of the second class, and scores in float32 or float64."""
    of_tensor(scores, "scores")
    if scores.ndim != 1 or not scores.dtype.is_floating_point or not scores.numel():
        raise DataError(
            f"`scores` must be floats of shape (n,); got {tuple(scores.shape)} of {scores.dtype}."
        )
    if of_tensor(y_true, "y_true").shape != scores.shape:
        raise DataError(
            f"`y_true` has shape {tuple(y_true.shape)}, `scores` {tuple(scores.shape)}."
        )
    if y_true.dtype != torch.bool:
        refuse_bad_labels(y_true, 2)
    given = scores if scores.dtype == torch.float64 else scores.float()
    low, high = (float(end) for end in torch.aminmax(given))
    if np.isnan(low) or np.isnan(high):
        raise DataError("`scores` holds NaN.")
    if checked_kind(kind) == "posterior" and not (low >= 0 and high <= 1):
        raise DataError(
            f"`scores` of kind 'posterior' must lie between 0 and 1; they go from {low:g} to "
            f"{high:g}.",
            hint="log odds (logits): kind='log_odds'",
        )
    return y_true if y_true.dtype == torch.bool else y_true != 0, given


def _sorted_side(scores: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    """Sorted scores of one class on the host; with counts when most of them repeat."""
    ordered = torch.sort(scores).values
    if ordered.numel() < 2 or int((ordered[1:] != ordered[:-1]).sum()) * 2 > ordered.numel():
        return _to_host(ordered), None
    distinct, counts = torch.unique_consecutive(ordered, return_counts=True)
    return _to_host(distinct), _to_host(counts)


def _to_host(values: Any) -> np.ndarray[Any, Any]:
    """A NumPy array; from a GPU through page-locked memory, which copies several times faster."""
    if values.device.type != "cuda":
        return np.array(values.cpu().numpy())
    landing = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
    landing.copy_(values)
    return np.asarray(landing.numpy())
