"""Several files, as shells expand patterns, are read one below the other."""

from __future__ import annotations

import json

import pytest

from stakes import Inquiry
from stakes.inquiry.answers import answer
from stakes.sources import read

HEAD = "y,p\n"
FIRST, SECOND = "no,0.1\nyes,0.8\nno,0.3\n" * 20, "yes,0.9\nno,0.2\nyes,0.4\n" * 30
WORDS = ("--positive", "yes", "--scores", "p", "--cost", "fn=10", "fp=1")


@pytest.fixture
def files(write):
    write("jan 1.csv", HEAD + FIRST)
    write("feb.csv", HEAD + SECOND)
    write("both.csv", HEAD + FIRST + SECOND)


def models(ran):
    assert ran.code == 0, ran.err
    return ran.found["models"]


@pytest.mark.parametrize(
    "words",
    [
        ("jan 1.csv", "feb.csv", *WORDS),
        (*WORDS, "jan 1.csv", "feb.csv"),
        ("jan 1.csv", *WORDS[:4], "feb.csv", *WORDS[4:]),
    ],
)
def test_equal_one_file(run, files, words):
    ran = run("eval", *words, "--json")
    assert models(ran) == models(run("eval", "both.csv", *WORDS, "--json"))


def test_columns_in_another_order_and_json(run, write, files):
    swapped = (line.split(",") for line in SECOND.split())
    write("swapped.csv", "p,y\n" + "".join(f"{b},{a}\n" for a, b in swapped))
    expected = models(run("eval", "both.csv", *WORDS, "--json"))
    assert models(run("eval", "jan 1.csv", "swapped.csv", *WORDS, "--json")) == expected
    for name, rows in (("a.jsonl", FIRST), ("b.jsonl", SECOND)):
        pairs = (line.split(",") for line in rows.split())
        write(name, "\n".join(json.dumps({"y": a, "p": float(b)}) for a, b in pairs))
    assert models(run("eval", "a.jsonl", "b.jsonl", *WORDS, "--json")) == expected


def test_an_engine_counts_them_too(run, files):
    pytest.importorskip("duckdb", reason="files are counted by DuckDB")
    far = models(run("eval", "jan 1.csv", "feb.csv", *WORDS, "--engine", "duckdb", "--json"))
    near = models(run("eval", "both.csv", *WORDS, "--json"))
    assert far[0]["cost"] == pytest.approx(near[0]["cost"], rel=1e-12)


def test_other_commands(run, files):
    two = ("jan 1.csv", "feb.csv")
    assert run("calibrate", *two, *WORDS).code == 0
    assert run("ask", *two, *WORDS[:4], "--no-questions", "--miss-is-worth", "5").code == 0


def test_counts_are_added(run, files):
    for name in ("jan 1", "feb", "both"):
        assert run("eval", f"{name}.csv", *WORDS, "--save", f"{name}.json").code == 0
    words = ("--positive", "yes", "--cost", "fn=10", "fp=1", "--json")
    two = models(run("eval", "jan 1.json", "feb.json", *words))
    assert two[0]["cost"] == models(run("eval", "both.json", *words))[0]["cost"]


def test_in_python(tmp_path):
    paths = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for path, rows in zip(paths, (FIRST, SECOND), strict=True):
        (tmp_path / path).write_text(HEAD + rows)
    asked = Inquiry(source=paths, positive="yes", scores="p", cost={"fn": 10, "fp": 1})
    assert answer(asked).class_counts.sum() == 150
    assert read(asked.source).n_rows == 150
    assert answer(Inquiry.of(asked.plain)).class_counts.sum() == 150  # as it is kept


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("y,q\nno,0.1\n", "c.csv has no column 'p', unlike feb.csv"),
        ("y,p,q\nno,0.1,2\n", "c.csv has a column 'q', unlike feb.csv"),
        (HEAD + SECOND, "feb.csv and c.csv hold the same bytes"),
    ],
)
def test_refused(run, write, files, rows, said):
    write("c.csv", rows)
    ran = run("eval", "feb.csv", "c.csv", *WORDS)
    assert (ran.code, said in ran.err) == (2, True)


def test_a_name_with_spaces_is_one_file(run, files):
    assert run("eval", "jan 1.csv", *WORDS).code == 0
    assert "there is no file 'no 1.csv'" in run("eval", "no 1.csv", *WORDS).err


@pytest.mark.parametrize(
    ("kinds", "names"),
    [
        (("int64", "float64"), ["1", "0"]),
        (("bool_", "int64"), ["True", "False", "1", "0"]),
        (("bool_", "string"), ["True", "False", "1", "0"]),
        (("uint64", "int64"), ["1", "0"]),
    ],
)
def test_labels_of_unlike_types_are_those_of_each_file(tmp_path, kinds, names):
    """NumPy would make 1 of true."""
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[parquet]'")
    paths = [str(tmp_path / f"{k}.parquet") for k in range(2)]
    for path, kind in zip(paths, kinds, strict=True):
        column = arrow.array([1, 0]).cast(getattr(arrow, kind)())
        parquet.write_table(arrow.table({"y": column}), path)
    found = read(" ".join(paths)).labels("y")
    assert sorted(found.names) == sorted(names)
    first = ["True", "False"] if kinds[0] == "bool_" else ["1", "0"]
    assert [found.names[code] for code in found.codes] == [*first, "1", "0"]


