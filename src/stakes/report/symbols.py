"""Swatches and cursors: how a model looks in the table and on the charts of the page."""

from __future__ import annotations

from stakes.plots.style import Pen, pen
from stakes.report.charts import Chart
from stakes.report.markup import Html

__all__ = ["cursor", "dash", "swatch"]

_SHAPES = {
    "o": "M -4.2 0 a 4.2 4.2 0 1 0 8.4 0 a 4.2 4.2 0 1 0 -8.4 0 z",
    "^": "M 0 -5 L 5 4 L -5 4 z",
    "s": "M -4 -4 H 4 V 4 H -4 z",
    "D": "M 0 -5.2 L 5.2 0 L 0 5.2 L -5.2 0 z",
}


def dash(drawn: Pen) -> str:
    """The dashes of a pen, for SVG; empty when the line is solid."""
    return "" if drawn.dash == "solid" else " ".join(str(part) for part in drawn.dash[1])


def _marker(drawn: Pen, *, place: str = "", name: str = "") -> str:
    """A model's symbol."""
    identity = f' id="{name}"' if name else ""
    moved = f' transform="translate({place})"' if place else ' visibility="hidden"'
    colour = drawn.color.lower()
    return f'<path{identity} d="{_SHAPES[drawn.marker]}" fill="{colour}" class="f-{colour[1:]}"{moved}/>'  # noqa: E501


def swatch(position: int, count: int) -> Html:
    """The line and the symbol of one model."""
    drawn = pen(position, count)
    colour, dashes = drawn.color.lower(), dash(drawn)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return Html(
        '<svg class="swatch" viewBox="0 0 46 12" width="46" height="12" aria-hidden="true">'
        f'<line x1="1" y1="6" x2="31" y2="6" stroke="{colour}" class="s-{colour[1:]}" '
        f'stroke-width="2"{dashed}/>{_marker(drawn, place="40 6")}</svg>'
    )


def cursor(chart: Chart, count: int, *, line: bool) -> str:
    """The chart with a line and a symbol per model that the script moves; hidden until placed."""
    parts = []
    if line:
        parts.append(
            f'<line id="{chart.key}-line" x1="0" x2="0" y1="0" y2="0" stroke="#000000" '
            'class="s-000000" stroke-width="1" stroke-dasharray="2 3" visibility="hidden"/>'
        )
    parts += [_marker(pen(k, count), name=f"{chart.key}-dot-{k}") for k in range(count)]
    inner = f'<g class="cursor">{"".join(parts)}</g></svg>'
    return chart.svg.removesuffix("</svg>") + inner
