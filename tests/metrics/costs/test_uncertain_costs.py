"""Systems compared under uncertain costs and priors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts
from stakes.application import Between, UncertainApplication
from stakes.exceptions import CostError, DataError
from stakes.metrics import compare_under_uncertainty, expected_cost

BOLD = ConfusionMatrix([[70, 30], [1, 9]])
SHY = ConfusionMatrix([[90, 10], [4, 6]])
SYSTEMS = {"bold": BOLD, "shy": SHY}


def two(ratio):
    return CostMatrix.binary(false_positive=1, false_negative=ratio)


def test_alternatives_by_hand():
    """Bold costs .27 + .01 c, shy .09 + .04 c with priors .9, .1: equal at c = 6."""
    app = UncertainApplication.alternatives(
        [Application(two(c), priors=[0.9, 0.1]) for c in (2, 12)], [0.75, 0.25]
    )
    found = compare_under_uncertainty(SYSTEMS, app)
    bold, shy = np.array([0.29, 0.39]), np.array([0.17, 0.57])
    weights = np.array([0.75, 0.25])
    assert found.expected == pytest.approx([weights @ bold, weights @ shy])
    assert found.worst_regret == pytest.approx([0.12, 0.18])
    assert found.probability_best == pytest.approx([0.25, 0.75])
    best = min(weights @ bold, weights @ shy)
    assert found.value_of_knowing == pytest.approx(best - weights @ np.minimum(bold, shy))
    assert (found.best, found.minimax) == ("shy", "bold")


@given(st.floats(1, 10), st.floats(1, 10), st.floats(0.05, 0.5), st.floats(1, 1.9))
def test_worst_regret_is_at_a_corner(low, factor, prior, wider):
    app = UncertainApplication(
        [[0, 1], [Between(low, low * factor), 0]], priors=Between(prior, prior * wider)
    )
    found = compare_under_uncertainty(SYSTEMS, app, draws=10)
    worst = np.zeros(2)
    for c in np.linspace(low, low * factor, 9):
        for p in np.linspace(prior, prior * wider, 9):
            inner = Application(two(c), priors=[1 - p, p])
            costs = np.array([expected_cost(m, application=inner) for m in SYSTEMS.values()])
            worst = np.maximum(worst, costs - costs.min())
    assert (worst <= found.worst_regret + 1e-12).all()
    assert found.worst_regret == pytest.approx(worst, abs=1e-9)


def test_probability_best_of_a_range_by_its_switch_point():
    """Log-uniform on [2, 18] with the switch at 6, its geometric middle: even chances."""
    app = UncertainApplication([[0, 1], [Between(2, 18), 0]], priors=[0.9, 0.1])
    found = compare_under_uncertainty(SYSTEMS, app, draws=40_000, rng=1)
    assert found.probability_best == pytest.approx([0.5, 0.5], abs=0.01)


def test_certainty_has_no_value_of_knowing():
    app = UncertainApplication(two(12), priors=[0.9, 0.1])
    found = compare_under_uncertainty(SYSTEMS, app)
    assert found.value_of_knowing == 0
    assert found.probability_best == pytest.approx([1, 0])
    assert found.worst_regret == pytest.approx([0, 0.18])


def test_equal_systems_share_the_probability():
    app = UncertainApplication([[0, 1], [Between(2, 18), 0]])
    found = compare_under_uncertainty({"a": BOLD, "b": BOLD}, app, draws=50)
    assert found.probability_best == pytest.approx([0.5, 0.5])


def test_scores_enter_with_every_useful_threshold():
    sc = ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], kind="posterior")
    app = UncertainApplication([[0, 1], [Between(2, 3), 0]])
    found = compare_under_uncertainty({"gbm": sc}, app)
    assert found.best == "gbm > 0.25"
    assert found.frame().shape == (4, 4)


def test_data_of_different_shares_need_the_priors_of_use():
    other = ConfusionMatrix([[40, 10], [10, 40]])
    app = UncertainApplication([[0, 1], [Between(2, 18), 0]])
    with pytest.raises(DataError, match="different class shares"):
        compare_under_uncertainty({"a": BOLD, "b": other}, app)
    placed = UncertainApplication([[0, 1], [Between(2, 18), 0]], priors=[0.9, 0.1])
    assert compare_under_uncertainty({"a": BOLD, "b": other}, placed).best in ("a", "b")


def test_refusals():
    with pytest.raises(CostError, match="UncertainApplication"):
        compare_under_uncertainty(SYSTEMS, two(3))
    named = UncertainApplication([[0, 1], [2, 0]], classes=["x", "y"])
    with pytest.raises(DataError, match="the systems have classes"):
        compare_under_uncertainty(SYSTEMS, named)
