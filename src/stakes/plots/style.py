"""Colours, dashes and markers: every system is told apart by more than its colour.

What is drawn says how it looks, piece by piece. The settings of matplotlib belong to the reader and
to all threads, so they are read and never changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stakes._optional import load
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Okabe and Ito's colours, without the yellow that vanishes on paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_DASHES: tuple[Any, ...] = ("solid", (0, (7, 3)), (0, (2, 3)), (0, (9, 3, 2, 3)))
_MARKERS = ("o", "^", "s", "D")
GREY = "#767676"
BAND = 0.13

#: Dots per inch.
DPI = 110
#: Width of a line, and sizes of text, in points.
LINE = 1.8
TITLE, TEXT, SMALL = 11, 10, 9
#: How a legend looks.
LEGEND: dict[str, Any] = {"fontsize": SMALL, "frameon": False, "handlelength": 3.2}


class Pen(NamedTuple):
    """How one system is drawn."""

    color: str
    dash: Any
    marker: str

    def line(self, **changes: Any) -> dict[str, Any]:
        """Keywords for a line with a few markers."""
        keywords: dict[str, Any] = {
            "color": self.color,
            "linestyle": self.dash,
            "linewidth": LINE,
            "marker": self.marker,
            "markersize": 4.5,
            "markevery": 0.12,
        }
        return {**keywords, **changes}


def pen(position: int, count: int) -> Pen:
    """The pen of one system; of more than six, those after the fifth are grey."""
    color = GREY if count > len(COLOURS) and position >= 5 else COLOURS[position % len(COLOURS)]
    return Pen(color, _DASHES[position % len(_DASHES)], _MARKERS[position % len(_MARKERS)])


def penned(systems: Mapping[str, Any]) -> Iterator[tuple[str, Any, Pen]]:
    """Each system by name, with its pen."""
    for k, (name, curve) in enumerate(systems.items()):
        yield name, curve, pen(k, len(systems))


def colours_of(systems: Mapping[str, Any]) -> dict[str, str]:
    """The colour of each system."""
    return {name: drawn.color for name, _, drawn in penned(systems)}


def _styled(ax: Any) -> Any:
    """The same axes with a faint grid, without a box, and with text of our sizes."""
    ax.grid(visible=True, color="#e3e3e3", linewidth=0.6)
    ax.spines[["right", "top"]].set_visible(False)
    ax.tick_params(which="both", labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_size(TEXT)
        axis.offsetText.set_size(SMALL)
    return ax


def axes_of_size(width: float, height: float) -> Any:
    """New axes of a size in inches, in a figure that nobody else knows: nothing stays open."""
    return panels(1, 1, width=width, height=height)[1][0]


def panels(
    rows: int, columns: int, *, width: float = 3.6, height: float = 3.2, **shared: Any
) -> tuple[Figure, list[Any]]:
    """Such a figure of several axes, in reading order, each of a size in inches."""
    made = load("matplotlib.figure", extra="plots").Figure
    size = (width * columns, height * rows)
    figure: Figure = made(figsize=size, dpi=DPI, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **shared)
    return figure, [_styled(ax) for ax in axes.ravel()]


def axes_for(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or new ones that a notebook or `pyplot.show()` shows."""
    if ax is not None:
        return ax
    pyplot = load("matplotlib.pyplot", extra="plots")
    _, made = pyplot.subplots(figsize=size, dpi=DPI, layout="constrained")
    return _styled(made)


def as_systems(curves: Any) -> dict[str, Any]:
    """One curve, or several by name, as a mapping; a single curve has no name."""
    systems = dict(curves) if isinstance(curves, Mapping) else {"": curves}
    for each in systems.values():
        if isinstance(each, (str, list, tuple, np.ndarray, ConfusionMatrix, RankedScores)):
            raise DataError(
                f"a drawing takes the data of a curve; got {type(each).__name__}.",
                hint="compute the curve first:  stakes.plots.roc(stakes.curves.roc(scores))",
            )
    return systems


def shade(ax: Any, low: float, high: float, label: str) -> None:
    """A grey column: the range of applications that is in question."""
    ax.axvspan(low, high, color="#888888", alpha=BAND, linewidth=0, label=label, gid="range")


def draw_bands(ax: Any, bands: Any, colours: Mapping[str, str]) -> None:
    """Intervals (anything with x, low and high) behind the curves they belong to."""
    for name, band in as_systems(bands).items() if bands is not None else ():
        ax.fill_between(
            band.x,
            band.low,
            band.high,
            color=colours.get(name, GREY),
            alpha=BAND,
            linewidth=0,
            gid=f"band-{name}",
        )


def draw_pair(
    ax: Any,
    x: Any,
    lines: tuple[Any, Any],
    *,
    name: str,
    drawn: Pen,
    said: tuple[str, str],
    gids: tuple[str, str],
) -> None:
    """Two lines of one system: the first solid with markers, the second thin and dashed."""
    labels = [f"{name}, {words}" if name else words for words in said]
    solid, dashed = (f"{gid}-{name}" for gid in gids)
    ax.plot(x, lines[0], label=labels[0], gid=solid, **drawn.line(linestyle="-"))
    thin: dict[str, Any] = {"linestyle": (0, (4, 2)), "linewidth": 1.2}
    ax.plot(x, lines[1], label=labels[1], gid=dashed, color=drawn.color, **thin)


def finish(ax: Any, *, xlabel: str, ylabel: str, title: str | None = None, **legend: Any) -> Any:
    """Titles, and a legend when something has a name."""
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    if title:
        ax.set_title(title, loc="left", fontsize=TITLE)
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        ax.legend(handles, labels, **{"loc": "best", **LEGEND, **legend})
    return ax
