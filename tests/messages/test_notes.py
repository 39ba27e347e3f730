"""Notes are sentences that programs can tell apart."""

import copy
import pickle

import pytest

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
        "text": "class shares are those of the data",
    }


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))]
)
def test_a_note_survives_copies_and_pickles(again):
    note = again(Note("shares-of-first", model="a"))
    assert (note, note.code, note.values) == (
        "all are judged at the class shares of a",
        "shares-of-first",
        {"model": "a"},
    )


def test_a_code_that_does_not_exist_is_refused():
    with pytest.raises(KeyError):
        Note("no such code")


def test_every_note_matters_in_a_known_way():
    assert {severity for severity, _ in notes._WORDS.values()} <= set(notes.SEVERITIES)
    assert len(notes.codes()) == len(set(notes.codes()))


@pytest.mark.parametrize("again", [copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))])
def test_a_sentence_without_a_code(again):
    note = again(Note.plain("nothing {odd}", "warning"))
    assert note.record() == {"code": None, "severity": "warning", "text": "nothing {odd}"}
    known = Note("shares-of-data")
    assert Note.plain(known) is known
