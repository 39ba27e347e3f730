"""The page in a browser: it loads nothing, runs clean, and can be used by everybody."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from browser.journeys import COSTS, JOURNEYS, binary, customers, decided, pets, text_of

from stakes import Application, CostMatrix, evaluate

HOSTILE = [
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=document.title='taken'>",
    "\"'`><svg/onload=document.title='taken'>",
    "\u202eقيمة \u05d0\u05d1\u05d2",
    "x" * 500,
    "🦊 & <b>fox</b> ${1+1} $\\frac{1}{2}$",
]


@pytest.fixture(scope="module", params=JOURNEYS)
def shown(request):
    """The page of each journey."""
    return text_of(JOURNEYS[request.param], embed_posteriors=True)


def test_loads_nothing_and_complains_of_nothing(opened, shown):
    page = opened(shown)
    assert page.tab.evaluate("document.documentElement.dataset.ready") == "yes"
    for slider in page.tab.query_selector_all("input[type=range]"):
        slider.focus()
        page.tab.keyboard.press("ArrowRight")
    assert page.complaints == []
    assert len(page.requests) == 1  # the file itself


def test_no_sideways_scrolling_on_a_phone(opened, shown):
    page = opened(shown, viewport={"width": 390, "height": 800})
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_readable_without_scripts(opened, shown):
    on, off = opened(shown), opened(shown, java_script_enabled=False)
    assert off.text("#verdict") == on.text("#verdict")
    assert off.text("#nec-0") == on.text("#nec-0")
    assert off.tab.is_visible("#models")
    for entry in off.tab.query_selector_all("input, select"):
        assert entry.is_disabled()  # nothing pretends to work


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The script of axe-core: from STAKES_AXE, a cache, or npm."""
    named = os.environ.get("STAKES_AXE")
    if named:
        return Path(named).read_text(encoding="utf-8")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "stakes-tests"
    kept = cache / "axe.min.js"
    if not kept.exists():
        if shutil.which("npm") is None:
            pytest.skip("needs axe-core: install npm, or set STAKES_AXE to axe.min.js")
        folder = tmp_path_factory.mktemp("axe")
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core@4.10"],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        script = folder / "node_modules" / "axe-core" / "axe.min.js"
        if done.returncode or not script.exists():
            pytest.skip("needs axe-core: npm could not fetch it; set STAKES_AXE to axe.min.js")
        cache.mkdir(parents=True, exist_ok=True)
        shutil.copy(script, kept)
    return kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(opened, shown, axe, scheme):
    page = opened(shown, color_scheme=scheme, bypass_csp=True)
    page.tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.tab.evaluate(axe)
    found = page.tab.evaluate(
        "axe.run().then((r) => r.violations.map((v) => [v.id, v.nodes.map((n) => n.html)]))"
    )
    assert found == []


class TestSliders:
    def test_every_arrow_key_changes_what_is_shown(self, opened):
        page = opened(text_of(binary))
        for name in ("ratio", "share"):
            page.tab.focus(f"#{name}")
            seen = [page.tab.input_value(f"#{name}-box")]
            for _ in range(30):
                page.tab.keyboard.press("ArrowLeft")
                seen.append(page.tab.input_value(f"#{name}-box"))
            assert len(set(seen)) == len(seen)

    def test_a_screen_reader_hears_the_verdict_and_the_value(self, opened):
        page = opened(text_of(binary))
        assert page.tab.get_attribute("#verdict", "aria-live") == "polite"
        page.slide(ratio=20)  # steps of 0.05, so e times as much
        assert page.tab.get_attribute("#ratio", "aria-valuetext") == "27.2 false alarms"

    def test_going_back_gives_the_stated_verdict(self, opened):
        page = opened(text_of(binary))
        stated = page.text("#verdict")
        page.slide(ratio=20)
        assert page.text("#verdict") != stated
        page.slide(ratio=0)
        assert page.text("#verdict") == stated

    def test_the_cheapest_stands_first(self, opened):
        page = opened(text_of(binary))
        page.slide(ratio=92, share=24)
        numbers = page.tab.evaluate(
            "[...document.querySelectorAll('td[id^=nec]')].map((c) => Number(c.dataset.value))"
        )
        assert numbers == sorted(numbers)

    def test_cursor_follows(self, opened):
        page = opened(text_of(binary))
        before = page.tab.get_attribute("#bayes-line", "x1")
        page.slide(ratio=10)
        assert float(page.tab.get_attribute("#bayes-line", "x1")) > float(before)


