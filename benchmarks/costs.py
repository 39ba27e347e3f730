"""Expected cost and Bayes decisions against the bare array operations they stand on.

    python benchmarks/costs.py [--rows 10000000]

Baselines: one whole-array `np.bincount` of the combined codes for counting, scikit-learn's
`confusion_matrix` as the peer, and the bare matrix product with argmin for decisions.
"""

from __future__ import annotations

import argparse
import os
import tracemalloc

import numpy as np
from timing import compare, heading, table

from stakes import Application, CostMatrix, bayes_decisions, expected_cost


def counting(rows: int, kind: type, n_classes: int) -> None:
    """`expected_cost` from labels and decisions."""
    rng = np.random.default_rng(0)
    y, d = (rng.integers(0, n_classes, rows).astype(kind) for _ in range(2))
    app = Application(CostMatrix.zero_one(n_classes))

    def bare() -> object:
        return np.bincount(y.astype(np.intp) * n_classes + d, minlength=n_classes**2)

    def numpy_path() -> object:
        os.environ["STAKES_FAST"] = "0"
        return expected_cost(y, d, application=app)

    def fast_path() -> object:
        os.environ["STAKES_FAST"] = "1"
        return expected_cost(y, d, application=app)

    def peer() -> object:
        from sklearn.metrics import confusion_matrix

        return confusion_matrix(y, d)

    functions = {
        "np.bincount of the codes": bare,
        "expected_cost (NumPy)": numpy_path,
        "expected_cost (fast)": fast_path,
        "sklearn confusion_matrix": peer,
    }
    bars = {"expected_cost (NumPy)": "<= 0.8", "expected_cost (fast)": "<= 0.4"}
    results = compare(functions, baseline="np.bincount of the codes", repeat=3, bars=bars)
    os.environ.pop("STAKES_FAST", None)
    print(heading(f"expected_cost, {rows:.0e} rows of {np.dtype(kind)}, K = {n_classes}"))
    print(table(results))
    seconds = {row.name: row.seconds for row in results}
    ratio = seconds["sklearn confusion_matrix"] / seconds["expected_cost (NumPy)"]
    print(f"scikit-learn / ours (NumPy): {ratio:.0f} x  (bar: >= 25)")


def decisions(rows: int) -> None:
    """`bayes_decisions` for ten classes and eleven decisions, float32."""
    rng = np.random.default_rng(0)
    logits = rng.standard_normal((rows, 10), dtype=np.float32)
    posteriors = np.exp(logits)
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    costs = CostMatrix(rng.random((10, 11)))
    weights = costs.values.astype(np.float32)
    functions = {
        "product and argmin": lambda: (posteriors @ weights).argmin(axis=1),
        "bayes_decisions": lambda: bayes_decisions(posteriors, costs),
    }
    results = compare(
        functions, baseline="product and argmin", repeat=3, bars={"bayes_decisions": "<= 1.2"}
    )
    print(heading(f"bayes_decisions, K = 10, M = 11, float32, {rows:.0e} rows"))
    print(table(results))
    tracemalloc.start()
    bayes_decisions(posteriors, costs)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"peak extra memory: {peak:.0f} MB  (bar: < 200)")


def two_classes(rows: int) -> None:
    """Two classes through exact cut points."""
    p = np.random.default_rng(0).random(rows)
    both = np.column_stack([1 - p, p])
    costs = CostMatrix([[0, 1, 0.3], [5, 0, 0.3]])
    pair = CostMatrix([[0, 1], [5, 0]])
    functions = {
        "product and argmin, M = 2": lambda: (both @ pair.values).argmin(axis=1),
        "bayes_decisions (n,), M = 2": lambda: bayes_decisions(p, pair),
        "bayes_decisions (n, 2), M = 2": lambda: bayes_decisions(both, pair),
        "bayes_decisions (n,), M = 3": lambda: bayes_decisions(p, costs),
    }
    bars = dict.fromkeys(["bayes_decisions (n,), M = 2"], "<= 0.1")
    results = compare(functions, baseline="product and argmin, M = 2", repeat=5, bars=bars)
    print(heading(f"two classes by cut points, float64, {rows:.0e} rows"))
    print(table(results))


def main() -> None:
    """Run all parts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_args().rows
    for kind in (np.uint8, np.int64):
        for n_classes in (2, 10):
            counting(rows, kind, n_classes)
    decisions(rows)
    two_classes(rows)


if __name__ == "__main__":
    main()
