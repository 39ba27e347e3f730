"""What an evaluation of very many classes, or models, takes: memory, seconds, sizes.

python benchmarks/load.py           300 classes, 100 models, without calibration
python benchmarks/load.py --large   1,000 classes and 200 models, also calibrated (minutes)

Each runs in a process of its own. Memory is the peak above that of the input arrays. Bars: 1 GB,
and 2 MB for a page.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import heading

from stakes import Application, evaluate

CASES = 20_000


def of_classes(size: int) -> tuple[Any, Any, Any]:
    """Posteriors of many classes, at costs of their own."""
    rng = np.random.default_rng(0)
    y = np.arange(CASES) % size
    said = rng.normal(size=(CASES, size))
    said[np.arange(CASES), y] += 5
    np.exp(said, out=said)
    said /= said.sum(axis=1, keepdims=True)
    return y, {"model": said}, Application(rng.uniform(1, 10, (size, size)) * (1 - np.eye(size)))


def of_models(size: int) -> tuple[Any, Any, Any]:
    """Many models of two classes."""
    rng = np.random.default_rng(0)
    y = (rng.random(CASES) < 0.3).astype(int)
    llr = [rng.normal((2 * y - 1) * s * s / 2, s) for s in rng.uniform(0.5, 2, size)]
    models = {f"m{k}": 1 / (1 + 7 / 3 * np.exp(-each)) for k, each in enumerate(llr)}
    return y, models, Application([[0, 4], [10, 0]])


def of_decisions(size: int) -> tuple[Any, Any, Any]:
    """Decisions of many models of two classes."""
    y, models, app = of_models(size)
    return y, {name: (p > 4 / 14).astype(int) for name, p in models.items()}, app


MADE: dict[str, Callable[[int], tuple[Any, Any, Any]]] = {
    "classes": of_classes,
    "models": of_models,
    "decisions": of_decisions,
}


def most() -> float:
    """Peak of memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(what: str, size: int, recalibrate: bool) -> None:
    """One line: memory and seconds of the evaluation, and how large its page and JSON are."""
    y, models, app = MADE[what](size)
    before, start = most(), time.perf_counter()
    ev = evaluate(y, models, application=app, recalibrate=recalibrate, rng=0)
    seconds = time.perf_counter() - start
    page, record = len(ev.to_html()) / 1e6, len(ev.to_json()) / 1e6
    used = most() - before
    missed = "  MISSED" if used > 1000 or page > 2 else ""
    kind = "calibrated" if recalibrate else "as it is"
    print(f"{size:>5} {what:<9} {kind:<10} {used:>6.0f} MB {seconds:>6.1f} s   page {page:.2f} MB, "
          f"JSON {record:.2f} MB{missed}")  # fmt: skip


def main() -> None:
    """Run every size in a process of its own."""
    if len(sys.argv) == 4:
        measured(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "calibrated")
        return
    large = "--large" in sys.argv
    classes, models = ("1000", "200") if large else ("300", "100")
    runs = [("classes", classes, ""), ("models", models, ""), ("decisions", models, "")]
    if large:
        runs += [("models", models, "calibrated"), ("classes", classes, "calibrated")]
    print(heading(f"memory above the input arrays, N = {CASES:,}"), flush=True)
    for run in runs:
        subprocess.run([sys.executable, __file__, *run], check=True)


if __name__ == "__main__":
    main()
