"""What --help shows first, and examples that run."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil

import pytest

from stakes.cli.commands.demo import FILES, MONTHS
from stakes.cli.entry import PURPOSES
from stakes.demonstration import example_path

MODULES = {name: importlib.import_module(f"stakes.cli.commands.{name}") for name in PURPOSES}
SHORT = [name for name, module in MODULES.items() if hasattr(module, "MOST_USED")]


@pytest.mark.parametrize("name", PURPOSES)
def test_it_opens_with_an_example(run, name):
    lines = run(name, "--help").out.splitlines()
    first, *_ = MODULES[name].FIRST_CALL.splitlines()
    at = lines.index(f"  {first}")
    assert lines[0].startswith(f"usage: stakes {name}")
    assert lines[at - 1].startswith("example")
    assert at < 8


@pytest.mark.parametrize("name", [name for name in PURPOSES if name != "demo"])
def test_the_example_runs(run, tmp_path, name):
    for file in FILES | MONTHS:
        shutil.copy(example_path(file), tmp_path / file)
    answers = ("--answer", "a,b,a,b,a,b,a,b") if name == "ask" else ()
    for line in MODULES[name].FIRST_CALL.splitlines():
        ran = run(*shlex.split(line)[1:], *answers)
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


@pytest.mark.parametrize("name", [name for name in PURPOSES if name not in SHORT])
def test_help_of_few_options_is_whole(run, name):
    assert run(name, "--help-all").out == run(name, "--help").out
