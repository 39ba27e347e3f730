"""The six journeys of the documentation: its own commands, and what they print, line by line."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from stakes.cli.entry import main

PAGE = Path(__file__).parents[2] / "docs" / "journeys.md"
TEXT = PAGE.read_text(encoding="utf-8")
JOURNEYS = re.findall(r"^## \((\w)\) ([^\n]+)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ stakes (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


def test_there_are_six():
    assert [letter for letter, _, _ in JOURNEYS] == list("abcdef")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of the demonstration and those that the page shows."""
    from stakes.demonstration import example_path

    made = tmp_path_factory.mktemp("journeys")
    (made / "stakes-demo").mkdir()
    for name in ("churn.csv", "pets.csv", "pets-costs.toml", "loans.csv"):
        text = example_path(name).read_text(encoding="utf-8")
        (made / "stakes-demo" / name).write_text(text, encoding="utf-8")
    for name, body in re.findall(r"^```csv (\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        (made / name).write_text(body, encoding="utf-8")
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
            assert len(line) <= 80, line


def _lines(text):
    """Lines without spaces at their ends, and without empty ones at the end."""
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]
