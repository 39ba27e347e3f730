"""Binary scores on a device -> `ScoreCounts` and `ScoreBins`; sorting and counting stay there."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from stakes._kernels.scores.label_runs import rounded_down
from stakes.exceptions import DataError
from stakes.integrations.torch.tensors import refuse_bad_labels
from stakes.summaries import ScoreBins, ScoreCounts
from stakes.summaries.ranked_scores import ScoreKind, checked_kind
from stakes.summaries.score_bins import as_edges


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
    sides = [_sorted_side(given[chosen]) for chosen in (~positive, positive)]
    (first, n_first), (second, n_second) = sides
    return ScoreCounts._trusted(first, second, n_first, n_second, classes, checked_kind(kind), None)


def score_bins(
    y_true: Any,
    scores: Any,
    *,
    edges: Any,
    kind: ScoreKind,
    classes: tuple[Any, Any] = (0, 1),
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
    ends = as_edges(edges)
    inner = torch.tensor(rounded_edges(ends, given.dtype), device=given.device)
    counts, lowest, highest = binned_counts(positive, given, inner)
    return bin_scores(counts, lowest, highest, edges=ends, kind=kind, classes=classes)


def binned_counts(positive: Any, scores: Any, edges: Any) -> tuple[Any, Any, Any]:
    """Counts (bins, 2), and the lowest and highest score of each bin, on the device."""
    place = torch.bucketize(scores, edges)
    size = edges.shape[0] + 1
    counts = torch.bincount(place * 2 + positive, minlength=2 * size).reshape(size, 2)
    wide = scores.double()
    lowest = torch.full((size,), torch.inf, dtype=torch.float64, device=scores.device)
    highest = torch.full((size,), -torch.inf, dtype=torch.float64, device=scores.device)
    lowest.scatter_reduce_(0, place, wide, "amin")
    highest.scatter_reduce_(0, place, wide, "amax")
    return counts, lowest, highest


def bin_scores(
    counts: Any, lowest: Any, highest: Any, *, edges: Any, kind: ScoreKind, classes: Any
) -> ScoreBins:
    """The host summary of `binned_counts`."""
    table = counts.cpu().numpy()
    empty = table.sum(axis=1) == 0
    ends = [np.where(empty, np.nan, part.cpu().numpy()) for part in (lowest, highest)]
    return ScoreBins(edges, table, ends[0], ends[1], classes, checked_kind(kind), None)


def rounded_edges(edges: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """Edges in the type of the scores, so that the comparison stays exact."""
    kind = np.dtype(np.float64 if dtype == torch.float64 else np.float32)
    return np.asarray(rounded_down(edges, kind))


def _checked(y_true: Any, scores: Any, kind: str) -> tuple[Any, Any]:
    """Which cases are of the second class, and scores in float32 or float64."""
    if scores.ndim != 1 or not scores.dtype.is_floating_point or not scores.numel():
        raise DataError(
            f"`scores` must be floats of shape (n,); got {tuple(scores.shape)} of {scores.dtype}."
        )
    if y_true.shape != scores.shape:
        raise DataError(
            f"`y_true` has shape {tuple(y_true.shape)}, `scores` {tuple(scores.shape)}."
        )
    if y_true.dtype != torch.bool:
        refuse_bad_labels(y_true, 2)
    given = scores if scores.dtype == torch.float64 else scores.float()
    low, high = (float(end) for end in torch.aminmax(given))
    if np.isnan(low) or np.isnan(high):
        raise DataError("`scores` holds NaN.")
    if kind == "posterior" and not (low >= 0 and high <= 1):
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
