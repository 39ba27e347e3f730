"""Rows of files and frames, near and far, by one way in."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import sources
from stakes.exceptions import DataError

pd = pytest.importorskip("pandas", reason="pip install pandas")
pl = pytest.importorskip("polars", reason="pip install 'stakes[polars]'")

TEXT = "truth,p\nyes,0.8\nno,0.1\nno,\n"


def test_one_file_is_read_into_memory(tmp_path):
    file = tmp_path / "day.csv"
    file.write_text(TEXT)
    rows = sources.read(str(file))
    assert isinstance(rows, sources.Table)
    assert (rows.names, rows.n_rows) == (("truth", "p"), 3)
    assert rows.labels("truth").names == ("no", "yes")
    np.testing.assert_array_equal(rows.numbers("p"), [0.8, 0.1, np.nan])


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_files_of_an_engine_stay_where_they_are(tmp_path, engine):
    pytest.importorskip(engine, reason=f"pip install 'stakes[{engine}]'")
    for day in ("monday", "tuesday"):
        (tmp_path / f"{day}.csv").write_text(TEXT)
    rows = sources.read(str(tmp_path / "*.csv"), engine=engine)
    assert isinstance(rows, sources.FarFiles)
    assert (rows.names, rows.form, rows.engine) == (("truth", "p"), "csv", engine)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_in_memory_is_read_as_a_file_is(frame):
    rows = sources.from_frame(frame({"truth": ["yes", "no"], "p": [0.8, 0.1]}))
    assert (rows.names, rows.n_rows, rows.form) == (("truth", "p"), 2, "data frame")
    assert rows.labels("truth").names == ("no", "yes")


def test_lazy_and_empty_frames_are_refused():
    with pytest.raises(DataError, match="rows in memory are needed; got LazyFrame"):
        sources.from_frame(pl.LazyFrame({"p": [1]}))
    with pytest.raises(DataError, match="has no rows"):
        sources.from_frame(pl.DataFrame({"p": []}))


def test_trials_are_joined_with_scores_by_name(tmp_path):
    (tmp_path / "keys.txt").write_text("a u1 target\na u2 nontarget\n")
    (tmp_path / "gbm.txt").write_text("a u2 -1.5\na u1 2.5\nb u9 0\n")
    table, notes = sources.read_trials(str(tmp_path / "keys.txt"), [str(tmp_path / "gbm.txt")])
    assert table.names == ("truth", "gbm")
    np.testing.assert_array_equal(table.numbers("gbm"), [2.5, -1.5])
    assert any("1 scores of gbm.txt belong to no trial" in note for note in notes)
