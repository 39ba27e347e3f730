"""Spark itself, two threads of it: the same counts as in memory, however the rows lie."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rule_cases import by_arithmetic, one_cut, per_case, posteriors_for, scores_for

from stakes import Application, CostMatrix, ScoreCounts, bayes_decisions
from stakes.cli.show import progress
from stakes.engines import Request, reduce_frame
from stakes.exceptions import DataError, LabelError, PosteriorError
from stakes.sources.far.spark_files import _followed
from stakes.summaries import ConfusionMatrix

pytest.importorskip("pyspark", reason="pip install 'stakes[spark]'")
pytestmark = [
    pytest.mark.skipif(
        shutil.which("java") is None and "JAVA_HOME" not in os.environ,
        reason="Spark needs Java 17: apt-get install openjdk-17-jre-headless",
    ),
    pytest.mark.filterwarnings("ignore"),  # Spark's own, about versions of pandas and sockets
]

APP = Application(CostMatrix.zero_one(["a", "b", "c"]).with_abstention(0.4))
REQUEST = Request("y", {"m": ["p a", "p.b", "pc"]}, applications=APP, sample_weight="w", by=["g"])


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    # another test of this process may have left one that gives a lost task no second try
    if (left := SparkSession.getActiveSession()) is not None:
        left.stop()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # where rows go through Python
    builder = SparkSession.builder.master("local[2, 4]").appName("stakes")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def table(n: int = 60) -> dict[str, list[Any]]:
    rng = np.random.default_rng(3)
    p = rng.integers(0, 5, (n, 3)) + np.array([1, 0, 0])
    p = p / p.sum(axis=1, keepdims=True)
    return {
        "y": rng.choice(["a", "b", "c"], n).tolist(),
        "p a": p[:, 0].tolist(),
        "p.b": p[:, 1].tolist(),
        "pc": p[:, 2].tolist(),
        "w": rng.integers(0, 4, n).astype(float).tolist(),
        "g": ["rare"] * 2 + ["often"] * (n - 2),
        "bin": rng.integers(0, 2, n).tolist(),
        "s": np.where(rng.random(n) < 0.2, 1 / 5, rng.random(n)).tolist(),
    }


def in_spark(spark: Any, columns: dict[str, list[Any]]) -> Any:
    return spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))


def in_memory(columns: dict[str, list[Any]]) -> ConfusionMatrix:
    posteriors = np.column_stack([columns[name] for name in REQUEST.models["m"]])
    return ConfusionMatrix.from_decisions(
        columns["y"],
        bayes_decisions(posteriors, APP),
        classes=APP.classes,
        decision_names=APP.decisions,
        sample_weight=columns["w"],
    )


def counts_are_those_in_memory(spark: Any) -> None:
    columns = table()
    found = reduce_frame(in_spark(spark, columns), REQUEST)
    assert found.confusion() == in_memory(columns)  # weights are whole numbers
    assert found.slices == (("often",), ("rare",))
    assert found.n_rows == np.count_nonzero(columns["w"]) < 60  # weights of 0 are no cases
    assert found["rare"].n_rows == np.count_nonzero(columns["w"][:2])


def bins_are_those_of_the_scores(spark: Any) -> None:
    columns = table()
    app = Application([[0, 1], [4, 0]])  # acts above 1/5, which occurs
    request = Request("bin", {"m": "s"}, applications=app, bins=1024)
    bins = reduce_frame(in_spark(spark, columns), request).score_bins()
    scores = ScoreCounts.from_scores(columns["bin"], columns["s"], kind="posterior")
    assert np.array_equal(bins.counts, scores.binned(bins.edges).counts)


def skew_and_lost_tasks_change_nothing(spark: Any, folder: Path) -> None:
    columns = table()
    frame = in_spark(spark, columns)
    marks = str(folder)

    def dies_once(rows: Any) -> Any:
        from pathlib import Path

        from pyspark import TaskContext

        mark = Path(marks) / str(TaskContext.get().partitionId())
        kept = list(rows)
        if not mark.exists():
            mark.touch()
            raise RuntimeError("this task is lost, and tried again")
        return iter(kept)

    lost = spark.createDataFrame(frame.rdd.mapPartitions(dies_once), frame.schema)
    for skewed in (frame.repartition(1), frame.repartition(2, "g"), lost):
        assert reduce_frame(skewed, REQUEST).confusion() == in_memory(columns)
    assert list(folder.iterdir())  # tasks did die


def bad_rows_are_refused(spark: Any, column: str, bad: Any, error: Any) -> None:
    columns = table(4)
    columns[column][1] = bad
    with pytest.raises(error, match=r"\(1 of 4 rows\)"):
        reduce_frame(in_spark(spark, columns), REQUEST)


def test_spark_counts_as_memory_does(spark: Any, tmp_path: Path) -> None:
    # One test, since tests are dealt out to processes and each would start a Spark of its own.
    counts_are_those_in_memory(spark)
    bins_are_those_of_the_scores(spark)
    skew_and_lost_tasks_change_nothing(spark, tmp_path)
    bad_rows_are_refused(spark, "y", None, DataError)
    bad_rows_are_refused(spark, "y", "it's", LabelError)
    bad_rows_are_refused(spark, "pc", float("nan"), PosteriorError)
    bad_rows_are_refused(spark, "w", -1.0, DataError)


def test_many_classes(spark: Any) -> None:
    names = [f"c{k:04d}" for k in range(300)]
    app = Application(CostMatrix.zero_one(names))
    y, d = np.random.default_rng(5).integers(0, 300, (2, 100))
    y[0] = d[0] = 299
    rows = [(names[truth], names[decision]) for truth, decision in zip(y, d, strict=True)]
    frame = spark.createDataFrame(rows, ["y", "d"])
    found = reduce_frame(frame, Request("y", {"m": "d"}, applications=app)).confusion()
    expected = np.zeros((300, 300), dtype=int)
    np.add.at(expected, (y, d), 1)
    assert np.array_equal(found.counts, expected)


def test_many_classes_whose_costs_differ(spark: Any) -> None:
    pytest.importorskip("pyarrow", reason="pip install pyarrow")
    rng = np.random.default_rng(6)
    costs, posteriors = rng.random((80, 80)), rng.dirichlet(np.full(80, 0.2), 20)
    names = [f"p.{k}" for k in range(80)]
    frame = spark.createDataFrame([(0, *row) for row in posteriors.tolist()], ["y", *names])
    found = reduce_frame(frame, Request("y", {"m": names}, applications=CostMatrix(costs)))
    expected = np.bincount(bayes_decisions(posteriors, costs), minlength=80)
    assert found.confusion().counts[0].tolist() == expected.tolist()


def test_ctrl_c_cancels_the_jobs_that_are_ours(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told, seen = _followed(spark), []
    follow = told.pop("progress")

    def interrupted() -> float:
        seen.append(follow())
        if seen[-1] >= 0:
            raise KeyboardInterrupt
        return seen[-1]

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "ELSEWHERE", 0.0)
    endless = spark.range(10**14).selectExpr("sum(id % 7)")
    with pytest.raises(KeyboardInterrupt):
        progress.attended(endless.collect, "counting", progress=interrupted, **told)
    tracker, end = spark.sparkContext.statusTracker(), time.monotonic() + 20
    while tracker.getActiveJobsIds() and time.monotonic() < end:
        time.sleep(0.1)
    assert list(tracker.getActiveJobsIds()) == []
    assert 0 <= seen[-1] <= 100


def test_a_rule_as_sql_decides_alike(spark: Any) -> None:
    cuts, sums, size = list(one_cut().values()), by_arithmetic(), 200
    scores = [scores_for(rule, size)[-size:] for rule in cuts]  # those near the cuts are last
    rows = posteriors_for(size)[-size:]
    columns = {f"p{k}": each.astype(float).tolist() for k, each in enumerate(scores)}
    columns |= dict(zip("abc", rows.T.tolist(), strict=True))
    columns |= dict(zip("def", np.log(rows + 1e-9).T.tolist(), strict=True))
    frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))
    made = [rule.to_sql("spark", columns=f"p{k}") for k, rule in enumerate(cuts)]
    of = {name: "def" if "logits" in name else "abc" for name in sums}
    made += [rule.to_sql("spark", columns=list(of[name])) for name, rule in sums.items()]
    named = [f"{text} AS d{k}" for k, text in enumerate(made)]
    got = list(zip(*frame.selectExpr(*named).collect(), strict=True))
    for rule, said, found in zip(cuts, scores, got, strict=False):
        assert list(found) == [rule.decisions[j] for j in rule.positions(said)]
    for (name, rule), found in zip(sums.items(), got[len(cuts) :], strict=True):
        said = np.log(rows + 1e-9) if "logits" in name else rows
        wanted = [rule.decisions[j] for j in rule.positions(said)]
        assert sum(a != b for a, b in zip(found, wanted, strict=True)) <= 2
    nothing = spark.sql("SELECT CAST(NULL AS DOUBLE) AS p, CAST('NaN' AS DOUBLE) AS q")
    rule = one_cut()["llr"]
    both = [f"{rule.to_sql('spark', columns=name)} AS {name}" for name in "pq"]
    assert nothing.selectExpr(*both).collect()[0][:] == (None, None)


FRAMES = {
    **{name: one_cut()[name] for name in ("as it is", "affine", "three decisions", "llr", "rank")},
    **{name: by_arithmetic()[name] for name in ("pets moved", "pets affine")},
    "per case": per_case(),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_are_decided_as_in_memory(spark: Any, name: str) -> None:
    pandas = pytest.importorskip("pandas", reason="frames of Spark come from pandas here")
    rule = FRAMES[name]
    columns = [f"m.{column}" for column in rule.columns]  # a dot names a field elsewhere in Spark
    rule = replace(rule, columns=columns)
    scores = scores_for(one_cut()["as it is"], 40) if len(columns) == 1 else posteriors_for(40)
    if rule.scores in ("llr", "rank"):
        scores = scores_for(rule, 40)
    rows = pandas.DataFrame(np.reshape(scores, (len(scores), -1)), columns=columns)
    rows["a.id"], rows["amount"] = np.arange(len(rows)), np.arange(len(rows)) % 7 * 10.0
    if rule.scores == "posterior":
        rows.iloc[3, 0], rows.iloc[4, 0] = np.nan, 1.5
    wanted = rule.decide_frame(rows, on_error="column")
    found = rule.decide_frame(spark.createDataFrame(rows), on_error="column")
    assert found.columns == list(wanted.columns)
    got = found.orderBy("`a.id`").toPandas()
    for column in ("decision", "next_best", "not_decided"):
        assert as_text(got[column]) == as_text(wanted[column])
    for column in ("expected_cost", "margin"):
        numbers = [each[column].astype(float).to_numpy() for each in (got, wanted)]
        np.testing.assert_allclose(*numbers, rtol=1e-9, atol=1e-9)


def as_text(cells: Any) -> list[str]:
    """Cells as text, empty where there is none."""
    return ["" if cell is None or cell != cell else str(cell) for cell in cells.tolist()]
