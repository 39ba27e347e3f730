"""What `stakes decide` takes of many rows, against DuckDB with one CASE; and one row in Python.

python benchmarks/decide.py           3,000,000 rows of Parquet, and one row
python benchmarks/decide.py --large   100,000,000 rows (minutes, and 5 GB on the disk)
python benchmarks/decide.py --agree   1,000,000 rows with ties: how many are decided otherwise by
                                      DuckDB, SQLite, PostgreSQL, Spark, ONNX and tensors, in
                                      float32 and float64; and rules that compare sums

Both sides read the same file, two classes and an affine calibrator, and write the same columns;
each runs in a process of its own, in 800 MB and with rows kept in order, in turns, five times; the
least time of each counts. Bars: 1.3 times the other, below 1 GB; 100 microseconds for one row.
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
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from stakes import Application, CostMatrix, DecisionRule, load_rule
from stakes.calibration import Affine, Isotonic, Temperature, Vector
from stakes.cli.entry import main as stakes
from stakes.posteriors import Posteriors

#: How often each side runs.
TURNS = 5
COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"], decisions=["wait", "call"])
#: The types of scores, and how far sums may differ for rounding alone, relative to that of |c p|.
KINDS = {"float64": 1e-9, "float32": 1e-6}


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
    """Both sides in turns."""
    with tempfile.TemporaryDirectory(prefix="stakes-decide-") as folder:
        calibrated().save(f"{folder}/rule.json")
        duckdb.sql(
            f"""COPY (SELECT i AS id, 1 / (1 + exp(-6 * (2 * random() - 1))) AS p
            FROM range({rows}) t(i)) TO '{folder}/rows.parquet' (FORMAT parquet)"""
        )
        size = Path(folder, "rows.parquet").stat().st_size / 1e6
        print(f"{rows:,} rows, {size:,.0f} MB of Parquet")
        sides = {"case": "DuckDB with one CASE", "rule": "stakes decide"}
        runs = [{side: timed(side, folder) for side in sides} for _ in range(TURNS)]
        found = {side: np.array([run[side] for run in runs]) for side in sides}
        for side, name in sides.items():
            (wall, cpu, _), peak = found[side].min(axis=0), found[side][:, 2].max()
            print(f"  {name:22s} {wall:7.1f} s  CPU {cpu:7.1f} s  peak {peak:5.0f} MB")
        ratios = found["rule"] / found["case"]
        wall, cpu, _ = found["rule"].min(axis=0) / found["case"].min(axis=0)
        each = ", ".join(f"{ratio:.2f}" for ratio in ratios[:, 0])
        print(f"  ratio {wall:.2f} (CPU {cpu:.2f}; of each turn {each}); bars: 1.3, below 1000 MB")


def one_row() -> None:
    """One case at a time, after loading."""
    row, single = [0.2, 0.3, 0.5], np.array([0.3])
    three, logits = more_classes()["posteriors"], more_classes()["logits"]
    tempered = more_classes()["temperature"]
    formulas = [["0", "2 + 0.05*amount"], ["0.75*amount", "0"]]
    by_case = DecisionRule(Application(COSTS), per_case=True, case_costs=formulas, columns="p")
    with tempfile.TemporaryDirectory() as folder:
        calibrated().save(f"{folder}/rule.json")
        rule = load_rule(f"{folder}/rule.json")
    for name, call in {
        "decide_one(0.3)": lambda: rule.decide_one(0.3),
        "decide([0.3])": lambda: rule.positions([0.3]),
        "decide(array of 1)": lambda: rule.positions(single),
        "three classes, decide_one": lambda: three.decide_one(row),
        "three classes, decide": lambda: three.positions([row]),
        "three classes, of logits": lambda: logits.positions([row]),
        "three classes, calibrated": lambda: tempered.positions([row]),
        "costs by formulas, a mapping": lambda: by_case.decide_one({"p": 0.3, "amount": 1200.0}),
    }.items():
        call()
        best = min(timeit.repeat(call, number=200, repeat=20)) / 200
        print(f"one row, {name:28s} {best * 1e6:6.1f} microseconds; bar: 100", flush=True)


def agreement(rows: int = 1_000_000) -> None:
    """How many rows each place decides otherwise than Python, ties and neighbours among them."""
    rng = np.random.default_rng(1)
    plain = DecisionRule(Application(COSTS), columns="p")
    rules = {"plain": plain, "affine": calibrated(), "isotonic": calibrated(Isotonic)}
    for name, rule in rules.items():
        for kind in KINDS:
            cuts = np.array(rule.raw_cuts(kind)[0], dtype=kind)
            near = [cuts, np.nextafter(cuts, cuts * 0), np.nextafter(cuts, cuts + 1)]
            ties = rng.choice(np.concatenate(near), rows // 10)
            p = np.concatenate([rng.random(rows - len(ties)).astype(kind), ties.astype(kind)])
            wanted = np.array(rule.decisions)[rule.positions(p)]
            typed = replace(rule, score_type=kind)
            for place, decide in PLACES.items():
                if (got := tried(decide, typed, p, f"{name:9s} {kind}  {place:10s}")) is not None:
                    other = int((np.array(got) != wanted).sum())
                    said = f"{other} of {rows:,} otherwise"
                    print(f"{name:9s} {kind}  {place:10s} {said}", flush=True)


def tried(decide: Any, rule: DecisionRule, scores: Any, what: str) -> Any:
    """The decisions of one place; None, with a line, where it is not installed."""
    try:
        return decide(rule, scores)
    except (ImportError, AssertionError, OSError) as error:
        print(f"{what} not there: {error!s:.50}", flush=True)
        return None


def more_classes() -> dict[str, DecisionRule]:
    """Rules that compare sums: three classes and an abstention."""
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1, 1, 1], 5_000)
    y = (rng.random((5_000, 1)) > p.cumsum(axis=1)).sum(axis=1)
    names = ["cat", "dog", "fox"]
    app = Application(
        CostMatrix([[0, 1, 5], [2, 0, 1], [9, 3, 0]], classes=names).with_abstention(0.7)
    )
    told = Posteriors(p**1.5 / (p**1.5).sum(axis=1, keepdims=True), classes=names)
    named = np.array(names)[y]
    learnt = {"temperature": Temperature(), "affine": Affine(), "vector": Vector()}
    return {
        "posteriors": DecisionRule(app, columns=names),
        "logits": DecisionRule(app, scores="log_odds", columns=names),
        **{
            name: DecisionRule(app, calibrator=kind.fit(told, named), columns=names)
            for name, kind in learnt.items()
        },
    }


def sums(rows: int = 1_000_000) -> None:
    """Rules that compare sums: the rows decided otherwise, and by how much those are dearer."""
    rng = np.random.default_rng(3)
    parts = np.sort(rng.integers(0, 21, (rows // 10, 2)), axis=1)
    tied = np.diff(parts, axis=1, prepend=0, append=20) / 20
    table = np.vstack([rng.dirichlet([0.7, 0.7, 0.7], rows - len(tied)), tied])
    for name, rule in more_classes().items():
        given = np.log(table + 1e-9) if rule.scores == "log_odds" else table
        for kind, bar in KINDS.items():
            scores, typed = given.astype(kind), replace(rule, score_type=kind)
            wanted = typed.positions(scores)
            for place in ("DuckDB", "ONNX"):
                what = f"{name:11s} {kind}  {place:6s}"
                if (got := tried(PLACES[place], typed, scores, what)) is None:
                    continue
                codes = np.searchsorted(np.sort(rule.decisions), np.array(got, dtype=str))
                codes = np.argsort(rule.decisions)[codes]
                where = np.flatnonzero(codes != wanted)
                apart = dearer(typed, scores[where], codes[where], wanted[where])
                worst, above = apart.max(initial=0.0), int((apart > bar).sum())
                said = f"{len(where)} of {rows:,} otherwise, by {worst:.1e} of the sum of |c p|"
                print(f"{what} {said} at most; above {bar:g}: {above}", flush=True)


def dearer(rule: DecisionRule, scores: Any, some: Any, others: Any) -> Any:
    """By how much two decisions on a row differ in expected cost, over the larger sum of |c p|."""
    if not len(scores):
        return np.zeros(0)
    wide = scores.astype(np.float64)
    told = Posteriors.from_logits(wide) if rule.scores == "log_odds" else None
    p = wide if told is None else told.values
    if rule.calibrator is not None:
        p = rule.calibrator.posteriors(Posteriors(scores, classes=rule.classes))
    each, costs = np.arange(len(p)), rule.priced_costs.values
    paid, sizes = p @ costs, p @ np.abs(costs)
    larger = np.maximum(sizes[each, some], sizes[each, others])
    return np.abs(paid[each, some] - paid[each, others]) / larger


def columns_of(rule: DecisionRule, scores: Any) -> dict[str, Any]:
    """Scores by the names of their columns."""
    return dict(zip(rule.columns or (), np.atleast_2d(scores.T), strict=True))


def in_duckdb(rule: DecisionRule, p: Any) -> Any:
    """By DuckDB's SQL."""
    import pyarrow as pa

    con = duckdb.connect()
    con.register("t", pa.table(columns_of(rule, p)))
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


def in_onnx(rule: DecisionRule, p: Any) -> Any:
    """By onnxruntime, in the type of the scores."""
    import onnxruntime

    model = rule.to_onnx(single=p.ndim == 1).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(["name"], {"scores": p})[0]


def in_torch(rule: DecisionRule, p: Any) -> Any:
    """By tensors: those of `stakes.torch` without calibration, else compared with the raw cuts."""
    import torch

    from stakes.torch import bayes_decisions

    tensor = torch.from_numpy(p)
    if rule.calibrator is None:
        codes = bayes_decisions(tensor, rule.application.costs)
        return np.array(rule.decisions)[codes.numpy()]
    at, taken = rule.raw_cuts()
    place = torch.bucketize(tensor, torch.tensor(at, dtype=tensor.dtype))
    return np.array(rule.decisions)[np.array(taken)[place.numpy()]]


PLACES = {
    "DuckDB": in_duckdb,
    "SQLite": in_sqlite,
    "PostgreSQL": in_postgres,
    "Spark": in_spark,
    "ONNX": in_onnx,
    "torch": in_torch,
}


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
        sums()
    else:
        many_rows(100_000_000 if words == ["--large"] else 3_000_000)
        one_row()


if __name__ == "__main__":
    main(sys.argv[1:])
