"""Rows on a GPU reduced to summaries: which share of the memory bandwidth, and against the CPU.

    python benchmarks/torch_reduction.py                        # small; runs anywhere
    python benchmarks/torch_reduction.py --rows 1000000000      # on a CUDA machine
    python benchmarks/torch_reduction.py --rows 1000000000 --tune   # also other launch sizes

1. The memory bandwidth, measured: the faster of a device-to-device copy and a sum.
2. Rows of (label, K = 4 posteriors, M = 5 decisions), generated on the device chunk by chunk, to a
   confusion matrix. The time is that of the reduction; the bytes are what it must read.
3. Binary scores to NEC + ScoreCounts, on the device against `ScoreCounts.from_scores` on the CPU.

Counts are compared with NumPy's on a sample before anything is timed; posteriors of the first chunk
are multiples of 2^-11, exact in float16, so that ties occur and must be broken alike.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
from timing import machine

import stakes
from stakes.integrations.torch import confusion_counts, score_counts
from stakes.integrations.torch.tensors import can_fuse, compared_costs, fused_counts

COSTS = stakes.CostMatrix(
    [[0, 1, 4, 9, 0.5], [2, 0, 1, 4, 0.5], [8, 2, 0, 1, 0.75], [32, 8, 2, 0, 1.5]],
    classes=["a", "b", "c", "d"],
    decisions=["a", "b", "c", "d", "ask"],
)
BINARY = stakes.Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
SAMPLE = 1_000_000
#: Rows of a block and warps that share it, tried by `--tune`.
TUNED = ((512, 1), (512, 2), (512, 4), (1024, 2), (1024, 4), (2048, 4), (2048, 8), (4096, 8))


def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def finish() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def seconds(fn: Callable[[], object], repeat: int = 3) -> float:
    """The fastest of a few runs, after one that compiles and warms; the device is waited for."""
    fn()
    best = float("inf")
    for _ in range(repeat):
        finish()
        start = time.perf_counter()
        fn()
        finish()
        best = min(best, time.perf_counter() - start)
    return best


def bandwidth(size: int) -> tuple[float, float]:
    """Bytes a second of a copy (read and written) and of a sum (read)."""
    source = torch.ones(size // 4, dtype=torch.float32, device=device())
    target = torch.empty_like(source)
    copy = 2 * source.nbytes / seconds(lambda: target.copy_(source), repeat=10)
    read = source.nbytes / seconds(source.sum, repeat=10)
    return copy, read


def exact_rows(n: int, dtype: torch.dtype, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Labels and posteriors that are multiples of 2^-11 and add to exactly 1."""
    rng = np.random.default_rng(seed)
    parts = rng.multinomial(2048, rng.dirichlet([0.7] * 4, size=n)) / 2048
    labels = rng.integers(0, 4, n, dtype=np.int8)
    return torch.tensor(labels, device=device()), torch.tensor(parts, device=device()).to(dtype)


