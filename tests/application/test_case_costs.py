"""CaseCosts: a matrix for each case."""

from __future__ import annotations

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from stakes import CaseCosts, CostMatrix
from stakes.exceptions import CostError

AMOUNT = np.array([1000.0, 200.0])
cubes = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.floats(-1e6, 1e6))
)


class TestConstructor:
    @given(cubes)
    def test_values_are_a_read_only_copy(self, values) -> None:
        before = values.copy()
        costs = CaseCosts(values)
        values += 1
        np.testing.assert_array_equal(costs.values, before)
        with pytest.raises(ValueError, match="read-only"):
            costs.values[0, 0, 0] = 1

    def test_names_and_length(self) -> None:
        costs = CaseCosts(np.zeros((3, 2, 2)), classes=["paid", "default"], decisions=["yes", "no"])
        assert len(costs) == 3
        assert costs.classes == ("paid", "default")
        assert repr(costs) == "CaseCosts(3 cases: 'paid', 'default' x 'yes', 'no')"

    @pytest.mark.parametrize("shape", [(2, 2), (0, 2, 2), (2,), (1, 2, 0)])
    def test_shape_must_be_three_dimensional_and_filled(self, shape) -> None:
        with pytest.raises(CostError, match=r"must have shape \(cases, classes, decisions\)"):
            CaseCosts(np.zeros(shape))

    def test_the_first_bad_case_is_named(self) -> None:
        values = np.zeros((5, 2, 2))
        values[3, 0, 1] = np.nan
        values[4, 1, 1] = np.inf
        with pytest.raises(CostError, match=r"row 3 is not \(2 of 5 rows fail\)") as caught:
            CaseCosts(values)
        assert caught.value.rows == (3, 4)


class TestBinary:
    def test_columns_and_numbers_mix(self) -> None:
        """A loan: the fee of a refused good one, the loss of a granted bad one."""
        costs = CaseCosts.binary(
            false_positive=0.05 * AMOUNT + 10, false_negative=0.75 * AMOUNT, true_positive=5
        )
        assert costs.values[0].tolist() == [[0, 0.05 * 1000 + 10], [0.75 * 1000, 5]]
        assert costs.values[1].tolist() == [[0, 0.05 * 200 + 10], [0.75 * 200, 5]]

    def test_lengths_must_agree(self) -> None:
        with pytest.raises(CostError, match="columns must have equal lengths"):
            CaseCosts.binary(false_positive=[1, 2, 3], false_negative=[1, 2])

    def test_all_numbers_are_one_matrix(self) -> None:
        with pytest.raises(CostError, match="none of the costs depends on the case") as caught:
            CaseCosts.binary(false_positive=1, false_negative=2)
        assert caught.value.hint == "for the same costs in every case use CostMatrix"


class TestAverage:
    def test_hand_arithmetic(self) -> None:
        costs = CaseCosts.binary(false_positive=1, false_negative=AMOUNT, classes=["a", "b"])
        expected = CostMatrix([[0, 1], [(1000 + 200) / 2, 0]], classes=["a", "b"])
        assert costs.average() == expected

    @given(cubes, st.integers(1, 5))
    def test_integer_weights_repeat_cases(self, values, times) -> None:
        weights = np.arange(1, len(values) + 1) * times
        repeated = CaseCosts(np.repeat(values, weights, axis=0))
        np.testing.assert_allclose(
            CaseCosts(values).average(sample_weight=weights).values,
            repeated.average().values,
            atol=1e-6,
        )


class TestRows:
    COSTS = CaseCosts(np.arange(12.0).reshape(3, 2, 2), ["stay", "churn"], ["wait", "call"])

    @pytest.mark.parametrize("rows", [slice(1, 3), [2, 0], np.array([True, False, True])])
    def test_some_keep_their_names(self, rows) -> None:
        some = self.COSTS[rows]
        np.testing.assert_array_equal(some.values, self.COSTS.values[rows])
        assert (some.classes, some.decisions) == (("stay", "churn"), ("wait", "call"))
        assert some.shape == some.values.shape

    def test_one_is_a_matrix(self) -> None:
        one = self.COSTS[1]
        assert isinstance(one, CostMatrix)
        assert one.values.tolist() == [[4, 5], [6, 7]]
        assert one.decisions == ("wait", "call")
