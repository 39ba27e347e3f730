"""Panels of rank correlations over the share of positives and the cost ratio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.experiments.drawing import panels
from stakes.experiments.wa2025.case_costs import GRID
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["heat_maps"]

#: Red for opposite orders, blue for equal ones: told apart with any kind of colour vision.
MAP = "RdBu"


def heat_maps(
    maps: Mapping[str, FloatArray], title: str, *, columns: int = 5, width: float = 2.35
) -> Figure:
    """One panel per entry, rows cost ratios from below; each cell printed in tenths."""
    rows = -(-len(maps) // columns)
    figure, axes = panels(rows, columns, width=width, height=width * 0.98)
    drawn: Any = None
    for place, (name, values) in enumerate(maps.items()):
        drawn = _panel(axes[place], name, values)
        _ticks(axes[place], below=place // columns == rows - 1, left=place % columns == 0)
    for ax in axes[len(maps) :]:
        ax.set_visible(False)
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    bar = figure.colorbar(drawn, ax=axes, location="bottom", shrink=0.45, aspect=45, pad=0.01)
    bar.set_label("mean rank correlation with minus the total cost (in cells: tenths)", fontsize=8)
    bar.ax.tick_params(labelsize=7)
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
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            ink = "white" if abs(value) > 0.7 else "#222222"
            tenths = round(10 * float(value)) or 0
            ax.text(j, i, f"{tenths}", ha="center", va="center", fontsize=4.6, color=ink)
    ax.set_title(name, fontsize=9, loc="left", pad=3)
    return drawn
