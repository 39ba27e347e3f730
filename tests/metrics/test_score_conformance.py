"""Defects met in other tools, each asked of ours. Those not here are beside what they concern."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ScoreCounts, curves, metrics
from stakes.exceptions import DataError

RARE = Application([[0, 1], [1, 0]], priors=[0.99, 0.01])


def detector(n_targets=20, n_others=80, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_targets, n_others])
    return y, rng.normal(size=y.size) + 1.2 * y


def test_order_of_the_rows_does_not_matter():
    # Sorting without regard to ties gave 1.0, 0.97 or 0.0 for the same cases.
    y, s = np.repeat([0, 1], [97, 3]), np.zeros(100)
    found = set()
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(100)
        sc = ScoreCounts.from_scores(y[order], s[order], kind="llr")
        found.add((metrics.min_cost(sc, RARE, normalized=True), metrics.eer(sc), metrics.auc(sc)))
    assert found == {(1.0, 0.5, 0.5)}


def test_normalised_and_unnormalised_costs_are_told_apart():
    # One minDCF is reported as .0090 where the field's normalised value is .90.
    y, s = detector()
    sc = ScoreCounts.from_scores(y, s, kind="llr")
    plain, normal = metrics.min_cost(sc, RARE), metrics.min_cost(sc, RARE, normalized=True)
    assert plain == pytest.approx(0.01 * normal)


def test_missing_scores_are_refused():
    # Accepted silently elsewhere, where 300 of them lowered the EER from .134 to .098.
    y, s = detector()
    s[3] = np.nan
    with pytest.raises(DataError, match="first is row 3"):
        ScoreCounts.from_scores(y, s, kind="llr")


@pytest.mark.parametrize("labels", [bool, np.int8, np.uint8, np.int64, np.float64, str])
def test_labels_of_any_type(labels):
    y, s = detector()
    expected = metrics.eer(ScoreCounts.from_scores(y, s, kind="llr"))
    assert metrics.eer(ScoreCounts.from_scores(y.astype(labels), s, kind="llr")) == expected


def test_equal_error_rate_by_the_common_recipe():
    # The root of 1 - x = tpr(x) on the joined ROC points, as published snippets compute it.
    from scipy.interpolate import interp1d
    from scipy.optimize import brentq

    y, s = detector()
    sc = ScoreCounts.from_scores(y, s, kind="llr")
    curve = curves.roc(sc)
    joined = interp1d(curve.false_positive_rate, curve.true_positive_rate)
    root = brentq(lambda x: 1.0 - x - joined(x), 0.0, 1.0)
    assert metrics.eer(sc) == pytest.approx(root, abs=1e-9)


def test_input_is_never_changed():
    y, s = detector()
    y0, s0 = y.copy(), s.copy()
    y.flags.writeable = s.flags.writeable = False
    sc = ScoreCounts.from_scores(y, s, kind="llr")
    for call in (metrics.auc, metrics.eer, metrics.cllr, metrics.min_cllr, curves.roc):
        call(sc)
    assert (y == y0).all()
    assert (s == s0).all()


def test_large_counts_do_not_need_many_rows():
    # 3.7 million trials made two metrics ask for 479 GB; counts alone are enough.
    counts = np.array([3_000_000, 2_000_000_000, 700_000])
    sc = ScoreCounts(
        np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 2.0]), counts, counts[::-1].copy()
    )
    n = counts.sum()
    pairs = 0
    for i, a in enumerate(counts):
        for j, b in enumerate(counts[::-1]):
            higher, lower = [0.0, 1.0, 2.0][j], [-1.0, 0.0, 1.0][i]
            pairs += int(a) * int(b) * (2 if higher > lower else 1 if higher == lower else 0)
    assert metrics.auc(sc) == pytest.approx(pairs / (2 * int(n) ** 2))
    assert 0 < metrics.eer(sc) < 0.5


def test_infinite_scores_survive_everywhere():
    y = [0, 0, 0, 1, 1, 1]
    sc = ScoreCounts.from_scores(y, [-np.inf, -1.0, 2.0, 0.5, np.inf, np.inf], kind="llr")
    assert metrics.auc(sc) == pytest.approx(8 / 9)
    assert np.isfinite(metrics.min_cllr(sc))
    assert np.isfinite(metrics.cllr(sc))
    assert np.isfinite(curves.empirical_cross_entropy(sc).actual).all()
    assert curves.tippett(sc).log10_lr[-1] == np.inf
    assert np.isfinite(curves.bayes_error(sc).actual).all()
