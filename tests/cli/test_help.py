"""What --help shows first, and examples that run."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil

import pytest

from stakes.cli.commands.demo import FILES
from stakes.cli.entry import PURPOSES
from stakes.demonstration import example_path

MODULES = {name: importlib.import_module(f"stakes.cli.commands.{name}") for name in PURPOSES}
SHORT = [name for name, module in MODULES.items() if hasattr(module, "MOST_USED")]


@pytest.mark.parametrize("name", PURPOSES)
def test_it_opens_with_an_example(run, name):
    lines = run(name, "--help").out.splitlines()
    at = lines.index(f"  {MODULES[name].FIRST_CALL}")
    assert lines[0].startswith(f"usage: stakes {name}")
    assert lines[at - 1].startswith("example")
    assert at < 8


@pytest.mark.parametrize("name", [name for name in PURPOSES if name != "demo"])
def test_the_example_runs(run, tmp_path, name):
    for file in FILES:
        shutil.copy(example_path(file), tmp_path / file)
    words = ("churn.csv", "--label", "churned", "--positive", "yes", "--scores", "gbm_p")
    if name in ("monitor", "merge"):
        head, *rows = (tmp_path / "churn.csv").read_text().splitlines()
        for month, part in (("january", rows[:2500]), ("february", rows[2500:])):
            (tmp_path / "churn.csv").write_text("\n".join([head, *part]))
            assert run("eval", *words, "--cost", "error=1", "--save", f"{month}.json").code == 0
    if name in ("decide", "rule"):
        assert run("eval", *words, "--cost", "fn=40", "fp=4", "--rule", "rule.json").code == 0
        shutil.copy(tmp_path / "churn.csv", tmp_path / "new.csv")
    if name == "estimate":
        head, *rows = (tmp_path / "churn.csv").read_text().splitlines()
        for month, part in (("may", rows[:2500]), ("june", rows[2500:])):
            (tmp_path / f"{month}.csv").write_text("\n".join([head, *part]))
    if name == "constrain":
        ages = ("old", "old", "young")
        rows = "".join(f"{k % 2},0.{k % 7 + k % 2}1,{ages[k % 3]}\n" for k in range(99))
        (tmp_path / "credit.csv").write_text(f"bad,p,age\n{rows}")
    answers = ("--answer", "a,b,a,b,a,b,a,b") if name == "ask" else ()
    ran = run(*shlex.split(MODULES[name].FIRST_CALL)[1:], *answers)
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("name", SHORT)
def test_ten_options_first_and_all_of_them_elsewhere(run, name):
    out, whole = run(name, "--help").out, run(name, "--help-all").out
    first = MODULES[name].MOST_USED.split()
    assert len(first) <= 10
    listed = out.partition("what most people need:")[2]
    found = re.findall(r"^  (?:-\w [^,]*, )?(--[a-z-]+|\w+)", listed, re.M)
    assert found == first  # in the order of a first call
    assert f"`stakes {name} --help-all` explains the other" in out
    assert len(out.splitlines()) < 50 < len(whole.splitlines()) or name == "inspect"
