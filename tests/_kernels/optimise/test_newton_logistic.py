import numpy as np
import pytest
from scipy.optimize import minimize

from stakes._kernels.optimise.regression_fit import (
    LogisticLoss,
    _target_sums,
    fit_line,
    fit_logistic,
)


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


class TestManyBlocks:
    """More cases than a block holds."""

    def test_one_exception_in_the_last_block_is_seen(self):
        x = np.arange(20_000.0)
        y = x >= 10_000
        counts = np.array([10_000.0, 10_000.0])
        assert fit_line(x, y, np.ones(20_000), counts=counts).smoothed
        assert fit_line(-x, y, np.ones(20_000), counts=counts).smoothed
        y[-1] = False
        assert not fit_line(x, y, np.ones(20_000), counts=counts).smoothed

    def test_classes_in_turn(self):
        y = np.arange(160_002) % 2 == 1
        x = np.random.default_rng(0).normal(size=len(y)) + 6 * y
        line = fit_line(x, y, np.ones(len(y)), counts=np.full(2, len(y) / 2))
        assert line.gradient <= 1e-8
        assert line.value < 0.01

    def test_slopes_are_those_of_the_objective(self):
        x, y, w = made_up(20_000)
        data = [x, x**2], _target_sums([x, x**2], y, w), w, float(w.sum())
        np.testing.assert_allclose(data[1], [w[y] @ x[y], w[y] @ x[y] ** 2, w[y].sum()])
        theta = np.array([0.4, 0.1, -0.3])
        value, gradient, _ = LogisticLoss(*data).objective(theta)
        found = LogisticLoss(*data).slopes(theta)
        assert found[0] == value
        np.testing.assert_array_equal(found[1], gradient)

    def test_curvature_against_differences(self):
        x, y, w = made_up(10_000)
        data = [x, x**2], _target_sums([x, x**2], y, w), w, float(w.sum())
        objective, theta = LogisticLoss(*data).objective, np.array([0.4, 0.1, -0.3])
        columns = [
            (objective(theta + 1e-5 * e)[1] - objective(theta - 1e-5 * e)[1]) / 2e-5
            for e in np.eye(3)
        ]
        np.testing.assert_allclose(objective(theta)[2], columns, atol=1e-6)

    def test_exponents_that_would_overflow(self):
        """The same loss where scores of 2000 are among them."""
        x, y, w = made_up(9000)
        far = np.where(np.arange(9000) % 1000 == 0, 2000.0 * np.where(y, 1.0, -1.0), x)
        theta = np.array([0.7, -0.2])
        loss = LogisticLoss([far], _target_sums([far], y, w), w, float(w.sum()))
        t = theta[0] * far + theta[1]
        assert loss.slopes(theta)[0] == pytest.approx(
            float(w @ (np.logaddexp(0, t) - y * t) / w.sum())
        )
        columns = [
            (loss.slopes(theta + 1e-6 * e)[1] - loss.slopes(theta - 1e-6 * e)[1]) / 2e-6
            for e in np.eye(2)
        ]
        np.testing.assert_allclose(loss.objective(theta)[2], columns, atol=1e-4)
