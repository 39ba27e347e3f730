"""What the figures of papers are drawn with, in the style of `stakes.plots`."""

from __future__ import annotations

from typing import Any

from stakes.plots.style import COLOURS, DPI, LEGEND, LINE, TITLE, panels

__all__ = ["COLOURS", "DPI", "LEGEND", "LINE", "TITLE", "mark", "panels"]


def mark(ax: Any, place: float, label: str = "", *, color: str = "#767676") -> None:
    """A dashed vertical line at a place of the abscissa."""
    ax.axvline(place, color=color, linewidth=1.0, linestyle=(0, (4, 3)), label=label or None)
