"""L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025: the loan, abstention, eq 4.

The printed tables and figures are in tests/experiments.
"""

import numpy as np
import pytest

from stakes import (
    Application,
    ConfusionMatrix,
    CostMatrix,
    bayes_decisions,
    normalized_expected_cost,
)
from stakes.papers.ferrer2025.table_1 import simulated

CLASSES = tuple(f"H{i + 1}" for i in range(10))
PRIORS = np.array([0.8] + [0.2 / 9] * 9)


@pytest.fixture(scope="module")
def data():
    """Appendix B with seed 0: one feature, means 0 to 9, variance .20, exact posteriors."""
    return simulated(10_000, 10, 0.20)


class TestLoan:
    """Section 2.2 with beta = alpha_S = .5, alpha_H = .9, gamma = .4."""

    UTILITIES = np.array([[0, 0.5 * 0.9, 0.5], [0, 0.4 * 1.9 - 1, 0.4 * 1.5 - 1]])
    COSTS = CostMatrix.from_utilities(
        UTILITIES, classes=["repays", "defaults"], decisions=["deny", "high rate", "standard rate"]
    )

    def test_standardised_costs(self):
        expected = [[0.5, 0.05, 0.0], [0.0, 0.24, 0.4]]
        np.testing.assert_allclose(self.COSTS.standardized().values, expected, atol=1e-15)

    def test_decisions_do_not_change_by_standardising(self):
        p = np.linspace(0, 1, 1001)
        np.testing.assert_array_equal(
            bayes_decisions(p, self.COSTS, positive="defaults"),
            bayes_decisions(p, self.COSTS.standardized(), positive="defaults"),
        )

    def test_cut_points_by_hand(self):
        # standard = high rate: .05 (1 - p) + .24 p = .4 p; high rate = deny: the same = .5 (1 - p)
        from stakes import decision_intervals

        rule = decision_intervals(self.COSTS)
        assert rule.decisions == ("standard rate", "high rate", "deny")
        assert rule.cuts == pytest.approx((0.05 / 0.21, 0.45 / 0.69), abs=1e-12)


class TestAbstention:
    """Eqs 30-33: abstain when every posterior is below 1 - alpha."""

    @pytest.mark.parametrize("alpha", [0.05, 0.25, 0.30])
    def test_abstains_below_one_minus_alpha(self, data, alpha):
        posteriors = data.posteriors
        costs = CostMatrix.zero_one(10).with_abstention(alpha)
        abstains = bayes_decisions(posteriors, costs) == 10
        np.testing.assert_array_equal(abstains, posteriors.max(axis=1) < 1 - alpha)

    def test_at_exactly_one_minus_alpha_it_decides(self):
        costs = CostMatrix.zero_one(3).with_abstention(0.25)
        assert bayes_decisions([[0.75, 0.125, 0.125]], costs).tolist() == [0]

    def test_naive_decision(self):
        zero_one = CostMatrix.zero_one(CLASSES)
        for alpha, decision in ((0.05, "abstain"), (0.30, "H1")):
            app = Application(zero_one.with_abstention(alpha), priors=PRIORS)
            assert app.naive_decision == decision


def test_binary_nec_is_the_alpha_form():
    """Eq 4, both branches."""
    from stakes.metrics import alpha_cost

    matrix = ConfusionMatrix([[90, 10], [6, 24]])
    r12, r21 = 10 / 100, 6 / 30
    for c12, c21, p2 in ((1, 5, 0.1), (3, 1, 0.6), (1, 1, 0.5), (1, 100, 0.02)):
        alpha = c12 * (1 - p2) / (c21 * p2)
        by_hand = alpha * r12 + r21 if alpha >= 1 else r12 + r21 / alpha
        app = Application(CostMatrix([[0, c12], [c21, 0]]), priors=[1 - p2, p2])
        assert normalized_expected_cost(matrix, application=app) == pytest.approx(by_hand)
        # dividing by the smaller of alpha and 1 is how eq 4 normalises
        assert alpha_cost(matrix, alpha) == pytest.approx(by_hand)
