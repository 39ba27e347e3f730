from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stakes.exceptions import FormatError
from stakes.sources.delimited import parse


def columns(data: bytes) -> dict[str, list[str]]:
    names, n_rows, getters, _ = parse(data, "t.csv")
    cells = [[c.decode() if isinstance(c, bytes) else c for c in get().tolist()] for get in getters]
    assert all(len(column) == n_rows for column in cells)
    return dict(zip(names, cells, strict=True))


PLAIN = {"y": ["no", "yes"], "p": ["0.1", "0.9"]}


@pytest.mark.parametrize(
    "data",
    [
        b"y,p\nno,0.1\nyes,0.9\n",
        b"y,p\nno,0.1\nyes,0.9",
        b"y,p\r\nno,0.1\r\nyes,0.9\r\n",
        b"y,p\rno,0.1\ryes,0.9\r",
        b"\xef\xbb\xbfy,p\nno,0.1\nyes,0.9\n",
        "y,p\nno,0.1\nyes,0.9\n".encode("utf-16"),
        b"y;p\nno;0.1\nyes;0.9\n",
        b"y\tp\nno\t0.1\nyes\t0.9\n",
        b"y|p\nno|0.1\nyes|0.9\n",
        b'"y","p"\n"no","0.1"\n"yes","0.9"\n',
        b"\n\ny,p\nno,0.1\n\nyes,0.9\n\n\n",
        b" y , p \nno,0.1\nyes,0.9\n",
        b"sep=;\r\ny;p\r\nno;0.1\r\nyes;0.9\r\n",
    ],
    ids=["plain", "no-last-newline", "crlf", "cr", "bom", "utf-16", "semicolons", "tabs", "bars",
         "quoted", "blank-lines", "spaces-in-header", "spreadsheet"],
)  # fmt: skip
def test_forms_of_the_same_table(data):
    assert columns(data) == PLAIN


def test_quoted_cells_may_hold_delimiters_newlines_and_quotes():
    data = b'y,"na,me"\nno,"a,b"\nyes,"c\nd ""e"""\n'
    assert columns(data) == {"y": ["no", "yes"], "na,me": ["a,b", 'c\nd "e"']}


def test_unicode_survives_both_ways_of_reading():
    plain, quoted = "y,p\n猫,1\nnaïve,2\n", 'y,p\n"猫",1\nnaïve,2\n'
    assert (
        columns(plain.encode())
        == columns(quoted.encode())
        == {
            "y": ["猫", "naïve"],
            "p": ["1", "2"],
        }
    )


def test_a_very_long_cell():
    data = f"y,p\n{'x' * 5000},1\nb,2\n".encode()
    assert columns(data)["y"] == ["x" * 5000, "b"]


@given(
    st.lists(
        st.lists(st.text("ab0.5é ", max_size=4), min_size=3, max_size=3), min_size=1, max_size=40
    )
)
def test_against_the_csv_module(rows):
    rows = [["k", *row[1:]] for row in rows]  # so that no line is blank
    data = "x,y,z\n" + "".join(",".join(row) + "\n" for row in rows)
    expected = list(csv.reader(io.StringIO(data)))[1:]
    got = columns(data.encode())
    assert [list(row) for row in zip(*got.values(), strict=True)] == expected


@given(st.text('a,"\n;0', max_size=30), st.sampled_from(",;"))
@example('k,"a"\n"","b"\n', ",")
@example('k,x"a"\n"a,b","b"\n', ",")
def test_quotes_against_the_csv_module(text, delimiter):
    """Quotes that only wrap cells are taken off; all others are left to the csv module."""
    data = f'"y"{delimiter}p\nk{delimiter}1\n{text}\n'.encode()
    try:
        got = columns(data)
    except FormatError:
        return  # uneven rows, or a quote that is not closed
    lines = list(csv.reader(io.StringIO(data.decode().strip("\n")), delimiter=delimiter))
    expected = [row for row in lines[1:] if row]
    assert [list(row) for row in zip(*got.values(), strict=True)] == expected


@pytest.mark.parametrize("data", [b"", b"\n\n", b"  \n", b"\xef\xbb\xbf"])
def test_empty_files(data):
    with pytest.raises(FormatError, match=r"^t\.csv is empty\."):
        parse(data, "t.csv")


def test_whole_numbers_may_name_columns():
    assert columns(b"y,0,1\nb,0.4,0.6\n") == {"y": ["b"], "0": ["0.4"], "1": ["0.6"]}


def test_header_only_has_no_rows():
    assert parse(b"y,p\n", "t.csv")[1] == 0
    assert parse(b'"y","p"\n', "t.csv")[1] == 0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"y,p\nno,1\nyes\n", "t.csv: row 2 (line 3) has 1 cell, the header has 2."),
        (b'y,p\n"no",1,2\n', "t.csv: row 1 (line 2) has 3 cells, the header has 2."),
        (b"0,0.1\n1,0.4\n", "the first line of t.csv looks like data (0, 0.1), not like column "
         "names."),
        (b"y,p\nn\xe9,1\n", "t.csv: line 2 is not UTF-8 text (byte 0xe9)."),
        (b"y,p\nno\0,1\n", "t.csv holds bytes that are not text."),
    ],
)  # fmt: skip
def test_refusals_say_where(data, said):
    with pytest.raises(FormatError) as caught:
        parse(data, "t.csv")
    assert caught.value.message == said


def test_cells_are_cut_out_only_when_asked_for():
    wide = ",".join(f"c{i}" for i in range(500))
    row = ",".join("0.25" for _ in range(500))
    names, n_rows, getters, _ = parse(f"{wide}\n{row}\n{row}\n".encode(), "t.csv")
    assert (len(names), n_rows) == (500, 2)
    assert np.array_equal(getters[499](), np.array([b"0.25", b"0.25"]))
