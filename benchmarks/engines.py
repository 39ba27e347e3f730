"""Reductions of many rows in DuckDB against a bare scan and against SQL written by hand.

    .venv/bin/python benchmarks/engines.py                    # 10^7 rows
    .venv/bin/python benchmarks/engines.py --rows 100000000   # as claimed; 2.6 GB in /tmp
    .venv/bin/python benchmarks/engines.py --rows 100000000 --copies 10 --evaluate --repeat 1

Parquet with a label, four float32 posteriors and a weight is made once and read by everybody in
one run, in a process of its own whose peak memory is measured. SQL by hand counts the same cells,
in float64, and checks nothing; ours also refuses rows that cannot be used. What is compared is the
processor time of all threads, best of several turns: on a busy machine it is disturbed less than
the clock.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from timing import Row, machine, table

CHUNK = 2_000_000
MEMORY = "600MB"
THREADS = os.cpu_count() or 1
SCALE = 38966.749537294156  # bins of the fourth root, as `stakes.engines.row_values.scale(32767)`


def write(path: Path, rows: int) -> None:
    """Made-up posteriors of four classes, chunk by chunk."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, rows, CHUNK):
        n = min(CHUNK, rows - start)
        y = rng.integers(0, 4, n).astype(np.int8)
        logits = rng.standard_normal((n, 4), dtype=np.float32)
        logits[np.arange(n), y] += 2
        p = np.exp(logits)
        p /= p.sum(axis=1, keepdims=True)
        columns = {f"p{k}": np.ascontiguousarray(p[:, k]) for k in range(4)}
        weight = rng.gamma(2.0, 1.0, n).astype(np.float32)
        last = (y == 3).astype(np.int8)
        made = pa.table({"label": y, **columns, "weight": weight, "last": last})
        writer = writer or pq.ParquetWriter(path, made.schema)
        writer.write_table(made, row_group_size=500_000)
    assert writer is not None
    writer.close()


def by_hand(file: str) -> dict[str, str]:
    """The same reductions in plain SQL."""
    doubles = ", ".join(f"p{k}::DOUBLE AS p{k}" for k in range(4))
    sure = "0.8e0 * (p0 + p1 + p2 + p3)"
    decided = (
        f"CASE WHEN p0 >= p1 AND p0 >= p2 AND p0 >= p3 AND p0 >= {sure} THEN 0 "
        f"WHEN p1 >= p2 AND p1 >= p3 AND p1 >= {sure} THEN 1 "
        f"WHEN p2 >= p3 AND p2 >= {sure} THEN 2 WHEN p3 >= {sure} THEN 3 ELSE 4 END"
    )
    near = "sqrt(sqrt(0.5e0 - abs(p - 0.5e0)))"
    return {
        "decisions": f"SELECT label, {decided} AS d, count(*) FROM "
        f"(SELECT label, {doubles} FROM {file}) GROUP BY ALL",
        "costs per case": "SELECT y, d, count(*), sum(c), sum(c * c) FROM (SELECT y, d, CASE "
        "WHEN y = 1 AND d = 0 THEN 5e0 * w WHEN y = 0 AND d = 1 THEN 1e0 ELSE 0e0 END AS c FROM "
        "(SELECT y, w, CASE WHEN 5e0 * w * p <= 1e0 - p THEN 0 ELSE 1 END AS d FROM (SELECT "
        f"last AS y, weight::DOUBLE AS w, p3::DOUBLE AS p FROM {file}))) GROUP BY ALL",
        "score bins": "SELECT b, count(*), sum(y), min(p), max(p) FROM (SELECT y, p, CAST(CASE "
        "WHEN p <= 0.5e0 THEN s ELSE 65533e0 - s END + CASE WHEN p > 0.16666666666666666e0 THEN "
        f"1 ELSE 0 END AS INTEGER) AS b FROM (SELECT y, p, floor({near} * {SCALE}e0) AS s FROM "
        f"(SELECT last AS y, p3::DOUBLE AS p FROM {file}))) GROUP BY ALL",
    }


def scans(file: str) -> dict[str, str]:
    """Reading the same columns and adding them up."""
    return {
        "decisions": f"SELECT sum(label), sum(p0), sum(p1), sum(p2), sum(p3) FROM {file}",
        "costs per case": f"SELECT sum(last), sum(p3), sum(weight) FROM {file}",
        "score bins": f"SELECT sum(last), sum(p3) FROM {file}",
        "evaluation": f"SELECT sum(last), sum(p3), sum(p2) FROM {file}",
    }


def evaluated(path: str) -> dict[str, Callable[[], object]]:
    """All that is said of two models of two classes, and the counts that it is made of."""
    from stakes import Inquiry
    from stakes.inquiry.answers import answer
    from stakes.inquiry.far_answer import counted_far

    asked = Inquiry(
        source=path,
        label="last",
        positive="1",
        scores="p3,p2",
        cost={"fn": 5, "fp": 1},
        engine="duckdb",
        memory=MEMORY,
    )
    return {
        "evaluation: counts": lambda: counted_far(asked),
        "evaluation: all": lambda: answer(asked),
    }


def ours(relation: Any) -> dict[str, Callable[[], object]]:
    """The requests, each as one call."""
    from stakes import Application, CostMatrix
    from stakes.engines import Request, reduce_frame

    four = Application(CostMatrix.zero_one(4).with_abstention(0.2))
    two = Application([[0, 1], [5, 0]])
    costs = {"fp": 1, "fn": "5*weight"}
    requests = {
        "decisions": Request("label", {"m": ["p0", "p1", "p2", "p3"]}, applications=four),
        "costs per case": Request("last", {"m": "p3"}, applications=two, case_costs=costs),
        "score bins": Request("last", {"m": "p3"}, applications=two, bins=2**16),
        "two classes, decisions": Request("last", {"m": "p3"}, applications=two),
        "all of two classes in one request": Request(
            "last", {"m": "p3"}, applications=two, case_costs=costs, bins=2**16
        ),
    }
    return {name: lambda r=r: reduce_frame(relation, r) for name, r in requests.items()}


