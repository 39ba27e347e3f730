"""The page computes what the library computes: cell by cell, wherever the sliders stand."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from browser.journeys import (
    animals,
    binary,
    by_amount,
    close,
    counted,
    customers,
    decided,
    elsewhere,
    grouped,
    loans,
    pets,
    text_of,
    uncertain,
    weighed,
)

from stakes import (
    Application,
    ConfusionMatrix,
    CostMatrix,
    Posteriors,
    bayes_decisions,
    evaluate,
)
from stakes.application import Between, CaseCosts, UncertainApplication
from stakes.evaluation.verdict import DEPLOYS
from stakes.metrics import normalized_expected_cost
from stakes.report.live import case_stops
from stakes.report.live.any_matrix import _STEP as SHARE_STEP
from stakes.report.live.any_matrix import _prices_of, moved_share, quantised
from stakes.report.live.two_class_stops import STEP, grid_of
from stakes.uncertainty import interval

STOPS = [
    (0, 0), (1, 0), (-1, 0), (15, 0), (-46, 0), (92, 0), (-92, 0), (0, 1), (0, -7), (0, 40),
    (10, -24), (-16, 18), (26, 9), (-60, -60), (60, 60), (92, -40), (-92, 40), (6, 6), (36, -36),
    (-4, 50),
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
    """The words; away from the start, the interval of a difference is by the delta method.

    There the page has no cases either, and so rounds thresholds, which are compared as numbers.
    """
    words = " ".join(verdict.split())
    if (i, j) == (0, 0):
        return words
    words = re.sub(r"p > 0\.\d+", "p > t", words)
    return re.sub(r", -?\d\.\d+ to -?\d\.\d+; about [\d ]+", "", words)


def same(page: Any, name: str, expected: float) -> None:
    """The number behind a cell, of a page or of what `page.values()` has read of it."""
    found = float(page[name]) if isinstance(page, dict) else page.number(name)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("journey", [binary, elsewhere])
def test_scores_at_twenty_places(opened, journey):
    ev = journey()
    y, models = customers()
    page = opened(text_of(journey))
    given = journey is elsewhere
    kinds = set()
    for i, j in STOPS:
        page.slide(ratio=i, share=j)
        there = evaluate(y, models, application=moved(ev.application, i, j, given=given), rng=0)
        volume = ev.application.volume or 1
        saved = "saving" if ev.application.volume is None else "total_saving"
        now = page.values()
        for k, model in enumerate(there.models):
            same(now, f"nec-{k}", model.nec)
            same(now, f"recalibrated_nec-{k}", model.recalibrated_nec)
            same(now, f"rule-{k}", model.threshold)
            same(now, f"hull-{k}", model.optimistic_nec)
            same(now, f"{saved}-{k}", model.saving * volume)
            # The ends of an interval are roots, found to 1e-7 of their own scale.
            assert page.numbers(f"interval-{k}") == pytest.approx(model.interval, rel=1e-6)
            # Away from the start chances follow the score test, which differs most where no model
            # may be deployed: at extreme costs, by errors that were never seen.
            near = 1e-12 if (i, j) == (0, 0) else 0.03
            near = near if there.verdict_kind in DEPLOYS else 0.25
            chance = float(now[f"probability_best-{k}"])
            assert chance == pytest.approx(model.probability_best, abs=near)
        assert spoken(page.text("#verdict"), i, j) == spoken(there.verdict, i, j)
        kinds.add(there.verdict_kind)
    assert len(kinds) >= 2  # so that the words of several verdicts were compared
    assert page.complaints == []


def test_counts_per_thousand_and_the_chosen_model(opened):
    ev = binary()
    y, models = customers()
    page = opened(text_of(binary))
    page.slide(ratio=-18, share=11)
    there = moved(ev.application, -18, 11, given=False)
    for k, name in enumerate(models):
        page.tab.select_option("#payer", str(k))
        found = evaluate(y, {name: models[name]}, application=there, rng=0)[name]
        expected = 1000 * there.priors[:, None] * found.confusion.rates
        for i in range(2):
            for j in range(2):
                same(page, f"cell-{i}-{j}", expected[i, j])


def test_volume_and_unit_cost_scale_the_savings(opened):
    ev = binary()
    page = opened(text_of(binary))
    before = page.number("total_saving-0")
    page.slide(volume=500_000, unit=2)
    same(page, "total_saving-0", before * 2 / 2)
    page.slide(volume=1000)
    assert page.number("total_saving-0") == pytest.approx(before * 1000 / 250_000 / 2)
    page.slide(volume=250_000, unit=4)
    assert page.text("#verdict") == " ".join(ev.verdict.split())


def test_all_models_that_will_do_are_named(opened):
    ev, page = close(), opened(text_of(close))
    sources, several = ev.sources, 0
    models = {one.model.name: one.model.posteriors[:, 1] for one in sources.judged}
    for i, j in STOPS[:10]:
        page.slide(ratio=i, share=j)
        there = evaluate(
            customers()[0], models, application=moved(ev.application, i, j, given=False), rng=0
        )
        if there.verdict_kind == "cannot tell apart":
            words = page.text("#verdict")
            assert spoken(words, i, j).split(" will do")[0] == there.verdict.split(" will do")[0]
            several += "nor from" in words
    assert several >= 2


@pytest.mark.parametrize("journey", [decided, counted])
def test_decisions_at_twenty_places(opened, journey):
    ev = journey()
    page = opened(text_of(journey))
    given = journey is counted
    for i, j in STOPS:
        page.slide(ratio=i, share=j)
        app = moved(ev.application, i, j, given=given)
        full = app.with_priors(app.resolved_priors(ev.data_priors))
        now = page.values()
        for k, model in enumerate(ev.models):
            nec = normalized_expected_cost(model.confusion, application=app)
            same(now, f"nec-{k}", nec)
            same(now, f"saving-{k}", full.naive_cost * (1 - nec))  # correct decisions are free
            found = interval(model.confusion, "normalized_expected_cost", application=app)
            ends = [float(end) for end in now[f"interval-{k}"].split()]
            assert ends == pytest.approx((found.low, found.high), rel=1e-6)
        chosen = ev.models[int(page.tab.input_value("#payer"))].confusion
        for a in range(2):
            for b in range(2):
                same(now, f"cell-{a}-{b}", 1000 * full.priors[a] * chosen.rates[a, b])


def test_uncertain_costs_at_twenty_places(opened):
    ev = uncertain()
    y, models = customers()
    page = opened(text_of(uncertain))
    for i, j in STOPS:
        page.slide(ratio=i, share=j)
        app = moved(ev.application, i, j, given=False)
        app = app.with_priors(app.resolved_priors(ev.data_priors))
        now = page.values()
        for k, said in enumerate(models.values()):
            p = Posteriors(said).with_priors(app.priors, from_priors=ev.data_priors).values
            codes = bayes_decisions(p, Application(app.costs.values).costs)
            table = np.zeros((2, 2), dtype=int)
            np.add.at(table, (y, codes), 1)
            matrix = ConfusionMatrix(table, app.classes, app.decisions)
            same(now, f"nec-{k}", normalized_expected_cost(matrix, application=app))


def test_a_verdict_that_depends_on_costs_holds_whatever_the_volume(opened):
    tables = {m.name: m.confusion for m in counted().models}
    costs = [[0, 1], [Between(1, 30), 0]]
    names = {"classes": ["stay", "churn"], "decisions": ["ignore", "call"]}
    ev = evaluate(None, tables, application=UncertainApplication(costs, **names), rng=0)
    assert ev.verdict_kind == "it depends"
    page = opened(ev.to_html())
    page.slide(volume=777)
    assert page.text("#verdict") == " ".join(ev.verdict.split())
    assert page.number("saving-0") == pytest.approx(777 * ev.models[0].saving, rel=1e-12)


def typed(page: Any, costs: Any, shares: Any = ()) -> None:
    """Numbers typed into the boxes of the matrix and of the shares."""
    entries = {
        f"cost-{i}-{j}": repr(float(cost)) for i, row in enumerate(costs)
        for j, cost in enumerate(row)
    }  # fmt: skip
    entries |= {f"prior-{i}": repr(float(share)) for i, share in enumerate(shares)}
    page.typed(entries)


def edits(ev: Any, count: int) -> Any:
    """Matrices of costs and percentages of shares as somebody might type them."""
    rng = np.random.default_rng(1)
    for _ in range(count):
        costs = ev.application.costs.values.copy()
        for i, j in rng.integers(0, (3, 4), size=(3, 2)):
            costs[i, j] = 0.0 if i == j else round(float(rng.uniform(0.5, 40)), 3)
        yield costs, rng.uniform(1, 60, size=3).round(2)


@pytest.mark.parametrize("journey", [weighed, grouped])
def test_where_sureness_is_not_known_the_page_says_so(opened, journey):
    ev = journey()
    page = opened(text_of(journey))
    for k, model in enumerate(ev.models):
        assert page.text(f"#interval-{k}") == "{:.3f} – {:.3f}".format(*model.interval)
    assert page.text("#verdict") == " ".join(ev.verdict.split())
    page.slide(ratio=4, share=-2)
    assert page.text("#verdict").endswith(
        "Intervals and tests were computed at the stated costs and shares only."
    )
    assert page.text("#interval-0") == page.text("#probability_best-0") == ""
    cases, there = ev.sources.cases, moved(ev.application, 4, -2, given=False)
    for k, one in enumerate(ev.sources.judged):
        p = one.model.at(there.priors, ev.sources.said_at)
        found = normalized_expected_cost(
            cases.truth, bayes_decisions(p, there.costs.values), sample_weight=cases.weights,
            application=Application(there.costs.values, priors=there.priors),
        )  # fmt: skip
        same(page, f"nec-{k}", found)
    page.slide(ratio=0, share=0, volume=500_000)
    assert page.text("#interval-0") == "{:.3f} – {:.3f}".format(*ev.models[0].interval)
    doubled = re.search(r"year \((.*?) to", page.text("#verdict"))[1].replace(" ", "")
    single = re.search(r"year \((.*?) to", ev.verdict)[1].replace(" ", "")
    assert float(doubled) == pytest.approx(2 * float(single), rel=0.01)


def test_edited_matrix_and_shares_decide_anew(opened):
    ev = pets()
    y, models = animals()
    page = opened(text_of(pets, embed_posteriors=True))
    for costs, parts in edits(ev, 10):
        typed(page, costs, parts)
        app = Application(costs, priors=parts / parts.sum())
        for k, said in enumerate(models.values()):
            moved = quantised(said) * (app.priors / ev.application.priors)
            codes = bayes_decisions(moved / moved.sum(axis=1, keepdims=True), app.costs)
            table = np.zeros((3, 4), dtype=int)
            np.add.at(table, (y, codes), 1)
            matrix = ConfusionMatrix(table, app.classes, app.decisions)
            same(page, f"nec-{k}", normalized_expected_cost(matrix, application=app))
    assert "1 200 cases inside this page" in page.text("#sample-note")
    assert "on the 1 200 cases inside this page" in page.text("#verdict")
    assert "taken in proportion" in page.text("#share-note")


def test_edited_matrix_prices_the_same_decisions(opened):
    ev = pets()
    page = opened(text_of(pets))
    for costs, parts in edits(ev, 10):
        typed(page, costs, parts)
        app = Application(costs, priors=parts / parts.sum())
        for k, model in enumerate(ev.models):
            matrix = ConfusionMatrix(model.confusion.counts)
            same(page, f"nec-{k}", normalized_expected_cost(matrix, application=app))
    assert "decisions stay the same, and only their cost is recomputed" in page.text("#sample-note")
    assert "with the decisions made for the stated costs" in page.text("#verdict")
    typed(page, ev.application.costs.values)
    for i, share in enumerate(ev.application.priors):
        page.tab.fill(f"#prior-{i}", f"{100 * share:.4g}")
    assert page.text("#verdict") == " ".join(ev.verdict.split())
    same(page, "nec-0", ev.models[0].nec)


def test_share_of_one_class_at_every_stop(opened):
    ev = pets()
    y, models = animals()
    page = opened(text_of(pets))
    for option, row in enumerate(page.tab.eval_on_selector_all(
        "#class option", "all => all.map((o) => o.textContent)"
    )):  # fmt: skip
        row = ev.application.classes.index(row)
        page.tab.select_option("#class", str(option))
        prior = ev.application.priors[row]
        for stop in (15, 0, 8, 16, 23, 30):
            page.slide(share=stop)
            odds = math.log(prior / (1 - prior)) + SHARE_STEP * (stop - 15)
            priors = moved_share(ev.application.priors, row, 1 / (1 + math.exp(-odds)))
            app = Application(ev.application.costs, priors=priors if stop != 15 else None)
            there = evaluate(y, models, application=app, recalibrate=False, rng=0)
            now = page.values()
            for k, model in enumerate(there.models):
                same(now, f"nec-{k}", model.nec)
            chosen = there.models[int(page.tab.input_value("#payer"))]
            expected = 1000 * there.application.priors[:, None] * chosen.confusion.rates
            for i in range(3):
                for j in range(4):
                    same(now, f"cell-{i}-{j}", expected[i, j])


def test_costs_per_case_at_twenty_places(opened):
    ev = by_amount()
    page = opened(text_of(by_amount))
    grid = case_stops.grid_of_cases(ev.case_sources, ev.application)
    rng = np.random.default_rng(0)
    stops = [(0, 0), (1, 0), (0, -1), (-12, -10), (12, 10), (-12, 10), (12, -10)]
    stops += [tuple(pair) for pair in rng.integers((-12, -10), (13, 11), size=(13, 2)).tolist()]
    for i, j in stops:
        page.slide(factor=i, share=j)
        values = loans().values.copy()
        values[:, 1, 0] = values[:, 1, 1] + math.exp(case_stops.STEP * i) * (
            values[:, 1, 0] - values[:, 1, 1]
        )
        costs = CaseCosts(values, loans().classes, loans().decisions)
        there = by_amount(grid.priors(j, ev.application.priors) if j else None, costs)
        assert page.text("#naive") == f"always decide “{there.naive_decision}”"
        now = page.values()
        for k, model in enumerate(there.models):
            same(now, f"nec-{k}", model.nec)
            same(now, f"total_saving-{k}", 1000 * model.saving)
            if model.threshold is not None and (i, j) != (0, 0):
                same(now, f"rule-{k}", model.threshold)
        chosen = there.models[int(page.tab.input_value("#payer"))]
        shares = np.abs(chosen.cells) / np.abs(chosen.cells).sum()
        for a in range(2):
            for b in range(2):
                count = there.application.priors[a] * chosen.confusion.rates[a, b]
                same(now, f"cell-{a}-{b}", 1000 * count)
                if shares[a, b] >= 0.005:
                    said = page.text(f"#cell-{a}-{b} .cell-cost")
                    assert said == f"{100 * shares[a, b]:.0f} % of the cost"
    assert "stated costs and shares only" in page.text("#verdict")
    page.slide(factor=3, share=4)  # the drawing is about the stated share
    assert page.tab.get_attribute("#factor-dot-0", "visibility") == "hidden"
    page.slide(share=0)
    assert page.tab.get_attribute("#factor-dot-0", "visibility") == "visible"
    page.slide(factor=0, share=0)
    assert page.text("#verdict") == " ".join(ev.verdict.split())
    assert page.complaints == []


def test_scale_and_volume_of_costs_per_case(opened):
    ev = by_amount()
    page = opened(text_of(by_amount))
    page.slide(volume=2000, scale=3)
    assert page.number("total_saving-0") == pytest.approx(6000 * ev.models[0].saving, rel=1e-12)
    assert page.text("#interval-0") != ""  # a NEC does not change with the scale
    tripled = by_amount(costs=CaseCosts(3 * loans().values, loans().classes, loans().decisions))
    page.slide(volume=1000)
    assert page.text("#verdict") == " ".join(tripled.verdict.split())


def test_price_of_abstaining_at_twenty_stops(opened):
    ev = pets()
    y, models = animals()
    page = opened(text_of(pets))
    prices, start = _prices_of(ev)
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
