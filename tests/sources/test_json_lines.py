"""JSON lines are read as other files of the same rows are."""

import gzip
import json

import numpy as np
import pytest

from stakes.exceptions import FormatError
from stakes.sources import read

COSTS = ("--label", "y", "--positive", "yes", "--scores", "p", "--cost", "fn=10", "fp=1")


@pytest.fixture
def lines(tmp_path):
    def written(*rows, name="day.jsonl"):
        texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        data = "\n".join(texts).encode("utf-8") + b"\n"
        file = tmp_path / name
        file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return str(file)

    return written


@pytest.fixture(params=["day.jsonl", "day.ndjson", "day.jsonl.gz", "day.txt"])
def name(request):
    return request.param


def test_one_case_in_each_line(lines, name):
    table = read(lines({"y": "no", "p": 0.25, "k": 3}, "", {"p": 1, "y": "yes", "k": 4}, name=name))
    assert (table.names, table.n_rows, table.form) == (("y", "p", "k"), 2, "JSON lines")
    assert table.labels("y").names == ("no", "yes")
    assert table.numbers("p").tolist() == [0.25, 1.0]
    assert table.labels("k").names == ("3", "4")


def test_what_a_line_does_not_say_is_empty(lines):
    table = read(lines({"y": "no"}, {"p": 0.5}, {"y": None, "p": float("nan"), "k": 7}))
    assert table.labels("y").codes.tolist() == [0, -1, -1]
    assert np.isnan(table.numbers("p")).tolist() == [True, False, True]
    assert table.labels("k").names == ("7",)


def test_objects_inside_are_columns(lines):
    table = read(lines({"y": "cat", "p": {"cat": 0.5, "dog": 0.5}, "x": [1, {"a": 2}]}))
    assert table.names == ("y", "p.cat", "p.dog", "x")
    assert table.numbers("p.dog").tolist() == [0.5]
    assert table.labels("x").names == ('[1, {"a": 2}]',)


def test_booleans_are_spelt_as_in_other_files(lines):
    table = read(lines({"a": True, "b": True}, {"a": False, "b": None}))
    assert table.labels("a").names == ("False", "True")
    assert table.labels("b").names == ("True",)


def test_long_numbers_keep_their_digits(lines):
    table = read(lines({"id": 9007199254740993, "k": 1}, {"id": 9007199254740992, "k": 0.5}))
    assert table.labels("id").names == ("9007199254740992", "9007199254740993")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_inside_text_end_no_line(tmp_path, end):
    file = tmp_path / "day.jsonl"
    file.write_bytes((f'{{"y": "a\u2028b", "p": 1}}{end}' * 2).encode("utf-8-sig"))
    assert read(str(file)).labels("y").names == ("a\u2028b",)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"y": "no", "p": 0.5', r"line 2 cannot be read as JSON \(Expecting"),
        ("[1, 2]", "line 2 is not an object"),
        ('{"p": 0.5, "p": 0.6}', r"line 2 cannot be read as JSON \(it says 'p' twice\)"),
        ('{"p.a": 0.5, "p": {"a": 0.6}}', r"line 2 says 'p.a' twice"),
        ("[" * 100_000, "line 2 cannot be read as JSON"),
    ],
)
def test_lines_that_cannot_be_meant_are_refused(lines, row, said):
    with pytest.raises(FormatError, match=said):
        read(lines({"y": "no"}, row))


def test_lines_without_values_are_refused(lines):
    with pytest.raises(FormatError, match="holds no values"):
        read(lines({}, {}))


def test_other_text_that_begins_so_is_delimited(tmp_path):
    file = tmp_path / "day.csv"
    file.write_text("{y},p\nno,0.5\n")
    assert read(str(file)).names == ("{y}", "p")


def test_the_same_rows_as_csv_cost_the_same(lines, tmp_path, run):
    rng = np.random.default_rng(0)
    y = rng.random(80) < 0.4
    p = np.round(np.clip(rng.normal(0.3 + 0.3 * y, 0.2), 0, 1), 3)
    rows = [{"y": "yes" if t else "no", "p": float(x)} for t, x in zip(y, p, strict=True)]
    table = tmp_path / "day.csv"
    table.write_text("y,p\n" + "".join(f"{row['y']},{row['p']}\n" for row in rows))
    near, other = (run("eval", file, *COSTS, "--json").found for file in (lines(*rows), str(table)))
    assert near["models"] == other["models"]
    assert near["facts"]["form"] == "JSON lines"
