import numpy as np
import pytest
from scipy.optimize import minimize

from stakes._kernels.newton_logistic import fit_line, fit_logistic


def made_up(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return 2 * rng.normal(size=n) + np.where(y, 1.0, -1.0), y, rng.random(n) + 0.5


def loss(theta, x, y, w):
    t = theta[0] * x + theta[1]
    return float(w @ (np.logaddexp(0, t) - y * t) / w.sum())


class TestFitLine:
    def test_against_scipy(self):
        x, y, w = made_up(500)
        line = fit_line(x, y, w, counts=np.array([1.0, 1.0]))
        found = minimize(loss, [0.1, 0.0], args=(x, y, w), method="BFGS", options={"gtol": 1e-9})
        assert line.value == pytest.approx(found.fun, abs=1e-12)
        np.testing.assert_allclose([line.slope, line.intercept], found.x, atol=1e-6)

    def test_scale_equivariance(self):
        x, y, w = made_up(500)
        line = fit_line(x, y, w, counts=np.array([1.0, 1.0]))
        moved = fit_line(1e-3 * x + 50.0, y, w, counts=np.array([1.0, 1.0]))
        assert moved.slope * 1e-3 == pytest.approx(line.slope, rel=1e-8)
        assert moved.slope * 50.0 + moved.intercept == pytest.approx(line.intercept, abs=1e-6)

    def test_separable_uses_platts_targets(self):
        x, y = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True])
        line = fit_line(x, y, np.ones(4), counts=np.array([2.0, 2.0]))
        assert line.smoothed
        t = line.slope * x + line.intercept  # at the optimum the mean residual is 0
        assert np.mean(1 / (1 + np.exp(-t))) == pytest.approx((2 * 3 / 4 + 2 * 1 / 4) / 4)

    def test_touching_classes_are_quasi_separable(self):
        x, y = np.array([-1.0, 0.0, 0.0, 1.0]), np.array([False, False, True, True])
        assert fit_line(x, y, np.ones(4), counts=np.array([2.0, 2.0])).smoothed

    def test_constant_scores_give_the_prior(self):
        y = np.array([True, False, False, False])
        line = fit_line(np.full(4, 7.0), y, np.ones(4), counts=np.array([3.0, 1.0]))
        assert 7.0 * line.slope + line.intercept == pytest.approx(np.log(1 / 3))


def test_subsample_start_changes_nothing():
    x, y, w = made_up(1000)
    few = fit_logistic([x], y, w).parameters
    many = fit_logistic([np.tile(x, 200)], np.tile(y, 200), np.tile(w, 200))
    np.testing.assert_allclose(many.parameters, few, atol=1e-7)
    assert many.gradient <= 1e-8
