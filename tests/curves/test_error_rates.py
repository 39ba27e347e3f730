"""ROC and DET against every threshold and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import all_rates, samples
from hypothesis import given
from scipy.stats import norm

from stakes import ScoreCounts, curves
from stakes.exceptions import UndefinedError


def drawn(n=300, seed=0, digits=1):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, np.round(rng.normal(size=n) + y, digits), rng.random(n)


class TestRoc:
    @given(samples)
    def test_every_point_is_one_of_all_cuts_and_carries_its_threshold(self, sample):
        y, s, w = sample
        curve = curves.roc(ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w))
        every = all_rates(y, s, w)
        for t, fpr, tpr in zip(*curve.frame().values(), strict=True):
            assert np.isclose(every, [fpr, 1 - tpr]).all(axis=1).any()
            acted = np.ones_like(y, dtype=bool) if np.isneginf(t) else s > t
            assert fpr == pytest.approx(w[acted & (y == 0)].sum() / w[y == 0].sum())
            assert tpr == pytest.approx(w[acted & (y == 1)].sum() / w[y == 1].sum())

    @given(samples)
    def test_left_out_points_lie_on_straight_stretches(self, sample):
        y, s, w = sample
        curve = curves.roc(ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w))
        fpr, tpr = curve.false_positive_rate, curve.true_positive_rate
        for f, m in all_rates(y, s, w):
            gaps = [
                abs((f2 - f1) * (1 - m - t1) - (t2 - t1) * (f - f1))
                for f1, t1, f2, t2 in zip(fpr[:-1], tpr[:-1], fpr[1:], tpr[1:], strict=True)
                if f1 - 1e-12 <= f <= f2 + 1e-12 and t1 - 1e-12 <= 1 - m <= t2 + 1e-12
            ]
            assert min(gaps) < 1e-12

    def test_against_sklearn(self):
        sk = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        y, s, w = drawn()
        for weights in (None, w):
            curve = curves.roc(ScoreCounts.from_scores(y, s, kind="rank", sample_weight=weights))
            fpr, tpr, _ = sk.roc_curve(y, s, sample_weight=weights, drop_intermediate=False)
            assert len(curve.threshold) < len(fpr)
            for a, b in zip(curve.false_positive_rate, curve.true_positive_rate, strict=True):
                assert (np.isclose(fpr, a) & np.isclose(tpr, b)).any()
            area = sk.auc(curve.false_positive_rate, curve.true_positive_rate)
            assert area == pytest.approx(sk.auc(fpr, tpr))

    @given(samples)
    def test_hull_is_concave_and_above_the_curve(self, sample):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
        hull = curves.roc(sc, hull=True)
        fpr, tpr = hull.false_positive_rate, hull.true_positive_rate
        turns = np.diff(fpr)[:-1] * np.diff(tpr)[1:] - np.diff(tpr)[:-1] * np.diff(fpr)[1:]
        assert (turns < 1e-12).all()
        for f, m in all_rates(y, s, w):
            outside = np.diff(fpr) * (1 - m - tpr[:-1]) - np.diff(tpr) * (f - fpr[:-1])
            assert outside.max() <= 1e-12

    def test_one_class_is_undefined(self):
        with pytest.raises(UndefinedError, match="`roc` needs cases of both classes"):
            curves.roc(ScoreCounts.from_scores([1, 1], [0.0, 1.0], kind="rank"))


class TestDet:
    def test_against_sklearn(self):
        sk = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        y, s, _ = drawn(digits=8)
        curve = curves.det(ScoreCounts.from_scores(y, s, kind="rank"))
        fpr, fnr, _ = sk.det_curve(y, s)
        ours = {(round(a, 9), round(b, 9)) for a, b in zip(
            curve.false_positive_rate, curve.false_negative_rate, strict=True)}  # fmt: skip
        corners = [k for k in range(1, len(fpr) - 1) if (fpr[k] != fpr[k - 1]) != (
            fpr[k] != fpr[k + 1])]  # fmt: skip
        assert corners
        for k in corners:
            assert (round(fpr[k], 9), round(fnr[k], 9)) in ours

    def test_probits_and_counts(self):
        y, s, _ = drawn()
        curve = curves.det(ScoreCounts.from_scores(y, s, kind="rank"))
        np.testing.assert_allclose(curve.probit_false_positive, norm.ppf(curve.false_positive_rate))
        np.testing.assert_allclose(
            curve.false_negatives, curve.false_negative_rate * (y == 1).sum()
        )

    def test_gaussian_scores_are_straight(self):
        x = norm.ppf((np.arange(4000) + 0.5) / 4000)
        y = np.repeat([0, 1], 4000)
        curve = curves.det(ScoreCounts.from_scores(y, np.concatenate([x, x + 2]), kind="llr"))
        inside = (curve.false_positives > 30) & (curve.false_negatives > 30)
        total = curve.probit_false_positive[inside] + curve.probit_false_negative[inside]
        np.testing.assert_allclose(total, -2, atol=0.02)
