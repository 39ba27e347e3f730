"""Conditions of `--fail-if`: what they say, and what says none."""

import pytest

from stakes.cli.conditions import Condition, read_condition
from stakes.cli.gates import Gate
from stakes.cli.period_gates import PeriodGate
from stakes.exceptions import DataError


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nec>0.5", Condition(None, "nec", ">", 0.5)),
        (" cost <= -1e3 ", Condition(None, "cost", "<=", -1000.0)),
        ("gbm:nec>=.5", Condition("gbm", "nec", ">=", 0.5)),
        ("a:b:cost<1e9", Condition("a:b", "cost", "<", 1e9)),
    ],
)
def test_read(text, said):
    assert read_condition(text, "nec", "cost") == said


@pytest.mark.parametrize("text", ["nec", "nec=0.5", "nec>", "nec>half", "nec>nan", "auc>0.5", ""])
def test_what_says_no_condition(text):
    assert read_condition(text, "nec", "cost") is None


@pytest.mark.parametrize("limit", ["1e999", "-1e999", "inf", "-Infinity"])
def test_limits_that_are_not_finite(limit):
    for gate in (lambda: Gate(f"nec>{limit}"), lambda: PeriodGate(f"cost<{limit}")):
        with pytest.raises(DataError, match="is not finite"):
            gate()


def test_an_undefined_figure_meets_no_condition():
    for sign in (">", ">=", "<", "<="):
        assert read_condition(f"cost{sign}1", "cost").holds(float("nan"))


@pytest.mark.parametrize(
    ("sign", "below", "equal", "above"),
    [(">", False, False, True), (">=", False, True, True),
     ("<", True, False, False), ("<=", True, True, False)],
)  # fmt: skip
def test_holds(sign, below, equal, above):
    condition = read_condition(f"cost{sign}1", "cost")
    assert [condition.holds(value) for value in (0, 1, 2)] == [below, equal, above]


@pytest.mark.parametrize("text", ["cost>nan", "gbm:cost>1", "nec>1", "alarms"])
def test_periods_refuse_what_could_never_hold(text):
    with pytest.raises(DataError, match="I cannot read the condition") as caught:
        PeriodGate(text)
    assert "--fail-if alarm" in caught.value.hint


def test_evaluations_refuse_what_could_never_hold():
    with pytest.raises(DataError, match="I cannot read the condition 'nec>nan'"):
        Gate("nec>nan")
