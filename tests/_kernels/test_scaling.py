"""Huge and tiny numbers are brought to an ordinary size without rounding."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes._kernels.fast_loops import ordinary_scale


@pytest.mark.parametrize("largest", [1.0, -3.7, 1e80, 1e-80, 0.0, math.inf, math.nan])
def test_ordinary_numbers_stay(largest):
    assert ordinary_scale(np.array([largest, 0.0])) == 1


@pytest.mark.parametrize("largest", [1e200, -1e200, 1.7e308, 1e-200, 5e-324])
def test_others_come_to_between_one_and_two(largest):
    numbers = np.array([largest, largest / 3, 0.0])
    scale = ordinary_scale(numbers)
    assert 1 <= abs(numbers[0] / scale) < 2
    assert math.frexp(scale)[0] == 0.5  # a power of two
    assert np.array_equal(numbers / scale * scale, numbers)


def test_the_largest_of_several_arrays_counts():
    assert ordinary_scale(np.array([1.0]), np.array([2.0**400])) == 2.0**400
    assert ordinary_scale(np.array([]), np.array([2.0**-400])) == 2.0**-400
    assert ordinary_scale() == 1
