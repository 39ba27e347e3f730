from __future__ import annotations

import csv
import io
import sys

import numpy as np
import pytest

from stakes import Posteriors
from stakes.calibration import load
from stakes.demonstration import example_path

CHURN = str(example_path("churn.csv"))


@pytest.fixture
def learnt(run):
    ran = run("calibrate", CHURN, "--label", "churned", "--positive", "yes", "--model", "gbm_p",
              "--kind", "affine", "-o", "cal.json")  # fmt: skip
    assert ran.code == 0, ran.err


class TestParquet:
    @pytest.fixture
    def parquet(self):
        return pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")

    def test_holds_what_csv_holds(self, run, learnt, parquet):
        ran = run("calibrate", "--apply", "cal.json", CHURN, "-o", "out.parquet")
        assert (ran.code, ran.out) == (0, "calibrated 5 000 rows of churn.csv: out.parquet\n")
        run("calibrate", "--apply", "cal.json", CHURN, "-o", "out.csv")
        table = parquet.read_table("out.parquet").to_pydict()
        written = np.genfromtxt("out.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
        assert list(table) == list(written.dtype.names)
        assert table["churned"] == written["churned"].tolist()
        for name in ("customer", "gbm_p", "logreg_p", "gbm_p_calibrated"):
            numbers = np.array(table[name]).astype(float)
            np.testing.assert_allclose(numbers, written[name], rtol=1e-8)

    def test_text_that_is_carried_along_comes_out_as_it_went_in(self, run, learnt, write, parquet):
        columns = {
            "id": ["007", "12", "3"],
            "zip": ["10115", "20095", "80331"],
            "price": ["1.20", "12.50", "3.00"],
            "version": ["1.10", "1.9", "1.2"],
            "amount": ["0.5", "1", "2"],
            "phone": ["+4915112345678", "1e3", "1_000"],
            "serial": ["12345678901234567890", "9007199254740993", "-0"],
            "note": [" a", "b,c", 'say "d"'],
            "gbm_p": ["0.20", "0.7", ".5"],
        }
        stream = io.StringIO()
        csv.writer(stream).writerows([list(columns), *zip(*columns.values(), strict=True)])
        write("new.csv", stream.getvalue())
        ran = run("calibrate", "--apply", "cal.json", "new.csv", "-o", "out.parquet")
        assert ran.code == 0, ran.err
        rows = parquet.read_table("out.parquet").to_pydict()
        scores = rows.pop("gbm_p")
        assert rows.pop("gbm_p_calibrated")
        assert rows == {name: columns[name] for name in rows}
        assert scores == [0.2, 0.7, 0.5]  # what was read as numbers is numbers

    def test_types_do_not_depend_on_the_rows(self, run, learnt, write, parquet):
        """Days of one table can be read together."""
        for k, zipcode in enumerate(("10115", "01067", "")):
            write("day.csv", f"zip,x,gbm_p\n{zipcode},1.25,0.2\n")
            run("calibrate", "--apply", "cal.json", "day.csv", "-o", f"{k}.parquet")
        schemas = [parquet.read_schema(f"{k}.parquet") for k in range(3)]
        assert schemas[0] == schemas[1] == schemas[2]
        assert [str(kind) for kind in schemas[0].types] == ["string", "string", "double", "double"]

    def test_empty_cells_are_null(self, run, learnt, write, parquet):
        write("new.csv", "x,t,gbm_p\n0.5,a,0.2\n,,0.7\n")
        run("calibrate", "--apply", "cal.json", "new.csv", "-o", "out.parquet")
        rows = parquet.read_table("out.parquet").to_pydict()
        assert (rows["x"], rows["t"]) == (["0.5", None], ["a", None])

    @pytest.mark.parametrize("engine", [(), ("--engine", "duckdb"), ("--engine", "polars")])
    def test_numbers_written_as_text_can_be_evaluated(self, run, learnt, write, parquet, engine):
        if engine:
            pytest.importorskip(engine[1], reason="one of the engines")
        lines = [f"{k % 2},{k % 3},{k * k % 97}.50,0.{k % 9 + 1}" for k in range(60)]
        write("new.csv", "\n".join(["y,w,other,gbm_p", *lines]) + "\n")
        run("calibrate", "--apply", "cal.json", "new.csv", "-o", "out.parquet")
        words = ("--label", "y", "--weight", "w", "--scores", "gbm_p_calibrated", "--cost", "fn=5",
                 "fp=1", "--json", *engine)  # fmt: skip
        found = run("eval", "out.parquet", *words)
        assert found.code == 0, found.err
        assert found.found["cases"] == 40  # every third row weighs nothing

    def test_what_was_read_keeps_its_types(self, run, learnt, parquet):
        import pyarrow as pa

        types = {"day": pa.date32(), "n": pa.int8(), "gbm_p": pa.float32()}
        given = pa.table(
            [
                pa.array([1, None], types["day"]),
                pa.array([3, None], types["n"]),
                pa.array([0.25, 0.75], types["gbm_p"]),
            ],
            schema=pa.schema(types),
        )
        parquet.write_table(given, "new.parquet")
        run("calibrate", "--apply", "cal.json", "new.parquet", "-o", "out.parquet")
        found = parquet.read_table("out.parquet")
        assert found.drop_columns(["gbm_p_calibrated"]).equals(given)
        expected = load("cal.json").posteriors(Posteriors([0.25, 0.75]))[:, 1]
        np.testing.assert_allclose(found["gbm_p_calibrated"].to_pylist(), expected)

    def test_arrays(self, run, learnt, parquet):
        np.savez("new.npz", gbm_p=np.array([0.2, 0.7]), k=np.array([1, 2]))
        run("calibrate", "--apply", "cal.json", "new.npz", "-o", "out.parquet")
        assert parquet.read_table("out.parquet").to_pydict()["k"] == [1, 2]

    def test_twice_is_refused(self, run, learnt, parquet):
        run("calibrate", "--apply", "cal.json", CHURN, "-o", "out.parquet")
        ran = run("calibrate", "--apply", "cal.json", "out.parquet", "-o", "again.parquet")
        assert ran.code == 2
        assert "already has a column" in ran.err

    def test_a_failure_leaves_the_old_file(
        self, run, learnt, parquet, write, tmp_path, monkeypatch
    ):
        write("out.parquet", "old")
        monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("no")))
        assert run("calibrate", "--apply", "cal.json", CHURN, "-o", "out.parquet").code == 2
        assert (tmp_path / "out.parquet").read_text() == "old"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["cal.json", "out.parquet"]


