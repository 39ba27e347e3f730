"""The pages of reproduced papers in a real browser: nothing asked for, nothing refused."""

from __future__ import annotations

import pytest

from stakes.papers import Context
from stakes.papers.pages import drawn, overview_page, paper_page
from stakes.papers.runs import Result, paper_of

pytest.importorskip("matplotlib", reason="drawing needs the extra 'plots'")


@pytest.fixture(scope="module")
def results():
    paper = paper_of("ferrer2022")
    return [
        Result(paper, item, "computed", item.compute(Context()), seconds=1.0)
        for item in paper.items
    ]


@pytest.fixture(scope="module")
def pages(results):
    figures = {each.item.key: drawn(each) for each in results}
    return {
        "paper": paper_page(results[0].paper, results, figures),
        "overview": overview_page(results),
    }


@pytest.mark.parametrize("name", ["paper", "overview"])
@pytest.mark.parametrize("width", [390, 1200])
def test_pages_ask_for_nothing_and_fit_the_screen(opened, pages, name, width):
    page = opened(pages[name], viewport={"width": width, "height": 800})
    assert len(page.requests) == 1  # the page itself
    assert page.complaints == []
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width


def test_numbers_and_figures_are_shown(opened, pages):
    page = opened(pages["paper"])
    assert page.text(".verdict").startswith("189 comparisons with printed numbers: all agree")
    assert page.tab.locator("table").first.is_visible()
    box = page.tab.locator(".chart svg").first.bounding_box()
    assert min(box["width"], box["height"]) > 200
    assert page.tab.locator("td.differs").count() == 0


def test_a_number_that_differs_is_marked_by_more_than_its_colour(opened, results):
    from dataclasses import replace

    first = results[1]
    cells = (replace(first.outcome.cells[0], ours=0.5), *first.outcome.cells[1:])
    changed = replace(first, outcome=replace(first.outcome, cells=cells))
    page = opened(paper_page(first.paper, [changed], {}))
    marked = page.tab.locator("td.differs").first
    assert marked.evaluate("cell => getComputedStyle(cell).fontWeight") == "700"
    assert "1 differ" in page.text(".verdict")
