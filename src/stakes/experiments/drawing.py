"""Figures of several panels, in the style of `stakes.plots`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "mark", "panels"]

#: Told apart by people who see few colours; the page knows how to darken or lighten them.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def panels(
    rows: int, columns: int, *, width: float = 3.6, height: float = 3.2, **shared: Any
) -> tuple[Figure, list[Any]]:
    """A new figure and its axes in reading order."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **shared)
    return figure, list(axes.ravel())


def mark(ax: Any, place: float, label: str = "", *, color: str = "#767676") -> None:
    """A dashed vertical line at a place of the abscissa."""
    ax.axvline(place, color=color, linewidth=1.0, linestyle=(0, (4, 3)), label=label or None)