def test_long_whole_numbers_next_to_fractions_stay_apart(tmp_path):
    paths = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    for path, cells in zip(paths, (["9007199254740993", "9007199254740992"], ["0.5"]), strict=True):
        (tmp_path / path).write_text("".join(f'{{"y": {cell}}}\n' for cell in cells))
    assert len(read(" ".join(paths)).labels("y").names) == 3


@pytest.fixture
def lake(run, tmp_path, files):
    pytest.importorskip("duckdb", reason="files are counted by DuckDB")
    for day, rows in (("day=1", FIRST), ("day=2", SECOND)):
        (tmp_path / "lake" / day).mkdir(parents=True)
        for name in ("x.csv", "y.csv"):
            (tmp_path / "lake" / day / name).write_text(HEAD + rows + "no,0.5\n" * len(name + day))
    return tmp_path / "lake"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lake", "lake/day=1"), "'lake/day=1/x.csv' is named twice, like 1 more file, so"),
        (("feb.csv", "*b.csv"), "'feb.csv' is named twice, so its cases would count twice"),
        (("feb.csv", "feb.csv", "--engine", "duckdb"), "'feb.csv' is named twice, so"),
        (("feb.csv", "./feb.csv", "--engine", "polars"), "'./feb.csv' is named twice (it is 'feb"),
        (("lake", "jan 1.csv", "link/x.csv"), "'link/x.csv' is named twice (it is 'lake/day=1/x"),
    ],
)
def test_no_engine_counts_a_file_twice(run, tmp_path, lake, words, said):
    (tmp_path / "link").symlink_to(lake / "day=1")
    ran = run("eval", *words, *WORDS)
    assert (ran.code, said in " ".join(ran.err.split())) == (2, True), ran.err
    assert "leave one of them out" in ran.err


def test_nor_adds_it_twice_to_saved_counts(run, lake):
    assert run("eval", "lake/day=1", *WORDS, "--save", "one.json").code == 0
    ran = run("eval", "one.json", "lake/day=2", "lake/day=2/x.csv")
    assert (ran.code, "is named twice" in ran.err) == (2, True)


def test_new_cases_may_be_given_twice(run, lake):
    assert run("eval", "lake", *WORDS, "--rule", "rule.json").code == 0
    words = ("--rule", "rule.json", "-o", "decided.csv")
    assert run("decide", "lake/day=1", "lake/day=1/x.csv", *words).code == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("calibrate",), WORDS[:4]),
        (("calibrate",), ("--apply", "cal.json", "-o", "out.csv")),
        (("ask",), (*WORDS[:4], "--no-questions", "--miss-is-worth", "5")),
        (("audit", "f1"), WORDS),
        (("constrain",), (*WORDS, "--by", "y", "--ratio", "0.8")),
    ],
)
def test_what_is_read_by_name_says_so(run, lake, command, words):
    assert run("calibrate", "lake/day=1/x.csv", *WORDS[:4], "-o", "cal.json").code == 0
    for file in ("lake", "lake/*/x.csv"):
        ran = run(*command, file, *words)
        assert (ran.code, "one by one" in ran.err) == (2, True), ran.err
    said = " ".join(run(command[0], "--help").out.split())
    assert "several files are read together" in said


def test_a_pattern_that_finds_nothing_has_no_files_to_name(run, files):
    assert "name the 2 files one by one, or leave out" in run("calibrate", "[jf]*.csv", *WORDS).err
    assert "check the name and the folder" in run("calibrate", "x*.csv", *WORDS).err


def test_calibrating_new_cases_is_not_advised_as_an_estimate(run, write, files):
    assert run("calibrate", "feb.csv", *WORDS[:4], "-o", "cal.json").code == 0
    write("other.csv", "p,z\n0.1,2\n")
    ran = run("calibrate", "--apply", "cal.json", "feb.csv", "other.csv", "-o", "out.csv")
    assert (ran.code, "unlike feb.csv" in ran.err, "estimate" in ran.err) == (2, True, False)
    assert run("calibrate", "--apply", "cal.json", *["feb.csv"] * 2, "-o", "out.csv").code == 0
    write("empty.csv", "p\n")
    ran = run("calibrate", "--apply", "cal.json", "empty.csv", "-o", "out.csv")
    assert (ran.code, "empty.csv has no rows" in ran.err) == (2, True)


def test_files_that_spell_outcomes_otherwise_are_named(run, write, files):
    write("c.csv", HEAD + "0,0.1\n1,0.8\n" * 20)
    ran = run("eval", "feb.csv", "c.csv", *WORDS)
    assert ran.code == 2
    said = "feb.csv holds 'no', 'yes'; c.csv holds '0', '1': spell each outcome alike in all files"
    assert said in " ".join(ran.err.split())
    write("t.jsonl", '{"y": true, "p": 0.8}\n{"y": false, "p": 0.1}\n' * 20)
    ran = run("eval", "t.jsonl", "c.csv", *WORDS)
    assert "t.jsonl holds 'False', 'True'; c.csv holds '0', '1'" in " ".join(ran.err.split())
    write("d.csv", HEAD + "maybe,0.1\nyes,0.8\nno,0.2\n" * 20)
    assert "spell each" not in run("eval", "feb.csv", "d.csv", *WORDS).err
