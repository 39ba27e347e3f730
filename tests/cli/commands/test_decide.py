"""`stakes decide` and `stakes rule`: a saved rule on new files, and as SQL."""

from __future__ import annotations

import csv
import io
import json
import sqlite3

import numpy as np
import pytest
from rule_cases import APP, by_arithmetic, one_cut, per_case, two

from stakes import Application, CostMatrix, DecisionRule
from stakes.calibration import Isotonic
from stakes.posteriors import Posteriors

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"], decisions=["wait", "call"])
NEW = 'id,p,note\n1,0.02,a\n2,0.5,"b, c"\n3,0.09,d\n'
RULE = DecisionRule(Application(COSTS), columns="p", model="gbm", score_range=(0.05, 0.95))


@pytest.fixture
def saved(tmp_path):
    def saved(rule=RULE, name="rule.json"):
        rule.save(tmp_path / name)
        return str(tmp_path / name)

    return saved


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_gets_four_columns(run, write, saved, tmp_path):
    out = tmp_path / "out.csv"
    ran = run("decide", write("new.csv", NEW), "--rule", saved(), "-o", str(out))
    assert ran.code == 0, ran.err
    assert f"decided 3 rows by the rule of gbm ({RULE})" in ran.out
    assert (
        "1 of 3 scores lie outside the range that the rule was learnt on, 0.05 to 0.95" in ran.err
    )
    found = rows(out.read_text())
    assert list(found[0]) == ["id", "p", "note", "decision", "expected_cost", "next_best", "margin"]
    assert [row["decision"] for row in found] == ["wait", "call", "wait"]
    assert [row["next_best"] for row in found] == ["call", "wait", "call"]
    assert [float(row["expected_cost"]) for row in found] == pytest.approx([0.2, 0.5, 0.9])
    assert [float(row["margin"]) for row in found] == pytest.approx([0.78, 4.5, 0.01])
    assert found[1]["note"] == "b, c"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_file_without_rows_gives_one_without_rows(run, write, saved, tmp_path, engine, ending):
    pytest.importorskip("duckdb", reason="an engine, and pyarrow")
    out = tmp_path / f"out.{ending}"
    new = write("new.csv", NEW.splitlines()[0] + "\n")
    ran = run("decide", new, "--rule", saved(), "--engine", engine, "-o", str(out))
    assert ran.code == 0, ran.err
    assert "decided 0 rows" in ran.out
    added = ["id", "p", "note", "decision", "expected_cost", "next_best", "margin"]
    if ending == "csv":
        assert out.read_text().split() == [",".join(added)]
    elif ending == "jsonl":
        assert out.read_text() == ""
    else:
        found = pytest.importorskip("pyarrow.parquet").read_table(out)
        assert (found.num_rows, found.column_names) == (0, added)


def test_standard_input_to_standard_output(run, saved, monkeypatch):
    def fed(text):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return run("decide", "-", "--rule", saved())

    ran = fed(NEW)
    assert [row["decision"] for row in rows(ran.out)] == ["wait", "call", "wait"]
    lines = '{"p": 0.5, "who": "x"}\n{"p": 0.01, "who": null}\n'
    told = fed(lines).out.splitlines()
    assert [json.loads(line)["decision"] for line in told] == ["call", "wait"]
    assert json.loads(told[0])["who"] == "x"


