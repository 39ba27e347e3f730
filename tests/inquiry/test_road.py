"""Large files go to an engine by themselves, and say so; what needs rows stays in memory."""

from __future__ import annotations

import re

import numpy as np
import pytest

from stakes import Inquiry, sources
from stakes.exceptions import DataError
from stakes.sources import source

pa = pytest.importorskip("pyarrow", reason="files are written by pyarrow")
pytest.importorskip("duckdb", reason="files are counted by DuckDB")

COST = ("--cost", "fn=10", "fp=1")
ROADS = ("counted-in-place", "read-into-memory", "engine-not-installed")
WORDS = ("--label", "y", "--positive", "yes", "--scores", "p", *COST, "--json")


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A file of each form that is just large, and one that is just not."""
    from pyarrow import csv, parquet

    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.4
    p = np.round(1 / (1 + np.exp(-rng.normal(3 * y - 1.5, 1))), 4)
    who = [f"c{k // 3}" for k in range(300)]
    rows = pa.table({"y": np.where(y, "yes", "no"), "p": p, "who": who, "amount": 10 * p + 1})
    parquet.write_table(rows, tmp_path / "big.parquet")
    parquet.write_table(rows.slice(0, 299), tmp_path / "small.parquet")
    csv.write_csv(rows, tmp_path / "big.csv")
    csv.write_csv(rows.slice(0, 150), tmp_path / "first.csv")
    csv.write_csv(rows.slice(150), tmp_path / "second.csv")
    monkeypatch.setattr(source, "_MANY_ROWS", 300)
    monkeypatch.setattr(source, "_MANY_BYTES", (tmp_path / "big.csv").stat().st_size)
    return tmp_path


def _road(ran):
    """The codes of the notes on the road, the numbers, and how the file was read."""
    assert ran.code == 0, ran.err
    told = [note for note in ran.found["notes"] if note["code"] in ROADS]
    model = ran.found["models"][0]
    return [n["code"] for n in told], (model["counts"], model["cost"]), told


@pytest.mark.parametrize("name", ["big.parquet", "big.csv"])
def test_a_large_file_is_counted_in_place_and_says_so(run, large, name):
    codes, numbers, told = _road(run("eval", name, *WORDS))
    assert codes == ["counted-in-place"]
    assert re.search(rf"^{name} has (300 rows|0 MB), so DuckDB counted it", told[0]["text"])
    assert "--engine memory" in told[0]["text"]
    overruled, near, _ = _road(run("eval", name, *WORDS, "--engine", "memory"))
    assert overruled == []
    assert near == numbers


def test_a_small_file_is_read_and_nothing_is_said(run, large):
    assert _road(run("eval", "small.parquet", *WORDS))[0] == []
    assert _road(run("eval", "first.csv", *WORDS))[0] == []


def test_named_files_are_large_together(run, large, monkeypatch):
    monkeypatch.setattr(source, "_MANY_BYTES", (large / "big.csv").stat().st_size - 10)
    codes, numbers, told = _road(run("eval", "first.csv", "second.csv", *WORDS))
    assert codes == ["counted-in-place"]
    assert "first.csv + second.csv" in told[0]["text"]
    assert numbers == _road(run("eval", "big.csv", *WORDS, "--engine", "memory"))[1]


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_who_names_an_engine_is_told_nothing(run, large, engine):
    pytest.importorskip(engine, reason="one of the engines")
    assert _road(run("eval", "big.parquet", *WORDS, "--engine", engine))[0] == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--scores-are", "rank"), "--scores-are rank needs the rows"),
        (("--missing", "naive"), "--missing naive needs the rows"),
        (("--html", "page.html", "--embed-posteriors"), "--embed-posteriors needs the rows"),
    ],
)
def test_what_needs_rows_stays_in_memory_and_says_why(run, large, words, why):
    codes, _, told = _road(run("eval", "big.parquet", *WORDS, *words))
    assert codes == ["read-into-memory"]
    assert told[0]["text"].startswith(f"big.parquet (300 rows) was read into memory: {why}")


def test_rows_in_long_form_stay_in_memory(run, large, monkeypatch):
    lines = ["model,id,y,p"]
    rng = np.random.default_rng(0)
    for k in range(60):
        lines += [f"{m},{k},{'yes' if k % 3 else 'no'},{rng.random():.3f}" for m in ("a", "b")]
    (large / "long.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setattr(source, "_MANY_BYTES", 100)
    ran = run("eval", "long.csv", "--label", "y", "--positive", "yes", "--scores", "p", *COST,
              "--json")  # fmt: skip
    assert _road(ran)[0] == ["read-into-memory"]
    assert len(ran.found["models"]) == 2


def test_without_duckdb_large_files_are_read(run, large, monkeypatch):
    monkeypatch.setattr("stakes.sources.source.has_duckdb", lambda: False)
    monkeypatch.setattr("stakes.inquiry.road.has_duckdb", lambda: False)
    codes, _, told = _road(run("eval", "big.parquet", *WORDS))
    assert codes == ["engine-not-installed"]
    assert "pip install 'stakes[duckdb]'" in told[0]["text"]


def test_python_has_the_same_roads(large):
    path = str(large / "big.parquet")
    assert isinstance(sources.read(path), sources.FarFiles)
    assert isinstance(sources.read(path, engine="memory"), sources.Table)
    assert Inquiry(source=path, label="y").is_far
    assert not Inquiry(source=path, label="y", engine="memory").is_far
    assert not Inquiry(source=path, label="y", scores_are="rank").is_far
    assert not Inquiry(source=str(large / "small.parquet"), label="y").is_far


def test_patterns_are_not_read_into_memory(large):
    with pytest.raises(DataError, match="is not read into memory: an engine reads patterns"):
        sources.read(str(large / "*.parquet"), engine="memory")
    with pytest.raises(DataError, match="is not read into memory"):
        sources.read(str(large), engine="memory")


@pytest.mark.parametrize("engine", ["duck", "", 3])
def test_an_unknown_engine_is_refused(large, engine):
    with pytest.raises(DataError, match="engine"):
        sources.read(str(large / "big.parquet"), engine=engine)


def test_a_large_file_that_is_damaged_is_told_as_ever(run, large):
    (large / "torn.parquet").write_bytes((large / "big.parquet").read_bytes()[:900])
    ran = run("eval", "torn.parquet", *WORDS)
    assert ran.code == 2
    assert "torn.parquet: the Parquet file is damaged" in ran.err


def test_audit_still_reads_large_files(run, large):
    ran = run("audit", "f1", "big.parquet", *WORDS)
    assert ran.code == 0, ran.err
