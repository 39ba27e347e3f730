"""Reviewers: abstention as a special case, brute force, and what errors cost."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from stakes._guesses import CallError
from stakes.application import Application, CaseCosts, CostMatrix
from stakes.decisions import bayes_decisions
from stakes.exceptions import CostError, StakesError
from stakes.resources import Reviewer, review_plan


def test_a_perfect_expert_is_abstention():
    rng = np.random.default_rng(0)
    posteriors = rng.dirichlet([0.5, 0.5, 0.5], 500)
    costs = CostMatrix.zero_one(3)
    plan = review_plan(posteriors, costs, reviewers=Reviewer.perfect("expert", 3, fee=0.2))
    with_expert = bayes_decisions(posteriors, costs.with_abstention(0.2))
    np.testing.assert_array_equal(plan.decisions, with_expert)
    again = review_plan(posteriors, costs, reviewers=Reviewer.perfect("e", 3, fee=0.2), final=True)
    np.testing.assert_array_equal(again.decisions, with_expert)


def reviewed_by_hand(p, costs, reviewer, final):
    """Fee and the expected cost after each answer, for one case, written out."""
    total = reviewer.fee
    n_classes, n_decisions = costs.shape
    for s in range(n_classes):
        joint = [p[k] * reviewer.errors[k, s] for k in range(n_classes)]
        by_decision = [
            sum(joint[k] * costs[k, d] for k in range(n_classes)) for d in range(n_decisions)
        ]
        total += by_decision[int(np.argmin(costs[s]))] if final else min(by_decision)
    return total


@pytest.mark.parametrize("final", [False, True])
def test_against_brute_force(final):
    rng = np.random.default_rng(5)
    for _ in range(6):
        posteriors, tables = rng.dirichlet([1, 1], 6), rng.gamma(1, 5, (6, 2, 2))
        tables[:, [0, 1], [0, 1]] = 0
        people = (
            Reviewer("a", [[0.9, 0.1], [0.2, 0.8]], fee=0.1, minutes=20, hours=0.7),
            Reviewer("b", [[0.7, 0.3], [0.1, 0.9]], fee=0.05, minutes=60, hours=3),
        )
        each = np.array(
            [
                [*(p @ table), *(reviewed_by_hand(p, table, one, final) for one in people)]
                for p, table in zip(posteriors, tables, strict=True)
            ]
        )
        best = min(
            sum(each[i, c] for i, c in enumerate(choice))
            for choice in itertools.product(range(4), repeat=6)
            if choice.count(2) <= 2 and choice.count(3) <= 3
        )
        plan = review_plan(posteriors, CaseCosts(tables), reviewers=people, final=final, draws=10)
        assert plan.cost * 6 == pytest.approx(best)


def test_what_another_and_a_better_reviewer_are_worth():
    rng = np.random.default_rng(2)
    p = rng.beta(0.7, 2, 400)
    app = Application([[0, 10], [30, 0]])
    anna = Reviewer("Anna", [[0.9, 0.1], [0.15, 0.85]], fee=1, minutes=12, hours=10)
    plan = review_plan(p, app, reviewers=[anna])
    assert plan.frame()["cases"][0] == 50
    doubled = Reviewer("Anna", anna.errors, fee=1, minutes=12, hours=20)
    twice = review_plan(p, app, reviewers=doubled)
    assert plan.another["Anna"] == pytest.approx(400 * (plan.cost - twice.cost))
    ideal = review_plan(p, app, reviewers=Reviewer.perfect("Anna", fee=1, minutes=12, hours=10))
    assert plan.perfect["Anna"] == pytest.approx(400 * (plan.cost - ideal.cost))
    none = bayes_decisions(p, app, with_cost=True)[1].mean()
    assert plan.saves["Anna"] == pytest.approx(400 * (none - plan.cost))
    assert plan.hour_price("Anna") == pytest.approx(5 * plan.optimum.limits[0].price)


def test_doubly_labelled_cases_leave_doubt():
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1], 40)
    said = np.where(rng.random(80) < 0.9, truth, 1 - truth)
    few = Reviewer.from_labels("few", truth, said, fee=0.5)
    many = Reviewer.from_labels("few", np.tile(truth, 100), np.tile(said, 100), fee=0.5)
    counts = np.array([[np.sum((truth == i) & (said == j)) for j in (0, 1)] for i in (0, 1)])
    np.testing.assert_allclose(few.errors, (counts + 0.5) / (counts.sum(1, keepdims=True) + 1))
    p = rng.beta(0.7, 2, 300)
    widths = []
    for one in (few, many):
        plan = review_plan(p, [[0, 10], [30, 0]], reviewers=one, rng=0)
        low, high = plan.intervals["few"]
        assert low < plan.saves["few"] < high
        widths.append(high - low)
    known = review_plan(
        p, [[0, 10], [30, 0]], reviewers=Reviewer("few", few.errors, fee=0.5), rng=0
    )
    assert np.ptp(known.intervals["few"]) < 0.9 * widths[0]  # other cases alone
    assert np.ptp(known.intervals["few"]) == pytest.approx(widths[1], rel=0.15)


def savings(plan, p, table, reviewer):
    """What each case saves by being reviewed, 0 where it is not, written out."""
    found = np.zeros(len(p))
    for i in np.flatnonzero(plan.decisions == 2):
        row = np.array([1 - p[i], p[i]])
        found[i] = (row @ table).min() - reviewed_by_hand(row, table, reviewer, final=False)
    return found


@pytest.mark.parametrize("hours", [math.inf, 4])
def test_other_cases_would_save_more_or_less(hours):
    table, p = np.array([[0, 10], [30, 0]]), np.random.default_rng(4).beta(0.7, 2, 400)
    anna = Reviewer("Anna", [[0.95, 0.05], [0.1, 0.9]], fee=1, minutes=6, hours=hours)
    plan = review_plan(p, table, reviewers=anna, draws=4000, rng=1)
    gains = savings(plan, p, table, anna)
    assert gains.sum() == pytest.approx(plan.saves["Anna"])
    seen = gains > 0
    assert seen.sum() <= anna.cases
    # with hours that do not suffice, only what a case saves above the price is up to chance
    above = np.where(seen, gains - plan.optimum.prices[2], 0.0)
    sd = math.sqrt((above**2).sum() - above.sum() ** 2 / 400)
    low, high = plan.intervals["Anna"]
    assert high - low == pytest.approx(2 * 1.96 * sd, rel=0.06)
    assert low < gains.sum() < high


def test_very_many_cases_are_drawn_as_sums(monkeypatch):
    table, p = [[0, 10], [30, 0]], np.random.default_rng(6).beta(0.7, 2, 900)
    truth = np.repeat([0, 1], 50)
    anna = Reviewer.from_labels(
        "Anna", truth, np.r_[truth[:45], 1 - truth[45:50], truth[50:]], fee=1
    )
    one_by_one = review_plan(p, table, reviewers=anna, draws=4000, rng=2).intervals["Anna"]
    monkeypatch.setattr("stakes.resources.review_planning._RESAMPLED", 10)
    summed = review_plan(p, table, reviewers=anna, draws=4000, rng=3).intervals["Anna"]
    width = one_by_one[1] - one_by_one[0]
    assert summed == pytest.approx(one_by_one, abs=0.06 * width)


def test_a_useless_reviewer_sees_nothing():
    coin = Reviewer("coin", np.full((2, 2), 0.5), fee=0.01)
    plan = review_plan([0.1, 0.5, 0.9], [[0, 1], [1, 0]], reviewers=coin, draws=5)
    assert (plan.decisions < 2).all()
    assert plan.saves["coin"] == 0


def test_classes_are_matched_by_name():
    matrix = CostMatrix([[0, 10], [20, 0]], classes=["stay", "churn"], decisions=["keep", "call"])
    known = ["stay"] * 50 + ["churn"] * 50
    said = ["stay"] * 50 + ["churn"] * 20 + ["stay"] * 30  # misses 60 % of those who churn
    sorted_, stated = (
        Reviewer.from_labels("Anna", known, said, fee=0.1, classes=classes)
        for classes in (None, ["stay", "churn"])
    )
    assert sorted_.classes == ("churn", "stay")
    one, other, by_position = (
        review_plan([0.3, 0.5], matrix, reviewers=each, positive="churn", rng=0)
        for each in (sorted_, stated, Reviewer("Anna", stated.errors, fee=0.1))
    )
    assert one.cost == other.cost == by_position.cost
    assert one.frame() == other.frame()
    with pytest.raises(CostError, match="knows the classes 'churn', 'stay'; those of the costs"):
        review_plan([0.3, 0.5], [[0, 10], [20, 0]], reviewers=sorted_)


def test_costs_of_each_case_may_be_an_array():
    tables = np.random.default_rng(0).gamma(1, 5, (4, 2, 2))
    anna = Reviewer("Anna", [[0.9, 0.1], [0.1, 0.9]], fee=0.1)
    one, other = (
        review_plan([0.1, 0.3, 0.5, 0.9], costs, reviewers=anna, rng=0)
        for costs in (tables, CaseCosts(tables))
    )
    assert one.cost == other.cost


def test_an_unknown_argument_is_answered():
    with pytest.raises(CallError, match=r"(?s)no argument `fees`.*fee="):
        Reviewer.from_labels("Anna", [0, 1], [0, 1], fees=3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Reviewer("a", [[0.9, 0.2], [0, 1]]),
        lambda: Reviewer("a", [[1, 0]]),
        lambda: Reviewer("a", "x"),
        lambda: Reviewer("a", np.eye(2), minutes=0),
        lambda: Reviewer("a", np.eye(2), hours=-1),
        lambda: Reviewer("a", np.eye(2), fee=math.nan),
        lambda: Reviewer("a", np.eye(2), counts=[[1, 2, 3]]),
        lambda: Reviewer(3, np.eye(2)),
        lambda: Reviewer("a", np.eye(2), classes=["x", "y", "z"]),
        lambda: Reviewer.from_labels("a", [0, 1], [0, 2], classes=[0, 1]),
        lambda: review_plan([0.5], [[0, 1], [1, 0]], reviewers=[]),
        lambda: review_plan([0.5], [[0, 1], [1, 0]], reviewers="Anna"),
        lambda: review_plan([0.5], [[0, 1], [1, 0]], reviewers=[3]),
        lambda: review_plan([0.5], [[0, 1], [1, 0]], reviewers=Reviewer.perfect("a", 3)),
        lambda: review_plan([0.5], [[0, 1], [1, 0]], reviewers=Reviewer.perfect("1")),
        lambda: review_plan([0.5], [[0, 1], [1, 0]], reviewers=Reviewer.perfect("a"), rng=-1),
    ],
)
def test_what_cannot_be_meant_is_refused(make):
    with pytest.raises(StakesError):
        make()
