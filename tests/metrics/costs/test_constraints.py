"""The cheapest way to keep a promise about rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, CostMatrix, ScoreCounts
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.metrics import constrained_optimum, hull_points, min_cost

SEED = st.integers(0, 2**31)


def scores(seed, n=50):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], (rng.random(n - 2) < 0.3).astype(int))
    return ScoreCounts.from_scores(y, rng.normal(size=n) + 1.5 * y, kind="rank")


def two(ratio, **settings):
    return Application(CostMatrix.binary(false_positive=1, false_negative=ratio), **settings)


def by_linear_program(sc, app, rows, limits):
    """Mixtures of hull corners by SciPy: the same optimum, found in another way."""
    from scipy.optimize import linprog

    points = hull_points(sc)
    fpr, tpr = points.false_positive_rate, points.sensitivity
    p0, p1 = sc.priors if app.priors is None else app.priors
    costs = p0 * fpr + p1 * app.costs.values[1, 0] * (1 - tpr)
    corners = {"fpr": fpr, "tpr": tpr, "alarms": p0 * fpr + p1 * tpr}
    found = linprog(
        costs,
        A_ub=np.array([sum(c * corners[k] for k, c in row.items()) for row in rows]),
        b_ub=limits,
        A_eq=np.ones((1, fpr.size)),
        b_eq=[1],
        bounds=(0, 1),
    )
    return found.fun if found.status == 0 else None


@given(SEED, st.floats(0.1, 10), st.floats(0, 1), st.floats(0, 1))
def test_against_a_linear_program(seed, ratio, sensitivity, alarms):
    sc, app = scores(seed), two(ratio)
    expected = by_linear_program(sc, app, [{"tpr": -1.0}, {"alarms": 1.0}], [-sensitivity, alarms])
    if expected is None:
        with pytest.raises(UndefinedError):
            constrained_optimum(sc, app, min_sensitivity=sensitivity, max_alarms=alarms)
        return
    found = constrained_optimum(sc, app, min_sensitivity=sensitivity, max_alarms=alarms)
    assert found.cost == pytest.approx(expected, abs=1e-7)
    assert found.sensitivity >= sensitivity - 1e-9
    assert found.alarms <= alarms + 1e-9
    assert found.price >= -1e-12


@given(SEED, st.floats(0.1, 10), st.floats(0, 1), st.floats(0.05, 1))
def test_specificity_and_precision_against_a_linear_program(seed, ratio, specificity, precision):
    sc, app = scores(seed), two(ratio)
    p0, p1 = sc.priors
    rows = [{"fpr": 1.0}, {"fpr": precision * p0, "tpr": -(1 - precision) * p1}]
    expected = by_linear_program(sc, app, rows, [1 - specificity, 0.0])
    found = constrained_optimum(sc, app, min_specificity=specificity, min_precision=precision)
    assert found.cost == pytest.approx(expected, abs=1e-7)


@given(SEED, st.floats(0.1, 10))
def test_without_promises_it_is_the_minimum_cost(seed, ratio):
    sc = scores(seed)
    found = constrained_optimum(sc, two(ratio))
    assert found.cost == pytest.approx(min_cost(sc, two(ratio)))
    assert (found.price, found.binding) == (0, ())


@given(SEED, st.floats(0.5, 1))
def test_the_ratio_it_implies_makes_the_same_point_optimal(seed, sensitivity):
    """`ferrer2025` 3.5: a required sensitivity is a statement about the costs."""
    sc = scores(seed)
    found = constrained_optimum(sc, two(1e-6), min_sensitivity=sensitivity)
    low, high = found.ratio
    assert low <= high
    inside = low * 1.000001 if high == np.inf else (low + high) / 2
    free = min_cost(sc, two(inside))
    cost = sc.priors[1] * inside * (1 - found.sensitivity)
    cost += sc.priors[0] * (1 - found.specificity)
    assert cost == pytest.approx(free, rel=1e-5)


def test_a_number_of_alarms_a_day():
    sc = scores(0)
    app = two(20, priors=[0.95, 0.05], volume=1000, period="day")
    found = constrained_optimum(sc, app, max_alarms=50)
    assert found.alarms == pytest.approx(0.05)
    assert found.binding == ("max_alarms",)
    assert sum(found.mixture) == pytest.approx(1)
    with pytest.raises(DataError, match="of how many is unknown"):
        constrained_optimum(sc, two(20), max_alarms=50)


def test_promises_that_exclude_each_other():
    sc = scores(0)
    with pytest.raises(UndefinedError, match="`min_sensitivity` and `max_alarms` cannot both"):
        constrained_optimum(sc, two(1), min_sensitivity=0.99, max_alarms=0.05)


def test_refusals():
    sc = scores(0)
    with pytest.raises(DataError, match="`min_sensitivity` must lie between"):
        constrained_optimum(sc, two(1), min_sensitivity=1.5)
    app = Application(CostMatrix.zero_one(2).with_abstention(0.1))
    with pytest.raises(CostError, match="two decisions; got 3"):
        constrained_optimum(sc, app, min_sensitivity=0.5)
