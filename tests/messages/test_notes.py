"""Notes are sentences that programs can tell apart."""

import ast
import copy
import pickle
from collections import Counter
from pathlib import Path
from string import Formatter

import pytest

import stakes
from stakes.messages import notes
from stakes.messages.notes import Note


def test_a_note_says_its_words_and_knows_its_code():
    note = Note("not-recalibrated", model="gbm", why="there is one class")
    assert note == "gbm could not be re-calibrated: there is one class"
    assert (note.code, note.severity) == ("not-recalibrated", "absent")
    assert note.values == {"model": "gbm", "why": "there is one class"}


def test_a_note_as_plain_data():
    said = Note("shares-of-data").record()
    assert said == {
        "code": "shares-of-data",
        "severity": "info",
        "text": "Assuming the same class mix as these data; change it with `priors`.",
    }


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))]
)
def test_a_note_survives_copies_and_pickles(again):
    note = again(Note("shares-of-first", model="a"))
    assert (note, note.code, note.values) == (
        "All models are evaluated at the class mix of a.",
        "shares-of-first",
        {"model": "a"},
    )


def test_a_code_that_does_not_exist_is_refused():
    with pytest.raises(KeyError):
        Note("no such code")


def test_every_note_matters_in_a_known_way():
    assert {severity for severity, _ in notes._WORDS.values()} <= set(notes.SEVERITIES)
    assert len(notes.codes()) == len(set(notes.codes()))


def test_every_note_is_said_somewhere():
    used = Counter()
    for path in Path(stakes.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used[node.value] += 1
    assert [code for code in notes.codes() if used[code] < 2] == []


@pytest.mark.parametrize("code", notes.codes())
def test_the_words_of_a_note_are_plain(code):
    severity, words = notes._WORDS[code]
    assert severity in notes.SEVERITIES
    assert words == words.strip()
    names = [name for _, name, _, _ in Formatter().parse(words) if name is not None]
    assert all(name.isidentifier() for name in names)
    assert Note(code, **dict.fromkeys(names, "{x}")).values == dict.fromkeys(names, "{x}")
