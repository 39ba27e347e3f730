from __future__ import annotations

import pytest

from stakes import __version__
from stakes.cli.problems import guarded
from stakes.exceptions import CostError


def raising(error):
    def run():
        raise error

    return run


def test_error_and_hint_go_to_stderr_with_exit_code_2(capsys):
    code = guarded(raising(CostError("too dear.", hint="pay less\nor wait")))
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert captured.err == "error: too dear.\n  pay less\n  or wait\n"


def test_control_characters_of_a_message_are_spelt_out(capsys):
    guarded(raising(CostError("bad \x1b[31mname")))
    assert capsys.readouterr().err == "error: bad ␛[31mname\n"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "x", "a.csv"), "error: there is no file 'a.csv'."),
        (IsADirectoryError(21, "x", "a"), "error: 'a' is a folder, not a file."),
        (PermissionError(13, "x", "a.csv"), "error: no permission to open 'a.csv'."),
        (MemoryError(), "error: there is not enough memory for this file."),
    ],
)
def test_files_and_memory(capsys, error, said):
    assert guarded(raising(error)) == 2
    assert capsys.readouterr().err.splitlines()[0] == said


def test_interrupt_is_130_without_a_traceback(capsys):
    assert guarded(raising(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err.strip() == ""


def test_mistakes_of_ours_are_70_and_say_what_to_report(capsys, monkeypatch):
    monkeypatch.delenv("STAKES_TRACEBACK", raising=False)
    assert guarded(raising(ZeroDivisionError("by 0"))) == 70
    said = capsys.readouterr().err
    assert said.startswith("error: this is a mistake in stakes, not in what you typed: ")
    assert "ZeroDivisionError: by 0 (test_problems.py, line " in said
    assert f"STAKES_TRACEBACK=1 set\n  stakes {__version__}, Python " in said
    assert "Traceback" not in said
    monkeypatch.setenv("STAKES_TRACEBACK", "1")
    assert guarded(raising(ZeroDivisionError("by 0"))) == 70
    assert capsys.readouterr().err.startswith("Traceback (most recent call last):")
