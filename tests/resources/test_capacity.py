"""Limits on decisions: against brute force, by laws, and on the loans of the demonstration."""

from __future__ import annotations

import csv
import itertools
import json
import math
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.application import Application, CaseCosts, CostMatrix
from stakes.decisions import bayes_decisions
from stakes.engines.decided_frame import decided_frame
from stakes.exceptions import CostError, DataError, StakesError, UndefinedError
from stakes.resources import Limit, capacity_curve, capacity_optimum, read_limits
from stakes.rules import DecisionRule, load_rule, rule_schema


def brute_force(expected, low, high, weights=None):
    """The least cost over all assignments that keep the limits; inf where none does."""
    n, m = expected.shape
    weights = np.ones(n) if weights is None else weights
    best = math.inf
    for choice in itertools.product(range(m), repeat=n):
        used = np.bincount(choice, weights, m)
        if (used >= np.array(low) - 1e-9).all() and (used <= np.array(high) + 1e-9).all():
            best = min(best, float(weights @ expected[np.arange(n), list(choice)]))
    return best


def as_case_costs(expected):
    """Costs per case of which a posterior of 0.5 makes these expected ones."""
    return CaseCosts(np.stack([expected, expected], axis=1))


def solve(expected, capacity, **more):
    return capacity_optimum(
        np.full(len(expected), 0.5), as_case_costs(expected), capacity=capacity, **more
    )


@st.composite
def problems(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(2, 3))
    amounts = st.integers(-5, 5) if draw(st.booleans()) else st.floats(-9, 9, width=32)
    expected = [[draw(amounts) for _ in range(m)] for _ in range(n)]
    places = draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=m, unique=True))
    ends = {j: sorted([draw(st.integers(0, n)), draw(st.integers(0, n))]) for j in places}
    return np.array(expected, dtype=float), ends


@given(problems())
def test_against_brute_force(problem):
    expected, ends = problem
    n, m = expected.shape
    low, high = np.zeros(m), np.full(m, math.inf)
    for j, (least, most) in ends.items():
        low[j], high[j] = least, most
    best = brute_force(expected, low, high)
    if math.isinf(best):
        with pytest.raises(UndefinedError, match="keep all limits"):
            solve(expected, {j: tuple(each) for j, each in ends.items()})
        return
    found = solve(expected, {j: tuple(each) for j, each in ends.items()})
    used = np.bincount(found.decisions, minlength=m)
    assert (used >= low).all()
    assert (used <= high).all()
    scale = 1 + np.abs(expected).max()
    assert expected[np.arange(n), found.decisions].sum() == pytest.approx(best, abs=1e-6 * scale)
    assert found.cost * n == pytest.approx(best, abs=1e-6 * scale)
    for each in found.limits:  # one more, by brute force
        loose_low, loose_high = low.copy(), high.copy()
        j = each.limit.decision
        loose_low[j], loose_high[j] = max(0, low[j] - 1), high[j] + 1
        saved = best - brute_force(expected, loose_low, loose_high)
        assert each.price == pytest.approx(saved, abs=1e-6 * scale)


@pytest.mark.parametrize("seed", range(150))
def test_shares_weights_and_prices_against_brute_force(seed):
    rng = np.random.default_rng([27, seed])
    n, m = int(rng.integers(1, 6)), int(rng.integers(2, 5))
    expected = rng.integers(-3, 4, (n, m)) if seed % 3 else rng.normal(size=(n, m))
    weights = rng.integers(1, 4, n).astype(float) if seed % 2 else None
    each = np.ones(n) if weights is None else weights * n / weights.sum()
    low, high, limits = np.zeros(m), np.full(m, math.inf), []
    for j in rng.permutation(m)[: rng.integers(1, min(m, 3) + 1)].tolist():
        least, most = np.sort(rng.random(2))
        least = rng.choice([0.0, least])
        limits.append(Limit(j, most, least, share=True))
        low[j], high[j] = n * least, n * most
    best = brute_force(expected, low, high, each)
    if math.isinf(best):
        with pytest.raises(UndefinedError, match="keep all limits"):
            solve(expected, limits, sample_weight=weights)
        return
    found = solve(expected, limits, sample_weight=weights)
    assert found.cost * n == pytest.approx(best, abs=1e-7)
    used = np.bincount(found.decisions, each, m)
    assert (used >= low - 1e-7).all()
    assert (used <= high + 1e-7).all()
    if weights is not None:
        return
    for one in found.limits:  # whole cases: loosened either way, then tightened at the same end
        j = one.limit.decision
        step = np.where(np.arange(m) == j, 1.0, 0.0)
        below, above = np.ceil(low - 1e-9), np.floor(high + 1e-9)
        saved = {
            1: best - brute_force(expected, below, above + step),
            -1: best - brute_force(expected, below - step, above),
        }
        assert one.price == pytest.approx(max(saved.values()), abs=1e-7)
        if one.price > 1e-7:
            if saved[1] > saved[-1]:
                ends = np.minimum(below, above - step), above - step
            else:
                ends = below + step, np.maximum(above, below + step)
            worse = brute_force(expected, *ends) - best
            if math.isinf(worse):
                assert math.isnan(one.tighter)
            else:
                assert one.tighter == pytest.approx(worse, abs=1e-7)


