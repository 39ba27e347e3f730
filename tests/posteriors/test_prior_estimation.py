import numpy as np
import pytest
from scipy.special import expit

from stakes import ConfusionMatrix
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.posteriors import estimate_priors, estimate_priors_from_decisions


def shifted(n, share, seed=0):
    """Calibrated posteriors for prior 1/2, of cases with another share of the second class."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return expit(2 * rng.normal(size=n) + np.where(y, 2.0, -2.0))


class TestEstimatePriors:
    def test_two_values_by_hand(self):
        """Posteriors .9 and .1 at prior 1/2 are tests of 90 %: .75 = .9 p + .1 (1 - p)."""
        found = estimate_priors([0.9] * 75 + [0.1] * 25, [0.5, 0.5])
        assert found.priors[1] == pytest.approx((0.75 - 0.1) / 0.8, abs=1e-6)

    def test_finds_the_share(self):
        found = estimate_priors(shifted(50_000, 0.05), [0.5, 0.5])
        assert found.priors[1] == pytest.approx(0.05, abs=0.006)

    def test_interval_covers(self):
        held = 0
        for seed in range(200):
            found = estimate_priors(shifted(300, 0.2, seed), [0.5, 0.5], level=0.9)
            held += bool(found.low[1] <= 0.2 <= found.high[1])
        assert 0.84 <= held / 200 <= 0.96

    def test_many_classes(self):
        rng = np.random.default_rng(0)
        truth = np.array([0.6, 0.3, 0.1])
        y = rng.choice(3, 20_000, p=truth)
        logits = 2 * (rng.normal(size=(20_000, 3)) + 2 * np.eye(3)[y])  # slope 2: calibrated
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        found = estimate_priors(p / p.sum(axis=1, keepdims=True), np.full(3, 1 / 3))
        np.testing.assert_allclose(found.priors, truth, atol=0.012)
        assert ((found.low < found.priors) & (found.priors < found.high)).all()

    def test_no_case_of_a_class_touches_zero(self):
        found = estimate_priors([1e-6] * 50, [0.5, 0.5])
        assert found.priors[1] == pytest.approx(0, abs=1e-6)
        assert found.low[1] == 0.0
        # 50 cases, none of the class: the likelihood drops by z^2/2 near 1 - exp(-z^2/100)
        assert found.high[1] == pytest.approx(1 - np.exp(-(1.96**2) / 100), abs=1e-3)

    def test_frame_and_repr(self):
        found = estimate_priors([0.9, 0.1], [0.5, 0.5])
        assert found.frame()["class"].tolist() == [0, 1]
        assert "expectation-maximisation" in repr(found)

    def test_zero_prior_raises(self):
        with pytest.raises(PriorError, match="positive"):
            estimate_priors([0.5], [1.0, 0.0])

    def test_empty_raises(self):
        with pytest.raises(DataError, match="at least one"):
            estimate_priors(np.empty(0), [0.5, 0.5])

    def test_too_few_steps_raise(self):
        with pytest.raises(UndefinedError, match="still change"):
            estimate_priors([0.6] * 9 + [0.4], [0.5, 0.5], max_iterations=2)


class TestFromDecisions:
    labelled = ConfusionMatrix([[80, 20], [10, 90]])

    def test_by_hand(self):
        """d = .8 (1 - p) + .1 p = .45 gives p = .5."""
        found = estimate_priors_from_decisions(self.labelled, [45, 55])
        np.testing.assert_allclose(found.priors, [0.5, 0.5], atol=1e-6)
        assert found.low[1] < 0.5 < found.high[1]

    def test_abstention_counts_as_a_decision(self):
        labelled = ConfusionMatrix([[80, 10, 10], [10, 80, 10]], decisions=[0, 1, "ask"])
        found = estimate_priors_from_decisions(labelled, [45, 45, 10])
        np.testing.assert_allclose(found.priors, [0.5, 0.5], atol=1e-6)

    def test_outside_the_rates_ends_at_the_edge(self):
        found = estimate_priors_from_decisions(self.labelled, [0, 100])
        np.testing.assert_allclose(found.priors, [0, 1], atol=1e-6)

    def test_rows_alike_raise(self):
        with pytest.raises(UndefinedError, match="same decisions"):
            estimate_priors_from_decisions(ConfusionMatrix([[5, 5], [50, 50]]), [1, 1])

    def test_wrong_shape_raises(self):
        with pytest.raises(DataError, match="decisions"):
            estimate_priors_from_decisions(self.labelled, [1, 2, 3])


@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.7, 0.3], [0.2, 0.3, 0.5]])
def test_cases_that_are_all_alike_tell_nothing(priors):
    found = estimate_priors([priors] * 10, priors)
    np.testing.assert_allclose(found.priors, priors)
    assert found.low.tolist() == [0.0] * len(priors)
    assert found.high.tolist() == [1.0] * len(priors)


def test_from_decisions_asks_for_a_confusion_matrix():
    with pytest.raises(DataError, match="ConfusionMatrix; got list"):
        estimate_priors_from_decisions([[9, 1], [2, 8]], [5, 5])
