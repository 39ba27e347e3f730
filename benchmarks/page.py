"""The page of an evaluation: its size, how long it takes to build, and to be ready in Chromium.

Bars: at most 600 kB for 5 models and 10^6 rows, built in at most 2 s of processor time after the
rows were reduced, ready in at most 400 ms. Two baselines say how loaded the machine is: sorting
10^6 numbers, and an empty page in the same browser.

    python benchmarks/page.py [--small]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import heading

from stakes import Application, CostMatrix, evaluate
from stakes.report.live import two_classes as live
from stakes.report.live.two_class_stops import grid_of

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def models(n: int, count: int, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels, and posteriors of models of falling quality that err together."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.08).astype(int)
    common, odds, made = rng.normal(size=n), np.log(0.08 / 0.92), {}
    for k in range(count):
        gap = 2.6 - 0.3 * k
        llr = gap * (0.85 * common + 0.53 * rng.normal(size=n)) + gap**2 * (y - 0.5)
        made[f"model {k}"] = 1 / (1 + np.exp(-(1.5 if k == 0 else 1.0) * (llr + odds)))
    return y, made


def processor(fn) -> tuple[float, object]:
    start = time.process_time()
    value = fn()
    return time.process_time() - start, value


def ready(page: str, repeat: int = 7) -> tuple[float, float]:
    """Milliseconds from navigation until the script is done: the page, and an empty page."""
    from playwright.sync_api import sync_playwright

    clock = (
        "(() => { const n = performance.getEntriesByType('navigation')[0];"
        " return n.domContentLoadedEventEnd - n.startTime; })()"
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        found = []
        for name, text in (("page", page), ("empty", "<!DOCTYPE html><title>.</title>")):
            path = Path(folder) / f"{name}.html"
            path.write_text(text, encoding="utf-8")
            times = []
            for _ in range(repeat):
                tab = browser.new_page()
                tab.goto(path.as_uri())
                times.append(tab.evaluate(clock))
                tab.close()
            found.append(min(times))
        browser.close()
    return found[0], found[1]


def main() -> None:
    n, count = (20_000, 3) if "--small" in sys.argv else (1_000_000, 5)
    y, said = models(n, count)
    costs = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
    ev = evaluate(y, said, application=Application(costs, unit="EUR", volume=250_000), rng=0)
    sort, _ = processor(lambda: np.sort(np.random.default_rng(0).random(10**6)))
    reduce, _ = processor(lambda: live.Live(ev, grid_of(ev.application)))
    for one in ev.sources.judged:  # curves read these; they are counted once per evaluation
        _ = one.scores.hull, one.scores.levels
    ev.to_html()  # imports and fonts
    whole, page = processor(ev.to_html)
    print(heading(f"the page, {count} models, N = {n}"))
    size = len(page.encode()) / 1000
    built = whole - reduce
    print(
        f"size                     {size:8.0f} kB   {'ok' if size <= 600 else 'MISSED'} <= 600 kB"
    )
    print(f"reduced to the stops     {reduce:8.2f} s    {reduce / sort:.1f} sorts of 10^6 numbers")
    print(f"built after that         {built:8.2f} s    {'ok' if built <= 2 else 'MISSED'} <= 2 s")
    try:
        shown, empty = ready(page)
    except ImportError:
        print("ready: not measured, needs Playwright: pip install 'stakes[browser]'")
        return
    verdict = "ok" if shown <= 400 else "MISSED"
    print(f"ready                    {shown:8.0f} ms   {verdict} <= 400 ms (empty: {empty:.0f} ms)")


if __name__ == "__main__":
    main()
