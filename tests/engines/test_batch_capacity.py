"""Rows decided within limits: those of `capacity_optimum`, whatever the rule and the frame."""

from __future__ import annotations

from dataclasses import replace

import frame_cases
import narwhals as nw
import numpy as np
import pytest

from stakes import Application, CostMatrix, DecisionRule
from stakes.application import CaseCosts
from stakes.calibration import Isotonic
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.posteriors import shift_priors
from stakes.resources import capacity_optimum

pd = pytest.importorskip("pandas")

COSTS = CostMatrix(
    [[0, 30, 8], [100, 0, 8]], classes=["fine", "wrong"], decisions=["pay", "refuse", "review"]
)
P = np.random.default_rng(0).beta(0.4, 1.5, 200)
FRAME = pd.DataFrame({"p": P, "amount": np.random.default_rng(1).lognormal(5, 1, 200)})


def places(rule, frame):
    return np.array([rule.decisions.index(name) for name in frame["decision"]])


def made(kind, columns):
    for package in frame_cases.NEEDS[kind]:
        pytest.importorskip(package, reason=f"a frame of {package}")
    return getattr(frame_cases, f"as_{kind}")(columns)


def as_lists(frame):
    rows = nw.from_native(frame)
    rows = rows.collect() if isinstance(rows, nw.LazyFrame) else rows
    return {name: rows[name].to_list() for name in rows.columns}


@pytest.mark.parametrize(
    "capacity", [{"review": 10}, "review=5%,refuse=20", {"review": (90, None)}, {"pay": "30..60"}]
)
def test_equal_to_the_optimum(capacity):
    rule = DecisionRule(Application(COSTS), columns="p")
    found = rule.decide_frame(FRAME, capacity=capacity)
    best = capacity_optimum(P, Application(COSTS), capacity=capacity)
    taken = places(rule, found)
    expected = np.column_stack([1 - P, P]) @ COSTS.values
    assert expected[np.arange(200), taken].mean() == pytest.approx(best.cost, rel=1e-12)
    for each in best.limits:
        used = (found["decision"] == each.limit.decision).sum()
        assert each.low <= used <= each.high
    assert found["expected_cost"].to_numpy() == pytest.approx(expected[np.arange(200), taken])
    # margins include the prices, by which every decision is the cheapest
    priced = expected + best.prices
    least, second = np.sort(priced, axis=1)[:, :2].T
    assert found["margin"].to_numpy() == pytest.approx(second - least, abs=1e-9)
    assert (priced.argmin(axis=1) == taken).sum() >= 200 - len(best.limits)


def test_other_priors_calibrators_and_costs_per_case():
    app = Application(COSTS, priors=[0.95, 0.05])
    moved = DecisionRule(app, from_priors=[0.8, 0.2], columns="p")
    there = shift_priors(np.column_stack([1 - P, P]), [0.95, 0.05], from_priors=[0.8, 0.2])
    best = capacity_optimum(there, Application(COSTS), capacity={"review": 7})
    found = moved.decide_frame(FRAME, capacity={"review": 7})
    assert (places(moved, found) == best.decisions).all()

    truth = (np.random.default_rng(2).random(200) < P**2).astype(int)
    fitted = Isotonic().fit(P, truth)
    rule = DecisionRule(Application(COSTS, priors=fitted.priors), calibrator=fitted, columns="p")
    found = rule.decide_frame(FRAME, capacity={"refuse": 5})
    best = capacity_optimum(fitted.posteriors(P), Application(COSTS), capacity={"refuse": 5})
    assert (places(rule, found) == best.decisions).all()

    binary = Application([[0, 1], [1, 0]])
    rule = DecisionRule(binary, per_case=True, columns="p",
                        case_costs=[["0", "0.1*amount"], ["amount", "0"]])  # fmt: skip
    found = rule.decide_frame(FRAME, capacity={1: 12})
    amount = FRAME["amount"].to_numpy()
    best = capacity_optimum(P, CaseCosts.binary(fn=amount, fp=0.1 * amount), capacity={1: 12})
    assert (found["decision"] == best.decisions).all()


def test_a_limit_replaces_the_price_of_its_decision_alone():
    prices = {"review": 50.0, "refuse": 5.0}
    rule = DecisionRule(Application(COSTS), columns="p", prices=prices)
    found = rule.decide_frame(FRAME, capacity={"review": 10})
    raised = CostMatrix([[0, 35, 8], [100, 5, 8]], COSTS.classes, COSTS.decisions)
    best = capacity_optimum(P, Application(raised), capacity={"review": 10})
    assert (places(rule, found) == best.decisions).all()


