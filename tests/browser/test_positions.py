"""Boxes, sliders, Reset, links and commands agree about where things stand."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from browser.journeys import binary, by_amount, pets, text_of

#: By journey: a slider, a stop, a number that belongs to it, and how far off it may be.
SLIDERS = {
    "ratio": (binary, 20, 27.2),
    "share": (binary, -14, 5.3),
    "factor": (by_amount, 5, 2.72),
    "abstain": (pets, 3, None),
}


@pytest.mark.parametrize("name", SLIDERS)
def test_box_and_slider_agree(opened, name):
    journey, stop, _ = SLIDERS[name]
    page = opened(text_of(journey))
    stated = page.tab.input_value(f"#{name}-box")
    page.slide(**{name: stop})
    said, verdict = page.tab.input_value(f"#{name}-box"), page.text("#verdict")
    assert said != stated
    assert page.text(f"#{name}-box-was") == f"changed from {stated}"
    page.tab.click("#reset")
    assert page.tab.input_value(f"#{name}-box") == stated
    page.tab.fill(f"#{name}-box", said)  # typing moves the slider to the same stop
    assert page.tab.input_value(f"#{name}") == str(stop)
    assert page.text("#verdict") == verdict
    assert page.complaints == []


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, (_, _, v) in SLIDERS.items() if v])
def test_the_number_in_the_box_is_that_of_the_stop(opened, name, value):
    journey, stop, _ = SLIDERS[name]
    page = opened(text_of(journey))
    page.slide(**{name: stop})
    assert float(page.tab.input_value(f"#{name}-box")) == pytest.approx(value, rel=0.02)


def test_a_typed_number_goes_to_the_nearest_stop_and_nonsense_nowhere(opened):
    page = opened(text_of(binary))
    page.tab.fill("#ratio-box", "12")
    assert page.tab.input_value("#ratio-box") == "12"  # while it is being typed
    page.tab.press("#ratio-box", "Enter")
    assert page.tab.input_value("#ratio") == "4"  # ln 1.2 is nearest to 4 steps of 0.05
    assert page.tab.input_value("#ratio-box") == "12.2"
    for nonsense in ("-3", "0", ""):
        page.tab.fill("#ratio-box", nonsense)
        page.tab.press("#ratio-box", "Enter")
        assert page.tab.input_value("#ratio") == "4"
        assert page.tab.input_value("#ratio-box") == "12.2"


@pytest.mark.parametrize("journey", [binary, by_amount, pets])
def test_reset_gives_the_stated_page_back(opened, journey):
    page = opened(text_of(journey))
    look = "document.querySelector('main').innerText"
    stated, values = page.tab.evaluate(look), page.values()
    assert not page.tab.is_visible("#reset")
    for slider in page.tab.query_selector_all("input[type=range]"):
        slider.focus()
        page.tab.keyboard.press("ArrowRight")
        page.tab.keyboard.press("ArrowRight")
    page.slide(volume=77)
    assert page.text("#volume-was").startswith("changed from ")
    assert page.tab.evaluate(look) != stated
    page.tab.click("#reset")
    assert page.tab.evaluate(look) == stated
    assert page.values().keys() >= values.keys()
    assert not page.tab.is_visible("#reset")


@pytest.mark.parametrize(
    ("journey", "moved"),
    [(binary, {"ratio": 20, "share": -7, "volume": 900}), (by_amount, {"factor": -3, "share": 2}),
     (pets, {"abstain": 5, "volume": 40}), (pets, {"cost-0-1": 3.5})],
)  # fmt: skip
def test_the_link_leads_to_the_same_place(opened, journey, moved):
    page = opened(text_of(journey))
    page.slide(**moved)
    shown = page.tab.evaluate("document.querySelector('main').innerText")
    link = page.tab.get_attribute("#here", "href")
    address = page.tab.url.partition("#")[0]
    page.tab.goto("about:blank")
    page.tab.goto(address + link)
    assert page.tab.evaluate("document.querySelector('main').innerText") == shown
    assert page.complaints == []


def test_the_link_keeps_the_class_whose_share_moves(opened):
    page = opened(text_of(pets))
    page.tab.select_option("#class", "1")
    page.slide(share=3)
    verdict, box = page.text("#verdict"), page.tab.input_value("#share-box")
    link, address = page.tab.get_attribute("#here", "href"), page.tab.url.partition("#")[0]
    page.tab.goto("about:blank")
    page.tab.goto(address + link)
    assert page.tab.input_value("#class") == "1"
    assert (page.text("#verdict"), page.tab.input_value("#share-box")) == (verdict, box)


@pytest.mark.parametrize("link", ["#ratio=x&share=1e999", "#verdict=3&nothing=1", "#%", "#ratio="])
def test_a_broken_link_is_the_stated_page(opened, link):
    page = opened(text_of(binary))
    stated, address = page.text("#verdict"), page.tab.url
    page.tab.goto("about:blank")
    page.tab.goto(address + link)
    assert page.text("#verdict") == stated
    assert page.complaints == []


def test_the_command_asks_for_the_same_place(opened, tmp_path):
    """A page made by the command line says how to ask it again where the sliders stand."""
    rows = ["y,p,q"]
    for k in range(800):
        truth = k % 5 == 0
        rows.append(f"{truth:d},{(k % 97) / 120 + 0.15 * truth:.3f},{(k % 31) / 40:.3f}")
    (tmp_path / "t.csv").write_text("\n".join(rows), encoding="utf-8")

    def stakes(*words):
        done = subprocess.run([sys.executable, "-m", "stakes", *words], cwd=tmp_path, text=True,
                              capture_output=True, timeout=120, check=True)  # fmt: skip
        return done.stdout

    stakes("eval", "t.csv", "--label", "y", "--scores", "p,q", "--cost", "fn=10", "fp=2", "--html",
           "my.html")  # fmt: skip
    page = opened((tmp_path / "my.html").read_text(encoding="utf-8"))
    page.slide(ratio=9, share=-5)
    command = page.text("#again")
    name = page.tab.url.rpartition("/")[2].partition("#")[0]
    assert command.startswith(f"stakes eval --inquiry {name} --cost fn=")
    words = command.replace(name, "my.html").split()[1:]
    found = json.loads(stakes(*words, "--json"))
    for k, model in enumerate(
        page.tab.evaluate("JSON.parse(document.getElementById('numbers').textContent).names")
    ):
        nec = next(each["nec"] for each in found["models"] if each["name"] == model)
        assert page.number(f"nec-{k}") == pytest.approx(nec, rel=1e-6)


def test_sections_follow_or_say_that_they_do_not(opened):
    page = opened(text_of(pets))
    page.slide(abstain=3)
    for section in page.tab.query_selector_all("section:has(table)"):
        words = section.inner_text()
        title = section.query_selector("h2").inner_text()
        follows = any(t in title for t in ("told us", "The models", "Where the cost comes from"))
        assert follows or "Does not follow the sliders" in words, title
