"""decision_intervals: exact stretches of the posterior of the second class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stakes import Application, CostMatrix, bayes_decisions, decision_intervals
from stakes.exceptions import CostError


def test_two_decisions_cut_at_the_posterior_threshold():
    app = Application(CostMatrix([[0, 1], [10, 0]]))
    rule = decision_intervals(app)
    assert rule.decisions == (0, 1)
    assert rule.cuts == (pytest.approx(1 / 11),)
    assert rule.cuts[0] == app.posterior_threshold


def test_abstention_lies_between_two_cuts():
    rule = decision_intervals(CostMatrix.zero_one(["no", "yes"]).with_abstention(0.1, name="ask"))
    assert rule.decisions == ("no", "ask", "yes")
    assert rule.cuts == pytest.approx((0.1, 0.9))
    assert rule.frame().rows()[1] == {"decision": "ask", "above": 0.1, "up_to": 0.9}


def test_a_decision_that_never_pays_is_absent():
    assert decision_intervals(CostMatrix.zero_one(2).with_abstention(0.6)).decisions == (0, 1)


def test_free_false_alarms_act_on_any_chance():
    rule = decision_intervals([[0, 0], [1, 0]])
    assert (rule.decisions, rule.cuts) == ((0, 1), (0.0,))


def test_three_classes_are_refused():
    with pytest.raises(CostError, match="intervals exist for two classes; got 3"):
        decision_intervals(CostMatrix.zero_one(3))


@given(hnp.arrays(float, (2, 5), elements=st.integers(-8, 8).map(float)))
def test_midpoints_agree_with_the_bayes_rule(costs):
    rule = decision_intervals(costs)
    edges = np.array([0.0, *rule.cuts, 1.0])
    for decision, low, high in zip(rule.decisions, edges[:-1], edges[1:], strict=True):
        if high > low:
            assert bayes_decisions([(low + high) / 2], costs)[0] == decision
