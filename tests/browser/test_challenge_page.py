"""The page says whether to switch from the model in use as the library does, at any volume."""

from __future__ import annotations

import pytest
from browser.journeys import COSTS, customers

from stakes import Application, evaluate


def judged(volume: float, baseline: str, price: float):
    y, models = customers()
    app = Application(COSTS, unit="EUR", volume=volume, period="year")
    return evaluate(y, models, application=app, baseline=baseline, switching_cost=price, rng=0)


@pytest.mark.parametrize(("baseline", "price"), [("rules", 20_000), ("gbm", 5), ("logreg", 0)])
def test_other_volumes(opened, baseline, price):
    ev = judged(250_000, baseline, price)
    page = opened(ev.to_html())
    even = round(max(1.05 * price / ev.challenge.saving, 300))  # where it saves about the price
    said = ""
    for volume in (250_000, even // 10, even, 10 * even):
        page.slide(volume=volume)
        there = judged(volume, baseline, price)
        assert page.text("#verdict") == " ".join(there.verdict.split())
        said += there.verdict
    if price > 5:
        assert ", less than the" in said
        assert ", not surely more than the" in said
        assert ", more than the" in said
    assert page.complaints == []


def test_other_costs_leave_the_switch_open(opened):
    page = opened(judged(250_000, "rules", 20_000).to_html())
    page.slide(ratio=10)
    said = page.text("#verdict")
    assert said.startswith("Cheapest here: gbm. ")
    assert said.endswith(
        "Whether to switch from rules was decided at the stated costs and shares only."
    )
