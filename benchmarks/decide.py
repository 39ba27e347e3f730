"""What `stakes decide` takes of many rows, against DuckDB with one CASE; and one row in Python.

python benchmarks/decide.py           3,000,000 rows of Parquet, and one row
python benchmarks/decide.py --large   100,000,000 rows (minutes, and 5 GB on the disk)
python benchmarks/decide.py --agree   1,000,000 rows with ties: how many are decided otherwise by
                                      DuckDB, SQLite, PostgreSQL and Spark, in float32 and float64

Both sides read the same file, two classes and an affine calibrator, and write the same columns;
each runs in a process of its own, in 800 MB and with rows kept in order. Bars: 1.3 times the other,
below 1 GB; 100 microseconds for one row. Where other work runs beside, compare the CPU seconds.
"""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from stakes import Application, CostMatrix, DecisionRule, load_rule
from stakes.calibration import Affine, Isotonic
from stakes.cli.entry import main as stakes
from stakes.posteriors import Posteriors

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"], decisions=["wait", "call"])


def cases() -> tuple[Any, Any]:
    """Over-confident posteriors, and the truth."""
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.2).astype(int)
    return y, 1 / (1 + np.exp(-rng.normal(3 * (2 * y - 1), 4)))


def calibrated(kind: Any = Affine) -> DecisionRule:
    """The rule that is timed."""
    y, p = cases()
    app = Application(COSTS, priors=[0.9, 0.1])
    return DecisionRule(app, calibrator=kind(bound="data").fit(Posteriors(p), y), columns="p")


def rule_side(folder: str) -> None:
    """Ours, as typed."""
    given = ["decide", f"{folder}/rows.parquet", "--rule", f"{folder}/rule.json", "--quiet"]
    assert stakes([*given, "-o", f"{folder}/ours.parquet", "--engine", "duckdb"]) == 0


def case_side(folder: str) -> None:
    """DuckDB reading, one CASE and its opposite, and as many columns of numbers."""
    (cut,), _ = load_rule(f"{folder}/rule.json").raw_cuts()
    con = duckdb.connect()
    con.execute("SET memory_limit = '800MB'")
    con.execute(f"SET temp_directory = '{folder}'")
    con.execute(
        f"""COPY (SELECT *, CASE WHEN p > {cut!r}e0 THEN 'call' ELSE 'wait' END AS decision,
        p AS expected_cost, CASE WHEN p > {cut!r}e0 THEN 'wait' ELSE 'call' END AS next_best,
        1 - p AS margin FROM read_parquet('{folder}/rows.parquet'))
        TO '{folder}/theirs.parquet' (FORMAT parquet)"""
    )


