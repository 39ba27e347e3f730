import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from stakes._kernels.isotonic_blocks import pav_blocks, venn_abers_upper

cases = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=40)


def tabulated(rows):
    scores = np.array([s for s, _ in rows], dtype=float)
    y = np.array([label for _, label in rows])
    places, inverse = np.unique(scores, return_inverse=True)
    totals = np.bincount(inverse).astype(float)
    return scores, y, places, totals, np.bincount(inverse, weights=y)


@given(cases, st.sampled_from([0.0, 1.0]), st.booleans())
def test_blocks_against_scipy(rows, misleading, weighted):
    scores, y, places, totals, positives = tabulated(rows)
    if y.all() or not y.any():
        return
    weights = np.ones(len(y)) if weighted else None
    blocks = pav_blocks(scores, y, weights, misleading=misleading)
    values = blocks.positives / (blocks.positives + blocks.negatives)
    heavy = np.concatenate([[misleading or 1e-12], totals, [misleading or 1e-12]])
    means = np.concatenate([[1.0], positives / totals, [0.0]])
    inner = slice(1, -1) if misleading else slice(None)
    if not misleading:
        heavy, means = heavy[1:-1], means[1:-1]
    expected = isotonic_regression(means, weights=heavy).x[inner]
    np.testing.assert_allclose(values[np.searchsorted(blocks.highest, places)], expected)


@given(cases)
def test_venn_abers_against_adding_each_case(rows):
    _, _, places, totals, positives = tabulated(rows)
    found = venn_abers_upper(positives, totals)
    for i in range(len(places)):
        more, heavier = positives.copy(), totals.copy()
        more[i] += 1
        heavier[i] += 1
        expected = isotonic_regression(more / heavier, weights=heavier).x[i]
        assert found[i] == pytest.approx(expected)
