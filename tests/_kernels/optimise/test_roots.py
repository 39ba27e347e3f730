from __future__ import annotations

import numpy as np
import pytest

from stakes._kernels.optimise.newton import bracketed_roots


def test_many_roots_at_once_against_their_formula() -> None:
    targets = np.array([0.1, 1.0, 8.0, 1e6])
    roots = bracketed_roots(lambda x: x**3 - targets, np.zeros(4), np.full(4, 1000.0))
    assert roots == pytest.approx(np.cbrt(targets), abs=1e-8)


def test_decreasing_function_and_bracket_without_change_of_sign() -> None:
    roots = bracketed_roots(
        lambda x: np.array([1.0, 5.0]) - x, np.zeros(2), np.full(2, 3.0), tolerance=1e-12
    )
    assert roots == pytest.approx([1.0, 3.0])
