"""Implied costs: by hand, and at the best threshold of Ferrer 2025 section 4.1.1."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts
from stakes.audit import best_threshold, implied_costs
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
        assert "misses only" in implied_costs("recall", table).sentence

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
        assert "minds most to decide 0 when the truth is 2" in found.sentence

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


def two_gaussians(variance: float) -> ScoreCounts:
    """The data of Ferrer 2025, appendix B: 80,000 and 20,000 cases, class means 0 and 1."""
    from scipy.stats import multivariate_normal

    state = np.random.RandomState(0)  # the stream that the authors drew from
    sizes = 80_000, 20_000
    x = np.concatenate(
        [multivariate_normal(k, variance).rvs(size, random_state=state)
         for k, size in enumerate(sizes)]
    )  # fmt: skip
    log_odds = (x - 0.5) / variance + math.log(0.2 / 0.8)
    return ScoreCounts.from_scores(np.repeat([0, 1], sizes), log_odds, kind="log_odds")


class TestFerrer2025Section411:
    GRID = np.round(np.arange(-6, 6.05, 0.1), 10)

    @pytest.mark.parametrize(
        ("metric", "variance", "threshold", "published"),
        [("f1", 0.20, -0.60, 1.8), ("f1", 0.06, 0.0, 1.0), ("mcc", 0.20, -0.30, 1.35)],
    )
    def test_equivalent_cost(self, metric, variance, threshold, published) -> None:
        best = best_threshold(metric, two_gaussians(variance), thresholds=self.GRID)
        assert best.log_odds == pytest.approx(threshold)
        assert best.miss_cost == pytest.approx(published, abs=0.03)
        assert f"a miss counts as {best.miss_cost:.2g} false alarm" in best.sentence

    def test_exact_optimum_has_the_price_that_f1_implies_there(self) -> None:
        # At the maximum over thresholds of calibrated scores, the Bayes threshold is F1 / 2,
        # that is, a price of 2 / F1 - 1. The sampled maximum is flat, so only roughly.
        best = best_threshold("f1", two_gaussians(0.20))
        implied = implied_costs("f1", best.matrix)
        assert implied.miss_cost == pytest.approx(2 / best.value - 1, rel=1e-6)
        assert best.miss_cost == pytest.approx(implied.miss_cost, rel=0.2)


class TestBestThreshold:
    def test_is_the_best_of_all_cuts(self) -> None:
        rng = np.random.default_rng(0)
        y, s = rng.integers(0, 2, 80), rng.normal(size=80).round(1)
        best = best_threshold("mcc", ScoreCounts.from_scores(y, s, kind="rank"))
        from stakes.metrics import mcc

        values = [
            mcc(ConfusionMatrix.from_decisions(y, (s > t).astype(int), classes=[0, 1]))
            for t in np.unique(s)[:-1]
        ]
        assert best.value == pytest.approx(np.nanmax(values))
        assert math.isnan(best.log_odds)
        assert "best above the score" in best.sentence

    def test_kinds_of_scores_agree(self) -> None:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 400)
        llr = rng.normal(2 * y - 1, 1.2)
        prior = y.mean()
        odds = llr + math.log(prior / (1 - prior))
        found = [
            best_threshold("f1", ScoreCounts.from_scores(y, scores, kind=kind)).log_odds
            for scores, kind in ((llr, "llr"), (odds, "log_odds"), (1 / (1 + np.exp(-odds)),
                                                                    "posterior"))
        ]  # fmt: skip
        assert found[0] == pytest.approx(found[1])
        assert found[0] == pytest.approx(found[2], abs=1e-3)  # halfway in another scale

    def test_undefined_everywhere(self) -> None:
        scores = ScoreCounts.from_scores([0, 1], [0.1, 0.9], kind="posterior")
        with pytest.raises(UndefinedError, match="at every threshold"):
            best_threshold(lambda c: math.nan, scores)
