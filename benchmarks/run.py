"""Run every benchmark of this folder, or those named: `python benchmarks/run.py imports`.

`--record 5` runs those that print ratios five times and keeps each ratio with its spread in
`results/`; `--check 5` does the same and prints how the present compares with what is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import machine

HERE = Path(__file__).parent
RESULTS = HERE / "results"
NOT_BENCHMARKS = {"run", "timing"}


def benchmarks() -> dict[str, Path]:
    """Every script of this folder that measures something."""
    scripts = sorted(HERE.glob("*.py"))
    return {path.stem: path for path in scripts if path.stem not in NOT_BENCHMARKS}


def prints_ratios(path: Path) -> bool:
    """Whether a script prints tables of ratios; the others study quality, or print seconds."""
    return bool(re.search(r"^from timing import .*\btable\b", path.read_text("utf-8"), re.M))


def run(path: Path, rows: Path | None = None) -> bool:
    """Run one script, its ratios added to a file; whether it finished."""
    print(f"\n== {path.stem} {'=' * (76 - len(path.stem))}", flush=True)
    settings = {**os.environ} | ({"STAKES_BENCHMARK_ROWS": str(rows)} if rows else {})
    return not subprocess.run([sys.executable, str(path)], check=False, env=settings).returncode


def measured(path: Path, times: int) -> dict[str, object] | None:
    """Each ratio of a benchmark over several runs: its median, least and most."""
    found: dict[tuple[str, str], list[float]] = {}
    bars: dict[tuple[str, str], str] = {}
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows"
            if not run(path, file):
                return None
            for line in file.read_text("utf-8").splitlines():
                row = json.loads(line)
                key = (row["table"], row["what"])
                found.setdefault(key, []).append(row["ratio"])
                bars[key] = row["bar"]
    rows = [
        {
            "table": key[0],
            "what": key[1],
            "ratio": _rounded(statistics.median(ratios)),
            "low": _rounded(min(ratios)),
            "high": _rounded(max(ratios)),
            "bar": bars[key],
        }
        for key, ratios in found.items()
    ]
    return {"machine": machine(), "runs": times, "rows": rows}


def _rounded(ratio: float) -> float:
    return float(f"{ratio:.4g}")


def compared(name: str, present: dict[str, object]) -> list[str]:
    """One line per ratio that is kept; SLOWER or FASTER where the ranges do not meet."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return [f"{name}: nothing is kept; run --record first"]
    kept = {(row["table"], row["what"]): row for row in json.loads(path.read_text("utf-8"))["rows"]}
    now = {(row["table"], row["what"]): row for row in present["rows"]}
    lines = []
    for key, old in kept.items():
        new = now.get(key)
        if new is None:
            lines.append(f"{name}: {key[1]}: GONE ({key[0]})")
            continue
        ranges = [f"{r['ratio']:g} ({r['low']:g} to {r['high']:g})" for r in (old, new)]
        word = (
            "SLOWER" if new["low"] > old["high"] else "FASTER" if new["high"] < old["low"] else ""
        )
        lines.append(f"{name}: {key[1]}: {ranges[0]} -> {ranges[1]}  {word}".rstrip())
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="benchmarks; default, all")
    parser.add_argument("--record", type=int, metavar="TIMES", help="keep ratios in results/")
    parser.add_argument("--check", type=int, metavar="TIMES", help="compare with results/")
    args = parser.parse_args()
    known, times = benchmarks(), args.record or args.check
    unknown = [name for name in args.names if name not in known]
    if unknown:
        print(f"error: no benchmark {unknown}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    failed, lines = [], []
    for name in args.names or [name for name in known if not times or prints_ratios(known[name])]:
        found = measured(known[name], times) if times else run(known[name])
        if not found:
            failed.append(name)
        elif args.record:
            RESULTS.mkdir(exist_ok=True)
            text = json.dumps(found, indent=1, ensure_ascii=False)
            (RESULTS / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        elif args.check:
            lines += compared(name, found)
    print("\n".join(["", *lines]))
    if failed:
        print(f"\nerror: these did not finish: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
