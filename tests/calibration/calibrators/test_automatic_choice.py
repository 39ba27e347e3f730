import numpy as np
import pytest
from scipy.optimize import minimize

from stakes import Application
from stakes.calibration.calibrators.automatic_choice import (
    chosen_place,
    class_stakes,
    likelihood_weights,
)
from stakes.calibration.labelled_scores import read_cases


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

    def test_few_telling_cases_among_many_against_scipy(self):
        """All candidates agree on 50 000 cases; only 40 tell them apart."""
        rng = np.random.default_rng(2)
        y = np.r_[np.zeros(50_000, dtype=int), rng.integers(0, 2, 40)]
        tables = [
            sure(np.r_[np.full(50_000, 1e-4), q])
            for q in (np.where(y[50_000:] == 1, 0.8, 0.3), rng.random(40), np.full(40, 0.5))
        ]
        found = likelihood_weights(tables, read_cases(np.zeros(50_040), y))
        own = np.exp([table[np.arange(50_040), y] for table in tables])

        def unlikely(free):
            shares = np.exp(np.r_[free, 0.0])
            shares /= shares.sum()
            return -np.log(shares @ own).sum() - np.log(shares).sum()

        best = minimize(unlikely, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-7})
        shares = np.exp(np.r_[best.x, 0.0])
        np.testing.assert_allclose(found, shares / shares.sum(), atol=1e-4)
        assert found[0] > 0.8

    @pytest.mark.parametrize("pseudo", [0.0, 1.0])
    def test_equal_candidates_share_equally_with_and_without_cases_beforehand(self, pseudo):
        cases = read_cases(np.zeros(4), [0, 1, 0, 1])
        table = sure([0.2, 0.7, 0.4, 0.9])
        found = likelihood_weights([table, table, table], cases, pseudo=pseudo)
        np.testing.assert_allclose(found, np.full(3, 1 / 3))

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

    def test_stakes_move_the_weight_to_what_is_right_near_the_decision(self):
        """One map is right where a dear class is rare, the other where it is frequent."""
        rng = np.random.default_rng(1)
        p = np.where(rng.random(20_000) < 0.5, rng.uniform(0, 0.04, 20_000), rng.random(20_000))
        y = (rng.random(20_000) < p).astype(int)
        low, high = np.where(p < 0.04, p, 0.5), np.where(p < 0.04, 0.02, p)
        cases = read_cases(np.zeros(20_000), y)
        plain = likelihood_weights([sure(low), sure(high)], cases)
        dear = likelihood_weights([sure(low), sure(high)], cases, emphasis=np.array([0.02, 1.0]))
        assert dear[0] > plain[0] + 0.1

    def test_equal_stakes_change_nothing(self):
        cases = read_cases(np.zeros(4), [0, 1, 0, 1])
        tables = [sure([0.2, 0.7, 0.4, 0.9]), sure([0.5, 0.5, 0.1, 0.2])]
        np.testing.assert_allclose(
            likelihood_weights(tables, cases, emphasis=np.ones(2)),
            likelihood_weights(tables, cases),
        )


class TestClassStakes:
    def test_is_the_range_of_each_row(self):
        app = Application([[0, 1, 0.5], [10, 0, 0.5]])
        np.testing.assert_allclose(class_stakes(app), [1 / 10, 1])

    def test_makes_two_classes_equal_at_the_threshold(self):
        app = Application([[2, 5], [21, 0]])
        threshold = (5 - 2) / (5 - 2 + 21)
        moved = np.array([1 - threshold, threshold]) * class_stakes(app)
        assert moved[0] == pytest.approx(moved[1])

    def test_nothing_at_stake_in_a_class_is_a_thousandth(self):
        np.testing.assert_allclose(class_stakes(Application([[1, 1], [8, 0]])), [0.001, 1])

    def test_nothing_at_stake_at_all_is_equal(self):
        np.testing.assert_allclose(class_stakes(Application([[1, 1], [2, 2]])), [1, 1])


def test_error_of_a_cost_includes_a_case_not_yet_seen():
    """No difference was seen, yet the next dear case may be decided differently."""
    cases = read_cases(np.zeros(5), [0, 0, 0, 1, 1])
    app = Application([[0, 1], [10, 0]])
    cheap, dear = np.zeros(5), np.array([1.0, 0, 0, 0, 0])
    table = chosen_place(["a", "b"], [dear, cheap], cases, app, leeway=2).table
    gap = np.array([4 / 5, -1 / 5, -1 / 5, -1 / 5, -1 / 5]) / 5
    unseen = np.array([3 / 5 * 1 / (3 + 1), 2 / 5 * 10 / (2 + 1)])
    assert table["standard_error"][1] == pytest.approx(np.sqrt(gap @ gap + unseen @ unseen))
    assert table["standard_error"][2] == 0
    assert table["chosen"] == [False, True, False]


class TestGroups:
    """A case repeated twenty times in one group says what it says once."""

    def losses(self, n=60, seed=0):
        rng = np.random.default_rng(seed)
        return rng.random(n), rng.random(n), rng.integers(0, 2, n)

    @pytest.mark.parametrize("by", ["cross_entropy", Application([[0, 1], [10, 0]])])
    def test_standard_errors_are_those_of_the_groups(self, by):
        first, second, y = self.losses()
        alone = chosen_place(["a", "b"], [first, second], read_cases(np.zeros(60), y), by, leeway=1)
        groups = np.repeat(np.arange(60), 20)
        cases = read_cases(np.zeros(1200), np.repeat(y, 20), groups=groups)
        often = [np.repeat(first, 20), np.repeat(second, 20)]
        found = chosen_place(["a", "b"], often, cases, by, leeway=1)
        np.testing.assert_allclose(found.table["standard_error"], alone.table["standard_error"])
        np.testing.assert_allclose(found.table["loss"], alone.table["loss"])

    def test_by_hand(self):
        """Gaps 3, 1 | -1, 0 with mean 3/4: sums 10/4 and -10/4 of the two groups, over 4 cases."""
        gap = np.array([3.0, 1.0, -1.0, 0.0])
        cases = read_cases(np.zeros(4), [0, 1, 0, 1], groups=["x", "x", "y", "y"])
        found = chosen_place(["a", "b"], [gap, np.zeros(4)], cases, "brier", leeway=1)
        assert found.table["standard_error"][1] == pytest.approx(np.sqrt(2 * (10 / 4) ** 2) / 4)


def test_a_decision_nobody_would_take_changes_nothing():
    plain = Application([[0, 1], [10, 0]])
    more = Application([[0, 1, 1000], [10, 0, 1000]])
    np.testing.assert_allclose(class_stakes(more), class_stakes(plain))
    rng = np.random.default_rng(5)
    p = rng.random(200)
    cases = read_cases(np.zeros(200), (rng.random(200) < p).astype(int))
    losses = [rng.random(200), rng.random(200)]
    found, same = (
        chosen_place(["a", "b"], losses, cases, by, leeway=2).table for by in (more, plain)
    )
    np.testing.assert_allclose(found["standard_error"], same["standard_error"])
