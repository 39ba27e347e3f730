"""expected_cost and normalized_expected_cost: hand arithmetic, laws, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stakes import (
    Application,
    ConfusionMatrix,
    CostMatrix,
    expected_cost,
    normalized_expected_cost,
)
from stakes.exceptions import CostError, DataError, LabelError, UndefinedError
from stakes.metrics import cost_by_cell

COUNTS = hnp.arrays(np.int64, (3, 4), elements=st.integers(1, 50))
COSTS = hnp.arrays(float, (3, 4), elements=st.floats(-100, 100, width=32))
PRIORS = st.lists(st.integers(1, 20), min_size=3, max_size=3).map(lambda v: np.array(v) / sum(v))


class TestPriors:
    """K = 2, C = [[0, 1], [5, 0]], priors (.9, .1), in every form in which priors come."""

    Y = [0] * 7 + [1] * 3
    D = [0, 0, 0, 1, 1, 1, 1, 0, 0, 1]
    BY_HAND = 0.9 * (4 / 7) * 1 + 0.1 * (2 / 3) * 5

    @pytest.mark.parametrize(
        "priors",
        [
            [0.9, 0.1],
            (0.9, 0.1),
            np.array([0.9, 0.1]),
            np.array([[0.9], [0.1]]),
            np.array([[0.9, 0.1]]),
            np.array([0.9, 0.1], dtype=np.float64)[::1],
            {1: 0.1, 0: 0.9},
        ],
        ids=["list", "tuple", "1-D", "column", "row", "view", "mapping"],
    )
    def test_every_form_gives_the_same_right_answer(self, priors):
        app = Application(CostMatrix([[0, 1], [5, 0]]), priors=priors)
        assert expected_cost(self.Y, self.D, application=app) == pytest.approx(self.BY_HAND)

    def test_labelled_column_in_another_order(self):
        pandas = pytest.importorskip("pandas", reason="needs pandas")
        costs = CostMatrix([[0, 1], [5, 0]], classes=["no", "yes"])
        app = Application(costs, priors=pandas.Series({"yes": 0.1, "no": 0.9}))
        assert expected_cost(self.Y, self.D, application=app) == pytest.approx(self.BY_HAND)

    def test_callers_arrays_are_not_modified(self):
        values, priors = np.array([[0.0, 1.0], [5.0, 0.0]]), np.array([0.9, 0.1])
        copies = values.copy(), priors.copy()
        normalized_expected_cost(self.Y, self.D, application=Application(values, priors=priors))
        np.testing.assert_array_equal(values, copies[0])
        np.testing.assert_array_equal(priors, copies[1])

    def test_weights_weight_the_priors_of_the_data_too(self):
        y, d, w = [0, 0, 1], [0, 1, 0], [1.0, 1.0, 8.0]
        app = Application([[0, 1], [5, 0]])
        by_hand = (1 * 0 + 1 * 1 + 8 * 5) / 10
        assert expected_cost(y, d, application=app, sample_weight=w) == pytest.approx(by_hand)
        naive = min(0.8 * 5, 0.2 * 1)
        assert normalized_expected_cost(y, d, application=app, sample_weight=w) == pytest.approx(
            by_hand / naive
        )

    def test_against_the_sum_over_cases(self):
        rng = np.random.default_rng(3)
        y, d = rng.integers(0, 4, 500), rng.integers(0, 5, 500)
        costs = rng.normal(size=(4, 5))
        assert expected_cost(y, d, application=CostMatrix(costs)) == pytest.approx(
            costs[y, d].mean(), abs=1e-14
        )


class TestLaws:
    @given(COUNTS, COSTS, PRIORS, st.sampled_from([0.5, 3.0, 1e6]))
    def test_scaling_costs_scales_the_cost_and_not_the_nec(self, counts, costs, priors, factor):
        matrix = ConfusionMatrix(counts)
        one, many = (Application(costs * f, priors=priors) for f in (1.0, factor))
        assert expected_cost(matrix, application=many) == pytest.approx(
            factor * expected_cost(matrix, application=one), rel=1e-9, abs=1e-9 * factor
        )

    @given(COUNTS, COSTS, PRIORS, hnp.arrays(float, (3, 1), elements=st.integers(-50, 50)))
    def test_shifting_rows_shifts_the_cost_by_a_constant(self, counts, costs, priors, shift):
        matrix = ConfusionMatrix(counts)
        before = expected_cost(matrix, application=Application(costs, priors=priors))
        after = expected_cost(matrix, application=Application(costs + shift, priors=priors))
        assert after - before == pytest.approx(float(priors @ shift[:, 0]), abs=1e-9)

    @given(COUNTS, PRIORS, st.permutations(range(3)))
    def test_relabelling_classes_changes_nothing(self, counts, priors, order):
        costs = np.arange(12.0).reshape(3, 4) ** 1.5 % 7
        before = Application(costs, priors=priors)
        after = Application(costs[order], priors=priors[order])
        assert expected_cost(ConfusionMatrix(counts), application=before) == pytest.approx(
            expected_cost(ConfusionMatrix(counts[order]), application=after)
        )

    @given(hnp.arrays(np.int64, (3, 3), elements=st.integers(1, 9)), PRIORS)
    def test_naive_decisions_have_nec_of_at_least_one(self, counts, priors):
        costs = CostMatrix.zero_one(3)
        app = Application(costs, priors=priors)
        necs = []
        for j in range(3):
            always = np.zeros((3, 3), dtype=int)
            always[:, j] = counts.sum(axis=1)
            necs.append(normalized_expected_cost(ConfusionMatrix(always), application=app))
        assert min(necs) == pytest.approx(1.0)

    @given(COUNTS, PRIORS)
    def test_priors_of_the_application_equal_reweighted_counts(self, counts, priors):
        matrix, costs = ConfusionMatrix(counts), np.arange(12.0).reshape(3, 4)
        assert expected_cost(matrix, application=Application(costs, priors=priors)) == (
            pytest.approx(expected_cost(matrix.with_priors(priors), application=Application(costs)))
        )

    def test_gains_cannot_flip_the_order(self):
        """With negative costs a plain ratio would reward the worse system."""
        gains = CostMatrix([[-5, 1], [2, -9]])
        good, bad = ConfusionMatrix([[9, 1], [1, 9]]), ConfusionMatrix([[6, 4], [4, 6]])
        assert normalized_expected_cost(good, application=gains) < normalized_expected_cost(
            bad, application=gains
        )


class TestCells:
    def test_parts_add_to_the_expected_cost(self):
        matrix = ConfusionMatrix([[80, 15, 5], [3, 6, 11]], decisions=["a", "b", "ask"])
        app = Application(
            CostMatrix([[0, 4, 1], [9, 0, 1]], decisions=["a", "b", "ask"]), priors=[0.7, 0.3]
        )
        shares = cost_by_cell(matrix, app)
        assert shares.total == pytest.approx(expected_cost(matrix, application=app))
        assert shares.frame()["share"].sum() == pytest.approx(1.0)
        top = shares.frame().rows()[0]
        assert (top["truth"], top["decision"]) == (0, "b")
        assert top["cost"] == pytest.approx(0.7 * 0.15 * 4)


class TestErrors:
    APP = Application([[0, 1], [5, 0]], priors=[0.9, 0.1])

    def test_absent_class_with_a_prior_is_named(self):
        with pytest.raises(DataError, match=r"no case of 1 in the data, but its prior is 0\.1"):
            expected_cost([0, 0], [0, 1], application=self.APP)

    def test_absent_class_whose_cost_does_not_depend_on_the_decision(self):
        app = Application([[0, 1], [7, 7]], priors=[0.5, 0.5])
        assert expected_cost([0, 0], [0, 1], application=app) == 0.5 * 0.5 + 0.5 * 7

    def test_absent_class_without_a_prior(self):
        app = self.APP.with_priors([1.0, 0.0])
        assert expected_cost([0, 0], [0, 1], application=app) == 0.5

    def test_nec_without_anything_at_stake(self):
        with pytest.raises(UndefinedError, match="always deciding 0 is already perfect"):
            normalized_expected_cost([0, 0], [0, 0], application=self.APP.with_priors([1.0, 0.0]))

    def test_no_cases(self):
        with pytest.raises(DataError, match="there are no cases"):
            expected_cost([], [], application=self.APP)

    def test_other_names(self):
        matrix = ConfusionMatrix([[1, 0], [0, 1]], classes=["a", "b"])
        with pytest.raises(DataError, match="same classes and decisions"):
            expected_cost(matrix, application=self.APP)

    def test_decisions_missing(self):
        with pytest.raises(DataError, match="`decisions` is missing"):
            expected_cost([0, 1], application=self.APP)

    def test_decisions_with_a_confusion_matrix(self):
        with pytest.raises(DataError, match="leave `decisions`"):
            expected_cost(ConfusionMatrix([[1, 0], [0, 1]]), [0], application=self.APP)

    def test_application_of_another_kind(self):
        with pytest.raises(CostError, match="`application` must be costs in some form; got int"):
            expected_cost([0], [0], application=1)

    def test_swapped_arguments_do_not_pass_silently(self):
        app = Application(CostMatrix([[0, 1, 2], [5, 0, 2]], decisions=["no", "yes", "ask"],
                                     classes=["stay", "churn"]))  # fmt: skip
        with pytest.raises(LabelError, match="`y_true` holds 'ask'"):
            expected_cost(["ask", "no"], ["stay", "churn"], application=app)


class TestIntegersWrittenAsText:
    """Names such as "1" and "0" with integer labels: names win over positions."""

    COSTS = CostMatrix([[0, 1], [10, 0]], classes=["1", "0"])

    def test_names_win(self):
        """One case of truth 1 decided 0 costs 1, as with the names themselves."""
        app = Application(self.COSTS)
        assert expected_cost([1, 0], [0, 0], application=app) == 0.5
        assert expected_cost(["1", "0"], ["0", "0"], application=app) == 0.5

    def test_booleans_too(self):
        app = Application(self.COSTS)
        assert expected_cost([True, False], [False, False], application=app) == 0.5

    def test_strangers_are_listed(self):
        with pytest.raises(LabelError, match="holds 2"):
            expected_cost([1, 2], [0, 0], application=Application(self.COSTS))

    def test_a_mixture_cannot_be_told_from_positions(self):
        costs = CostMatrix([[0, 1], [10, 0]], classes=["1", "other"])
        with pytest.raises(LabelError, match="cannot tell names from the positions 0 to 1"):
            expected_cost([1, 0], [0, 0], application=Application(costs))

    def test_in_order_they_are_the_same(self):
        costs = CostMatrix([[0, 1], [10, 0]], classes=["0", "1"])
        assert expected_cost([1, 0], [0, 0], application=Application(costs)) == 5
