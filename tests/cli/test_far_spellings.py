"""Decisions counted by an engine mean what they mean in memory, however they are written."""

from __future__ import annotations

import sys

import pytest

from stakes.cli.far_spellings import SPACES

COST = ("--cost", "fn=10", "fp=1", "--json")
Y = [k % 2 for k in range(80)]
D = [int(k % 3 > 0) for k in range(80)]
COUNTS = [[sum(y == i and d == j for y, d in zip(Y, D, strict=True)) for j in (0, 1)]
          for i in (0, 1)]  # fmt: skip


def counts(ran):
    assert ran.code == 0, ran.err
    return [model["counts"] for model in ran.found["models"]]


def text(y, d):
    return "\n".join(["y,d", *(f"{a},{b}" for a, b in zip(y, d, strict=True))]) + "\n"


def parquet(folder, **columns):
    pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pa.table(columns), folder / "t.parquet")
    return "t.parquet"


def test_what_is_left_out_is_what_python_leaves_out():
    every = {chr(k) for k in range(sys.maxunicode + 1) if chr(k).isspace()}
    assert set(SPACES) == every


class TestText:
    @pytest.mark.parametrize(
        "respelt", [" {}", "{} ", "{}.0", "{}.", "{}.00", " {}.0 ", "\u00a0{}"]
    )
    def test_some_cells_written_otherwise(self, run, write, engine, respelt):
        d = [respelt.format(each) if k % 5 == 0 else each for k, each in enumerate(D)]
        words = ("eval", write("t.csv", text(Y, d)), "--label", "y", "--decisions", "d", *COST)
        assert counts(run(*words, *engine)) == counts(run(*words)) == [COUNTS]

    def test_a_point_beside_a_decision_that_is_no_number(self, run, write, engine):
        write("costs.csv", "truth,0,1,ask\n0,0,1,0.4\n1,5,0,0.4\n")
        d = ["ask" if k % 10 == 0 else f"{each}.0" for k, each in enumerate(D)]
        words = ("eval", write("t.csv", text(Y, d)), "--label", "y", "--decisions", "d",
                 "--costs", "costs.csv", "--json")  # fmt: skip
        (found,) = counts(run(*words, *engine))
        assert [found] == counts(run(*words))
        assert [row[2] for row in found] == [8, 0]

    @pytest.mark.parametrize("cell", ["1.5", "yes", "1.0.0", "x.0", "10"])
    def test_other_text_is_refused(self, run, write, engine, cell):
        name = write("t.csv", text(Y, [cell, *D[1:]]))
        words = ("eval", name, "--label", "y", "--decisions", "d", *COST)
        near, far = run(*words), run(*words, *engine)
        assert near.code == far.code == 2
        for ran in (near, far):
            assert f"'{cell}'" in ran.err
            assert "decisions must be spelt as in the truth or in the costs file" in ran.err


class TestParquet:
    def test_words_for_nothing_in_text(self, run, tmp_path, engine):
        d = [str(each) for each in D]
        d[3] = "NA"
        name = parquet(tmp_path, y=Y, d=d)
        words = ("eval", name, "--label", "y", "--decisions", "d", *COST, "--missing", "drop")
        assert counts(run(*words, *engine)) == counts(run(*words))

    def test_floats(self, run, tmp_path, engine):
        name = parquet(tmp_path, y=Y, d=[float(each) for each in D])
        words = ("eval", name, "--label", "y", "--decisions", "d", *COST)
        far = run(*words, *engine)
        assert counts(far) == counts(run(*words)) == [COUNTS]
        assert not any("re-calibrated" in note for note in far.found["notes"])  # no posteriors

    @pytest.mark.parametrize("positive", ["True", "False"])
    def test_truth_values_are_names_and_no_positions(self, run, tmp_path, engine, positive):
        name = parquet(tmp_path, y=[y == 1 for y in Y], d=[d == 1 for d in D])
        words = ("eval", name, "--label", "y", "--decisions", "d", "--positive", positive, *COST)
        turned = [row[::-1] for row in COUNTS[::-1]]
        wanted = COUNTS if positive == "True" else turned
        assert counts(run(*words, *engine)) == counts(run(*words)) == [wanted]

    def test_integers_are_no_positions(self, run, tmp_path, engine):
        name = parquet(tmp_path, y=["yes" if y else "no" for y in Y], d=D)
        words = ("eval", name, "--label", "y", "--decisions", "d", "--positive", "no", *COST)
        near, far = run(*words), run(*words, *engine)
        assert near.code == far.code == 2
        assert "'0'" in far.err

    def test_integers_beside_text(self, run, tmp_path, engine):
        name = parquet(tmp_path, y=Y, d=D, e=[str(each) for each in D])
        words = ("eval", name, "--label", "y", "--decisions", "d,e", "--positive", "0", *COST)
        turned = [row[::-1] for row in COUNTS[::-1]]
        assert counts(run(*words, *engine)) == counts(run(*words)) == [turned, turned]


def test_slices_without_spaces(run, write, engine):
    g = ["north" if k % 2 else " north" if k % 4 else "south " for k in range(80)]
    rows = [f"{y},{d},{part}" for y, d, part in zip(Y, D, g, strict=True)]
    name = write("t.csv", "\n".join(["y,d,g", *rows]) + "\n")
    words = ("eval", name, "--label", "y", "--decisions", "d", "--subset", "g", *COST)
    near, far = (run(*words, *more).found["evaluation"]["slices"] for more in ((), engine))
    assert {n: part["cases"] for n, part in far.items()} == {
        n: part["cases"] for n, part in near.items()
    }
    assert set(far) == {"north", "south"}
