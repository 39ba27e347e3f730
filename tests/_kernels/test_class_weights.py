import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels.class_weights import best_weight, envelope_events


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 12))
def test_best_weight_against_a_dense_scan(seed, decisions, count):
    rng = np.random.default_rng(seed)
    fixed, slope, cost = rng.random((3, count, decisions)).round(2)
    weight, least = best_weight(fixed, slope, cost, 1.0)
    places, _, _ = envelope_events(fixed, slope, cost)
    edges = np.unique(np.concatenate([[0.0], places, [places.max(initial=0.0) + 1.0]]))
    scan = np.concatenate([(edges[1:] + edges[:-1]) / 2, [edges[-1] + 1.0]])
    totals = [cost[np.arange(count), (fixed + w * slope).argmin(axis=1)].sum() for w in scan]
    assert least <= min(totals) + 1e-9
    reached = cost[np.arange(count), (fixed + weight * slope).argmin(axis=1)].sum()
    assert reached == pytest.approx(least)