def test_limits_that_cannot_be_tightened_say_so():
    expected = np.array([[0.0, 1.0], [0.0, 2.0]])
    assert math.isnan(solve(expected, {1: (2, None)})[1].tighter)
    assert math.isnan(solve(-expected, {1: 0})[1].tighter)


def test_the_end_that_binds_is_named():
    expected = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
    required = solve(expected, {1: (2, 3)})
    assert required[1].lower
    assert "at least 2, one fewer saves 2" in repr(required)
    few = solve(-expected, {1: (1, 2)})
    assert not few[1].lower
    assert "2 of 2, one more saves 1" in repr(few)
    curve = capacity_curve(np.full(3, 0.5), as_case_costs(-expected), decision=1, stops=[1, 2])
    assert curve.price.tolist() == [2, 1]


def test_ends_that_do_not_bind_cost_nothing_to_tighten():
    free = solve(np.array([[9.0, 0.0], [8.0, 0.0], [7.0, 0.0]]), {1: (2, None)})
    assert (free[1].used, free[1].price, free[1].tighter) == (3, 0, 0)
    unused = solve(np.array([[0.0, 9.0], [0.0, 8.0]]), {1: 2})
    assert (unused[1].used, unused[1].tighter) == (0, 0)
    all_taken = solve(np.array([[9.0, 0.0, 9.0], [4.0, 0.0, 9.0]]), {1: (2, None), 2: 1, 0: (0, 1)})
    assert math.isnan(all_taken[1].tighter)


def test_a_required_number_that_is_best_anyway_costs_nothing():
    # deciding 0 in one of two cases is best; an end on both sides leaves its price open
    expected = np.array([[0.1, 0.4], [0.6, 0.2]])
    found = solve(expected, {0: (1, 1), 1: (0, 2)})
    assert [each.price for each in found.limits] == [0, 0]


def test_a_case_that_fits_is_taken_when_the_next_one_is_too_heavy():
    # shares of 3/7, 1/7 and 3/7: only the light case fits into 20 %
    expected = np.array([[9.0, 0.0], [1.0, 0.0], [5.0, 0.0]])
    found = solve(expected, "1=20%", sample_weight=[3, 1, 3])
    assert found.decisions.tolist() == [0, 1, 0]


@given(problems())
def test_prices_decide_every_case_without_a_tie(problem):
    expected, ends = problem
    try:
        found = solve(expected, {j: tuple(each) for j, each in ends.items()})
    except UndefinedError:
        return
    priced = expected + found.prices
    taken = priced[np.arange(len(expected)), found.decisions]
    assert (taken <= priced.min(axis=1) + 1e-6 * (1 + np.abs(expected).max())).all()


def test_weights_against_brute_force():
    rng = np.random.default_rng(3)
    for _ in range(20):
        expected = rng.normal(size=(6, 3))
        weights = rng.uniform(0.5, 2, 6)
        weights *= 6 / weights.sum()
        high = np.array([math.inf, 2.3, 1.7])
        found = solve(expected, {1: 2.3, 2: 1.7}, sample_weight=weights)
        used = np.bincount(found.decisions, weights, 3)
        assert (used <= high + 1e-9).all()
        best = brute_force(expected, np.zeros(3), high, weights)
        assert found.cost * 6 == pytest.approx(best)


def test_one_limit_equals_the_programme_of_several():
    rng = np.random.default_rng(5)
    expected = rng.lognormal(3, 1, (4000, 3))
    alone = solve(expected, {1: 300})
    beside = solve(expected, {1: 300, 2: 4000})
    assert beside.cost == pytest.approx(alone.cost, rel=1e-12)
    assert beside[1].price == pytest.approx(alone[1].price)
    assert beside[1].tighter == pytest.approx(alone[1].tighter)
    assert beside[2].price == 0


