"""Commands whose reader has gone: work is done, conditions are looked at, and codes are kept."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from stakes.cli.problems import guarded, printing_is_the_output

ROWS = "y,p\n" + "".join(f"{k % 2},{(k * 7) % 10 / 10}\n" for k in range(60))
WORDS = ("eval", "t.csv", "--label", "y", "--scores", "p", "--cost", "fn=3", "fp=1")


class Broken(io.StringIO):
    """A stream that nobody reads any longer."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, text):
        raise self.error


@pytest.mark.parametrize(
    ("error", "is_output", "code", "expected"),
    [
        (BrokenPipeError(), False, 0, 0),
        (BrokenPipeError(), False, 1, 1),
        (BrokenPipeError(), True, 0, 2),
        (BrokenPipeError(), True, 1, 1),
        (OSError(28, "No space left on device"), False, 0, 2),
        (OSError(28, "No space left on device"), False, 1, 1),
    ],
)
def test_codes_when_output_is_lost(monkeypatch, capsys, error, is_output, code, expected):
    done = []

    def run():
        if is_output:
            printing_is_the_output()
        sys.stdout.write("a" * 10)
        done.append("the rest")
        return code

    monkeypatch.setattr(sys, "stdout", Broken(error))
    assert guarded(run) == expected
    assert done == ["the rest"]
    assert ("error: " in capsys.readouterr().err) == (expected == 2)


def test_output_that_was_closed_before(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert guarded(lambda: sys.stdout.write("a") - 1) == 0
    assert guarded(lambda: printing_is_the_output() or sys.stdout.write("a") - 1) == 2
    assert guarded(lambda: printing_is_the_output() or 0) == 0  # nothing was printed


def processed(folder, *words, close=False):
    """A real process that prints into a pipe without a reader, or has no standard output."""
    (folder / "t.csv").write_text(ROWS)
    command = [sys.executable, "-m", "stakes", *WORDS, *words]
    if close:
        command = ["sh", "-c", '"$@" >&-', "sh", *command]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            command, cwd=folder, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)


def test_a_pipe_without_a_reader_keeps_files_and_conditions(tmp_path):
    words = ("--save", "s.json", "--html", "r.html", "--fail-if", "nec>0")
    ran = processed(tmp_path, *words)
    assert ran.returncode == 1, ran.stderr
    assert ran.stderr.splitlines()[-1].startswith("failed: nec>0 (nec of p is ")
    assert "BrokenPipe" not in ran.stderr
    assert (tmp_path / "s.json").stat().st_size
    assert (tmp_path / "r.html").stat().st_size


@pytest.mark.parametrize("close", [False, True])
def test_json_that_nobody_gets_is_a_problem(tmp_path, close):
    ran = processed(tmp_path, "--json", "--save", "s.json", close=close)
    assert ran.returncode == 2
    said = "error: standard output was closed before everything was written."
    assert ran.stderr.splitlines()[-1] == said
    assert (tmp_path / "s.json").stat().st_size
