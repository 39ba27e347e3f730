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


def write_calibration(run, tmp_path, kept):
    """A calibration of p, as `stakes calibrate` writes it."""
    rows = "".join(f"{'no' if k % 7 > 1 else 'yes'},0.{k % 9 + 1},a\n" for k in range(200))
    (tmp_path / "y.csv").write_text("y,p,id\n" + rows)
    given = [str(tmp_path / "y.csv"), "--label", "y", "--positive", "yes", "--model", "p"]
    made = run("calibrate", *given, "-o", str(kept))
    assert made.code == 0, made.err


def _needs(ending):
    """Skip where files of this ending cannot be written."""
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("ending", [None, "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("names", ["ab", "ba", "aa", "ac", "ca", "abc", "cd", "dc", "ce", "bdae"])
def test_every_row_is_written(decided, names, ending):
    _needs(ending)
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


def test_a_calibration_applied_to_several_files(run, decided, tmp_path):
    kept = str(tmp_path / "cal.json")
    write_calibration(run, tmp_path, kept)
    for names in (("a.jsonl", "b.jsonl"), ("a.jsonl", "c.csv"), ("c.csv", "d.csv", "b.jsonl")):
        paths = [str(tmp_path / name) for name in names]
        ran = run("calibrate", "--apply", kept, *paths)
        assert ran.code == 0, ran.err
        ids = [each for name in names for each in IDS[name[0]]]
        assert [row["id"] for row in rows_of(ran.out)] == ids


def stored(tmp_path, name, **columns):
    """A Parquet file of Arrow columns."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[parquet]'")
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")
    parquet.write_table(arrow.table({"p": [0.5, 0.05], **columns}), tmp_path / name)
    return str(tmp_path / name)


@pytest.mark.parametrize(
    ("types", "said"),
    [
        (("int64", "float64"), "int64 in a.parquet and double in b.parquet"),
        (("float64", "int64"), "double in a.parquet and int64 in b.parquet"),
        (("float32", "float64"), "float in a.parquet and double in b.parquet"),
        (("bool_", "int64"), "bool in a.parquet and int64 in b.parquet"),
        (("string", "int64"), "string in a.parquet and int64 in b.parquet"),
        (("naive", "zoned"), "timestamp[us] in a.parquet and timestamp[us, tz=UTC] in b.parquet"),
        (("zoned", "naive"), "timestamp[us, tz=UTC] in a.parquet and timestamp[us] in b.parquet"),
        (("int32", "int64"), None),
        (("null", "float32"), None),
        (("string", "large_string"), None),
        (("category", "string"), None),
        (("category", "category"), None),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files_that_are_copied_need_the_same_types(run, decided, tmp_path, types, said, ending):
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")
    known = {"naive": arrow.timestamp("us"), "zoned": arrow.timestamp("us", "UTC")}
    known["category"] = arrow.dictionary(arrow.int8(), arrow.string())
    paths = []
    for letter, name in zip("ab", types, strict=True):
        kind = known.get(name) or getattr(arrow, name)()
        text = "string" in name or name == "category"
        cells = arrow.array([f"1{letter}", f"0{letter}"] if text else [1, 0])
        cells = arrow.nulls(2) if name == "null" else cells.cast(kind)
        paths.append(stored(tmp_path, f"{letter}.parquet", x=cells))
    if said is None:
        found = [row["x"] for row in decided(["a.parquet", "b.parquet"], ending)]
        expected = ["1a", "0a", "1b", "0b"] if text else [1, 0, 1, 0]
        expected = [None, None, *expected[2:]] if types[0] == "null" else expected
        cells = ["" if cell is None else str(cell) for cell in expected]
        if ending == "csv" and types[0] == "null":
            cells = ["", "", "1.0", "0.0"]
        assert found == (cells if ending == "csv" else expected)
        return
    ran = run("decide", *paths, "--rule", str(tmp_path / "rule.json"))
    assert ran.code == 2
    assert f"column 'x' holds {said}: files that are copied together" in ran.err
    kept = tmp_path / "cal.json"
    write_calibration(run, tmp_path, kept)
    assert f"column 'x' holds {said}" in run("calibrate", "--apply", str(kept), *paths).err


@pytest.mark.parametrize("names", [("a.parquet", "a.jsonl"), ("c.csv", "a.parquet")])
def test_scores_of_fewer_bits_next_to_text(run, decided, tmp_path, names):
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")
    short = arrow.array([0.5, 0.05], arrow.float32())
    stored(tmp_path, "a.parquet", p=short, id=["x", "y"])
    paths = [str(tmp_path / name) for name in names]
    ran = run("decide", *paths, "--rule", str(tmp_path / "rule.json"))
    assert ran.code == 2
    assert "column 'p' holds float in a.parquet and cells without a type in" in ran.err


def test_parquet_files_keep_their_types(decided, tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[parquet]'")
    cells = {
        "many": [[1], None],
        "paid": arrow.array([1, None], arrow.decimal128(9, 2)),
        "span": arrow.array([1, None], arrow.duration("us")),
        "key": [b"\xff", None],
        "count": arrow.array([2**60 + 1, None], arrow.int64()),
    }
    stored(tmp_path, "a.parquet", **cells)
    stored(tmp_path, "b.parquet", **dict(reversed(cells.items())))
    found = decided(["a.parquet", "b.parquet"], "parquet")
    alone = decided(["a.parquet"], "parquet")
    assert found == alone * 2
    assert str(parquet.read_schema(tmp_path / "out.parquet").field("paid").type).startswith("dec")


def test_times_of_parquet_next_to_text(decided, write, tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")
    stored(tmp_path, "a.parquet", at=arrow.array([0, None], arrow.timestamp("ns", "UTC")))
    write("b.csv", "p,at\n0.5,2024-07-01\n")
    found = [row["at"] for row in decided(["a.parquet", "b.csv"], "jsonl")]
    assert found == ["1970-01-01T00:00:00.000000000+00:00", None, "2024-07-01"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_text_among_scores_and_costs_in_every_output(run, write, tmp_path, ending):
    _needs(ending)
    costs = [["0", "5"], ["0.75*amount", "0"]]
    rule = DecisionRule(Application(COSTS), columns="p", per_case=True, case_costs=costs)
    rule.save(tmp_path / "pc.json")
    out = tmp_path / f"out.{ending}"
    lines = '{"p": 0.5, "amount": 10}\n{"p": true, "amount": 9}\n{"p": "x", "amount": "abc"}\n'
    files = {"t.csv": "p,amount\n0.5,10\n0.2,abc\nhigh,3\n,4\n", "t.jsonl": lines}
    for name, text in files.items():
        new = write(name, text)
        given = ["decide", new, "--rule", str(tmp_path / "pc.json"), "-o", str(out)]
        ran = run(*given)
        assert ran.code == 2
        assert "--decisions" not in ran.err
        ran = run(*given, "--engine", "memory", "--on-error", "column")
        assert ran.code == 0, ran.err
        if ending == "parquet":
            parquet = pytest.importorskip("pyarrow.parquet", reason="pip install stakes[parquet]")
            table = parquet.read_table(out)
            found = table.to_pylist()
            assert [str(table.schema.field(key).type) for key in ("p", "amount")] == ["double"] * 2
            assert [row["amount"] for row in found][:2] == [10, None if "csv" in name else 9]
        else:
            told = out.read_text()
            found = rows_of(told) if ending == "csv" else list(map(json.loads, told.splitlines()))
            assert "abc" in [row["amount"] for row in found]  # the word stays beside the reason
        reasons = [row["not_decided"] or None for row in found]
        assert reasons[0] is None
        assert None not in reasons[1:]
        assert [row["decision"] or None for row in found] == ["call"] + [None] * len(reasons[1:])


def test_words_and_gaps_among_scores_as_json(run, write, tmp_path, decided):
    write("t.csv", "p,id\n0.50,a\nhigh,b\nNA,c\n,d\n")
    found = decided(["t.csv"], "jsonl", "--on-error", "column")
    assert [row["p"] for row in found] == [0.5, "high", None, None]


def test_the_model_in_the_sentence_about_a_limit(run, write, tmp_path):
    costs = [["0", "5"], ["0.75*amount", "0"]]
    more = {"columns": "p", "model": "p, per case", "per_case": True, "case_costs": costs}
    DecisionRule(Application(COSTS), **more).save(tmp_path / "pc.json")
    new = write("new.csv", "p,amount\n0.5,100\n0.4,90\n0.6,80\n")
    given = ["--rule", str(tmp_path / "pc.json"), "--capacity", "call=1"]
    ran = run("decide", new, *given, "-o", str(tmp_path / "out.csv"))
    assert "the probabilities of p are right" in " ".join(ran.out.split())
