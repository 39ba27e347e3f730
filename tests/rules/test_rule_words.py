"""A rule in words: short, and true of every score at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import Application, CostMatrix, DecisionRule
from stakes.calibration import Affine
from stakes.rules.rule_words import said_alike

NAMES = {"classes": ["no", "yes"]}
APP = Application(CostMatrix([[0, 1], [10, 0]], **NAMES), priors=[0.98, 0.02])
ASK = CostMatrix([[0, 1, 0.3], [1, 0, 0.3]], **NAMES, decisions=["no", "yes", "ask"])


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (DecisionRule(APP), "p > 0.0909"),
        (DecisionRule(APP, from_priors=[0.5, 0.5]), "p > 0.831"),
        (DecisionRule(APP, scores="log_odds"), "log-odds > -2.3"),
        (DecisionRule(APP, scores="llr"), "llr > 1.59"),
        (DecisionRule(APP, scores="rank", cut=0.5), "score > 0.5"),
        (DecisionRule(APP, scores="decision"), "decisions as given"),
        (DecisionRule(APP, per_case=True), "varies by case"),
        (DecisionRule(CostMatrix([[0, 1], [0, 1]], **NAMES)), "always 'no'"),
        (DecisionRule(CostMatrix([[1, 0], [0, 1]], **NAMES)), "p < 0.5"),
        (DecisionRule(CostMatrix.zero_one(3)), "the decision of least expected cost"),
        (
            DecisionRule(ASK),
            "p up to 0.3 decide 'no', then below 0.7 'ask', from there on 'yes'",
        ),
        (
            DecisionRule(CostMatrix.zero_one(["a", "b"]).with_abstention(0.25)),
            "p up to 0.25 decide 'a', then below 0.75 'abstain', from there on 'b'",
        ),
    ],
)
def test_words(rule, words):
    assert str(rule) == rule.words() == words


def test_words_for_a_table():
    assert DecisionRule(ASK).act_when == "see notes"
    assert DecisionRule(APP).act_when == "p > 0.0909"
    assert DecisionRule(APP, per_case=True).act_when == "varies by case"
    assert DecisionRule(CostMatrix.zero_one(3)).act_when is None
    assert DecisionRule(APP, scores="decision").act_when is None


def test_the_second_decision_may_include_its_cut():
    # the second of three columns comes before the third, and is taken where both cost the same
    below, above = (
        DecisionRule(
            application=CostMatrix([[9, *costs], [9, *costs[::-1]]], ["no", "yes"], [*"xyz"])
        )
        for costs in ((0, 1), (1, 0))
    )
    assert str(below) == "p <= 0.5"
    assert str(above) == "p >= 0.5"
    assert below.positions([0.5]).tolist() == above.positions([0.5]).tolist() == [1]


def test_a_calibrated_rule_says_so():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    rule = DecisionRule(
        application=APP, calibrator=Affine().fit(rng.normal(y, 1), y), scores="rank"
    )
    assert str(rule).startswith("p > 0.")
    assert str(rule).endswith(" after affine calibration")


def test_digits_are_as_many_as_the_scores_need():
    rule = DecisionRule(APP)
    assert rule.words([0.0905, 0.0912]) == "p > 0.0909"
    assert rule.words([0.090905, 0.09095]) == "p > 0.09091"
    assert str(rule.rounded_for([0.090905, 0.09095])) == "p > 0.09091"
    assert str(rule.rounded_for([0.090905, 0.09095]).moved([0.9, 0.1])) == "p > 0.018"


@settings(max_examples=60)
@given(
    cost=st.integers(1, 999),
    seed=st.integers(0, 2**20),
    turned=st.booleans(),
    kind=st.sampled_from([np.float64, np.float32]),
    digits=st.integers(1, 6),
)
def test_the_printed_rule_decides_every_score_alike(cost, seed, turned, kind, digits):
    costs = [[0, 1], [cost / 7, 0]]
    app = Application([row[::-1] for row in costs] if turned else costs)
    rule = DecisionRule(app, score_type=np.dtype(kind).name)
    rng = np.random.default_rng(seed)
    near = float(rule.threshold) + rng.normal(0, 1e-4, 50)
    scores = np.clip(np.round(np.concatenate([rng.random(50), near]), digits), 0, 1).astype(kind)
    _, sign, text = rule.words(scores).split()
    cut = kind(text)
    printed = scores > cut if sign == ">" else scores < cut
    assert (printed == (rule.positions(scores) == 1)).all()


def test_equal_cuts_have_the_same_digits():
    scores = {"a": np.array([0.02, 0.5]), "b": np.array([0.090905, 0.09095]), "c": np.array([0.3])}
    rules = {name: DecisionRule(APP).rounded_for(each) for name, each in scores.items()}
    other = DecisionRule(CostMatrix([[0, 1], [2, 0]], **NAMES)).rounded_for(scores["a"])
    found = said_alike({**rules, "other": other, "none": None}, {**scores, "other": scores["a"]})
    assert [str(found[name]) for name in scores] == ["p > 0.09091"] * 3
    assert str(found["other"]) == "p > 0.333"
    assert found["none"] is None
    for name, each in scores.items():
        assert (each > 0.09091).tolist() == (each > 1 / 11).tolist(), name
