"""A canvas for drawings inside a page: text stays text, in any characters.

The settings of matplotlib do not matter here: all threads share them.
"""

from __future__ import annotations

import io
from functools import cache
from typing import Any

from stakes._optional import load

#: What stands for a character without a shape while the room for text is measured.
_WIDE = "M"


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
