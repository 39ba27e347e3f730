"""How many false alarms one miss is worth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, CostMatrix
from stakes.elicitation import RatioInterval
from stakes.elicitation.agreement import _ratio_words
from stakes.exceptions import CostError, PriorError


def test_weights_of_the_bankruptcy_example():
    """`wa2025` A.1: rho = 35 gives w = .97; 10 to 50 gives .91 to .98."""
    assert round(RatioInterval(35, 35).weights[0], 2) == 0.97
    assert [round(w, 2) for w in RatioInterval(10, 50).weights] == [0.91, 0.98]


@given(st.floats(0.01, 100), st.floats(1, 50), st.floats(0.01, 0.99))
def test_effective_priors_are_those_of_the_applications_at_the_ends(low, factor, prior):
    ratio = RatioInterval(low, low * factor)
    for end, found in zip((ratio.low, ratio.high), ratio.effective_priors(prior), strict=True):
        costs = CostMatrix.binary(false_positive=1, false_negative=end)
        app = Application(costs, priors=[1 - prior, prior])
        assert found == pytest.approx(app.effective_prior)


def test_applications_at_the_middle_and_over_the_range():
    ratio = RatioInterval(4, 25)
    assert ratio.middle == 10
    app = ratio.middle_application(classes=["stay", "churn"], priors=[0.9, 0.1], unit="EUR")
    assert app.costs.cost("churn", "stay") == 10
    corners = ratio.application(false_alarm=3, classes=["stay", "churn"]).corners()
    assert sorted(corners.costs[:, 1, 0].tolist()) == [12, 75]
    assert set(corners.costs[:, 0, 1].tolist()) == {3}


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (5, 20, "one missed 'ill' costs as much as 5 to 20 false alarms"),
        (10, 10, "one missed 'ill' costs as much as 10 false alarms"),
        (0.2, 0.5, "one false alarm costs as much as 2 to 5 missed 'ill'"),
        (0.5, 20, "one missed 'ill' costs as much as 0.5 to 20 false alarms"),
        (20, math.inf, "one missed 'ill' costs as much as 20 or more false alarms"),
    ],
)
def test_words_count_the_dearer_error_in_the_cheaper(low, high, words):
    assert _ratio_words(low, high, "ill") == words


@pytest.mark.parametrize("ends", [(0, 1), (2, 1), (1, math.inf), (-1, 1)])
def test_impossible_ends(ends):
    with pytest.raises(CostError, match="two positive ends"):
        RatioInterval(*ends)


def test_impossible_prior():
    with pytest.raises(PriorError):
        RatioInterval(1, 2).effective_priors(0)
