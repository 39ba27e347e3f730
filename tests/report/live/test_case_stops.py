"""Costs per case at the stops of a page: what `evaluate` finds with those costs and shares."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate
from stakes.application import CaseCosts
from stakes.report.live.case_stops import (
    _ROOM,
    STEP,
    case_numbers,
    grid_of_cases,
    sums_of,
)

N = 240
NAMES = {"classes": ["ok", "bad"], "decisions": ["lend", "refuse"]}
BASE = CostMatrix([[0, 1], [1, 0]], **NAMES)


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(N) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(3 * y - 2, 1.5)))
    return y, p, rng.lognormal(2, 1, N)


def with_fees(amount):
    return CaseCosts.binary(
        false_negative=amount, false_positive=0.1 * amount + 1, true_positive=0.5, **NAMES
    )


def with_gains(amount):  # acting on a bad case may cost more than missing it, or both ways pay
    rng = np.random.default_rng(9)
    return CaseCosts.binary(
        false_negative=amount - 4, false_positive=rng.normal(2, 1.5, N), true_positive=-1.0, **NAMES
    )


def moved(costs, i):
    values = costs.values.copy()
    values[:, 1, 0] = values[:, 1, 1] + np.exp(STEP * i) * (values[:, 1, 0] - values[:, 1, 1])
    return CaseCosts(values, **NAMES)


def nec_at(ev, sums, grid, i, j):
    """The NEC from the sums alone, as the page computes it."""
    numbers, factor = case_numbers(ev), np.exp(STEP * i)
    p0, p1 = grid.priors(j, ev.application.priors)
    (z0, c1), (c0, z1) = numbers["always"]
    w0, w1 = numbers["totals"]
    naive = min(p0 * z0 + p1 * factor * c0, p0 * c1 + p1 * factor * z1)
    found = []
    for one in sums:
        alarm_costs, miss_costs = one.sums[[1, 4]]
        at = (grid.factors + i, grid.shares + j) if alarm_costs.ndim == 2 else 0
        if alarm_costs.ndim == 1 and alarm_costs.size > 1:
            at = grid.factors + grid.shares + i + j
        excess = p0 * (alarm_costs[at] / w0 + z0)
        found.append((excess + p1 * factor * (miss_costs[at] / w1 + z1)) / naive)
    return found


@pytest.mark.parametrize("made", [with_fees, with_gains])
@pytest.mark.parametrize("more", [{}, {"weights": True}, {"priors": [0.9, 0.1]}])
def test_against_an_evaluation_there(made, more):
    y, p, amount = drawn()
    costs = made(amount)
    models = {"p": p, "clerk": (p > 0.4).astype(int)}
    weights = np.random.default_rng(1).uniform(0.2, 2, N) if "weights" in more else None
    given = Application(BASE, priors=more.get("priors"))
    options = {"sample_weight": weights, "min_cases": 10**6, "rng": 0}  # nothing is drawn
    ev = evaluate(y, models, application=given, case_costs=costs, **options)
    grid = grid_of_cases(ev.case_sources, ev.application)
    sums = sums_of(ev.case_sources, grid)
    for i, j in [(0, 0), (3, 0), (-5, 2), (12, -10), (-12, 10), (7, 7), (0, -4)]:
        app = Application(BASE, priors=grid.priors(j, ev.application.priors))
        there = evaluate(y, models, application=app, case_costs=moved(costs, i), **options)
        expected = [model.nec for model in there.models]
        np.testing.assert_allclose(nec_at(ev, sums, grid, i, j), expected, rtol=1e-12)


def test_more_rules_have_fewer_shares():
    y, p, amount = drawn()
    many = {f"m{k}": p ** (1 + k / 10) for k in range(20)}
    ev = evaluate(y, many, application=with_fees(amount), min_cases=10**6, rng=0)
    grid = grid_of_cases(ev.case_sources, ev.application)
    assert grid.shares < 10
    cells = 40 * (2 * grid.factors + 1) * (2 * grid.shares + 1)  # two rules of each model
    assert cells <= _ROOM


def test_nothing_moves_where_acting_is_the_cheaper_error_on_average():
    y, p, amount = drawn()
    gain = np.random.default_rng(0).normal(-1, 2, N)
    costs = CaseCosts.binary(false_negative=amount, false_positive=gain, **NAMES)
    ev = evaluate(y, {"p": p}, application=costs, rng=0)
    assert case_numbers(ev) is None
    text = ev.to_html()
    assert "This page has no sliders" in text
    assert "run stakes.evaluate(..., case_costs=...) again" in text


def test_nothing_moves_with_a_third_decision():
    y, p, amount = drawn()
    values = np.concatenate([with_fees(amount).values, np.ones((N, 2, 1))], axis=2)
    ev = evaluate(y, {"p": p}, application=CaseCosts(values), rng=0)
    assert case_numbers(ev) is None
    assert "This page has no sliders" in ev.to_html()


def test_the_caption_of_reliability_is_about_the_best_model():
    pytest.importorskip("matplotlib", reason="the page is drawn: pip install 'stakes[plots]'")
    y, p, amount = drawn()
    models = {"coin": np.full(N, 0.5) + np.arange(N) / 1000 / N, "p": p}
    ev = evaluate(y, models, application=with_fees(amount), min_cases=10**6, rng=0)
    assert ev.best.startswith("p,")
    alone = evaluate(y, {"p": p}, application=with_fees(amount), min_cases=10**6, rng=0)
    said = [
        part.to_html().partition("Where p predicts ")[2].partition(".</")[0] for part in (ev, alone)
    ]
    assert said[0] == said[1] != ""


def test_costliest_cases_only_on_request():
    y, p, amount = drawn()
    ev = evaluate(y, {"p": p}, application=with_fees(amount), rng=0)
    assert "The costliest cases" not in ev.to_html()
    shown = ev.to_html(costliest_cases=3)
    assert "The costliest cases" in shown
    assert "On request, this page lists 3 cases by their row" in shown
