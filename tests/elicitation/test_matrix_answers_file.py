"""Answers about several classes: written, edited, replayed."""

import numpy as np
import pytest

from stakes.application import costs_from_toml
from stakes.elicitation import (
    MatrixElicitation,
    matrix_answers_from_toml,
    matrix_answers_to_toml,
)
from stakes.exceptions import CostError, FormatError

TALK = (
    MatrixElicitation(["cat", "dog", "fox"], limit=100, draws=40)
    .ratio(("fox", "cat"), ("cat", "dog"), between=(5, 20))
    .preferred([[5, 2, 0], [0, 5, 0], [1, 0, 5]], [[7, 0, 0], [0, 5, 0], [0, 3, 3]])
)
HEAD = "outcomes = ['a', 'b']\n[elicitation]\n"
ANSWER = "[[elicitation.answer]]\n"


def test_every_statement_is_replayed_as_it_was():
    replayed = matrix_answers_from_toml(matrix_answers_to_toml(TALK))
    assert replayed.unit == TALK.unit
    assert replayed.limit == TALK.limit
    assert len(replayed.statements) == 3
    for mine, theirs in zip(TALK.statements, replayed.statements, strict=True):
        assert np.array_equal(mine.coefficients, theirs.coefficients)
        assert mine.said == theirs.said


def test_the_text_is_a_file_of_costs_too():
    app = costs_from_toml(matrix_answers_to_toml(TALK, priors=[0.5, 0.3, 0.2]))
    assert app.unit is None
    with pytest.raises(CostError, match="a ratio, not an amount"):
        matrix_answers_to_toml(TALK, unit="EUR")
    assert app.costs.classes == ("cat", "dog", "fox")
    assert app.costs.cost("cat", "dog") == pytest.approx(1)
    assert 5 <= app.costs.cost("fox", "cat") <= 20


def test_an_edited_answer_counts_as_edited():
    text = matrix_answers_to_toml(TALK).replace("at_least = 5.0", "at_least = 8.0")
    assert matrix_answers_from_toml(text).bounds(("fox", "cat")) == (8, 20)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("outcomes = [", "not valid TOML"),
        ("[elicitation]", "are needed"),
        ("outcomes = 3", "`outcomes`, a list"),
        (HEAD + "limit = 'x'", "`limit` must be a number"),
        (HEAD + "unit = 3", "`unit` must be a pair"),
        (HEAD + "answer = 3", "answers are tables"),
        (HEAD + ANSWER + "cell = 3\nother = ['a','b']\nat_least = 3", "cannot be read: .* - at"),
        (HEAD + ANSWER + "cell = ['b','a']\nother = ['a','b']\nat_least = 'x'", "- at `elic"),
        (HEAD + ANSWER + "cell = ['b','a']\nother = ['a','b']\nat_least = inf", "finite.* - at"),
        (HEAD + ANSWER + "better = [[0, 'x'], [1, 0]]\nworse = [[0, 1], [1, 0]]", "- at `elic"),
        (HEAD + ANSWER + "better = [[0, nan], [1, 0]]\nworse = [[0, 1], [1, 0]]", "finite counts"),
        ("outcomes=['a','b']\n[elicitation]\n[[elicitation.answer]]\ncell=['a','b']\nother=['b','a']",
         r"'at_most' is missing - at `elicitation.answer\[0\]`"),
        ("outcomes=['a','b']\n[elicitation]\n[[elicitation.answer]]\nsell=3", "unknown key `sell`"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_where(text, message):
    with pytest.raises(FormatError, match=message):
        matrix_answers_from_toml(text, source="costs.toml")
