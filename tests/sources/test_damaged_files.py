"""Files that are damaged, hostile or merely odd: one line says so, and never a traceback."""

import gzip
import io
import json
import tracemalloc

import numpy as np
import pytest

from stakes._checksums import checksum
from stakes.exceptions import DataError, FormatError
from stakes.sources import parquet, read, table_file
from stakes.sources.cells import as_labels, as_numbers

ODD = ("--label", "y", "--positive", "yes", "--scores", "p", "--cost", "fn=10", "fp=1")
DEEP = {"list": "x = " + "[" * 3000, "table": "x = " + "{a=" * 3000, "digits": "x = " + "9" * 5000}
DEEP_JSON = {"list": "[" * 100_000, "table": '{"a":' * 100_000, "digits": "9" * 5000}


def refused(done, *said):
    """A run that ended in one line for people."""
    assert done.code == 2, done.err
    assert done.err.startswith("error: ")
    assert "mistake in stakes" not in done.err
    for each in said:
        assert each in done.err


@pytest.fixture
def archive():
    stream = io.BytesIO()
    np.savez_compressed(stream, y=np.arange(50) % 2, p=np.linspace(0, 1, 50))
    return stream.getvalue()


@pytest.mark.parametrize("place", [10, 40, 100, 300, -10, -40, -80])
def test_an_archive_with_a_byte_changed_is_read_or_refused(place, archive, run, write):
    data = bytearray(archive)
    data[place] ^= 0xFF
    done = run("inspect", write("a.npz", bytes(data)))
    assert done.code in (0, 2)
    assert "mistake in stakes" not in done.err


def test_an_archive_that_was_cut_off(archive, run, write):
    refused(run("inspect", write("a.npz", archive[:-30])), "a.npz")


@pytest.mark.parametrize("header", [b"{'descr': <f8'", b"{'descr': \x85", b"("])
def test_a_broken_header_of_an_array(header, run, write):
    stream = io.BytesIO()
    np.save(stream, np.zeros(4))
    data = bytearray(stream.getvalue())
    data[10 : 10 + len(header)] = header
    refused(run("inspect", write("a.npy", bytes(data))), "a.npy")


@pytest.mark.parametrize("order", ["<", ">"])
def test_an_array_of_letters_that_do_not_exist(order, run, tmp_path):
    letters = np.full((20, 2), 0x7FFFFFFF, dtype=f"{order}u4")
    np.save(tmp_path / "a.npy", letters.view(f"{order}U2").reshape(-1))
    refused(run("inspect", "a.npy"), "a.npy: its text holds letters that do not exist")


def test_a_summary_of_a_kind_that_is_a_list(run, write):
    content = {"version": 2, "summary": {"type": [[1]]}}
    whole = {"format": "stakes summary", "sha256": checksum(content), **content}
    refused(run("inspect", write("a.json", json.dumps(whole))), "unknown kind [[1]]")


def test_hdf5_with_a_broken_heap_and_text_that_is_none(run, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["y"], file["p"] = np.arange(50) % 2, np.linspace(0, 1, 50)
    data = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "a.h5").write_bytes(data.replace(b"HEAP", b"HOOP").replace(b"SNOD", b"SNAP"))
    refused(run("inspect", "a.h5"), "a.h5: the HDF5 file is damaged")
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["y"] = [b"\xff\xfe"] * 4
    refused(run("inspect", "b.h5"), "b.h5")


@pytest.mark.parametrize("engine", ["", "duckdb", "polars"])
@pytest.mark.parametrize("column", ["y", "p"])
@pytest.mark.parametrize("cell", [[1.0, 2.0], {"a": 1}, b"\xff\x00", []])
def test_columns_of_parquet_that_hold_no_single_values(engine, column, cell, run, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    if engine:
        pytest.importorskip(engine)
    columns = {"y": ["yes", "no"] * 20, "p": [0.9, 0.1] * 20, column: [cell] * 40}
    parquet.write_table(pa.table(columns), tmp_path / "odd.parquet")
    words = ("--engine", engine) if engine else ()
    refused(run("eval", "odd.parquet", *ODD, *words))


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize(
    "words",
    [
        ("eval", "good.csv", *ODD[:6], "--costs", "FILE"),
        ("eval", "--inquiry", "FILE"),
        ("ask", "--prevalence", "5%", "--answers", "FILE", "--no-questions"),
        ("inspect", "FILE"),
    ],
    ids=["costs", "inquiry", "answers", "inspect"],
)
def test_toml_that_is_nested_or_numbered_beyond_reason(words, text, run, write):
    write("good.csv", "y,p\n" + "yes,0.9\nno,0.1\n" * 20)
    write("file.toml", text)
    refused(run(*("file.toml" if word == "FILE" else word for word in words)), "file.toml")


@pytest.mark.parametrize("text", DEEP_JSON.values(), ids=DEEP_JSON)
@pytest.mark.parametrize(
    "words",
    [
        ("eval", "--confusion", "FILE", "--positive", "yes", "--cost", "fn=1", "fp=1"),
        ("eval", "--inquiry", "FILE"),
        ("merge", "FILE", "FILE2", "-o", "sum.json"),
        ("eval", "FILE", *ODD),
    ],
    ids=["counts", "inquiry", "summary", "rows"],
)
def test_json_that_is_nested_or_numbered_beyond_reason(words, text, run, write):
    name = "rows.jsonl" if "--label" in words else "file.json"
    write(name, f'{{"truth": {text}}}')
    write("other.json", "{}")
    given = {"FILE": name, "FILE2": "other.json"}
    refused(run(*(given.get(word, word) for word in words)))


@pytest.mark.parametrize(
    "line",
    ["label = 3", "scores = [1]", "cost = 5", "source = {a = 1}", "seed = 'x'", "flip = true"],
)
def test_an_inquiry_of_other_types(line, run, write):
    refused(run("eval", "--inquiry", write("q.toml", line)), "q.toml")


def test_answers_in_another_encoding(run, write):
    write("a.toml", b'[[answer]]\nroute = "ratio"\nratio = 5\nsaid = "\xff"\n')
    done = run("ask", "--prevalence", "5%", "--answers", "a.toml", "--no-questions")
    refused(done, "a.toml: not UTF-8 text")


def test_a_link_that_leads_to_itself(run, write, tmp_path):
    write("good.csv", "y,p\n" + "yes,0.9\nno,0.1\n" * 20)
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "loop.html").symlink_to("loop.html")
    refused(run("eval", "loop.csv", *ODD), "loop.csv")
    refused(run("merge", "loop.csv", "good.csv", "-o", "sum.json"), "loop.csv")
    refused(run("eval", "good.csv", *ODD, "--html", "loop.html"), "leads back to itself")
    assert (tmp_path / "loop.html").is_symlink()


