"""Replicates on summaries against replicates of rows.

One replicate of AUC and equal error rate on label runs, by arrays and by compiled loops, against
drawing rows, sorting and counting them; AUC against scikit-learn: how many times faster, by
processor time. And NEC of ten systems after reduction.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable
from unittest import mock

import numpy as np
from timing import Row, best_of, heading, table

from stakes import Application, ConfusionMatrix, PairedCounts, ScoreCounts
from stakes._kernels import run_bootstrap as runs_kernel
from stakes._kernels.run_bootstrap import Rates
from stakes.uncertainty import compare as compare_systems
from stakes.uncertainty import interval

N, SHARE = 10**6, 0.01


def both(rates: Rates) -> tuple[float, ...]:
    """AUC and equal error rate."""
    return runs_kernel.area(rates), runs_kernel.rates_crossing(rates)


def by_sorting(
    positive: np.ndarray, scores: np.ndarray, rng: np.random.Generator
) -> tuple[float, ...]:
    """Draw rows, sort them, count: what a replicate costs without a summary."""
    drawn = rng.integers(0, N, N)
    chosen = scores[drawn]
    found = positive[drawn][np.argsort(chosen)]
    hits = np.concatenate(([0], np.cumsum(found)))
    below = np.arange(N + 1) - hits
    return both(Rates(hits / hits[-1], 1 - below / below[-1]))


def by_sklearn(positive: np.ndarray, scores: np.ndarray, rng: np.random.Generator) -> float:
    """AUC of one resample, as users write it with scikit-learn."""
    from sklearn.metrics import roc_auc_score

    drawn = rng.integers(0, N, N)
    return roc_auc_score(positive[drawn], scores[drawn])


def work_of(function: Callable[[], object], times: int) -> float:
    """Processor seconds of one call, on average."""
    function()
    start = time.process_time()
    for _ in range(times):
        function()
    return (time.process_time() - start) / times


def rank_statistics(separation: float) -> None:
    """One replicate of each kind, on the same million scores."""
    rng = np.random.default_rng(0)
    positive = rng.random(N) < SHARE
    scores = rng.normal(separation * positive)
    runs = ScoreCounts.from_scores(positive, scores, kind="rank").runs

    def replicates(size: int) -> np.ndarray:
        return runs_kernel.rank_draws(runs.negatives, runs.positives, size, rng)

    many = replicates(50)
    few = np.array([by_sorting(positive, scores, rng) for _ in range(3)])
    assert np.abs(many.mean(0) - few.mean(0)).max() < 6 * many.std(0).max()
    print(
        heading(
            f"one replicate, N = {N:,}, {SHARE:.0%} positives, d' = {separation:g}, "
            f"{runs.negatives.shape[0]:,} label runs"
        )
    )
    # processor time of many in a row: steady on a busy machine, and caches as in use
    sorting = work_of(lambda: by_sorting(positive, scores, rng), 5)
    rows = [Row("draw rows and sort", sorting, 1.0)]
    for name, wish, bar in (("label runs, NumPy", "0", ""), ("label runs, Numba", "1", ">= 200")):
        if wish == "1" and importlib.util.find_spec("numba") is None:
            print("Numba is not installed")
            continue
        with mock.patch.dict(os.environ, STAKES_FAST=wish):
            one = work_of(lambda: replicates(500), 1) / 500
        rows.append(Row(name, one, sorting / one, bar=bar))
    print(table(rows))
    try:
        import sklearn  # noqa: F401
    except ImportError:
        print("scikit-learn is not installed")
        return
    theirs = work_of(lambda: by_sklearn(positive, scores, rng), 2)
    start, wall = time.process_time(), time.perf_counter()
    replicates(1000)
    work, wall = time.process_time() - start, time.perf_counter() - wall
    rows = [
        Row("scikit-learn", theirs, 1.0),
        Row("AUC, runs", work / 1000, theirs / (work / 1000), bar=">= 50"),
    ]
    print(table(rows))
    print(f"1,000 replicates of AUC: {wall:.2f} s")


def ten_systems() -> None:
    """10,000 replicates of NEC for ten systems with 10^7 rows each, after reduction."""
    rng = np.random.default_rng(0)
    y = (np.arange(100_000) % 50 == 0).astype(np.int8)
    common = rng.random(100_000)
    decisions = {
        f"system {k}": y ^ (np.where(rng.random(100_000) < 0.7, common, rng.random(100_000)) < 0.05)
        for k in range(10)
    }
    joint = PairedCounts.from_decisions(y, decisions)
    paired = PairedCounts(
        joint.cells, joint.counts * 100, joint.systems, joint.classes, joint.decisions
    )
    app = Application([[0, 1], [20, 0]], priors=[0.98, 0.02])
    from stakes.uncertainty.comparison import cost_draws
    from stakes.uncertainty.intervals.interval import Replicates
    from stakes.uncertainty.intervals.linear_costs import as_stakes

    draw = cost_draws([paired], as_stakes(app), True)
    seconds = best_of(lambda: Replicates.drawn(draw, 10_000, 0), 3)
    print(heading(f"10 systems, {paired.total:,.0f} cases, {paired.counts.shape[0]} joint cells"))
    start = time.process_time()
    Replicates.drawn(draw, 10_000, 0)
    work = time.process_time() - start
    print(
        f"10,000 joint replicates of NEC: {seconds:.2f} s, {work:.2f} s of work  (bar: under 1 s)"
    )
    matrices = [paired.confusion(name) for name in paired.systems]
    seconds = best_of(lambda: [replicates_of_nec(m, app) for m in matrices], 3)
    print(f"10,000 replicates of NEC for each system apart: {seconds:.2f} s  (bar: under 1 s)")
    seconds = best_of(lambda: compare_systems(paired, app, normalized=True, rng=0), 1)
    print(f"all 45 pairs with intervals and exact tests: {seconds:.2f} s")


def replicates_of_nec(matrix: ConfusionMatrix, app: Application) -> object:
    return interval(matrix, "nec", application=app, method="percentile", draws=10_000, rng=0)


def main() -> None:
    for separation in (2.0, 4.0):
        rank_statistics(separation)
    ten_systems()


if __name__ == "__main__":
    main()
