"""Questions in numbers one can picture."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.elicitation import Question
from stakes.elicitation.question import posed
from stakes.exceptions import DataError

SHARE = st.floats(0.001, 0.999)


@given(st.floats(-6.9, 6.9).map(math.exp), SHARE, st.floats(0, 1), st.floats(0, 1))
def test_posed_questions_are_possible_and_near_the_ratio(ratio, prior, miss, alarm):
    question = posed(ratio, prior=prior, point=(miss, alarm), cases=None, within=0.005)
    negatives = question.cases - question.positives
    assert 0 <= question.misses[1] < question.misses[0] <= question.positives
    assert 0 <= question.alarms[0] < question.alarms[1] <= negatives
    assert abs(math.log(question.ratio / ratio)) <= math.log(1.05)


@given(st.integers(1, 30), st.integers(0, 20), st.integers(0, 50), st.integers(1, 90),
       st.floats(0.01, 100))  # fmt: skip
def test_answers_of_a_consistent_person_contain_their_ratio(saved, rest, alarms, more, hidden):
    question = Question(1000, 100, (rest + saved, rest), (alarms, alarms + more))
    cost = [hidden * m + f for m, f in zip(question.misses, question.alarms, strict=True)]
    said = question.statement("a" if cost[0] < cost[1] else "b")
    assert said.low <= hidden * (1 + 1e-12)
    assert said.high >= hidden * (1 - 1e-12)


def test_cannot_say_keeps_both_sides():
    said = Question(1000, 78, (12, 6), (40, 160)).statement("=")
    assert (said.low, said.high) == (0, math.inf)


def test_the_bound_comes_from_the_numbers_shown():
    question = Question(1000, 78, (12, 6), (40, 160))
    assert question.ratio == (160 - 40) / (12 - 6)
    assert question.statement("a").high == 20
    assert question.statement("b").low == 20


def test_text_fits_eighty_columns():
    question = Question(1_000_000, 12_345, (1200, 600), (40_000, 160_000),
                        classes=("regular", "fraudulent"))  # fmt: skip
    assert all(len(line) <= 80 for line in question.text(12).splitlines())


def test_refusals():
    with pytest.raises(DataError, match="one outcome must have more misses"):
        Question(100, 10, (5, 6), (1, 2))
    with pytest.raises(DataError, match="'a', 'b' or '='"):
        Question(100, 10, (6, 5), (1, 2)).statement("c")
