"""Precision and recall against scikit-learn and at another prior."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import samples
from hypothesis import given

from stakes import ScoreCounts, curves
from stakes.exceptions import PriorError


@given(samples)
def test_against_every_threshold(sample):
    y, s, w = sample
    curve = curves.precision_recall(ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w))
    for t, recall, precision in zip(*curve.frame().values(), strict=True):
        acted = np.ones_like(y, dtype=bool) if np.isneginf(t) else s > t
        right = w[acted & (y == 1)].sum()
        assert recall == pytest.approx(right / w[y == 1].sum())
        assert precision == pytest.approx(right / w[acted].sum())


def test_against_sklearn():
    sk = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn")
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.4).astype(int)
    s = np.round(rng.normal(size=300) + y, 1)
    curve = curves.precision_recall(ScoreCounts.from_scores(y, s, kind="rank"))
    precision, recall, _ = sk.precision_recall_curve(y, s)
    np.testing.assert_allclose(curve.precision[::-1], precision[:-1])
    np.testing.assert_allclose(curve.recall[::-1], recall[:-1])


def test_prior_by_hand():
    sc = ScoreCounts.from_scores([0, 0, 1, 1], [1, 3, 2, 4], kind="rank")
    curve = curves.precision_recall(sc, priors=0.1)
    # Threshold 1.5: all positives, half of the negatives.
    assert curve.precision[2] == pytest.approx(0.1 * 1 / (0.1 * 1 + 0.9 * 0.5))


def test_impossible_prior_is_refused():
    with pytest.raises(PriorError, match="between 0 and 1"):
        curves.precision_recall(ScoreCounts.from_scores([0, 1], [0, 1], kind="rank"), priors=1.0)


def test_weights_of_all_sizes_keep_rates_between_0_and_1():
    rng = np.random.default_rng(11)
    for _ in range(100):
        truth = np.append([0, 1], rng.integers(0, 2, 20))
        weights = rng.random(22) * 10.0 ** rng.integers(-12, 12, 22)
        scores = ScoreCounts.from_scores(truth, rng.random(22), kind="rank", sample_weight=weights)
        curve = curves.precision_recall(scores)
        for rates in (curve.recall, curve.precision):
            assert ((rates >= 0) & (rates <= 1)).all()


def test_a_case_of_no_weight_on_top_finds_nobody():
    scores = ScoreCounts.from_scores([0, 1, 1], [1, 2, 3], kind="rank", sample_weight=[1, 1, 0])
    assert curves.precision_recall(scores).recall.tolist() == [1.0, 1.0]
