import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import log_softmax

from stakes._kernels.class_scores import class_sums, lay_out, smoothed_sums
from stakes._kernels.optimise.affine_fit import (
    _affine_objective,
    _affine_slopes,
    _temperature_objective,
    _vector_objective,
    fit_scaling,
)

OFFSETS = np.array([0.1, 0.2, -0.3, 0.0])
OBJECTIVES = {
    "temperature": (_temperature_objective, 1),
    "affine": (_affine_objective, 4),
    "vector": (_vector_objective, 7),
}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 300)
    z = 2 * (rng.normal(size=(300, 4)) + 1.5 * np.eye(4)[y]) + [0.0, 1.0, -1.0, 0.5]
    return log_softmax(z, axis=1), y, rng.random(300) + 0.5


def reference(form, z, y, w):
    """The optimum by BFGS with numerical gradients."""

    def loss(theta):
        scale, bias = {
            "temperature": (theta[0], 0.0),
            "affine": (theta[0], theta[1:]),
            "vector": (theta[:4], theta[4:]),
        }[form]
        logs = log_softmax(scale * z + bias + OFFSETS, axis=1)
        return -(w @ logs[np.arange(len(y)), y]) / w.sum()

    size = {"temperature": 1, "affine": 5, "vector": 8}[form]
    return minimize(loss, np.full(size, 0.5), method="BFGS", options={"gtol": 1e-8}).fun


@pytest.mark.parametrize("form", OBJECTIVES)
class TestFitScaling:
    def test_against_scipy(self, form, data):
        z, y, w = data
        laid = lay_out(z, normalised=True)
        found = fit_scaling(form, laid, y, w, counts=np.bincount(y, weights=w), offsets=OFFSETS)
        assert found.gradient <= 1e-8
        assert abs(found.value - reference(form, z, y, w)) < 1e-9
        assert not found.smoothed

    def test_gradient_and_hessian_against_differences(self, form, data):
        z, y, w = data
        laid = lay_out(z, normalised=True)
        make, size = OBJECTIVES[form]
        objective = make(laid, class_sums(laid, y, w), w, OFFSETS)
        theta = np.linspace(0.3, 0.9, size)
        assert check_grad(lambda t: objective(t)[0], lambda t: objective(t)[1], theta) < 1e-6
        columns = [
            (objective(theta + 1e-5 * e)[1] - objective(theta - 1e-5 * e)[1]) / 2e-5
            for e in np.eye(size)
        ]
        np.testing.assert_allclose(objective(theta)[2], columns, atol=1e-7)

    def test_subsample_start_changes_nothing(self, form, data):
        z, y, w = (np.concatenate([part] * 300) for part in data)  # more than four pilots
        few = fit_scaling(
            form,
            lay_out(data[0], normalised=True),
            data[1],
            data[2],
            counts=np.bincount(data[1]) * 1.0,
            offsets=OFFSETS,
        )
        many = fit_scaling(
            form, lay_out(z, normalised=True), y, w, counts=np.bincount(y) * 1.0, offsets=OFFSETS
        )
        np.testing.assert_allclose(many.scales, few.scales, rtol=1e-5)
        assert abs(many.value - few.value) < 1e-10

    def test_separable_data_stay_finite(self, form):
        y = np.arange(60) % 3
        z = np.eye(3)[y] + 0.01 * np.random.default_rng(0).normal(size=(60, 3))
        found = fit_scaling(
            form,
            lay_out(z, normalised=form == "vector"),
            y,
            np.ones(60),
            counts=np.full(3, 20.0),
            offsets=np.zeros(3),
        )
        assert found.smoothed
        assert np.all(np.isfinite(found.scales))
        assert found.scales[0] < 100

    def test_negative_scale_is_found(self, form, data):
        z, y, w = data
        found = fit_scaling(
            form,
            lay_out(-z, normalised=form == "vector"),
            y,
            w,
            counts=np.bincount(y) * 1.0,
            offsets=np.zeros(4),
        )
        assert found.scales.mean() < 0


def test_slopes_are_those_of_the_objective(data):
    z, y, w = data
    laid = lay_out(z)
    sums = class_sums(laid, y, w)
    theta = np.array([0.7, -0.2, 0.4, 1.1])
    value, gradient = _affine_slopes(laid, sums, w, OFFSETS)(theta)
    expected = _affine_objective(laid, sums, w, OFFSETS)(theta)
    assert value == pytest.approx(expected[0], abs=1e-14)
    np.testing.assert_allclose(gradient, expected[1], atol=1e-14)


def test_smoothed_sums_are_platts_for_two_classes():
    scores = np.array([[0.0, 1.0], [0.0, -2.0], [0.0, 3.0]])
    y = np.array([1, 0, 1])
    laid = lay_out(scores)
    sums = smoothed_sums(laid, y, np.ones(3), np.array([1.0, 2.0]))
    own, other = 3 / 4, 1 - 1 / 3  # (N1 + 1)/(N1 + 2) and 1 - 1/(N0 + 2)
    assert sums[1, 1] == pytest.approx(2 * own + 1 / 3)
    assert sums[1, 0] == pytest.approx(other + 2 / 4)


def test_a_smoothed_case_gives_as_much_to_every_other_class():
    scores = np.array([[0.0, -1.0, -2.0, -3.0], [-1.0, 0.0, -1.0, -2.0]])
    laid = lay_out(scores)
    sums = smoothed_sums(laid, np.array([0, 1]), np.ones(2), np.array([8.0, 3.0, 0.0, 0.0]))
    first, second = 2 / 4 / (8 + 2), 2 / 4 / (3 + 2)
    expected = [1 - first + second / 3, 1 - second + first / 3] + 2 * [(first + second) / 3]
    np.testing.assert_allclose(sums[1], expected)
    np.testing.assert_allclose(sums[0, 3], -3 * first / 3 - 2 * second / 3)


def test_barred_class_gets_no_share():
    scores = np.array([[0.0, -np.inf, 1.0], [0.5, 0.2, 0.0], [0.1, 0.9, 0.0], [0.1, 0.2, 0.0]])
    y = np.array([0, 0, 1, 2])
    laid = lay_out(scores)
    assert laid.barred is not None
    found = fit_scaling(
        "affine",
        laid,
        y,
        np.ones(4),
        counts=np.array([2.0, 1.0, 1.0]),
        offsets=np.zeros(3),
        smoothing=True,
    )
    assert np.isfinite(found.value)
