"""Costs per case of several classes along the sliders of a page: what `evaluate` finds there."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate
from stakes.application import CaseCosts
from stakes.report.live.any_matrix import moved_share
from stakes.report.live.case_numbers import case_numbers

N = 200


def drawn(classes, decisions):
    rng = np.random.default_rng(classes)
    y = np.arange(N) % classes
    p = rng.dirichlet(np.ones(classes), N) + 2 * np.eye(classes)[y] * rng.random(N)[:, None]
    values = rng.lognormal(0, 1, (N, classes, decisions)) - 0.3
    for k in range(min(classes, decisions)):
        values[:, k, k] = -0.2 * rng.random(N)
    return y, p / p.sum(axis=1, keepdims=True), CaseCosts(values)


@pytest.mark.parametrize("shape", [(3, 3), (3, 4), (2, 3), (4, 2)])
@pytest.mark.parametrize("more", [{}, {"weights": True}, {"priors": True}])
def test_against_an_evaluation_there(shape, more):
    y, p, costs = drawn(*shape)
    priors = np.arange(1, shape[0] + 1) / np.arange(1, shape[0] + 1).sum()
    given = priors if "priors" in more else None
    weights = np.random.default_rng(1).uniform(0.2, 2, N) if "weights" in more else None
    base = CostMatrix(costs.average().values, costs.classes, costs.decisions)
    models = {"p": p, "clerk": np.arange(N) % shape[1]}
    options = {"sample_weight": weights, "min_cases": 10**6, "rng": 0}  # nothing is drawn
    ev = evaluate(y, models, application=Application(base, priors=given), case_costs=costs,
                  **options)  # fmt: skip
    for path, necs in case_numbers(ev)["curve"]:
        for stop in (0, path.start - 1, path.start, path.start + 3, len(path.values) - 1):
            values, there = costs.values.copy(), ev.application.priors
            if path.kind == "factor":
                least = values[:, path.row].min(axis=1, keepdims=True)
                values[:, path.row] = least + path.values[stop] * (values[:, path.row] - least)
            else:
                there = moved_share(there, path.row, path.values[stop])
            again = evaluate(y, models, application=Application(base, priors=there),
                             case_costs=CaseCosts(values), **options)  # fmt: skip
            expected = [model.nec for model in again.models]
            np.testing.assert_allclose(necs[:, stop], expected, rtol=1e-11)


def test_sliders_start_where_it_was_stated():
    y, p, costs = drawn(3, 3)
    ev = evaluate(y, {"p": p}, application=costs, min_cases=10**6, rng=0)
    for path, necs in case_numbers(ev)["curve"]:
        assert path.values[path.start] == (
            1 if path.kind == "factor" else pytest.approx(1 / 3, abs=0.01)
        )
        np.testing.assert_allclose(necs[:, path.start], [m.nec for m in ev.models], rtol=1e-12)


def test_so_many_classes_that_their_sums_do_not_fit():
    rng = np.random.default_rng(0)
    values = np.repeat(CostMatrix.zero_one(20).values[None], 60, axis=0)
    ev = evaluate(np.arange(60) % 20, {"p": rng.dirichlet(np.ones(20), 60)},
                  application=CaseCosts(values), rng=0)  # fmt: skip
    assert case_numbers(ev) is None
    text = ev.to_html()
    assert "Nothing can be moved here" in text
    assert "few enough of both" in text


def test_no_case_is_inside():
    y, p, costs = drawn(3, 4)
    ev = evaluate(y, {"p": p}, application=costs, rng=0)
    for path in case_numbers(ev)["paths"]:
        for sums in path["rules"]:
            found = base64.b64decode(sums["excess"]["d"])
            assert len(found) == 8 * path["count"] * 3 * 4  # by class and decision at each stop
