"""Coverage and cost of abstaining against Bayes decisions with a third column."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CostMatrix, ScoreCounts, bayes_decisions, curves, expected_cost
from stakes.exceptions import CostError


def drawn(n=400):
    rng = np.random.default_rng(0)
    p = rng.beta(1, 2, size=n)
    return rng.random(n) < p, p


def test_against_bayes_decisions():
    y, p = drawn()
    costs = CostMatrix([[0, 1], [4, 0]])
    sc = ScoreCounts.from_scores(y, p, kind="posterior")
    curve = curves.abstention(sc, costs, abstention_costs=[0.0, 0.1, 0.3, 0.7, 2.0])
    for row in curve.frame().rows():
        wider = costs.with_abstention(row["abstention_cost"], name="ask")
        decided = bayes_decisions(p, wider)
        names = np.array(wider.decisions, dtype=object)[decided]
        app = Application(wider)
        assert row["coverage"] == pytest.approx(np.mean(decided != 2))
        assert row["cost"] == pytest.approx(expected_cost(y.astype(int), names, application=app))
        kept = decided != 2
        if kept.any():
            paid = costs.values[y[kept].astype(int), decided[kept]].mean()
            assert row["cost_when_decided"] == pytest.approx(paid)


def test_default_range_ends_where_nobody_abstains():
    y, p = drawn()
    curve = curves.abstention(
        ScoreCounts.from_scores(y, p, kind="posterior"), CostMatrix([[0, 1], [4, 0]])
    )
    # Both decisions cost the same at p = 1/5, where each costs 4/5.
    assert curve.abstention_cost[-1] == pytest.approx(4 / 5)
    assert curve.coverage[-1] == 1
    assert (np.diff(curve.coverage) >= 0).all()


@pytest.mark.parametrize(
    ("costs", "price"),
    [
        ([[0, 1], [1, 0]], 1 / 2),
        ([[0, 1], [10, 0]], 10 / 11),
        ([[1, 3], [8, 2]], 1 + 7 / 4),  # alike at 1/4
        ([[0, 1], [10, 9]], 9),  # a sure positive costs 9 at best
        ([[2, 1], [5, 4]], 4),  # the second is always better
        ([[5, 4], [1, 3]], 4),  # a sure negative costs 4 at best
        ([[0, 2], [-1, 0]], 0),  # nothing costs anything
    ],
)
def test_default_range_is_the_dearest_case_to_decide(costs, price):
    sc = ScoreCounts.from_scores([0, 1], [0.4, 0.6], kind="posterior")
    grid = curves.abstention(sc, CostMatrix(costs)).abstention_cost
    assert grid[[0, -1]] == pytest.approx([0, price])
    assert grid.shape == (101,)
    p = np.linspace(0, 1, 40_001)[:, None]  # holds every place where two of these cost the same
    (a, b), (c, d) = costs
    tried = np.minimum(a + p * (c - a), b + p * (d - b)).max()
    assert price == pytest.approx(max(tried, 0), abs=1e-3)


def test_three_decisions_are_refused():
    y, p = drawn(20)
    with pytest.raises(CostError, match="abstention is added here"):
        curves.abstention(
            ScoreCounts.from_scores(y, p, kind="posterior"),
            CostMatrix.zero_one(2).with_abstention(0.1),
        )
