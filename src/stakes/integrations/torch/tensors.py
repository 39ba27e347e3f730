"""Tensors of a batch: what they must look like, their decisions and counts, in one compiled
pass.

Written in Triton, which comes with the CUDA builds of PyTorch. Every row costs one read: its
expected costs (float64), its decision, its check and its count stay in registers. A thread counts
several decisions in one integer, a few bits each, and unpacks them before any can overflow.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch

from stakes._kernels.bayes_rule import Compared, compared, cuts, pieces
from stakes.exceptions import DataError, LabelError


def of_tensor(values: Any, name: str) -> Any:
    """The values if they are a tensor; raise for lists and arrays, which are on no device."""
    if isinstance(values, torch.Tensor):
        return values
    raise DataError(
        f"`{name}` must be a tensor; got {type(values).__name__}.", hint=f"torch.as_tensor({name})"
    )


def refuse_bad_labels(labels: Any, n_classes: int, *, name: str = "y_true") -> None:
    """Raise when labels are not positions of classes."""
    of_tensor(labels, name)
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
    of_tensor(scores, name)
    right = scores.ndim == 1 if n_columns is None else scores.shape[1:] == (n_columns,)
    if not right or not scores.dtype.is_floating_point:
        one = n_columns == 2 and (scores.ndim == 1 or scores.shape[1:] == (1,))
        raise DataError(
            f"`{name}` must be floats of shape {wanted}; got {tuple(scores.shape)} of "
            f"{scores.dtype}.",
            hint="of one logit z: torch.stack([-z / 2, z / 2], dim=1)" if one else None,
        )


def as_codes(target: Any, n_classes: int, length: int) -> Any:
    """Targets as int64 of the length of the scores.

    On a CPU they are looked at. On a GPU, and while compiling, that would stop everything for an
    answer; losses therefore read tables by `index_select`, which refuses what is no position.
    """
    if of_tensor(target, "target").shape != (length,):
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


def refuse_other_length(weights: Any, length: int) -> None:
    """Raise unless there is one weight per case."""
    if tuple(of_tensor(weights, "sample_weight").shape) != (length,):
        raise DataError(f"`sample_weight` must have shape ({length},); got {tuple(weights.shape)}.")


def checked_weights(weights: Any, length: int) -> Any:
    """Weights: one per case, finite, not negative."""
    refuse_other_length(weights, length)
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


try:
    import triton
    import triton.language as tl
except ImportError:  # CPU builds, and systems without Triton
    triton = None


#: By bytes of a posterior: rows of a block, warps that share it, blocks that one program reads.
#: Found on an H200 (`benchmarks/torch_reduction.py --tune`).
LAUNCH = {2: (512, 2, 63), 4: (1024, 4, 63), 8: (512, 4, 63)}
#: Larger tables are counted by the plain path.
MOST_CLASSES, MOST_DECISIONS = 16, 10


def can_fuse(posteriors: Any, costs: np.ndarray[Any, Any]) -> bool:
    """Whether the kernel serves this device, type and table."""
    if triton is None or posteriors.ndim != 2 or posteriors.device.type != "cuda":
        return False
    kinds = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
    # two classes have exact cut points, which the plain path compares with
    small = 2 < costs.shape[0] <= MOST_CLASSES and costs.shape[1] <= MOST_DECISIONS
    return small and posteriors.dtype in kinds


def fused_counts(
    labels: Any, posteriors: Any, rule: Compared, *, tolerance: float, launch: Any = None
) -> tuple[Any, Any]:
    """Counts (K, M) and the number of rows that are no posteriors or have no such label."""
    n_classes, n_decisions = rule.values.shape
    bits = 30 // n_decisions
    block, warps, steps = launch or LAUNCH[posteriors.element_size()]
    steps = min(steps, (1 << bits) - 1)
    device, rows = posteriors.device, labels.shape[0]
    table = _on_device(rule.values.tobytes(), rule.values.shape, device)
    counts = torch.zeros(rule.values.shape, dtype=torch.int64, device=device)
    tensors = labels.contiguous(), posteriors.contiguous(), table, counts
    limits = tolerance, rule.margin, rule.signed
    sizes = n_classes, triton.next_power_of_2(n_classes), n_decisions, bits
    how = {"num_warps": warps, "enable_fp_fusion": True}
    whole = rows // (block * steps)
    done = whole * steps  # blocks; those that are left go side by side, one program each
    left = triton.cdiv(rows - done * block, block)
    for masked, programs, after, each in ((False, whole, 0, steps), (True, left, done, 1)):
        if programs:
            _count[(programs,)](*tensors, rows, after, *limits, masked, *sizes, each, block, **how)
    return counts, rows - counts.sum()


@lru_cache(maxsize=16)
def _on_device(costs: bytes, shape: tuple[int, int], device: Any) -> Any:
    """The table of costs, kept where it is read."""
    return torch.tensor(np.frombuffer(costs, dtype=np.float64).reshape(shape), device=device)


if triton is not None:

    @triton.jit
    def _rows(labels, posteriors, start, left, columns, N_CLASSES: tl.constexpr,
              PADDED: tl.constexpr, MASKED: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
        """Posteriors (BLOCK, PADDED) and labels (BLOCK,) of one block of rows."""
        rows = start + tl.arange(0, BLOCK)
        # one label per thread, as the rows of posteriors are shared out: nothing moves
        apart = tl.max_contiguous(rows, 1)
        places = posteriors + (rows[:, None] * N_CLASSES + columns[None, :])
        known = columns < N_CLASSES
        if MASKED:
            inside = rows < left
            given = tl.load(places, mask=inside[:, None] & known[None, :], other=0.0)
            label = tl.load(labels + apart, mask=inside, other=-1)
        elif PADDED == N_CLASSES:
            given = tl.load(places)
            label = tl.load(labels + apart)
        else:
            given = tl.load(places, mask=known[None, :], other=0.0)
            label = tl.load(labels + apart)
        return given, label

    @triton.jit
    def _products(wide, costs, j, columns, SIZES: tl.constexpr, N_CLASSES: tl.constexpr,
                  N_DECISIONS: tl.constexpr):  # fmt: skip
        """Posteriors times one column of the costs, or of their sizes, summed: one per row."""
        known = columns < N_CLASSES
        column = tl.load(costs + columns * N_DECISIONS + j, mask=known, other=0.0)
        if SIZES:
            column = tl.abs(column)
        return tl.sum(wide * column[None, :], axis=1)

    @triton.jit
    def _decided(given, costs, tolerance, margin, columns, SIGNED: tl.constexpr,
                 N_CLASSES: tl.constexpr, N_DECISIONS: tl.constexpr, BITS: tl.constexpr,
                 BLOCK: tl.constexpr):  # fmt: skip
        """A one in the bits of the decision of least expected cost; 0 where a row is bad.

        A later decision takes over when it is cheaper by more than the rounding of both sums.
        """
        if given.dtype == tl.float64:
            single = given
            wide = given
        else:
            single = given.to(tl.float32)
            wide = single.to(tl.float64)
        least = _products(wide, costs, 0, columns, False, N_CLASSES, N_DECISIONS)
        if SIGNED:
            size = _products(wide, costs, 0, columns, True, N_CLASSES, N_DECISIONS)
            least -= margin * size
        one = tl.full([BLOCK], 1, tl.int32)
        # without gains a sum is its own size, so that one factor holds both margins
        factor = (1.0 + margin) / (1.0 - margin)
        for j in tl.static_range(1, N_DECISIONS):
            cost = _products(wide, costs, j, columns, False, N_CLASSES, N_DECISIONS)
            if SIGNED:
                size = _products(wide, costs, j, columns, True, N_CLASSES, N_DECISIONS)
                better = cost + margin * size < least
                cost -= margin * size
            else:
                better = cost * factor < least
            least = tl.where(better, cost, least)
            one = tl.where(better, 1 << (BITS * j), one)
        off = tl.abs(tl.sum(single, axis=1) - 1.0)
        good = (off <= tolerance) & (tl.min(single, axis=1) >= 0.0)
        return tl.where(good, one, 0)

    @triton.jit
    def _count(
        labels, posteriors, costs, counts, n_rows, skipped, tolerance, margin,
        SIGNED: tl.constexpr, MASKED: tl.constexpr, N_CLASSES: tl.constexpr, PADDED: tl.constexpr,
        N_DECISIONS: tl.constexpr, BITS: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr,
    ):  # fmt: skip
        """Count STEPS blocks of rows; each entry of `packed` holds all decisions of one class.

        A bad row, or one whose label is no class, is counted nowhere, so that it is missed later.
        """
        columns = tl.arange(0, PADDED)
        packed = tl.zeros([BLOCK, PADDED], dtype=tl.int32)
        first = (skipped + tl.program_id(0) * STEPS).to(tl.int64) * BLOCK
        left = n_rows - first  # rows from here on
        labels += first
        posteriors += first * N_CLASSES
        for step in range(STEPS):
            read, label = _rows(
                labels, posteriors, step * BLOCK, left, columns, N_CLASSES, PADDED, MASKED, BLOCK
            )
            one = _decided(
                read, costs, tolerance, margin, columns, SIGNED, N_CLASSES, N_DECISIONS, BITS, BLOCK
            )
            packed += tl.where(label.to(tl.int32)[:, None] == columns[None, :], one[:, None], 0)
        for j in tl.static_range(0, N_DECISIONS):
            found = tl.sum((packed >> (BITS * j)) & ((1 << BITS) - 1), axis=0)
            places = counts + columns * N_DECISIONS + j
            tl.atomic_add(places, found.to(tl.int64), mask=columns < N_CLASSES)
