"""Rows drawn in an engine, against the same rows in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from frame_cases import kinds

import stakes
from stakes.engines import Request, reduce_frame
from stakes.engines.row_sample import Chosen
from stakes.messages.quantities import grouped

APP = stakes.Application(
    stakes.CostMatrix([[0, 1, 8, 2], [3, 0, 9, 2], [20, 20, 0, 2]], classes=["a", "b", "c"],
                      decisions=["a", "b", "c", "ask"])
)  # fmt: skip


def cases(n: int, seed: int = 0) -> dict[str, Any]:
    """Three classes, and a model that is too sure of them."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    logs = rng.normal(size=(n, 3)) + 1.6 * np.eye(3)[truth]
    p = np.exp(1.6 * (1.6 * logs + np.log([0.6, 0.3, 0.1])))
    p /= p.sum(axis=1, keepdims=True)
    columns = dict(zip(("pa", "pb", "pc"), p.T.tolist(), strict=True))
    return {"y": [APP.classes[k] for k in truth], **columns, "g": ["n", "s"] * (n // 2)}


def request(**options: Any) -> Request:
    return Request("y", {"m": ["pa", "pb", "pc"]}, applications=APP, classes=APP.classes, **options)


@pytest.mark.parametrize("constructor", kinds("pandas", "pyarrow", "polars_lazy", "duckdb"))
def test_every_engine_draws_the_same_rows(constructor: Any) -> None:
    columns = cases(4_000)
    found = reduce_frame(constructor(columns), request(sample=300, seed=3, by=["g"]))
    chosen = np.flatnonzero(Chosen.of(300, 4_000, 3).holds(np.arange(1.0, 4_001)))
    assert abs(len(chosen) - 300) <= 2
    for name in ("n", "s"):
        inside = [k for k in chosen if columns["g"][k] == name]
        sample = found[name].whole.sample
        assert [APP.classes[k] for k in sample.truth] == [columns["y"][k] for k in inside]
        assert sample.said["m"][:, 1].tolist() == [columns["pb"][k] for k in inside]
    both = found.whole.sample.said["m"][:, 1].tolist()
    assert both == [columns["pb"][k] for k in chosen]


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_duckdb_draws_the_same_rows_with_any_number_of_threads(form: str, tmp_path: Any) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the engine in question")
    columns, n = cases(60_000), 60_000
    plain = duckdb.connect(config={"threads": 1})
    table = pytest.importorskip("pyarrow", reason="hands rows over").table(columns)
    for k in range(2):  # two files; Parquet in many row groups, which threads share
        half = table.slice(k * n // 2, n // 2)
        options = "FORMAT parquet, ROW_GROUP_SIZE 2048" if form == "parquet" else "FORMAT csv"
        plain.from_arrow(half).query("rows", f"COPY rows TO '{tmp_path}/{k}.{form}' ({options})")
    at = np.flatnonzero(Chosen.of(500, n, 0).holds(np.arange(1.0, n + 1)))
    for threads in (1, 2, 4):
        config = {"threads": threads, "preserve_insertion_order": "false"}
        connection = duckdb.connect(config=config)
        found = reduce_frame(
            connection.sql(f"FROM '{tmp_path}/*.{form}'"), request(sample=500)
        ).whole.sample
        assert found.said["m"][:, 1].tolist() == [columns["pb"][k] for k in at]
        said = connection.sql("SELECT current_setting('preserve_insertion_order')").fetchall()
        assert said == [(False,)]


@pytest.mark.parametrize("constructor", kinds("pandas", "polars_lazy", "duckdb"))
def test_rows_without_weight_are_in_no_slice_of_the_sample(constructor: Any) -> None:
    columns = cases(400)
    columns["w"] = [k % 3 for k in range(400)]
    wanted = {"sample": 400, "by": ["g"], "sample_weight": "w"}
    found = reduce_frame(constructor(columns), request(**wanted))
    for name in ("n", "s"):
        inside = [k for k in range(400) if columns["g"][k] == name and columns["w"][k] > 0]
        sample = found[name].whole.sample
        assert sample.said["m"][:, 1].tolist() == [columns["pb"][k] for k in inside]
        assert sample.weights.tolist() == [columns["w"][k] for k in inside]


def test_a_share_of_rows_is_spread_whatever_the_period() -> None:
    chosen = Chosen.of(2_000, 100_000, 0).holds(np.arange(1.0, 100_001))
    for period in (2, 7, 24, 1000):
        by_place = np.bincount(np.flatnonzero(chosen) % period, minlength=period)
        assert abs(by_place - 2_000 / period).max() <= 3 + 0.1 * 2_000 / period
    other = Chosen.of(2_000, 100_000, 1).holds(np.arange(1.0, 100_001))
    assert (chosen & other).sum() < 200


@pytest.mark.parametrize("constructor", kinds("polars_lazy", "duckdb"))
def test_what_a_sample_says_is_said_of_a_sample(
    constructor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = cases(20_000)
    p = np.column_stack([columns[name] for name in ("pa", "pb", "pc")])
    near = stakes.evaluate(columns["y"], {"m": p}, application=APP, classes=APP.classes)
    monkeypatch.setattr("stakes.engines.row_sample.SAMPLE", 5_000)
    told: dict[str, Any] = {"label": "y", "posteriors": {"m": ["pa", "pb", "pc"]}}
    far = stakes.evaluate_frame(constructor(columns), application=APP, classes=APP.classes, **told)
    (note,) = [note for note in far.notes if note.code == "recalibrated-on-sample"]
    size = int(Chosen.of(5_000, 20_000, 0).holds(np.arange(1.0, 20_001)).sum())
    assert note.values == {"rows": grouped(size), "whole": grouped(20_000)}
    one, other = near["m"], far["m"]
    assert other.nec == one.nec
    low, high = other.recalibrated_interval
    assert low < one.recalibrated_nec < high
    wide = np.ptp(one.recalibrated_interval)
    assert wide < high - low < 3 * wide
    assert far.verdict_kind == near.verdict_kind
    assert [r.code for r in far.remarks] == [r.code for r in near.remarks]


@pytest.mark.filterwarnings("ignore")  # of Ibis itself
def test_a_lazy_frame_without_order_says_why_nothing_is_recalibrated() -> None:
    pytest.importorskip("ibis", reason="a frame whose rows have no number")
    import ibis

    frame = ibis.memtable(cases(200))
    told: dict[str, Any] = {"label": "y", "posteriors": {"m": ["pa", "pb", "pc"]}}
    far = stakes.evaluate_frame(frame, application=APP, classes=APP.classes, **told)
    assert far.absent["recalibrated_nec"] == "recalibration-needs-rows"
