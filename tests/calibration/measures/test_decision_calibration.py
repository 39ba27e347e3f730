import numpy as np
import pytest

from stakes import Application, CostMatrix
from stakes.calibration import Isotonic, decision_calibration


class TestDecisionCalibration:
    costs = CostMatrix(
        [[0, 1, 0.3], [4, 0, 0.3]], classes=["no", "yes"], decisions=["wait", "act", "ask"]
    )

    def test_by_hand(self):
        p = np.array([0.01, 0.05, 0.1, 0.2, 0.95])
        y = ["no", "yes", "no", "no", "yes"]
        found = decision_calibration(y, p, costs=self.costs)
        # wait costs 4p, act 1 - p, ask 0.3: wait below 0.075, act above 0.7
        np.testing.assert_allclose(found.cases, [2, 1, 2])
        np.testing.assert_allclose(found.promised, [4 * (0.01 + 0.05) / 2, 0.05, 0.3])
        np.testing.assert_allclose(found.actual, [4 / 2, 0.0, 0.3])
        assert found.total == pytest.approx((2 * (0.12 - 2) + 0.05) / 5)

    def test_decision_never_taken_is_nan(self):
        found = decision_calibration([0, 1], [0.5, 0.5], costs=Application([[0, 1], [1, 0]]))
        assert found.cases[1] == 0
        assert np.isnan(found.promised[1])
        assert np.isfinite(found.total)

    def test_calibrated_posteriors_promise_what_comes(self):
        rng = np.random.default_rng(0)
        p = rng.random(100_000)
        y = np.where(rng.random(100_000) < p, "yes", "no")
        found = decision_calibration(y, p, costs=self.costs)
        assert (np.abs(found.difference) <= 4 * found.standard_error + 1e-12).all()

    def test_isotonic_fit_keeps_its_promises_for_any_costs(self):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=400)
        y = (rng.random(400) < 0.4 + 0.3 * np.sign(scores)).astype(int)
        p = Isotonic(misleading=0).fit(scores, y).posteriors(scores)
        for ratio in (0.2, 1.0, 7.0):
            found = decision_calibration(y, p, costs=[[0, 1], [ratio, 0]])
            np.testing.assert_allclose(found.difference[found.cases > 0], 0, atol=1e-12)

    def test_standard_error_is_that_of_two_more_cases(self):
        p = np.array([0.01, 0.05, 0.02, 0.1, 0.2, 0.95])
        found = decision_calibration(["no", "yes", "no", "no", "no", "yes"], p, costs=self.costs)
        gaps = 4 * p[:3] - [0, 4, 0]
        promise, actual = 4 * p[:3].mean(), 4 / 3
        more = np.append(gaps, [promise - 0, promise - 4])
        squares = ((more - (promise - actual)) ** 2).sum()
        np.testing.assert_allclose(found.standard_error[0], np.sqrt(squares) / 5)
        # one case acted upon, at no cost, which could have cost 1
        np.testing.assert_allclose(found.standard_error[1], np.sqrt(1**2) / 3)
        assert found.standard_error[2] == pytest.approx(0.0, abs=1e-15)  # asking always costs 0.3

    def test_dear_errors_not_seen_are_not_impossible(self):
        """Of 500 cases with posterior .001 none needs be of the class: promise 1, cost 0."""
        rng = np.random.default_rng(0)
        held = 0
        for _ in range(200):
            y = (rng.random(500) < 0.001).astype(int)
            found = decision_calibration(y, np.full(500, 0.0005), costs=[[0, 1], [1000, 0]])
            held += abs(found.difference[0] - (0.5 - 1.0)) <= 1.96 * found.standard_error[0]
        assert held >= 0.93 * 200

    def test_frame_has_one_row_per_decision(self):
        found = decision_calibration(["no", "yes"], [0.2, 0.9], costs=self.costs)
        assert found.frame()["decision"].tolist() == ["wait", "act", "ask"]
