"""log(1 + exp(z)) summed in blocks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels.roc_hull import softplus, softplus_sum

values = st.lists(st.floats(-800, 800), max_size=40).map(lambda v: np.array(v, dtype=float))


@given(values, st.sampled_from([-1.0, 1.0]), st.floats(-5, 5))
def test_sum_against_logaddexp(scores, sign, shift):
    expected = np.logaddexp(0, sign * scores + shift).sum()
    np.testing.assert_allclose(softplus_sum(scores, sign, shift, None), expected, rtol=1e-12)


def test_counts_weight_each_score():
    scores, counts = np.array([-1.0, 2.0]), np.array([3, 1])
    expected = 3 * np.logaddexp(0, 1.0) + np.logaddexp(0, -2.0)
    np.testing.assert_allclose(softplus_sum(scores, -1.0, 0.0, counts), expected)


def test_infinite_scores_cost_nothing_or_everything():
    assert softplus(np.array([-np.inf, 0.0, np.inf])).tolist() == [0.0, np.log(2), np.inf]


def test_blocks_do_not_change_the_sum():
    scores = np.linspace(-3, 3, 70_001)
    np.testing.assert_allclose(
        softplus_sum(scores, 1.0, 0.0, None), np.logaddexp(0, scores).sum(), rtol=1e-12
    )
