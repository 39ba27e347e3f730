"""Answers kept with the costs: written, edited, replayed."""

import math

import pytest

from stakes.application import read_costs
from stakes.elicitation import (
    Elicitation,
    Question,
    Statement,
    agreed_ratio,
    answers_from_toml,
    answers_to_toml,
    ratio_between,
    ratio_from_amounts,
    ratio_from_number_willing,
    ratio_from_ranking,
    ratio_from_threshold,
    read_answers,
    write_answers,
)
from stakes.exceptions import CostError, FormatError

EVERYTHING = (
    ratio_between(2, 400),
    ratio_from_threshold(0.005, 0.2),
    ratio_from_number_willing(4, 300),
    ratio_from_amounts(false_negative=(200, 400), false_positive=10, true_positive=5),
    *ratio_from_ranking(["errs", "errs_negatives"], error_share=0.6, priors=0.05),
    Question(1000, 78, (12, 6), (40, 160)).statement("b").signed('Ada "Lovelace"', "2026-01-31"),
    Question(1000, 78, (12, 6), (40, 160)).statement("="),
    Statement(2.5, math.inf, "you want to find 90 % of the positives", "sensitivity",
              {"ratio": [2.5, math.inf]}),
)  # fmt: skip


def test_every_route_is_replayed_as_it_was():
    talk = Elicitation(priors=0.05, classes=("stay", "churn")).stated(*EVERYTHING)
    replayed = answers_from_toml(answers_to_toml(talk))
    assert [(s.low, s.high, s.said, s.route, s.name, s.date) for s in replayed] == [
        (s.low, s.high, s.said, s.route, s.name, s.date) for s in EVERYTHING
    ]
    assert agreed_ratio(replayed) == talk.ratio


def test_the_file_is_a_file_of_costs_too(tmp_path):
    path = tmp_path / "costs.toml"
    talk = Elicitation(priors=0.1, classes=("stay", "churn")).stated(ratio_between(4, 25))
    write_answers(talk, path, volume=250_000, period="year")
    app = read_costs(path)
    assert app.costs.cost("churn", "stay") == pytest.approx(10)
    assert (app.unit, app.volume, app.period) == (None, 250_000, "year")
    assert app.priors.tolist() == [0.9, 0.1]
    assert agreed_ratio(read_answers(path)).high == 25


def test_an_edited_answer_counts_as_edited():
    said = Question(1000, 78, (12, 6), (40, 160)).statement("b")
    text = answers_to_toml(Elicitation(priors=0.1).stated(said))
    edited = text.replace('prefers = "b"', 'prefers = "a"')
    (found,) = answers_from_toml(edited)
    assert (found.low, found.high) == (0, 20)


def test_contradictions_come_to_light_on_replay():
    text = (
        '[[answer]]\nroute = "ratio"\nratio = [1, 2]\n[[answer]]\nroute = "ratio"\nratio = [5, 9]'
    )
    with pytest.raises(CostError, match="contradict"):
        agreed_ratio(answers_from_toml(text))


def test_written_by_hand():
    text = '[[answer]]\nroute = "threshold"\nthreshold = [0.3]'
    assert answers_from_toml(text)[0].low == pytest.approx(7 / 3)
    assert answers_from_toml("fn = 10\nfp = 1") == ()
    (plain,) = answers_from_toml('[[answer]]\nroute = "ratio"\nratio = 7')
    assert (plain.low, plain.high) == (7, 7)
    (capital,) = answers_from_toml(
        '[[answer]]\nroute = "preference"\nmisses = [2, 1]\nalarms = [0, 3]\nprefers = "B"'
    )
    assert capital.low == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[answer]", "not valid TOML"),
        ("[[answer]]\nroute = 'guess'", r"unknown route 'guess' - at `answer\[0\]`"),
        ("[[answer]]\nroute = 'ratio'", r"'ratio' is missing - at `answer\[0\]`"),
        ("[[answer]]\nroute = 'ratio'\nratio = ['x']", r"at `answer\[0\]`"),
        ("[[answer]]\nroute = 'threshold'\nthreshold = [2.0]", "between 0 and 1"),
        ("[[answer]]\nroute='preference'\nmisses=[6, 5]\nalarms=[1, 2]\nprefers='z'", "'a', 'b'"),
        ("answer = 3", "are tables"),
        ("elicitation = 3", "are tables"),
        ("[[answer]]\nroute = ['ratio']", "unknown route"),
        ("[[answer]]\nroute = 'ratio'\nratio = [5, 10, 20]", "`ratio` must be a number, or two"),
        ("[[answer]]\nroute = 'ratio'\nratio = [true, 20]", "`ratio` must be a number, or two"),
        (
            "[[answer]]\nroute='preference'\nmisses=[12.7, 6]\nalarms=[1, 2]\nprefers='a'",
            "`misses` must be two whole numbers",
        ),
        (
            "[[answer]]\nroute='preference'\nmisses=[12, 6]\nalarms=[1, inf]\nprefers='a'",
            "`alarms` must be two whole numbers",
        ),
    ],
)
def test_what_cannot_be_read_says_where(text, message):
    with pytest.raises(FormatError, match=message) as caught:
        answers_from_toml(text, source="costs.toml")
    assert caught.value.message.startswith("costs.toml: ")
