"""Rank correlations against SciPy and against the published constants."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from stakes._kernels import rankings as kernels
from stakes.audit import rank_correlation, rank_correlations, weighted_spearman
from stakes.exceptions import DataError

# Means of the weighted correlation under random order: arXiv:2504.08428, additive weights, n0 = 2.
EXACT_MEANS = {3: -0.030276, 4: -0.054204, 5: -0.075843, 6: -0.095826, 7: -0.114362, 8: -0.131585}


def test_spearman_against_scipy() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        a, b = rng.normal(size=30).round(1), rng.normal(size=30).round(1)
        assert rank_correlation(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)


class TestWeighted:
    @pytest.mark.parametrize(("n", "mean"), EXACT_MEANS.items())
    def test_mean_under_random_order(self, n: int, mean: float) -> None:
        assert kernels.chance_moments(n).mean == pytest.approx(mean, abs=1e-6)

    def test_constants_for_201_outcomes(self) -> None:
        moments = kernels.chance_moments(201)
        assert moments == pytest.approx((-0.5459591, 0.0173034, 0.0070367), abs=1e-7)
        m = moments.mean
        middle = kernels.standardised(m, moments)
        assert middle == pytest.approx(0.00103809, abs=1e-8)
        slope = (kernels.standardised(m + 1e-7, moments) - middle) / 1e-7
        assert slope == pytest.approx(1.2923523, abs=1e-5)
        below, above = (
            kernels.standardised(m - 0.3, moments),
            kernels.standardised(m + 0.3, moments),
        )
        assert below == pytest.approx(0.00103809 - 1.2923523 * 0.3 - 2.0094641 * 0.09, abs=1e-6)
        assert above == pytest.approx(0.00103809 + 1.2923523 * 0.3 - 0.4179775 * 0.09, abs=1e-6)

    @pytest.mark.parametrize("n", [4, 6, 7])
    def test_standardising_brings_the_mean_of_random_order_towards_zero(self, n: int) -> None:
        first = np.arange(n)
        values = [weighted_spearman(first, np.array(order)) for order in permutations(range(n))]
        assert abs(np.mean(values)) < abs(kernels.chance_moments(n).mean)
        assert max(values) == pytest.approx(1)
        assert min(values) >= -1 - 1e-12

    @pytest.mark.parametrize("n", [3, 5, 7])
    def test_a_mean_of_0_asks_for_another_term_than_the_authors_have(self, n: int) -> None:
        """E[g0 + g1 d + (g2 or h2) d^2] over all orders, d = G - m, for any g0."""
        orders = np.array(list(permutations(range(1, n + 1))), dtype=np.float64)
        first = np.broadcast_to(np.arange(1.0, n + 1), orders.shape)
        found = kernels.weighted_rank_correlation(first, orders)
        m, v = found.mean(), found.var()
        d = found - m
        left = (np.minimum(d, 0) ** 2).mean()

        def mean_of_chance(term: float, g0: float) -> float:
            g1 = g0 * (term * v - 4 * m * left - (1 - m**2) ** 2)
            g1 = (g1 + 2 * (1 + m**2) * left - term * v) / (2 * left - v * (1 + m)) / (1 - m**2)
            g2 = -(1 + g0) / (1 + m) ** 2 + g1 / (1 + m)
            h2 = (1 - g0) / (1 - m) ** 2 - g1 / (1 - m)
            return float((g0 + g1 * d + np.where(d < 0, g2, h2) * d**2).mean())

        for g0 in (-0.1, 0.0, 0.2):
            assert mean_of_chance((1 + m) ** 2, g0) == pytest.approx(0, abs=1e-12)
            assert mean_of_chance(1 - m**2, g0) < -0.02

    @pytest.mark.parametrize("n", [5, 8, 9, 30, 201])
    def test_ends_stay_and_order_is_kept(self, n: int) -> None:
        moments = kernels.chance_moments(n)
        assert kernels.standardised(1.0, moments) == pytest.approx(1)
        assert kernels.standardised(-1.0, moments) == pytest.approx(-1)
        grid = [kernels.standardised(v, moments) for v in np.linspace(-1, 1, 200)]
        assert (np.diff(grid) > -1e-12).all()

    def test_weighted_pearson_by_hand(self) -> None:
        a, b = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0])
        w = 1 / (a + 2) ** 2 + 1 / (b + 2) ** 2
        covariance = np.cov(a, b, aweights=w, ddof=0)
        expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
        assert kernels.weighted_rank_correlation(a, b) == pytest.approx(expected)

    def test_mistakes_at_the_top_count_more(self) -> None:
        true = np.arange(20)
        top_wrong, bottom_wrong = true.copy(), true.copy()
        top_wrong[[19, 18]], bottom_wrong[[0, 1]] = [18, 19], [1, 0]
        assert weighted_spearman(true, top_wrong) < weighted_spearman(true, bottom_wrong)
        assert weighted_spearman(true, top_wrong, top="low") > weighted_spearman(
            true, bottom_wrong, top="low"
        )

    def test_constant_column_is_nan(self) -> None:
        assert np.isnan(weighted_spearman([1, 1, 1], [1, 2, 3]))
        assert np.isnan(rank_correlation([1, 1, 1], [1, 2, 3]))


class TestManyAtOnce:
    @pytest.mark.parametrize("kind", ["spearman", "weighted"])
    @pytest.mark.parametrize("top", ["high", "low"])
    def test_same_as_one_by_one(self, kind: str, top: str) -> None:
        rng = np.random.default_rng(1)
        first, second = rng.integers(0, 9, (4, 1, 5, 12)), rng.normal(size=(3, 5, 12))
        found = rank_correlations(first, second, kind=kind, top=top)
        assert found.shape == (4, 3, 5)
        for i, j, k in np.ndindex(4, 3, 5):
            one = rank_correlation(first[i, 0, k], second[j, k], kind=kind, top=top)
            assert found[i, j, k] == pytest.approx(one, abs=1e-14)

    def test_ranks_against_scipy(self) -> None:
        rng = np.random.default_rng(2)
        for values in (rng.integers(0, 5, (6, 40)).astype(float), rng.normal(size=(6, 40))):
            assert np.array_equal(kernels.mean_ranks(values), stats.rankdata(values, axis=-1))

    def test_constant_columns_are_nan_and_the_others_are_not(self) -> None:
        found = rank_correlations([[1, 1, 1], [1, 2, 3]], [3, 2, 1], kind="weighted")
        assert np.isnan(found[0])
        assert found[1] == pytest.approx(-1)

    def test_inputs_are_left_alone(self) -> None:
        first = np.array([[3.0, 1.0, 2.0]])
        first.flags.writeable = False
        rank_correlations(first, first)
        assert first.tolist() == [[3.0, 1.0, 2.0]]

    def test_lengths_must_agree(self) -> None:
        with pytest.raises(DataError, match="same length"):
            rank_correlations(np.ones((2, 4)), np.ones((2, 3)))


def test_refusals() -> None:
    with pytest.raises(DataError, match="at least 3"):
        rank_correlation([1, 2], [1, 2])
    with pytest.raises(DataError, match="not nan"):
        rank_correlation([1, 2, np.nan], [1, 2, 3])
    with pytest.raises(DataError, match="'spearman' or 'weighted'"):
        rank_correlation([1, 2, 3], [1, 2, 3], kind="kendall")
    with pytest.raises(DataError, match="'high' or 'low'"):
        weighted_spearman([1, 2, 3], [1, 2, 3], top="left")
