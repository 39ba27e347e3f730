"""The chance of being best and the verdict follow one law, with costs per case."""

import numpy as np
import pytest
from scipy import stats

from stakes import CaseCosts, evaluate
from stakes._kernels.interval_ends import skewed_limits, skewed_p_value, skewed_quantiles

DRAWS = 4000


def carried_by_few(large, n=2000):
    """Two systems: the second misses `large` costly cases, the first raises 40 false alarms."""
    y = np.arange(n) % 10 == 0
    first, second = y.copy(), y.copy()
    second[np.flatnonzero(y)[:large]] = False
    first[np.flatnonzero(~y)[:40]] = True
    miss = np.where(y, 100.0, 10.0)
    miss[np.flatnonzero(y)[:large]] = 5000.0
    costs = CaseCosts.binary(false_negative=miss, false_positive=20.0)
    return y.astype(int), {"a": first.astype(int), "b": second.astype(int)}, costs


@pytest.mark.parametrize("large", [1, 2, 3, 5, 8, 20])
def test_two_systems_by_the_p_value_of_their_difference(large):
    y, models, costs = carried_by_few(large)
    ev = evaluate(y, models, costs=costs, rng=0)
    found = ev.difference("a", "b")
    less = min(ev["a"].probability_best, ev["b"].probability_best)
    expected = found.p_value / 2
    assert abs(less - expected) < 4 * np.sqrt(expected * (1 - expected) / DRAWS) + 1 / DRAWS


def test_no_certainty_where_the_data_cannot_tell():
    y, models, costs = carried_by_few(2)
    ev = evaluate(y, models, costs=costs, rng=0)
    assert ev.verdict_kind == "cannot tell apart"
    assert max(ev[name].probability_best for name in ev) < 0.98


def test_light_tails_agree_with_a_bootstrap():
    rng = np.random.default_rng(3)
    n = 1500
    y = rng.random(n) < 0.3
    models = {
        name: np.where(rng.random(n) < right, y, ~y).astype(int)
        for name, right in (("a", 0.86), ("b", 0.85), ("c", 0.84))
    }
    miss, alarm = rng.uniform(2, 4, n), rng.uniform(1, 2, n)
    costs = CaseCosts.binary(false_negative=miss, false_positive=alarm)
    ev = evaluate(y.astype(int), models, costs=costs, rng=0)
    paid = np.array([np.where(y, (1 - d) * miss, d * alarm) for d in models.values()])
    best = np.argmin(rng.multinomial(n, np.full(n, 1 / n), size=DRAWS) @ paid.T, axis=1)
    for k, name in enumerate(models):
        assert ev[name].probability_best == pytest.approx(np.mean(best == k), abs=0.03)


def test_same_decisions_share_the_chance():
    y, models, costs = carried_by_few(5)
    ev = evaluate(y, {**models, "again": models["a"], "twice": models["b"]}, costs=costs, rng=0)
    assert ev["again"].probability_best == ev["a"].probability_best
    assert ev["twice"].probability_best == ev["b"].probability_best
    assert sum(ev[name].probability_best for name in ev) == pytest.approx(1)


@pytest.mark.parametrize("skewness", [-0.9, -0.2, 0.0, 0.3, 1.2])
@pytest.mark.parametrize("freedom", [np.inf, 7.0])
def test_quantiles_are_the_ends_of_intervals(skewness, freedom):
    shares = np.array([0.001, 0.025, 0.2, 0.8, 0.975, 0.999])
    found = skewed_quantiles(-0.3, 0.2, skewness, shares, freedom)
    for low, high in ((0, 5), (1, 4), (2, 3)):
        level = shares[high] - shares[low]
        ends = skewed_limits(-0.3, 0.2, skewness, level, freedom)
        assert [found[low], found[high]] == pytest.approx(ends)
    assert (np.diff(found) > 0).all()


def test_quantiles_invert_the_p_value():
    half = skewed_p_value(-0.3, 0.2, 0.4) / 2
    assert skewed_quantiles(-0.3, 0.2, 0.4, np.array([1 - half]))[0] == pytest.approx(0, abs=1e-9)
    plain = stats.norm.ppf([0.1, 0.9], loc=-0.3, scale=0.2)
    assert skewed_quantiles(-0.3, 0.2, 0.0, np.array([0.1, 0.9])) == pytest.approx(plain)
