"""Binary scores: one summary and everything that ranks tell, next to one `np.sort`.

python benchmarks/scores.py            N = 10^7, float64 and float32, 10 % positives
python benchmarks/scores.py 1000000    another N
python benchmarks/scores.py big        10^8 float32 scores in bins, batch by batch
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable

import numpy as np
from timing import compare, heading, table

from stakes import Application, ScoreCounts, metrics
from stakes.summaries import score_edges

APP = Application([[0, 1], [10, 0]], priors=[0.95, 0.05])


def drawn(n: int, dtype: type, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """10 % positives, Gaussian LLRs."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    s = rng.standard_normal(n, dtype=np.float32).astype(dtype)
    s *= 2
    s += 4 * y - 2
    return y.astype(np.int8), s


def everything(y: np.ndarray, s: np.ndarray) -> tuple[float, ...]:
    """The summary, AUC, EER, minimum cost, hull and minimum Cllr."""
    sc = ScoreCounts.from_scores(y, s, kind="llr")
    return (
        metrics.auc(sc),
        metrics.eer(sc),
        metrics.eer(sc, method="hull"),
        metrics.min_cost(sc, APP),
        metrics.min_cllr(sc),
    )


def with_numba(wish: str, call: Callable[[], object]) -> Callable[[], object]:
    """The call with the compiled loops demanded ("1") or forbidden ("0")."""

    def run() -> object:
        os.environ["STAKES_FAST"] = wish
        return call()

    return run


def ranks(n: int, dtype: type) -> None:
    """Everything but Cllr, against one sort and against scikit-learn's AUC."""
    y, s = drawn(n, dtype)
    check(y, s)
    functions: dict[str, Callable[[], object]] = {
        "np.sort": lambda: np.sort(s),
        "all ranks, NumPy": with_numba("0", lambda: everything(y, s)),
    }
    limit = 6 if dtype is np.float64 else 10
    bars = {"all ranks, NumPy": f"<= {limit}"}
    try:
        import numba  # noqa: F401

        functions["all ranks, Numba"] = with_numba("1", lambda: everything(y, s))
        bars["all ranks, Numba"] = "<= 3"
    except ImportError:
        print("numba is not installed: the extra `fast` is not timed")
    sc = ScoreCounts.from_scores(y, s, kind="llr")
    functions["Cllr from the summary"] = lambda: metrics.cllr(sc)
    bars["Cllr from the summary"] = "<= 2.5"
    print(heading(f"{n:,} scores of {dtype.__name__}, ratios to one np.sort"))
    print(table(compare(functions, baseline="np.sort", repeat=5, bars=bars)))
    against_sklearn(y, s, functions)


def against_sklearn(
    y: np.ndarray, s: np.ndarray, functions: dict[str, Callable[[], object]]
) -> None:
    """All ranks as a part of the time that `roc_auc_score` alone takes: 1/8 and 1/12."""
    try:
        from sklearn.metrics import roc_auc_score
    except ImportError:
        print("scikit-learn is not installed: no comparison")
        return
    ours = {name: run for name, run in functions.items() if name.startswith("all ranks")}
    peer = "roc_auc_score of scikit-learn"
    bars = {"all ranks, NumPy": "<= 0.125", "all ranks, Numba": "<= 0.0833"}
    rows = compare({peer: lambda: roc_auc_score(y, s), **ours}, baseline=peer, repeat=2, bars=bars)
    print(table(rows))


def check(y: np.ndarray, s: np.ndarray) -> None:
    """The same answers on a part of the data, whoever computes them."""
    part = slice(0, 200_000)
    found = {}
    for wish in ("0", "1"):
        os.environ["STAKES_FAST"] = wish
        found[wish] = everything(y[part], s[part])
    assert found["0"] == found["1"], found
    try:
        from sklearn.metrics import roc_auc_score
    except ImportError:
        return
    assert abs(found["0"][0] - roc_auc_score(y[part], s[part])) < 1e-12


def big(n: int = 10**8, batch: int = 10**7) -> None:
    """Merge batches in bins: memory stays that of one batch."""
    edges = score_edges(thresholds=[APP.llr_threshold], limit=12.0)
    total, started = None, time.perf_counter()
    spent = 0.0
    for k in range(n // batch):
        y, s = drawn(batch, np.float32, seed=k)
        before = time.perf_counter()
        part = ScoreCounts.from_scores(y, s, kind="llr").binned(edges)
        total = part if total is None else total + part
        spent += time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(heading(f"{n:,} float32 scores in {len(edges) + 1} bins, batches of {batch:,}"))
    print(f"binning {spent:.1f} s of {time.perf_counter() - started:.1f} s; peak {peak:.0f} MB")
    print(metrics.score_bounds(total, APP).frame())
    print(f"actual cost at the Bayes threshold, exact: {metrics.actual_cost(total, APP):.6f}")


def main() -> None:
    if sys.argv[1:] == ["big"]:
        big()
        return
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    for dtype in (np.float64, np.float32):
        ranks(n, dtype)


if __name__ == "__main__":
    main()