def chunk(n: int, dtype: torch.dtype, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Labels (int8) and posteriors made where they are used, a part at a time."""
    torch.manual_seed(seed)
    labels = torch.randint(0, 4, (n,), dtype=torch.int8, device=device())
    posteriors = torch.empty((n, 4), dtype=dtype, device=device())
    for start in range(0, n, 1 << 24):
        part = posteriors[start : start + (1 << 24)]
        part.copy_((2 * torch.randn(part.shape, device=device())).softmax(dim=1))
    return labels, posteriors


def check(dtype: torch.dtype) -> None:
    """The counts of the device are those of NumPy, on posteriors with exact ties."""
    labels, posteriors = exact_rows(SAMPLE, dtype)
    found = confusion_counts(labels, posteriors, costs=COSTS).cpu().numpy()
    rows = posteriors.cpu().double().numpy()
    decisions = stakes.bayes_decisions(rows, COSTS)
    expected = stakes.ConfusionMatrix.from_decisions(
        labels.cpu().numpy(), decisions, classes=COSTS.classes, decision_names=COSTS.decisions
    )
    assert np.array_equal(found, expected.counts), f"{dtype}: counts differ from NumPy's"
    labels, posteriors = chunk(SAMPLE, dtype, seed=7)
    found = confusion_counts(labels, posteriors, costs=COSTS).cpu().numpy()
    if dtype == torch.float32:
        decisions = stakes.bayes_decisions(posteriors.cpu().numpy(), COSTS).astype(np.int64)
    else:  # half-precision rows do not add to 1 closely enough for NumPy
        decisions = (posteriors.cpu().double().numpy() @ COSTS.values).argmin(axis=1)
    codes = decisions + 5 * labels.cpu().numpy().astype(np.int64)
    assert np.array_equal(found, np.bincount(codes, minlength=20).reshape(4, 5)), f"{dtype}"


def reduce_rows(
    rows: int, dtype: torch.dtype, chunk_rows: int, *, launch: tuple[int, int, int] | None = None
) -> tuple[float, np.ndarray]:
    """Seconds of the reduction of all chunks, generation left out, and the counts."""
    total, spent = np.zeros((4, 5), dtype=np.int64), 0.0
    tolerance = {torch.float16: 1e-3, torch.float32: 1e-5}[dtype]
    rule = compared_costs(COSTS.values, dtype)

    def count(labels: torch.Tensor, posteriors: torch.Tensor) -> torch.Tensor:
        if launch is None:
            return confusion_counts(labels, posteriors, costs=COSTS)
        return fused_counts(labels, posteriors, rule, tolerance=tolerance, launch=launch)[0]

    for seed, start in enumerate(range(0, rows, chunk_rows)):
        labels, posteriors = chunk(min(chunk_rows, rows - start), dtype, seed)
        spent += seconds(lambda rows=(labels, posteriors): count(*rows), repeat=10)
        total += count(labels, posteriors).cpu().numpy()
        del labels, posteriors
    assert int(total.sum()) == rows
    return spent, total


def confusion_table(rows: int, peak: float, chunk_rows: int, tune: bool) -> None:
    print(f"\n{rows:.3g} rows of (int8 label, 4 posteriors) -> 4 x 5 counts, chunks of "
          f"{chunk_rows:.3g} rows")  # fmt: skip
    print(f"{'posteriors':<34}  {'seconds':>9}  {'rows/s':>9}  {'GB/s':>7}  of bandwidth  bar")
    for dtype, size in ((torch.float16, 9), (torch.float32, 17)):
        check(dtype)
        fused = can_fuse(torch.empty((0, 4), dtype=dtype, device=device()), COSTS.values)
        launches: list[tuple[int, int, int] | None] = [None]
        if tune and fused:
            launches += [(block, warps, 63) for block, warps in TUNED]
        for launch in launches:
            spent, _ = reduce_rows(rows, dtype, chunk_rows, launch=launch)
            name = f"{str(dtype)[6:]} " + ("fused" if fused else "plain")
            if launch:
                name += " " + "/".join(map(str, launch))
            share = rows * size / spent / peak
            verdict = ("ok" if share >= 0.6 else "MISSED") if fused else "needs CUDA and Triton"
            rate = rows * size / spent / 1e9
            print(f"{name:<34}  {spent:>9.4f}  {rows / spent:>9.3g}  {rate:>7.0f}  {share:>11.0%}"
                  f"   >= 60 % {verdict}")  # fmt: skip


def make_scores(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Labels (a tenth positive) and log odds of equal-variance normals, float32."""
    torch.manual_seed(1)
    labels = torch.rand(n, device=device()) < 0.1
    log_lr = 2 * (torch.randn(n, device=device()) + 2 * labels - 1)
    return labels, log_lr


def score_table(n: int, cpu_n: int) -> None:
    labels, scores = make_scores(n)
    sample = slice(0, min(n, SAMPLE))
    ours = score_counts(labels[sample], scores[sample], kind="llr")
    host = labels[sample].cpu().numpy(), scores[sample].cpu().numpy()
    reference = stakes.ScoreCounts.from_scores(*host, kind="llr", classes=(0, 1))
    assert ours == reference, "ScoreCounts of the device differ from the CPU's"

    def on_device() -> float:
        summary = score_counts(labels, scores, kind="llr")
        return stakes.metrics.actual_cost(summary, BINARY, normalized=True)

    host_labels, host_scores = labels[:cpu_n].cpu().numpy(), scores[:cpu_n].cpu().numpy()

    def on_cpu() -> float:
        summary = stakes.ScoreCounts.from_scores(host_labels, host_scores, kind="llr")
        return stakes.metrics.actual_cost(summary, BINARY, normalized=True)

    if cpu_n == n:
        assert on_device() == on_cpu(), "NEC of the device differs from the CPU's"
    fast, slow = seconds(on_device), seconds(on_cpu, repeat=2) * n / cpu_n
    note = "" if cpu_n == n else f" (from {cpu_n:.3g} rows)"
    print(f"\nNEC + ScoreCounts of {n:.3g} binary scores, float32")
    print(f"{'where':<34}  {'seconds':>9}  {'ratio':>9}  bar")
    print(f"{'CPU' + note:<34}  {slow:>9.4f}  {1:>9}")
    verdict = ("ok" if slow / fast >= 20 else "MISSED") if torch.cuda.is_available() else "no CUDA"
    print(f"{device()!s:<34}  {fast:>9.4f}  {slow / fast:>9.1f}  >= 20 {verdict}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--scores", type=int, help="binary scores; default: a tenth of the rows")
    parser.add_argument("--chunk", type=int, default=1_000_000_000)
    parser.add_argument("--tune", action="store_true", help="try other launch sizes too")
    args = parser.parse_args()
    name = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    print(f"{name}; torch {torch.__version__}; {machine()}")
    copy, read = bandwidth(4 << 30 if torch.cuda.is_available() else 64 << 20)
    peak = max(copy, read)
    print(f"memory bandwidth: copy {copy / 1e9:.0f} GB/s, sum {read / 1e9:.0f} GB/s; "
          f"shares below are of {peak / 1e9:.0f} GB/s")  # fmt: skip
    confusion_table(args.rows, peak, min(args.chunk, args.rows), args.tune)
    scores = args.scores or max(args.rows // 10, 1000)
    score_table(scores, scores)


if __name__ == "__main__":
    main()