@pytest.mark.parametrize("kind", ["continuous", "reviewers alike", "coarse", "all alike"])
def test_large_batches_are_certified_by_their_dual(kind):
    rng = np.random.default_rng(11)
    n = 30_000
    stake = rng.lognormal(5, 1, n)
    expected = np.column_stack([stake, 60 + 0.3 * stake, 20 + 0.6 * stake, rng.gamma(2, 60, n)])
    if kind == "reviewers alike":
        expected[:, 2] = expected[:, 1] + 5
    if kind == "coarse":
        expected = expected.round(-1)
    if kind == "all alike":
        expected[:] = expected[0]
    high = np.array([math.inf, 900, 1500, 2000])
    found = solve(expected, {j: int(high[j]) for j in (1, 2, 3)})
    used = np.bincount(found.decisions, minlength=4)
    assert (used <= high).all()
    bound = (expected + found.prices).min(axis=1).sum() - found.prices[1:] @ high[1:]
    assert found.cost * n == pytest.approx(bound, rel=1e-11)


def test_without_binding_limits_decisions_are_bayes_decisions():
    p = np.random.default_rng(0).random(50)
    app = Application([[0, 1, 0.3], [10, 0, 0.4]])
    found = capacity_optimum(p, app, capacity={2: 50, 1: "100%"})
    np.testing.assert_array_equal(found.decisions, bayes_decisions(p, app))
    assert found.price == pytest.approx(0, abs=1e-12)
    assert not found[2].binds


def loans():
    text = files("stakes.demonstration").joinpath("data/loans.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    amount, truth, p = (
        np.array([float(r[k]) for r in rows]) for k in ("amount", "default", "bank_p")
    )
    return amount, truth.astype(int), p


@pytest.mark.parametrize(("capacity", "thousands"), [(30, 350), (100, 642), (300, 971)])
def test_loans_are_ranked_by_expected_saving(capacity, thousands):
    amount, truth, p = loans()
    miss, alarm = 0.75 * amount, 0.02 * amount + 150
    costs = CaseCosts.binary(fn=miss, fp=alarm)
    ranked = np.argsort(-(p * miss - (1 - p) * alarm), kind="stable")[:capacity]
    found = capacity_optimum(p, costs, capacity={1: capacity})
    np.testing.assert_array_equal(np.flatnonzero(found.decisions), np.sort(ranked))
    curve = capacity_curve(p, costs, decision=1, y_true=truth)
    saved = (curve.cost[0] - curve.at(capacity)["cost"]) * len(p)
    assert saved == pytest.approx(np.where(truth, miss, -alarm)[ranked].sum())
    assert round(saved / 1000) == thousands


def test_the_curve_is_the_optimum_at_every_capacity():
    rng = np.random.default_rng(2)
    p, truth = rng.random(12), rng.integers(0, 2, 12)
    app = Application([[0, 4, 1], [9, 0, 2]])
    curve = capacity_curve(p, app, decision=2, y_true=truth)
    for k in range(13):
        found = capacity_optimum(p, app, capacity={2: k})
        row = curve.at(k)
        assert row["expected_cost"] == pytest.approx(found.cost)
        assert row["price"] == pytest.approx(found[2].price, abs=1e-12)
        assert row["cost"] == pytest.approx(app.costs.values[truth, found.decisions].mean())
    steps = np.diff(curve.expected_cost)
    assert (np.diff(steps) >= -1e-12).all()  # convex


def test_the_curve_begins_where_the_other_limits_can_be_kept():
    p = np.random.default_rng(4).random(50)
    curve = capacity_curve(p, Application([[0, 5], [10, 0]]), decision=1, capacity={0: 20})
    assert curve.capacity[[0, -1]].tolist() == [30, 50]
    with pytest.raises(UndefinedError, match="keep all limits: '0' at most 20; '1' at most 29"):
        capacity_curve(p, Application([[0, 5], [10, 0]]), decision=1, capacity={0: 20}, stops=[29])


def test_a_curve_is_asked_for_a_number_on_it():
    curve = capacity_curve([0.1, 0.9], Application([[0, 5], [10, 0]]), decision=1)
    for capacity in (-1, math.nan):
        with pytest.raises(DataError, match="the curve begins at 0"):
            curve.at(capacity)


