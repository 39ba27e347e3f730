"""Numbers that are not known exactly."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.application import (
    Alternatives,
    BetaShare,
    Between,
    DirichletShares,
    LogUniform,
    Samples,
    Unknown,
)
from stakes.exceptions import CostError, PriorError

POSITIVE = st.floats(1e-3, 1e3)
EXAMPLES = [
    Between(5, 20),
    Between(-20, -5),
    Between(-1, 3),
    Between(4, 4),
    LogUniform(0.5, 8),
    BetaShare(2, 5),
    Alternatives([1, 5, 9], [0.2, 0.3, 0.5]),
    Samples([1.0, 2.0, 6.0]),
]


@pytest.mark.parametrize("unknown", EXAMPLES, ids=repr)
def test_draws_lie_between_the_ends_and_average_to_the_mean(unknown):
    assert isinstance(unknown, Unknown)
    draws = unknown.sample(20_000, np.random.default_rng(0))
    assert draws.min() >= unknown.low - 1e-12
    assert draws.max() <= unknown.high + 1e-12
    error = draws.std() / math.sqrt(draws.size)
    assert abs(draws.mean() - unknown.mean) <= 4.5 * error + 1e-12


@given(POSITIVE, POSITIVE)
def test_log_uniform_mean_in_closed_form(a, b):
    """The mean of exp(U) with U uniform is (b - a) / (log b - log a)."""
    low, high = sorted((a, b))
    if high / low > 1 + 1e-6:
        expected = (high - low) / (math.log(high) - math.log(low))
        assert LogUniform(low, high).mean == pytest.approx(expected, rel=1e-8)
        assert Between(low, high).mean == pytest.approx(expected, rel=1e-8)
        assert Between(-high, -low).mean == pytest.approx(-expected, rel=1e-8)


@given(POSITIVE)
def test_a_range_of_width_zero_is_its_value(value):
    assert Between(value, value).mean == value
    assert LogUniform(value, value).mean == value


def test_dirichlet_draws_are_shares():
    draws = DirichletShares([3, 2, 1]).sample(50, np.random.default_rng(1))
    assert draws.shape == (50, 3)
    assert np.allclose(draws.sum(axis=1), 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Between(3, 2),
        lambda: Between(0, math.inf),
        lambda: LogUniform(0, 1),
        lambda: BetaShare(0, 1),
        lambda: Alternatives([]),
        lambda: Samples([[1.0]]),
        lambda: Samples([np.nan]),
        lambda: DirichletShares([1, 0]),
    ],
)
def test_impossible_ones_are_refused(make):
    with pytest.raises(CostError):
        make()


def test_probabilities_that_do_not_add_to_one():
    with pytest.raises(PriorError, match="`probabilities` must add to 1"):
        Alternatives([1, 2], [0.5, 0.6])
