"""A count of identical rows is a repetition; a weight is one only where values are averaged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, PairedCounts, ScoreBins, ScoreCounts, metrics
from stakes.exceptions import DataError
from stakes.summaries import GroupedCounts, one_vs_rest, pairwise
from stakes.uncertainty import interval

APP = Application([[0, 1], [10, 0]])


@st.composite
def counted_rows(draw):
    """Truth, two systems, scores and groups of some rows, and how often each was seen."""
    n = draw(st.integers(2, 12))
    column = st.lists(st.integers(0, 1), min_size=n, max_size=n).map(np.array)
    levels = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]), min_size=n, max_size=n)
    y, a, b, g = (draw(column) for _ in range(4))
    y[:2] = 0, 1
    counts = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    counts[:2] += 1
    return y, a, b, np.array(draw(levels)), g, counts


def posteriors(scores):
    """Three classes, so that none is impossible."""
    rest = 0.05 + 0.9 * scores
    return np.column_stack([1 - rest, 0.7 * rest, 0.3 * rest])


#: Every builder of a summary from rows, by what it is built from.
BUILT = {
    "ConfusionMatrix": lambda y, a, b, s, g, **w: ConfusionMatrix.from_decisions(y, a, **w),
    "PairedCounts": lambda y, a, b, s, g, **w: PairedCounts.from_decisions(
        y, {"a": a, "b": b}, **w
    ),
    "PairedCounts of scores": lambda y, a, b, s, g, **w: PairedCounts.from_scores(
        y, {"s": s}, thresholds=[0.2, 0.5], **w
    ),
    "GroupedCounts": lambda y, a, b, s, g, **w: GroupedCounts.from_decisions(y, a, groups=g, **w),
    "ScoreCounts": lambda y, a, b, s, g, **w: ScoreCounts.from_scores(y, s, kind="posterior", **w),
    "ScoreBins": lambda y, a, b, s, g, **w: ScoreBins.from_scores(
        y, s, kind="posterior", edges=[0.2, 0.5], **w
    ),
    "one_vs_rest": lambda y, a, b, s, g, **w: one_vs_rest(y, posteriors(s), **w)[1],
    "pairwise": lambda y, a, b, s, g, **w: pairwise(y, posteriors(s), **w)[0, 1],
}


def alike(first, second):
    """Whether two summaries hold the same names and the same whole numbers."""
    if isinstance(first, ScoreCounts):
        parts = zip(first.levels, second.levels, strict=True)
        return first == second and all(a.dtype == b.dtype for a, b in parts)
    same = [first.counts.dtype == second.counts.dtype == np.int64]
    same.append(np.array_equal(first.counts, second.counts))
    for name in ("classes", "decisions", "systems", "groups", "cells", "keys", "edges", "lowest"):
        if hasattr(first, name):
            one, other = getattr(first, name), getattr(second, name)
            arrays = isinstance(one, np.ndarray)
            same.append(np.array_equal(one, other, equal_nan=True) if arrays else one == other)
    return all(same)


@pytest.mark.parametrize("name", BUILT)
@given(rows=counted_rows())
@settings(max_examples=40)
def test_counts_are_repetitions(name, rows):
    *columns, counts = rows
    made = BUILT[name](*columns, counts=counts)
    assert alike(made, BUILT[name](*(np.repeat(c, counts, axis=0) for c in columns)))


@given(rows=counted_rows())
@settings(max_examples=40)
def test_costs_of_counted_rows_are_those_of_repeated_ones(rows):
    y, a, _, s, _, counts = rows
    for cost in (metrics.expected_cost, metrics.normalized_expected_cost):
        found = cost(y, a, application=APP, counts=counts)
        assert found == cost(np.repeat(y, counts), np.repeat(a, counts), application=APP)
        assert found == pytest.approx(cost(y, a, application=APP, sample_weight=counts))
    by_count, by_weight = (
        ScoreCounts.from_scores(y, s, kind="posterior", **{how: counts})
        for how in ("counts", "sample_weight")
    )
    assert metrics.auc(by_count) == pytest.approx(metrics.auc(by_weight))


def test_an_interval_knows_how_many_cases_there_were():
    y, decided, counts = [0, 0, 1, 1], [0, 1, 0, 1], [80, 10, 5, 30]
    table = ConfusionMatrix.from_decisions(y, decided, counts=counts)
    repeated = ConfusionMatrix.from_decisions(np.repeat(y, counts), np.repeat(decided, counts))
    ends = [interval(each, application=APP) for each in (table, repeated)]
    assert (ends[0].low, ends[0].high) == (ends[1].low, ends[1].high)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 1.5], "whole numbers of cases; row 1 is 1.5"),
        ([1, -1], "whole numbers of cases; row 1 is -1"),
        ([1, np.inf], "whole numbers of cases; row 1 is inf"),
        ([0, 0], "1 or more cases"),
        ([2**53, 1], "below 2\\^53"),
        ([1], "1 rows but there are 2 cases"),
    ],
)
@pytest.mark.parametrize("name", ["ConfusionMatrix", "PairedCounts", "ScoreCounts"])
def test_what_cannot_be_a_count(name, counts, message):
    columns = [np.array([0, 1])] * 3 + [np.array([0.1, 0.9]), np.array([0, 0])]
    with pytest.raises(DataError, match=message):
        BUILT[name](*columns, counts=counts)


def test_a_row_has_a_count_or_a_weight():
    with pytest.raises(DataError, match="only one of them"):
        ConfusionMatrix.from_decisions([0, 1], [0, 1], counts=[1, 2], sample_weight=[1, 2])
