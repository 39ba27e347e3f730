import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from stakes.calibration import Affine, Beta, Logistic


def made_up(n=500, seed=0, share=0.2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=n) * 2 + np.where(y == 1, 2.0, -2.0), y


class TestLogistic:
    def test_calibrated_llrs_stay_as_they_are_at_any_prior(self):
        """Gaussian LLRs of variance 4 and means +-2 are calibrated, whatever the class shares."""
        scores, y = made_up(200_000)
        for prior in (0.5, 0.01):
            cal = Logistic(priors=[1 - prior, prior]).fit(scores, y)
            assert cal.slope == pytest.approx(1.0, abs=0.03)
            intercept = cal.intercept - np.log(prior / (1 - prior))
            assert intercept == pytest.approx(0.0, abs=0.1)

    def test_equals_affine(self):
        scores, y = made_up()
        np.testing.assert_allclose(
            Logistic(priors=[0.5, 0.5]).fit(scores, y).posteriors(scores),
            Affine(priors=[0.5, 0.5]).fit(scores, y).posteriors(scores),
        )

    def test_scaling_the_scores_changes_nothing(self):
        scores, y = made_up()
        a = Logistic().fit(scores, y).posteriors(scores)
        b = Logistic().fit(0.01 * scores - 3, y).posteriors(0.01 * scores - 3)
        np.testing.assert_allclose(a, b, atol=1e-9)

    def test_against_sklearn_at_least_as_good(self):
        linear = pytest.importorskip("sklearn.linear_model", reason="the peer is not installed")
        scores, y = made_up()
        weights = np.where(y == 1, 0.5 / (y == 1).sum(), 0.5 / (y == 0).sum())
        peer = linear.LogisticRegression(C=1e12).fit(
            scores[:, None], y, sample_weight=weights * 500
        )
        cal = Logistic(priors=[0.5, 0.5]).fit(scores, y)

        def loss(slope, intercept):
            sign = np.where(y == 1, 1, -1)
            return -float(weights @ np.log(expit(sign * (slope * scores + intercept))))

        ours, theirs = loss(cal.slope, cal.intercept), loss(peer.coef_[0, 0], peer.intercept_[0])
        assert ours <= theirs + 1e-12
        assert ours == pytest.approx(theirs, abs=1e-6)

    def test_decreasing_scores_get_a_negative_slope(self):
        scores, y = made_up()
        assert Logistic().fit(-scores, y).slope < 0

    def test_separable(self):
        cal = Logistic().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
        assert cal.report["smoothed"]
        assert 0 < cal.slope < 10

    def test_smoothing_may_be_refused(self):
        scores, y = made_up()
        assert not Logistic(smoothing=False).fit(scores, y).report["smoothed"]


class TestBeta:
    def test_never_above_affine(self):
        scores, y = made_up()

        def value(kind):
            return -kind().fit(scores, y).log_posteriors(scores)[np.arange(len(y)), y].mean()

        assert value(Beta) <= value(Affine) + 1e-9

    def test_calibrated_scores_keep_their_posteriors(self):
        scores, y = made_up(200_000, share=0.5)
        found = Beta().fit(scores, y).posteriors(scores)[:, 1]
        assert np.abs(found - expit(scores)).max() < 0.02

    def test_map_never_decreases(self):
        rng = np.random.default_rng(3)
        scores = rng.normal(size=200)
        y = (np.abs(scores) + 0.3 * rng.normal(size=200) < 0.7).astype(int)  # not monotone at all
        found = Beta().fit(scores, y).posteriors(np.sort(scores))[:, 1]
        assert (np.diff(found) >= -1e-12).all()

    @pytest.mark.parametrize("seed", range(12))
    def test_against_scipy_with_limits(self, seed):
        """Whether both coefficients, one or none of them are held at 0."""
        rng = np.random.default_rng(seed)
        scores = 2.0 * rng.normal(size=80) + [-1.0, 0.0, 1.0][seed % 3]
        y = (rng.random(80) < expit([0.0, 0.5, -0.5, 1.0][seed % 4] * scores)).astype(int)
        x = np.column_stack([-np.logaddexp(0, -scores), np.logaddexp(0, scores), np.ones(80)])

        def loss(theta):
            return np.logaddexp(0, -(2 * y - 1) * (x @ theta)).mean()

        limits = [(0, None), (0, None), (None, None)]
        options = {"ftol": 1e-15, "maxiter": 1000}
        best = minimize(loss, [0.5, 0.5, 0.0], bounds=limits, method="SLSQP", options=options)
        own = Beta().fit(scores, y).log_posteriors(scores)[np.arange(80), y]
        assert -own.mean() == pytest.approx(best.fun, abs=1e-8)

    def test_decreasing_scores_give_the_prior(self):
        scores, y = made_up()
        found = Beta().fit(-scores, y).posteriors(-scores)[:, 1]
        np.testing.assert_allclose(found, y.mean(), atol=1e-6)
