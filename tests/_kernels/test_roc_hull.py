"""The hull of cumulative counts: against isotonic regression and against all chords."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from stakes._kernels import roc_hull
from stakes._kernels.roc_hull import cumulative, hull_vertices

cells = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any), min_size=1, max_size=200
)


def pooled(negatives, positives):
    """Pool adjacent violators with exact fractions, one block at a time."""
    blocks = []
    for n, p in zip(negatives, positives, strict=True):
        blocks.append([n, p])
        while len(blocks) > 1 and Fraction(blocks[-2][1], sum(blocks[-2])) >= Fraction(
            blocks[-1][1], sum(blocks[-1])
        ):
            n, p = blocks.pop()
            blocks[-1][0] += n
            blocks[-1][1] += p
    return blocks


@given(cells)
def test_edges_of_the_hull_are_the_blocks_of_pav(counts):
    negatives, positives = np.array(counts).T
    x, y = cumulative(negatives), cumulative(positives)
    vertices = hull_vertices(x, y)
    found = np.stack([np.diff(x[vertices]), np.diff(y[vertices])], axis=1).tolist()
    assert found == pooled(negatives.tolist(), positives.tolist())


@given(cells)
def test_stack_and_passes_agree(counts):
    negatives, positives = np.array(counts).T
    x, y = cumulative(negatives), cumulative(positives)
    kept = np.empty(x.shape[0], dtype=np.intp)
    size = roc_hull.hull_loop(x, y, kept)
    assert kept[:size].tolist() == hull_vertices(x, y).tolist()


def test_against_scipy_isotonic_regression():
    rng = np.random.default_rng(0)
    y = rng.random(5000) < np.linspace(0, 1, 5000) ** 2
    x0, x1 = cumulative((~y).astype(int)), cumulative(y.astype(int))
    vertices = hull_vertices(x0, x1)
    rate = np.diff(x1[vertices]) / np.diff(vertices)
    fitted = np.repeat(rate, np.diff(vertices))
    np.testing.assert_allclose(fitted, isotonic_regression(y.astype(float)).x, atol=1e-12)


def test_convex_input_keeps_every_point():
    x, y = np.arange(1000), np.arange(1000) ** 2
    assert hull_vertices(x, y).tolist() == list(range(1000))


def test_totals_beyond_64_bit_products_are_compared_as_floats():
    x, y = np.array([0, 2**40, 2**41]), np.array([0, 2**39, 2**41])
    assert hull_vertices(x, y).tolist() == [0, 1, 2]
