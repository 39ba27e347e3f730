"""What a batch must look like: shapes always, labels where looking at them costs no waiting."""

from __future__ import annotations

from typing import Any

import torch

from stakes.exceptions import DataError, LabelError

__all__ = ["as_codes", "checked_weights", "refuse_bad_labels", "refuse_bad_scores"]


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
