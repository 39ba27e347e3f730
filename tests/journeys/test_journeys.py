"""The journeys of the documentation: its own commands, and what they print, line by line."""

from __future__ import annotations

import re
import shlex

import pytest
from journeys.page_outputs import COMMAND, PAGE, lay_out

from stakes.cli.entry import main

TEXT = PAGE.read_text(encoding="utf-8")
JOURNEYS = re.findall(r"^## \((\w)\) ([^\n]+)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)


def test_there_are_twelve():
    assert [letter for letter, _, _ in JOURNEYS] == list("abcdefghijkl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of the demonstration and those that the page shows."""
    made = tmp_path_factory.mktemp("journeys")
    lay_out(made, TEXT)
    return made


@pytest.mark.parametrize(
    "body", [body for _, _, body in JOURNEYS], ids=[letter for letter, _, _ in JOURNEYS]
)
def test_commands_print_what_the_page_says(body, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    commands = COMMAND.findall(body)
    assert commands
    for words, expected in commands:
        capsys.readouterr()
        code = main(shlex.split(words))
        out = capsys.readouterr().out
        assert code == 0
        printed, wanted = (_lines(text) for text in (out, expected))
        if "..." in wanted:  # parts of a conversation
            assert [line for line in wanted if line != "..."] == [
                line for line in printed if line in wanted
            ]
        else:
            assert printed == wanted
        for line in out.splitlines():
            copied = line.lstrip().startswith("stakes ")  # a command is not broken
            assert len(line) <= 80 or copied, line


def _lines(text):
    """Lines without spaces at their ends, and without empty ones at the end."""
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]