class TestReading:
    def test_click_on_the_curve_moves_the_slider(self, opened):
        page = opened(text_of(binary))
        page.tab.click("#chart-bayes", position={"x": 150, "y": 150})
        assert page.tab.input_value("#ratio") != "0"


class TestDownloads:
    def test_json_and_csv_are_part_of_the_file(self, opened):
        ev = binary()
        page = opened(text_of(binary))
        links = page.tab.eval_on_selector_all(
            "a[download]", "all => all.map((a) => [a.download, a.href])"
        )
        files = {name: base64.b64decode(url.partition(",")[2]).decode() for name, url in links}
        assert json.loads(files["evaluation.json"])["verdict"]["sentence"] == ev.verdict
        assert files["models.csv"].splitlines()[0].startswith("model,nec,low,high")

    def test_svg(self, opened):
        page = opened(text_of(binary))
        with page.tab.expect_download() as waiting:
            page.tab.click("button[data-chart=bayes]")
        assert waiting.value.suggested_filename == "bayes.svg"
        assert "<svg" in Path(waiting.value.path()).read_text(encoding="utf-8")
        assert page.complaints == []


@pytest.fixture(scope="module")
def named():
    y, models = customers()
    costs = CostMatrix(COSTS.values, classes=HOSTILE[:2], decisions=HOSTILE[2:4])
    said = dict(zip((HOSTILE[0], HOSTILE[4], HOSTILE[5]), models.values(), strict=True))
    app = Application(costs, unit=HOSTILE[5], volume=1000, period=HOSTILE[1])
    ev = evaluate(y, said, application=app, rng=0)
    return ev.to_html(facts={"source": HOSTILE[0], HOSTILE[1]: HOSTILE[2]}, title=HOSTILE[0])


class TestHostileNames:
    def test_shown_as_text(self, opened, named):
        page = opened(named)
        page.slide(ratio=5, share=-3, volume=7)
        page.tab.hover("#chart-det")
        assert page.tab.title() != "taken"
        assert page.complaints == []
        assert len(page.requests) == 1
        shown = page.tab.eval_on_selector_all(
            "#models .name", "all => all.map((n) => n.textContent)"
        )
        assert {HOSTILE[0], HOSTILE[4]} < set(shown)
        assert page.text("h1") == HOSTILE[0]

    def test_long_names_do_not_scroll_sideways(self, opened, named):
        page = opened(named, viewport={"width": 390, "height": 800})
        assert page.tab.evaluate("document.documentElement.scrollWidth") <= 390

    def test_of_many_classes(self, opened):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 4, size=400)
        p = rng.dirichlet(np.ones(4), size=400)
        app = Application(CostMatrix.zero_one(HOSTILE[1:5]))
        page = opened(
            evaluate(y, {HOSTILE[0]: p}, application=app, rng=0).to_html(embed_posteriors=True)
        )
        page.tab.fill("#cost-0-1", "3")
        assert page.tab.title() != "taken"
        assert page.complaints == []


class TestPrivacy:
    def test_no_case_is_inside_unless_asked_for(self):
        text = text_of(pets)
        assert '"posteriors":null' in text
        assert "no rows, no identifiers" in text

    def test_the_page_says_when_there_are(self):
        assert "posteriors and the true classes of 1\u00a0200 cases" in text_of(
            pets, embed_posteriors=True
        )


class TestNotebook:
    def test_sliders_work_in_a_frame_that_can_do_no_harm(self, opened):
        page = opened(f"<!DOCTYPE html><title>notebook</title>{binary()._repr_html_()}")
        frame = page.tab.frames[1]
        before = frame.text_content("#verdict")
        frame.fill("#ratio", "30")
        assert frame.text_content("#verdict") != before
        assert page.tab.text_content("table td") == "gbm"

    def test_every_form_is_offered(self):
        bundle = decided()._repr_mimebundle_()
        assert set(bundle) == {"text/plain", "text/markdown", "text/html"}


def test_printed_page_is_a_pdf(browser, tmp_path):
    binary().to_pdf(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
