"""The slider of a limit: at each stop what `capacity_optimum` finds, by the truth."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from browser.journeys import COSTS, LENDING, PETS, animals, customers, loans, text_of

from stakes import Application, evaluate
from stakes.resources import capacity_optimum


@cache
def by_day():
    y, models = customers()
    app = Application(COSTS, unit="EUR", volume=500, period="day")
    return evaluate(y, models, application=app, capacity="call=30/day", rng=0)


@cache
def by_case():
    y, models = customers()
    surest = np.argsort(models["rules"], kind="stable")[-90:]  # within the limit
    said = {"gbm": models["gbm"], "clerk": np.isin(np.arange(len(y)), surest).astype(int)}
    app = Application(LENDING, unit="EUR")
    limit = {LENDING.decisions[1]: 100}
    return evaluate(y, said, application=app, case_costs=loans(), capacity=limit, rng=0)


@cache
def several():
    y, models = animals()
    limits = "ask a person=60,fox=20..,cat=40%"
    return evaluate(y, models, application=Application(PETS), capacity=limits, rng=0)


@cache
def elsewhere():
    y, models = customers()
    app = Application(COSTS, priors=[0.95, 0.05])
    return evaluate(y, models, application=app, capacity="call=4%", rng=0)


#: By evaluation: the truth and the posteriors, the class of a single column, and the limits.
ASKED = {
    by_day: (customers, "churn", "call={}/day"),
    by_case: (customers, "default", f"{LENDING.decisions[1]}={{}}"),
    several: (animals, None, "ask a person={},fox=20..,cat=40%"),
}


def held_of(page):
    data = "JSON.parse(document.getElementById('numbers').textContent)"
    return page.tab.evaluate(f"{data}.capacity"), page.tab.evaluate(f"{data}.names")


@pytest.mark.parametrize("journey", ASKED)
def test_each_stop_is_the_optimum(opened, journey):
    ev, (cases, positive, asked) = journey(), ASKED[journey]
    y, models = cases()
    rows = np.arange(len(y))
    costs, paid = ev.application, ev.application.costs.values[y]
    if journey is by_case:
        costs, paid = loans(), loans().values[rows, y]
    page = opened(text_of(journey))
    held, names = held_of(page)
    last = int(page.tab.get_attribute("#capacity", "max"))
    for stop in (0, held["start"], last // 3, last):
        page.slide(capacity=stop)
        number = page.tab.input_value("#capacity-box")
        for k in held["models"]:
            limits = asked.format(number)
            best = capacity_optimum(models[names[k]], costs, capacity=limits, positive=positive)
            really = paid[rows, best.decisions].mean()
            assert page.number(f"capacity-used-{k}") == best.limits[0].used
            assert page.number(f"capacity-price-{k}") == pytest.approx(best.limits[0].price)
            assert page.number(f"capacity-cost-{k}") == pytest.approx(really, rel=1e-12)
    assert page.complaints == []


def test_the_stated_limit_is_the_table(opened):
    for journey in (by_day, by_case, several, elsewhere):
        ev = journey()
        page = opened(text_of(journey))
        held, names = held_of(page)
        for k in held["models"]:
            assert page.number(f"capacity-cost-{k}") == pytest.approx(ev[names[k]].cost, rel=1e-9)
            price = ev.capacity[names[k]].limits[0].price
            assert page.number(f"capacity-price-{k}") == pytest.approx(price, rel=1e-9)
        assert "clerk" not in [names[k] for k in held["models"]]  # its decisions are given


def test_box_reset_link_and_command(opened):
    page = opened(text_of(by_day))
    look = "document.querySelector('main').innerText"
    stated = page.tab.evaluate(look)
    page.tab.fill("#capacity-box", "40")
    assert "“call” at most 40 times per day" in page.text("#capacity-said")
    assert "would save" in page.text("#capacity-said")
    assert page.text("#capacity-box-was") == "changed from 30"
    said = page.text("#capacity-said")
    link = page.tab.get_attribute("#here", "href")
    page.tab.click("#reset")
    assert page.tab.evaluate(look) == stated
    page.tab.evaluate(f"location.hash = {json.dumps(link)}")
    page.tab.wait_for_function("document.querySelector('#capacity-box').value === '40'")
    assert page.text("#capacity-said") == said
    page.slide(capacity=page.tab.get_attribute("#capacity", "max"))
    assert page.text("#capacity-said").endswith("More would save nothing.")
    assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_a_telephone(opened, scheme):
    page = opened(text_of(several), viewport={"width": 390, "height": 800}, color_scheme=scheme)
    wide = page.tab.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    page.slide(capacity=3)
    assert "Other limits stay: fox at least 20; cat at most 40 % of cases." in page.text(
        "section:has(#capacity)"
    )
