"""`--id` names cases: in the terminal, in JSON, on the page, in errors, and never as a model."""

import pytest

LOANS = (
    "id,default,p,amount\nL-1,0,0.1,100\n7,0,0.4,10\n,NA,0.3,10\nL-3,1,0.3,100\n"
    "  L-4,1,0.01,10\n,1,0.01,20\n"
)
WORDS = ("--label", "default", "--positive", "1", "--cost", "fn=amount", "fp=5")
MORE = (*WORDS, "--scores", "p", "--min-positives", "1", "--missing", "drop")
# per case: acted on when p * amount > (1 - p) * 5: rows 1 (10 > 4.5), 2 (4 > 3) and 4 (30 > 3.5),
# so that the last two are missed, at 10 and 20


def listed(run, loans, *words):
    return run("eval", loans, *MORE, "--list-costliest", "2", "--json", *words).found


def test_json_and_page(run, write, tmp_path):
    loans = write("loans.csv", LOANS)
    found = listed(run, loans, "--id", "id", "--html", "page.html")
    assert found["inquiry"]["id"] == "id"
    assert found["best"] == "p, per case"
    assert [case["id"] for case in found["costliest_cases"]] == ["row 6", "L-4"]
    assert [case["row"] for case in found["costliest_cases"]] == [5, 4]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "lists 2 cases by their id" in page


def test_rows_are_those_of_the_file_when_some_were_left_out(run, write):
    found = listed(run, write("loans.csv", LOANS))
    assert [case["row"] for case in found["costliest_cases"]] == [5, 4]
    assert [case["id"] for case in found["costliest_cases"]] == [None, None]


def test_terminal(run, write):
    loans = write("loans.csv", LOANS)
    out = run("eval", loans, *MORE, "--id", "id", "--list-costliest", "2").out
    assert "The costliest cases (p, per case):" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["L-4", "1", "0", "10.00", "25", "%"] in lines
    rows = run("eval", loans, *MORE, "--list-costliest", "2").out
    assert ["5", "1", "0", "10.00", "25", "%"] in [line.split() for line in rows.splitlines()]
    assert "costliest" not in run("eval", loans, *MORE, "--id", "id").out


def test_kept_in_an_inquiry(run, write):
    loans = write("loans.csv", LOANS)
    run("eval", loans, *MORE, "--id", "id", "-o", "a.json")
    words = ("--list-costliest", "1", "--min-positives", "1", "--json")
    again = run("eval", "--inquiry", "a.json", *words).found
    assert [case["id"] for case in again["costliest_cases"]] == ["row 6"]


def test_an_error_names_row_and_id(run, write):
    cells = "".join(f"C-{k},{k % 2},0.5,0.5\n" for k in range(20)) + "C-20,1,0.5,0.9\n"
    name = write("t.csv", "id,y,p_0,p_1\n" + cells)
    words = ("--label", "y", "--proba", "p_*", "--cost", "error=1")
    assert "row 21 (C-20)" in run("eval", name, *words, "--id", "id").err
    assert "row 21)" in run("eval", name, *words).err


def test_a_star_skips_the_ids(run, write):
    cells = "".join(f"{k},{'ab'[k % 2]},0.{3 + k % 2},0.{7 - k % 2}\n" for k in range(40))
    name = write("t.csv", "id,truth,a,b\n" + cells)
    words = ("--label", "truth", "--proba", "*", "--cost", "error=1", "--json")
    assert run("eval", name, *words).code == 2
    assert run("eval", name, *words, "--id", "id").found["cases"] == 40


def test_unknown_column(run, write):
    ran = run("eval", write("loans.csv", LOANS), *MORE, "--id", "idd")
    assert ran.code == 2
    assert "has no column 'idd'; did you mean 'id'?" in ran.err


@pytest.mark.parametrize("form", ["--csv", "--quiet"])
def test_nowhere_to_list(run, write, form):
    ran = run("eval", write("loans.csv", LOANS), *MORE, "--list-costliest", "2", form)
    assert ran.code == 2
    assert "--list-costliest goes into" in ran.err


def test_engines_refuse_ids(run, write, tmp_path):
    pytest.importorskip("duckdb", reason="engines: pip install 'stakes[duckdb]'")
    write("t-1.csv", "id,y,p\n" + "a,0,0.2\nb,1,0.7\n" * 20)
    words = ("--label", "y", "--positive", "1", "--scores", "p", "--cost", "fn=2", "fp=1")
    ran = run("eval", "t-*.csv", *words, "--id", "id", "--engine", "duckdb")
    assert ran.code == 2
    assert "--id does not go with files that are counted apart" in ran.err


def test_calibrate_keeps_ids(run, write, tmp_path):
    cells = "".join(f"C-{k},{int(k % 3 == 0)},{(k * 37 % 100) / 100}\n" for k in range(100))
    name = write("t.csv", "id,y,p\n" + cells)
    run("calibrate", name, "--label", "y", "--positive", "1", "--scores", "p", "-o", "c.json")
    run("calibrate", "--apply", "c.json", name, "-o", "out.csv")
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("id,y,p,")
    assert [line.split(",")[0] for line in lines[1:]] == [f"C-{k}" for k in range(100)]
