from __future__ import annotations

import sys

import pytest

from stakes.cli.problems import guarded
from stakes.exceptions import CostError


def raising(error):
    def run(_):
        raise error

    return run


def test_error_and_hint_go_to_stderr_with_exit_code_2(capsys):
    code = guarded(raising(CostError("too dear.", hint="pay less\nor wait")), None)
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert captured.err == "error: too dear.\n  pay less\n  or wait\n"


def test_control_characters_of_a_message_are_spelt_out(capsys):
    guarded(raising(CostError("bad \x1b[31mname")), None)
    assert capsys.readouterr().err == "error: bad \\x1b[31mname\n"


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
    assert guarded(raising(error), None) == 2
    assert capsys.readouterr().err.splitlines()[0] == said


def test_interrupt_is_130_without_a_traceback(capsys):
    assert guarded(raising(KeyboardInterrupt()), None) == 130
    assert capsys.readouterr().err.strip() == ""


def test_reader_that_has_seen_enough_is_no_problem(monkeypatch):
    monkeypatch.setattr(sys, "stdout", sys.stdout)  # restored after the test
    assert guarded(raising(BrokenPipeError()), None) == 0
    sys.stdout.close()


def test_mistakes_of_ours_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        guarded(raising(ZeroDivisionError()), None)
