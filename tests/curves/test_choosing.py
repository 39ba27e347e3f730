"""The tangent, switch points and dominance, each against trying all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from brute_force_scores import all_rates, samples
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, CostMatrix, ScoreCounts, curves, metrics
from stakes.exceptions import CostError, DataError


def from_points(points, n=1000):
    """Scores whose ROC curve has these vertices (false, true positive rate)."""
    y, s = [], []
    for k, (start, stop) in enumerate(itertools.pairwise(points)):
        for label, a, b in ((0, start[0], stop[0]), (1, start[1], stop[1])):
            count = round((b - a) * n)
            y += [label] * count
            s += [-float(k)] * count
    return ScoreCounts.from_scores(y, s, kind="rank")


class TestTangent:
    def test_dyrland_2022_figure_8(self):
        # The curve with the larger area yields less: slope 1/4 in both of the printed cases.
        blue = from_points([(0, 0), (0.4, 1), (1, 1)])
        red = from_points([(0, 0), (0, 0.8), (1, 1)])
        assert metrics.auc(red) > metrics.auc(blue)
        first = Application(CostMatrix.from_utilities([[1, 0], [0, 4]]), priors=[0.5, 0.5])
        second = Application(CostMatrix.from_utilities([[1, 0], [0, 1]]), priors=[0.2, 0.8])
        for app in (first, second):
            better, worse = (curves.iso_cost_tangent(sc, app) for sc in (blue, red))
            assert better.slope == pytest.approx(0.25)  # eq 25: (1 - B) / (4 B), B = 0.5
            assert better.intercept == pytest.approx(1 - 0.25 * 0.4)
            assert worse.intercept == pytest.approx(0.8)
            assert better.cost < worse.cost

    @given(samples, st.floats(0.1, 10), st.sampled_from([0.1, 0.5, 0.8]))
    def test_no_point_lies_above_the_line(self, sample, ratio, prior):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
        app = Application([[0, 1], [ratio, 0]], priors=[1 - prior, prior])
        line = curves.iso_cost_tangent(sc, app)
        points = all_rates(y, s, w)
        above = (1 - points[:, 1]) - line.slope * points[:, 0]
        assert line.intercept == pytest.approx(above.max())
        # eq 22: utility yield = (U00 - U10) B (t - slope f) + constant.
        assert line.cost == pytest.approx(prior * ratio * (1 - line.intercept))

    def test_costs_without_errors_are_refused(self):
        sc = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="rank")
        with pytest.raises(CostError, match="errors that cost more"):
            curves.iso_cost_tangent(sc, CostMatrix([[1, 0], [0, 1]]))
        with pytest.raises(CostError, match="two decisions"):
            curves.iso_cost_tangent(sc, CostMatrix.zero_one(2).with_abstention(0.1))


def winner_by_hand(systems, x, tolerance, actual):
    p = 1 / (1 + np.exp(-x))
    app = Application([[0, 1], [1, 0]], priors=[1 - p, p])
    measure = metrics.actual_cost if actual else metrics.min_cost
    costs = {name: measure(sc, app, normalized=True) for name, sc in systems.items()}
    ordered = sorted(costs, key=costs.get)
    margin = min(
        abs(costs[ordered[0]] - (1 - tolerance)),
        abs(costs[ordered[1]] - costs[ordered[0]] - tolerance),
    )
    if costs[ordered[0]] > 1 - tolerance:
        return "none", margin
    if costs[ordered[1]] - costs[ordered[0]] < tolerance:
        return "tie", margin
    return ordered[0], margin


class TestSwitchPoints:
    @pytest.mark.parametrize("actual", [False, True])
    @pytest.mark.parametrize("seed", range(4))
    def test_against_one_application_at_a_time(self, seed, actual):
        rng = np.random.default_rng(seed)
        y = rng.random(60) < 0.4
        systems = {
            name: ScoreCounts.from_scores(
                y, np.round(scale * rng.normal(size=60) + gain * y - 0.4, 2), kind="llr"
            )
            for name, scale, gain in (("a", 1.0, 1.5), ("b", 2.0, 2.0), ("c", 0.5, 0.7))
        }
        found = curves.switch_points(systems, low=-4, high=4, narrowest=0, actual=actual)
        assert found.start[0] == -4
        assert found.stop[-1] == 4
        np.testing.assert_allclose(found.start[1:], found.stop[:-1])
        for x in rng.uniform(-4, 4, 200):
            name, margin = winner_by_hand(systems, x, 0.01, actual)
            k = int(np.searchsorted(found.stop, x))
            if margin > 1e-9:
                assert found.winner[k] == name

    def test_neighbours_differ(self):
        systems = {
            "blue": from_points([(0, 0), (0.4, 1), (1, 1)]),
            "red": from_points([(0, 0), (0, 0.8), (1, 1)]),
        }
        found = curves.switch_points(systems)
        assert all(a != b for a, b in zip(found.winner[:-1], found.winner[1:], strict=True))
        assert found.winner[0] == "red"
        # Equal cost where 0.4 (1 - pi) = 0.2 pi, that is at odds of 2; the narrow tie around
        # that point is divided between the two.
        assert found.winner == ("red", "blue")
        assert found.start[1] == pytest.approx(np.log(2), abs=1e-3)
        with_tie = curves.switch_points(systems, narrowest=0)
        assert with_tie.winner == ("red", "tie", "blue")
        assert with_tie.start[1] < np.log(2) < with_tie.stop[1]

    def test_useless_systems_win_nowhere(self):
        y = [0, 1, 0, 1]
        same = ScoreCounts.from_scores(y, [1.0, 1.0, 1.0, 1.0], kind="rank")
        assert curves.switch_points({"a": same, "b": same}).winner == ("none",)

    def test_same_point_in_cost_ratio_and_prevalence(self):
        systems = {
            "blue": from_points([(0, 0), (0.4, 1), (1, 1)]),
            "red": from_points([(0, 0), (0, 0.8), (1, 1)]),
        }
        found = curves.switch_points(systems, tolerance=0.0)
        edge = found.winner.index("blue")
        assert found.start[edge] == pytest.approx(np.log(2))
        # At a prevalence of 20 %, odds of 2 are a miss that costs 8 false alarms.
        assert found.by_cost_ratio(0.2)["from_ratio"][edge] == pytest.approx(8)
        # When a miss costs 2 false alarms, odds of 2 are a prevalence of one half.
        assert found.by_prevalence(2.0)["from_prevalence"][edge] == pytest.approx(0.5)

    def test_slivers_are_divided_between_their_neighbours(self):
        rng = np.random.default_rng(1)
        y = rng.random(300) < 0.4
        systems = {
            name: ScoreCounts.from_scores(y, rng.normal(size=300) + y - 0.5, kind="llr")
            for name in "ab"
        }
        exact = curves.switch_points(systems, actual=True, narrowest=0)
        merged = curves.switch_points(systems, actual=True)
        assert (exact.stop - exact.start).min() < 0.1 <= (merged.stop - merged.start).min()
        assert len(merged.winner) < len(exact.winner)
        assert (merged.start[0], merged.stop[-1]) == (exact.start[0], exact.stop[-1])

    def test_nothing_to_compare_is_refused(self):
        with pytest.raises(DataError, match="must not be empty"):
            curves.switch_points({})


class TestDominance:
    @given(samples, st.randoms(use_true_random=False))
    def test_against_a_grid_of_applications(self, sample, random):
        y, s, w = sample
        other = list(s)
        random.shuffle(other)
        systems = {
            "a": ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w),
            "b": ScoreCounts.from_scores(y, np.array(other), kind="rank", sample_weight=w),
        }
        grid = np.linspace(0, 1, 101)
        costs = {name: curves.cost(sc, grid).cost for name, sc in systems.items()}
        table = curves.curve_dominance(systems)
        if table.matrix[0, 1]:
            assert (costs["a"] <= costs["b"] + 1e-9).all()
        else:
            points = curves.roc(systems["b"], hull=True)
            hull = curves.roc(systems["a"], hull=True)
            outside = [
                (np.diff(hull.false_positive_rate) * (t - hull.true_positive_rate[:-1])
                 - np.diff(hull.true_positive_rate) * (f - hull.false_positive_rate[:-1])).max()
                for f, t in zip(points.false_positive_rate, points.true_positive_rate, strict=True)
            ]  # fmt: skip
            assert max(outside) > 0

    def test_crossing_curves_do_not_dominate(self):
        systems = {
            "blue": from_points([(0, 0), (0.4, 1), (1, 1)]),
            "red": from_points([(0, 0), (0, 0.8), (1, 1)]),
        }
        assert curves.curve_dominance(systems).undominated == ("blue", "red")
