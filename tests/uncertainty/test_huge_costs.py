"""Costs of any size: the same answers in another unit, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, PairedCounts
from stakes._kernels.permutation import paired_p_value
from stakes.uncertainty import compare, interval

COSTS = np.array([[0.0, 1.0], [3.7, 0.1]])
MATRIX = ConfusionMatrix([[190, 30], [15, 65]])
CELLS = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
PAIRED = PairedCounts(CELLS, [820, 60, 20, 10, 40, 50], ("a", "b"), (0, 1), (0, 1))
#: Powers of two, as large and small as costs may be.
UNITS = [2.0**1000, 2.0**700, 2.0**-700, 2.0**-1000]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
@pytest.mark.parametrize(
    "method", ["score", "normal", "percentile", "bca", "studentized", "posterior"]
)
def test_intervals(unit, priors, method):
    for metric, scale in (("expected_cost", unit), ("normalized_expected_cost", 1.0)):
        plain, other = (
            interval(MATRIX, metric, application=Application(COSTS * size, priors), method=method,
                     draws=200, rng=0)
            for size in (1.0, unit)
        )  # fmt: skip
        assert (other.low, other.high) == (plain.low * scale, plain.high * scale)
        assert other.low < other.value < other.high


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
@pytest.mark.parametrize("method", ["posterior", "score"])
def test_comparisons(unit, priors, method):
    for normalized in (False, True):
        scale = 1.0 if normalized else unit
        plain, other = (
            compare(PAIRED, Application(COSTS * size, priors), normalized=normalized, method=method,
                    draws=200, rng=0)
            for size in (1.0, unit)
        )  # fmt: skip
        one, two = plain.difference("a", "b"), other.difference("a", "b")
        assert (two.value, two.low, two.high) == tuple(
            scale * each for each in (one.value, one.low, one.high)
        )
        assert (two.p_value, two.cases_needed) == (one.p_value, one.cases_needed)
        assert np.array_equal(plain.probability_best, other.probability_best)
        assert 0 < one.p_value < 1


@pytest.mark.parametrize("sizes", [[2.0, 3.0], [2.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 17.0]])
def test_the_paired_test(sizes):
    wins, losses = np.array([9, 7] * 4)[: len(sizes)], np.array([4, 6] * 4)[: len(sizes)]
    found = [
        paired_p_value(wins, losses, np.array(sizes) * unit, draws=500,
                       rng=np.random.default_rng(0))
        for unit in (1.0, *UNITS)
    ]  # fmt: skip
    assert found[1:] == found[:1] * len(UNITS)
