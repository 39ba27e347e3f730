import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

from stakes._kernels.optimise.newton import most_likely_shares


def shares_of(ratios, start=None):
    start = np.full(ratios.shape[1], 1 / ratios.shape[1]) if start is None else start
    return most_likely_shares(ratios, start, tolerance=1e-9, max_iterations=1000)


@pytest.mark.parametrize("spread", [0.02, 0.05, 0.3, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_two_components_against_the_root_of_the_slope(spread, seed):
    rng = np.random.default_rng(seed)
    second = 1 / (1 + np.exp(-spread * rng.normal(size=2000)))
    gap = 2 * second - 1

    def slope(share):
        return float((gap / (1 - second + share * gap)).sum())

    witness = 0.0 if slope(0.0) <= 0 else 1.0 if slope(1.0) >= 0 else brentq(slope, 0, 1)
    found, steps = shares_of(np.column_stack([1 - second, second]))
    assert found[1] == pytest.approx(witness, abs=1e-7)
    assert steps < 50


@given(st.integers(0, 10**6), st.integers(2, 6))
def test_no_component_would_raise_the_likelihood(seed, size):
    """Concave: no more than n (greatest mean slope - 1) of log-likelihood is missing."""
    rng = np.random.default_rng(seed)
    ratios = np.exp(rng.normal(scale=rng.choice([0.01, 0.3, 5.0]), size=(40, size)))
    found, _ = shares_of(ratios, rng.dirichlet(np.ones(size)) * 0.9 + 0.1 / size)
    slope = (ratios / (ratios @ found)[:, None]).sum(axis=0)
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0)
    assert slope.max() - 40 < 1e-7


def test_against_scipy():
    ratios = np.exp(np.random.default_rng(0).normal(scale=0.5, size=(300, 4)))
    witness = minimize(
        lambda s: -np.log(ratios @ s).sum(),
        np.full(4, 0.25),
        jac=lambda s: -(ratios / (ratios @ s)[:, None]).sum(axis=0),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda s: s.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(shares_of(ratios)[0], witness.x, atol=1e-5)


def test_many_components():
    """Told apart well, by EM; hardly, by Newton's method after it."""
    rng = np.random.default_rng(0)
    for scale in (5.0, 0.3):
        ratios = np.exp(rng.normal(scale=scale, size=(500, 70)))
        found, _ = shares_of(ratios)
        assert (ratios / (ratios @ found)[:, None]).sum(axis=0).max() - 500 < 1e-7


def test_rows_that_are_certain_are_counted():
    ratios = np.repeat(np.eye(3), [50, 30, 20], axis=0)
    np.testing.assert_allclose(shares_of(ratios)[0], [0.5, 0.3, 0.2], atol=1e-9)


def test_components_that_are_alike_share_as_at_the_start():
    ratios = np.repeat([[2.0, 2.0, 0.5], [0.5, 0.5, 2.0]], [40, 60], axis=0)
    found, _ = shares_of(ratios, np.array([0.1, 0.3, 0.6]))
    assert found[0] / found[1] == pytest.approx(1 / 3, rel=1e-3)
    assert found[2] == pytest.approx((0.6 * 2.5 - 0.5) / 1.5)  # root of the slope by hand


def test_too_few_steps_are_told():
    ratios = np.repeat([[0.6, 0.4], [0.4, 0.6]], [9, 1], axis=0)
    assert most_likely_shares(ratios, np.full(2, 0.5), tolerance=1e-9, max_iterations=2)[1] == 3
