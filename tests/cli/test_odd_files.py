"""Files as people have them: right, or refused with what, where, how many and what to type."""

from __future__ import annotations

import datetime as dt
import os
import shlex
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

COST = ("--cost", "fn=3", "fp=1")
N = 60
Y = [k % 2 for k in range(N)]
P = [round(0.2 + 0.4 * y + 0.05 * (k % 7), 3) for k, y in enumerate(Y)]
# a threshold of 1/4: misses none, and raises an alarm for every negative above it
COUNTS = [[sum(y == 0 and (p > 0.25) == j for y, p in zip(Y, P, strict=True)) for j in (0, 1)],
          [0, N // 2]]  # fmt: skip


def text(y=Y, p=P):
    return "\n".join(["y,p", *(f"{a},{b}" for a, b in zip(y, p, strict=True))]) + "\n"


def parquet(folder, **columns):
    pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    import pyarrow.parquet

    table = pa.table({"y": pa.array(Y), "p": pa.array(P)} | columns)
    pyarrow.parquet.write_table(table, folder / "t.parquet")
    return "t.parquet"


def judged(run, name, *more):
    return run("eval", name, "--label", "y", "--scores", "p", *COST, *more)


@pytest.fixture(params=[None, "duckdb", "polars"])
def where(request):
    if request.param is None:
        return ()
    pytest.importorskip(request.param, reason="one of the engines")
    return ("--engine", request.param)


@pytest.mark.parametrize(
    "values",
    [
        [Decimal(y) for y in Y],
        [Decimal(y * 10**25) for y in Y],
        [str(y).encode() for y in Y],
    ],
    ids=["decimals", "large decimals", "bytes"],
)
def test_outcomes_of_odd_types(run, tmp_path, where, values):
    pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    name = parquet(tmp_path, y=pa.array(values))
    second = values[1].decode() if isinstance(values[1], bytes) else str(values[1])
    ran = judged(run, name, "--positive", second, "--json", *where)
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == COUNTS


def test_times_in_nanoseconds_are_called_as_others(run, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    stamps = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[ns]")[Y]
    ran = judged(run, parquet(tmp_path, g=pa.array(stamps)), "--by", "g", "--json")
    assert set(ran.found["slices"]) <= {"2026-01-01 00:00:00", "2026-01-02 00:00:00"}
    assert "2026-01-01 00:00:00" in str(ran.found)


@pytest.mark.parametrize("kind", ["lists", "structs", "times", "spans"])
def test_scores_that_are_no_numbers(run, tmp_path, where, kind):
    pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    values = {
        "lists": [[p, 1 - p] for p in P],
        "structs": [{"a": p} for p in P],
        "times": [dt.datetime(2026, 1, 1)] * N,
        "spans": [dt.timedelta(seconds=1)] * N,
    }[kind]
    if kind == "spans" and "duckdb" in where:
        pytest.skip("DuckDB reads spans of time in Parquet as the whole numbers they are kept as")
    ran = judged(run, parquet(tmp_path, p=pa.array(values)), *where)
    assert (ran.code, ran.out) == (2, "")
    nested = "holds lists or records, not one value for each case; "
    why = nested if kind in ("lists", "structs") and not where else "must hold numbers; "
    assert ran.err.startswith(f"error: column 'p' {why}")


def test_complex_numbers_lose_nothing_silently(run, tmp_path):
    np.savez(tmp_path / "t.npz", y=np.array(Y), p=np.array(P) + 0.5j)
    ran = judged(run, "t.npz")
    assert ran.code == 2
    assert "column 'p' must hold numbers; it holds complex numbers." in ran.err


@pytest.mark.parametrize(("row", "line"), [(N - 1, N + 1), (4, 6)])
def test_a_quote_that_is_never_closed(run, write, row, line):
    p = [f'"{each}' if k == row else each for k, each in enumerate(P)]
    ran = judged(run, write("t.csv", text(p=p)))
    assert (ran.code, ran.out) == (2, "")
    assert f"t.csv: line {line} opens a double quote that is never closed." in ran.err


def test_quotes_that_are_closed(run, write):
    p = [f'"{each}\n"' if k == N - 1 else each for k, each in enumerate(P)]
    ran = judged(run, write("t.csv", text(p=p)), "--json")
    assert ran.code == 0, ran.err
    assert ran.found["models"][0]["counts"] == COUNTS


@pytest.mark.parametrize("last", ["1,0.5,7", '1,"0.5'])
def test_rows_that_do_not_fit_in_duckdb(run, write, last):
    pytest.importorskip("duckdb", reason="one of the engines")
    ran = judged(run, write("t.csv", text() + last + "\n"), "--engine", "duckdb")
    assert (ran.code, ran.out) == (2, "")
    assert "t.csv: a row has more or fewer cells than the header, or a double quote" in ran.err


def test_a_line_that_was_cut_off(run, write):
    ran = judged(run, write("t.csv", text() + "1\n"))
    assert ran.err == (
        f"error: t.csv: row {N + 1} (line {N + 2}) has 1 cell, the header has 2.\n"
        "  an empty cell needs its delimiter too; the line may have been cut off\n"
    )


def test_a_zip_file(run, write):
    ran = judged(run, write("t.csv", b"PK\x03\x04" + b"0" * 50))
    assert ran.err == "error: t.csv is a zip file.\n  unpack it, and give what was in it\n"


def test_one_case_of_an_outcome(run, write):
    ran = judged(run, write("t.csv", "y,p\n1,0.3\n0,0.2\n"))
    assert ran.err.startswith("error: 1 case of '0'. ")


@pytest.mark.parametrize("weight", ["1e300", "1e-300"])
def test_weights_count_by_their_proportions(run, write, weight):
    rows = [f"{a},{b},{weight}" for a, b in zip(Y, P, strict=True)]
    ran = judged(run, write("t.csv", "\n".join(["y,p,w", *rows])), "--weight", "w", "--json")
    assert (ran.code, ran.err) == (0, "")
    plain = judged(run, write("u.csv", text()), "--json")
    for key in ("nec", "recalibrated_nec"):
        one, other = (found.found["models"][0][key] for found in (ran, plain))
        assert one == pytest.approx(other, rel=1e-12)


def test_an_outcome_called_na_is_no_outcome(run, write):
    ran = judged(run, write("t.csv", text(y=["NA" if y else "no" for y in Y])))
    assert ran.code == 2
    assert f"'y' holds only 'no' ({N // 2}) and {N // 2} empty cells (such as NA), so" in ran.err


def test_signs_before_outcomes(run, write, where):
    name = write("t.csv", text(y=["+1" if y else "-1" for y in Y]))
    ran = judged(run, name, "--json", *where)
    assert ran.code == 0, ran.err
    assert ran.found["positive"] == "+1"
    assert ran.found["models"][0]["counts"] == COUNTS


def test_a_model_that_is_always_wrong(run, write, tmp_path):
    name = write("t.csv", text(p=[1 - y for y in Y]))
    ran = judged(run, name, "--html", "r.html", "--scores-are", "posterior")
    assert ran.code == 0, ran.err
    assert (tmp_path / "r.html").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("eval", "t.csv", "--preset", "sre99"), "--preset must be one of sre08, "),
        (("audit", "f1", "--draws", "0"), "--draws must be 1 or more; got 0."),
        (("ask", "--prevalence", "5%", "--cases", "0"), "--cases must be 1 or more; got 0."),
        (("ask", "--prevalence", "5%", "--tolerance", "nan"), "--tolerance must be above 0; got"),
    ],
)
def test_options_are_called_as_they_are_typed(run, write, words, said):
    write("t.csv", text())
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {said}")


