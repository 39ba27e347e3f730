"""The page computes what the library computes: cell by cell, wherever the sliders stand."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from browser.journeys import animals, binary, counted, customers, decided, elsewhere, pets

from stakes import Application, ConfusionMatrix, CostMatrix, bayes_decisions, evaluate
from stakes.evaluation.matrix_numbers import prices_of, quantised
from stakes.evaluation.stops import STEP, grid_of
from stakes.metrics import normalized_expected_cost

STOPS = [
    (0, 0), (1, 0), (-1, 0), (7, 0), (-23, 0), (46, 0), (-46, 0), (0, 1), (0, -3), (0, 20),
    (5, -12), (-8, 9), (13, 4), (-30, -30), (30, 30), (46, -20), (-46, 20), (3, 3), (18, -18),
    (-2, 25),
]  # fmt: skip


def moved(app: Application, i: int, j: int, *, given: bool) -> Application:
    """The application where the sliders stand, as a user of the library would write it."""
    grid = grid_of(app)
    assert grid is not None
    (a, b), (_, d) = app.costs.values.tolist()
    ratio = math.exp(grid.log_ratio + STEP * i)
    costs = CostMatrix([[a, b], [d + ratio * (b - a), d]], app.classes, app.decisions)
    share = 1 / (1 + math.exp(-(grid.log_odds + STEP * j)))
    priors = [1 - share, share] if given or j else None
    return Application(costs, priors=priors, unit=app.unit, volume=app.volume, period=app.period)


def spoken(verdict: str, i: int, j: int) -> str:
    """The words; away from the start, half an interval of a difference is by the delta method."""
    words = " ".join(verdict.split())
    return words if (i, j) == (0, 0) else re.sub(r"± \d\.\d+; about [\d ]+", "±", words)


def same(page: Any, name: str, expected: float) -> None:
    assert page.number(name) == pytest.approx(expected, rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("journey", [binary, elsewhere])
def test_scores_at_twenty_places(opened, journey):
    ev = journey()
    y, models = customers()
    page = opened(ev.to_html())
    given = journey is elsewhere
    kinds = set()
    for i, j in STOPS:
        page.slide(ratio=i, share=j)
        there = evaluate(y, models, application=moved(ev.application, i, j, given=given), rng=0)
        volume = ev.application.volume or 1
        for k, model in enumerate(there.models):
            same(page, f"nec-{k}", model.nec)
            same(page, f"after-{k}", model.recalibrated_nec)
            same(page, f"cut-{k}", model.threshold)
            same(page, f"hull-{k}", model.best_nec)
            same(page, f"saving-{k}", model.saving * volume)
            # The ends of an interval are roots, found to 1e-7 of their own scale.
            assert page.numbers(f"interval-{k}") == pytest.approx(model.interval, rel=1e-6)
            # Drawn by the library; on the page a normal approximation, except where it starts.
            near = 1e-12 if (i, j) == (0, 0) else 0.15
            assert page.number(f"chance-{k}") == pytest.approx(model.probability_best, abs=near)
        assert spoken(page.text("#verdict"), i, j) == spoken(there.verdict, i, j)
        kinds.add(there.verdict_kind)
    assert len(kinds) >= 2  # so that the words of several verdicts were compared
    assert page.complaints == []


def test_counts_per_thousand_and_the_chosen_model(opened):
    ev = binary()
    y, models = customers()
    page = opened(ev.to_html())
    page.slide(ratio=-9, share=6)
    there = moved(ev.application, -9, 6, given=False)
    for k, name in enumerate(models):
        page.tab.select_option("#payer", str(k))
        found = evaluate(y, {name: models[name]}, application=there, rng=0)[name]
        expected = 1000 * there.priors[:, None] * found.confusion.rates
        for i in range(2):
            for j in range(2):
                same(page, f"cell-{i}-{j}", expected[i, j])


def test_volume_and_unit_cost_scale_the_savings(opened):
    ev = binary()
    page = opened(ev.to_html())
    before = page.number("saving-0")
    page.slide(volume=500_000, unit=2)
    same(page, "saving-0", before * 2 / 2)
    page.slide(volume=1000)
    assert page.number("saving-0") == pytest.approx(before * 1000 / 250_000 / 2)
    page.slide(volume=250_000, unit=4)
    assert page.text("#verdict") == " ".join(ev.verdict.split())


@pytest.mark.parametrize("journey", [decided, counted])
def test_decisions_at_twenty_places(opened, journey):
    ev = journey()
    page = opened(ev.to_html())
    given = journey is counted
    for i, j in STOPS:
        page.slide(ratio=i, share=j)
        app = moved(ev.application, i, j, given=given)
        for k, model in enumerate(ev.models):
            same(page, f"nec-{k}", normalized_expected_cost(model.confusion, application=app))


def test_edited_matrix_decides_anew(opened):
    ev = pets()
    y, models = animals()
    page = opened(ev.to_html(embed_posteriors=True))
    rng = np.random.default_rng(1)
    for _ in range(20):
        costs = ev.application.costs.values.copy()
        for i, j in rng.integers(0, (3, 4), size=(3, 2)):
            costs[i, j] = 0.0 if i == j else round(float(rng.uniform(0.5, 40)), 3)
            page.tab.fill(f"#cost-{i}-{j}", repr(float(costs[i, j])))
        for i in range(3):
            for j in range(4):
                page.tab.fill(f"#cost-{i}-{j}", repr(float(costs[i, j])))
        app = Application(costs, priors=ev.application.priors)
        for k, said in enumerate(models.values()):
            inside = quantised(said).astype(float)
            codes = bayes_decisions(inside / inside.sum(axis=1, keepdims=True), app.costs)
            table = np.zeros((3, 4), dtype=int)
            np.add.at(table, (y, codes), 1)
            matrix = ConfusionMatrix(table, app.classes, app.decisions)
            same(page, f"nec-{k}", normalized_expected_cost(matrix, application=app))
    assert "1 200 cases inside this page" in page.text("#sample-note")


def test_price_of_abstaining_at_twenty_stops(opened):
    ev = pets()
    y, models = animals()
    page = opened(ev.to_html())
    prices, start = prices_of(ev)
    for stop in [start, *np.linspace(1, len(prices) - 1, 20).astype(int).tolist()]:
        page.slide(abstain=stop)
        costs = ev.application.costs.values.copy()
        costs[:, 3] = prices[stop]
        app = Application(
            CostMatrix(costs, ev.application.classes, ev.application.decisions),
            priors=ev.application.priors,
        )
        for k, said in enumerate(models.values()):
            matrix = ConfusionMatrix.from_decisions(
                y, bayes_decisions(said, app.costs), classes=range(3), decision_names=range(4)
            )
            plain = Application(app.costs.values, priors=app.priors)
            same(page, f"nec-{k}", normalized_expected_cost(matrix, application=plain))
