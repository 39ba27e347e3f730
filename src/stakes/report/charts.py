"""Drawings and symbols inside a page: SVG whose text stays text and whose colours follow the
page's theme.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from stakes._optional import load
from stakes.plots.style import Pen, pen, unmoved
from stakes.report.markup import Html

#: What stands for a character without a shape while the room for text is measured.
_WIDE = "M"
#: Sizes of text, narrow and wide, that stay readable on a telephone.
_TEXT = (11.0, 12.5)


def svg_of(figure: Any) -> str:
    """The figure as SVG, laid out once and then left without a layout engine."""
    renderer_class, canvas_class = _classes()
    resolution, figure.dpi = figure.dpi, 72
    canvas_class(figure)
    if figure.get_layout_engine() is not None:
        figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    stream = io.StringIO()
    width, height = figure.get_size_inches()
    mixed = load("matplotlib.backends.backend_mixed", extra="plots").MixedModeRenderer
    vector = renderer_class(
        72 * width, 72 * height, stream, image_dpi=resolution, metadata={"Date": None}
    )
    renderer = mixed(figure, width, height, resolution, vector)  # some of it may be an image
    figure.draw(renderer)
    renderer.finalize()
    return stream.getvalue()


@cache
def _classes() -> tuple[Any, Any]:
    """The renderer, and a canvas that measures with it."""
    backend = load("matplotlib.backends.backend_svg", extra="plots")

    class Renderer(backend.RendererSVG):  # type: ignore[misc, name-defined]
        """Writes text as text, and measures characters that the font lacks."""

        def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
            gc.set_sketch_params()
            long = path.codes is None and len(path.vertices) >= 128
            path = type(path)(path.vertices, path.codes, path._interpolation_steps)
            path.should_simplify, path.simplify_threshold = long, 1 / 9
            super().draw_path(gc, path, transform, rgbFace)

        def draw_text(
            self, gc: Any, x: Any, y: Any, s: Any, prop: Any, angle: Any,
            ismath: Any = False, mtext: Any = None,
        ) -> None:  # fmt: skip
            clip = self._get_clip_attrs(gc)
            if clip:
                self.writer.start("g", **clip)
            self._draw_text_as_text(gc, x, y, s, _font(prop), angle, ismath, mtext)
            if clip:
                self.writer.end("g")

        def get_text_width_height_descent(self, s: Any, prop: Any, ismath: Any) -> Any:
            font = _font(prop)
            return super().get_text_width_height_descent(_shaped(s, font), font, ismath)

    class Canvas(backend.FigureCanvasSVG):  # type: ignore[misc, name-defined]
        """Lays out by the sizes that are drawn."""

        def get_renderer(self) -> Any:
            width, height = 72 * self.figure.get_size_inches()
            return Renderer(width, height, io.StringIO(), image_dpi=72)

    return Renderer, Canvas


def _font(asked: Any) -> Any:
    """The font that comes with matplotlib, upright, in the size asked for: pages have their own."""
    fonts = load("matplotlib.font_manager", extra="plots")
    return fonts.FontProperties(
        family="DejaVu Sans", style="normal", variant="normal", weight="normal", stretch="normal",
        size=asked.get_size_in_points(),
    )  # fmt: skip


def _shaped(text: str, font: Any) -> str:
    """The text with a wide letter for every character that the measuring font lacks."""
    fonts = load("matplotlib.font_manager", extra="plots")
    shapes = fonts.get_font(fonts.findfont(font))
    return "".join(c if shapes.get_char_index(ord(c)) else _WIDE for c in text)


_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
#: A tag below the outermost one; words, and the label of the drawing, are outside these.
_TAG = re.compile(r"<(?!svg\b)[^>]*>")
#: The path of a curve, for which a tenth of a point will do.
_LONG_PATH = re.compile(r' d="[^"]{400,}"')
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_COUNTED = re.compile(r"[A-Za-z0-9.]+_\d+")
_REFERENCE = re.compile(r"(?:^|url\()#([^)]+)")
_GAP = re.compile(r">\s+<")
_FONT_SIZE = re.compile(r"([\d.]+)px")
ET.register_namespace("", _SVG)
ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")


@dataclass(frozen=True, slots=True)
class Chart:
    """One drawing: its markup, what it shows in words, and where data lie in it.

    `scale` maps a point (x, y) of the axes to (a + b x, c + d y) of the drawing. `models` are the
    positions of those drawn, `left_out` of those that would have been too many. `caption` is said
    below it, where it depends on the data.
    """

    key: str
    svg: str
    scale: tuple[float, float, float, float]
    models: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    caption: str = ""


def finished(
    ax: Any, key: str, label: str, models: Iterable[str], *, x: str = "", y: str = ""
) -> Chart:
    """The drawing of some axes without legend, with words for the page along its axes."""
    if x:
        ax.set_xlabel(x)
    if y:
        ax.set_ylabel(y)
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    ax.set_title("", loc="left")
    for text in (*ax.texts, ax.xaxis.label, ax.yaxis.label):
        text.set_parse_math(False)
    drawn = inline(ax, key, label, text=_TEXT[int(ax.figure.get_figwidth() > 5)])
    return replace(drawn, models=tuple(int(name[1:]) for name in models))


def inline(ax: Any, key: str, label: str, *, text: float | None = None) -> Chart:
    """The figure of some axes as markup that needs no style attribute and no script.

    Colours stay as attributes, so that the drawing can be taken out of the page, and become
    classes too, so that the page's style sheet can replace them. With a size of all `text`, room
    is kept for that, and the style sheet may make it smaller where the drawing is shown larger.
    """
    figure = ax.figure
    figure.patch.set_visible(False)
    unmoved(ax)
    if text is not None:
        ax.tick_params(labelsize=text, pad=5)
        for each in (ax.xaxis.label, ax.yaxis.label, *ax.texts):
            each.set_size(text)
        for legend in filter(None, (ax.get_legend(), *figure.legends)):
            for each in legend.get_texts():
                each.set_size(text)
    for line in ax.get_lines():  # a curve of very few cases may have no point to mark
        if not np.isfinite(np.asarray(line.get_xydata(), dtype=float)).all(axis=1).any():
            line.set_markevery(None)
    root = ET.fromstring(svg_of(figure))
    _cleaned(root, key)
    for name in ("width", "height", "id"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", label)
    root.set("id", f"chart-{key}")
    root.set("stroke-linejoin", "round")
    root.set("class", "wide" if figure.get_figwidth() > 5 else "narrow")
    written = _GAP.sub("><", ET.tostring(root, encoding="unicode"))
    written = _TAG.sub(lambda tag: _rounded(tag[0], 2), written)
    short = _LONG_PATH.sub(lambda path: _in_steps(path[0]), written)
    return Chart(key, short, _scale(ax))


def _in_steps(path: str) -> str:
    """A long path in tenths of a point: of straight lines, steps from one point to the next.

    That is half as long as the points themselves.
    """
    found = _COMMAND.findall(path[4:-1])
    if {letter for letter, _ in found} - set("MLz"):
        return _rounded(path, 1)
    written, here, start, line = "", (0, 0), (0, 0), False
    for letter, numbers in found:
        if letter == "z":
            written, here, line = f"{written}z", start, False
            continue
        x, y = (round(10 * float(number)) for number in numbers.split())
        if letter == "M":
            written, start, line = f"{written}M{_tenths(x)} {_tenths(y)}", (x, y), False
        elif (x, y) != here:
            step = f"{_tenths(x - here[0])} {_tenths(y - here[1])}"
            joint = "l" if not line else "" if step.startswith("-") else " "
            written, line = f"{written}{joint}{step.replace(' -', '-')}", True
        here = x, y
    return f' d="{written}"'


def _tenths(number: int) -> str:
    """A number of tenths as SVG reads it, in the fewest characters."""
    text = f"{abs(number) / 10:.1f}".removesuffix(".0")
    return f"{'-' if number < 0 else ''}{text.removeprefix('0') or '0'}"


def _rounded(text: str, digits: int) -> str:
    """The text with fewer digits in its numbers."""
    return _NUMBER.sub(lambda found: f"{float(found[0]):.{digits}f}".rstrip("0").rstrip("."), text)


def _scale(ax: Any) -> tuple[float, float, float, float]:
    """How data coordinates become those of the drawing, whose y points down."""
    shrink = 72 / ax.figure.dpi
    height = ax.figure.get_figheight() * 72
    box = ax.get_window_extent()
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    b = shrink * box.width / (x1 - x0)
    d = -shrink * box.height / (y1 - y0)
    scale = shrink * box.x0 - b * x0, b, height - shrink * box.y0 - d * y0, d
    return tuple(float(part) for part in scale)  # type: ignore[return-value]


def _cleaned(root: ET.Element, key: str) -> None:
    """Names of its own, attributes instead of styles, classes for colours, nothing else."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    seen: set[str] = set()
    numbers = _numbers(root)
    for node in root.iter():
        name = node.attrib.get("id", "")
        if name in seen or _COUNTED.fullmatch(name):  # said before, or by nobody referred to
            node.attrib.pop("id", None)
        seen.add(name)
        for name in ("id", _LINK, "clip-path"):
            if name in node.attrib:
                node.set(name, _renamed(node.attrib[name], key, numbers))
        _styled(node)
        if node.attrib.get("fill", "").startswith("url("):
            node.set("fill", _renamed(node.attrib["fill"], key, numbers))


