"""One kernel that reads labels and posteriors once and leaves a small table of counts.

Written in Triton, which comes with the CUDA builds of PyTorch. Every row costs one read: its
expected costs (float64), its decision, its check and its count stay in registers. A thread counts
several decisions in one integer, a few bits each, and unpacks them before any can overflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

try:
    import triton
    import triton.language as tl
except ImportError:  # CPU builds, and systems without Triton
    triton = None

__all__ = ["can_fuse", "fused_counts"]

#: Rows of a block, warps that share it, and blocks that one program reads.
BLOCK, WARPS, STEPS = 1024, 4, 32
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
    labels: Any,
    posteriors: Any,
    costs: np.ndarray[Any, Any],
    *,
    tolerance: float,
    block: int = BLOCK,
    warps: int = WARPS,
    steps: int = STEPS,
) -> tuple[Any, Any]:
    """Counts (K, M) and the number of rows that are no posteriors or have no such label."""
    n_classes, n_decisions = costs.shape
    bits = 30 // n_decisions
    steps = min(steps, (1 << bits) - 1)
    device = posteriors.device
    # what each decision costs more than the first, which decides alike
    table = torch.tensor(costs - costs[:, :1], device=device)
    counts = torch.zeros(costs.shape, dtype=torch.int64, device=device)
    bad = torch.zeros(1, dtype=torch.int64, device=device)
    rows = labels.shape[0]
    whole = rows // (block * steps)
    for masked, programs in ((False, whole), (True, int(rows > whole * block * steps))):
        if programs:
            _count[(programs,)](
                labels.contiguous(),
                posteriors.contiguous(),
                table,
                counts,
                bad,
                rows,
                whole if masked else 0,
                tolerance,
                masked,
                n_classes,
                triton.next_power_of_2(n_classes),
                n_decisions,
                bits,
                steps,
                block,
                num_warps=warps,
                enable_fp_fusion=True,
            )
    return counts, bad


if triton is not None:

    @triton.jit
    def _count(
        labels, posteriors, costs, counts, bad, n_rows, skipped, tolerance,
        MASKED: tl.constexpr, N_CLASSES: tl.constexpr, PADDED: tl.constexpr,
        N_DECISIONS: tl.constexpr, BITS: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr,
    ):  # fmt: skip
        """Count STEPS blocks of rows; each entry of `packed` holds all decisions of one class."""
        columns = tl.arange(0, PADDED)
        known = columns < N_CLASSES
        packed = tl.zeros([BLOCK, PADDED], dtype=tl.int32)
        wrong = tl.zeros([BLOCK], dtype=tl.int32)
        first = (skipped + tl.program_id(0)).to(tl.int64) * (BLOCK * STEPS)
        left = n_rows - first  # rows from here on
        labels += first
        posteriors += first * N_CLASSES
        for step in range(STEPS):
            rows = step * BLOCK + tl.arange(0, BLOCK)
            # one label per thread, as the rows of posteriors are shared out: nothing moves
            apart = tl.max_contiguous(rows, 1)
            places = posteriors + (rows[:, None] * N_CLASSES + columns[None, :])
            if MASKED:
                inside = rows < left
                given = tl.load(places, mask=inside[:, None] & known[None, :], other=0.0)
                label = tl.load(labels + apart, mask=inside, other=0).to(tl.int32)
            else:
                inside = rows >= 0
                given = tl.load(places, mask=known[None, :], other=0.0)
                label = tl.load(labels + apart).to(tl.int32)
            wide = given.to(tl.float64)
            least = tl.zeros([BLOCK], dtype=tl.float64)
            one = tl.full([BLOCK], 1, tl.int32)
            for j in tl.static_range(1, N_DECISIONS):
                column = tl.load(costs + columns * N_DECISIONS + j, mask=known, other=0.0)
                more = tl.sum(wide * column[None, :], axis=1)
                better = more < least
                least = tl.where(better, more, least)
                one = tl.where(better, 1 << (BITS * j), one)
            single = given.to(tl.float32)
            off = tl.abs(tl.sum(single, axis=1) - 1.0)
            good = (off <= tolerance) & (tl.min(single, axis=1) >= 0.0)
            good = good & (label >= 0) & (label < N_CLASSES) & inside
            wrong += (inside & (good == 0)).to(tl.int32)
            one = tl.where(good, one, 0)
            packed += tl.where(label[:, None] == columns[None, :], one[:, None], 0)
        for j in tl.static_range(0, N_DECISIONS):
            found = tl.sum((packed >> (BITS * j)) & ((1 << BITS) - 1), axis=0)
            tl.atomic_add(counts + columns * N_DECISIONS + j, found.to(tl.int64), mask=known)
        tl.atomic_add(bad, tl.sum(wrong, axis=0).to(tl.int64))
