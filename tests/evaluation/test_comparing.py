"""Weighted rows in evaluate: a row is one case, and its interval that of `weighted_interval`."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CaseCosts, CostMatrix, evaluate
from stakes.uncertainty import weighted_interval

APP = Application([[0, 4], [40, 0]])


def rows(n: int = 400, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    return y, np.where(rng.random(n) < 0.9, y, 1 - y), rng.exponential(1, n) + 0.05


@pytest.mark.parametrize("priors", [None, [0.7, 0.3]])
def test_the_interval_is_weighted_interval(priors):
    y, d, w = rows()
    app = APP.with_priors(priors) if priors else APP
    found = evaluate(y, {"m": d}, application=app, sample_weight=w, level=0.9)["m"]
    expected = weighted_interval(
        y, d, sample_weight=w, metric="normalized_expected_cost", application=app, level=0.9
    )
    assert found.interval == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("weight", [1.0, 3.0, 3.01, 1e-4, 1e-200, 1e200])
def test_equal_weights_are_none(weight):
    y, d, _ = rows()
    plain = evaluate(y, {"m": d}, application=APP)["m"]
    found = evaluate(y, {"m": d}, application=APP, sample_weight=np.full(400, weight))["m"]
    assert found.interval == pytest.approx(plain.interval)


def test_codes_are_not_taken_for_names_that_are_numbers():
    y, d, w = rows()
    turned = Application(CostMatrix([[0, 4], [40, 0]], classes=[1, 0], decisions=[1, 0]))
    plain = evaluate(y, {"m": d}, application=APP, sample_weight=w)["m"]
    found = evaluate(1 - y, {"m": 1 - d}, application=turned, sample_weight=w)["m"]
    assert found.interval == pytest.approx(plain.interval)


@pytest.mark.parametrize("weight", [3.0, 3.01])
@pytest.mark.parametrize("grouped", [False, True])
def test_four_heavy_rows_are_four_cases(weight, grouped):
    y = np.repeat([0, 1], [500, 4])
    d = np.where(np.arange(504) % 9 == 0, 1 - y, y)
    models = {"a": d, "b": y}
    groups = np.arange(504) % 50 if grouped else None
    weights = np.full(504, weight)
    ev = evaluate(y, models, application=APP, sample_weight=weights, groups=groups, rng=0)
    assert ev.too_few == "only 4 cases of 1"
    assert ev["a"].interval is None
    assert ev.comparison.too_few


def test_whole_weights_decide_as_others_do():
    # Six rows carry most of the weight: three hundred rows are not three hundred equal ones.
    y, a, _ = rows(300)
    b = np.where(np.arange(300) % 3 == 0, 1 - y, y)
    w = np.where(np.arange(300) < 6, 200.0, 1.0)
    one, other = (
        evaluate(y, {"a": a, "b": b}, application=APP, sample_weight=w * f, rng=0).differences[0]
        for f in (1.0, 1.001)
    )
    assert (one.low, one.high) == pytest.approx((other.low, other.high))
    assert one.cases_needed == pytest.approx(other.cases_needed)


def test_cases_needed_are_rows_whatever_weights_add_up_to():
    y, a, w = rows()
    b = np.where(np.arange(400) % 11 == 0, 1 - y, y)
    one, other = (
        evaluate(y, {"a": a, "b": b}, application=APP, sample_weight=v, rng=0).differences[0]
        for v in (w, w / w.sum())
    )
    assert one.cases_needed == pytest.approx(other.cases_needed)


@pytest.mark.parametrize("by_case", [False, True])
def test_rows_of_weight_zero_are_no_cases(by_case):
    y = np.repeat([0, 1], [500, 24])
    d = np.where(np.arange(524) % 9 == 0, 1 - y, y)
    w = np.where(np.arange(524) < 504, 1.5, 0.0)
    costs = CaseCosts(np.tile([[0.0, 4.0], [40.0, 0.0]], (524, 1, 1))) if by_case else None
    ev = evaluate(y, {"m": d}, application=APP, sample_weight=w, case_costs=costs)
    assert ev.n_cases == 504
    assert ev.too_few == "only 4 cases of 1"
    assert all(model.interval is None for model in ev.models)
