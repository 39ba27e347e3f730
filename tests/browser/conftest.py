"""A real browser for the tests of the page; without one they skip, with the line to type."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Opened:
    """A page in a tab, with what it asked for and complained of."""

    tab: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def number(self, identity: str) -> float:
        """The exact number behind a cell."""
        return float(self.tab.get_attribute(f"#{identity}", "data-value"))

    def numbers(self, identity: str) -> list[float]:
        """Several exact numbers behind a cell."""
        return [
            float(part) for part in self.tab.get_attribute(f"#{identity}", "data-value").split()
        ]

    def values(self) -> dict[str, str]:
        """The numbers behind all cells, by their names."""
        found: dict[str, str] = self.tab.evaluate(
            "Object.fromEntries([...document.querySelectorAll('[data-value]')]"
            ".map((cell) => [cell.id, cell.dataset.value]))"
        )
        return found

    def typed(self, entries: dict[str, str]) -> None:
        """Numbers typed into many boxes, then one input event."""
        self.tab.evaluate(
            "(entries) => { for (const [id, text] of Object.entries(entries))"
            " { document.getElementById(id).value = text; }"
            " const [first] = Object.keys(entries);"
            " document.getElementById(first).dispatchEvent(new Event('input')); }",
            entries,
        )

    def text(self, selector: str) -> str:
        """What is shown, with plain spaces."""
        return " ".join(self.tab.text_content(selector).split())

    def place(self, chart: str, x: float, y: float) -> dict[str, float]:
        """Where a point of the data lies in a drawing, in pixels from its corner."""
        found: dict[str, float] = self.tab.evaluate(
            "([key, x, y]) => { const svg = document.getElementById(`chart-${key}`);"
            " svg.scrollIntoView({ block: 'center' });"
            " const { scales } = JSON.parse(document.getElementById('numbers').textContent);"
            " const [a, b, c, d] = scales[key]; const box = svg.getBoundingClientRect();"
            " const pixel = box.width / svg.viewBox.baseVal.width;"
            " return { x: (a + b * x) * pixel, y: (c + d * y) * pixel }; }",
            [chart, x, y],
        )
        return found

    def point(self, chart: str, x: float, y: float) -> None:
        """Move the pointer to a point of the data in a drawing."""
        place = self.place(chart, x, y)
        box = self.tab.query_selector(f"#chart-{chart}").bounding_box()
        self.tab.mouse.move(box["x"] + place["x"], box["y"] + place["y"])

    def slide(self, **stops: Any) -> None:
        """Move sliders and type into fields, as an input event each."""
        for name, value in stops.items():
            self.tab.fill(f"#{name}", str(value))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, started once."""
    found = next(
        (p for n in ("chromium", "google-chrome", "chrome") if (p := shutil.which(n))), None
    )
    if found is None:
        pytest.skip("no Chromium: apt-get install chromium")
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="needs Playwright: pip install 'stakes[browser]'"
    )
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def tabs(browser: Any) -> Callable[..., Any]:
    """A function that lends tabs by the options of their context: starting one takes longest."""
    idle: dict[str, list[Any]] = {}

    @contextmanager
    def lent(**options: Any) -> Iterator[Any]:
        waiting = idle.setdefault(repr(sorted(options.items())), [])
        tab = waiting.pop() if waiting else browser.new_context(**options).new_page()
        yield tab
        tab.mouse.move(0, 0)
        tab.goto("about:blank")
        waiting.append(tab)

    return lent


@pytest.fixture
def opened(tabs: Callable[..., Any], tmp_path: Any) -> Iterator[Callable[..., Opened]]:
    """A function from the text of a page, and options of the context, to the page in a tab."""
    with ExitStack() as stack:
        shown = count()

        def open_page(text: str, **options: Any) -> Opened:
            path = tmp_path / f"page-{next(shown)}.html"
            path.write_text(text, encoding="utf-8")
            options = {"viewport": {"width": 1100, "height": 900}, **options}
            made = Opened(stack.enter_context(tabs(**options)))
            for event, heard in (
                ("request", lambda request: made.requests.append(request.url)),
                ("console", lambda message: made.complaints.append(message.text)),
                ("pageerror", lambda error: made.complaints.append(str(error))),
            ):
                made.tab.on(event, heard)
                stack.callback(made.tab.remove_listener, event, heard)
            made.tab.goto(path.as_uri())
            return made

        yield open_page
