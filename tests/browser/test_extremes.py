"""Pages of evaluations that somebody will make: odd, tiny, huge, hopeless. Nothing may break."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from browser.journeys import animals, customers, text_of

from stakes import Application, ConfusionMatrix, CostMatrix, Posteriors, evaluate
from stakes.application import CaseCosts

FEW: dict[str, Any] = {"recalibrate": False, "rng": 0}

#: Every slider to its ends, every field to what fields can hold, the pointer over every chart;
#: what is shown then that is no number, by the control that did it.
DRIVEN = """() => {
  const found = [];
  const odd = /NaN|Infinity|\\[object/;
  const main = document.querySelector("main");
  for (const entry of document.querySelectorAll("input, select")) {
    const kind = entry.type;
    const middle = Math.round((2 * Number(entry.min) + Number(entry.max)) / 3);
    const values = entry.tagName === "SELECT" ? [...entry.options].map((o) => o.value)
      : kind === "range" ? [entry.min, String(middle), entry.max, entry.defaultValue]
        : ["0", "-3", "1e9", "", "0.5", entry.defaultValue];
    for (const value of values) {
      entry.value = value;
      entry.dispatchEvent(new Event(entry.tagName === "SELECT" ? "change" : "input"));
      if (odd.test(main.innerText)) found.push(`${entry.id} = ${value}`);
    }
  }
  for (const chart of document.querySelectorAll("svg[id^=chart]")) {
    const box = chart.getBoundingClientRect();
    for (let k = 0; k <= 10; k += 1) {
      const clientY = box.top + (box.height * (10 - k)) / 10;
      const at = { clientX: box.left + (box.width * k) / 10, clientY };
      chart.dispatchEvent(new PointerEvent("pointermove", at));
      if (odd.test(main.innerText)) found.push(chart.id);
    }
    const clientX = box.left + box.width / 3;
    chart.dispatchEvent(new MouseEvent("click", { clientX, clientY: box.top }));
    if (odd.test(main.innerText)) found.push(`click on ${chart.id}`);
  }
  return found;
}"""


@cache
def some() -> tuple[Any, Any]:
    y, models = customers(300, 0.25)
    return y, models["gbm"]


@cache
def eleven_models() -> Any:
    y, p = some()
    said = {f"m{k}": p ** (1 + k / 20) for k in range(11)}
    return evaluate(y, said, application=CostMatrix([[0, 4], [40, 0]]), **FEW)


@cache
def thirty_classes() -> Any:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 30, 900)
    p = 0.9 * rng.dirichlet(np.ones(30), 900) + 0.1 * np.eye(30)[y]
    return evaluate(y, {"net": p}, application=CostMatrix.zero_one(30), **FEW)


def four_cases() -> Any:
    p = np.eye(3)[[0, 1, 1, 2]]
    app = CostMatrix.zero_one(3)
    return evaluate([0, 1, 2, 0], {"net": Posteriors(p)}, application=app, min_cases=1, **FEW)


def gains_with_abstention() -> Any:
    y, models = animals(300)
    costs = [[-5, 1, 2, -1], [1, -3, 2, -1], [0, 0, -9, -1]]
    app = CostMatrix(costs, classes=list("abc"), decisions=[*"abc", "ask"])
    return evaluate(y, models, application=app, **FEW)


def gains_per_case() -> Any:
    y, p = some()
    amounts = np.random.default_rng(0).normal(0, 5, len(y))
    costs = CaseCosts.binary(false_negative=amounts, false_positive=1.0, true_positive=-2.0)
    return evaluate(y, {"p": p, "always": np.ones(len(y), dtype=int)}, application=costs, **FEW)


def huge_costs_per_case() -> Any:
    y, p = some()
    amounts = np.random.default_rng(0).lognormal(3, 2, len(y)) * 1e290
    costs = CaseCosts.binary(false_negative=amounts, false_positive=1e290)
    return evaluate(y, {"p": p}, application=costs, **FEW)


def nothing_to_decide() -> Any:
    y, models = animals(300)
    return evaluate(y, models, application=CostMatrix(np.zeros((3, 3))), **FEW)


def acting_is_free() -> Any:
    y, p = some()
    return evaluate(y, {"p": p}, application=CostMatrix([[0, 0], [40, 0]]), **FEW)


def worse_than_nothing() -> Any:
    y, p = some()
    app = Application(CostMatrix([[0, 4e15], [4e18, 0]]), unit="EUR", volume=1e9, period="day")
    return evaluate(y, {"bad": 1 - p, "same": 1 - p}, application=app, **FEW)


def tables_of_counts() -> Any:
    tables = {"a": [[50, 3, 2], [4, 40, 6], [1, 2, 30]], "b": [[55, 0, 0], [4, 40, 6], [9, 4, 20]]}
    made = {name: ConfusionMatrix(table) for name, table in tables.items()}
    return evaluate(None, made, application=CostMatrix.zero_one(3), rng=0)


@pytest.mark.parametrize("made", [
    eleven_models, thirty_classes, four_cases, gains_with_abstention, gains_per_case,
    huge_costs_per_case, nothing_to_decide, acting_is_free, worse_than_nothing, tables_of_counts,
])  # fmt: skip
def test_nothing_breaks(opened, made):
    text = text_of(made)
    assert len(text) < 600_000
    page = opened(text, viewport={"width": 390, "height": 800})
    stated = page.text("#verdict")
    assert page.tab.evaluate(DRIVEN) == []
    assert page.complaints == []
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 390
    page.tab.reload()
    assert page.text("#verdict") == stated


def test_many_models_are_not_compared_away_from_the_stated_costs_and_the_page_says_so(opened):
    page = opened(text_of(eleven_models))
    page.slide(ratio=5)
    said = "Models were compared with each other at the stated costs only."
    assert page.text("#verdict").endswith(said)
    page.slide(ratio=0)
    assert said not in page.text("#verdict")


def test_sentences_about_many_models_are_few():
    text = text_of(eleven_models).replace("\u00a0", " ")
    assert text.count("The data cannot tell m") == 5
    assert "The same holds for 5 more models." in text  # ten others, all close


def test_many_classes_show_their_costliest_cells():
    text = thirty_classes().to_html(embed_posteriors=True)
    assert "no rows, no identifiers" in text  # there is no table to edit, so nothing is embedded
    assert "not shown here, but part of the JSON" in text
    assert "The costliest of 30 outcomes by 30 decisions for net" in text
    assert len(re.findall(r"truth \d+, decide \d+", text)) == 10


@pytest.mark.parametrize("nonsense", ["1e308", "-5", "0", "1e-308", ""])
def test_nonsense_in_a_field_never_shows(opened, nonsense):
    page = opened(text_of(eleven_models))
    for field in ("volume", "unit"):
        page.typed({field: nonsense})
        shown = page.tab.inner_text("main")
        assert not re.search(r"Infinity|undefined|NaN", shown)


def test_tables_alone_stay_undecided_wherever_the_sliders_are(opened):
    names = {"classes": ["no", "yes"], "decisions": ["no", "yes"]}
    tables = {
        "A": ConfusionMatrix([[900, 100], [20, 80]], **names),
        "B": ConfusionMatrix([[899, 101], [20, 80]], **names),
    }
    ev = evaluate(None, tables, application=CostMatrix([[0, 1], [10, 0]], **names), rng=0)
    page = opened(ev.to_html())
    for stop in (0, 4, -4):
        page.slide(ratio=stop)
        assert page.text("#verdict").startswith("Either will do; use A. It saves ")
