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
