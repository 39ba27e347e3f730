"""The stratified score interval against its famous special cases and a direct search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom, pearson3

from stakes._kernels.interval_ends import normal_quantile, wilson
from stakes._kernels.score_test_limits import (
    _constrained_shares,
    ratio_limits,
    score_limits,
    score_statistic,
)

Z = normal_quantile(0.95)


def one(counts: list[list[float]], weights: list[list[float]]) -> tuple[float, float]:
    low, high = score_limits(np.array([counts], float), np.array([weights], float), Z)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize(("hits", "cases"), [(0, 10), (3, 10), (10, 10), (50, 1000), (1, 10**5)])
def test_one_rate_is_wilson(hits: int, cases: int) -> None:
    expected = tuple(float(end) for end in wilson(hits / cases, cases, Z))
    assert one([[cases - hits, hits]], [[0.0, 1.0]]) == pytest.approx(expected, abs=1e-9)


def test_paired_rates_against_the_closed_form_of_tango_1998() -> None:
    # Tango 1998, section 3: likeliest share of one kind of disagreement under difference delta,
    # p21 = (sqrt(B^2 - 4AC) - B) / 2A; here 44 pairs of which one disagrees.
    low, high = one([[0.0, 43.0, 1.0]], [[-1.0, 0.0, 1.0]])
    for delta in (low, high):
        n, b, c = 44, 1, 0
        A, B, C = 2 * n, -b - c + (2 * n - b + c) * delta, -c * delta * (1 - delta)
        p21 = (np.sqrt(B**2 - 4 * A * C) - B) / (2 * A)
        assert abs(b - c - n * delta) / np.sqrt(n * (2 * p21 + delta * (1 - delta))) == (
            pytest.approx(Z, abs=1e-6)
        )


def test_two_strata_are_miettinen_and_nurminen() -> None:
    counts, weights = [[7.0, 3.0], [2.0, 8.0]], [[0.0, 1.0], [0.0, -1.0]]

    def statistic(delta: float) -> float:
        def minus_likelihood(p2: float) -> float:
            p1 = p2 + delta
            if not (0 < p1 < 1 and 0 < p2 < 1):
                return 1e9
            return -(3 * np.log(p1) + 7 * np.log(1 - p1) + 8 * np.log(p2) + 2 * np.log(1 - p2))

        p2 = minimize_scalar(
            minus_likelihood,
            bounds=(max(0, -delta), min(1, 1 - delta)),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        p1 = p2 + delta
        return abs(0.3 - 0.8 - delta) / np.sqrt((p1 * (1 - p1) + p2 * (1 - p2)) / 10)

    for limit in one(counts, weights):
        assert statistic(limit) == pytest.approx(Z, abs=1e-4)


@given(
    st.lists(st.integers(0, 30), min_size=3, max_size=5).filter(lambda c: sum(c) > 0),
    st.floats(0.1, 100.0),
    st.floats(-5.0, 5.0),
)
def test_scaling_and_moving_the_costs_scales_and_moves_the_limits(
    counts: list[int], factor: float, shift: float
) -> None:
    weights = np.arange(len(counts), dtype=float) ** 2
    low, high = one([counts], [weights.tolist()])
    moved = one([counts], [(factor * weights + shift).tolist()])
    assert moved == pytest.approx((factor * low + shift, factor * high + shift), abs=1e-6 * factor)
    value = float(np.dot(counts, weights)) / sum(counts)
    assert low - 1e-9 <= value <= high + 1e-9


def test_costs_that_do_not_differ_have_no_uncertainty() -> None:
    assert one([[3.0, 4.0]], [[2.0, 2.0]]) == (2.0, 2.0)


def test_cell_never_seen_counts_when_it_is_the_dearest() -> None:
    without = one([[20.0, 5.0]], [[0.0, 1.0]])
    beside = one([[20.0, 5.0, 0.0]], [[0.0, 1.0, 100.0]])
    inside = one([[20.0, 5.0, 0.0]], [[0.0, 1.0, 0.5]])
    assert beside[1] > 10 * without[1]
    assert inside == pytest.approx(without, abs=1e-9)


def test_shares_add_to_one_and_hold_theta() -> None:
    counts = np.array([[[5.0, 0.0, 3.0], [0.0, 0.0, 9.0]]])
    weights = np.array([[[0.0, 1.0, 4.0], [2.0, 7.0, 0.0]]])
    for multiplier in (-50.0, -1.0, 0.0, 3.0, 400.0):
        shares = _constrained_shares(counts, weights, np.array([multiplier]))
        assert shares.sum(axis=2) == pytest.approx(np.ones((1, 2)))
        assert (shares >= 0).all()


def test_statistic_is_z_at_the_limits() -> None:
    counts, weights = np.array([[[40.0, 6.0], [3.0, 17.0]]]), np.array([[[0.0, 1.0], [5.0, 0.0]]])
    for limit in score_limits(counts, weights, Z):
        moved = weights - limit[:, None, None] / 2  # two strata: each takes half of the limit
        assert abs(score_statistic(counts, moved)[0]) == pytest.approx(Z, abs=1e-5)


def rare(seen: int, cases: int, skewed: bool) -> tuple[float, float]:
    counts, weights = np.array([[[cases - seen, seen]]], float), np.array([[[0.0, 1.0]]])
    low, high = score_limits(counts, weights, Z, skewed=skewed)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize(("seen", "cases"), [(0, 300), (1, 300), (4, 300), (295, 300), (3, 10)])
def test_skewed_limits_against_the_gamma_distribution(seen: int, cases: int) -> None:
    low, high = rare(seen, cases, skewed=True)
    for limit, side in ((low, 1.0), (high, -1.0)):
        if not 0 < limit < 1:
            continue
        spread = np.sqrt(limit * (1 - limit) / cases)
        skewness = side * (1 - 2 * limit) / np.sqrt(limit * (1 - limit) * cases)
        tail = pearson3.sf(side * (seen / cases - limit) / spread, skewness)
        # the cube root of Wilson and Hilferty is less exact where the skewness is above 2
        assert tail == pytest.approx(0.025, rel=0.06 if abs(skewness) < 2 else 0.4)


def test_skewed_limits_hold_rare_rates_more_often() -> None:
    """Coverage by summing the binomial distribution, for 0.05 to 8 expected events."""
    shares = np.geomspace(0.05, 8, 400) / 200
    worst = []
    for skewed in (False, True):
        ends = np.array([rare(seen, 200, skewed) for seen in range(41)])
        chances = binom.pmf(np.arange(41)[:, None], 200, shares)
        inside = (ends[:, :1] <= shares) & (shares <= ends[:, 1:])
        worst.append((chances * inside).sum(axis=0).min())
    assert worst[0] < 0.85
    assert worst[1] > 0.89


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(-4, 4)), min_size=2, max_size=6))
def test_skewed_limits_mirror_each_other(cells: list[tuple[int, int]]) -> None:
    counts = np.array([[[float(n) for n, _ in cells]]])
    weights = np.array([[[float(w) for _, w in cells]]])
    if counts.sum() == 0:
        return
    low, high = score_limits(counts, weights, Z, skewed=True)
    turned = score_limits(counts, -weights, Z, skewed=True)
    assert (-turned[1], -turned[0]) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
    assert low[0] - 1e-9 <= (counts * weights).sum() / counts.sum() <= high[0] + 1e-9


def test_ratio_limits_are_where_the_difference_from_zero_is_just_found() -> None:
    counts = np.array([[[90.0, 8.0, 3.0, 9.0]]])
    top, bottom = np.array([[[0.0, 1.0, 10.0, 0.0]]]), np.array([[[0.0, 0.0, 10.0, 10.0]]])
    low, high = ratio_limits(counts, top, bottom, Z)
    assert low[0] < (8 + 30) / 120 < high[0]
    for limit in (low, high):
        gap = score_statistic(counts, top - limit[:, None, None] * bottom)
        assert abs(gap[0]) == pytest.approx(Z, abs=1e-4)


def test_ratio_to_a_constant_is_a_plain_limit() -> None:
    counts, top = np.array([[[90.0, 10.0]]]), np.array([[[0.0, 1.0]]])
    found = ratio_limits(counts, top, np.full((1, 1, 2), 4.0), Z)
    plain = score_limits(counts, top, Z)
    assert np.array(found) == pytest.approx(np.array(plain) / 4, abs=1e-6)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(-4, 4)), min_size=2, max_size=7),
)
def test_one_stratum_beside_one_that_cannot_matter(cells: list[tuple[int, int]]) -> None:
    """One stratum is solved by itself; a second one of constant weight 0 takes the general way."""
    counts = np.array([[[float(n) for n, _ in cells]]])
    weights = np.array([[[float(w) for _, w in cells]]])
    if counts.sum() == 0 or np.ptp(weights) == 0:
        return
    alone = float(score_statistic(counts, weights)[0])
    beside = np.zeros_like(counts)
    beside[0, 0, 0] = 7.0
    both = np.concatenate([counts, beside], axis=1), np.concatenate([weights, 0 * weights], axis=1)
    together = float(score_statistic(*both)[0])
    if abs(together) < 50:  # beyond that no shares come near to zero
        assert alone == pytest.approx(together, rel=1e-6, abs=1e-9)
    else:
        assert abs(alone) > 50


def test_an_empty_cell_takes_what_is_left() -> None:
    """Ten cases of cost 1 and none of -1: with a mean of zero, half of the cases are there."""
    gap = score_statistic(np.array([[[10.0, 0.0]]]), np.array([[[1.0, -1.0]]]))
    assert float(gap[0]) == pytest.approx(1 / np.sqrt(1 / 10))


@given(
    st.lists(st.integers(0, 400), min_size=4, max_size=4).filter(lambda n: n[2] + n[3] > 0),
    st.floats(0.01, 100),
)
def test_ratios_that_no_shares_have_are_never_limits(cells: list[int], miss: float) -> None:
    """Costs 0, 1, `miss`, 0 over always deciding the first: neither sum can be below zero."""
    counts = np.array([[[float(n) for n in cells]]])
    top, bottom = np.array([[[0.0, 1.0, miss, 0.0]]]), np.array([[[0.0, 0.0, miss, miss]]])
    low, high = (float(end[0]) for end in ratio_limits(counts, top, bottom, Z))
    found = (cells[1] + miss * cells[2]) / (miss * (cells[2] + cells[3]))
    assert 0 <= low <= found * (1 + 1e-12) <= high * (1 + 1e-9)
    if cells[1] == cells[2] == 0:
        assert low == 0


@pytest.mark.parametrize("power", [-1000, -600, 500, 600, 1020])
def test_costs_as_large_or_small_as_doubles_go(power: int) -> None:
    # a power of two scales costs exactly, so limits scale exactly and ratios stay; in the suite
    # the warning of an overflow is an error
    counts = np.array([[[30.0, 10.0], [5.0, 55.0]]])
    top, bottom = np.array([[[0.0, 1.0], [2.0, 0.25]]]), np.array([[[0.5, 0.5], [1.0, 1.0]]])
    large, least = np.ldexp(top, power), np.ldexp(bottom, power)
    for end, usual in zip(
        score_limits(counts, large, Z), score_limits(counts, top, Z), strict=True
    ):
        assert end == np.ldexp(usual, power)
    wanted = ratio_limits(counts, top, bottom, Z)
    np.testing.assert_array_equal(ratio_limits(counts, large, least, Z), wanted)
    moved = top - np.array([[[0.3], [0.3]]])
    statistic = score_statistic(counts, np.ldexp(moved, power))
    assert statistic == score_statistic(counts, moved)


def test_costs_further_apart_than_a_double_can_say() -> None:
    counts, largest = np.array([[[30.0, 10.0]]]), np.finfo(float).max
    low, high = score_limits(counts, np.array([[[-largest, largest]]]), Z)
    ends = [float(end) for end in wilson(10 / 40, 40, Z)]
    assert float(low[0]) / largest == pytest.approx(2 * ends[0] - 1, abs=1e-9)
    assert float(high[0]) / largest == pytest.approx(2 * ends[1] - 1, abs=1e-9)


def test_a_cost_that_vanishes_beside_another_one() -> None:
    # the only cell below zero weighs 1e-308 of the other: no shares are as likely and come to zero
    found = score_statistic(np.array([[[10.0, 30.0]]]), np.array([[[1e300, -1e-8]]]))
    assert found > 1e3
