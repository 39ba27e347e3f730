"""`stakes decide` by an engine on text files with decimal points beside decimal commas."""

from __future__ import annotations

import pytest

from stakes import Application, CostMatrix, DecisionRule

pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"], decisions=["wait", "call"])
POINTS = "p;x\n0.5;a,b\n0.05;1,5\n"
LATE = "p;x\n" + "0;1\n" * 300_000 + "0,5;1\n"


@pytest.fixture
def decided(run, tmp_path):
    """Decide files by a rule on the column p, into out.csv."""
    rule = tmp_path / "rule.json"
    DecisionRule(Application(COSTS), columns="p").save(rule)

    def decided(*words):
        given = [*map(str, words), "--rule", str(rule), "-o", str(tmp_path / "out.csv")]
        return run("decide", *given)

    return decided


@pytest.mark.parametrize("more", [(), ("--capacity", "call=1")])
@pytest.mark.parametrize(
    ("text", "cell", "why"),
    [
        (POINTS, "0.5", "with decimal commas, because the file holds one"),
        (LATE, "0,5", "points, because no number in the first megabyte of the file has a comma"),
    ],
)
def test_numbers_written_otherwise_than_the_first(decided, write, text, cell, why, more):
    new = write("new.csv", text)
    ran = decided(new, "--engine", "duckdb", *more)
    assert ran.code == 2
    assert f"'{cell}', and numbers are read with decimal" in ran.err
    assert why in " ".join(ran.err.split())
    assert "--engine memory  reads each column by itself" in ran.err
    assert "--on-error" not in ran.err
    assert decided(new, "--engine", "memory", *more).code == 0


def test_a_folder_with_such_numbers(decided, write, tmp_path):
    (tmp_path / "lake").mkdir()
    write("lake/a.csv", POINTS)
    write("lake/b.csv", POINTS)
    ran = decided(tmp_path / "lake")
    assert "because the first file holds one" in ran.err
    assert "name the files one by one, with  --engine memory" in ran.err
    files = sorted((tmp_path / "lake").iterdir())
    assert decided(*files, "--engine", "memory").code == 0


@pytest.mark.parametrize("more", [(), ("--capacity", "call=1")])
def test_other_words_are_text(decided, write, more):
    new = write("new.csv", "p;x\n0,5;1\nhi.gh;2\n")
    ran = decided(new, "--engine", "duckdb", *more)
    assert "holds 'hi.gh'" in ran.err
    assert "decimal" not in ran.err
    assert "--engine memory --on-error column" in ran.err
    new = write("new.csv", 'p,x\n0.5,1\n"0,5",2\n')  # commas separate the cells
    ran = decided(new, "--engine", "duckdb", *more)
    assert "--engine memory --on-error column" in ran.err


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_evaluations_say_so_too(run, write, engine):
    pytest.importorskip(engine, reason="an engine")
    text = "y;p;x\n" + "".join(f"{k % 2};0.{k};1,5\n" for k in range(1, 99))
    given = [write("new.csv", text), "--label", "y", "--positive", "1", "--scores", "p"]
    ran = run("eval", *given, "--cost", "fn=9", "fp=1", "--engine", engine)
    assert ran.code == 2
    assert "numbers are read with decimal commas, because the file holds one" in ran.err
    assert run("eval", *given, "--cost", "fn=9", "fp=1", "--engine", "memory").code == 0


@pytest.mark.parametrize("engine", ["duckdb", "memory"])
@pytest.mark.parametrize(
    ("name", "cells"),
    [("new.csv", ["0.5", "0.0_5"]), ("new.tsv", ["NA", "0.0_5"]), ("semi.csv", ["0,5", "0,0_5"])],
)
def test_a_number_has_no_underscore(decided, write, tmp_path, name, cells, engine):
    semi = ";" if name == "semi.csv" else ","
    text = "".join(f"{cell}{semi}1\n" for cell in cells)
    new = write(name, f"p{semi}x\n{text}".replace(",", "\t" if name == "new.tsv" else ","))
    ran = decided(new, "--engine", engine)
    assert ran.code == 2
    assert f"column 'p' must hold numbers; {'row 2' if engine == 'memory' else 'it'} holds" in (
        ran.err
    )
    assert cells[1] in ran.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("cell", ["amount", "p"])
def test_nor_has_an_amount_or_text_in_parquet(run, tmp_path, ending, cell):
    costs = [["0", "5"], ["0.75*amount", "0"]]
    rule = DecisionRule(Application(COSTS), columns="p", per_case=True, case_costs=costs)
    rule.save(tmp_path / "pc.json")
    columns = {"p": ["0.5", "0.2"], "amount": ["10", "20"]}
    columns[cell] = [columns[cell][0], "0.0_5"]
    if ending == "csv":
        lines = [",".join(row) for row in zip(*columns.values(), strict=True)]
        (tmp_path / "new.csv").write_text("\n".join(["p,amount", *lines]) + "\n")
    else:
        arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[duckdb]'")
        parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[duckdb]'")
        parquet.write_table(arrow.table(columns), tmp_path / "new.parquet")
    given = ["--rule", str(tmp_path / "pc.json"), "-o", str(tmp_path / "out.csv")]
    for engine in ("duckdb", "memory"):
        ran = run("decide", str(tmp_path / f"new.{ending}"), *given, "--engine", engine)
        assert ran.code == 2
        assert "holds '0.0_5'" in ran.err


@pytest.mark.parametrize("engine", ["duckdb", "polars", "memory"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("other", ["0.5", "NA", " 0.5 "])
def test_nor_have_scores_that_are_evaluated(run, write, tmp_path, engine, ending, other):
    pytest.importorskip(engine if engine != "memory" else "numpy", reason="an engine")
    cells = [other, "0.0_5"] * 50
    if ending == "csv":
        write("new.csv", "y,p\n" + "".join(f"{k % 2},{p}\n" for k, p in enumerate(cells)))
    else:
        arrow = pytest.importorskip("pyarrow", reason="pip install 'stakes[parquet]'")
        parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'stakes[parquet]'")
        table = arrow.table({"y": [k % 2 for k in range(100)], "p": cells})
        parquet.write_table(table, tmp_path / "new.parquet")
    given = [str(tmp_path / f"new.{ending}"), "--label", "y", "--positive", "1", "--scores", "p"]
    ran = run("eval", *given, "--cost", "fn=9", "fp=1", "--engine", engine)
    assert ran.code == 2
    assert "must hold numbers" in ran.err
    assert "holds '0.0_5'" in ran.err
