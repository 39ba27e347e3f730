"""Figures as files: SVG that also stands inside a page, and PNG."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stakes._optional import load
from stakes.experiments.items import no_figures
from stakes.experiments.running import Result
from stakes.report.charts import inline
from stakes.report.markup import Html, element, text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Drawn", "drawn"]

FONT = ' font-family="DejaVu Sans, Verdana, sans-serif"'
#: A drawing with more characters than this stands in the page as an image.
LARGEST = 1_500_000
#: Drawings of less than so many points are not stretched to the width of the page.
NARROW = 560
_WIDTH = re.compile(r'viewBox="0 0 ([\d.]+) ')


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure: its name, and the two files."""

    name: str
    svg: str
    png: bytes

    def markup(self, label: str) -> Html:
        """The figure inside a page."""
        if len(self.svg) <= LARGEST:
            size = _WIDTH.search(self.svg)
            narrow = " narrow" if size and float(size[1]) < NARROW else ""
            return element("div", Html(self.svg.replace(FONT, "", 1)), class_=f"chart{narrow}")
        source = "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")
        image = Html(f'<img alt="{text(label)}" src="{source}">')
        return element("div", image, class_="chart image")


def drawn(result: Result) -> list[Drawn]:
    """The figures of a result; raises `MissingExtraError` without matplotlib."""
    if result.outcome is None or result.item.draw is no_figures:
        return []
    load("matplotlib", extra="plots")
    figures = result.item.draw(result.outcome)
    return [_files(name, figure, result) for name, figure in figures.items()]


def _files(name: str, figure: Figure, result: Result) -> Drawn:
    """Both files of a figure."""
    label = f"{result.item.title}: {name}" if name != result.item.key else result.item.title
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=150, bbox_inches="tight",
                   metadata={"Software": None})  # fmt: skip
    chart = inline(figure.axes[0], f"{result.paper.key}-{name}", label)
    return Drawn(name, chart.svg.replace("<svg ", f"<svg{FONT} ", 1), image.getvalue())
