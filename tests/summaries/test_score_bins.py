"""ScoreBins: merging, exactness at edges, and refusing to guess inside a bin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import ScoreBins, ScoreCounts
from stakes.exceptions import DataError, MergeError, UndefinedError
from stakes.metrics import score_bounds
from stakes.summaries import score_edges

score = st.one_of(st.floats(-3, 3), st.sampled_from([-np.inf, -1.0, 0.0, 1.0, np.inf]))
rows = st.lists(st.tuples(st.integers(0, 1), score), min_size=1, max_size=40)
edges = st.lists(st.floats(-3, 3), max_size=6, unique=True).map(sorted)


@given(rows, edges)
def test_counts_are_exact_at_every_edge(drawn, ends):
    y, s = map(np.array, zip(*drawn, strict=True))
    bins = ScoreCounts.from_scores(y, s, kind="llr").binned(ends)
    for edge in ends:
        assert bins.counts_above(edge).tolist() == [((s > edge) & (y == k)).sum() for k in (0, 1)]


@given(rows, rows, edges)
def test_binning_and_adding_commute(one, two, ends):
    (y1, s1), (y2, s2) = (map(np.array, zip(*part, strict=True)) for part in (one, two))
    a = ScoreCounts.from_scores(y1, s1, kind="llr")
    b = ScoreCounts.from_scores(y2, s2, kind="llr")
    merged, whole = a.binned(ends) + b.binned(ends), (a + b).binned(ends)
    assert merged.counts.tolist() == whole.counts.tolist()
    np.testing.assert_array_equal(merged.lowest, whole.lowest)
    np.testing.assert_array_equal(merged.highest, whole.highest)


@given(rows)
def test_an_edge_at_every_score_loses_nothing(drawn):
    y, s = map(np.array, zip(*drawn, strict=True))
    sc = ScoreCounts.from_scores(y, s, kind="llr")
    bins = sc.binned(np.unique(s))
    assert bins.exact.all()
    assert bins.counts.sum(axis=0).tolist() == sc.class_totals.tolist()


def test_threshold_inside_a_bin_is_refused():
    bins = ScoreCounts.from_scores([0, 1], [0.1, 0.9], kind="llr").binned([0.0, 1.0])
    with pytest.raises(UndefinedError, match=r"cuts the bin of scores 0\.1 to 0\.9"):
        bins.counts_above(0.5)


def test_different_edges_do_not_add():
    sc = ScoreCounts.from_scores([0, 1], [0.1, 0.9], kind="llr")
    with pytest.raises(MergeError, match="same edges"):
        sc.binned([0.0]) + sc.binned([0.5])


@pytest.mark.parametrize("bad", [[1.0, 0.0], [0.0, 0.0], [np.nan], [[0.0]]])
def test_edges_must_ascend(bad):
    with pytest.raises(DataError, match="ascending"):
        ScoreCounts.from_scores([0, 1], [0.1, 0.9], kind="llr").binned(bad)


def test_shapes_must_fit_the_edges():
    with pytest.raises(DataError, match="1 edges make 2 bins"):
        ScoreBins(np.array([0.0]), np.ones((3, 2)), np.zeros(3), np.ones(3))


class TestEdges:
    def test_thresholds_are_among_them(self):
        found = score_edges(thresholds=[0.123, -7.5], bins=100)
        assert {0.123, -7.5} <= set(found)
        assert (np.diff(found) > 0).all()

    def test_sample_gives_bins_of_equal_content(self):
        rng = np.random.default_rng(0)
        crowded = rng.normal(size=20_000) * 1e-3 + 5
        sc = ScoreCounts.from_scores(rng.random(20_000) < 0.5, crowded, kind="rank")
        bins = sc.binned(score_edges(crowded[:2000], bins=200))
        share = bins.counts.sum(axis=1) / 20_000
        assert share.max() < 0.03
        coarse = sc.binned(score_edges(bins=200))
        wide, narrow = (np.diff(score_bounds(b)["auc"])[0] for b in (coarse, bins))
        assert narrow < wide / 50

    def test_bins_from_scores_and_from_the_summary_agree(self):
        y, s = [0, 1, 1], [0.1, 0.2, 1.0]
        one = ScoreBins.from_scores(y, s, edges=[0.15], kind="llr")
        two = ScoreCounts.from_scores(y, s, kind="llr").binned([0.15])
        assert one.counts.tolist() == two.counts.tolist()

    def test_impossible_numbers_are_refused(self):
        with pytest.raises(DataError, match="at least 2"):
            score_edges(bins=1)
        with pytest.raises(DataError, match="must not be empty"):
            score_edges([])
