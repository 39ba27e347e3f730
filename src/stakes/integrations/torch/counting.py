"""Bayes decisions and confusion counts of tensors, on whatever device they are.

Arithmetic is float64 everywhere and ties are kept as in `stakes.bayes_decisions`, so that a CPU, a
GPU and NumPy count alike; `stakes.integrations.torch.reductions` chooses between this and the
fused kernel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch

from stakes._kernels.bayes import Compared, compared
from stakes._kernels.intervals import cuts, pieces

__all__ = [
    "cell_counts",
    "compared_costs",
    "count_cells",
    "cuts_on_second",
    "decide",
    "first_least",
    "type_name",
]

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
