"""Where things lie on the page: no label outside its frame or over another, text large enough."""

from __future__ import annotations

import pytest
from browser.journeys import JOURNEYS, binary, customers, text_of

from stakes import evaluate

#: Screens, and paper.
SIZES = {"desk": 1100, "phone": 390, "paper": 688}

LABELS = """() => [...document.querySelectorAll(".chart svg")]
  .filter((svg) => svg.getClientRects().length && !svg.closest("[hidden]"))
  .map((svg) => ({
    key: svg.id, frame: svg.getBoundingClientRect().toJSON(),
    texts: [...svg.querySelectorAll("text")].map((t) => ({
      words: t.textContent, box: t.getBoundingClientRect().toJSON(),
      size: parseFloat(getComputedStyle(t).fontSize) * svg.getBoundingClientRect().width
        / svg.viewBox.baseVal.width,
    })),
  }))"""


PAGES = {
    **{name: (made, {}) for name, made in JOURNEYS.items()},
    "forensic": (binary, {"forensic": True}),
}


@pytest.fixture(scope="module", params=PAGES)
def shown(request):
    made, options = PAGES[request.param]
    return text_of(made, **options)


def apart(one, other):
    """Whether two boxes have no more than a hair in common."""
    return (
        one["right"] <= other["left"] + 0.5
        or other["right"] <= one["left"] + 0.5
        or one["bottom"] <= other["top"] + 0.5
        or other["bottom"] <= one["top"] + 0.5
    )


@pytest.mark.parametrize("size", SIZES)
def test_labels_lie_inside_their_frames_and_over_no_other(opened, shown, size):
    page = opened(shown, viewport={"width": SIZES[size], "height": 900})
    if size == "paper":
        page.tab.emulate_media(media="print")
    charts = page.tab.evaluate(LABELS)
    page.tab.emulate_media(media="screen")
    for chart in charts:
        frame, texts = chart["frame"], chart["texts"]
        assert texts
        for at, text in enumerate(texts):
            box = text["box"]
            said = (chart["key"], text["words"])
            assert box["left"] >= frame["left"] - 1, said
            assert box["right"] <= frame["right"] + 1, said
            assert box["top"] >= frame["top"] - 1, said
            assert box["bottom"] <= frame["bottom"] + 1, said
            for other in texts[at + 1 :]:
                assert apart(box, other["box"]), (*said, other["words"])


def test_text_can_be_read_on_a_phone(opened, shown):
    page = opened(shown, viewport={"width": 390, "height": 900})
    page.tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for chart in page.tab.evaluate(LABELS):
        assert min(text["size"] for text in chart["texts"]) >= 11, chart["key"]
    sizes = page.tab.evaluate(
        """[...document.querySelectorAll("main *:not(svg *)")]
        .filter((e) => e.getClientRects().length
          && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
        .map((e) => [parseFloat(getComputedStyle(e).fontSize), e.textContent.slice(0, 40)])"""
    )
    assert min(sizes)[0] >= 11, min(sizes)


def test_every_chart_says_what_its_lines_are(opened, shown):
    page = opened(shown)
    keys = page.tab.evaluate(
        """[...document.querySelectorAll("figure:has(.chart)")].map((f) => [f.id,
        [...f.querySelectorAll(".key li")].map((li) => li.textContent.trim())])"""
    )
    names = page.tab.evaluate("JSON.parse(document.getElementById('numbers').textContent).names")
    known = {*names, *(name.partition(",")[0] for name in names)}  # a model, where its rules agree
    for figure, said in keys:
        assert set(said) & known, figure


def test_every_chart_can_be_read_out(opened, shown):
    page = opened(shown)
    for key in page.tab.evaluate(
        "[...document.querySelectorAll('.chart svg')].filter((s) => s.getClientRects().length)"
        ".map((s) => s.id.slice(6))"
    ):
        svg = page.tab.locator(f"#chart-{key}")
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        read = ""
        for u in range(3, 9):  # some way along the picture there is a curve
            for v in range(2, 9):
                page.tab.mouse.move(
                    box["x"] + u * box["width"] / 10, box["y"] + v * box["height"] / 10
                )
                read = read or page.text(f"#{key}-reading")
        assert read, key


def test_a_model_has_its_colour_in_every_chart(opened):
    """A model that only decides stands first, and has no curve in some of the charts."""
    y, models = customers()
    given = {"clerk": (models["rules"] > 0.2).astype(int), "gbm": models["gbm"]}
    page = opened(evaluate(y, given, application=binary().application, rng=0).to_html())
    lines = {"decision": "benefit", "det": "det", "reliability": "reliability", "bayes": "actual"}
    for key, line in lines.items():
        colour = page.tab.evaluate(
            "([key, line]) => document.querySelector(`#chart-${key} #${key}-${line}-m1 path`)"
            ".getAttribute('stroke')",
            [key, line],
        )
        assert colour == "#d55e00", key
