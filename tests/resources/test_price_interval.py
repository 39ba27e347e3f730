"""Intervals of prices: those of several limits hold the price of the source, and follow laws."""

from __future__ import annotations

import numpy as np
import pytest

from stakes.resources import Limit, capacity
from stakes.resources.capacity import optimum
from stakes.resources.price_interval import _Batch, _quantile_interval, _settled

NAMES = ("pay", "refuse", "expert", "clerk")
SHARES = {"refuse": 0.05, "expert": 0.04, "clerk": 0.1}


def drawn(n, *seed):
    rng = np.random.default_rng(seed)
    p, amount = rng.beta(0.5, 3, n), rng.lognormal(5, 1, n)
    costs = np.column_stack([p * amount, (1 - p) * (0.05 * amount + 10), np.empty((n, 2))])
    least = costs[:, :2].min(axis=1)
    costs[:, 2], costs[:, 3] = 3 + 0.3 * least, 1 + 0.6 * least
    return costs


def limits(n, shares=SHARES):
    return tuple(Limit(name, share * n) for name, share in shares.items())


def solve(costs, weights=None, shares=SHARES):
    return optimum(costs, NAMES, limits(len(costs), shares), weights)


def test_several_limits_cover_the_price_of_the_source():
    true = np.array([each.price for each in solve(drawn(40_000, 1)).limits])
    held = np.zeros(3)
    for k in range(40):
        ends = np.array([each.interval for each in solve(drawn(250, 2, k)).limits])
        held += (ends[:, 0] <= true) & (true <= ends[:, 1])
    # of 40 intervals of 95 %, 34 or more hold the price with a chance above 0.997
    assert (held >= 34).all()
    assert (held < 40).any()  # and they are not as wide as can be


def test_prices_at_other_limits_are_those_of_the_programme():
    costs = drawn(500, 3)
    found = solve(costs)
    ends = np.array([[0.0, 20.0], [0.0, 27.0], [0.0, 44.0]])
    batch = _Batch(costs.T, np.ones(500), [1, 2, 3], ends, found.prices)
    settled = _settled(batch, 1e-9)
    moved = {name: high / 500 for name, (_, high) in zip(SHARES, ends, strict=True)}
    there = solve(costs, shares=moved)
    for k, each in enumerate(there.limits, 1):
        # the programme leaves prices open between the last case taken and the first one left
        assert each.price * (1 - 0.02) <= settled[k] <= each.tighter * (1 + 0.02)


def test_scale_order_and_equal_weights_change_nothing():
    costs = drawn(400, 4)
    ends = np.array([each.interval for each in solve(costs).limits])
    assert (ends[:, 0] < ends[:, 1]).all()
    again = np.array([each.interval for each in solve(costs[::-1]).limits])
    assert again == pytest.approx(ends, rel=0.02)
    dearer = np.array([each.interval for each in solve(1000 * costs).limits])
    assert dearer == pytest.approx(1000 * ends, rel=1e-6)
    counted = np.array([each.interval for each in solve(costs, np.full(400, 3.0)).limits])
    assert counted == pytest.approx(ends, rel=0.02)


def test_a_limit_that_does_not_bind_leaves_the_interval_of_one():
    costs = drawn(400, 5)
    alone = solve(costs, shares={"expert": 0.04}).limits[0].interval
    beside = solve(costs, shares={"expert": 0.04, "clerk": 0.99}).limits[0].interval
    assert beside == pytest.approx(alone, rel=1e-9)


def test_lower_limits_and_all_decisions_limited():
    costs = drawn(300, 6)
    low = (Limit("expert", 10), Limit("refuse", at_least=100))
    found = optimum(costs, NAMES, low, None)
    for each in found.limits:
        assert 0 <= each.interval[0] <= each.price <= each.interval[1] < np.inf
    tight = tuple(Limit(name, 75) for name in NAMES)
    for each in optimum(costs, NAMES, tight, None).limits:
        assert 0 <= each.interval[0] <= each.interval[1] < np.inf


