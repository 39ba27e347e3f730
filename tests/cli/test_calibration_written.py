from __future__ import annotations

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
            np.testing.assert_allclose(table[name], written[name], rtol=1e-8)

    def test_digits_that_are_names_stay_text(self, run, learnt, write, parquet):
        write("new.csv", "id,n,x,t,gbm_p\n007,1,0.5,a,0.2\n12,-3,,,0.7\n")
        run("calibrate", "--apply", "cal.json", "new.csv", "-o", "out.parquet")
        rows = parquet.read_table("out.parquet").to_pydict()
        assert (rows["id"], rows["n"]) == (["007", "12"], [1, -3])
        assert (rows["x"], rows["t"]) == ([0.5, None], ["a", None])

    @pytest.mark.parametrize(
        "words",
        [
            ["12345678901234567890", "12345678901234567891"],
            ["9223372036854775808", "1"],
            ["+4915112345678", "+4915112345679"],
            ["1.20", "1.2"],
            ["1.0", "1"],
            ["1e3", "1000"],
            ["0.12345678901234567891", "0.5"],
            ["9007199254740993", "0.5"],
            ["1_000", "7"],
            ["007.50", "12.25"],
        ],
    )
    def test_what_numbers_would_write_otherwise_stays_text(
        self, run, learnt, write, parquet, words
    ):
        write("new.csv", "key,gbm_p\n" + "".join(f"{word},0.2\n" for word in words))
        run("calibrate", "--apply", "cal.json", "new.csv", "-o", "out.parquet")
        assert parquet.read_table("out.parquet").to_pydict()["key"] == words

    @pytest.mark.parametrize(
        ("words", "numbers"),
        [
            (["9223372036854775807", "-1"], [2**63 - 1, -1]),
            (["0.5", "1"], [0.5, 1.0]),
            (["0.5", "1.0"], [0.5, 1.0]),
            (["1e-05", "0.25"], [0.00001, 0.25]),
            (["0.0940", "12.5000"], [0.094, 12.5]),
        ],
    )
    def test_numbers_that_write_the_same_are_numbers(
        self, run, learnt, write, parquet, words, numbers
    ):
        write("new.csv", "n,gbm_p\n" + "".join(f"{word},0.2\n" for word in words))
        run("calibrate", "--apply", "cal.json", "new.csv", "-o", "out.parquet")
        found = parquet.read_table("out.parquet").to_pydict()["n"]
        assert (found, [type(each) for each in found]) == (numbers, [type(n) for n in numbers])

    def test_scores_are_numbers_however_they_are_written(self, run, learnt, write, parquet):
        write("new.csv", "gbm_p,other\n0.50,0.50\n0.2,0.2\n")
        run("calibrate", "--apply", "cal.json", "new.csv", "-o", "out.parquet")
        rows = parquet.read_table("out.parquet").to_pydict()
        assert (rows["gbm_p"], rows["other"]) == ([0.5, 0.2], ["0.50", "0.2"])

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
