"""Merging two sorted classes: against a loop over distinct scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels import fast_loops as blocks
from stakes._kernels import label_runs as scores_runs
from stakes._kernels.fast_loops import merge_loop
from stakes._kernels.label_runs import (
    compressed,
    distinct_scores,
    label_runs,
    merged_scores,
    split_classes,
)

few = st.sampled_from([-np.inf, -2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, np.inf])
column = st.lists(few, max_size=30).map(lambda values: np.sort(np.array(values, dtype=float)))


def runs_by_hand(negatives, positives):
    """Join neighbouring distinct scores while they hold cases of the same single class."""
    runs = []
    for score in np.unique(np.concatenate([negatives, positives])):
        n, p = int((negatives == score).sum()), int((positives == score).sum())
        last = runs[-1] if runs else None
        if last and ((n == 0 and last[0] == 0) or (p == 0 and last[1] == 0)):
            runs[-1] = (last[0] + n, last[1] + p, last[2], score)
        else:
            runs.append((n, p, score, score))
    return runs


@given(column, column)
def test_runs_against_a_loop_over_distinct_scores(negatives, positives):
    runs = label_runs(negatives, positives, None, None)
    assert list(zip(*(part.tolist() for part in runs), strict=True)) == runs_by_hand(
        negatives, positives
    )


@given(column, column, st.integers(1, 4))
def test_runs_do_not_depend_on_the_block_size(negatives, positives, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scores_runs, "blocks", lambda n: blocks.blocks(n, size))
        runs = label_runs(negatives, positives, None, None)
    assert list(zip(*(part.tolist() for part in runs), strict=True)) == runs_by_hand(
        negatives, positives
    )


@given(column, column)
def test_merge_loop_gives_the_same_runs(negatives, positives):
    expected = label_runs(negatives, positives, None, None)
    size = 2 * min(len(negatives), len(positives)) + 1
    counts, ends = np.empty((2, size), np.int64), np.empty((2, size))
    used = merge_loop(negatives, positives, *counts, *ends)
    for part, loop in zip(expected, (*counts, *ends), strict=True):
        assert part.tolist() == loop[:used].tolist()


@given(column, column)
def test_counts_stand_for_repeated_scores(negatives, positives):
    values, n_first, n_second = distinct_scores(negatives, positives, None, None)
    keep0, keep1 = n_first > 0, n_second > 0
    counted = label_runs(values[keep0], values[keep1], n_first[keep0], n_second[keep1])
    for a, b in zip(counted, label_runs(negatives, positives, None, None), strict=True):
        assert a.tolist() == b.tolist()


@given(st.lists(st.tuples(few, st.booleans()), min_size=1, max_size=30))
def test_split_sorts_each_class(rows):
    scores = np.array([score for score, _ in rows])
    positive = np.array([label for _, label in rows])
    first, second = split_classes(scores, positive)
    assert first.tolist() == sorted(scores[~positive])
    assert second.tolist() == sorted(scores[positive])


def test_split_leaves_the_input_alone():
    scores = np.array([3.0, 1.0, 2.0])
    scores.flags.writeable = False
    split_classes(scores, np.array([True, False, True]))
    assert scores.tolist() == [3.0, 1.0, 2.0]


def test_few_distinct_values_are_kept_with_counts():
    values, counts = compressed(np.array([1.0, 1.0, 1.0, 2.0]))
    assert values.tolist() == [1.0, 2.0]
    assert counts.tolist() == [3, 1]


def test_many_distinct_values_are_kept_as_they_are():
    values, counts = compressed(np.array([1.0, 2.0, 2.0, 3.0]))
    assert values.tolist() == [1.0, 2.0, 2.0, 3.0]
    assert counts is None


def test_weights_of_equal_scores_are_added_and_zeros_left_out():
    values, counts = merged_scores(np.array([2.0, 1.0, 2.0, 5.0]), np.array([0.5, 1.0, 2.0, 0.0]))
    assert values.tolist() == [1.0, 2.0]
    assert counts.tolist() == [1.0, 2.5]
