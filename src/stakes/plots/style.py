"""Colours, dashes and markers: every system is told apart by more than its colour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from stakes._optional import load
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores

__all__ = [
    "GREY",
    "Pen",
    "as_systems",
    "axes_for",
    "colours_of",
    "draw_bands",
    "draw_pair",
    "finish",
    "pen",
    "penned",
    "shade",
    "style",
]

#: Okabe and Ito's colours, without the yellow that vanishes on paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES: tuple[Any, ...] = ("solid", (0, (7, 3)), (0, (2, 3)), (0, (9, 3, 2, 3)))
MARKERS = ("o", "^", "s", "D")
GREY = "#767676"
BAND = 0.13

_SETTINGS = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.dpi": 110,
    "font.size": 10,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "lines.linewidth": 1.8,
    "savefig.bbox": "tight",
    "svg.fonttype": "none",
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}


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
            "marker": self.marker,
            "markersize": 4.5,
            "markevery": 0.12,
        }
        return {**keywords, **changes}


def pen(position: int, count: int) -> Pen:
    """The pen of one system; of more than six, those after the fifth are grey."""
    color = GREY if count > len(COLOURS) and position >= 5 else COLOURS[position % len(COLOURS)]
    return Pen(color, DASHES[position % len(DASHES)], MARKERS[position % len(MARKERS)])


def penned(systems: Mapping[str, Any]) -> Iterator[tuple[str, Any, Pen]]:
    """Each system by name, with its pen."""
    for k, (name, curve) in enumerate(systems.items()):
        yield name, curve, pen(k, len(systems))


def colours_of(systems: Mapping[str, Any]) -> dict[str, str]:
    """The colour of each system."""
    return {name: drawn.color for name, _, drawn in penned(systems)}


def style() -> AbstractContextManager[None]:
    """Settings that hold while something is drawn here, and nowhere else."""
    manager: AbstractContextManager[None] = load("matplotlib", extra="plots").rc_context(_SETTINGS)
    return manager


def axes_for(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or new ones of a size in inches."""
    if ax is not None:
        return ax
    _, made = load("matplotlib.pyplot", extra="plots").subplots(figsize=size, layout="constrained")
    return made


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
        ax.set_title(title, loc="left")
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        ax.legend(handles, labels, **{"loc": "best", **legend})
    return ax
