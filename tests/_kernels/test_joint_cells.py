from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels import cell_counts as kernel


@given(st.integers(1, 4), st.integers(0, 60), st.booleans(), st.integers(0, 10**6))
def test_against_counting_tuples(columns: int, rows: int, weighted: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [3, 2, 4, 2][:columns]
    codes = [rng.integers(0, size, rows) for size in sizes]
    weights = rng.integers(1, 5, rows).astype(float) if weighted else None
    cells, counts = kernel.joint_cells(codes, sizes, weights)
    expected: Counter[tuple[int, ...]] = Counter()
    for k, row in enumerate(zip(*(c.tolist() for c in codes), strict=True)):
        expected[row] += 1 if weights is None else weights[k]
    found = {
        tuple(cell): count for cell, count in zip(cells.tolist(), counts.tolist(), strict=True)
    }
    assert found == expected
    assert cells.tolist() == sorted(cells.tolist())


def test_more_combinations_than_fit_into_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 3, 200) for _ in range(8)]
    plain = kernel.joint_cells(codes, [3] * 8, None)
    monkeypatch.setattr(kernel, "_LARGEST", 100)
    monkeypatch.setattr(kernel, "_TABLE", 50)
    packed = kernel.joint_cells(codes, [3] * 8, None)
    assert np.array_equal(plain[0], packed[0])
    assert np.array_equal(plain[1], packed[1])


def test_equal_rows_are_added_and_empty_ones_dropped() -> None:
    cells, counts = kernel.add_cells(
        np.array([[1, 0], [0, 1], [1, 0], [2, 2]]), np.array([1, 2, 3, 0])
    )
    assert cells.tolist() == [[0, 1], [1, 0]]
    assert counts.tolist() == [2, 4]