def test_the_curve_beside_another_limit():
    rng = np.random.default_rng(4)
    p = rng.random(40)
    app = Application([[0, 4, 1], [9, 0, 2]])
    curve = capacity_curve(p, app, decision=2, capacity={1: 5}, stops=[0, 3, 10])
    for k, cost in zip((0, 3, 10), curve.expected_cost, strict=True):
        assert cost == pytest.approx(capacity_optimum(p, app, capacity={1: 5, 2: k}).cost)


def test_a_period_is_a_share_of_the_batch():
    p = np.linspace(0.01, 0.99, 100)
    app = Application([[0, 1], [1, 0]], volume=1000, period="day")
    found = capacity_optimum(p, app, capacity="1=200/day")
    assert found[1].high == 0.2 * 100
    assert np.count_nonzero(found.decisions) == 20
    with pytest.raises(CostError, match="for each week"):
        capacity_optimum(p, app, capacity="1=200/week")
    unnamed = Application([[0, 1], [1, 0]], volume=3000)
    with pytest.raises(CostError, match=r'in a day is not known.\nHint: volume="3000/day"'):
        capacity_optimum(p, unnamed, capacity="1=200/day")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("review=200", (0, 200, False, None)),
        ("review=50..200/day", (50, 200, False, "day")),
        ("review=5%", (0, 0.05, True, None)),
        ("review=1%..5%", (0.01, 0.05, True, None)),
        ("review=50..", (50, math.inf, False, None)),
        ("review=..1.5k/yr", (0, 1500, False, "year")),
        ("review=5%..", (0.05, math.inf, True, None)),
        ("review=5..%", (0.05, math.inf, True, None)),
        ("review=0", (0, 0, False, None)),
    ],
)
def test_limits_are_read_as_they_are_written(text, ends):
    (found,) = read_limits(text, ["pay", "review"])
    assert found.decision == "review"
    got = (found.at_least, found.at_most, found.share, found.period)
    assert got == pytest.approx(ends) if found.period is None else got == ends


@pytest.mark.parametrize(
    "capacity",
    ["review", "review=", "=5", "ask=5", "review=-3", "review=5,review=6", "review=5%/day", {}, 7,
     None, {"review": "x"}, {"review": None}, {"review": [1, 2, 3]}, {"review": (9, 3)},
     {"review": math.nan}, [5], {"review": True}, "review=150%", "review=120%..",
     "review=5%..10", "review=%"],
)  # fmt: skip
def test_what_is_no_limit_is_refused(capacity):
    with pytest.raises(StakesError):
        read_limits(capacity, ["pay", "review"])


@pytest.mark.parametrize(
    ("capacity", "said"),
    [
        ("pay:100", "there is no = before the number"),
        ("=5", "the decision before = is missing"),
        ("review=", "the number after = is missing"),
        ("review=x", "'x' is not a number of cases"),
        ("review=5/fortnight", "'fortnight' is not a day, week, month or year"),
        ("review=5%..10", "one end is a share and the other is not"),
        ({"review": 0.05}, r"less than one case.\nHint: did you mean 5 % of cases\?  review=5%"),
        (Limit("review", 9, 0.5), "0.5 cases on 'review' is less than one case"),
    ],
)
def test_what_is_wrong_with_a_limit_is_said(capacity, said):
    with pytest.raises(CostError, match=said):
        read_limits(capacity, ["pay", "review"])
    assert read_limits("review=0.5/day", ["pay", "review"])[0].at_most == 0.5


def test_odd_input_is_refused():
    app = Application([[0, 1], [1, 0]])
    with pytest.raises(StakesError):
        capacity_optimum([0.2, 1.7], app, capacity={1: 1})
    with pytest.raises(StakesError):
        capacity_optimum([0.2, 0.7], app, capacity={1: 1}, sample_weight=[1])
    with pytest.raises(DataError):
        capacity_optimum([0.2, 0.7], app, capacity={1: 1}, level=2)
    with pytest.raises(DataError):
        capacity_curve([0.2, 0.7], app, decision=1, y_true=[0])
    with pytest.raises(CostError):
        capacity_curve([0.2, 0.7], app, decision=1, capacity={1: 2})
    with pytest.raises(DataError):
        capacity_curve([0.2, 0.7], app, decision=1, stops=[-1])
    with pytest.raises(CostError, match="'0' is the only decision"):
        capacity_optimum([0.2, 0.7], [[1], [2]], capacity={0: 2})


def test_a_limit_says_what_it_is():
    assert str(Limit("review", 200, period="day")) == "review at most 200 per day"
    with pytest.raises(CostError):
        Limit("review", 2, 3)


