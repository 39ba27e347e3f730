import numpy as np
from scipy.optimize import check_grad, minimize
from scipy.special import softmax

from stakes._kernels.optimise.regression_fit import _Problem, fit_matrix

SPREADS = (0.3, 1.0, 10.0)


def made_up():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    return rng.normal(size=(200, 3)) + np.eye(3)[y], y, rng.random(200) + 0.5


def test_gradient_and_curvature_against_differences():
    x, y, w = made_up()
    problem = _Problem(x, y, w, SPREADS, np.array([0.3, -0.1, 0.2]))
    theta = np.linspace(-0.5, 0.7, 12)
    error = check_grad(
        lambda t: problem.value_and_gradient(t)[0],
        lambda t: problem.value_and_gradient(t)[1],
        theta,
    )
    assert error < 1e-6
    step = np.cos(np.arange(12.0))
    ends = [problem.value_and_gradient(theta + s * 1e-5 * step)[1] for s in (1, -1)]
    np.testing.assert_allclose(
        problem.curvature(problem.posteriors(theta), step), (ends[0] - ends[1]) / 2e-5, atol=1e-7
    )


def test_stiffness_is_the_diagonal_of_the_curvature():
    x, y, w = made_up()
    problem = _Problem(x, y, w, SPREADS, np.zeros(3))
    theta = np.linspace(-0.5, 0.7, 12)
    diagonal = [problem.curvature(problem.posteriors(theta), unit) @ unit for unit in np.eye(12)]
    np.testing.assert_allclose(problem.stiffness(problem.posteriors(theta)), diagonal, rtol=1e-12)


def test_optimum_against_scipy_trust_region():
    x, y, w = made_up()
    middle = np.array([0.5, -0.5, 0.0])
    problem = _Problem(x, y, w, SPREADS, middle)
    reference = minimize(
        problem.value_and_gradient,
        np.zeros(12),
        jac=True,
        hessp=lambda theta, step: problem.curvature(problem.posteriors(theta), step),
        method="trust-ncg",
        options={"gtol": 1e-10},
    )
    found = fit_matrix(
        x,
        y,
        w,
        (np.ones(3), np.zeros(3)),
        counts=np.bincount(y, weights=w),
        spreads=SPREADS,
        middle=middle,
        tolerance=1e-9,
    )
    np.testing.assert_allclose(found.value, reference.fun, atol=1e-12)
    np.testing.assert_allclose(found.matrix, reference.x.reshape(3, 4)[:, :-1], atol=1e-6)


def test_gradient_vanishes_at_the_fit():
    x, y, w = made_up()
    found = fit_matrix(x, y, w, (np.ones(3), np.zeros(3)), counts=np.bincount(y), spreads=SPREADS)
    assert found.gradient <= 1e-5


def test_tiny_spreads_give_one_scale():
    x, y, w = made_up()
    found = fit_matrix(
        x, y, w, (np.ones(3), np.zeros(3)), counts=np.bincount(y), spreads=(1e-4, 1e-4, 10.0)
    )
    assert np.abs(found.matrix - found.matrix[0, 0] * np.eye(3)).max() < 1e-3


def test_smoothed_targets_are_a_mean_over_labels():
    """Each case as its own class with 1 - g and as each of the two others with g / 2."""
    x, y, w = made_up()
    given = np.linspace(0.0, 0.4, 200)
    theta = np.linspace(-0.5, 0.7, 12)
    smoothed = _Problem(x, y, w, SPREADS, np.zeros(3), given)
    shares = [w * (1 - given), w * given / 2, w * given / 2]
    repeated = _Problem(
        np.tile(x, (3, 1)),
        np.concatenate([y, (y + 1) % 3, (y + 2) % 3]),
        np.concatenate(shares),
        SPREADS,
        np.zeros(3),
    )
    for found, expected in zip(
        smoothed.value_and_gradient(theta), repeated.value_and_gradient(theta), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_cases_told_apart_are_doubted():
    y = np.arange(30) % 3
    x = np.random.default_rng(0).normal(size=(30, 3)) + 8 * np.eye(3)[y]
    found = fit_matrix(
        x, y, np.ones(30), (np.ones(3), np.zeros(3)), counts=np.full(3, 10.0), spreads=SPREADS
    )
    own = softmax(x @ found.matrix.T + found.biases, axis=1)[np.arange(30), y]
    assert abs(own.mean() - (1 - 2 / 3 / (10 + 2))) < 0.01