def test_what_cannot_be_drawn_is_said_before_anything_else(run, write, tmp_path):
    rows = [f"{y},{int(p > 0.5)}" for y, p in zip(Y, P, strict=True)]
    name = write("t.csv", "\n".join(["y,d", *rows]) + "\n")
    words = ("--forensic", "--html", "r.html", "--save", "s.json")
    ran = run("eval", name, "--label", "y", "--decisions", "d", *COST, *words)
    assert (ran.code, ran.out) == (2, "")
    assert not (tmp_path / "r.html").exists()


class TestCostFiles:
    WORDS = ("eval", "t.csv", "--label", "y", "--decisions", "y2", "--costs")

    @pytest.fixture(autouse=True)
    def table(self, write):
        rows = [f"{'abc'[k % 3]},{'abc'[k % 2]}" for k in range(60)]
        write("t.csv", "\n".join(["y,y2", *rows]) + "\n")

    def test_a_number_without_its_first_digit(self, run, write):
        ran = run(*self.WORDS, write("c.toml", 'outcomes = ["a", "b"]\n[cost.a]\nb = .5\n'))
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.splitlines()[1:] == ["  write 0.5 for .5, in:  b = .5"]

    def test_a_miss_where_there_are_three_outcomes(self, run, write):
        """The hint does not ask for the file that was given."""
        ran = run(*self.WORDS, write("c.toml", "fn = 3\nfp = 1\n"))
        assert (ran.code, ran.out) == (2, "")
        assert "'y' holds 'a' (20), 'b' (20) and 'c' (20)." in ran.err
        assert '  name them in the file:  outcomes = ["a", "b", "c"]   and a table' in ran.err
        assert "--costs" not in ran.err


def test_parts_of_one_outcome_have_no_nec(run, write):
    ran = judged(run, write("t.csv", text()), "--by", "y")
    assert ran.code == 0, ran.err
    table = ran.out[ran.out.index("slice  cases") :].split("\n\n")[0]
    assert table.count("undefined") == 2
    assert "nan" not in ran.out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name")
@pytest.mark.parametrize("more", [("--cost", "fn=2..4", "fp=1", "--scores-are", "rank"), COST])
def test_a_pipe_flows_only_once(run, tmp_path, more):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(text()), daemon=True)
    writer.start()
    ran = run("eval", "pipe", "--label", "y", "--scores", "p", *more)
    writer.join(timeout=10)
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"read the pipe: {N} cases")
    assert f"{N} rows" in run("inspect", "pipe").out


@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [(">&-", 0, ""), (">/dev/full", 2, "error: there is no space left to write into.")],
)
def test_output_that_goes_nowhere(write, tmp_path, redirected, code, said):
    if not Path("/dev/full").exists():
        pytest.skip("a device that is always full")
    write("t.csv", text())
    words = [sys.executable, "-m", "stakes.cli.entry", "eval", "t.csv", "--label", "y"]
    command = f"{shlex.join([*words, '--scores', 'p', *COST])} {redirected}"
    ran = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == code
    assert ran.stderr.startswith(said)
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("more", [(), ("--prevalence", "10%"), ("--weight", "amount")])
def test_costs_of_cases_under_which_one_decision_is_perfect(run, write, more):
    """Rounding must not make it look as if something could be saved."""
    rows = [f"{a},{b},{1 + k % 9}" for k, (a, b) in enumerate(zip(Y, P, strict=True))]
    name = write("t.csv", "\n".join(["y,p,amount", *rows]) + "\n")
    words = ("--scores", "p", "--cost", "fn=amount", "fp=1", "tp=amount", *more)
    ran = run("eval", name, "--label", "y", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: always deciding '0' is already perfect here.\n"
