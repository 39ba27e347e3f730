"""Logarithms of several outcomes, turned into posteriors by an engine as in memory."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

NAMES = ("new york", "são paulo", "東京")
WORDS = ("--label", "city", "--proba", "p_*", "--cost", "error=1")


@pytest.fixture(params=["duckdb", "polars"])
def engine(request):
    pytest.importorskip(request.param, reason="one of the engines")
    return ("--engine", request.param)


def logs(n=90):
    rng = np.random.default_rng(0)
    truth = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    return truth, np.round(rng.normal(size=(n, 3)) + 2 * np.eye(3)[truth], 3)


def text(truth, table):
    head = ",".join(["city", *(f"p_{name}" for name in NAMES)])
    rows = [f"{NAMES[t]},{','.join(map(str, row))}" for t, row in zip(truth, table, strict=True)]
    return "\n".join([head, *rows]) + "\n"


def counts(ran):
    assert ran.code == 0, ran.err
    return ran.found["models"][0]["counts"]


@pytest.mark.parametrize("kind", ["log_odds", "llr"])
def test_come_to_the_same_as_in_memory(run, write, engine, kind):
    truth, table = logs()
    table[0], table[1], table[2] = (9.0, np.inf, 3.0), (-np.inf, 0.0, -np.inf), (800, -800, 0)
    name = write("t.csv", text(truth, table))
    words = ("eval", name, *WORDS, "--scores-are", kind, "--json")
    assert counts(run(*words, *engine)) == counts(run(*words))


def test_shares_count_for_likelihood_ratios(run, write, engine):
    truth, table = logs()
    name = write("t.csv", text(truth, table))
    words = ("eval", name, *WORDS, "--json", *engine, "--scores-are")
    assert counts(run(*words, "llr")) != counts(run(*words, "log_odds"))


@pytest.mark.parametrize(
    "row", [(-np.inf,) * 3, (np.inf, np.inf, 0.0), (np.nan, np.nan, np.nan), (np.nan, 1.0, 2.0)]
)
def test_a_row_that_tells_no_outcome(run, write, engine, row):
    truth, table = logs()
    table[7] = row
    name = write("t.csv", text(truth, table))
    ran = run("eval", name, *WORDS, "--scores-are", "log_odds", *engine)
    assert ran.code == 2
    assert "(1 of 90 rows)" in ran.err
    assert "To leave rows without a score out: --missing drop" in ran.err
    assert "--scores-are log_odds" not in ran.err  # it was said


def test_rows_are_counted_as_in_the_file(run, write):
    truth, table = logs()
    table[7] = -np.inf
    ran = run("eval", write("t.csv", text(truth, table)), *WORDS, "--scores-are", "log_odds")
    assert ran.code == 2
    assert "row 8 is [-inf, -inf, -inf]" in ran.err


def test_times_of_a_zone_are_called_as_in_memory(run, tmp_path, engine):
    pa = pytest.importorskip("pyarrow", reason="writes Parquet")
    parquet = pytest.importorskip("pyarrow.parquet", reason="writes Parquet")
    hours = [dt.datetime(2026, 1, 1 + k % 2, 0, tzinfo=dt.UTC) for k in range(120)]
    table = pa.table(
        {
            "y": [k % 3 % 2 for k in range(120)],
            "p": [0.1 + k % 3 % 2 * 0.6 + k % 7 / 50 for k in range(120)],
            "g": pa.array(hours, pa.timestamp("us", "Europe/Berlin")),
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    words = ("eval", "t.parquet", "--label", "y", "--scores", "p", "--by", "g",
             "--cost", "fn=10", "fp=1")  # fmt: skip
    parts = [run(*words, "--json", *more).found["slices"] for more in ((), engine)]
    assert sorted(parts[0]) == sorted(parts[1])
    assert {name: part["cases"] for name, part in parts[1].items()} == {
        "2026-01-01 00:00:00": 60,
        "2026-01-02 00:00:00": 60,
    }


def test_a_column_of_lists_makes_no_parts(run, tmp_path, engine):
    pa = pytest.importorskip("pyarrow", reason="writes Parquet")
    parquet = pytest.importorskip("pyarrow.parquet", reason="writes Parquet")
    table = pa.table({"y": [0, 1] * 9, "p": [0.2, 0.6] * 9, "g": [[1], [2]] * 9})
    parquet.write_table(table, tmp_path / "t.parquet")
    ran = run("eval", "t.parquet", "--label", "y", "--scores", "p", "--by", "g",
              "--cost", "fn=10", "fp=1", *engine)  # fmt: skip
    assert ran.code == 2
    assert "column 'g' of --by must hold single values" in ran.err
