"""Panels of rank correlations over the share of positives and the cost ratio."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.experiments.drawing import DPI
from stakes.experiments.wa2025.case_costs import GRID
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["heat_maps"]

#: Red for opposite orders, blue for equal ones: told apart with any kind of colour vision.
MAP = "RdBu"
#: Size of the numbers in the cells, in points.
FONT = 4.8


def heat_maps(
    maps: Mapping[str, FloatArray], title: str, *, columns: int = 5, width: float = 2.35
) -> Figure:
    """One panel per entry, rows cost ratios from below; each cell printed in tenths."""
    from matplotlib.figure import Figure

    rows = -(-len(maps) // columns)
    # Fixed margins: to fit them takes most of the time with so many panels.
    across, up = width * columns, width * 0.88 * rows + 1.5
    figure = Figure(figsize=(across, up), dpi=DPI)
    margins = {"left": 0.5 / across, "right": 1 - 0.05 / across, "bottom": 1.0 / up,
               "top": 1 - 0.55 / up, "wspace": 0.06, "hspace": 0.16}  # fmt: skip
    axes = figure.subplots(rows, columns, squeeze=False, gridspec_kw=margins).ravel()
    drawn: Any = None
    for place, (name, values) in enumerate(maps.items()):
        drawn = _panel(axes[place], name, values)
        _ticks(axes[place], below=place // columns == rows - 1, left=place % columns == 0)
    for ax in axes[len(maps) :]:
        ax.set_visible(False)
    figure.text(0.12 / across, 1 - 0.12 / up, title, fontsize=11, va="top")
    bar = figure.colorbar(drawn, cax=figure.add_axes((0.3, 0.42 / up, 0.4, 0.1 / up)),
                          orientation="horizontal")  # fmt: skip
    bar.set_label("mean rank correlation with minus the total cost (in cells: tenths)", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    bar.ax.grid(visible=False)
    return figure


def _ticks(ax: Any, *, below: bool, left: bool) -> None:
    """Numbers and words at the outer panels only."""
    shown, places = [f"{value:g}" for value in GRID], range(len(GRID))
    ax.set_xticks(places, shown if below else [])
    ax.set_yticks(places, shown if left else [])
    ax.tick_params(labelsize=6, length=2, axis="x", rotation=90)
    ax.tick_params(labelsize=6, length=2, axis="y")
    if below:
        ax.set_xlabel("share of positives r+", fontsize=7)
    if left:
        ax.set_ylabel("cost ratio r_C", fontsize=7)


def _panel(ax: Any, name: str, values: FloatArray) -> Any:
    """One panel; cells without costs stay grey."""
    ax.set_facecolor("#cfcfcf")
    ax.grid(visible=False)
    drawn = ax.imshow(values, origin="lower", cmap=MAP, vmin=-1, vmax=1, aspect="auto")
    tenths = np.round(10 * values)
    for number in np.unique(tenths[np.isfinite(tenths)]):
        i, j = np.nonzero(tenths == number)
        shape, size = _digits(f"{number + 0:.0f}")
        ink = "#fafafa" if abs(number) > 7 else "#222222"  # a page hides pure white
        ax.plot(j, i, linestyle="none", marker=shape, markersize=size, color=ink,
                markeredgewidth=0, scalex=False, scaley=False)  # fmt: skip
    ax.set_title(name, fontsize=9, loc="left", pad=3)
    return drawn


@cache
def _digits(text: str) -> tuple[Any, float]:
    """A number as a marker, and its size: drawn for many cells at once, unlike text."""
    from matplotlib.path import Path
    from matplotlib.textpath import TextPath

    outline = TextPath((0, 0), text, size=1)
    corners = np.asarray(outline.vertices)
    centred = corners - (corners.min(axis=0) + corners.max(axis=0)) / 2
    return Path(centred, outline.codes), float(2 * np.abs(centred).max() * FONT)
