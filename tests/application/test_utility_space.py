"""The plane of binary utility matrices (`dyrland2022` eqs 11-13)."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from stakes import CostMatrix
from stakes.application import UtilityPoint, normalized_utilities
from stakes.exceptions import CostError

coordinates = st.floats(-1, 1)
points = st.tuples(coordinates, coordinates).filter(lambda p: abs(p[1] - p[0]) <= 1)


def printed(x: float, y: float) -> np.ndarray:
    """Eq 13 as printed: rows are the classifier's output, columns the true class."""
    return np.array(
        [
            [1 - x * (x > 0), y * (y > 0)],
            [-y * (y < 0), 1 + x * (x < 0)],
        ]
    )


class TestNormalized:
    def test_hand_arithmetic(self) -> None:
        """Eq 12 for the production line: from -335 to 165, a span of 500."""
        costs = CostMatrix.from_utilities([[15, -35], [-335, 165]])
        np.testing.assert_allclose(
            normalized_utilities(costs), [[350 / 500, 300 / 500], [0, 500 / 500]]
        )

    @given(
        st.lists(st.integers(-50, 50), min_size=4, max_size=4),
        st.floats(0.1, 9),
        st.integers(-9, 9),
    )
    def test_zero_and_unit_do_not_matter(self, cells, factor, shift) -> None:
        """Eq 11."""
        values = np.reshape(cells, (2, 2)).astype(float)
        assume(np.ptp(values) > 0)
        first = normalized_utilities(CostMatrix(values))
        np.testing.assert_allclose(
            first, normalized_utilities(CostMatrix(values * factor + shift)), atol=1e-12
        )
        assert first.min() == 0
        assert first.max() == 1

    def test_all_equal_has_no_unit(self) -> None:
        with pytest.raises(CostError, match="must differ somewhere; all are 3"):
            normalized_utilities(CostMatrix([[3, 3], [3, 3]]))


class TestPoint:
    @given(points)
    def test_utilities_are_equation_13_transposed(self, point) -> None:
        np.testing.assert_array_equal(UtilityPoint(*point).utilities, printed(*point).T)

    @given(points)
    def test_there_and_back(self, point) -> None:
        x, y = point
        back = UtilityPoint.from_costs(UtilityPoint(x, y).costs())
        assert (back.x, back.y) == pytest.approx((x, y), abs=1e-12)

    @given(points)
    def test_equation_13_is_normalised_already(self, point) -> None:
        point = UtilityPoint(*point)
        np.testing.assert_allclose(normalized_utilities(point.costs()), point.utilities, atol=1e-12)

    @given(points, st.floats(0.1, 1000), st.integers(-1000, 1000))
    def test_zero_and_unit_do_not_matter(self, point, factor, shift) -> None:
        costs = UtilityPoint(*point).costs()
        moved = UtilityPoint.from_costs(CostMatrix(costs.values * factor + shift))
        assert (moved.x, moved.y) == pytest.approx(point, abs=1e-9)

    def test_the_centre_is_accuracy(self) -> None:
        assert UtilityPoint.from_costs(CostMatrix.zero_one(2)) == UtilityPoint(0, 0)
        assert UtilityPoint(0, 0).costs() == CostMatrix.zero_one(2)

    def test_left_means_less_for_class_1_rightly_decided(self) -> None:
        """An asymmetric matrix, by hand: deciding 1 rightly gains only 0.6 of deciding 0."""
        costs = CostMatrix.from_utilities([[1, 0], [0, 0.6]])
        assert UtilityPoint.from_costs(costs) == UtilityPoint(0.6 - 1, 0)

    def test_up_means_that_errors_on_class_1_are_forgiven(self) -> None:
        """Deciding 0 when the truth is 1 keeps 0.3; row 1 of ours, column 1 of the paper's."""
        costs = CostMatrix.from_utilities([[1, 0], [0.3, 1]])
        point = UtilityPoint.from_costs(costs)
        assert (point.x, point.y) == pytest.approx((0, 0.3))
        assert printed(0, 0.3)[0, 1] == 0.3

    def test_a_cheap_false_alarm_lies_below(self) -> None:
        """fp = 4, fn = 40: utilities 1, 0.9 for truth 0 and 0, 1 for truth 1."""
        point = UtilityPoint.from_costs(CostMatrix.binary(false_positive=4, false_negative=40))
        assert (point.x, point.y) == pytest.approx((0, -(40 - 4) / 40))

    def test_names_of_the_costs(self) -> None:
        costs = UtilityPoint(0.25, -0.5).costs(classes=["a", "b"], decisions=["x", "y"])
        assert costs.cost("a", "x") == 0.25
        assert costs.cost("a", "y") == 0.5
        assert costs.cost("b", "x") == 1
        assert costs.cost("b", "y") == 0

    def test_the_edge_belongs_to_the_plane(self) -> None:
        """A free false alarm: as good as the right decision, not better."""
        point = UtilityPoint.from_costs(CostMatrix([[0, 0], [1, 0]]))
        assert point == UtilityPoint(0, -1)

    def test_many_points_rank_alike(self) -> None:
        """Row shifts leave the ranking but move the point."""
        costs = CostMatrix([[0, 1], [1, 0]])
        shifted = CostMatrix([[0, 1], [1.5, 0.5]])
        assert costs.ranks_like(shifted)
        assert UtilityPoint.from_costs(shifted) != UtilityPoint(0, 0)

    def test_it_is_one_line_and_equal_by_value(self) -> None:
        assert repr(UtilityPoint(0.5, np.float64(-0.25))) == "UtilityPoint(x=0.5, y=-0.25)"
        assert UtilityPoint(0.5, 0) == UtilityPoint(0.5, 0.0)


class TestErrors:
    @pytest.mark.parametrize(("x", "y"), [(1.2, 0), (0, -1.2), (np.nan, 0), (0, np.inf)])
    def test_coordinates_beyond_one(self, x, y) -> None:
        with pytest.raises(CostError, match="must lie between -1 and 1; got"):
            UtilityPoint(x, y)

    @pytest.mark.parametrize(("x", "y", "wronged"), [(0.8, -0.5, 0), (-0.8, 0.5, 1)])
    def test_the_missing_corners(self, x, y, wronged) -> None:
        with pytest.raises(CostError, match=f"an error on class {wronged} is better than"):
            UtilityPoint(x, y)
        utilities = printed(x, y)
        assert utilities[1 - wronged, wronged] > utilities[wronged, wronged]

    def test_an_error_better_than_the_right_decision(self) -> None:
        costs = CostMatrix([[5, 1], [10, 0]], classes=["stay", "churn"], decisions=["no", "call"])
        with pytest.raises(
            CostError,
            match=r"deciding 'call' when the truth is 'stay' costs 1, less than 'no' \(5\)",
        ) as caught:
            UtilityPoint.from_costs(costs)
        assert "orientation" in str(caught.value.hint)

    def test_only_two_by_two(self) -> None:
        with pytest.raises(CostError, match="2 x 2 costs; got 3 x 3"):
            UtilityPoint.from_costs(CostMatrix.zero_one(3))
