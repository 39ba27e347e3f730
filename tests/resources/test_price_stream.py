"""Decisions one after the other, at prices of past periods."""

from __future__ import annotations

import numpy as np
import pytest

from stakes.application import Application
from stakes.exceptions import CostError, StakesError
from stakes.resources import capacity_optimum, capacity_stream

APP = Application([[0, 4, 1], [9, 0, 2]])


@pytest.fixture(scope="module")
def days():
    rng = np.random.default_rng(1)
    return rng.beta(0.6, 2, 2000), np.repeat(np.arange(10), 200)


def by_hand(expected, prices, most):
    """The same rule, a case at a time."""
    left, codes = dict(most), []
    for row in expected + prices:
        code = min((j for j in range(row.size) if left.get(j, 1) > 0), key=lambda j: row[j])
        codes.append(code)
        if code in left:
            left[code] -= 1
    return codes


def test_against_a_loop_over_cases(days):
    p, day = days
    stream = capacity_stream(p, APP, capacity={1: 15, 2: 20}, periods=day)
    expected = np.column_stack([1 - p, p]) @ APP.costs.values
    for k in range(10):
        here = day == k
        by_loop = by_hand(expected[here], stream.prices[k], {1: 15, 2: 20})
        np.testing.assert_array_equal(stream.decisions[here], by_loop)
    assert (stream.used[:, 1] <= 15).all()
    assert (stream.used[:, 2] <= 20).all()


def test_prices_are_those_of_the_past_and_regret_is_against_the_batch(days):
    p, day = days
    stream = capacity_stream(p, APP, capacity={1: 15, 2: 20}, periods=day)
    assert not stream.prices[0].any()
    past = capacity_optimum(p[day < 4], APP, capacity={1: 60, 2: 80})
    np.testing.assert_allclose(stream.prices[4], past.prices)
    recent = capacity_stream(p, APP, capacity={1: 15, 2: 20}, periods=day, window=1)
    last = capacity_optimum(p[day == 3], APP, capacity={1: 15, 2: 20})
    np.testing.assert_allclose(recent.prices[4], last.prices)
    batch = capacity_optimum(p[day == 4], APP, capacity={1: 15, 2: 20})
    assert stream.optimum[4] == pytest.approx(batch.cost * 200)
    assert (stream.regret >= -1e-9).all()
    np.testing.assert_allclose(stream.frame()["regret"], stream.cost - stream.optimum)


def test_the_right_prices_leave_little_regret(days):
    p, day = days
    blind = capacity_stream(p[:200], APP, capacity={1: 15, 2: 20}, periods=day[:200])
    known = capacity_optimum(p[:200], APP, capacity={1: 15, 2: 20}).prices
    told = capacity_stream(p[:200], APP, capacity={1: 15, 2: 20}, periods=day[:200], prices=known)
    assert told.regret[0] == pytest.approx(0, abs=1e-9)
    assert blind.regret[0] > 0


def test_shares_and_periods(days):
    p, day = days
    stream = capacity_stream(p, APP, capacity={1: "5%", 2: "20/day"}, periods=day)
    assert (stream.used[:, 1] <= 10).all()
    assert (stream.used[:, 2] <= 20).all()


def test_prices_are_read_by_the_names_of_decisions(days):
    p, day = days
    text, name = (
        capacity_stream(p, APP, capacity={1: 15}, periods=day, prices=prices)
        for prices in ({"1": 5.0}, {1: 5.0})
    )
    assert text.prices[0].tolist() == name.prices[0].tolist() == [0, 5, 0]
    with pytest.raises(CostError, match="`prices` is about 'refused', which is not a decision"):
        capacity_stream(p, APP, capacity={1: 15}, periods=day, prices={"refused": 5.0})


def test_a_period_that_misses_a_required_number_has_no_regret(days):
    p, day = days
    stream = capacity_stream(p, APP, capacity={1: (150, None)}, periods=day)
    short = stream.used[:, 1] < 150
    assert short[0]
    assert np.isnan(stream.regret).tolist() == short.tolist() == stream.missed.tolist()
    assert (stream.regret[~short] >= -1e-9).all()


@pytest.mark.parametrize(
    "more",
    [{"periods": [1, 2]}, {"periods": [0, 1, 0]}, {"window": 0}, {"prices": [1]}, {"capacity": "x"},
     {"capacity": {0: 0, 1: 0, 2: 0}}],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(more):
    given = {"capacity": {1: 1}, "periods": [0, 0, 1], **more}
    with pytest.raises(StakesError):
        capacity_stream([0.1, 0.2, 0.3], APP, **given)
