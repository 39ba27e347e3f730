"""Tensors of a batch: what they must look like, their Bayes decisions and their counts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch

from stakes._kernels.bayes_rule import Compared, compared, cuts, pieces
from stakes.exceptions import DataError, LabelError


def refuse_bad_labels(labels: Any, n_classes: int, *, name: str = "y_true") -> None:
    """Raise when labels are not positions of classes."""
    if labels.ndim != 1 or labels.dtype.is_floating_point or labels.dtype.is_complex:
        raise LabelError(
            f"`{name}` must be integer positions of shape (n,); got {tuple(labels.shape)} of "
            f"{labels.dtype}."
        )
    bad = (labels < 0) | (labels >= n_classes)
    if labels.numel() and bool(bad.any()):
        rows = torch.nonzero(bad).reshape(-1)
        raise LabelError(
            f"`{name}` must be positions from 0 to {n_classes - 1}; row {int(rows[0])} is "
            f"{int(labels[rows[0]])} ({rows.numel()} of {labels.numel()} rows).",
            rows=rows[:10].tolist(),
        )


def refuse_bad_scores(scores: Any, n_columns: int | None, *, name: str = "logits") -> None:
    """Raise when scores are not floats of shape (n, n_columns), or (n,) for None."""
    wanted = "(n,)" if n_columns is None else f"(n, {n_columns})"
    right = scores.ndim == 1 if n_columns is None else scores.shape[1:] == (n_columns,)
    if not right or not scores.dtype.is_floating_point:
        raise DataError(
            f"`{name}` must be floats of shape {wanted}; got {tuple(scores.shape)} of "
            f"{scores.dtype}."
        )


def as_codes(target: Any, n_classes: int, length: int) -> Any:
    """Targets as int64 of the length of the scores.

    On a CPU they are looked at. On a GPU, and while compiling, that would stop everything for an
    answer; losses therefore read tables by `index_select`, which refuses what is no position.
    """
    if target.shape != (length,):
        raise DataError(
            f"`target` must have shape ({length},), one label per row; got {tuple(target.shape)}."
        )
    if target.device.type == "cpu" and not _compiling():
        refuse_bad_labels(target, n_classes, name="target")
    elif target.dtype.is_floating_point or target.dtype.is_complex:
        raise LabelError(f"`target` must be integer positions; got {target.dtype}.")
    return target.to(torch.int64)


def _compiling() -> bool:
    """Whether `torch.compile` is reading this; older releases than 2.3 cannot tell."""
    tells = getattr(torch.compiler, "is_compiling", None)
    return tells is not None and bool(tells())


def checked_weights(weights: Any, length: int) -> Any:
    """Weights: one per case, finite, not negative."""
    if tuple(weights.shape) != (length,):
        raise DataError(f"`sample_weight` must have shape ({length},); got {tuple(weights.shape)}.")
    if not bool((torch.isfinite(weights) & (weights >= 0)).all()):
        raise DataError("`sample_weight` must be finite and not negative.")
    return weights


#: Rows per block of the plain path: float64 copies stay small whatever the number of rows.
BLOCK_ROWS = 1 << 22


def compared_costs(costs: np.ndarray[Any, Any], dtype: Any) -> Compared:
    """The table that decides, and how far ties reach; see `stakes.bayes_decisions`."""
    return _compared(costs.tobytes(), costs.shape, type_name(dtype))


@lru_cache(maxsize=16)
def _compared(costs: bytes, shape: tuple[int, int], kind: str) -> Compared:
    """The same, kept: a batch on a fast device takes hardly longer than this arithmetic."""
    return compared(np.frombuffer(costs, dtype=np.float64).reshape(shape), kind)


def type_name(dtype: Any) -> str:
    """The name of a type of tensors, as in NumPy."""
    return str(dtype).removeprefix("torch.")


def cuts_on_second(costs: np.ndarray[Any, Any], dtype: Any) -> tuple[list[float], list[int]]:
    """Cut points on the posterior of the second of two classes, in a type; and the decisions."""
    found = pieces(costs)
    return cuts(found, type_name(dtype)), [piece.decision for piece in found]


def decide(posteriors: Any, costs: np.ndarray[Any, Any]) -> Any:
    """Positions of the Bayes decisions of one block, (n,) int64; ties go to the earlier column."""
    if costs.shape[0] == 2:
        second = posteriors if posteriors.ndim == 1 else posteriors[:, 1]
        at, table = cuts_on_second(costs, second.dtype)
        wide = second.double()  # numbers of narrower types, cuts too, are exact
        passed = torch.zeros(wide.shape, dtype=torch.int64, device=wide.device)
        for cut in at:
            passed += wide > cut
        return torch.tensor(table, device=wide.device)[passed]
    rule = compared_costs(costs, posteriors.dtype)
    table = torch.tensor(rule.values, device=posteriors.device)
    wide = posteriors.double()
    expected = wide @ table
    return first_least(expected, wide @ table.abs() if rule.signed else expected, rule.margin)


def first_least(expected: Any, sizes: Any, margin: float) -> Any:
    """For each row (n, M) the first decision that is as good as the best, up to rounding."""
    if not margin:
        return expected.argmin(dim=1)
    slack = margin * sizes
    best = (expected + slack).amin(dim=1, keepdim=True)
    return (expected - slack <= best).to(torch.uint8).argmax(dim=1)


def cell_counts(labels: Any, decisions: Any, *, shape: tuple[int, int], weights: Any = None) -> Any:
    """(Weighted) cases by label and decision, (K, M), on the device of the labels."""
    codes = labels.to(torch.int64) * shape[1] + decisions
    counted = torch.bincount(codes, weights=weights, minlength=shape[0] * shape[1])
    return counted.reshape(shape)


def count_cells(
    labels: Any, posteriors: Any, costs: np.ndarray[Any, Any], *, weights: Any = None
) -> Any:
    """Decide and count block by block; see `stakes.integrations.torch.confusion_counts`."""
    kind = torch.int64 if weights is None else torch.float64
    total = torch.zeros(costs.shape, dtype=kind, device=labels.device)
    for start in range(0, labels.shape[0], BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        decisions = decide(posteriors[rows], costs)
        part = None if weights is None else weights[rows].double()
        total += cell_counts(labels[rows], decisions, shape=costs.shape, weights=part)
    return total
