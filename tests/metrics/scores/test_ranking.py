"""Areas and equal error rates against all pairs, all thresholds and scikit-learn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from brute_force_scores import all_rates, cuts, finite_samples, samples
from hypothesis import given
from hypothesis import strategies as st

from stakes import ScoreCounts, metrics
from stakes.exceptions import DataError, UndefinedError


def summary(y, s, w=None):
    return ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)


def drawn(n=400, digits=1, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, np.round(rng.normal(size=n) + y, digits), rng.random(n)


class TestAuc:
    @given(samples)
    def test_against_all_pairs(self, sample):
        y, s, w = sample
        won = total = 0.0
        for i in np.flatnonzero(y == 0):
            for j in np.flatnonzero(y == 1):
                pair = w[i] * w[j]
                total += pair
                won += pair * (1.0 if s[j] > s[i] else 0.5 if s[j] == s[i] else 0.0)
        assert metrics.auc(summary(y, s, w)) == pytest.approx(won / total)

    def test_against_sklearn(self):
        sk = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        y, s, w = drawn()
        assert metrics.auc(summary(y, s)) == pytest.approx(sk.roc_auc_score(y, s))
        expected = sk.roc_auc_score(y, s, sample_weight=w)
        assert metrics.auc(summary(y, s, w)) == pytest.approx(expected)

    def test_partial_against_sklearn(self):
        sk = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        y, s, _ = drawn()
        for limit in (0.01, 0.2, 0.77):
            found = metrics.partial_auc(summary(y, s), max_fpr=limit, standardize=True)
            assert found == pytest.approx(sk.roc_auc_score(y, s, max_fpr=limit))

    @given(samples, st.floats(0.05, 0.95))
    def test_parts_add_to_the_whole(self, sample, cut):
        sc = summary(*sample)
        parts = metrics.partial_auc(sc, max_fpr=cut) + metrics.partial_auc(sc, min_fpr=cut)
        assert parts == pytest.approx(metrics.auc(sc))

    def test_counts_beyond_64_bit_products(self):
        many = np.array([2**33])
        sc = ScoreCounts(np.array([0.0]), np.array([0.0]), many, many)
        assert metrics.auc(sc) == 0.5

    def test_one_class_is_undefined(self):
        with pytest.raises(UndefinedError, match="no case of 0"):
            metrics.auc(summary([1, 1], [0.0, 1.0]))

    def test_impossible_range_is_refused(self):
        with pytest.raises(DataError, match="0 <= min < max <= 1"):
            metrics.partial_auc(summary([0, 1], [0, 1]), max_fpr=1.5)


class TestPrecisionRecall:
    def test_against_sklearn(self):
        sk = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
        y, s, w = drawn()
        for weights in (None, w):
            sc = summary(y, s, weights)
            expected = sk.average_precision_score(y, s, sample_weight=weights)
            assert metrics.average_precision(sc) == pytest.approx(expected)
            precision, recall, _ = sk.precision_recall_curve(y, s, sample_weight=weights)
            found = metrics.pr_auc(sc, interpolation="linear")
            assert found == pytest.approx(sk.auc(recall, precision))

    @given(samples)
    def test_exact_area_against_fine_steps(self, sample):
        y, s, w = sample
        points = all_rates(y, s, w)[::-1]  # from acting on none
        prior = 0.3
        steps = (np.arange(20_000) + 0.5) / 20_000
        area = 0.0
        for (f0, m0), (f1, m1) in itertools.pairwise(points):
            tpr = 1 - m0 + steps * (m0 - m1)
            fpr = f0 + steps * (f1 - f0)
            with np.errstate(invalid="ignore"):
                precision = prior * tpr / (prior * tpr + (1 - prior) * fpr)
            area += (m0 - m1) * np.nanmean(precision) if m0 > m1 else 0.0
        assert metrics.pr_auc(summary(y, s, w), priors=prior) == pytest.approx(area, abs=1e-3)

    @pytest.mark.parametrize("prior", [0.001, 0.3])
    def test_constant_scores_give_the_prior(self, prior):
        sc = summary([0, 0, 1], [1.0, 1.0, 1.0])
        assert metrics.average_precision(sc, priors=prior) == pytest.approx(prior)
        assert metrics.pr_auc(sc, priors=prior) == pytest.approx(prior)

    def test_prior_is_that_of_other_data(self):
        y, s, _ = drawn()
        weights = np.where(y == 1, 0.05 / y.mean(), 0.95 / (1 - y.mean()))
        expected = metrics.average_precision(summary(y, s, weights))
        assert metrics.average_precision(summary(y, s), priors=0.05) == pytest.approx(expected)


class TestEer:
    @given(samples)
    def test_closest_against_all_cuts(self, sample):
        y, s, w = sample
        points = all_rates(y, s, w)
        gaps = np.abs(points[:, 0] - points[:, 1])
        candidates = points[gaps <= gaps.min() + 1e-12].mean(axis=1)
        found = metrics.eer(summary(y, s, w), method="closest")
        assert np.isclose(candidates, found).any()

    @given(samples)
    def test_interpolated_lies_on_the_curve_of_equal_rates(self, sample):
        y, s, w = sample
        points = all_rates(y, s, w)
        found = metrics.eer(summary(y, s, w))
        crossings = []
        for (f0, m0), (f1, m1) in itertools.pairwise(points):
            if (f0 - m0) * (f1 - m1) <= 0:
                step = 0.0 if f0 - m0 == f1 - m1 else (f0 - m0) / ((f0 - m0) - (f1 - m1))
                crossings.append(f0 + step * (f1 - f0))
        assert np.isclose(crossings, found).any()

    @given(samples)
    def test_hull_is_the_largest_minimum_cost_over_priors(self, sample):
        y, s, w = sample
        sc = summary(y, s, w)
        points = all_rates(y, s, w)
        priors = np.linspace(0, 1, 2001)[:, None]
        worst = (priors * points[:, 1] + (1 - priors) * points[:, 0]).min(axis=1).max()
        assert metrics.eer(sc, method="hull") == pytest.approx(worst, abs=2e-3)
        assert metrics.eer(sc, method="hull") <= metrics.eer(sc) + 1e-12

    def test_separable_scores_have_none(self):
        # One widely used curve function gives 0.25 for two and two separable cases.
        sc = summary([0, 0, 1, 1], [0.0, 1.0, 2.0, 3.0])
        assert [metrics.eer(sc, method=m) for m in ("closest", "interpolated", "hull")] == [0, 0, 0]

    def test_constant_scores_give_a_half_whatever_the_order(self):
        for y in ([0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]):
            assert metrics.eer(summary(y, np.ones(4))) == 0.5

    def test_definitions_differ_and_have_names(self):
        y, s, _ = drawn(n=100, digits=6, seed=3)
        sc = summary(y, s)
        found = {m: metrics.eer(sc, method=m) for m in ("closest", "interpolated", "hull")}
        assert len({round(v, 6) for v in found.values()}) > 1
        assert found["hull"] <= found["interpolated"]

    def test_unknown_method_is_refused(self):
        with pytest.raises(DataError, match="'hull' or 'closest'"):
            metrics.eer(summary([0, 1], [0, 1]), method="rocch")

    @given(finite_samples, st.floats(0.05, 0.95))
    def test_bounds_the_error_rate_of_calibrated_scores(self, sample, prior):
        # ferrer2025 section 3.6: Bayes error rate <= min(EER, P1, P2) when calibrated. Isotonic
        # scores are calibrated on their own data, at any prior.
        y, s, w = sample
        sc = summary(y, s, w)
        first, second = (part / part.sum() for part in sc.blocks())
        error = np.minimum((1 - prior) * first, prior * second).sum()
        assert error <= min(metrics.eer(sc, method="hull"), prior, 1 - prior) + 1e-12


class TestRatesAtRates:
    @given(samples, st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
    def test_specificity_at_sensitivity_against_all_cuts(self, sample, wanted):
        y, s, w = sample
        points = all_rates(y, s, w)
        best = max(1 - f for f, m in points if 1 - m >= wanted - 1e-12)
        sc = summary(y, s, w)
        assert metrics.specificity_at_sensitivity(sc, wanted) == pytest.approx(best)
        point = metrics.at_sensitivity(sc, wanted)
        assert 1 - point.false_negative_rate >= wanted - 1e-9

    @given(samples, st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
    def test_sensitivity_at_specificity_against_all_cuts(self, sample, wanted):
        y, s, w = sample
        points = all_rates(y, s, w)
        best = max(1 - m for f, m in points if 1 - f >= wanted - 1e-12)
        assert metrics.sensitivity_at_specificity(summary(y, s, w), wanted) == pytest.approx(best)

    def test_thresholds_do_what_they_promise(self):
        y, s, _ = drawn()
        point = metrics.at_sensitivity(summary(y, s), 0.9)
        assert ((s > point.threshold) & (y == 1)).sum() / y.sum() >= 0.9
        assert any((acted == (s > point.threshold)).all() for acted in cuts(s))

    def test_impossible_share_is_refused(self):
        with pytest.raises(DataError, match=r"between 0 and 1; got 1\.2"):
            metrics.at_sensitivity(summary([0, 1], [0, 1]), 1.2)
