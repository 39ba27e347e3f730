import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels.bayes_rule import compared
from stakes._kernels.optimise import class_weight_descent as class_weights
from stakes._kernels.optimise.class_weight_descent import (
    _best_weight,
    _envelope_events,
    _envelope_loop,
    least_cost_weights,
)


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 12))
def test_best_weight_against_a_dense_scan(seed, decisions, count):
    rng = np.random.default_rng(seed)
    fixed, slope, cost = rng.random((3, count, decisions)).round(2)
    weight, least = _best_weight(fixed, slope, cost, 1.0)
    places, _, _ = _envelope_events(fixed, slope, cost)
    edges = np.unique(np.concatenate([[0.0], places, [places.max(initial=0.0) + 1.0]]))
    scan = np.concatenate([(edges[1:] + edges[:-1]) / 2, [edges[-1] + 1.0]])
    totals = [cost[np.arange(count), (fixed + w * slope).argmin(axis=1)].sum() for w in scan]
    assert least <= min(totals) + 1e-9
    reached = cost[np.arange(count), (fixed + weight * slope).argmin(axis=1)].sum()
    assert reached == pytest.approx(least)


@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 12))
def test_the_loop_finds_the_same_events(seed, decisions, count):
    """Rounded numbers make ties of lines and of breakpoints."""
    rng = np.random.default_rng(seed)
    fixed, slope, cost = rng.random((3, count, decisions)).round(1)
    places, changes, total = _envelope_events(fixed, slope, cost)
    room = np.empty((2, count * (decisions - 1)))
    found, start = _envelope_loop(fixed, slope, cost, *room)
    order, other = np.lexsort((changes, places)), np.lexsort((room[1, :found], room[0, :found]))
    np.testing.assert_array_equal(places[order], room[0, :found][other])
    np.testing.assert_array_equal(changes[order], room[1, :found][other])
    assert start == pytest.approx(total)


def test_compiled_and_not_are_alike(monkeypatch):
    pytest.importorskip("numba", reason="needs numba: pip install 'stakes[fast]'")
    rng = np.random.default_rng(0)
    values, costs = rng.dirichlet(np.ones(4), 300), rng.random((4, 5))
    paid = costs[rng.integers(0, 4, 300)]
    found = {}
    for wish in "01":
        monkeypatch.setenv("STAKES_FAST", wish)
        found[wish] = least_cost_weights(values, compared(costs), paid, 2)
    np.testing.assert_allclose(found["0"][0], found["1"][0])
    assert found["0"][1] == found["1"][1]


def test_blocks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    fixed, slope, cost = rng.random((3, 50, 4))
    whole = _envelope_events(fixed, slope, cost)
    monkeypatch.setattr(class_weights, "_BLOCK", 7)
    parts = _envelope_events(fixed, slope, cost)
    for one, other in zip(whole[:2], parts[:2], strict=True):
        np.testing.assert_allclose(np.sort(one), np.sort(other), rtol=0, atol=0)
    assert parts[2] == pytest.approx(whole[2])


def test_two_classes_against_all_thresholds():
    rng = np.random.default_rng(0)
    share = rng.random(40)
    y = (rng.random(40) < share**2).astype(int)
    costs = np.array([[0.0, 1.0], [3.0, 0.0]])
    paid = costs[y]
    values = np.column_stack([1 - share, share])
    weights, _ = least_cost_weights(values, compared(costs), paid, 3)
    taken = ((values * weights) @ costs).argmin(axis=1)
    least = min(paid[np.arange(40), (share > cut).astype(int)].sum() for cut in [-1.0, *share])
    assert paid[np.arange(40), taken].sum() == pytest.approx(least)


def test_the_best_of_a_sample_and_of_all_rows(monkeypatch):
    """With a sample of a few rows the result is never above a descent on all rows."""
    rng = np.random.default_rng(0)
    values = rng.dirichlet(np.ones(3), 60)
    costs = 1.0 - np.eye(3)
    paid = costs[rng.integers(0, 3, 60)]

    def reached(weights):
        return paid[np.arange(60), ((values * weights) @ costs).argmin(axis=1)].sum()

    alone, _ = least_cost_weights(values, compared(costs), paid, 0)
    monkeypatch.setattr(class_weights, "_SAMPLE", 30)
    found, _ = least_cost_weights(values, compared(costs), paid, 8)
    assert reached(found) <= reached(alone) <= reached(np.ones(3))
