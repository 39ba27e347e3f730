from __future__ import annotations

import gzip
import io

import numpy as np
import pytest

from stakes.exceptions import DataError, FormatError, MissingExtraError
from stakes.sources.array_files import read_array
from stakes.sources.source import from_frame
from stakes.sources.table_file import read_table

CSV = b"y,p\nno,0.25\nyes,0.75\n"


@pytest.fixture
def file(tmp_path):
    def made(name, content=CSV):
        path = tmp_path / name
        path.write_bytes(content)
        return str(path)

    return made


def saved(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


class TestTable:
    def test_csv(self, file):
        table = read_table(file("t.csv"))
        assert (table.source, table.n_rows, table.names) == ("t.csv", 2, ("y", "p"))
        assert table.numbers("p").tolist() == [0.25, 0.75]
        assert table.labels("y").names == ("no", "yes")

    @pytest.mark.parametrize("name", ["t.csv.gz", "t.csv"])
    def test_gz_whatever_it_is_called(self, file, name):
        table = read_table(file(name, gzip.compress(CSV)))
        assert table.numbers("p").tolist() == [0.25, 0.75]

    def test_damaged_gz(self, file):
        with pytest.raises(FormatError, match="damaged"):
            read_table(file("t.csv.gz", gzip.compress(CSV)[:-9]))

    def test_standard_input(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CSV)))
        assert read_table("-").numbers("p").tolist() == [0.25, 0.75]

    def test_semicolons_bring_decimal_commas(self, file):
        table = read_table(file("t.csv", b"y;p\nno;0,25\n"))
        assert table.numbers("p").tolist() == [0.25]

    def test_npz(self, file):
        matrix = np.array([[0.4, 0.6], [0.1, 0.9]])
        table = read_table(file("t.npz", saved(y=np.array([0, 1]), p=matrix)))
        assert (table.names, list(table.matrices)) == (("y",), ["p"])
        assert np.array_equal(table.matrices["p"], matrix)

    def test_npy_is_called_by_its_name(self, tmp_path):
        np.save(tmp_path / "scores.npy", np.zeros((3, 2)))
        assert list(read_table(str(tmp_path / "scores.npy")).matrices) == ["scores"]
        assert read_array(str(tmp_path / "scores.npy")).shape == (3, 2)

    def test_parquet(self, tmp_path):
        pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
        path = tmp_path / "t.parquet"
        parquet.write_table(
            pyarrow.table({"y": ["no", None, "yes"], "p": [0.25, 0.5, None], "k": [1, 0, 1]}), path
        )
        table = read_table(str(path))
        assert table.labels("y").codes.tolist() == [0, -1, 1]
        assert table.numbers("p")[:2].tolist() == [0.25, 0.5]
        assert np.isnan(table.numbers("p")[2])
        assert table.labels("k").names == ("0", "1")

    def test_gaps_in_columns_of_parquet(self, tmp_path):
        """NumPy alone would fill gaps with the last category, and make floats of integers."""
        pa = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
        columns = pa.table(
            {
                "y": pa.array(["no", None, "yes"]).dictionary_encode(),
                "p": pa.array(["0.1", None, "0.9"]).dictionary_encode(),
                "id": [2**53 + 1, None, 5002],
                "b": [True, None, False],
                "r": [{"a": 1}, {"a": None}, None],
            }
        )
        parquet.write_table(columns, tmp_path / "t.parquet")
        for table in (read_table(str(tmp_path / "t.parquet")), from_frame(columns)):
            assert table.labels("y").codes.tolist() == [0, -1, 1]
            assert table.cells("id").tolist() == [2**53 + 1, None, 5002]
            assert table.cells("r").tolist() == [{"a": 1}, {"a": None}, None]
            for name, said in (("p", [0.1, None, 0.9]), ("b", [1.0, None, 0.0])):
                found = table.numbers(name).tolist()
                assert [None if x != x else x for x in found] == said

    def test_integers_of_json_lines_stay_integers(self, file):
        table = read_table(file("t.jsonl", b'{"id": 7}\n{"id": null}\n'))
        assert table.cells("id").tolist() == [7, None]

    def test_parquet_without_the_extra_names_it(self, file, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
        with pytest.raises(MissingExtraError, match=r"stakes\[parquet\]"):
            read_table(file("t.parquet", b"PAR1"))


class TestRefusals:
    def test_near_miss_is_suggested(self, file):
        table = read_table(file("t.csv", b"churned,gbm_p\nno,0.5\n"))
        with pytest.raises(DataError) as caught:
            table.cells("gbm")
        assert caught.value.message == (
            "t.csv has no column 'gbm'; did you mean 'gbm_p'? It has: churned, gbm_p."
        )

    def test_no_near_miss(self, file):
        with pytest.raises(DataError) as caught:
            read_table(file("t.csv")).cells("zebra")
        assert caught.value.message == "t.csv has no column 'zebra'. It has: y, p."

    def test_duplicate_header_matters_only_when_it_is_used(self, file):
        table = read_table(file("t.csv", b"y,p,p\nno,1,2\n"))
        assert table.labels("y").names == ("no",)
        with pytest.raises(FormatError) as caught:
            table.numbers("p")
        assert caught.value.message == "t.csv: columns 2 and 3 are both called 'p'."

    def test_header_only(self, file):
        with pytest.raises(DataError, match=r"t\.csv has a header and no rows\."):
            read_table(file("t.csv", b"y,p\n"))

    @pytest.mark.parametrize("name", ["m.pt", "m.pkl", "m.joblib"])
    def test_files_that_run_code_are_not_opened(self, file, name):
        with pytest.raises(FormatError, match="opening one runs the code in it"):
            read_table(file(name))

    def test_arrays_of_objects_are_not_loaded(self, tmp_path):
        np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
        with pytest.raises(FormatError, match="Object arrays cannot be loaded"):
            read_table(str(tmp_path / "o.npy"))

    def test_arrays_of_different_lengths(self, file):
        with pytest.raises(DataError, match="y 3, p 2"):
            read_table(file("t.npz", saved(y=np.zeros(3), p=np.zeros(2))))

    def test_spreadsheets(self, file):
        with pytest.raises(FormatError, match="save the sheet as CSV"):
            read_table(file("t.xlsx", b"PK\x03\x04"))