def priced_cases():
    """Rules with prices, and the expected cost of each decision without them."""
    shares = np.column_stack([1 - P, P])
    prices = {"refuse": 4.0, "review": 2.0}
    yield (
        "plain",
        DecisionRule(Application(COSTS), columns="p", prices=prices),
        shares @ COSTS.values,
    )
    app = Application(COSTS, priors=[0.95, 0.05])
    rule = DecisionRule(app, from_priors=[0.8, 0.2], columns="p", prices=prices)
    there = shares * [0.95 / 0.8, 0.05 / 0.2]
    yield "moved", rule, there / there.sum(axis=1, keepdims=True) @ COSTS.values
    formulas = [["0", "0.1*amount", "8"], ["amount", "0", "8"]]
    rule = replace(rule, application=replace(app, priors=[0.8, 0.2]), per_case=True,
                   case_costs=formulas)  # fmt: skip
    amount, none = FRAME["amount"].to_numpy(), np.zeros(200)
    each = [(1 - P) * none + P * amount, (1 - P) * 0.1 * amount, none + 8.0]
    yield "per case", rule, np.column_stack(each)


@pytest.mark.parametrize("kind", ["pandas", "polars_lazy", "duckdb"])
@pytest.mark.parametrize("name", ["plain", "moved", "per case"])
def test_prices_are_part_of_margins_and_not_of_expected_costs(kind, name):
    rule, expected = next(case[1:] for case in priced_cases() if case[0] == name)
    frame = made(kind, {name: cells.to_numpy() for name, cells in FRAME.items()})
    found = as_lists(rule.decide_frame(frame))
    taken = places(rule, found)
    priced = expected + rule.prices
    least, second = np.sort(priced, axis=1)[:, :2].T
    assert found["expected_cost"] == pytest.approx(expected[np.arange(200), taken])
    assert priced[np.arange(200), taken] == pytest.approx(least)
    assert found["margin"] == pytest.approx(second - least, abs=1e-9)


def test_a_limit_that_does_not_bind_changes_nothing():
    ties = pd.DataFrame({"p": [0.25, 0.25, 0.1, 0.9]})  # 0.25 is the cut itself
    for decisions, limit in ((["wait", "call"], {"wait": 4}), (["wait", "call"], {"call": 4})):
        costs = CostMatrix([[0, 1], [3, 0]], decisions=decisions)
        rule = DecisionRule(Application(costs), columns="p")
        assert rule.decide_frame(ties, capacity=limit).equals(rule.decide_frame(ties))


def test_rows_that_cannot_be_decided_use_nothing_up():
    frame = pd.DataFrame({"p": [np.nan, 0.9, 2.0, 0.8, 0.7]})
    rule = DecisionRule(Application(COSTS), columns="p")
    found = rule.decide_frame(frame, capacity={"refuse": 1}, on_error="column")
    assert found["decision"].fillna("").tolist() == ["", "refuse", "", "review", "review"]
    with pytest.raises(DataError, match="2 of 5 rows cannot be decided"):
        rule.decide_frame(frame, capacity={"refuse": 1})
    none = rule.decide_frame(frame[:0], capacity={"refuse": 1})
    assert len(none) == 0
    assert "margin" in none
    with pytest.raises(UndefinedError, match="no decisions for 0 cases"):
        rule.decide_frame(frame[:0], capacity={"refuse": (1, None)})


@pytest.mark.parametrize("volume", [None, 7])
def test_a_limit_per_day_takes_the_rows_as_one_day(volume):
    period = None if volume is None else "day"
    app = Application(COSTS, volume=volume, period=period)
    rule = DecisionRule(app, columns="p")
    per_day, plain = (
        rule.decide_frame(FRAME, capacity=limit) for limit in ("review=3/day", "review=3")
    )
    assert per_day["decision"].tolist() == plain["decision"].tolist()
    assert per_day["decision"].tolist().count("review") == 3


def test_refusals():
    rule = DecisionRule(Application(COSTS), columns="p")
    with pytest.raises(CostError, match="those of a day and of a week at once") as found:
        rule.decide_frame(FRAME, capacity="review=200/day,refuse=5/week")
    assert "review=200" in found.value.hint
    cut = DecisionRule(Application([[0, 1], [1, 0]]), scores="rank", cut=0.5, columns="p")
    with pytest.raises(CostError, match="within limits need expected costs"):
        cut.decide_frame(FRAME, capacity={1: 5})
    polars = pytest.importorskip("polars")
    with pytest.raises(DataError, match="all rows at once"):
        rule.decide_frame(polars.LazyFrame({"p": P}), capacity={"review": 5})
