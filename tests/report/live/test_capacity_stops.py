"""The stops of a limit's slider: round, in the terms of the limit, and few enough for a page."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate
from stakes.report.live.capacity_stops import _option, capacity_numbers
from stakes.resources import Limit

COSTS = CostMatrix(
    [[0, 4, 2], [40, 0, 2]], classes=["no", "yes"], decisions=["wait", "call", "ask"]
)


def cases(n, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.5, 3, n)
    return (rng.random(n) < p).astype(int), p


def judged(n, capacity, models=1, **more):
    y, p = cases(n)
    said = {f"m{k}": np.clip(p ** (1 + k / 10), 0, 1) for k in range(models)}
    return evaluate(y, said, application=Application(COSTS, **more), capacity=capacity, rng=0)


def stops_of(held):
    packed = held["stops"]
    return np.frombuffer(base64.b64decode(packed["d"]), dtype=f"<{packed['t']}").astype(float)


def test_round_steps_with_the_stated_limit():
    held = capacity_numbers(judged(900, "ask=137"))
    stops = stops_of(held)
    assert 137 in stops
    assert stops[held["start"]] == 137
    assert stops[0] == 0
    steps = np.diff(stops[stops != 137])
    assert len(set(steps.tolist())) == 1
    assert steps[0] in (1, 2, 5, 10)
    assert len(stops) <= 102
    few = stops_of(capacity_numbers(judged(60, "ask=3")))
    assert (np.diff(few) == 1).all()  # every number of cases


def test_shares_end_at_one_and_periods_are_kept():
    shares = stops_of(capacity_numbers(judged(900, "wait=99.5%")))
    assert shares.max() <= 100
    held = capacity_numbers(judged(900, "ask=7/day", volume=50, period="day"))
    assert held["per"] == "times per day"
    assert (stops_of(held) == np.floor(stops_of(held))).all()


def test_stops_at_which_nothing_could_be_decided_are_left_out():
    held = capacity_numbers(judged(300, "wait=50%,call=20%,ask=40%"))
    assert stops_of(held)[0] == pytest.approx(40)  # 60 % of the cases go elsewhere at most
    assert capacity_numbers(judged(300, "wait=50%..")) is None  # no upper end to move
    both = stops_of(capacity_numbers(judged(300, "ask=50..80")))
    assert both[0] == 50


def test_the_naive_rule_follows_the_stop():
    y, p = cases(400)
    app = Application(CostMatrix([[0, 1], [20, 0]]))  # always deciding 1 is cheapest
    for capacity in ("1=100", "1=100%", "1=50..100"):
        ev = evaluate(y, {"m": p}, application=app, capacity=capacity, rng=0)
        held = capacity_numbers(ev)
        naive = np.frombuffer(base64.b64decode(held["naive"]["d"]))
        assert naive[held["start"]] == pytest.approx(ev.naive_cost)
        for stop, cost, words in zip(stops_of(held), naive, held["unguided"], strict=True):
            asked = (
                capacity.replace("100", f"{stop:g}") if ".." not in capacity else f"1=50..{stop:g}"
            )
            there = evaluate(y, {"m": p}, application=app, capacity=asked, rng=0, min_cases=10**6)
            assert cost == pytest.approx(there.naive_cost)
            assert words.replace("“", "'").replace("”", "'") == there.best_naive.doing


def test_too_much_to_solve_has_no_slider():
    assert capacity_numbers(judged(120, "ask=10,call=10", models=5)) is None
    assert capacity_numbers(judged(120, "ask=10", models=5)) is not None


def test_options_ask_for_the_same_limits():
    limits = (
        Limit("it's", 0.05, 0.01, share=True),
        Limit("b c", 7, period="day"),
        Limit("d", at_least=2),
    )
    before, after = _option(limits, limits[1])
    assert f"{before}9{after}" == "--capacity 'it'\\''s=1..5%,b c=9/day,d=2..'"
    before, after = _option(limits, limits[0])
    assert f"{before}4{after}" == "--capacity 'it'\\''s=1..4%,b c=7/day,d=2..'"


def test_a_page_of_twenty_models_stays_small():
    text = judged(3000, "ask=200", models=20).to_html()
    assert len(text.encode()) <= 600_000
    assert len(re.findall('id="capacity-price-', text)) == 20