def test_a_hyphen_prints(run, write, saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ["decide", write("new.csv", NEW), "--rule", saved()]
    assert run(*given, "-o", "-").out == run(*given).out
    assert not (tmp_path / "-").exists()


def test_json_lines_stand_as_they_were(run, write, saved):
    lines = '{"p": "0.50", "who": {"x": [1, {"y": 2.50}]}, "n": 12345678901234567890}\n {"p":0}  \n'
    told = run("decide", write("new.jsonl", lines), "--rule", saved()).out.splitlines()
    for line, old in zip(told, lines.splitlines(), strict=True):
        assert line.startswith(old.strip()[:-1])
        new = json.loads(line)
        assert {key: new[key] for key in json.loads(old)} == json.loads(old)
        assert list(new)[-4:] == ["decision", "expected_cost", "next_best", "margin"]
    assert [json.loads(line)["decision"] for line in told] == ["call", "wait"]


def test_text_among_numbers_with_a_decimal_comma(run, write, saved):
    new = write("new.csv", "p;note\n0,5;a\nwhat;b\n0,01;c\n")
    ran = run("decide", new, "--rule", saved())
    assert "row 2 holds 'what' (1 of 3 rows)" in ran.err
    assert "--on-error column" in ran.err
    ran = run("decide", new, "--rule", saved(), "--on-error", "column")
    found = list(csv.DictReader(io.StringIO(ran.out), delimiter=";"))
    assert [row["decision"] for row in found] == ["call", "", "wait"]
    assert [row["not_decided"] for row in found] == ["", "no score", ""]


def test_json_says_what_was_done(run, write, saved, tmp_path):
    out = tmp_path / "out.jsonl"
    ran = run("decide", write("new.csv", NEW), "--rule", saved(), "-o", str(out), "--json")
    told = json.loads(ran.out)
    assert (told["rows"], told["outside"], told["undecided"]) == (3, 1, {})
    first = json.loads(out.read_text().splitlines()[0])
    assert (first["p"], first["decision"], first["note"]) == (0.02, "wait", "a")


BAD = "p,amount\n0.5,10\n,10\n1.5,10\n0.5,\nwhat,10\n"


def test_rows_that_cannot_be_decided(run, write, saved, tmp_path):
    out = tmp_path / "out.csv"
    given = ["decide", write("bad.csv", BAD.replace("what", "0.1")), "--rule", saved(per_case())]
    ran = run(*given, "-o", str(out))
    assert ran.code == 2
    assert "3 of 5 rows cannot be decided" in ran.err
    assert "--on-error column" in ran.err
    assert not out.exists()
    ran = run("decide", write("bad.csv", BAD), "--rule", saved(per_case()), "-o", str(out),
              "--on-error", "column")  # fmt: skip
    assert ran.code == 0, ran.err
    why = [row["not_decided"] for row in rows(out.read_text())]
    assert why == ["", "no score", "not a probability", "no cost", "no score"]
    assert "4 of 5 rows are not decided" in ran.err


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("which", ["affine", "pets vector", "isotonic", "per case"])
def test_streamed_files_say_what_memory_says(run, saved, tmp_path, which, ending):
    duckdb = pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
    rule = {**one_cut(), **by_arithmetic(), "per case": per_case()}[which]
    rng = np.random.default_rng(0)
    posteriors = rng.dirichlet(np.ones(3), 3000)
    columns = {"id": np.arange(3000), "p": posteriors[:, 0], "amount": rng.integers(1, 50, 3000)}
    columns |= dict(zip("abc", posteriors.T, strict=True))
    file = str(tmp_path / "new.parquet")
    parquet.write_table(arrow.table(columns), file, row_group_size=700)
    near, far = (str(tmp_path / f"{name}.{ending}") for name in ("near", "far"))
    given = ["decide", file, "--rule", saved(rule)]
    assert run(*given, "-o", near).code == 0
    ran = run(*given, "-o", far, "--engine", "duckdb")
    assert ran.code == 0, ran.err
    reader = {"csv": "read_csv", "parquet": "read_parquet", "jsonl": "read_json"}[ending]
    a, b = (duckdb.sql(f"SELECT * FROM {reader}('{path}')").fetchnumpy() for path in (near, far))
    assert list(a) == list(b)
    assert a["id"].tolist() == b["id"].tolist()  # in the order of the file
    same = a["decision"] == b["decision"]
    assert (same | (a["margin"] < 1e-9)).all()
    assert np.allclose(
        a["expected_cost"].astype(float), b["expected_cost"].astype(float), rtol=1e-7
    )
    assert np.allclose(a["margin"].astype(float), b["margin"].astype(float), rtol=1e-6, atol=1e-8)


def test_a_stream_that_fails_leaves_nothing(run, write, saved, tmp_path):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    out = tmp_path / "out.parquet"
    out.write_text("before")
    given = ["decide", write("bad.csv", "p\n0.5\n1.5\n"), "--rule", saved(), "-o", str(out)]
    ran = run(*given, "--engine", "duckdb")
    assert ran.code == 2
    assert "not a probability in 1" in ran.err
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    ran = run(*given, "--engine", "duckdb", "--on-error", "column")
    assert "1 of 2 rows are not decided" in ran.err
    ran = run("decide", given[1], "--rule", saved(), "--engine", "duckdb")
    assert "-o decided.parquet" in ran.err


def test_other_columns_and_what_cannot_be_meant(run, write, saved, tmp_path):
    out = str(tmp_path / "out.csv")
    file = write("new.csv", "q\n0.5\n")
    ran = run("decide", file, "--rule", saved(), "-o", out)
    assert "no column 'p'" in ran.err
    assert "--columns" in ran.err
    assert run("decide", file, "--rule", saved(), "-o", out, "--columns", "q").code == 0
    assert run("decide", file, "--rule", saved(), "-o", out, "--columns", " q ").code == 0
    assert "already has a column" in run("decide", out, "--rule", saved(), "--columns", "q").err
    assert "ends in .txt" in run("decide", file, "--rule", saved(), "-o", "x.txt").err
    packed = run("decide", file, "--rule", saved(), "-o", "x.jsonl.gz").err
    assert "'x.jsonl.gz' ends in .gz" in packed
    assert packed.endswith("-o x.jsonl\n")
    ran = run("decide", file, "--rule", file)
    assert "not JSON" in ran.err


def test_a_rule_is_shown_and_written_as_sql(run, saved):
    shown = run("rule", saved(DecisionRule(APP, columns="p", model="gbm"))).out
    assert shown.splitlines()[0] == f"gbm: {DecisionRule(APP)}"
    assert "columns: p" in shown
    text = run("rule", saved(), "--sql", "sqlite", "--columns", "q").out
    con = sqlite3.connect(":memory:")
    con.execute("CREATE TABLE t (q REAL)")
    con.executemany("INSERT INTO t VALUES (?)", [(0.02,), (0.5,), (None,)])
    assert con.execute(f"SELECT {text} FROM t").fetchall() == [("wait",), ("call",), (None,)]
    assert json.loads(run("rule", saved(), "--json").out)["rule"] == str(RULE)
    both = run("rule", saved(), "--sql", "sqlite", "--columns", "q", "--json").out
    assert json.loads(both) == {"sql": text.removesuffix("\n")}
    assert "--sql duckdb" in run("rule", saved(), "--columns", "q").err
    assert "no SQL for 'oracle'" in run("rule", saved(), "--sql", "oracle").err


def test_isotonic_steps_are_decided_by_batches_alike(run, saved, tmp_path):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    y, p = two(n=2000)
    rule = DecisionRule(APP, calibrator=Isotonic().fit(Posteriors(p), y), columns="p")
    file, out = tmp_path / "new.csv", tmp_path / "out.csv"
    file.write_text("p\n" + "".join(f"{x!r}\n" for x in p.tolist()))
    ran = run("decide", str(file), "--rule", saved(rule), "-o", str(out), "--engine", "duckdb")
    assert ran.code == 0, ran.err
    found = [row["decision"] for row in rows(out.read_text())]
    assert found == [rule.decisions[j] for j in rule.positions(p)]


@pytest.mark.parametrize("in_batches", [True, False])
def test_rows_that_cannot_be_decided_are_counted(run, saved, tmp_path, monkeypatch, in_batches):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    y, p = two()
    fitted = Isotonic().fit(Posteriors(p), y) if in_batches else None
    rule = DecisionRule(APP, calibrator=fitted, columns="p", model="m")
    monkeypatch.setattr("stakes.engines.decided_stream._BATCH", 2048)
    cells = ["0.5"] * 9000
    cells[5000], cells[8999] = "1.5", "1.5"
    file, out = tmp_path / "new.csv", tmp_path / "out.csv"
    file.write_text("p\n" + "\n".join(cells) + "\n")
    given = ["decide", str(file), "--rule", saved(rule), "-o", str(out), "--engine"]
    for engine in ("memory", "duckdb"):
        ran = run(*given, engine)
        said = "2 of 9 000 rows cannot be decided (not a probability in 2); the first is row 5001"
        assert said in ran.err
        assert not out.exists()


@pytest.mark.parametrize("kept", ["first.csv", "second.csv"])
def test_no_file_that_is_read_is_overwritten(run, write, saved, tmp_path, kept):
    given = [write(name, NEW.replace("a", name)) for name in ("first.csv", "second.csv")]
    before = (tmp_path / kept).read_text()
    ran = run("decide", *given, "--rule", saved(), "-o", str(tmp_path / kept))
    assert ran.code == 2
    assert "would overwrite a file which is read" in ran.err
    assert (tmp_path / kept).read_text() == before


def test_json_without_a_file_is_refused(run, write, saved):
    ran = run("decide", write("new.csv", NEW), "--rule", saved(), "--json")
    assert ran.code == 2
    assert (ran.out, "--json says what was done" in ran.err) == ("", True)


def test_capacity_is_kept_to_the_case(run, write, saved, tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    p = np.random.default_rng(5).random(300).round(3)
    file = write("new.csv", "p\n" + "".join(f"{each}\n" for each in p))
    best = set(np.argsort(-p, kind="stable")[:40].tolist())  # all costs are alike
    monkeypatch.setattr("stakes.engines.decided_stream._BATCH", 64)
    for engine in ("memory", "duckdb"):
        out = tmp_path / f"{engine}.csv"
        asked = ["--capacity", "call=40", "--engine", engine, "-o", str(out)]
        ran = run("decide", file, "--rule", saved(), *asked)
        assert ran.code == 0, ran.err
        assert "decided 300 rows by the rule of gbm (within limits)" in ran.out
        assert "Limit on 'call', at most 40: reached (40 of these 300 cases); one more" in ran.out
        found = rows(out.read_text())
        assert {k for k, row in enumerate(found) if row["decision"] == "call"} == best
    told = run("decide", file, "--rule", saved(), "--json", *asked)
    (limit,) = json.loads(told.out)["capacity"]
    following = np.sort(p)[::-1][40]
    assert (limit["used"], limit["price"]) == (40, pytest.approx(11 * following - 1))


def test_rows_without_a_decision_use_no_capacity(run, write, saved, tmp_path):
    file, out = write("new.csv", "p\n0.9\n0.8\n\n7\n0.7\n"), str(tmp_path / "out.csv")
    asked = ["--capacity", "call=2", "--on-error", "column", "-o", out]
    ran = run("decide", file, "--rule", saved(), *asked)
    assert ran.code == 0, ran.err
    assert "reached (2 of these 3 cases)" in ran.out


def test_too_many_rows_to_share_out(run, write, saved, tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    monkeypatch.setattr("stakes.engines.decided_stream._MOST_ROWS", 2)
    asked = ["--capacity", "call=1", "--engine", "duckdb", "-o", str(tmp_path / "out.csv")]
    ran = run("decide", write("new.csv", NEW), "--rule", saved(), *asked)
    assert ran.code == 2
    assert "3 rows are too many to be decided within limits" in ran.err
    assert "leave out --capacity" in ran.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
def test_cells_of_parquet_with_gaps_are_copied(run, saved, tmp_path, engine):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
    columns = {
        "id": [2**53 + 1, None, 5002],
        "region": arrow.array(["a", None, "b"]).dictionary_encode(),
        "paid": [True, None, False],
        "p": arrow.array(["0.5", None, "0.01"]).dictionary_encode(),
    }
    parquet.write_table(arrow.table(columns), tmp_path / "new.parquet")
    given = ["decide", str(tmp_path / "new.parquet"), "--rule", saved(), "--on-error", "column"]
    for ending in ("csv", "jsonl", "parquet"):
        out = tmp_path / f"out.{ending}"
        ran = run(*given, *engine, "-o", str(out))
        assert ran.code == 0, ran.err
        if ending == "csv":
            found = rows(out.read_text())
            assert [row["id"] for row in found] == [str(2**53 + 1), "", "5002"]
            assert [row["region"] for row in found] == ["a", "", "b"]
            assert [row["not_decided"] for row in found] == ["", "no score", ""]
            continue
        if ending == "jsonl":
            found = [json.loads(line) for line in out.read_text().splitlines()]
        else:
            found = parquet.read_table(out).to_pylist()
        assert [row["id"] for row in found] == [2**53 + 1, None, 5002]
        assert [row["region"] for row in found] == ["a", None, "b"]
        assert [row["paid"] for row in found] == [True, None, False]
        assert [row["decision"] for row in found] == ["call", None, "wait"]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_columns_of_float32_are_decided_in_their_type(run, saved, tmp_path, engine):
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    cut = np.float32(1 / 11)
    assert float(cut) > 1 / 11  # a double would lie above the cut
    scores = np.array([cut, np.nextafter(cut, np.float32(1))], dtype=np.float32)
    parquet.write_table(pyarrow.table({"p": scores}), tmp_path / "new.parquet")
    out = tmp_path / "out.csv"
    given = ["decide", str(tmp_path / "new.parquet"), "--rule", saved(), "--engine", engine]
    assert run(*given, "-o", str(out)).code == 0
    assert [row["decision"] for row in rows(out.read_text())] == ["wait", "call"]
    assert RULE.decide(scores).tolist() == ["wait", "call"]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_bytes_that_are_no_text_are_escaped(run, saved, tmp_path, ending):
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[parquet]'")
    table = pyarrow.table({"p": [0.2, 0.3], "key": [b"\x00\xff", "é".encode()]})
    parquet.write_table(table, tmp_path / "new.parquet")
    out = tmp_path / f"out.{ending}"
    ran = run("decide", str(tmp_path / "new.parquet"), "--rule", saved(), "-o", str(out))
    assert ran.code == 0, ran.err
    told = out.read_text(encoding="utf-8")
    found = rows(told) if ending == "csv" else [json.loads(line) for line in told.splitlines()]
    assert [row["key"] for row in found] == ["\x00\\xff", "é"]


def test_streamed_text_is_copied_as_it_stands(run, write, saved, tmp_path):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    many = "".join(f"{i:06},0.5,2020-01-01\n" for i in range(60_000))
    new = write("new.csv", f"id,p,day\n{many}A17,0.5,in May\n")
    out = tmp_path / "out.csv"
    ran = run("decide", new, "--rule", saved(), "--engine", "duckdb", "-o", str(out))
    assert ran.code == 0, ran.err
    found = rows(out.read_text())
    assert [(row["id"], row["day"]) for row in (found[7], found[-1])] == [
        ("000007", "2020-01-01"),
        ("A17", "in May"),
    ]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("id,q", "no column 'p'; there are 'id', 'q'"),
        ("p,p", "columns 1 and 2 are both called 'p'"),
        ("p,Margin", "the table already has a column 'Margin'"),
    ],
)
def test_headers_that_cannot_be_streamed(run, write, saved, tmp_path, header, said):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    out = tmp_path / "out.csv"
    new = write("new.csv", f"{header}\n0.2,0.3\n")
    ran = run("decide", new, "--rule", saved(), "--engine", "duckdb", "-o", str(out))
    assert ran.code == 2
    assert said in ran.err
    assert not out.exists()


@pytest.fixture
def isotonic():
    y, p = two()
    return DecisionRule(APP, calibrator=Isotonic().fit(Posteriors(p), y), columns="p")


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_no_rows_make_a_whole_file(run, saved, tmp_path, isotonic, ending):
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    empty = pyarrow.table({"p": pyarrow.array([], pyarrow.float64())})
    parquet.write_table(empty, tmp_path / "new.parquet")
    out = tmp_path / f"out{ending}"
    given = ["decide", str(tmp_path / "new.parquet"), "--rule", saved(isotonic)]
    ran = run(*given, "--engine", "duckdb", "-o", str(out))
    assert ran.code == 0, ran.err
    named = ["p", "decision", "expected_cost", "next_best", "margin"]
    if ending == ".parquet":
        assert parquet.read_schema(out).names == named
    else:
        text = out.read_text()
        assert text == (",".join(named) + "\n" if ending == ".csv" else "")


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_batches_hold_values_that_are_no_cells(run, saved, tmp_path, isotonic, ending):
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    columns = {"p": [0.5], "many": [[1, 2]], "at": [{"x": 1}], "key": [b"\xff"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "new.parquet")
    out = tmp_path / f"out.{ending}"
    given = ["decide", str(tmp_path / "new.parquet"), "--rule", saved(isotonic)]
    ran = run(*given, "--engine", "duckdb", "-o", str(out))
    assert ran.code == 0, ran.err
    told = out.read_text()
    (found,) = rows(told) if ending == "csv" else [json.loads(told)]
    assert found["key"] == "\\xFF"
    assert found["many"] == ("[1, 2]" if ending == "csv" else [1, 2])
    assert found["at"] == ("{'x': 1}" if ending == "csv" else {"x": 1})


def test_batches_are_written_as_all_rows_at_once(
    run, write, saved, tmp_path, isotonic, monkeypatch
):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    monkeypatch.setattr("stakes.engines.decided_stream._BATCH", 2048)
    many = "".join(f'{i:06},0.5,"a, b",\n' for i in range(5000))
    new = write("new.csv", f"id,p,note,blank\n{many}7,0.0,c,\n")
    found = []
    for rule in (RULE, isotonic):
        out = tmp_path / f"{len(found)}.csv"
        ran = run("decide", new, "--rule", saved(rule), "--engine", "duckdb", "-o", str(out))
        assert ran.code == 0, ran.err
        found.append(out.read_text().splitlines())
    plain, batches = found
    old = len('000000,0.5,"a, b",,')
    assert [line[:old] for line in plain[1:-1]] == [line[:old] for line in batches[1:-1]]
    assert batches[0] == plain[0] == "id,p,note,blank,decision,expected_cost,next_best,margin"
    assert batches[-1].startswith("7,0.0,c,,wait,")
    assert len(batches) == 5002


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_columns_without_values_keep_their_type(run, write, saved, tmp_path, engine):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    chosen = DecisionRule(Application(COSTS), scores="rank", cut=0.3, columns="p")
    out = tmp_path / "out.parquet"
    given = ["decide", write("new.csv", NEW), "--rule", saved(chosen), "--on-error", "column"]
    assert run(*given, "--engine", engine, "-o", str(out)).code == 0
    kinds = [str(each.type) for each in parquet.read_schema(out)]
    assert kinds[-5:] == ["string", "double", "string", "double", "string"]