@pytest.mark.parametrize(
    "words",
    [("--confusion", "FILE", "--positive", "yes", "--cost", "fn=1", "fp=1"), ("FILE", *ODD)],
)
@pytest.mark.parametrize("text", ['truth,"{}"\nno,"1"\n', '"truth"\n"{}"\n', "@relation r\n{}\n"])
def test_a_cell_beyond_what_the_csv_module_reads(words, text, run, write):
    write("wide.csv", text.format("x" * 200_000))
    refused(run("eval", *("wide.csv" if word == "FILE" else word for word in words)), "wide.csv")


def test_hdf5_that_claims_far_more_than_it_holds(run, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("p", (500_000_000,), "f8", chunks=(1000,))
    refused(run("inspect", "a.h5"), "a.h5 unpacks to more than 1 GB")


class TestLongCells:
    ROWS, LETTERS = 20_000, 60_000

    def rows(self, quote=""):
        """Short labels but for one."""
        labels = ["yes", "no"] * (self.ROWS // 2)
        labels[7] = "x" * self.LETTERS
        lines = "".join(f"{quote}{label}{quote},0.5\n" for label in labels)
        return f"y,p\n{lines}".encode()

    @pytest.mark.parametrize("quote", ["", '"'])
    def test_one_does_not_widen_all_of_them(self, quote, write, tmp_path):
        """Of equal widths the column alone would take 4.8 GB."""
        path = str(tmp_path / write("long.csv", self.rows(quote)))
        tracemalloc.start()
        try:
            table = read(path)
            labels = table.labels("y")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 100e6
        assert labels.names == ("no", "x" * self.LETTERS, "yes")
        assert labels.counts.tolist() == [9_999, 1, 10_000]

    def test_numbers_beside_one(self):
        cells = np.array(["0,5", "n/a", "1,5", "2"], dtype=object)
        assert np.array_equal(
            as_numbers(cells, "p", decimal_comma=True), [0.5, np.nan, 1.5, 2], equal_nan=True
        )
        with pytest.raises(DataError, match="row 2 holds '1_0'"):
            as_numbers(np.array(["1", "1_0"], dtype=object), "p")
        with pytest.raises(DataError) as caught:
            as_numbers(np.array(["1", "x" * 70_000], dtype=object), "p")
        assert len(caught.value.message) < 200

    def test_labels_of_objects_are_those_of_text(self):
        cells = [" b", "a", "", "b", "nan", "c"]
        for dtype in (object, np.str_):
            found = as_labels(np.array(cells, dtype=dtype))
            assert set(found.names) == {"a", "b", "c"}
            spelt = [found.names[k] if k >= 0 else "" for k in found.codes]
            assert spelt == ["b", "a", "", "b", "", "c"]


def test_a_packed_file_is_unpacked_up_to_a_limit(monkeypatch, run, write, tmp_path):
    monkeypatch.setattr(table_file, "_MOST_UNPACKED", 1_000_000)
    monkeypatch.setattr(table_file, "_PART", 1 << 16)
    small = gzip.compress(b"y,p\n" + b"yes,0.9\nno,0.1\n" * 100)
    assert read(write("small.csv.gz", small)).n_rows == 200
    path = write("large.csv.gz", gzip.compress(b"y,p\n" + b"yes,0.9\n" * 5_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="unpacks to more than"):
            read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5e6
    refused(run("eval", "large.csv.gz", *ODD), "unpack it first", "--engine duckdb")
    np.savez_compressed(tmp_path / "large.npz", y=np.zeros(1_000_000))
    refused(run("inspect", "large.npz"), "unpacks to more than")


def test_parquet_that_expands(monkeypatch, run, tmp_path):
    """Equal numbers take next to no room in such a file."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"p": np.zeros(1_000_000)}), tmp_path / "zeros.parquet")
    assert (tmp_path / "zeros.parquet").stat().st_size < 100_000
    assert read(str(tmp_path / "zeros.parquet"), engine="memory").n_rows == 1_000_000
    monkeypatch.setattr(parquet, "_MOST_UNPACKED", 4_000_000)
    said = ("zeros.parquet unpacks to more than 0.004 GB", "--engine duckdb")
    refused(run("eval", "zeros.parquet", *ODD, "--engine", "memory"), *said)