class TestRuleWithPrices:
    def test_the_rule_keeps_the_limits(self, tmp_path):
        p = np.random.default_rng(8).random(400)
        names = ["no", "yes"], ["pay", "stop", "ask"]
        app = Application(CostMatrix([[0, 4, 1], [9, 0, 2]], *names))
        found = capacity_optimum(p, app, capacity={"stop": 60, "ask": 40})
        rule = DecisionRule(app, prices=found.prices)
        np.testing.assert_array_equal(rule.positions(p), found.decisions)
        named = DecisionRule(app, prices=dict(zip(app.decisions, found.prices, strict=True)))
        assert named == rule
        rule.save(tmp_path / "rule.json")
        again = load_rule(tmp_path / "rule.json")
        np.testing.assert_array_equal(again.positions(p), found.decisions)
        jsonschema = pytest.importorskip("jsonschema", reason="validates the file")
        jsonschema.validate(json.loads((tmp_path / "rule.json").read_text()), rule_schema())

    def test_more_classes_and_other_priors(self):
        rng = np.random.default_rng(9)
        posteriors = rng.dirichlet([1, 1, 1], 300)
        app = Application(rng.random((3, 4)), priors=[0.2, 0.3, 0.5])
        prices = np.array([0.1, 0, 0.4, 0])
        rule = DecisionRule(app, prices=prices, from_priors=[0.5, 0.3, 0.2])
        moved = posteriors * (np.array([0.2, 0.3, 0.5]) / np.array([0.5, 0.3, 0.2]))
        expected = moved / moved.sum(axis=1, keepdims=True) @ app.costs.values + prices
        np.testing.assert_array_equal(rule.positions(posteriors), expected.argmin(axis=1))

    def test_costs_per_case(self):
        amount, _, p = loans()
        costs = CaseCosts.binary(fn=0.75 * amount, fp=0.02 * amount + 150)
        found = capacity_optimum(p, costs, capacity={1: 100})
        rule = DecisionRule(costs.average(), per_case=True, prices=found.prices)
        np.testing.assert_array_equal(rule.positions(p, costs=costs), found.decisions)
        assert str(rule) == "varies by case; '1' is charged 2 580 extra to keep to the limit"

    @pytest.mark.parametrize("prices", [[1], [1, math.nan], {"x": 1}, "5", [[1, 2]]])
    def test_odd_prices_are_refused(self, prices):
        with pytest.raises(StakesError):
            DecisionRule(Application([[0, 1], [10, 0]]), prices=prices)

    def test_a_cut_has_no_price(self):
        with pytest.raises(CostError, match="expected costs"):
            DecisionRule(Application([[0, 1], [10, 0]]), cut=0.2, prices=[0, 1])

    @pytest.mark.parametrize("far", [False, True])
    def test_other_engines_decide_with_prices(self, far):
        pl = pytest.importorskip("polars", reason="an engine")
        duckdb = pytest.importorskip("duckdb", reason="runs the SQL")
        amount, _, p = loans()
        costs = CaseCosts.binary(fn=0.75 * amount, fp=0.02 * amount + 150)
        found = capacity_optimum(p, costs, capacity={1: 100})
        rule = DecisionRule(
            costs.average(),
            per_case=True,
            prices=found.prices,
            columns="p",
            case_costs=[["0", "0.02*amount+150"], ["0.75*amount", "0"]],
        )
        frame = pl.DataFrame({"p": p, "amount": amount})
        said = decided_frame(rule, frame.lazy() if far else frame)
        rows = said.frame.collect() if far else said.frame
        assert (rows["decision"].cast(str) == "1").sum() == 100
        assert (rows["margin"] >= 0).all()
        chosen = duckdb.sql(f"SELECT {rule.to_sql('duckdb')} AS d FROM frame").fetchnumpy()["d"]
        np.testing.assert_array_equal(np.asarray(chosen).astype(str), found.decisions.astype(str))


@pytest.mark.parametrize("taken", [0, 1])
def test_a_limit_beside_one_that_follows_from_it(taken):
    expected = np.random.default_rng(0).gamma(1, 100, (3000, 2)) * [0.5, 1]
    found = solve(expected, {1: taken, 0: (2900, None)})
    gains = np.sort(expected[:, 0] - expected[:, 1])[::-1]
    assert found.limits[0].price == pytest.approx(gains[taken])
    assert found.limits[1].price == 0
    assert found.prices[0] == 0
    assert gains[taken] <= found.prices[1]
    assert found.limits[0].used == taken
    assert found.cost * 3000 == pytest.approx(expected[:, 0].sum() - gains[:taken].sum())