def _numbers(root: ET.Element) -> dict[str, str]:
    """Numbers for definitions and images, which matplotlib names at random."""
    drawn = [each for part in root.iter(f"{{{_SVG}}}defs") for each in part.iter()]
    named = [node.attrib.get("id") for node in (*drawn, *root.iter(f"{{{_SVG}}}image"))]
    return {name: str(k) for k, name in enumerate(dict.fromkeys(named)) if name is not None}


def _renamed(value: str, key: str, numbers: dict[str, str]) -> str:
    """A name that no other drawing of the page has; an image inside a drawing has none."""
    if value.startswith("data:"):
        return value
    found = _REFERENCE.search(value)
    if found is None:
        return f"{key}-{numbers.get(value, value)}"
    return value.replace(f"#{found[1]}", f"#{key}-{numbers.get(found[1], found[1])}")


def _styled(node: ET.Element) -> None:
    """Presentation attributes for what stood in a style attribute."""
    classes = []
    for part in node.attrib.pop("style", "").split(";"):
        name, _, value = (text.strip() for text in part.partition(":"))
        if name == "font":
            size = _FONT_SIZE.search(value)
            node.set("font-size", size[1] if size else "10")
        elif name and name not in ("font-family", "-inkscape-font-specification"):
            node.set(name, value)
    for name in ("fill", "stroke"):
        value = node.attrib.get(name, "")
        if value.startswith("#"):
            classes.append(f"{name[0]}-{value[1:].lower()}")
    if classes:
        node.set("class", " ".join(classes))


