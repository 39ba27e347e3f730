import numpy as np
from scipy.optimize import check_grad
from scipy.special import log_softmax

from stakes._kernels.optimise.monotone_curve import _Problem, fit_curve

SPREADS = (1.0, 0.3)


def made_up():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 700)
    logs = log_softmax(3 * rng.normal(size=(700, 4)) + 3 * np.eye(4)[y], axis=1)
    return logs, y, rng.random(700) + 0.5, np.array([0.3, -0.2, 0.0, 0.1])


def test_derivatives_against_differences_over_blocks():
    problem = _Problem(*made_up(), SPREADS)
    problem.length = 256  # three blocks
    slopes = np.linspace(0.4, 1.9, 8)
    assert (
        check_grad(lambda s: problem.objective(s)[0], lambda s: problem.objective(s)[1], slopes)
        < 1e-6
    )
    step = np.cos(np.arange(8.0))
    ends = [problem.objective(slopes + s * 1e-5 * step)[1] for s in (1, -1)]
    np.testing.assert_allclose(
        problem.objective(slopes)[2] @ step, (ends[0] - ends[1]) / 2e-5, atol=1e-7
    )


def test_cases_without_weight_do_not_count():
    logs, y, weights, offsets = made_up()
    weights[::3] = 0.0
    keep = weights > 0
    all_of_them = fit_curve(logs, y, weights, offsets=offsets, spreads=SPREADS)
    kept = fit_curve(logs[keep], y[keep], weights[keep], offsets=offsets, spreads=SPREADS)
    np.testing.assert_allclose(all_of_them.parameters, kept.parameters, atol=1e-7)


def test_tight_spreads_leave_the_line():
    logs, y, weights, offsets = made_up()
    found = fit_curve(logs, y, weights, offsets=offsets, spreads=(1e-4, 1e-4))
    np.testing.assert_allclose(found.parameters, 1.0, atol=1e-4)
