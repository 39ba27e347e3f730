"""Cllr by hand and by integration; minimum Cllr against isotonic regression and lir."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import finite_samples, samples
from hypothesis import given
from scipy.optimize import isotonic_regression

from stakes import Application, ScoreCounts, metrics
from stakes.exceptions import UndefinedError


def drawn(n=500, seed=2):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, 1.3 * rng.normal(size=n) + 2 * y - 0.7


class TestCllr:
    @given(finite_samples)
    def test_against_the_definition(self, sample):
        y, s, w = sample
        bits = np.log2(1 + np.exp(np.where(y == 1, -s, s)))
        sides = [np.average(bits[y == k], weights=w[y == k]) for k in (0, 1)]
        sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        assert metrics.cllr(sc) == pytest.approx(sum(sides) / 2)

    def test_against_lir_1_3_1(self):
        # lir.metrics.cllr and cllr_min, whose LLRs have base 10.
        y = [0, 0, 1, 0, 1, 1, 0, 1, 0, 0]
        p = np.array([0.1, 0.2, 0.3, 0.35, 0.4, 0.8, 0.4, 0.9, 0.05, 0.6])
        sc = ScoreCounts.from_scores(y, np.log(p / (1 - p)), kind="llr")
        assert metrics.cllr(sc) == pytest.approx(0.7106292626379165)
        assert metrics.min_cllr(sc) == pytest.approx(0.5)

    def test_huge_llrs_do_not_overflow(self):
        # One peer raises OverflowError at 800.
        sc = ScoreCounts.from_scores([0, 1], [-800.0, 800.0], kind="llr")
        assert metrics.cllr(sc) == 0.0
        wrong = ScoreCounts.from_scores([0, 1], [800.0, 800.0], kind="llr")
        assert metrics.cllr(wrong) == pytest.approx(800 / np.log(2) / 2)

    def test_certain_mistake_costs_everything(self):
        sc = ScoreCounts.from_scores([0, 1], [np.inf, np.inf], kind="llr")
        assert metrics.cllr(sc) == np.inf
        certain = ScoreCounts.from_scores([0, 1], [-np.inf, np.inf], kind="llr")
        assert metrics.cllr(certain) == 0.0

    def test_is_the_integral_of_the_actual_cost(self):
        # Cllr = (1 / (2 ln 2)) integral of the unnormalised DCF over the prior log odds.
        y, s = drawn()
        sc = ScoreCounts.from_scores(y, s, kind="llr")
        grid = np.linspace(-40, 40, 160_001)
        prior = 1 / (1 + np.exp(-grid))
        fnr = np.searchsorted(np.sort(s[y]), -grid, side="right") / y.sum()
        fpr = 1 - np.searchsorted(np.sort(s[~y]), -grid, side="right") / (~y).sum()
        cost = prior * fnr + (1 - prior) * fpr
        area = np.sum((cost[1:] + cost[:-1]) / 2 * np.diff(grid))
        assert metrics.cllr(sc) == pytest.approx(area / (2 * np.log(2)), abs=2e-4)

    def test_posteriors_and_log_odds_are_freed_of_their_prior(self):
        y, s = drawn()
        expected = metrics.cllr(ScoreCounts.from_scores(y, s, kind="llr"))
        odds = s + np.log(y.mean() / (1 - y.mean()))
        sc = ScoreCounts.from_scores(y, odds, kind="log_odds")
        assert metrics.cllr(sc) == pytest.approx(expected)
        moved = s + np.log(0.2 / 0.8)
        p = 1 / (1 + np.exp(-moved))
        sc = ScoreCounts.from_scores(y, p, kind="posterior", from_priors=0.2)
        assert metrics.cllr(sc) == pytest.approx(expected)

    def test_float32_scores(self):
        y, s = drawn()
        low = ScoreCounts.from_scores(y, s.astype(np.float32), kind="llr")
        high = ScoreCounts.from_scores(y, s.astype(np.float32).astype(float), kind="llr")
        assert metrics.cllr(low) == pytest.approx(metrics.cllr(high), rel=1e-12)

    def test_bins_have_none(self):
        sc = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="llr")
        with pytest.raises(UndefinedError, match="every score"):
            metrics.cllr(sc.binned([5.0]))


class TestMinCllr:
    @given(samples)
    def test_against_isotonic_regression(self, sample):
        y, s, w = sample
        values = np.unique(s)
        mass = np.array([[w[(s == v) & (y == k)].sum() for v in values] for k in (0, 1)])
        mass /= mass.sum(axis=1, keepdims=True)
        total = mass.sum(axis=0)
        q = isotonic_regression(mass[1] / total, weights=total).x
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(mass[1] > 0, -mass[1] * np.log2(q), 0)
            parts += np.where(mass[0] > 0, -mass[0] * np.log2(1 - q), 0)
        sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
        assert metrics.min_cllr(sc) == pytest.approx(parts.sum() / 2, abs=1e-9)

    @given(samples)
    def test_is_at_most_one_bit_and_at_most_cllr(self, sample):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        assert -1e-12 <= metrics.min_cllr(sc) <= min(1.0, metrics.cllr(sc)) + 1e-9

    def test_is_the_integral_of_the_minimum_cost(self):
        y, s = drawn(80)
        sc = ScoreCounts.from_scores(y, s, kind="llr")
        grid = np.linspace(-30, 30, 3001)
        costs = [
            metrics.min_cost(sc, Application([[0, 1], [1, 0]], priors=[1 - p, p]))
            for p in 1 / (1 + np.exp(-grid))
        ]
        area = np.sum((np.array(costs)[1:] + np.array(costs)[:-1]) / 2 * np.diff(grid))
        assert metrics.min_cllr(sc) == pytest.approx(area / (2 * np.log(2)), abs=1e-4)
