"""Photograph ten states of the report page, in a real browser, from made-up data.

python docs/gallery/screenshots.py [folder] [state ...]
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from stakes import Application, CostMatrix, evaluate
from stakes.application import CaseCosts

CHURN = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
PETS = CostMatrix(
    [[0, 1, 20, 2], [1, 0, 20, 2], [30, 30, 0, 2]],
    classes=["cat", "dog", "fox"],
    decisions=["cat", "dog", "fox", "ask a person"],
)
LENDING = CostMatrix([[0, 1], [1, 0]], classes=["repaid", "default"], decisions=["lend", "refuse"])


@cache
def customers(
    strengths: tuple[tuple[str, float, float], ...] = (
        ("gbm_v3", 2.6, 1.7), ("logreg", 1.9, 1.0), ("scorecard", 1.6, 1.0),
    ),
    n: int = 20_000,
    common: float = 0.9,
) -> tuple[Any, dict[str, Any]]:  # fmt: skip
    """Who left, and what models said of it: by name, how strong and how over-confident."""
    rng, share = np.random.default_rng(1), 0.078
    y = (rng.random(n) < share).astype(int)
    shared = rng.normal(size=n)
    said = {}
    for name, gap, stretch in strengths:
        own = np.sqrt(1 - common**2) * rng.normal(size=n)
        llr = gap * (common * shared + own) + gap**2 * (y - 0.5)
        said[name] = 1 / (1 + np.exp(-stretch * (llr + np.log(share / (1 - share)))))
    return y, said


def churn(y: Any, said: Any, **more: Any) -> Any:
    """What it costs to lose customers, or to call those who stay."""
    app = Application(CHURN, unit="EUR", volume=250_000, period="year")
    return evaluate(y, said, application=app, rng=0, **more)


def binary() -> Any:
    """Three models of one outcome."""
    return churn(*customers())


def many_models() -> Any:
    """Nine models."""
    gaps = np.linspace(2.6, 1.0, 9)
    named = tuple((f"candidate_{k + 1:02}", float(g), 1.0 + (k % 3) * 0.3)
                  for k, g in enumerate(gaps))  # fmt: skip
    return churn(*customers(named, n=8000))


def undecided() -> Any:
    """Two models that nearly cost the same, on few cases."""
    return churn(*customers((("score_rf", 2.2, 1.0), ("score_lr", 2.15, 1.0)), n=2500))


def weighted() -> Any:
    """Cases that count differently."""
    y, said = customers(n=1500)
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    return churn(y, said, sample_weight=weights)


def sliced() -> Any:
    """The same, by region."""
    y, said = customers(n=8000)
    names = np.array(["north", "east", "south", "west"])
    region = names[np.random.default_rng(0).integers(0, 4, size=len(y))]
    return churn(y, said, by=region)


def multi_class() -> Any:
    """Three outcomes, and asking a person."""
    rng, shares = np.random.default_rng(5), np.array([0.5, 0.4, 0.1])
    y = rng.choice(3, size=4000, p=shares)
    x = rng.normal(size=(len(y), 3)) + 1.6 * np.eye(3)[y]
    said = {}
    for name, scale in (("net", 1.6), ("tree", 0.8)):
        weight = np.exp(scale * x + np.log(shares))
        said[name] = weight / weight.sum(axis=1, keepdims=True)
    return evaluate(y, said, application=Application(PETS, unit="EUR"), rng=0)


def per_case() -> Any:
    """Loans, each with an amount of its own."""
    y, said = customers(n=6000)
    amounts = np.random.default_rng(0).lognormal(8, 1, size=len(y))
    costs = CaseCosts.binary(
        false_negative=0.75 * amounts, false_positive=0.05 * amounts + 20,
        classes=LENDING.classes, decisions=LENDING.decisions,
    )  # fmt: skip
    app = Application(LENDING, unit="EUR", volume=1000, period="month")
    chosen = {"gbm_v3": said["gbm_v3"], "clerk": (said["scorecard"] > 0.15).astype(int)}
    return evaluate(y, chosen, application=app, case_costs=costs, rng=0)


#: By name: the evaluation, options of its page, and of the browser.
STATES: dict[str, tuple[Callable[[], Any], dict[str, Any], dict[str, Any]]] = {
    "binary": (binary, {}, {}),
    "multi-class": (multi_class, {}, {}),
    "per-case": (per_case, {"costliest_cases": 5}, {}),
    "many-models": (many_models, {}, {}),
    "undecided": (undecided, {}, {}),
    "weighted": (weighted, {}, {}),
    "sliced": (sliced, {}, {}),
    "dark": (binary, {}, {"color_scheme": "dark"}),
    "phone": (binary, {}, {"viewport": {"width": 390, "height": 800}}),
    "print": (binary, {}, {"viewport": {"width": 688, "height": 1017}}),  # A4 without margins
}


def page_of(state: str) -> str:
    """The page in a state."""
    made, options, _ = STATES[state]
    command = (
        "stakes eval churn-2025Q3.csv --label churned --cost fn=40 fp=4 --unit EUR "
        "--volume 250000/year --html report.html"
    )
    facts = {"source": "churn-2025Q3.csv", "command": command} if made is binary else {}
    text: str = made().to_html(facts={**facts, "made": "2025-11-15"}, **options)
    return text


def photograph(browser: Any, page: Path, state: str) -> bytes:
    """The whole page as a PNG of few colours."""
    from PIL import Image, ImageOps

    options = {"viewport": {"width": 1100, "height": 900}, **STATES[state][2]}
    context = browser.new_context(**options)
    tab = context.new_page()
    if state == "print":
        tab.emulate_media(media="print")
    tab.goto(page.as_uri())
    taken = tab.screenshot(full_page=True)
    context.close()
    whole, stream = Image.open(io.BytesIO(taken)).convert("RGB"), io.BytesIO()
    if state == "print":  # the margins of the paper
        whole = ImageOps.expand(whole, 53, "white")
    small = whole.quantize(128, method=Image.Quantize.FASTOCTREE)
    small.save(stream, "PNG", optimize=True)
    return stream.getvalue()


def main(folder: Path, *states: str) -> None:
    """Write one picture per state."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if found is None:
        raise SystemExit("no Chromium: apt-get install chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as made:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        texts: dict[Any, str] = {}
        for state in states or STATES:
            key = STATES[state][0]
            texts[key] = texts.get(key) or page_of(state)
            page = Path(made) / f"{state}.html"
            page.write_text(texts[key], encoding="utf-8")
            (folder / f"{state}.png").write_bytes(photograph(browser, page, state))
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "page", *sys.argv[2:])
