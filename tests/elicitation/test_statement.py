"""Statements and their contradictions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.elicitation import Statement, agreed_ratio, contradictions, ratio_between
from stakes.exceptions import CostError

BOUND = st.floats(0.001, 1000)


@given(st.lists(st.tuples(BOUND, BOUND), min_size=1, max_size=6))
def test_no_contradiction_means_a_ratio_agrees_with_all(pairs):
    said = [ratio_between(*sorted(pair)) for pair in pairs]
    low, high = max(s.low for s in said), min(s.high for s in said)
    if contradictions(said):
        assert low > high
        with pytest.raises(CostError, match="these two answers contradict"):
            agreed_ratio(said)
    else:
        found = agreed_ratio(said)
        assert (found.low, found.high) == (low, high)


def test_contradictions_name_all_clashing_pairs():
    said = [ratio_between(5, 20), ratio_between(1, 2), ratio_between(1.5, 30)]
    clashes = contradictions(said)
    assert [clash.positions for clash in clashes] == [(0, 1)]
    assert str(clashes[0]) == (
        "these two answers contradict: one miss is worth 5 to 20 false alarms (ratio 5 to 20); "
        "one miss is worth 1 to 2 false alarms (ratio 1 to 2). Which one do you keep?"
    )


def test_a_statement_may_contradict_itself():
    impossible = Statement(math.inf, 0, "worse is better", "ranking")
    (clash,) = contradictions([impossible, ratio_between(1, 2)])
    assert clash.positions == (0,)
    assert "contradicts itself: worse is better" in str(clash)
    assert repr(impossible) == "Statement('worse is better': no ratio agrees)"


def test_what_was_said_wins_over_the_bounds_of_the_conversation():
    assert agreed_ratio([ratio_between(5000, 9000)]).low == 5000
    above = Statement(2000.0, math.inf, "a lot", "preference")
    assert agreed_ratio([above]).high == 2000 * 10  # more than 2000 is not 2000
    below = Statement(0.0, 1e-5, "little", "preference")
    assert agreed_ratio([below]).low == pytest.approx(1e-5 / 10)
    assert agreed_ratio([]).high == 1000


def test_signed_keeps_who_and_when():
    said = ratio_between(5).signed("Ada", "2026-01-31")
    assert (said.name, said.date, said.low) == ("Ada", "2026-01-31", 5)
