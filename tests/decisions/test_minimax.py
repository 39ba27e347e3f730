"""The decision that can regret least."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import CostMatrix, Posteriors, bayes_decisions
from stakes.application import Between, UncertainApplication
from stakes.decisions import minimax_regret_decisions
from stakes.exceptions import CostError


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0.1, 5), st.floats(1, 10))
def test_corners_hold_the_worst_case(posteriors, low, factor):
    """No cost inside the range regrets more than the ends do."""
    app = UncertainApplication([[0, 1], [Between(low, low * factor), 0]])
    codes, regrets = minimax_regret_decisions(posteriors, app, with_regret=True)
    p = np.array(posteriors)
    inside = np.linspace(low, low * factor, 23)
    risks = np.stack([np.stack([p * c, 1 - p], axis=1) for c in inside])  # (costs, cases, 2)
    worst = (risks - risks.min(axis=2, keepdims=True)).max(axis=0)
    assert np.allclose(regrets, worst[np.arange(p.size), codes], atol=1e-9)
    assert (regrets <= worst.min(axis=1) + 1e-9).all()


def test_three_decisions_by_brute_force():
    app = UncertainApplication(
        [[0, Between(1, 4), 0.5], [Between(2, 9), 0, 0.5]], classes=[0, 1], decisions=[0, 1, "ask"]
    )
    p = np.linspace(0, 1, 101)
    codes = minimax_regret_decisions(p, app)
    for q, code in zip(p, codes, strict=True):
        regrets = []
        for fp, fn in itertools.product((1, 4), (2, 9)):
            risks = np.array([q * fn, (1 - q) * fp, 0.5])
            regrets.append(risks - risks.min())
        assert code == int(np.argmin(np.max(regrets, axis=0)))


def test_known_costs_give_the_bayes_rule():
    costs = CostMatrix([[0, 1], [10, 0]])
    app = UncertainApplication(costs)
    p = np.linspace(0, 1, 57)
    assert np.array_equal(minimax_regret_decisions(p, app), bayes_decisions(p, costs))
    said = Posteriors(np.column_stack([1 - p, p]))
    assert np.array_equal(minimax_regret_decisions(said, app), bayes_decisions(p, costs))


def test_known_applications_are_pointed_to_the_bayes_rule():
    with pytest.raises(CostError, match="UncertainApplication"):
        minimax_regret_decisions([0.5], CostMatrix.zero_one(2))
