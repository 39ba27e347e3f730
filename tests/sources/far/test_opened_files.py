"""Problems of engines in one line, with a hint that fits."""

from __future__ import annotations

import numpy as np
import pytest

from stakes.sources.far.opened_files import unreadable
from stakes.sources.patterns import Files

ENGINES = ["duckdb", "polars"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    "said",
    [
        "Out of Range Error: Overflow in multiplication of UINT8 (16 * 17)!",
        "INTERNAL Error: Attempted to access index 3 within vector of size 2",
        "[ARITHMETIC_OVERFLOW] integer overflow. SQLSTATE: 22003",
    ],
)
def test_a_fault_of_the_engine_is_not_put_down_to_the_files(form, said):
    problem = unreadable(RuntimeError(said), Files("t/*", ("t/1", "t/2"), form, None))
    assert "fault of the engine, not of the files" in problem.hint


def test_an_unknown_problem_is_not_put_down_to_headers():
    problem = unreadable(RuntimeError("no idea"), Files("t/*", ("t/1", "t/2"), "csv", None))
    assert "no idea" in str(problem)
    assert "header" not in problem.hint


def test_a_column_that_only_some_files_have_is_no_damage():
    said = "did not find column q, consider passing `missing_columns='insert'`"
    problem = unreadable(RuntimeError(said), Files("t/*", ("t/1", "t/2"), "parquet", None))
    assert problem.message == "t/*: a file has no column 'q'."
    assert problem.hint == "every file must have the same columns, of the same types"


def test_another_header_is_told(run, write):
    pytest.importorskip("duckdb", reason="one of the engines")
    write("one.csv", "y,d\na,a\nb,a\n")
    folder = write("two.csv", "y,e\na,a\nb,a\n").rpartition("two.csv")[0]
    ran = run("eval", f"{folder}*.csv", "--engine", "duckdb", "--label", "y", "--decisions", "d",
              "--positive", "b", "--cost", "fn=1", "fp=1")  # fmt: skip
    assert ran.code != 0
    assert "every file must have the same header" in ran.err


@pytest.mark.parametrize("engine", ENGINES)
def test_twenty_outcomes_are_counted_as_in_memory(run, write, engine):
    pytest.importorskip(engine, reason="one of the engines")
    names, rng = [f"c{k:02d}" for k in range(20)], np.random.default_rng(4)
    cells = rng.choice(names, (300, 2)).tolist()
    table = write("t.csv", "\n".join(["y,d", *map(",".join, cells)]) + "\n")
    rows = [[a, *("0" if a == b else "1" for b in names)] for a in names]
    costs = write("costs.csv", "\n".join(map(",".join, [["truth", *names], *rows])) + "\n")
    words = ("eval", table, "--label", "y", "--decisions", "d", "--costs", costs, "--json")
    found, expected = run(*words, "--engine", engine), run(*words)
    assert found.code == expected.code, found.err
    assert found.found["models"][0]["counts"] == expected.found["models"][0]["counts"]
