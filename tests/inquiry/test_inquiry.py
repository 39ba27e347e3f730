"""What was asked can be kept, read again, and changed."""

from __future__ import annotations

import dataclasses
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stakes
from stakes.exceptions import DataError, FormatError
from stakes.inquiry import Inquiry
from stakes.inquiry.inquiry_form import from_options

ASKED = Inquiry(
    source="churn.csv",
    label="churned",
    positive="yes",
    scores=["gbm_p", "logreg_p"],
    cost={"fn": 40, "fp": 4},
    unit="EUR",
)


def test_lists_and_mappings_are_said_as_on_the_command_line():
    assert ASKED.scores == "gbm_p,logreg_p"
    assert ASKED.cost == ("fn=40", "fp=4")
    assert from_options({"cost": ["fn=40"], "false_alarm": "4"}).cost == ("fn=40", "fp=4")


def test_it_cannot_be_changed_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ASKED.label = "other"
    assert ASKED.but(label="other").label == "other"


def test_only_what_was_said_is_kept(tmp_path):
    text = ASKED.to_toml()
    assert tomllib.loads(text) == {
        "source": "churn.csv",
        "label": "churned",
        "positive": "yes",
        "scores": "gbm_p,logreg_p",
        "cost": ["fn=40", "fp=4"],
        "unit": "EUR",
    }
    file = tmp_path / "q.toml"
    file.write_text(text, encoding="utf-8")
    assert Inquiry.load(file) == ASKED


words = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1, max_size=8)


@given(label=words, positive=words, prevalence=words, narrow=st.booleans())
def test_whatever_was_said_is_read_as_it_was(tmp_path_factory, label, positive, prevalence, narrow):
    asked = Inquiry(label=label, positive=positive, prevalence=prevalence, narrow=narrow)
    file = tmp_path_factory.mktemp("q") / "q.toml"
    file.write_text(asked.to_toml(), encoding="utf-8")
    assert Inquiry.load(file) == asked


def test_what_is_said_now_takes_the_place_of_what_was_kept():
    now = Inquiry(costs="costs.toml", decisions="a").after(ASKED)
    assert (now.cost, now.costs) == ((), "costs.toml")
    assert (now.scores, now.decisions) == (None, "a")
    assert now.label == "churned"


def test_words_that_nobody_knows_are_refused(tmp_path):
    file = tmp_path / "q.toml"
    file.write_text('labels = "y"\n')
    with pytest.raises(FormatError, match="asks for 'labels', which I do not know"):
        Inquiry.load(file)
    file.write_text("label = y\n")
    with pytest.raises(FormatError, match=r"q\.toml: Invalid value"):
        Inquiry.load(file)
    with pytest.raises(DataError, match="scores are posterior"):
        Inquiry(scores_are="percent")


def test_a_report_without_an_inquiry_says_so(tmp_path):
    file = tmp_path / "report.json"
    file.write_text("{}")
    with pytest.raises(FormatError, match="holds no inquiry"):
        Inquiry.load(file)
    page = tmp_path / "report.html"
    page.write_text("<p>nothing</p>")
    with pytest.raises(FormatError, match="holds no inquiry"):
        Inquiry.load(page)


def test_what_was_made_in_python_has_no_name_to_keep():
    app = stakes.Application([[0, 1], [10, 0]])
    with pytest.raises(DataError, match="`costs` was made in Python"):
        ASKED.but(cost=(), costs=app).to_toml()