def measured(path: str, repeat: int, *, whole: bool = False) -> dict[str, Any]:
    """Processor seconds of every query, best of `repeat`, and the peak memory.

    With `whole`, the evaluation alone, and how long it took by the clock.
    """
    import duckdb

    connection = duckdb.connect(config={"threads": THREADS, "memory_limit": MEMORY})
    file = f"'{path}'"
    tasks: dict[str, Callable[[], object]] = {}
    for kind, queries in (("scan", scans(file)), ("SQL by hand", by_hand(file))):
        for name, query in queries.items():
            tasks[f"{name}: {kind}"] = lambda q=query: connection.execute(q).fetchall()
    for name, call in ours(connection.sql(f"FROM {file}")).items():
        tasks[f"{name}: ours"] = call
    tasks |= evaluated(path)
    if whole:
        tasks = {name: task for name, task in tasks.items() if name.startswith("evaluation")}
    best, clock = (dict.fromkeys(tasks, float("inf")) for _ in range(2))
    for _ in range(repeat):
        for name, task in tasks.items():
            start, began = time.process_time(), time.perf_counter()  # the first of all threads
            task()
            best[name] = min(best[name], time.process_time() - start)
            clock[name] = min(clock[name], time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # kB on Linux
    return {"seconds": best, "clock": clock, "peak_gb": peak}


def shown(found: dict[str, Any], rows: int) -> str:
    """The table: ratios to the scan of the same columns, and to SQL by hand."""
    seconds = found["seconds"]
    scan_bars = {"decisions": "<= 2.7", "costs per case": "<= 2.2", "score bins": "<= 6"}
    lines = []
    for task, bar in scan_bars.items():
        scan = seconds[f"{task}: scan"]
        for kind in ("scan", "SQL by hand", "ours"):
            value = seconds[f"{task}: {kind}"]
            lines.append(Row(f"{task}: {kind}", value, value / scan, 0.0, bar * (kind == "ours")))
    text = [f"{rows:,} rows, ratio to the bare scan of the same columns", table(lines), ""]
    pairs = []
    for task in scan_bars:
        hand, mine = seconds[f"{task}: SQL by hand"], seconds[f"{task}: ours"]
        pairs.append(Row(task, mine, mine / hand, 0.0, "<= 1.1"))
    text += ["ratio to SQL by hand", table(pairs), ""]
    parts = ("two classes, decisions", "costs per case", "score bins")
    apart = sum(seconds[f"{part}: ours"] for part in parts)
    one = seconds["all of two classes in one request: ours"]
    text += ["decisions, costs and bins of two classes", table([
        Row("one after the other", apart, 1.0), Row("one request", one, one / apart, 0.0, "<= 1.0")
    ]), ""]  # fmt: skip
    text += [whole_evaluation(found, rows), ""]
    rate = rows / seconds["decisions: ours"] / 1e6
    binned = rows / seconds["score bins: ours"] / 1e6
    text.append(f"per core: {rate:.1f} million rows a second decided, {binned:.1f} million binned")
    return "\n".join([*text, peak_line(found)])


def whole_evaluation(found: dict[str, Any], rows: int) -> str:
    """The evaluation against its counts, and these against reading the columns."""
    seconds, clock = found["seconds"], found["clock"]
    scan, counts, every = (seconds[f"evaluation: {part}"] for part in ("scan", "counts", "all"))
    lines = [
        Row("its columns, read", scan, scan / counts),
        Row("its counts", counts, 1.0),
        Row("all of it", every, every / counts, 0.0, "<= 1.5"),
    ]
    title = f"{rows:,} rows, two models, re-calibrated, as stakes eval does it"
    took = f"all of it: {clock['evaluation: all']:.1f} s by the clock, {every / scan:.1f} x reading"
    return "\n".join([title, table(lines), took])


def peak_line(found: dict[str, Any]) -> str:
    """The peak memory."""
    return f"peak memory {found['peak_gb']:.2f} GB (bar 1 GB)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="where the Parquet file is, or is to stay")
    parser.add_argument("--evaluate", action="store_true", help="the whole evaluation alone")
    parser.add_argument("--copies", type=int, default=1, help="the file under so many names")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.measure, options.repeat, whole=options.evaluate)))
        return 0
    folder = Path(tempfile.mkdtemp(prefix="stakes-engines-"))
    path = options.keep or folder / "rows.parquet"
    if not path.exists():
        needed = options.rows * 30
        free = shutil.disk_usage(path.parent).free
        if free < needed:
            print(f"needs {needed / 1e9:.1f} GB in {path.parent}; {free / 1e9:.1f} GB are free")
            return 1
        write(path, options.rows)
    try:
        for k in range(options.copies if options.copies > 1 else 0):
            os.link(path, folder / f"copy-{k}.parquet")
        read = path if options.copies == 1 else folder / "copy-*.parquet"
        command = [sys.executable, __file__, "--measure", str(read)]
        command += ["--repeat", str(options.repeat), *["--evaluate"] * options.evaluate]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    finally:
        shutil.rmtree(folder)
    print(f"{machine()}, duckdb {importlib.metadata.version('duckdb')}")
    found, rows = json.loads(done.stdout.splitlines()[-1]), options.rows * options.copies
    if options.evaluate:
        print("\n".join([whole_evaluation(found, rows), peak_line(found)]))
    else:
        print(shown(found, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
