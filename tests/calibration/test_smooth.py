import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit

from stakes.calibration import Isotonic, Smooth
from stakes.calibration.smooth import penalised, spline_basis


def made_up(n=500, seed=0):
    rng = np.random.default_rng(seed)
    scores = 2 * rng.normal(size=n)
    return scores, (rng.random(n) < expit(scores)).astype(int)


class TestSmooth:
    def test_any_increasing_transform_gives_the_same(self):
        scores, y = made_up()
        a = Smooth().fit(scores, y).posteriors(scores)
        b = Smooth().fit(np.sinh(scores), y).posteriors(np.sinh(scores))
        np.testing.assert_allclose(a, b, atol=1e-9)

    @given(st.integers(0, 2**32 - 1), st.integers(2, 40))
    def test_never_decreases_and_never_is_sure(self, seed, n):
        rng = np.random.default_rng(seed)
        scores, y = rng.normal(size=n).round(1), rng.integers(0, 2, n)
        y[:2] = [0, 1]
        found = Smooth().fit(scores, y).posteriors(np.linspace(-4, 4, 99))[:, 1]
        assert (np.diff(found) >= -1e-12).all()
        assert found.min() > 0
        assert found.max() < 1

    def test_exchanging_the_classes_mirrors_it(self):
        scores, y = made_up(60)
        a = Smooth().fit(scores, y).posteriors(scores)
        b = Smooth().fit(-scores, 1 - y).posteriors(-scores)
        np.testing.assert_allclose(a, b[:, ::-1], atol=1e-6)

    def test_many_cases_give_the_truth(self):
        scores, y = made_up(40_000)
        found = Smooth().fit(scores, y).posteriors(scores)[:, 1]
        assert np.abs(found - expit(scores)).mean() < 0.005

    def test_follows_a_bend_that_no_line_can(self):
        rng = np.random.default_rng(0)
        scores = rng.uniform(-3, 3, 4000)
        truth = np.where(scores > 0, 0.9, 0.1 + 0.05 * scores / 3)
        y = (rng.random(4000) < truth).astype(int)
        found = Smooth().fit(scores, y).posteriors([-2.0, 2.0])[:, 1]
        np.testing.assert_allclose(found, [0.1 - 0.1 / 3, 0.9], atol=0.03)

    def test_nearer_to_the_truth_than_isotonic_with_few_cases(self):
        gaps = {Smooth: 0.0, Isotonic: 0.0}
        for seed in range(20):
            scores, y = made_up(200, seed)
            for kind in gaps:
                found = kind().fit(scores, y).log_posteriors(scores)
                exact = np.column_stack([expit(-scores), expit(scores)])
                gaps[kind] += float((exact * (np.log(exact) - found)).sum(axis=1).mean())
        assert gaps[Smooth] < 0.7 * gaps[Isotonic]

    def test_few_cases_keep_it_modest(self):
        """Three against three, separated: the more cases agree, the surer."""
        few = Smooth().fit(np.arange(6.0), [0, 0, 0, 1, 1, 1]).posteriors([5.0])[0, 1]
        more = Smooth().fit(np.arange(60.0), np.repeat([0, 1], 30)).posteriors([59.0])[0, 1]
        assert 0.5 < few < more < 1

    def test_equal_scores_say_the_share(self):
        found = Smooth().fit(np.zeros(400), np.repeat([0, 1], [300, 100])).posteriors([0.0])
        np.testing.assert_allclose(found, [[0.75, 0.25]], atol=0.01)


class TestPenalised:
    def test_against_scipy(self):
        basis = spline_basis(50)
        rng = np.random.default_rng(0)
        totals = rng.integers(1, 9, 50).astype(float)
        positives = rng.binomial(totals.astype(int), 0.3).astype(float)
        bends = np.diff(np.eye(basis.shape[1]), 2, axis=0)
        penalty = 3.0 * bends.T @ bends

        def objective(beta):
            eta = basis @ beta
            fit = totals @ np.logaddexp(0, eta) - positives @ eta
            return fit + 0.5 * beta @ penalty @ beta

        found = penalised(basis, positives, totals, penalty, np.full(basis.shape[1], logit(0.3)))
        witness = minimize(objective, np.zeros(basis.shape[1]), method="BFGS", tol=1e-8)
        assert found.log_likelihood == pytest.approx(-witness.fun, abs=1e-6)


def test_basis_adds_to_one():
    np.testing.assert_allclose(spline_basis(401).sum(axis=1), 1)
