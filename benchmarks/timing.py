"""Time functions side by side, and print what was measured as ratios.

Seconds depend on the machine and on what else it is doing; a ratio of two functions timed in turn
in one run depends on much less. Claims about speed are therefore ratios to a stated baseline:

    rows = compare({"np.bincount": baseline, "expected_cost": ours}, baseline="np.bincount")
    print(heading("hard decisions, N = 10^7"))
    print(table(rows))
"""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Row", "best_of", "compare", "heading", "machine", "table"]


@dataclass(frozen=True)
class Row:
    """One line of a table: what ran, how long its best run took, and that against the baseline."""

    name: str
    seconds: float
    ratio: float
    spread: float = 0.0
    bar: str = ""


def best_of(fn: Callable[[], object], repeat: int = 5) -> float:
    """Seconds of the fastest of `repeat` runs, after one run that warms caches and compilers."""
    fn()
    return min(_once(fn) for _ in range(repeat))


def compare(
    functions: Mapping[str, Callable[[], object]],
    *,
    baseline: str,
    repeat: int = 5,
    bars: Mapping[str, str] | None = None,
) -> list[Row]:
    """Time all `functions` in turn, `repeat` times over, so that a busy moment hits them alike.

    The ratio is that of the fastest runs. The spread is the relative range between the quartiles
    of a function's own runs: distrust a ratio nearer to its bar than that. `bars` are the claims,
    as text to print beside the ratio: `{"expected_cost": "<= 0.8"}`.
    """
    runs: dict[str, list[float]] = {name: [] for name in functions}
    for fn in functions.values():
        fn()
    for _ in range(repeat):
        for name, fn in functions.items():
            runs[name].append(_once(fn))
    base = min(runs[baseline])
    return [
        Row(name, min(times), min(times) / base, _spread(times), (bars or {}).get(name, ""))
        for name, times in runs.items()
    ]


def table(rows: Sequence[Row]) -> str:
    """The rows as text, columns aligned, with a mark where a bar is missed."""
    _keep(rows)
    width = max(len("what"), *(len(row.name) for row in rows))
    lines = [f"{'what':<{width}}  {'best':>10}  {'ratio':>8}  {'spread':>6}  bar"]
    for row in rows:
        lines.append(
            f"{row.name:<{width}}  {_seconds(row.seconds):>10}  {row.ratio:>8.3f}  "
            f"{f'{row.spread:.0%}' if row.spread else '':>6}  {row.bar}{_verdict(row)}".rstrip()
        )
    return "\n".join(lines)


def heading(title: str) -> str:
    """A title with the machine and the versions, without which a number means little."""
    _TITLES.append(title)
    return f"\n{title}\n{machine()}"


def machine() -> str:
    """One line: processor, cores, Python and the versions of what is timed."""
    versions = []
    for package in ("numpy", "scipy", "numba", "scikit-learn"):
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    cores = os.cpu_count()
    python = ".".join(map(str, sys.version_info[:3]))
    system = f"{platform.system()} {platform.machine()}"
    return f"{system}, {cores} cores, Python {python}, " + ", ".join(versions)


_TITLES: list[str] = []


def _keep(rows: Sequence[Row]) -> None:
    """Add the ratios to the file that `run.py --record` asks for, one line each."""
    path = os.environ.get("STAKES_BENCHMARK_ROWS")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            for row in rows:
                kept = {"table": " ".join(_TITLES[-1:]), "what": row.name, "bar": row.bar}
                print(json.dumps(kept | {"ratio": row.ratio}), file=file)


def _once(fn: Callable[[], object]) -> float:
    """Seconds of one run, with the garbage collector quiet."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        fn()
        return time.perf_counter() - start
    finally:
        if enabled:
            gc.enable()


def _spread(times: Sequence[float]) -> float:
    """Range between the quartiles, relative to the median."""
    if len(times) < 4:
        return 0.0
    low, middle, high = statistics.quantiles(times, n=4)
    return (high - low) / middle


def _seconds(value: float) -> str:
    """A duration in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value / 1e-9:.0f} ns"


def _verdict(row: Row) -> str:
    """Whether the ratio keeps its bar, where the bar is one comparison."""
    kind, _, number = row.bar.partition(" ")
    if kind == "<=":
        return "  ok" if row.ratio <= float(number) else "  MISSED"
    if kind == ">=":
        return "  ok" if row.ratio >= float(number) else "  MISSED"
    return ""
