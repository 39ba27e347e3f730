"""Tippett and empirical cross-entropy curves by definition."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import finite_samples
from hypothesis import given

from stakes import ScoreCounts, curves, metrics
from stakes.exceptions import UndefinedError


@given(finite_samples)
def test_tippett_by_definition(sample):
    y, s, w = sample
    sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
    curve = curves.tippett(sc, [-0.7, 0.13, 0.6])
    for x, first, second in zip(*curve.frame().values(), strict=True):
        for k, share in ((0, first), (1, second)):
            above = w[(y == k) & (s / np.log(10) > x)].sum() / w[y == k].sum()
            assert share == pytest.approx(above)


def test_tippett_beyond_every_score():
    sc = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="llr")
    curve = curves.tippett(sc, [-1e308, 1e308])  # warnings are errors
    np.testing.assert_allclose(curve.positives_above, [1, 0])


def test_tippett_steps_at_every_score():
    sc = ScoreCounts.from_scores([0, 1, 1], [0.0, np.log(10), np.log(100)], kind="llr")
    curve = curves.tippett(sc)
    np.testing.assert_allclose(curve.log10_lr, [0, 1, 2])
    np.testing.assert_allclose(curve.positives_above, [1, 0.5, 0])


class TestCrossEntropy:
    @given(finite_samples)
    def test_by_definition(self, sample):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        curve = curves.empirical_cross_entropy(sc, [-1.0, 0.4])
        for x, value in zip(curve.log10_odds, curve.actual, strict=True):
            odds = 10.0**x
            prior = odds / (1 + odds)
            lr = np.exp(s)
            bits = np.where(y == 1, np.log2(1 + 1 / (odds * lr)), np.log2(1 + odds * lr))
            parts = [np.average(bits[y == k], weights=w[y == k]) for k in (0, 1)]
            assert value == pytest.approx((1 - prior) * parts[0] + prior * parts[1])

    def test_at_even_odds_it_is_cllr(self):
        rng = np.random.default_rng(0)
        y = rng.random(300) < 0.3
        sc = ScoreCounts.from_scores(y, 2 * rng.normal(size=300) + 2 * y - 1, kind="llr")
        curve = curves.empirical_cross_entropy(sc, [0.0])
        assert curve.actual[0] == pytest.approx(metrics.cllr(sc))
        assert curve.minimum[0] == pytest.approx(metrics.min_cllr(sc))
        assert curve.neutral[0] == pytest.approx(1.0)

    def test_one_infinite_mistake_does_not_spoil_the_rest_of_the_picture(self):
        sc = ScoreCounts.from_scores([0, 0, 1, 1], [-1.0, np.inf, 2.0, np.inf], kind="llr")
        curve = curves.empirical_cross_entropy(sc)
        assert np.isinf(curve.actual).all()
        assert np.isfinite(curve.minimum).all()
        assert (curve.minimum <= curve.neutral + 1e-12).all()

    def test_ranks_have_none(self):
        with pytest.raises(UndefinedError, match="rank"):
            curves.empirical_cross_entropy(ScoreCounts.from_scores([0, 1], [0, 1], kind="rank"))