@pytest.mark.parametrize("shares", [{"expert": 0.1}, SHARES])
def test_weights_that_go_with_the_costs_are_covered(shares, monkeypatch):
    def split(costs, weights, limits, found):  # prices alone are asked for: cases stay divided
        return found.flow.argmax(axis=0)

    monkeypatch.setattr(capacity, "whole_cases", split)

    def prices(n, *seed):
        costs, rng = drawn(n, *seed), np.random.default_rng(seed)
        weights = np.sqrt(costs[:, 0] + 1) * rng.lognormal(0, 0.5, n)
        return optimum(costs, NAMES, limits(n, shares), weights).limits

    true = np.array([each.price for each in prices(40_000, 7)])
    held = np.zeros(len(shares))
    for k in range(100):
        ends = np.array([each.interval for each in prices(1000, 8, k)])
        held += (ends[:, 0] <= true) & (true <= ends[:, 1])
    assert (held >= 89).all()  # as of 95 % with a chance above 0.99


def saving(gains, weights=None, **ends):
    """The price of a limit on acting, where acting saves these amounts."""
    expected = np.column_stack([np.zeros(len(gains)), -gains])
    return optimum(expected, ("pass", "act"), (Limit("act", **ends),), weights).limits[0]


@pytest.mark.parametrize(("most", "unbounded"), [(0, True), (1, True), (2, True), (5, False)])
def test_few_cases_do_not_bound_the_price(most, unbounded):
    # the savings are exponential, so what a share s exceeds is -log(s)
    true = -np.log((most + 0.5) / 100)
    drawn = np.random.default_rng(most).exponential(size=(400, 100))
    ends = np.array([saving(gains, at_most=most).interval for gains in drawn])
    assert (np.isinf(ends[:, 1]) == unbounded).all()
    held = (ends[:, 0] <= true) & (true <= ends[:, 1])
    assert held.sum() >= 369  # of 400, as of 95 % with a chance above 0.99


@pytest.mark.parametrize("least", [95, 99, 100])
def test_a_decision_that_nearly_all_must_get_mirrors_one_for_few(least):
    gains = np.random.default_rng(least).exponential(size=100)
    required, limited = saving(-gains, at_least=least), saving(gains, at_most=100 - least)
    assert required.price == limited.price > 0
    assert required.interval == pytest.approx(limited.interval)


@pytest.mark.parametrize(("size", "share"), [(300, 0.02), (300, 0.1), (1000, 0.1)])
def test_heavy_cases_that_save_most_are_covered(size, share):
    def batch(rng, n):
        gains = rng.lognormal(0, 1, n)
        return gains, np.sqrt(gains) * rng.lognormal(0, 0.5, n)

    gains, weights = batch(np.random.default_rng(1), 400_000)
    order = np.argsort(-gains)
    above = np.cumsum(weights[order])
    true = gains[order][np.searchsorted(above, share * above[-1])]
    held = 0
    for k in range(300):
        gains, weights = batch(np.random.default_rng([2, k]), size)
        low, high = _quantile_interval(gains, weights, (0.0, share), 0.95)
        held += low <= true <= high
    assert held >= 275  # of 300, as of 95 % with a chance above 0.99


@pytest.mark.parametrize("seed", range(30))
def test_intervals_hold_the_price_that_is_reported(seed):
    rng = np.random.default_rng(seed)
    costs, weights = rng.integers(0, 4, (6, 3)).astype(float), rng.lognormal(0, 1, 6)
    for given in (None, weights):
        both = (Limit(0, 4), Limit(1, rng.integers(1, 5)))
        for each in optimum(costs, (0, 1, 2), both, given).limits:
            assert each.interval[0] <= each.price <= each.interval[1]


def test_few_very_heavy_cases_of_several_limits_are_covered(monkeypatch):
    monkeypatch.setattr(capacity, "whole_cases", lambda *given: given[-1].flow.argmax(axis=0))

    def prices(n, *seed):
        costs = drawn(n, *seed)
        return optimum(costs, NAMES, limits(n), costs[:, 0] + 1).limits  # long tails

    true = np.array([each.price for each in prices(40_000, 9)])
    ends = np.array([[each.interval for each in prices(200, 10, k)] for k in range(30)])
    held = (ends[..., 0] <= true) & (true <= ends[..., 1])
    # of 30 intervals of 95 %, 26 or more hold the price with a chance above 0.98
    assert (held.sum(axis=0) >= 26).all()
