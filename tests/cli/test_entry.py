from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from stakes import __version__
from stakes.cli import entry


class TestMain:
    def test_help_lists_commands_and_exits_0(self, run):
        ran = run("--help")
        assert ran.code == 0
        for name in entry.PURPOSES:
            assert f"    {name}" in ran.out

    def test_without_a_command_prints_help_and_exits_2(self, run):
        ran = run()
        assert ran.code == 2
        assert "usage: stakes" in ran.out

    def test_unknown_command_exits_2(self, run):
        assert run("evaluate").code == 2

    def test_version(self, run):
        assert run("--version").out == f"stakes {__version__}\n"

    def test_help_of_every_command_exits_0(self, run):
        for name in entry.PURPOSES:
            assert run(name, "--help").code == 0


def test_only_commands_with_a_module_are_offered():
    for name in entry.PURPOSES:
        assert importlib.util.find_spec(f"stakes.cli.commands.{name}") is not None
    assert {"eval", "inspect", "demo"} <= set(entry.PURPOSES)


@pytest.mark.parametrize("module", ["stakes", "stakes.cli.entry"])
def test_runs_as_a_module(module):
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"stakes {__version__}\n")


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (("eval", "d.csv", "--prevalance", "2%"), "unrecognized", "did you mean --prevalence?"),
        (("evl",), "invalid choice: 'evl'", "did you mean eval?"),
        (("eval", "a.csv", "b.csv"), "there is no file 'a.csv'", "check the name"),
        (("eval", "a.csv", "--label"), "expected one argument", "stakes eval --help"),
        (("eval", "a.csv", "--scores", "p", "--scores", "q"), "given twice", "--scores p,q"),
        (
            ("eval", "a.csv", "--capacity", "a=1", "--capacity", "b=2"),
            "given twice",
            "--capacity a=1,b=2",
        ),
        (("calibrate", "a.csv", "--kind", "x"), "choose from 'automatic'", "stakes calibrate"),
    ],
)
def test_options_that_do_not_exist(run, words, said, hint):
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert said in ran.err
    assert hint in ran.err
    assert "usage:" not in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("t.csv", "--prevalence", ""), "the value of --prevalence is empty"),
        (("t.csv", "--label="), "the value of --label is empty"),
        (("",), "a name of a file is empty"),
    ],
)
def test_variables_of_the_shell_that_are_not_set(run, words, said):
    ran = run("eval", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {said}; a variable of the shell may not be set.\n")


def test_a_list_longer_than_any_file_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words are looked at as files, and the system refuses names of hundreds of characters."""
    monkeypatch.chdir(tmp_path)
    names = [f"model_{k}" for k in range(60)]
    rows = [f"{k % 2}," + ",".join(["0.3", "0.7"][k % 2] for _ in names) for k in range(40)]
    Path("many.csv").write_text("\n".join(["y," + ",".join(names), *rows]))
    asked = ["--label", "y", "--positive", "1", "--cost", "fn=10", "fp=1"]
    assert entry.main(["eval", "many.csv", "--scores", ",".join(names), *asked]) == 0
    assert "60 models" in capsys.readouterr().out
    assert entry.main(["eval", "many.csv", "--scorez", ",".join(names)]) == 2
