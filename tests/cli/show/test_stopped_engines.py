"""A real Ctrl-C while a real engine counts: it stops, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

#: So that no machine counts the rows before a signal arrives.
ONE_CORE = """
import os
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
"""
PROGRAM = """
import signal, sys
from stakes.cli.show import progress
from stakes.cli.entry import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background ignores it
progress.PATIENCE = progress.ELSEWHERE = 0.0
sys.exit(main(sys.argv[1:]))
"""
ROWS, COPIES = 1_000_000, 200


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """One file of many rows under many names."""
    duckdb = pytest.importorskip("duckdb", reason="files are counted by DuckDB")
    folder = tmp_path_factory.mktemp("lake")
    made = "(i % 5 = 0)::INT AS y, ((i * 37) % 1000 / 1000)::FLOAT AS p"
    rows = f"SELECT {made} FROM range({ROWS}) t(i)"
    duckdb.connect().execute(f"COPY ({rows}) TO '{folder / '0.parquet'}' (FORMAT parquet)")
    for k in range(1, COPIES):
        os.link(folder / "0.parquet", folder / f"{k}.parquet")
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_ctrl_c_stops_the_engine_and_leaves_nothing(lake, tmp_path, engine):
    pytest.importorskip(engine, reason="one of the engines")
    spill = tmp_path / "spill"
    spill.mkdir()
    words = ["eval", str(lake), "--label", "y", "--scores", "p", "--cost", "fn=10", "fp=1",
             "--engine", engine, "--html", "page.html", "--save", "counts.json"]  # fmt: skip
    running = subprocess.Popen(
        [sys.executable, "-c", ONE_CORE + PROGRAM, *words],
        cwd=tmp_path, env={**os.environ, "TMPDIR": str(spill)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    line = ""
    while not line.startswith("counting "):
        line = running.stderr.readline()
        assert line, "ended before anything was counted"
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == ""
    assert all(each.startswith("counting ") for each in err.splitlines() if each), err
    assert list(tmp_path.iterdir()) == [spill]
    assert list(spill.iterdir()) == []


IN_PYTHON = """
import os, signal, sys, threading
from stakes import Inquiry
from stakes.inquiry.answers import answer

signal.signal(signal.SIGINT, signal.default_int_handler)
asked = Inquiry(source=sys.argv[1], label="y", scores="p", cost={"fn": 10, "fp": 1})
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    answer(asked)
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_in_python_is_that_of_python(lake):
    command = [sys.executable, "-c", ONE_CORE + IN_PYTHON, str(lake)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "stopped\n", done.stderr
