"""The abstention rule and the naive decision beside it (`ferrer2025` eqs 30-33)."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from stakes import Application, CostMatrix, bayes_decisions

TEN_CLASS_PRIORS = np.array([0.8, *[0.2 / 9] * 9])  # section 4.1.2


@st.composite
def shares(draw: st.DrawFn) -> np.ndarray:
    counts = draw(st.lists(st.integers(0, 64), min_size=2, max_size=6).filter(any))
    return np.array(counts) / sum(counts)


@given(shares(), st.floats(0.01, 0.99))
def test_abstains_exactly_when_all_posteriors_are_below_one_minus_alpha(posterior, alpha) -> None:
    """Eq 32."""
    assume(abs(posterior.max() - (1 - alpha)) > 1e-9)
    costs = CostMatrix.zero_one(len(posterior)).with_abstention(alpha)
    decision = costs.decisions[bayes_decisions(posterior[None, :], costs)[0]]
    if (posterior < 1 - alpha).all():
        assert decision == "abstain"
    else:
        assert decision == posterior.argmax()


@given(shares(), st.floats(0.01, 0.99))
def test_naive_decision_abstains_exactly_when_all_priors_are(priors, alpha) -> None:
    """Eq 33."""
    assume(abs(priors.max() - (1 - alpha)) > 1e-9)
    app = Application(CostMatrix.zero_one(len(priors)).with_abstention(alpha), priors=priors)
    if (priors < 1 - alpha).all():
        assert app.naive_decision == "abstain"
        assert app.naive_cost == pytest.approx(alpha)
    else:
        assert app.naive_decision == priors.argmax()
        assert app.naive_cost == pytest.approx(1 - priors.max())


@pytest.mark.parametrize("n", [2, 4])
def test_a_tie_goes_to_the_class(n: int) -> None:
    """At 1 - alpha exactly the earlier column wins; quarters are exact floats."""
    posterior = np.zeros((1, n))
    posterior[0, :2] = 0.25, 0.75
    costs = CostMatrix.zero_one(n).with_abstention(0.25)
    assert bayes_decisions(posterior, costs)[0] == 1


@pytest.mark.parametrize(
    ("alpha", "naive", "cost"),
    [(0.05, "abstain", 0.05), (0.30, 0, 0.2)],
    ids=["Cabs1", "Cabs2"],
)
def test_against_table_1_naive_decisions(alpha, naive, cost) -> None:
    """1 - alpha is .95 and .70, the largest prior .8: abstain for Cabs1 only."""
    costs = CostMatrix.zero_one(10).with_abstention(alpha)
    app = Application(costs, priors=TEN_CLASS_PRIORS)
    assert app.naive_decision == naive
    assert app.naive_cost == pytest.approx(cost)


def test_a_dearer_abstention_is_taken_less() -> None:
    posteriors = np.random.default_rng(0).dirichlet(np.full(4, 0.5), size=2000)
    taken = [
        int((bayes_decisions(posteriors, CostMatrix.zero_one(4).with_abstention(a)) == 4).sum())
        for a in (0.05, 0.1, 0.3, 0.5, 0.75)
    ]
    assert taken == sorted(taken, reverse=True)
    assert taken[-1] == 0  # one of four posteriors is always at least 1/4


def test_free_abstention_is_always_taken_unless_certain() -> None:
    costs = CostMatrix.zero_one(2).with_abstention(0)
    assert bayes_decisions([[0.5, 0.5], [0.99, 0.01], [1.0, 0.0]], costs).tolist() == [2, 2, 0]