@pytest.mark.parametrize("comma", [True, False])
def test_semicolons_and_decimal_commas_stay(run, learnt, write, comma):
    rows = ["a;1,5;0.25", "b;2,5;0.75"]
    rows = [row.replace("0.", "0,") for row in rows] if comma else rows
    write("new.csv", "\n".join(["name;x;gbm_p", *rows]) + "\n")
    ran = run("calibrate", "--apply", "cal.json", "new.csv")
    expected = load("cal.json").posteriors(Posteriors([0.25, 0.75]))[:, 1]
    numbers = [f"{value:.9g}".replace(".", "," if comma else ".") for value in expected]
    assert ran.out.splitlines() == [
        "name;x;gbm_p;gbm_p_calibrated", *(f"{r};{n}" for r, n in zip(rows, numbers, strict=True))
    ]  # fmt: skip


def test_without_pyarrow_the_install_line_comes_before_any_work(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    ran = run("calibrate", "--apply", "absent.json", CHURN, "-o", "out.parquet")
    assert ran.code == 2
    assert "pip install 'stakes[parquet]'" in ran.err


def test_other_forms_are_refused(run, learnt):
    ran = run("calibrate", "--apply", "cal.json", CHURN, "-o", "out.npz")
    assert ran.code == 2
    assert "--apply writes CSV or Parquet" in ran.err
    assert "-o out.csv or -o out.parquet" in ran.err
