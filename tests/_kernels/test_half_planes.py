"""Vectors in a half-plane, or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels.rankings import balance, common_arc, triple_around_zero

angles = st.lists(st.floats(0, 6.28), min_size=1, max_size=12).map(np.array)


@given(angles)
def test_common_arc_against_every_direction(found: np.ndarray) -> None:
    middle, width = common_arc(found)
    grid = np.linspace(0, 2 * np.pi, 3601)
    positive = (np.cos(grid[:, None] - found) > 1e-3).all(axis=1)
    if width > 0.01:
        assert positive.any()
        assert (np.cos(middle - found) > 0).all()
    if width < -0.01:
        assert not positive.any()


def test_arc_by_hand() -> None:
    middle, width = common_arc(np.array([0.0, np.pi / 2]))
    assert middle == pytest.approx(np.pi / 4)
    assert width == pytest.approx(np.pi / 2)
    assert common_arc(np.array([0.0, 2.2, 4.3]))[1] < 0
    assert common_arc(np.array([1.0]))[1] == pytest.approx(np.pi)


@given(st.lists(st.floats(0, 6.28), min_size=3, max_size=40), st.integers(0, 100))
def test_triple_cancels_with_weights_that_are_not_negative(found: list, seed: int) -> None:
    turns = np.array(found)
    margins = np.random.default_rng(seed).random(turns.size) + 0.1
    triple = triple_around_zero(turns, margins)
    if common_arc(turns)[1] < -0.01:
        assert triple is not None
    if triple is None:
        return
    chosen = np.array(sorted(triple, key=lambda k: turns[k] % (2 * np.pi)))
    vectors = np.stack([np.cos(turns[chosen]), np.sin(turns[chosen])], axis=1)
    weights = balance(vectors)
    assert (weights >= -1e-9).all()
    np.testing.assert_allclose(weights @ vectors, 0, atol=1e-9)


def test_the_larger_margins_are_preferred() -> None:
    turns = np.array([0.0, 2.1, 4.2, 0.01, 2.11, 4.21])
    margins = np.array([0.1, 0.1, 0.1, 1.0, 1.0, 1.0])
    assert sorted(triple_around_zero(turns, margins)) == [3, 4, 5]
