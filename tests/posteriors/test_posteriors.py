"""Posteriors: named constructors, base rates, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import expit, softmax

from stakes import Posteriors
from stakes.exceptions import PosteriorError, PriorError

LOGITS = hnp.arrays(float, (4, 3), elements=st.floats(-700, 700))
SHARES = st.lists(st.integers(1, 20), min_size=3, max_size=3).map(lambda v: np.array(v) / sum(v))


class TestConstructors:
    @given(LOGITS)
    def test_logits_against_scipy(self, logits):
        np.testing.assert_allclose(
            Posteriors.from_logits(logits).values, softmax(logits, axis=1), atol=1e-12
        )

    def test_log_odds_against_scipy(self):
        odds = np.array([-800.0, -1.5, 0.0, 3.0, 800.0])
        posteriors = Posteriors.from_logits(odds)
        np.testing.assert_allclose(posteriors.values[:, 1], expit(odds), atol=1e-15)
        np.testing.assert_allclose(posteriors.log_odds, odds, rtol=1e-12)

    def test_infinite_scores_are_certain(self):
        np.testing.assert_array_equal(
            Posteriors.from_logits([[np.inf, 0.0], [-np.inf, 0.0]]).values, [[1, 0], [0, 1]]
        )
        np.testing.assert_array_equal(Posteriors.from_llrs([np.inf], [0.5, 0.5]).values, [[0, 1]])

    def test_log_posteriors(self):
        logs = np.log([[0.2, 0.3, 0.5]])
        np.testing.assert_allclose(Posteriors.from_log_posteriors(logs).values, [[0.2, 0.3, 0.5]])
        with pytest.raises(PosteriorError, match="sum to 1"):
            Posteriors.from_log_posteriors(logs - 1)

    @given(st.floats(-30, 30), st.floats(0.01, 0.99))
    def test_llrs_by_bayes_theorem(self, llr, prior):
        posterior = Posteriors.from_llrs([llr], [1 - prior, prior])
        expected = expit(llr + np.log(prior / (1 - prior)))
        assert posterior.values[0, 1] == pytest.approx(expected, abs=1e-12)
        assert posterior.llrs([1 - prior, prior])[0] == pytest.approx(llr, abs=1e-9)

    def test_llrs_of_three_classes_are_log_likelihoods(self):
        priors = np.array([0.5, 0.3, 0.2])
        likelihoods = np.array([[0.1, 0.4, 0.2]])
        joint = likelihoods * priors
        np.testing.assert_allclose(
            Posteriors.from_llrs(np.log(likelihoods), priors).values, joint / joint.sum()
        )

    def test_float32_rounding_passes(self):
        array = softmax(np.random.default_rng(0).normal(size=(100, 7)), axis=1).astype(np.float32)
        np.testing.assert_allclose(Posteriors(array).values, array, rtol=1e-6)

    def test_input_is_copied(self):
        array = np.array([[0.4, 0.6]])
        posteriors = Posteriors(array)
        array[:] = 0.5
        np.testing.assert_allclose(posteriors.values, [[0.4, 0.6]])


class TestWithPriors:
    def test_worked_example(self):
        moved = Posteriors([0.30]).with_priors([0.98, 0.02], from_priors=[0.922, 0.078])
        odds = 0.3 / 0.7 * (0.02 / 0.078) / (0.98 / 0.922)
        assert moved.values[0, 1] == pytest.approx(odds / (1 + odds))

    @given(LOGITS, SHARES, SHARES)
    def test_there_and_back(self, logits, old, new):
        posteriors = Posteriors.from_logits(logits / 20)
        back = posteriors.with_priors(new, from_priors=old).with_priors(old, from_priors=new)
        np.testing.assert_allclose(back.values, posteriors.values, atol=1e-12)

    @given(LOGITS, SHARES)
    def test_same_priors_change_nothing(self, logits, old):
        posteriors = Posteriors.from_logits(logits)
        np.testing.assert_allclose(
            posteriors.with_priors(old, from_priors=old).values, posteriors.values, atol=1e-12
        )

    def test_an_impossible_case_is_refused(self):
        with pytest.raises(
            PosteriorError, match="row 0 leaves only 1 possible, which has no share"
        ):
            Posteriors([[0.0, 1.0]]).with_priors([1.0, 0.0], from_priors=[0.5, 0.5])

    def test_old_prior_of_zero(self):
        with pytest.raises(PriorError, match="`from_priors` must be positive"):
            Posteriors([0.5]).with_priors([0.5, 0.5], from_priors=[1.0, 0.0])


class TestErrors:
    def test_certain_evidence_for_a_class_of_prior_zero(self):
        with pytest.raises(PosteriorError, match="must determine a posterior; row 1"):
            Posteriors.from_llrs([0.0, np.inf], priors=[1, 0])

    def test_logits_given_as_posteriors(self):
        with pytest.raises(PosteriorError, match=r"row 1 is -2.5 .*\n.*from_logits"):
            Posteriors([0.5, -2.5])

    def test_nan_scores(self):
        with pytest.raises(PosteriorError, match=r"row 1 .*\(1 of 2 rows fail\)"):
            Posteriors.from_logits([[0.0, 1.0], [np.nan, 0.0]])

    def test_two_infinite_winners(self):
        with pytest.raises(PosteriorError, match="must determine a posterior"):
            Posteriors.from_logits([[np.inf, np.inf]])

    def test_names_must_fit(self):
        with pytest.raises(PosteriorError, match="must name 2 columns; got 3"):
            Posteriors([[0.5, 0.5]], classes=["a", "b", "c"])

    def test_log_odds_of_three_classes(self):
        with pytest.raises(PosteriorError, match="two classes; there are 3"):
            _ = Posteriors.from_logits([[0.0, 0.0, 0.0]]).log_odds


def test_repr_and_array_protocol():
    posteriors = Posteriors([[0.25, 0.75]])
    assert repr(posteriors) == "Posteriors(1 cases x 2 classes)"
    np.testing.assert_allclose(np.asarray(posteriors), [[0.25, 0.75]])
