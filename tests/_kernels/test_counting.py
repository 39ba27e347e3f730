"""Counting pairs: every path gives the counts of a plain two-dimensional histogram."""

import numpy as np
import pytest

from stakes._kernels.cell_counts import _PAIRED_ROWS, _count_loop, count_pairs, sum_weights


def drawn(rows, n_classes, n_decisions, kind):
    rng = np.random.default_rng(rows)
    return (rng.integers(0, size, rows).astype(kind) for size in (n_classes, n_decisions))


def histogram(truth, decisions, n_classes, n_decisions):
    return np.histogram2d(
        truth.astype(float),
        decisions.astype(float),
        bins=[np.arange(n_classes + 1) - 0.5, np.arange(n_decisions + 1) - 0.5],
    )[0]


@pytest.mark.parametrize("fast", ["0", "1"])
@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int64])
@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (16, 16), (20, 30)])
@pytest.mark.parametrize("rows", [0, 1, 40_001, 2 * _PAIRED_ROWS + 3])
def test_against_a_histogram(monkeypatch, fast, kind, shape, rows):
    monkeypatch.setenv("STAKES_FAST", fast)
    truth, decisions = drawn(rows, *shape, kind)
    np.testing.assert_array_equal(
        count_pairs(truth, decisions, *shape), histogram(truth, decisions, *shape)
    )


@pytest.mark.parametrize("fast", ["0", "1"])
@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int64])
@pytest.mark.parametrize("rows", [10, _PAIRED_ROWS + 1])
def test_a_code_out_of_range_is_noticed_in_the_last_row(monkeypatch, fast, kind, rows):
    monkeypatch.setenv("STAKES_FAST", fast)
    for size in (2, 3):
        for bad in (size, -1) if kind != np.uint8 else (size,):
            truth, decisions = drawn(rows, size, size, kind)
            truth[-1] = bad
            assert count_pairs(truth, decisions, size, size) is None
            assert count_pairs(decisions, truth, size, size) is None
            assert sum_weights(truth, decisions, np.ones(rows), size, size) is None


def test_the_loop_itself_is_plain_python():
    total = np.zeros((2, 3), dtype=np.int64)
    assert _count_loop(np.array([0, 1, 1]), np.array([2, 0, 0]), total)
    np.testing.assert_array_equal(total, [[0, 0, 1], [2, 0, 0]])