def timed(side: str, folder: str) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak megabytes of one side, in a process of its own."""
    command = [sys.executable, __file__, "--side", side, folder]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wall, cpu, peak = map(float, told.split()[-3:])
    return wall, cpu, peak


def many_rows(rows: int) -> None:
    """Both sides, one after the other."""
    with tempfile.TemporaryDirectory(prefix="stakes-decide-") as folder:
        calibrated().save(f"{folder}/rule.json")
        duckdb.sql(
            f"""COPY (SELECT i AS id, 1 / (1 + exp(-6 * (2 * random() - 1))) AS p
            FROM range({rows}) t(i)) TO '{folder}/rows.parquet' (FORMAT parquet)"""
        )
        size = Path(folder, "rows.parquet").stat().st_size / 1e6
        print(f"{rows:,} rows, {size:,.0f} MB of Parquet")
        found = {side: timed(side, folder) for side in ("case", "rule")}
        for side, (wall, cpu, peak) in found.items():
            name = {"case": "DuckDB with one CASE", "rule": "stakes decide"}[side]
            print(f"  {name:22s} {wall:7.1f} s  CPU {cpu:7.1f} s  peak {peak:5.0f} MB")
        ratios = [a / b for a, b in zip(found["rule"], found["case"], strict=True)]
        print(f"  ratio {ratios[0]:.2f} (CPU {ratios[1]:.2f}); bars: 1.3, below 1000 MB")


def one_row() -> None:
    """One case at a time, after loading."""
    with tempfile.TemporaryDirectory() as folder:
        calibrated().save(f"{folder}/rule.json")
        rule = load_rule(f"{folder}/rule.json")
    rule.decide_one(0.3)
    for name, call in {
        "decide_one(0.3)": lambda: rule.decide_one(0.3),
        "decide([0.3])": lambda: rule.decide([0.3]),
    }.items():
        best = min(timeit.repeat(call, number=200, repeat=20)) / 200
        print(f"one row, {name}: {best * 1e6:.1f} microseconds; bar: 100")


def agreement(rows: int = 1_000_000) -> None:
    """How many rows each place decides otherwise than Python, ties and neighbours among them."""
    rng = np.random.default_rng(1)
    for name, rule in {"affine": calibrated(), "isotonic": calibrated(Isotonic)}.items():
        for kind in ("float64", "float32"):
            cuts = np.array(rule.raw_cuts(kind)[0], dtype=kind)
            near = [cuts, np.nextafter(cuts, cuts * 0), np.nextafter(cuts, cuts + 1)]
            ties = rng.choice(np.concatenate(near), rows // 10)
            p = np.concatenate([rng.random(rows - len(ties)).astype(kind), ties.astype(kind)])
            wanted = np.array(rule.decisions)[rule.decide(p)]
            typed = DecisionRule(
                rule.application, calibrator=rule.calibrator, columns="p", score_type=kind
            )
            for place, decide in PLACES.items():
                try:
                    got = decide(typed, p)
                except (ImportError, AssertionError, OSError) as error:
                    print(f"{name:9s} {kind}  {place:10s} not there: {error!s:.50}")
                    continue
                other = int((np.array(got) != wanted).sum())
                print(f"{name:9s} {kind}  {place:10s} {other} of {rows:,} otherwise", flush=True)


def in_duckdb(rule: DecisionRule, p: Any) -> Any:
    """By DuckDB's SQL."""
    import pyarrow as pa

    con = duckdb.connect()
    con.register("t", pa.table({"p": p}))
    return con.execute(f"SELECT {rule.to_sql('duckdb')} AS d FROM t").fetchnumpy()["d"]


def in_sqlite(rule: DecisionRule, p: Any) -> Any:
    """By SQLite's SQL."""
    con = sqlite3.connect(":memory:")
    con.execute("CREATE TABLE t (p REAL)")
    con.executemany("INSERT INTO t VALUES (?)", ((x,) for x in p.tolist()))
    return [row[0] for row in con.execute(f"SELECT {rule.to_sql('sqlite')} FROM t")]


def in_postgres(rule: DecisionRule, p: Any) -> Any:
    """By PostgreSQL's SQL, in the server that the tests start."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from postgres_server import running

    kind = "real" if p.dtype == np.float32 else "double precision"
    with running() as server:
        server.load("t", {"p": kind}, [(x,) for x in p.tolist()])
        return [row[0] for row in server.rows(f"SELECT {rule.to_sql('postgres')} FROM t;")]


def in_spark(rule: DecisionRule, p: Any) -> Any:
    """By Spark's SQL."""
    import pyarrow as pa
    import pyarrow.parquet as parquet
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(pa.table({"p": p}), f"{folder}/p.parquet")
        found = session.read.parquet(f"{folder}/p.parquet").selectExpr(rule.to_sql("spark"))
        return [row[0] for row in found.collect()]


PLACES = {"DuckDB": in_duckdb, "SQLite": in_sqlite, "PostgreSQL": in_postgres, "Spark": in_spark}


def main(words: Sequence[str] = ()) -> None:
    """Run what was asked for."""
    words = list(words)
    if words[:1] == ["--side"]:
        began = time.perf_counter()
        {"rule": rule_side, "case": case_side}[words[1]](words[2])
        used = resource.getrusage(resource.RUSAGE_SELF)
        wall = time.perf_counter() - began
        print(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3)
    elif words[:1] == ["--agree"]:
        agreement()
    else:
        many_rows(100_000_000 if words == ["--large"] else 3_000_000)
        one_row()


if __name__ == "__main__":
    main(sys.argv[1:])
