"""What the page reads out under the pointer is what the library says of that very point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from browser.journeys import (
    animals,
    binary,
    by_amount,
    customers,
    loans,
    pets,
    text_of,
)

from stakes import Application, CostMatrix, bayes_decisions, curves, evaluate
from stakes.application import CaseCosts
from stakes.messages.quantities import percent, plain
from stakes.metrics import normalized_expected_cost
from stakes.report.live import case_stops
from stakes.report.live.two_class_stops import STEP, grid_of


def rate(share: float) -> str:
    """A share as the sliders show it: more digits towards 0 and 1."""
    edge = 100 * min(share, 1 - share)
    return percent(share, max(1, 1 - math.floor(math.log10(edge))))


@pytest.fixture
def at_binary(opened):
    return opened(text_of(binary))


def scores() -> dict[str, Any]:
    return {one.model.name: one.scores for one in binary().sources.judged}


@pytest.mark.parametrize("i", [-17, 0, 9])
def test_bayes_error(at_binary, i):
    ev, grid = binary(), grid_of(binary().application)
    y, models = customers()
    at_binary.point("bayes", grid.log_ratio + grid.log_odds + STEP * (i + 0.3), 0.8)
    ratio = math.exp(grid.log_ratio + STEP * i)
    app = Application(CostMatrix([[0, 1], [ratio, 0]]), priors=ev.application.priors)
    necs = {
        name: normalized_expected_cost(y, bayes_decisions(p, app.costs), application=app)
        for name, p in models.items()
    }
    said = ", ".join(f"{name} {nec:.3f}" for name, nec in necs.items())
    assert at_binary.text("#bayes-reading") == (
        f"{ratio:.3g} false alarms per miss, share {rate(app.priors[1])}, "
        f"act when p > {1 / (1 + ratio):.3g}: NEC {said}"
    )


@pytest.mark.parametrize("i", [3, -12])
def test_net_benefit(at_binary, i):
    ev, grid = binary(), grid_of(binary().application)
    threshold = 1 / (1 + math.exp(grid.log_ratio + STEP * i))
    at_binary.point("decision", threshold, 0.02)
    share = float(ev.application.priors[1])
    said = ", ".join(
        f"{name} {curves.decision(one, [threshold], priors=share).net_benefit[0]:.4f}"
        for name, one in scores().items()
    )
    assert at_binary.text("#decision-reading") == (
        f"act when p > {threshold:.3g}: net benefit {said}"
    )


@pytest.mark.parametrize(("name", "part"), [("gbm", 0.5), ("logreg", 0.5), ("rules", 0.6)])
def test_nearest_threshold(at_binary, name, part):
    from scipy.special import ndtri

    y, models = customers()
    found = scores()[name]
    vertex = found.hull[int(part * (len(found.hull) - 1))]
    cut = float(found.cuts_at(np.array([vertex]))[0])
    acted = models[name] > cut
    alarms, missed = acted[y == 0].mean(), 1 - acted[y == 1].mean()
    at_binary.point("det", float(ndtri(alarms)), float(ndtri(missed)))
    assert at_binary.text("#det-reading") == (
        f"{name}: {percent(missed)} missed, {percent(alarms)} false alarms, act when p > {cut:.3g}"
    )


def test_reliability(at_binary):
    curve = curves.reliability(scores()["gbm"], draws=0)
    kept = np.unique(np.linspace(0, len(curve.forecast) - 1, 60).astype(int))
    k = next(n for n in kept if curve.forecast[n] > 0.5)
    at_binary.point("reliability", curve.forecast[k], curve.observed[k])
    assert at_binary.text("#reliability-reading") == (
        f"where gbm predicts {rate(curve.forecast[k])}, it happens in "
        f"{percent(curve.observed[k])} of cases"
    )


def test_price_of_abstaining_and_share_of_a_class(opened):
    ev, page = pets(), opened(text_of(pets))
    y, models = animals()
    prices = page.tab.evaluate("JSON.parse(document.getElementById('numbers').textContent)")
    fox = ev.application.classes.index("fox")
    costs = ev.application.costs.values.copy()
    assert prices["many"]["paths"][0]["column"] == 3
    page.point("abstain", 2.0, 0.5)  # the stated price is one of the stops
    necs = ", ".join(f"{model.name} {model.nec:.3f}" for model in ev.models)
    assert page.text("#abstain-reading") == f"deciding “ask a person” costs 2 EUR: NEC {necs}"
    odds = math.log(ev.application.priors[fox] / (1 - ev.application.priors[fox])) + 0.2 * 4
    share = 1 / (1 + math.exp(-odds))
    priors = ev.application.priors * (1 - share) / (1 - ev.application.priors[fox])
    priors[fox] = share
    there = evaluate(
        y, models, application=Application(costs, priors=priors), recalibrate=False, rng=0
    )
    page.point("share-2", odds, 0.5)
    necs = ", ".join(f"{model.name} {model.nec:.3f}" for model in there.models)
    assert page.text("#share-2-reading") == f"{rate(share)} “fox”: NEC {necs}"
    page.tab.click("#chart-share-2", position=page.place("share-2", odds, 0.5))
    assert page.tab.input_value("#share") == "19"  # four stops above the middle one


def test_factor_on_misses(opened):
    page = opened(text_of(by_amount))
    factor = math.exp(5 * case_stops.STEP)
    page.point("factor", math.log(factor), 0.6)
    values = loans().values.copy()
    values[:, 1, 0] = values[:, 1, 1] + factor * (values[:, 1, 0] - values[:, 1, 1])
    there = by_amount(costs=CaseCosts(values, loans().classes, loans().decisions))
    said = "; ".join(f"{model.name} {model.nec:.3f}" for model in there.models)  # commas in names
    share = rate(there.application.priors[1])
    assert page.text("#factor-reading") == (
        f"miss costs times {plain(factor, 3)}, share {share}: NEC {said}"
    )
