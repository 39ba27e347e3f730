import numpy as np
import pytest

from stakes import Application
from stakes.calibration.cases import read_cases
from stakes.calibration.choosing import cautious_cost, likelihood_weights, mixed


def sure(posteriors):
    """Log-posteriors (n, 2) of the second class."""
    q = np.asarray(posteriors, dtype=float)
    return np.log(np.column_stack([1 - q, q]))


class TestLikelihoodWeights:
    def test_is_the_maximum_on_a_grid(self):
        rng = np.random.default_rng(0)
        p = rng.random(400)
        y = (rng.random(400) < p).astype(int)
        cases = read_cases(np.zeros(400), y)
        logs = [sure(p**1.3), sure(np.full(400, 0.5))]
        found = likelihood_weights(logs, cases, pseudo=0.0)
        grid = np.linspace(0.001, 0.999, 999)
        own = [np.exp(table[np.arange(400), y]) for table in logs]
        best = grid[np.argmax([np.log(w * own[0] + (1 - w) * own[1]).sum() for w in grid])]
        assert found[0] == pytest.approx(best, abs=0.01)

    def test_equal_candidates_share_equally(self):
        cases = read_cases(np.zeros(4), [0, 1, 0, 1])
        table = sure([0.2, 0.7, 0.4, 0.9])
        np.testing.assert_allclose(likelihood_weights([table, table], cases), [0.5, 0.5])

    def test_case_that_all_call_impossible_is_passed_over(self):
        cases = read_cases(np.zeros(3), [0, 1, 1])
        with np.errstate(divide="ignore"):
            tables = [sure([0.1, 0.0, 0.9]), sure([0.3, 0.0, 0.5])]
        found = likelihood_weights(tables, cases)
        assert found[0] > found[1]
        assert found.sum() == pytest.approx(1)


def test_mixed_is_the_weighted_mean_posterior():
    found = np.exp(mixed([sure([0.2]), sure([0.6])], np.array([0.25, 0.75])))
    np.testing.assert_allclose(found, [[1 - 0.5, 0.25 * 0.2 + 0.75 * 0.6]])


def test_cautious_cost_adds_a_case_decided_at_random():
    cases = read_cases(np.zeros(5), [0, 0, 0, 1, 1])
    app = Application([[0, 1], [10, 0]])
    losses = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    by_hand = 3 / 5 * (1 + 0.5) / (3 + 1) + 2 / 5 * (0 + 5) / (2 + 1)
    assert cautious_cost(losses, cases, app) == pytest.approx(by_hand)
