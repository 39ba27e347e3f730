"""ScoreCounts: what it counts, what it refuses, and that parts add up to the whole."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import ScoreCounts, metrics
from stakes.exceptions import DataError, LabelError, MergeError, PriorError, UndefinedError

score = st.sampled_from([-np.inf, -1.0, 0.0, 0.25, 2.0, np.inf])
rows = st.lists(st.tuples(st.integers(0, 1), score, st.integers(0, 3)), min_size=1, max_size=30)


def columns(drawn):
    y, s, w = zip(*drawn, strict=True)
    return np.array(y), np.array(s), np.array(w, dtype=float)


class TestFromScores:
    @given(rows)
    def test_counts_cases_at_each_distinct_score(self, drawn):
        y, s, _ = columns(drawn)
        sc = ScoreCounts.from_scores(y, s, kind="llr")
        assert sc.scores.tolist() == np.unique(s).tolist()
        expected = [[int(((s == v) & (y == k)).sum()) for k in (0, 1)] for v in np.unique(s)]
        assert sc.counts.tolist() == expected
        assert sc.total == len(y)

    @given(rows)
    def test_integer_weights_are_repeated_rows(self, drawn):
        y, s, w = columns(drawn)
        if not w.any():
            return
        weighted = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        times = w.astype(int)
        repeated = ScoreCounts.from_scores(np.repeat(y, times), np.repeat(s, times), kind="llr")
        assert weighted == repeated

    @given(rows, st.integers(0, 30))
    def test_parts_add_up_to_the_whole(self, drawn, cut):
        y, s, _ = columns(drawn)
        whole = ScoreCounts.from_scores(y, s, kind="llr")
        parts = [
            ScoreCounts.from_scores(y[part], s[part], kind="llr", classes=[0, 1])
            for part in (slice(0, cut), slice(cut, None))
            if y[part].size
        ]
        assert sum(parts) == whole
        for a, b in zip(sum(parts).runs, whole.runs, strict=True):
            assert a.tolist() == b.tolist()

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_keeps_the_type_of_the_scores(self, dtype):
        sc = ScoreCounts.from_scores([0, 1], np.array([0.1, 0.2], dtype=dtype), kind="llr")
        assert sc.scores.dtype == dtype

    @pytest.mark.parametrize(
        ("y", "classes"),
        [
            ([False, True, True], (False, True)),
            ([0, 1, 1], (0, 1)),
            ([0.0, 1.0, 1.0], (0, 1)),
            ([-1, 1, 1], (-1, 1)),
            (["no", "yes", "yes"], ("no", "yes")),
            (np.array([0, 1, 1], dtype=np.uint8), (0, 1)),
        ],
    )
    def test_labels_of_any_kind(self, y, classes):
        sc = ScoreCounts.from_scores(y, [0.0, 1.0, 2.0], kind="rank")
        assert sc.classes == classes
        assert sc.positives.tolist() == [1.0, 2.0]

    @pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
    def test_columns_of_frame_libraries(self, library):
        module = pytest.importorskip(library, reason=f"reads columns of {library}")
        make = {"pandas": "Series", "polars": "Series", "pyarrow": "chunked_array"}[library]
        wrap = (lambda v: module.chunked_array([v])) if library == "pyarrow" else (
            getattr(module, make))  # fmt: skip
        y, s = ["no", "yes", "yes"], [0.25, 0.5, 0.75]
        found = ScoreCounts.from_scores(wrap(y), wrap(s), kind="posterior")
        assert found == ScoreCounts.from_scores(y, s, kind="posterior")

    def test_classes_say_which_is_second(self):
        sc = ScoreCounts.from_scores(
            ["good", "bad"], [0.0, 1.0], kind="rank", classes=["good", "bad"]
        )
        assert sc.positives.tolist() == [1.0]

    def test_one_class_in_the_data_is_allowed(self):
        sc = ScoreCounts.from_scores([1, 1], [0.0, 1.0], kind="llr")
        assert sc.class_totals.tolist() == [0, 2]
        with pytest.raises(UndefinedError, match="no case of 0"):
            sc.require_both("auc")

    def test_does_not_change_or_keep_the_input(self):
        scores = np.array([3.0, 1.0, 2.0])
        sc = ScoreCounts.from_scores([0, 1, 1], scores, kind="llr")
        scores[:] = 0
        assert sc.scores.tolist() == [1.0, 2.0, 3.0]
        with pytest.raises(ValueError, match="read-only"):
            sc.positives[0] = 7

    def test_nan_is_refused(self):
        with pytest.raises(DataError, match=r"missing values; the first is row 1"):
            ScoreCounts.from_scores([0, 1], [0.0, np.nan], kind="llr")

    def test_posteriors_outside_the_unit_interval_are_refused(self):
        with pytest.raises(DataError, match=r"row 1 is 7.1 .*\n.*kind='log_odds'"):
            ScoreCounts.from_scores([0, 1], [0.5, 7.1], kind="posterior")

    def test_unknown_kind_is_refused(self):
        with pytest.raises(DataError, match="'llr', 'log_odds', 'posterior', 'rank'"):
            ScoreCounts.from_scores([0, 1], [0.5, 0.7], kind="probability")

    def test_three_classes_are_refused(self):
        with pytest.raises(LabelError, match="two classes; got 3"):
            ScoreCounts.from_scores(["a", "b", "c"], [0.0, 1.0, 2.0], kind="rank")

    def test_one_name_alone_is_refused(self):
        with pytest.raises(LabelError, match="two classes; got 1"):
            ScoreCounts.from_scores(["a", "a"], [0.0, 1.0], kind="rank")

    def test_unequal_lengths_are_refused(self):
        with pytest.raises(DataError, match="2 rows but `scores` has 3"):
            ScoreCounts.from_scores([0, 1], [0.0, 1.0, 2.0], kind="llr")

    def test_empty_input_is_refused(self):
        with pytest.raises(DataError, match="empty"):
            ScoreCounts.from_scores(np.array([], int), np.array([]), kind="llr", classes=[0, 1])

    def test_prior_of_an_llr_is_refused(self):
        with pytest.raises(PriorError, match="no meaning"):
            ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="llr", from_priors=0.2)


class TestCompiledLoops:
    @pytest.mark.parametrize("digits", [0, 1, 6])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_same_summary_and_numbers_with_and_without(self, monkeypatch, digits, weighted):
        pytest.importorskip("numba", reason="the extra `fast` is not installed")
        rng = np.random.default_rng(0)
        y = rng.random(3000) < 0.3
        s = np.round(rng.normal(size=3000) + y, digits)
        w = rng.integers(1, 4, 3000).astype(float) if weighted else None
        found = []
        for wish in ("0", "1"):
            monkeypatch.setenv("STAKES_FAST", wish)
            sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
            parts = [part.tolist() for part in (*sc.runs, *sc.cumulated, sc.hull, sc.cuts)]
            found.append((parts, metrics.auc(sc), metrics.eer(sc), metrics.min_cllr(sc)))
        assert found[0] == found[1]


class TestConstructor:
    def test_parts_are_copied(self):
        scores, counts = np.array([0.0, 1.0]), np.array([2, 3])
        sc = ScoreCounts(scores, np.array([0.5]), counts)
        scores[:] = counts[:] = 9
        assert sc.frame()["score"].tolist() == [0.0, 0.5, 1.0]
        assert sc.class_totals.tolist() == [5, 1]

    @pytest.mark.parametrize(
        ("parts", "message"),
        [
            (([1.0, 0.0], [0.5]), "ascending"),
            (([np.nan], [0.5]), "without NaN"),
            (([0.0], [0.5], [1, 2]), "shape"),
            (([0.0], [0.5], [0]), "positive"),
            (([0.0], [0.5], None, [-1.0]), "positive"),
            (([], []), "empty"),
        ],
    )
    def test_impossible_parts_are_refused(self, parts, message):
        arrays = [None if p is None else np.array(p, dtype=float) for p in parts]
        with pytest.raises(DataError, match=message):
            ScoreCounts(*arrays)


class TestMerging:
    def test_different_kinds_do_not_add(self):
        a = ScoreCounts.from_scores([0, 1], [0.2, 0.8], kind="posterior")
        b = ScoreCounts.from_scores([0, 1], [0.2, 0.8], kind="llr")
        with pytest.raises(MergeError, match="same classes, kind and `from_priors`"):
            a + b

    def test_pickle_keeps_everything(self):
        sc = ScoreCounts.from_scores([0, 1], [0.2, 0.8], kind="posterior", from_priors=0.3)
        assert pickle.loads(pickle.dumps(sc)) == sc

    def test_few_distinct_scores_stay_small(self):
        y = np.arange(10_000) % 2
        sc = ScoreCounts.from_scores(y, np.arange(10_000) % 5, kind="rank")
        assert sc.negatives.shape == (5,)


class TestCuts:
    @given(rows)
    def test_each_cut_parts_the_runs_it_stands_between(self, drawn):
        y, s, _ = columns(drawn)
        sc = ScoreCounts.from_scores(y, s, kind="llr")
        below_first, below_second = sc.cumulated
        for k, cut in enumerate(sc.cuts):
            if np.isneginf(cut):
                assert (below_first[k], below_second[k]) == (0, 0)  # act on all, -inf included
                continue
            above = sc.counts_above(cut)
            assert above[0] == ((s > cut) & (y == 0)).sum() == sc.class_totals[0] - below_first[k]
            assert above[1] == ((s > cut) & (y == 1)).sum() == sc.class_totals[1] - below_second[k]

    @given(rows)
    def test_some_cuts_are_the_same_as_all(self, drawn):
        y, s, _ = columns(drawn)
        sc = ScoreCounts.from_scores(y, s, kind="llr")
        which = np.arange(sc.cuts.shape[0])[::-1]
        np.testing.assert_array_equal(sc.cuts_at(which), sc.cuts[which])

    def test_neighbouring_floats_are_parted(self):
        low, high = 1.0, np.nextafter(1.0, 2.0)
        sc = ScoreCounts.from_scores([0, 1], [low, high], kind="llr")
        assert low <= sc.cuts[1] < high
