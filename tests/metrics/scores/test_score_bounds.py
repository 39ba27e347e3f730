"""Bounds from bins hold, whatever the bins; and they follow the stated formulas."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import samples
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ScoreCounts, metrics

edges = st.lists(st.sampled_from([-3.0, -1.5, -1.0, 0.0, 0.75, 1.0, 3.0]), unique=True).map(sorted)
APP = Application([[0, 1], [3, 0]], priors=[0.7, 0.3])


@given(samples, edges)
def test_bounds_hold(sample, ends):
    y, s, w = sample
    sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
    bounds = metrics.score_bounds(sc.binned(ends), APP)
    exact = {
        "auc": metrics.auc(sc),
        "eer": metrics.eer(sc),
        "eer_hull": metrics.eer(sc, method="hull"),
        "min_cllr": metrics.min_cllr(sc),
        "min_cost": metrics.min_cost(sc, APP),
    }
    for name, value in exact.items():
        low, high = bounds[name]
        assert low - 1e-12 <= value <= high + 1e-12, name


@given(samples, edges)
def test_auc_width_is_the_mass_of_mixed_pairs(sample, ends):
    y, s, w = sample
    bins = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w).binned(ends)
    first, second = (part / part.sum() for part in bins.runs[:2])
    half = np.sum((first * second)[~bins.exact]) / 2
    low, high = metrics.score_bounds(bins)["auc"]
    assert (high - low) / 2 == pytest.approx(half, abs=1e-12)
    assert metrics.auc(bins) == pytest.approx((low + high) / 2)


@given(samples)
def test_width_is_zero_with_an_edge_at_every_score(sample):
    y, s, w = sample
    bins = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w).binned(np.unique(s))
    assert metrics.score_bounds(bins, APP).frame()["width"] == pytest.approx(np.zeros(5))


def test_actual_cost_is_exact_when_the_threshold_is_an_edge():
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.3
    s = rng.normal(size=2000) + 2 * y - 1
    sc = ScoreCounts.from_scores(y, s, kind="llr")
    ends = np.sort([*np.linspace(-3, 3, 20), APP.llr_threshold])
    assert metrics.actual_cost(sc.binned(ends), APP) == metrics.actual_cost(sc, APP)
