"""`stakes decide` on files given by name: every row is written, with its cells as they are."""

from __future__ import annotations

import csv
import io
import json

import pytest

from stakes import Application, CostMatrix, DecisionRule

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"], decisions=["wait", "call"])
FILES = {
    "a.jsonl": '{"p": 0.5, "id": "é1"}\n{"p": 0.05, "id": "b1"}\n',
    "b.jsonl": '{"p": 0.7, "id": "a2"}\n{"p": 1, "id": "b2"}\n{"p": 0, "id": "c2"}\n',
    "c.csv": "p,id\n0.50,é3\n0.02,b3\n",
    "d.csv": 'id,p\n"a;4",0.9\n',
    "e.tsv": "p\tid\n0.01\ta5\n",
}
IDS = {"a": ["é1", "b1"], "b": ["a2", "b2", "c2"], "c": ["é3", "b3"], "d": ["a;4"], "e": ["a5"]}


@pytest.fixture
def decided(run, write, tmp_path):
    """Decide files by name into one, and give its rows."""
    DecisionRule(Application(COSTS), columns="p").save(tmp_path / "rule.json")
    for name, text in FILES.items():
        write(name, text)

    def decided(names, ending=None, *more):
        out = tmp_path / f"out.{ending}"
        paths = [str(tmp_path / name) for name in names]
        given = ["decide", *paths, "--rule", str(tmp_path / "rule.json"), *more]
        ran = run(*given, *(["-o", str(out)] if ending else []))
        assert ran.code == 0, ran.err
        if ending == "parquet":
            parquet = pytest.importorskip("pyarrow.parquet", reason="pip install stakes[parquet]")
            found = parquet.read_table(out).to_pylist()
        else:
            text = out.read_text(encoding="utf-8") if ending else ran.out
            lines = text.startswith("{")
            found = list(map(json.loads, text.splitlines())) if lines else rows_of(text)
        if ending:
            assert f"decided {len(found)} rows" in ran.out
        return found

    return decided


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("ending", [None, "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("names", ["ab", "ba", "aa", "ac", "ca", "abc", "cd", "dc", "ce", "bdae"])
def test_every_row_is_written(decided, names, ending):
    known = {name[0]: name for name in FILES}
    found = decided([known[letter] for letter in names], ending)
    assert [row["id"] for row in found] == [each for letter in names for each in IDS[letter]]
    decisions = {"é1": "call", "b1": "wait", "c2": "wait", "é3": "call", "b3": "wait", "a5": "wait"}
    assert [row["decision"] for row in found] == [decisions.get(row["id"], "call") for row in found]


def test_lines_of_every_file_stay_as_they_were(decided, write):
    write("f.jsonl", '{"id": "a6", "p": 0.50, "more": [1, {"x": null}]}\n')
    write("g.jsonl", '{"more": {}, "p":7e-1, "id": "a7"}\n{"more": 1, "p": 0.5, "id": "b7"}\n')
    found = decided(["f.jsonl", "g.jsonl"], "jsonl")
    assert [row["more"] for row in found] == [[1, {"x": None}], {}, 1]


def test_a_taken_name_in_any_file(run, write, decided, tmp_path):
    write("h.jsonl", '{"p": 0.2, "id": "x", "decision": {}}\n')
    paths = [str(tmp_path / name) for name in ("a.jsonl", "h.jsonl")]
    ran = run("decide", *paths, "--rule", str(tmp_path / "rule.json"))
    assert ran.code == 2
    assert "the table already has a column 'decision'" in ran.err


def test_cells_of_unlike_files_stay_as_they_are(decided, write):
    """NumPy would write 9007199254740993 as a float and true as 1."""
    write("i.jsonl", '{"p": 0.5, "id": 9007199254740993}\n{"p": 0.5, "id": true}\n')
    write("j.jsonl", '{"p": 0.5, "id": 0.5}\n')
    write("k.csv", "p,id\n0.5,007\n")
    found = decided(["i.jsonl", "j.jsonl", "k.csv"], "csv")
    assert [row["id"] for row in found] == ["9007199254740993", "true", "0.5", "007"]
    found = decided(["i.jsonl", "j.jsonl", "k.csv"], "jsonl")
    assert [row["id"] for row in found] == [9007199254740993, True, 0.5, "007"]


@pytest.mark.parametrize("names", [("l.csv", "c.csv"), ("c.csv", "l.csv"), ("l.csv", "a.jsonl")])
def test_decimal_commas_in_one_file_only(run, write, decided, tmp_path, names):
    write("l.csv", "p;id\n0,5;a\n0,02;b\n")
    paths = [str(tmp_path / name) for name in names]
    ran = run("decide", *paths, "--rule", str(tmp_path / "rule.json"))
    assert ran.code == 2
    other = next(name for name in names if name != "l.csv")
    assert f"l.csv holds numbers with a decimal comma, unlike {other}" in ran.err
    write("m.csv", "p;id\n0,5;c\n")
    assert [row["p"] for row in decided(["l.csv", "m.csv"], "jsonl")] == [0.5, 0.02, 0.5]


def test_a_calibration_applied_to_several_files(run, write, decided, tmp_path):
    rows = "".join(f"{'no' if k % 7 > 1 else 'yes'},0.{k % 9 + 1},a\n" for k in range(200))
    write("y.csv", "y,p,id\n" + rows)
    file, kept = str(tmp_path / "y.csv"), str(tmp_path / "cal.json")
    made = run("calibrate", file, "--label", "y", "--positive", "yes", "--model", "p", "-o", kept)
    assert made.code == 0, made.err
    for names in (("a.jsonl", "b.jsonl"), ("a.jsonl", "c.csv"), ("c.csv", "d.csv", "b.jsonl")):
        paths = [str(tmp_path / name) for name in names]
        ran = run("calibrate", "--apply", kept, *paths)
        assert ran.code == 0, ran.err
        ids = [each for name in names for each in IDS[name[0]]]
        assert [row["id"] for row in rows_of(ran.out)] == ids
