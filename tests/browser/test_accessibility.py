"""axe-core finds nothing to complain of, on a screen, on a phone and in the dark."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pytest
from browser.journeys import JOURNEYS, text_of
from browser.test_geometry import LABELS

from stakes import Application, ConfusionMatrix
from stakes.audit import audit
from stakes.monitoring import watch
from stakes.report.page_index import write_index

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1], unit="EUR")
WEEK = ConfusionMatrix([[860, 90], [10, 40]])
WORSE = ConfusionMatrix([[850, 100], [30, 20]])
WEEKS = {f"2025-W{k:02d}": WEEK if k < 8 else WORSE for k in range(1, 13)}


@cache
def page_of(name):
    """The pages without a script."""
    if name == "watch":
        return watch(WEEKS, application=APP).to_html()
    if name == "many periods":
        weeks = {f"2024-{k // 4 + 1:02d}-{k % 4 * 7 + 1:02d}": WEEK for k in range(48)}
        return watch(weeks, application=APP).to_html()
    both = {
        "a": ConfusionMatrix([[850, 50], [20, 80]]),
        "b": ConfusionMatrix([[880, 20], [40, 60]]),
    }
    if name == "audit":
        found = audit("f1", application=APP, matrix=both["a"], candidates=both, draws=500)
        return found.to_html()
    return audit("auc", application=APP).to_html()


@cache
def axe():
    """The text of axe-core, which the page itself does not load."""
    pytest.importorskip(
        "axe_playwright_python", reason="needs axe-core: pip install 'stakes[browser]'"
    )
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def complaints(page):
    page.tab.evaluate(axe())
    found = page.tab.evaluate("axe.run(document, { iframes: false })")["violations"]
    return [(each["id"], node["html"][:120]) for each in found for node in each["nodes"]]


SCREENS = {
    "desk": {},
    "phone": {"viewport": {"width": 390, "height": 900}},
    "dark": {"color_scheme": "dark"},
}
ALONE = ("watch", "many periods", "audit", "scores")


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", ALONE)
def test_watch_and_audit_have_no_complaint(opened, name, screen):
    assert complaints(opened(page_of(name), **SCREENS[screen])) == []


@pytest.mark.parametrize("screen", SCREENS)
def test_an_index_has_no_complaint(opened, tmp_path, screen):
    for name in ("watch", "audit"):
        (tmp_path / f"{name}.html").write_text(page_of(name), encoding="utf-8")
    index = write_index(tmp_path).read_text(encoding="utf-8")
    assert complaints(opened(index, **SCREENS[screen])) == []


@pytest.mark.parametrize("name", JOURNEYS)
def test_an_evaluation_has_no_complaint(opened, name):
    assert complaints(opened(text_of(JOURNEYS[name]))) == []


def test_a_complaint_is_found(opened):
    page = '<!doctype html><html lang="en"><title>t</title><main><h1>t</h1><img src="a"></main>'
    assert [each[0] for each in complaints(opened(page))] == ["image-alt"]


@pytest.mark.parametrize("width", [390, 1100])
@pytest.mark.parametrize("name", ["watch", "many periods", "audit"])
def test_charts_without_a_script_can_be_read(opened, name, width):
    pytest.importorskip("matplotlib", reason="charts: pip install 'stakes[plots]'")
    page = opened(page_of(name), viewport={"width": width, "height": 900})
    charts = page.tab.evaluate(LABELS)
    assert charts
    for chart in charts:
        assert min(text["size"] for text in chart["texts"]) >= 11, chart["key"]
        frame = chart["frame"]
        for text in chart["texts"]:
            assert text["box"]["left"] >= frame["left"] - 1, text["words"]
            assert text["box"]["right"] <= frame["right"] + 1, text["words"]
