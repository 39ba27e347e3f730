"""Weighted accuracy over ranges and distributions of the weight."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import ConfusionMatrix
from stakes.application import Alternatives, BetaShare, Between, LogUniform, Samples
from stakes.exceptions import CostError
from stakes.metrics import (
    expected_weighted_accuracy,
    mean_weighted_accuracy,
    weighted_accuracy,
)

MATRIX = ConfusionMatrix([[50, 30], [5, 15]])
EXTREMES = [
    ConfusionMatrix([[50, 30], [5, 15]]),
    ConfusionMatrix([[10**6, 3], [1, 2]]),
    ConfusionMatrix([[2, 1], [10**6, 77]]),
    ConfusionMatrix([[40, 10], [20, 30]]),  # equal classes: a constant denominator
    ConfusionMatrix([[50_000, 1], [1, 49_999]]),
]
RANGES = [(0.0, 1.0), (0.2, 0.3), (1e-6, 1.0), (0.919, 0.927), (0.999999, 1.0), (1e-9, 1e-6)]


@pytest.mark.parametrize("matrix", EXTREMES)
@pytest.mark.parametrize("ends", RANGES)
def test_ranges_against_mpmath(matrix, ends):
    mpmath = pytest.importorskip("mpmath", reason="the reference integral")
    low, high = (mpmath.mpf(end) for end in ends)
    (tn, fp), (fn, tp) = matrix.counts.tolist()
    with mpmath.workdps(40):

        def wa(w):
            return (w * tp + (1 - w) * tn) / (w * (tp + fn) + (1 - w) * (tn + fp))

        if ends[0] > 0:  # a range of one sign is uniform in its logarithm
            cuts = mpmath.linspace(mpmath.log(low), mpmath.log(high), 40)
            exact = mpmath.quad(lambda t: wa(mpmath.exp(t)), cuts) / mpmath.log(high / low)
        else:
            steps = [low, high / 1000, high / 100, high / 10, high / 2, high * 0.9, high * 0.99]
            steps += [high * (1 - mpmath.mpf(10) ** -k) for k in range(3, 9)] + [high]
            exact = mpmath.quad(wa, steps) / (high - low)
    assert mean_weighted_accuracy(matrix, Between(*ends)) == pytest.approx(float(exact), rel=1e-9)


@given(st.floats(0.01, 0.9), st.floats(1.01, 3))
def test_a_range_lies_between_its_ends(low, factor):
    high = min(low * factor, 1.0)
    ends = sorted(weighted_accuracy(MATRIX, w) for w in (low, high))
    found = mean_weighted_accuracy(MATRIX, Between(low, high))
    assert ends[0] - 1e-12 <= found <= ends[1] + 1e-12
    assert mean_weighted_accuracy(MATRIX, LogUniform(low, high)) == pytest.approx(found)


def test_a_narrow_range_is_its_middle():
    """Section 3.2: for the elicited .919 to .927 the mean is WA at the midpoint."""
    assert mean_weighted_accuracy(MATRIX, Between(0.919, 0.927)) == pytest.approx(
        weighted_accuracy(MATRIX, 0.923), abs=1e-4
    )
    assert mean_weighted_accuracy(MATRIX, Between(0.9, 0.9)) == weighted_accuracy(MATRIX, 0.9)


def test_alternatives_samples_and_betas():
    values, shares = [0.5, 0.9], [0.25, 0.75]
    expected = sum(p * weighted_accuracy(MATRIX, w) for w, p in zip(values, shares, strict=True))
    assert mean_weighted_accuracy(MATRIX, Alternatives(values, shares)) == pytest.approx(expected)
    draws = np.random.default_rng(0).beta(9, 1, 200_000)
    by_beta = mean_weighted_accuracy(MATRIX, BetaShare(9, 1))
    assert by_beta == expected_weighted_accuracy(MATRIX, alpha=9, beta=1)
    assert mean_weighted_accuracy(MATRIX, Samples(draws)) == pytest.approx(by_beta, abs=1e-3)


def test_one_class_alone():
    negatives = ConfusionMatrix([[3, 1], [0, 0]])
    assert mean_weighted_accuracy(negatives, Between(0.2, 0.4)) == pytest.approx(0.75)
    assert math.isnan(mean_weighted_accuracy(ConfusionMatrix([[0, 0], [0, 0]]), Between(0.2, 0.4)))


@pytest.mark.parametrize("weight", [0.5, Between(0.5, 1.5), "high"])
def test_refused_weights(weight):
    with pytest.raises(CostError, match="`weight` must"):
        mean_weighted_accuracy(MATRIX, weight)
