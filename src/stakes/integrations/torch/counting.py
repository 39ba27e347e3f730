"""Bayes decisions and confusion counts of tensors, on whatever device they are.

Arithmetic is float64 everywhere and ties are kept by the margins of `stakes.bayes_decisions`, so
that a CPU, a GPU and NumPy count alike; `stakes.integrations.torch.reductions` chooses between this
and the fused kernel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch

from stakes._kernels.bayes import margin_type, row_modes, tie_margins
from stakes._kernels.intervals import float_below, pieces

__all__ = ["cell_counts", "compared_costs", "count_cells", "cuts_on_second", "decide"]

#: Rows per block of the plain path: float64 copies stay small whatever the number of rows.
BLOCK_ROWS = 1 << 22


def compared_costs(costs: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """Costs that decide alike: less the mode of their row, plus the margin of their column.

    The margins, and the type that they are for, are those of `stakes.bayes_decisions`.
    """
    return _compared(costs.tobytes(), costs.shape, dtype == torch.float32)


@lru_cache(maxsize=16)
def _compared(costs: bytes, shape: tuple[int, int], single: bool) -> np.ndarray[Any, Any]:
    """The same, kept: a batch on a fast device takes hardly longer than this arithmetic."""
    table = np.frombuffer(costs, dtype=np.float64).reshape(shape)
    kept = table - row_modes(table)[:, None]
    kind = np.dtype(np.float32 if single else np.float64)
    compared = np.asarray(kept + tie_margins(kept, margin_type(kind)))
    compared.flags.writeable = False
    return compared


def cuts_on_second(costs: np.ndarray[Any, Any], dtype: Any) -> tuple[Any, list[int]]:
    """Exact cut points on the posterior of the second of two classes, and the decisions between."""
    kind = np.float64 if dtype == torch.float64 else np.float32
    found = pieces(costs)
    cuts = [float(float_below(p.start, kind, strictly=p.included)) for p in found[1:]]
    return cuts, [piece.decision for piece in found]


def decide(posteriors: Any, costs: np.ndarray[Any, Any]) -> Any:
    """Positions of the Bayes decisions of one block, (n,) int64; ties go to the earlier column."""
    if costs.shape[0] == 2:
        second = posteriors if posteriors.ndim == 1 else posteriors[:, 1]
        wide = second if second.dtype == torch.float64 else second.float()
        cuts, table = cuts_on_second(costs, wide.dtype)
        passed = torch.zeros(wide.shape, dtype=torch.int64, device=wide.device)
        for cut in cuts:
            passed += wide > cut
        return torch.tensor(table, device=wide.device)[passed]
    kept = torch.tensor(compared_costs(costs, posteriors.dtype), device=posteriors.device)
    return (posteriors.double() @ kept).argmin(dim=1)


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
