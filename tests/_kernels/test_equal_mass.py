import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels.isotonic_blocks import equal_mass_cuts, half_way


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_cuts_without_heavy_ties_are_the_nearest(seed, bins):
    """Levels lighter than a share: every share has its nearest cut, at most half a level away."""
    rng = np.random.default_rng(seed)
    mass = rng.integers(1, 4, 5 * bins).astype(float)  # a share is 5 at least
    cuts = equal_mass_cuts(mass, bins)
    below = np.cumsum(mass)
    assert len(cuts) == bins - 1
    for j, cut in enumerate(cuts, start=1):
        gaps = np.abs(below[:-1] - j * below[-1] / bins)
        assert gaps[cut - 1] == pytest.approx(gaps.min())


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(0, 6))
def test_from_the_other_end_the_cuts_are_the_same(mass, half):
    mass = np.array(mass, dtype=float)
    cuts = equal_mass_cuts(mass, 2 * half + 1)
    mirror = len(mass) - equal_mass_cuts(mass[::-1], 2 * half + 1)[::-1]
    assert cuts.tolist() == mirror.tolist()
    assert len(np.unique(cuts)) == len(cuts) <= 2 * half
    assert ((cuts > 0) & (cuts < len(mass))).all()


def test_edges_part_neighbours_whatever_they_are():
    places = np.array([-np.inf, -1e100, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1e100, np.inf])
    edges = half_way(places, np.arange(1, len(places)))
    assert ((places[:-1] < edges) & (edges <= places[1:])).all()
    assert np.isfinite(edges).all()
    assert half_way(np.array([1.0, 4.0]), np.array([1])).tolist() == [2.5]
