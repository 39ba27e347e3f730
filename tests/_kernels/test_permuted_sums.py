"""Chances of a change if nothing changed: against enumeration, and at the level they state."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels.permutation import permuted_sums

COUNTS = st.lists(st.integers(0, 12), min_size=6, max_size=6)
COSTS = np.array([[[0.0, 1.0, 4.0]]])


def _enumerated(first, second, weights):
    """Two-sided mid-probability by listing every way to draw the second sample."""
    both, n = first + second, int(second.sum())
    found = (weights * second).sum()
    below = at = above = 0
    for drawn in product(*(range(int(c) + 1) for c in both)):
        if sum(drawn) != n:
            continue
        ways = np.prod([comb(int(c), d) for c, d in zip(both, drawn, strict=True)], dtype=float)
        value = float((weights * np.array(drawn)).sum())
        if abs(value - found) < 1e-9:
            at += ways
        elif value > found:
            above += ways
        else:
            below += ways
    total = below + at + above
    return 2 * min(above + at / 2, below + at / 2) / total, 2 * min(above + at, below + at) / total


@given(COUNTS)
def test_against_enumeration(counts):
    first, second = np.array(counts[:3], float), np.array(counts[3:], float)
    if min(first.sum(), second.sum()) < 4:
        first, second = first + 2, second + 2
    middle, whole = _enumerated(first, second, COSTS.ravel())
    p = permuted_sums(first[None, None], second[None, None], COSTS)[0]
    # The approximation knows no steps: it lies about the middle of the one at which we stand.
    step = whole - middle
    assert middle - 1.2 * step - 0.03 <= p <= whole + 0.2 * step + 0.03


@pytest.mark.parametrize(
    ("x", "n", "y", "m"), [(12, 1000, 30, 5000), (40, 100, 20, 100), (60, 2000, 100, 10**5)]
)
def test_two_cells_against_the_hypergeometric_distribution(x, n, y, m):
    from scipy.stats import hypergeom

    p = permuted_sums(
        np.array([[[m - y, y]]], float), np.array([[[n - x, x]]], float), np.array([[[0.0, 1.0]]])
    )[0]
    exact = hypergeom(n + m, x + y, n)
    middle = 2 * (exact.sf(x) + exact.pmf(x) / 2)
    assert p == pytest.approx(middle, rel=0.12)


def test_an_outcome_at_the_end_gets_its_own_probability():
    # No event among 1000 of 6000 cases with 30 events: hypergeometric, both sides doubled.
    from scipy.stats import hypergeom

    p = permuted_sums(np.array([[[4970.0, 30]]]), np.array([[[1000.0, 0]]]), np.array([[[0.0, 1]]]))
    assert p[0] == pytest.approx(2 * hypergeom(6000, 30, 1000).pmf(0), rel=0.02)


def test_far_tail_keeps_its_relative_error():
    from scipy.stats import hypergeom

    x, n, y, m = 60, 1000, 100, 10_000
    p = permuted_sums(
        np.array([[[m - y, y]]], float), np.array([[[n - x, x]]], float), np.array([[[0.0, 1.0]]])
    )[0]
    exact = hypergeom(n + m, x + y, n)
    assert exact.sf(x - 1) < 1e-15
    assert exact.sf(x) / 1.5 < p / 2 < exact.sf(x - 1) * 1.5


@given(COUNTS)
def test_swapping_the_samples_changes_nothing(counts):
    first, second = (np.array(part, float)[None, None] + 1 for part in (counts[:3], counts[3:]))
    there, back = permuted_sums(first, second, COSTS), permuted_sums(second, first, COSTS)
    np.testing.assert_allclose(there, back, rtol=1e-6)


@given(COUNTS, st.floats(0.01, 100), st.floats(-50, 50))
def test_unit_and_offset_of_the_costs_change_nothing(counts, factor, offset):
    first, second = (np.array(part, float)[None, None] + 1 for part in (counts[:3], counts[3:]))
    p = permuted_sums(first, second, COSTS)
    np.testing.assert_allclose(permuted_sums(first, second, factor * COSTS + offset), p, rtol=1e-5)


def test_equal_samples_and_equal_costs_tell_nothing():
    cells = np.array([[[50.0, 3, 2]]])
    assert permuted_sums(cells, cells, COSTS)[0] == 1
    assert permuted_sums(cells, 2 * cells[:, :, ::-1], np.ones((1, 1, 3)))[0] == 1


@pytest.mark.parametrize("by_class", [False, True])
def test_false_alarms_happen_as_often_as_stated(by_class):
    rng = np.random.default_rng(0)
    shares = np.array([0.98 * 0.98, 0.98 * 0.02, 0.02 * 0.3, 0.02 * 0.7])  # six misses expected
    runs = 6000
    first = rng.multinomial(50_000, shares, size=runs).astype(float)
    second = rng.multinomial(1000, shares, size=runs).astype(float)
    costs = np.array([0.0, 1, 10, 0])
    if by_class:
        shape = (runs, 2, 2)
        weights = (costs.reshape(2, 2) * np.array([[0.98], [0.02]]))[None]
    else:
        shape, weights = (runs, 1, 4), costs[None, None]
    p = permuted_sums(first.reshape(shape), second.reshape(shape), weights)
    for alpha in (0.05, 0.01):
        spread = np.sqrt(alpha * (1 - alpha) / runs)
        assert abs((p <= alpha).mean() - alpha) < 4 * spread
    assert (p <= 0.001).mean() < 0.0026  # 0.001 plus four standard errors
