"""Cases in groups: false alarms stay rare when customers come with many like cases."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, GroupedCounts
from stakes.exceptions import DataError
from stakes.monitoring import compare_periods, watch
from stakes.uncertainty import interval

APP = Application([[0, 1], [10, 0]])


def _period(rng, groups=80, cases=10, share=0.3, miss=0.2, alike=True):
    """Customers whose cases are alike: one outcome, and one decision for nearly all."""
    y = np.repeat(rng.random(groups) < share, cases)
    wrong = np.repeat(rng.random(groups) < miss, cases)
    if not alike:
        y, wrong = rng.random(y.size) < share, rng.random(y.size) < miss
    d = np.where(wrong, ~y, y)
    names = np.repeat(rng.integers(0, 10**9, groups), cases)
    return GroupedCounts.from_decisions(
        y.astype(int), d.astype(int), groups=names, classes=[0, 1], decision_names=[0, 1]
    )


@pytest.mark.parametrize("priors", [None, [0.8, 0.2]])
def test_false_alarms_happen_about_as_often_as_stated(priors):
    app, rng, runs = APP.with_priors(priors), np.random.default_rng(0), 80
    alarms, careless = np.zeros(3), 0
    for _ in range(runs):
        one, two = _period(rng), _period(rng)
        found = compare_periods(one, two, application=app, level=0.95)
        alarms += np.array(list(found.p_values.values())) <= 0.05
        plain = compare_periods(one.confusion(), two.confusion(), application=app)
        careless += min(plain.p_values.values()) <= 0.05
    assert (alarms / runs < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)).all()
    assert careless / runs > 0.5  # what counting the cases as independent would do


def test_groups_of_one_case_agree_with_independent_cases():
    rng = np.random.default_rng(1)
    one, two = (_period(rng, 3000, 1, share=s, alike=False) for s in (0.3, 0.35))
    grouped = compare_periods(one, two, application=APP)
    plain = compare_periods(one.confusion(), two.confusion(), application=APP)
    assert grouped.change == pytest.approx(plain.change)
    assert grouped.prior_part.value == pytest.approx(plain.prior_part.value)
    for name in ("prior_part", "rate_part", "cost"):
        a, b = getattr(grouped, name), getattr(plain, name)
        assert a.high - a.low == pytest.approx(b.high - b.low, rel=0.02)
    for name, p in plain.p_values.items():
        assert grouped.p_values[name] == pytest.approx(p, rel=0.15)


def test_costs_of_periods_against_drawing_groups():
    rng = np.random.default_rng(2)
    periods = [_period(rng, 200), _period(rng, 200), _period(rng, 200)]
    found = watch(periods, application=APP)
    drawn = interval(periods[1], application=APP, draws=3000, rng=0)
    assert found.costs[1].value == pytest.approx(drawn.value)
    width = found.costs[1].high - found.costs[1].low
    assert width == pytest.approx(drawn.high - drawn.low, rel=0.1)
    assert found.costs[1].method == "groups"


def test_a_real_change_is_found():
    rng = np.random.default_rng(3)
    periods = {k: _period(rng, 300, miss=0.1 if k < 3 else 0.4) for k in range(4)}
    assert watch(periods, application=APP).alarms == (3,)


def test_weights_are_welcome_where_groups_say_what_varies():
    rng = np.random.default_rng(4)
    y, d = rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    weighted = GroupedCounts.from_decisions(
        y, d, groups=np.arange(300) // 3, sample_weight=rng.random(300)
    )
    assert not compare_periods(weighted, weighted, application=APP).alarm


def test_two_sides_are_refused():
    two = GroupedCounts.from_decisions([0, 1], [0, 1], groups=(["a", "b"], ["c", "d"]))
    with pytest.raises(DataError, match="one side and one system"):
        compare_periods(two, two, application=APP)


def test_kinds_are_not_mixed():
    grouped = _period(np.random.default_rng(5))
    with pytest.raises(DataError, match="same kind"):
        compare_periods(grouped, ConfusionMatrix([[9, 1], [1, 9]]), application=APP)
