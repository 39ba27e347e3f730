"""How often a model is best at a stop of the sliders: by the score test, as the verdict there."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CostMatrix, bayes_decisions, evaluate
from stakes.report.live import two_class_stops as stops
from stakes.report.live.two_class_stops import STEP, grid_of
from stakes.report.live.two_classes import Live
from stakes.report.live.two_classes import _sureness as said_of

COSTS = CostMatrix([[0, 1], [6, 0]], classes=["no", "yes"])


@pytest.fixture(scope="module")
def ev():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    common = rng.normal(size=300)
    models = {
        name: 1 / (1 + np.exp(-(gap * (y - 0.5) + common + spread * rng.normal(size=300) - 0.8)))
        for name, gap, spread in (("a", 2.0, 0.5), ("b", 1.9, 0.6))
    }
    models["fixed"] = (models["a"] > 0.4).astype(int)
    return evaluate(y, models, application=COSTS, rng=3)


def test_joint_counts_are_those_of_the_decisions_at_each_stop(ev):
    live = Live(ev, grid_of(ev.application))
    truth = ev.sources.cases.truth
    for stop, x in list(enumerate(live.grid.x.tolist()))[::41]:
        priors = ev.application.priors
        ratio = np.exp(x) * priors[0] / priors[1]
        code = np.zeros(len(truth), dtype=int)
        for one in ev.sources.judged:
            acted = one.model.decisions
            if acted is None:
                acted = bayes_decisions(one.model.posteriors, CostMatrix([[0, 1], [ratio, 0]]))
            code = 2 * code + acted
        expected = np.zeros((2, 8), dtype=int)
        np.add.at(expected, (truth, code), 1)
        np.testing.assert_array_equal(live.joint[stop], expected)


@pytest.fixture(scope="module")
def table(ev):
    live = Live(ev, grid_of(ev.application))
    return live.table(live.places()["free"])


@pytest.mark.parametrize("steps", [-30, -7, 2])
def test_chances_near_those_of_a_comparison_there(ev, table, steps):
    costs = CostMatrix([[0, 1], [6 * np.exp(STEP * steps), 0]], ev.application.classes)
    said = {
        one.model.name: one.model.posteriors if one.model.decisions is None else one.model.decisions
        for one in ev.sources.judged
    }
    there = evaluate(ev.sources.cases.truth, said, application=costs, recalibrate=False, rng=3)
    at = len(table["nec"][0]) // 2 + steps
    chances = [model.probability_best for model in there.models]
    np.testing.assert_allclose(table["chance"][:, at], chances, atol=0.06)
    assert 0 < min(chances) < max(chances) < 1  # so that the draws had something to say


def test_no_chance_above_the_level_where_the_verdict_cannot_tell(ev):
    y = ev.sources.cases.truth
    said = {one.model.name: one.model.posteriors for one in ev.sources.judged[:2]}
    pair = evaluate(y, said, application=COSTS, rng=3)
    live = Live(pair, grid_of(pair.application))
    table = live.table(live.places()["free"])
    sure, apart = table["chance"].max(axis=0) > 0.975, ~table["close"].any(axis=0)
    equal = np.abs(table["nec"][0] - table["nec"][1]) < 1e-12
    np.testing.assert_array_equal(sure, apart & ~equal)
    assert 0 < sure.sum() < sure.size


def test_too_much_to_draw_is_left_out_and_said(ev, monkeypatch):
    live = Live(ev, grid_of(ev.application))
    few = live.places()["free"].part(np.arange(90, 93))
    assert live.table(few)["chance"] is not None
    assert said_of(live).endswith("comes from 4 000 resamples of the cases.")
    monkeypatch.setattr(stops, "WORK", 1.0)
    other = Live(ev, live.grid)
    assert other.table(few)["chance"] is None
    assert said_of(other).endswith("the chance of being best was not computed.")


def test_models_that_decide_alike_share_the_place(ev):
    y = ev.sources.cases.truth
    p = ev.sources.judged[0].model.posteriors
    twins = evaluate(y, {"a": p, "b": p.copy()}, application=Application(COSTS), rng=0)
    live = Live(twins, grid_of(twins.application))
    assert (live.table(live.places()["free"])["chance"] == 0.5).all()
