import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.calibration.measures.reliability_table import Look, _furthest, equal_mass


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_whole_weights_are_repetitions(seed, groups):
    rng = np.random.default_rng(seed)
    said, times = rng.integers(0, 9, 30) / 10, rng.integers(1, 5, 30)
    weighted = equal_mass(said, times.astype(float), groups)
    repeated = equal_mass(np.repeat(said, times), np.ones(times.sum()), groups)
    np.testing.assert_array_equal(np.repeat(weighted, times), repeated)


def test_forecasts_that_differ_make_groups_of_equal_size():
    said = np.random.default_rng(0).permutation(120) / 120
    member = equal_mass(said, np.ones(120), 8)
    np.testing.assert_array_equal(member, (said * 120).round().astype(int) // 15)


def test_equal_forecasts_stay_together():
    said = np.repeat([0.1, 0.5, 0.9], [50, 1, 49])
    assert equal_mass(said, np.ones(100), 2).tolist() == [0] * 50 + [1] * 50


def test_a_rarer_forecast_between_others_is_looked_at_by_itself():
    """Three of a hundred say 50 %, and it never happens to them; the others are right."""
    said = np.repeat([0.0, 0.5, 1.0], [2000, 120, 1880])
    found, enough = _furthest(said, said == 1.0, np.ones(4000), None)
    assert enough
    assert found == Look(0.5, 0.0, 120)


@pytest.mark.parametrize("weight", [0.001, 1.0, 50.0])
def test_only_the_proportions_of_weights_matter(weight):
    said = np.full(9, 0.5)
    assert _furthest(said, np.ones(9, bool), np.full(9, weight), None) == (None, False)
    said = np.full(40, 0.5)
    found, _ = _furthest(said, np.ones(40, bool), np.full(40, weight), None)
    assert found == pytest.approx((0.5, 1.0, 40))


def test_cases_are_rows_that_count_whatever_they_weigh():
    weights = np.r_[np.full(40, 3.0), np.zeros(20)]
    found, _ = _furthest(np.full(60, 0.5), np.ones(60, bool), weights, None)
    assert found == Look(0.5, 1.0, 40)
