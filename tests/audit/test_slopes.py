"""Directions of equal value, against metrics whose level sets are known."""

import numpy as np
import pytest

from stakes.audit.count_metric import CountMetric
from stakes.audit.indifference import (
    _N_ANGLES,
    _N_HALVINGS,
    BINARY_MOVES,
    StrictPairs,
    indifference,
    strict_sign,
)

BASES = np.array([[[60.0, 40.0], [30.0, 70.0]], [[200.0, 100.0], [40.0, 60.0]]])
#: The last interval is this wide, and its middle is taken.
CLOSE = 1.01 * np.pi / _N_ANGLES / 2**_N_HALVINGS / 2


def metric(value, *, up=True):
    return CountMetric("m", lambda t: value(t[:, 0, 0], t[:, 1, 1]), higher_is_better=up)


def linear(tn, tp):
    return tn + 3 * tp


def test_moves_are_fewer_false_positives_and_fewer_false_negatives():
    fewer_fp, fewer_fn = (move.table((2, 2)).tolist() for move in BINARY_MOVES)
    assert fewer_fp == [[1, -1], [0, 0]]
    assert fewer_fn == [[0, 0], [-1, 1]]


class TestIndifference:
    @pytest.mark.parametrize("weights", [(1, 3), (1, 0.02), (0.05, 1), (1, -1)])
    def test_a_linear_metric_grows_along_its_weights(self, weights):
        weighted = metric(lambda tn, tp: weights[0] * tn + weights[1] * tp)
        found = indifference(weighted, BASES, BINARY_MOVES, 0.1)
        # steps differ by class in the second table, which stretches an angle up to three times
        right = np.mod(np.arctan2(weights[1], weights[0]), 2 * np.pi)
        np.testing.assert_allclose(found.normals, right, atol=3.05 * CLOSE)
        np.testing.assert_allclose(found.bends, 0, atol=1e-9)

    def test_a_cost_grows_the_other_way(self):
        found = indifference(metric(linear, up=False), BASES, BINARY_MOVES, 0.1)
        np.testing.assert_allclose(found.normals, np.arctan2(3, 1) + np.pi, atol=3 * CLOSE)

    def test_pairs_are_ordered_and_say_how_far_apart_they_are(self):
        found = indifference(metric(linear), BASES, BINARY_MOVES, 0.1).pairs
        total = found.better.sum(axis=(1, 2))
        gaps = (found.better - found.worse) / total[:, None, None]
        np.testing.assert_allclose(found.steps, np.stack([gaps[:, 0, 0], gaps[:, 1, 1]], axis=1))
        gain = linear(*(total * found.steps.T))
        assert (gain > 0).all()
        spread = linear(200, 60) - linear(60, 70)
        np.testing.assert_allclose(found.margins, gain / spread)
        np.testing.assert_allclose(found.angles, np.arctan2(found.steps[:, 1], found.steps[:, 0]))
        # both ends of a step have left the base by a tenth of the class, in all directions
        longest = np.abs(found.steps).max(axis=0)
        assert longest[1] == pytest.approx(2 * 0.1 * 100 / 200, rel=0.01)
        assert len(found) >= 2 * _N_ANGLES

    def test_a_bent_level_set(self):
        """f = x + y - k (x - y)^2 at x = y: off the chord by 2 k l^2, 2 sqrt(2) l across it."""
        base = np.array([[[50.0, 50.0], [50.0, 50.0]]])
        bent = metric(lambda x, y: x + y - 0.02 * (x - y) ** 2)
        found = indifference(bent, base, BINARY_MOVES, 0.1)
        np.testing.assert_allclose(found.normals, np.pi / 4, atol=CLOSE)
        assert found.bends[0] == pytest.approx(0.02 * 10 / np.sqrt(2), rel=1e-5)

    def test_nothing_is_found_where_nothing_changes(self):
        found = indifference(metric(lambda x, y: 0 * x + 1), BASES, BINARY_MOVES, 0.1)
        assert np.isnan(found.normals).all()
        assert np.isnan(found.bends).all()
        assert len(found.pairs) == 0

    def test_whole_counts_stay_whole(self):
        bases = np.array([[[10.4, 5.8], [2.5, 7.1]]])  # 16.2 and 9.6 cases
        found = indifference(metric(linear), bases, BINARY_MOVES, 0.2, whole=True).pairs
        for tables in (found.better, found.worse):
            assert (tables == np.rint(tables)).all()
            assert (tables.sum(axis=2) == [16, 10]).all()
        # steps of 0.2 * (16, 10) cases around [[10, 6], [2, 8]]
        middle = (found.better + found.worse) / 2
        assert (middle == [[10, 6], [2, 8]]).all()
        assert np.abs(found.better - middle)[:, 0, 0].max() == 3
        assert np.abs(found.better - middle)[:, 1, 1].max() == 2


@pytest.mark.parametrize(
    ("first", "second", "sign"),
    [
        (2.0, 1.0, 1), (1.0, 2.0, -1), (0.0, 0.0, 0), (-1.0, 1.0, -1),
        (1.0, 1 + 5e-12, 0), (1.0, 1 + 5e-11, -1), (1e6, 1e6 + 5e-6, 0), (1e6 + 5e-5, 1e6, 1),
        (np.inf, 1.0, 1), (1.0, np.inf, -1), (np.inf, np.inf, 0), (np.nan, 1.0, 0),
        (1.0, np.nan, 0),
    ],
)  # fmt: skip
def test_strict_sign(first, second, sign):
    assert strict_sign(np.array([first]), np.array([second]))[0] == sign


def test_pairs_without_a_sign_are_left_out():
    tables = np.arange(16.0).reshape(4, 2, 2)
    steps = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    scores = np.array([[2.0, 0.0, np.inf, np.nan], [0.0, 3.0, 0.0, 0.0]])
    found = StrictPairs.ordered(np.stack([tables, -tables]), scores, steps, 4.0)
    np.testing.assert_array_equal(found.better, [tables[0], -tables[1], tables[2]])
    np.testing.assert_array_equal(found.worse, [-tables[0], tables[1], -tables[2]])
    assert found.steps.tolist() == [[1, 2], [-3, -4], [5, 6]]
    assert found.margins.tolist() == [0.5, 0.75, 1.0]
    pair = np.stack([tables[:1], tables[1:2]])
    no_spread = StrictPairs.ordered(pair, np.array([[2.0], [0.0]]), steps[:1], 0.0)
    assert no_spread.margins.tolist() == [2.0]
