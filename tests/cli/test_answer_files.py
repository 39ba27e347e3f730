"""`-o`, `--json`, `--csv` and `--html` mean the same in every command that gives an answer."""

from __future__ import annotations

import json
import shutil

import pytest

from stakes.demonstration import example_path

CASES = ("--label", "churned", "--positive", "yes", "--scores", "gbm_p", "--cost", "fn=40", "fp=4")
ASKED = {
    "eval": ("may.csv", *CASES),
    "monitor": ("may.csv", "--time", "date", *CASES),
    "audit": ("f1", "--cost", "fn=10", "fp=1", "--prevalence", "2%", "--draws", "50"),
    "constrain": ("may.csv", *CASES, "--by", "region", "--ratio", "0.8"),
    "cascade": ("churn.csv", *CASES[:4], "--scores", "rules_p,gbm_p", *CASES[6:], "--prices=0,1"),
    "estimate": ("june.csv", "--reference", "may.csv", *CASES),
}
TABLES = ("eval", "monitor", "constrain", "cascade")
PAGES = ("eval", "monitor", "audit")


@pytest.fixture(autouse=True)
def files(tmp_path):
    for name in ("may.csv", "june.csv", "churn.csv"):
        shutil.copy(example_path(name), tmp_path / name)


def without_line(text):
    """JSON without the command line, which differs."""
    found = json.loads(text)
    found.get("facts", {}).pop("command", None)
    return found


@pytest.mark.parametrize("name", ASKED)
def test_everything_as_json(run, tmp_path, name):
    printed = run(name, *ASKED[name], "--json")
    written = run(name, *ASKED[name], "-o", "answer.json")
    assert (printed.code, written.code) == (0, 0)
    assert without_line((tmp_path / "answer.json").read_text()) == without_line(printed.out)
    assert "answer: answer.json" in written.out.splitlines()


@pytest.mark.parametrize("name", TABLES)
def test_the_table_as_csv(run, tmp_path, name):
    printed = run(name, *ASKED[name], "--csv")
    written = run(name, *ASKED[name], "-o", "table.csv")
    assert (tmp_path / "table.csv").read_text() == printed.out
    assert "table: table.csv" in written.out.splitlines()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_by_either_option(run, tmp_path, name):
    for option, page in (("-o", "one.html"), ("--html", "two.html")):
        ran = run(name, *ASKED[name], option, page)
        assert ran.code == 0
        assert "<html" in (tmp_path / page).read_text(encoding="utf-8")[:200]
        assert f"report: {page}" in ran.out


@pytest.mark.parametrize("name", ASKED)
def test_other_endings_are_refused_before_any_work(run, tmp_path, name):
    ran = run(name, *ASKED[name], "-o", "answer.xlsx")
    assert ran.code == 2
    assert "'answer.xlsx' ends in .xlsx" in ran.err
    assert not (tmp_path / "answer.xlsx").exists()


@pytest.mark.parametrize("name", [name for name in ASKED if name != "audit"])
def test_input_is_not_overwritten(run, tmp_path, name):
    file = ASKED[name][0]
    ending = ".json" if name == "estimate" else ".csv"
    (tmp_path / f"link{ending}").symlink_to(tmp_path / file)
    ran = run(name, *ASKED[name], "-o", f"link{ending}")
    assert ran.code == 2
    assert "would overwrite" in ran.err