_SHAPES = {
    "o": "M -4.2 0 a 4.2 4.2 0 1 0 8.4 0 a 4.2 4.2 0 1 0 -8.4 0 z",
    "^": "M 0 -5 L 5 4 L -5 4 z",
    "s": "M -4 -4 H 4 V 4 H -4 z",
    "D": "M 0 -5.2 L 5.2 0 L 0 5.2 L -5.2 0 z",
}


def _marker(drawn: Pen, *, place: str = "", name: str = "") -> str:
    """A model's symbol."""
    identity = f' id="{name}"' if name else ""
    moved = f' transform="translate({place})"' if place else ' visibility="hidden"'
    colour = drawn.color.lower()
    look = f'fill="{colour}" class="f-{colour[1:]}"'
    if drawn.hollow:
        look = f'fill="#ffffff" stroke="{colour}" stroke-width="1.2" class="hollow s-{colour[1:]}"'
    return f'<path{identity} d="{_SHAPES[drawn.marker]}" {look}{moved}/>'


def line_swatch(look: str) -> Html:
    """A line that is no model's, or every model's: "dashed", "grey" or "pale"."""
    colour, width = ("767676", 1.2) if look == "grey" else ("000000", 1.4)
    more = {"dashed": ' stroke-dasharray="5 3"', "pale": ' opacity="0.4"'}.get(look, "")
    return Html(
        '<svg class="swatch" viewBox="0 0 30 12" width="30" height="12" aria-hidden="true">'
        f'<line x1="1" y1="6" x2="29" y2="6" stroke="#{colour}" class="s-{colour}" '
        f'stroke-width="{width}"{more}/></svg>'
    )


def swatch(position: int) -> Html:
    """The line and the symbol of one model."""
    drawn = pen(position)
    colour, width = drawn.color.lower(), 1 if drawn.thin else 2
    return Html(
        '<svg class="swatch" viewBox="0 0 46 12" width="46" height="12" aria-hidden="true">'
        f'<line x1="1" y1="6" x2="31" y2="6" stroke="{colour}" class="s-{colour[1:]}" '
        f'stroke-width="{width}"/>{_marker(drawn, place="40 6")}</svg>'
    )


def cursor(chart: Chart, count: int, *, line: bool) -> str:
    """The chart with a line and a symbol per model that the script moves; hidden until placed."""
    parts = []
    if line:
        parts.append(
            f'<line id="{chart.key}-line" x1="0" x2="0" y1="0" y2="0" stroke="#000000" '
            'class="s-000000" stroke-width="1" visibility="hidden"/>'
        )
    parts += [_marker(pen(k), name=f"{chart.key}-dot-{k}") for k in range(count)
              if k not in chart.left_out]  # fmt: skip
    inner = f'<g class="cursor">{"".join(parts)}</g></svg>'
    return chart.svg.removesuffix("</svg>") + inner
