import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.special import expit

from stakes._kernels.optimise.newton import (
    Minimum,
    _exact_line_search,
    _newton_step,
    is_settled,
    minimise,
)


def quadratic(centre, curve):
    def objective(x):
        gap = x - centre
        return 0.5 * float(gap @ curve @ gap), curve @ gap, curve

    return objective


def steep(x):
    """log cosh: full Newton steps diverge from far away."""
    t = float(x[0])
    value = np.logaddexp(t, -t) - np.log(2)
    slope = np.tanh(t)
    return float(value), np.array([slope]), np.array([[1 - slope**2]])


class TestMinimise:
    def test_quadratic_takes_one_step(self):
        centre = np.array([3.0, -1.0])
        found = minimise(quadratic(centre, np.array([[2.0, 0.5], [0.5, 1.0]])), np.zeros(2))
        assert found.steps == 1
        np.testing.assert_allclose(found.parameters, centre)

    def test_undamped_divergence_is_caught(self):
        found = minimise(steep, np.array([5.0]))
        assert abs(found.parameters[0]) < 1e-8
        assert found.gradient <= 1e-8

    def test_start_at_optimum_takes_no_step(self):
        assert minimise(steep, np.zeros(1)).steps == 0

    def test_flat_direction_is_left_alone(self):
        curve = np.diag([1.0, 0.0])
        found = minimise(quadratic(np.array([2.0, 0.0]), curve), np.array([0.0, 7.0]))
        np.testing.assert_allclose(found.parameters, [2.0, 7.0])


@pytest.mark.parametrize("start", [25.0, 30.0, 100.0, 1000.0])
def test_a_start_where_nothing_bends(start):
    """Posteriors of 0 or 1: the Newton step is as good as infinite."""

    def objective(x):
        p = expit(x)
        return float(np.logaddexp(0, x[0]) - 0.3 * x[0]), p - 0.3, np.diag(p * expit(-x))

    found = minimise(objective, np.array([start]))
    assert found.parameters[0] == pytest.approx(np.log(0.3 / 0.7), abs=1e-6)
    assert found.steps < 10


class TestLeast:
    """Parameters that may not fall below a limit."""

    @pytest.mark.parametrize("seed", range(20))
    def test_quadratic_against_scipy(self, seed):
        rng = np.random.default_rng(seed)
        root, aim = rng.normal(size=(8, 5)), rng.normal(size=8)
        least = np.where(rng.random(5) < 0.7, rng.normal(size=5), -np.inf)

        def objective(x):
            rest = root @ x - aim
            return 0.5 * float(rest @ rest), root.T @ rest, root.T @ root

        found = minimise(objective, rng.normal(size=5), least=least)
        expected = lsq_linear(root, aim, bounds=(least, np.inf), method="bvls", tol=1e-14).x
        np.testing.assert_allclose(found.parameters, expected, atol=1e-7)
        assert (found.parameters >= least).all()
        assert found.gradient <= 1e-8

    def test_limits_that_do_not_matter_change_nothing(self):
        free = minimise(steep, np.array([5.0]))
        kept = minimise(steep, np.array([5.0]), least=np.array([-3.0]))
        assert kept.parameters == free.parameters
        assert kept.steps == free.steps

    def test_a_held_parameter_is_settled(self):
        curve = np.array([[1.0, 0.9], [0.9, 1.0]])
        found = minimise(quadratic(np.array([-3.0, 1.0]), curve), np.ones(2), least=np.zeros(2))
        np.testing.assert_allclose(found.parameters, [0.0, 0.0], atol=1e-12)  # 1 + 0.9 * -3 < 0
        assert is_settled(found)

    def test_a_minimum_just_above_the_limit(self):
        centre = np.array([1e-5, 2.0])
        curve = np.array([[1.0, 0.99], [0.99, 1.0]])
        objective = quadratic(centre, curve)

        def bent(x):  # Newton does not hit it at once
            value, slope, curved = objective(x)
            out = x - centre
            return value + float((out**4).sum()), slope + 4 * out**3, curved + np.diag(12 * out**2)

        found = minimise(bent, np.array([3.0, -8.0]), least=np.array([0.0, -np.inf]))
        np.testing.assert_allclose(found.parameters, centre, atol=1e-6)


class TestIsSettled:
    def test_where_it_does_not_matter(self):
        """Two parameters of which only the sum counts, and a gradient of rounding alone."""
        noise = np.array([1e-17, -1e-17])
        curve = np.array([[1.0, 1.0 - 2e-16], [1.0 - 2e-16, 1.0]])
        assert is_settled(Minimum(np.ones(2), 1.0, 1e-17, 3, noise, curve))

    def test_at_a_minimum(self):
        assert is_settled(minimise(steep, np.array([0.5])))

    def test_not_on_the_way_to_infinity(self):
        def objective(x):  # exp(-x): each step is 1
            value = float(np.exp(-x[0]))
            return value, np.array([-value]), np.array([[value]])

        found = minimise(objective, np.zeros(1))
        assert found.gradient <= 1e-8
        assert not is_settled(found)


class TestSlopes:
    """Asked for value and gradient alone, the search ends as well with fewer Hessians."""

    @staticmethod
    def counted(start):
        calls = []

        def objective(x):
            calls.append("hessian")
            return steep(x)

        def slopes(x):
            calls.append("gradient")
            return steep(x)[:2]

        found = minimise(objective, np.array([start]), slopes=slopes)
        return found, calls

    def test_close_to_the_end_no_hessian_is_asked_for(self):
        found, calls = self.counted(0.004)
        assert calls == ["hessian", "gradient", "gradient"]
        assert found.gradient <= 1e-8
        assert found.gradient == abs(steep(found.parameters)[1][0])

    def test_far_from_the_end_hessians_are_renewed(self):
        found, calls = self.counted(5.0)
        assert abs(found.parameters[0]) < 1e-8
        assert calls.count("hessian") > 2

    def test_a_poor_step_asks_for_its_hessian(self):
        def slow(x):  # the fourth power: Newton shrinks the gradient by 8/27 a step
            return float(x[0] ** 4), 4 * x**3, np.array([[12 * float(x[0]) ** 2]])

        found = minimise(slow, np.array([0.1]), slopes=lambda x: slow(x)[:2])
        assert found.gradient <= 1e-8
        assert found.steps <= minimise(slow, np.array([0.1])).steps + 1


class TestExactLineSearch:
    def test_slope_vanishes_at_the_end(self):
        start, direction = np.array([4.0]), np.array([-100.0])
        slope = float(steep(start)[1] @ direction)
        _, (_, gradient, _) = _exact_line_search(steep, start, direction, slope, precision=1e-6)
        assert abs(float(gradient @ direction)) <= 1e-6 * abs(slope)


def test_newton_step_without_curvature_descends():
    gradient = np.array([1.0, -2.0])
    assert float(_newton_step(gradient, np.zeros((2, 2))) @ gradient) < 0


@pytest.mark.parametrize("lost", [0.0, 1e-15, 1e-14])
def test_rounding_does_not_lead_along_a_flat_direction(lost):
    """Only the sum of two parameters counts: the step goes the same way in both."""
    curve = np.array([[1.0, 1.0 - lost], [1.0 - lost, 1.0]])
    step = _newton_step(np.array([-0.5 - 1e-17, -0.5 + 1e-17]), curve)
    np.testing.assert_allclose(step, 0.25, atol=1e-6)
