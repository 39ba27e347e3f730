from __future__ import annotations

import re

import pytest

from stakes.papers import Item, Outcome, Paper
from stakes.papers.pages.html_pages import _LARGEST, Drawn, drawn
from stakes.papers.runs import Result

pytest.importorskip("matplotlib", reason="drawing needs the extra 'plots'")


def _result(draw):
    item = Item("one", "One <b>", lambda _: Outcome(), draw)
    return Result(Paper("p", "cited", (item,)), item, "computed", Outcome())


def _figures(_):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 3))
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1])
    right.imshow([[0, 1], [1, 0]])
    return {"one": figure}


class TestDrawn:
    def test_the_same_numbers_give_the_same_files(self):
        first, second = (drawn(_result(_figures))[0] for _ in range(2))
        assert first == second
        assert first.png.startswith(b"\x89PNG")

    def test_images_inside_a_drawing_stay_whole(self):
        (figure,) = drawn(_result(_figures))
        links = re.findall(r'href="([^"]*)"', figure.svg)
        assert any(link.startswith("data:image/png") for link in links)
        assert all(link.startswith(("data:image/png;base64,", "#p-one-")) for link in links)

    def test_in_a_page_it_needs_no_style_and_its_title_is_escaped(self):
        (figure,) = drawn(_result(_figures))
        markup = figure.markup("One <b>")
        assert " style=" not in markup
        assert "<b>" not in markup
        assert 'class="chart narrow"' in markup

    def test_a_very_large_drawing_stands_as_an_image(self):
        figure = Drawn("one", "<svg>" + " " * _LARGEST, b"png")
        markup = figure.markup('a "title"')
        assert '<img alt="a &quot;title&quot;" src="data:image/png;base64,cG5n">' in markup

    def test_without_an_outcome_nothing_is_drawn(self):
        result = _result(_figures)
        assert drawn(Result(result.paper, result.item, "skipped")) == []
