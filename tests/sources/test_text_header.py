"""Text files counted by an engine are read as files in memory are, or refused as they are."""

from __future__ import annotations

import gzip

import pytest

from stakes.sources.delimited import _ENOUGH, TextHeader, text_header

COST = ("--cost", "fn=10", "fp=1")
ROWS = [("no", "yes")[k % 2] + f",0.{k % 9 + 1}" for k in range(40)]
WORDS = ("--label", "y", "--positive", "yes", "--scores", "p", *COST, "--json")


def text(header="y,p", rows=ROWS):
    return "\n".join([header, *rows]) + "\n"


@pytest.fixture(params=["duckdb", "polars"])
def engine(request):
    pytest.importorskip(request.param, reason="one of the engines")
    return ("--engine", request.param)


def judged(ran):
    assert ran.code == 0, ran.err
    return ran.found["cases"], ran.found["models"][0]["counts"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (text(), TextHeader(("y", "p"), ",")),
        ("\ufeff" + text(), TextHeader(("y", "p"), ",")),
        ("\n\r\n" + text().replace("\n", "\r\n"), TextHeader(("y", "p"), ",", blank=True)),
        ('"a;b"; p \nx;0.5\n', TextHeader(("a;b", "p"), ";")),
        ("y;p\nx;0,5\n", TextHeader(("y", "p"), ";", decimal_comma=True)),
        ("sep=|\ny|p\nx|0.5\n", TextHeader(("y", "p"), "|", told=True)),
        ("y,p", TextHeader(("y", "p"), ",")),
    ],
)
def test_what_the_first_lines_tell(tmp_path, content, expected):
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    assert text_header(str(path)) == expected
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    assert text_header(str(packed)) == expected


def test_a_letter_that_is_cut_in_two_is_no_problem(tmp_path):
    path = tmp_path / "t.csv"
    body = ("y,é\n" + "x,é\n" * (_ENOUGH // 5 + 2)).encode()
    path.write_bytes(body[: _ENOUGH - 1] + "é".encode() + body)
    assert text_header(str(path)) == TextHeader(("y", "é"), ",")


@pytest.mark.parametrize(
    "content",
    [
        text("y;p", [row.replace(",", ";") for row in ROWS]),
        text("y;p", [row.replace(",", ";").replace(".", ",") for row in ROWS]),
        text("y|p", [row.replace(",", "|") for row in ROWS]),
        "sep=;\n" + text("y;p", [row.replace(",", ";") for row in ROWS]),
        "\ufeff" + text(),
        "\n\n" + text(),
        text("y,note,p", [row.replace(",", ',"one\ntwo, ""three""",') for row in ROWS]),
        text("id,y,p", [f"{'' if k % 5 else '#'}{k},{row}" for k, row in enumerate(ROWS)]),
    ],
)
def test_comes_to_the_same_as_in_memory(run, write, engine, content):
    name = write("t.csv", content)
    assert judged(run("eval", name, *WORDS, *engine)) == judged(run("eval", name, *WORDS))
    assert run("eval", name, *WORDS, *engine).found["cases"] == 40


@pytest.mark.parametrize(
    "content",
    [
        text("y,p,p", [f"{row},0.5" for row in ROWS]),
        text("no,0.3"),
        "# made by hand\n" + text(),
        text().encode() + b"\xe9,0.5\n",
        text() + "\0,0.5\n",
    ],
)
def test_is_refused_as_in_memory(run, write, engine, content):
    name = write("t.csv", content)
    near, far = run("eval", name, *WORDS), run("eval", name, *WORDS, *engine)
    assert (far.code, far.err) == (2, near.err)


def test_rows_of_other_lengths_are_not_left_out(run, write, engine):
    name = write("t.csv", text("y,p", [*ROWS[:5], *(f"{row},7,8" for row in ROWS[5:])]))
    assert run("eval", name, *WORDS).code == 2
    assert run("eval", name, *WORDS, *engine).code == 2


def test_other_columns_may_share_a_name(run, write, engine):
    name = write("t.csv", text("y,p,x,x", [f"{row},1,2" for row in ROWS]))
    assert judged(run("eval", name, *WORDS, *engine)) == judged(run("eval", name, *WORDS))


def test_utf16(run, write, engine):
    name = write("t.csv", text().encode("utf-16"))
    ran = run("eval", name, *WORDS, *engine)
    assert ran.code == 2
    assert "t.csv is UTF-16 text, which engines do not read." in ran.err
    assert "iconv -f utf-16" in ran.err


@pytest.mark.parametrize("word", ["nan", "NA", "", " null "])
def test_words_for_nothing_are_no_outcomes(run, write, engine, word):
    name = write("t.csv", text("y,p", [*ROWS, f"{word},0.5", f"{word},0.25"]))
    ran = run("eval", name, *WORDS, *engine)
    assert ran.code == 2
    assert "2 rows of 'y', the truth, are empty." in ran.err
    near, far = (run("eval", name, *WORDS, "--missing", "drop", *more) for more in ((), engine))
    assert judged(far) == judged(near)


@pytest.mark.parametrize("word", ["NA", "NaN", "", "None", "n/a"])
@pytest.mark.parametrize("model", [("--scores", "p"), ("--decisions", "d")])
def test_words_for_nothing_among_numbers_and_decisions(run, write, engine, word, model):
    rows = [f"{row},{('no', 'yes')[k % 3 == 0]}" for k, row in enumerate(ROWS)]
    rows[3], rows[4] = f"yes,{word},no", f"no,0.5,{word}"
    words = ("eval", write("t.csv", text("y,p,d", rows)), "--label", "y", "--positive", "yes",
             *model, *COST, "--json")  # fmt: skip
    ran = run(*words, *engine)
    assert ran.code == 2
    assert "has missing values" in ran.err
    near, far = (run(*words, "--missing", "drop", *more) for more in ((), engine))
    assert judged(far) == judged(near)
    assert far.found["cases"] == 39


def test_whole_numbers_with_a_point_are_whole_outcomes(run, write, engine):
    rows = [f"{k % 2}.0,0.{k % 9 + 1}" for k in range(40)]
    words = ("eval", write("t.csv", text("y,p", rows)), "--label", "y", "--positive", "1",
             "--scores", "p", *COST, "--json")  # fmt: skip
    assert judged(run(*words, *engine)) == judged(run(*words))


def test_weights_that_are_no_numbers(run, tmp_path, engine):
    pa = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    import pyarrow.parquet as pq

    columns = {"y": ["no", "yes"] * 20, "p": [0.25] * 40, "w": [1.0] * 39 + [float("nan")]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    ran = run("eval", "t.parquet", *WORDS, "--weight", "w", *engine)
    assert ran.code == 2
    assert "weights must be numbers that are not negative; some of 'w' are not." in ran.err
