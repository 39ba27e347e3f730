"""Implied costs, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.audit import implied_costs
from stakes.exceptions import DataError, UndefinedError

positive_counts = st.lists(st.integers(1, 400), min_size=4, max_size=4)


class TestByHand:
    @given(positive_counts)
    def test_f1_is_two_over_f1_minus_one(self, cells) -> None:
        tn, fp, fn, tp = cells
        found = implied_costs("f1", [[tn, fp], [fn, tp]])
        assert found.miss_cost == pytest.approx((tp + fp + fn) / tp, rel=1e-6)

    @given(positive_counts)
    def test_precision(self, cells) -> None:
        tn, fp, fn, tp = cells  # d/dTP = FP / (TP + FP)^2, d/dFP = -TP / (TP + FP)^2
        found = implied_costs("precision", [[tn, fp], [fn, tp]])
        assert found.miss_cost == pytest.approx(fp / tp, rel=1e-6)

    @given(positive_counts)
    def test_balanced_accuracy_is_the_ratio_of_the_classes(self, cells) -> None:
        tn, fp, fn, tp = cells
        found = implied_costs("balanced_accuracy", [[tn, fp], [fn, tp]])
        assert found.miss_cost == pytest.approx((tn + fp) / (fn + tp), rel=1e-6)

    @given(positive_counts, st.floats(0.1, 10))
    def test_a_cost_implies_itself(self, cells, price) -> None:
        app = Application(CostMatrix.binary(false_positive=1, false_negative=price))
        table = np.array(cells).reshape(2, 2)
        for name in ("expected_cost", "weighted_accuracy", "net_benefit", "c_score"):
            found = implied_costs(name, table, application=app)
            assert found.miss_cost == pytest.approx(price, rel=1e-5)

    def test_one_sided_metrics(self) -> None:
        table = [[50, 30], [5, 15]]
        assert implied_costs("recall", table).miss_cost == math.inf
        assert implied_costs("specificity", table).miss_cost == 0
        assert "counts only misses" in implied_costs("recall", table).sentence

    def test_empty_cells_are_left_in_one_direction(self) -> None:
        found = implied_costs("f1", [[90, 0], [4, 6]])
        assert found.miss_cost == pytest.approx((6 + 0 + 4) / 6, rel=1e-6)
        assert implied_costs("f1", [[90, 5], [0, 6]]).miss_cost == pytest.approx(11 / 6, rel=1e-6)

    def test_standard_form(self) -> None:
        costs = np.array([[0, 1, 2.0], [4, 0, 3], [7, 5, 0]])
        table = np.array([[50, 4, 2], [6, 70, 3], [1, 2, 30]])
        shifted = costs + np.array([[3.0], [-2], [0]])
        found = implied_costs(lambda c: -(shifted * c).sum() / c.sum(), table)
        np.testing.assert_allclose(found.costs.values, costs / 7, atol=1e-7)
        assert "penalises one error most here: deciding 0 when the truth is 2" in found.sentence

    def test_abstention_is_a_decision_like_any_other(self) -> None:
        costs = CostMatrix.zero_one(["a", "b"]).with_abstention(0.2)
        cm = ConfusionMatrix([[30, 2, 5], [3, 40, 6]], ["a", "b"], ["a", "b", "abstain"])
        found = implied_costs("expected_cost", cm, application=Application(costs))
        np.testing.assert_allclose(found.costs.values, costs.values, atol=1e-7)

    def test_positive_names_the_other_class(self) -> None:
        cm = ConfusionMatrix([[15, 5], [30, 50]], classes=["ill", "well"])
        found = implied_costs("f1", cm, positive="ill")
        assert found.miss_cost == pytest.approx((15 + 30 + 5) / 15, rel=1e-6)
        with pytest.raises(DataError, match="must be one of"):
            implied_costs("f1", cm, positive="dead")

    def test_metric_that_rewards_errors(self) -> None:
        found = implied_costs(lambda c: c[0, 1], [[50, 30], [5, 15]])
        assert "rewards false alarms" in found.sentence

    def test_metric_that_does_not_react(self) -> None:
        found = implied_costs(lambda c: 1.0, [[50, 30], [5, 15]])
        assert not found.costs.values.any()
        assert "does not react" in found.sentence

    def test_undefined_where_the_metric_is(self) -> None:
        with pytest.raises(UndefinedError, match="not a finite number"):
            implied_costs("precision", [[50, 0], [5, 0]])
        with pytest.raises(UndefinedError, match="row 1"):
            implied_costs(lambda c: c[0, 0], [[50, 1], [0, 0]])

    def test_frame_names_truth_and_decision(self) -> None:
        frame = implied_costs("accuracy", ConfusionMatrix([[8, 2], [1, 9]], ["a", "b"])).frame()
        assert frame["truth"].tolist() == ["a", "a", "b", "b"]
        np.testing.assert_allclose(frame["cost"], [0, 1, 1, 0])


def test_errors_that_all_count_alike() -> None:
    counts = [[30, 5, 1], [4, 40, 2], [3, 6, 50]]
    assert implied_costs("accuracy", counts).sentence.endswith("penalises all errors alike here.")
    assert "penalises one error most" in implied_costs("macro_f1", counts).sentence


def test_tables_that_the_metric_is_not_made_for() -> None:
    with pytest.raises(DataError, match="two classes and two decisions"):
        implied_costs("f1", np.eye(3) * 9 + 1)
    with pytest.raises(DataError, match="decisions that are the classes"):
        implied_costs("mcc", [[30, 5, 1], [4, 40, 2]])


def test_large_prices_are_written_without_powers_of_ten() -> None:
    # (TP + FP + FN) / TP = (10 + 5000 + 90) / 10
    found = implied_costs("f1", [[90000, 5000], [90, 10]])
    assert "a miss as 510 false alarms" in found.sentence


def test_metrics_that_see_false_alarms_only() -> None:
    found = implied_costs("precision", [[10, 0], [5, 5]])
    assert found.sentence == "Precision counts only false alarms here."
