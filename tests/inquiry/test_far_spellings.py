"""Decisions counted by an engine mean what they mean in memory, however they are written."""

from __future__ import annotations

import sys
from datetime import date

import pytest

from stakes.inquiry.far_columns import _SPACES

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
    assert set(_SPACES) == every


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
        assert not any("re-calibrated" in note for note in far.said("notes"))  # no posteriors

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
    words = ("eval", name, "--label", "y", "--decisions", "d", "--by", "g", *COST)
    near, far = (run(*words, *more).found["slices"] for more in ((), engine))
    assert {n: part["cases"] for n, part in far.items()} == {
        n: part["cases"] for n, part in near.items()
    }
    assert set(far) == {"north", "south"}


def parts(ran):
    """How many cases each part has, and what its model decided."""
    assert ran.code == 0, ran.err
    found = ran.found["slices"]
    return {name: (part["cases"], part["models"][0]["counts"]) for name, part in found.items()}


#: Values of four slices as they are written, and what the slices are called then.
WRITTEN = [
    (("1", "1.0", "2", "2.0"), {"1", "2"}),
    (("1", "1.0", "2", "x"), {"1", "1.0", "2", "x"}),
    (("a", " NA", "NA", "b "), {"a", "b", "(empty)"}),
    (("a", "", "nA", "b"), {"a", "b", "(empty)"}),
]


@pytest.mark.parametrize(("values", "names"), WRITTEN)
def test_parts_are_called_as_in_memory(run, write, tmp_path, engine, values, names):
    g = [values[k // 2 % 4] for k in range(80)]
    rows = [f"{y},{d},{part}" for y, d, part in zip(Y, D, g, strict=True)]
    csv = write("t.csv", "\n".join(["y,d,g", *rows]) + "\n")
    for name in (csv, parquet(tmp_path, y=Y, d=D, g=g)):
        words = ("eval", name, "--label", "y", "--decisions", "d", "--by", "g", *COST)
        near, far = parts(run(*words)), parts(run(*words, *engine))
        assert set(far) == names
        assert far == near


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ((1.0, 2.0, 2.5, float("nan")), {"1", "2", "2.5", "(empty)"}),
        ((1, 2, 3, None), {"1", "2", "3", "(empty)"}),
        ((True, False, True, None), {"True", "False", "(empty)"}),
        ((date(2026, 1, 1), date(2026, 1, 2), None, None), {"2026-01-01", "2026-01-02", "(empty)"}),
    ],
)
def test_parts_of_other_types(run, tmp_path, engine, values, names):
    name = parquet(tmp_path, y=Y, d=D, g=[values[k // 2 % 4] for k in range(80)])
    words = ("eval", name, "--label", "y", "--decisions", "d", "--by", "g", *COST)
    near, far = parts(run(*words)), parts(run(*words, *engine))
    assert set(far) == names
    assert far == near


@pytest.mark.parametrize("gap", [" NA", "nA", "\u00a0?"])
def test_words_for_nothing_among_scores(run, write, tmp_path, engine, gap):
    p = [gap if k == 5 else f"0.{2 + 5 * y + k % 3}" for k, y in enumerate(Y)]
    csv = write("t.csv", "\n".join(["y,p", *(f"{a},{b}" for a, b in zip(Y, p, strict=True))]))
    for name in (csv, parquet(tmp_path, y=Y, p=p)):
        words = ("eval", name, "--label", "y", "--scores", "p", *COST)
        assert counts(run(*words, *engine, "--missing", "drop")) == counts(run(*words))
        ran = run(*words, *engine)
        assert ran.code == 2
        assert "(1 of 80 rows)" in ran.err
        assert ran.err.splitlines()[-1] == "  To leave such rows out: --missing drop"


def test_words_for_nothing_beside_decimal_commas(run, write, engine):
    p = [" NA" if k == 5 else f"0,{2 + 5 * y + k % 3}" for k, y in enumerate(Y)]
    name = write("t.csv", "\n".join(["y;p", *(f"{a};{b}" for a, b in zip(Y, p, strict=True))]))
    words = ("eval", name, "--label", "y", "--scores", "p", "--missing", "drop", *COST)
    assert counts(run(*words, *engine)) == counts(run(*words))


def test_other_text_among_scores_is_refused(run, write, engine):
    lines = [f"{y},{'NAN!' if k == 5 else ' NA' if k == 7 else 0.5}" for k, y in enumerate(Y)]
    name = write("t.csv", "\n".join(["y,p", *lines]) + "\n")
    ran = run("eval", name, "--label", "y", "--scores", "p", "--missing", "drop", *COST, *engine)
    assert ran.code == 2
    assert "'NAN!'" in ran.err


@pytest.mark.parametrize("cell", ["1.000", "0.5"])
def test_points_beside_decimal_commas_are_refused(run, write, engine, cell):
    amounts = [cell if k == 5 else "2,5" for k in range(len(Y))]
    lines = [f"{y};0,{2 + 5 * y};{a}" for y, a in zip(Y, amounts, strict=True)]
    name = write("t.csv", "\n".join(["y;p;amount", *lines]) + "\n")
    words = ("eval", name, "--label", "y", "--scores", "p", "--cost", "fn=amount", "fp=1")
    for chosen in ((), engine):
        ran = run(*words, *chosen)
        assert (ran.code, f"holds '{cell}'" in ran.err) == (2, True)


def test_a_lake_whose_columns_have_several_types(run, tmp_path):
    duck = ("--engine", "duckdb")
    pytest.importorskip("duckdb", reason="the engine of lakes")
    (tmp_path / "lake").mkdir()
    p = [0, 1, 0, 1, *(k % 7 / 8 for k in range(76))]  # whole numbers in the first file
    first, second = slice(0, 4), slice(4, 80)
    for name, rows, note in (("a", first, 1), ("b", second, "x")):
        parquet(tmp_path, y=Y[rows], p=p[rows], note=[note] * len(p[rows]))
        (tmp_path / "t.parquet").rename(tmp_path / "lake" / f"{name}.parquet")
    words = ("--label", "y", "--scores", "p", *COST)
    parquet(tmp_path, y=Y, p=[float(each) for each in p])
    whole = counts(run("eval", "t.parquet", *words))
    assert counts(run("eval", "lake/*.parquet", *words, *duck)) == whole
