"""Colours and markers: systems differ by more than their colour.

A system is a solid line with markers; its second line, named in the legend, is dashed. Grey is for
what belongs to no system: constant decisions, chance, ranges.

Every piece that is drawn sets its own looks. The settings of matplotlib belong to the reader and
to all threads, so they are read and never changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stakes._columns import in_brief
from stakes._optional import load
from stakes.exceptions import DataError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Okabe and Ito's colours, without the yellow, which is hard to see on paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MARKERS = ("o", "^", "s", "D")
GREY = "#767676"
#: A thin grey line, for the cost of a constant decision, chance, or no evidence.
CONSTANT: dict[str, Any] = {"color": GREY, "linewidth": 1.1}
#: The second line of a system.
DASHED: Any = (0, (4, 2))
#: A single point that is not filled.
HOLLOW: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": "black", "markersize": 8,
                          "linestyle": "none"}  # fmt: skip
#: The label of an axis of normalised costs.
NORMALISED = "normalised cost (1 = best constant decision)"
BAND = 0.13

#: Dots per inch.
DPI = 110
#: Width of a line, and sizes of text, in points.
LINE = 1.8
TITLE, TEXT, SMALL = 11, 10, 9
#: How a legend looks.
LEGEND: dict[str, Any] = {
    "fontsize": SMALL, "frameon": False, "handlelength": 3.2, "handleheight": 0.7,
    "handletextpad": 0.8, "labelspacing": 0.5, "columnspacing": 2.0, "borderpad": 0.4,
    "borderaxespad": 0.5, "markerscale": 1.0, "numpoints": 1, "scatterpoints": 1,
}  # fmt: skip
#: Number of letters that fit in a row above the axes.
_LEGEND_LETTERS = 66
#: How lines end and bend.
_ENDS = {"solid_capstyle": "projecting", "dash_capstyle": "butt",
         "solid_joinstyle": "round", "dash_joinstyle": "round"}  # fmt: skip
#: Colour of lines and words around the data, in figures of our own.
_INK = "#000000"


class Pen(NamedTuple):
    """How one system is drawn."""

    color: str
    marker: str
    thin: bool = False
    hollow: bool = False

    def line(self, **changes: Any) -> dict[str, Any]:
        """Keywords for a line with a few markers."""
        keywords: dict[str, Any] = {
            "color": self.color,
            "linestyle": "-",
            "linewidth": 1.0 if self.thin else LINE,
            "marker": self.marker,
            "markersize": 4.5,
            "markevery": 0.12,
            "markeredgewidth": 1.0,
            "markeredgecolor": self.color,
            "markerfacecolor": "white" if self.hollow else self.color,
            "fillstyle": "full",
        }
        return {**keywords, **changes}


def pen(position: int) -> Pen:
    """The pen of one system; after the sixth they are thin, after the twelfth also hollow."""
    colours, markers = len(COLOURS), len(_MARKERS)
    return Pen(COLOURS[position % colours], _MARKERS[position % markers],
               thin=position >= colours, hollow=position >= colours * markers // 2)  # fmt: skip


def penned(systems: Mapping[str, Any]) -> Iterator[tuple[str, Any, Pen]]:
    """Each system by name, with its pen."""
    places = systems.places if isinstance(systems, _Systems) else range(len(systems))
    for k, (name, curve) in zip(places, systems.items(), strict=True):
        yield name, curve, pen(k)


def colours_of(systems: Mapping[str, Any]) -> dict[str, str]:
    """The colour of each system."""
    return {name: drawn.color for name, _, drawn in penned(systems)}


def _styled(ax: Any) -> Any:
    """The axes with a faint grid, without a box, and with our text sizes."""
    ax.grid(visible=False, which="minor")
    ax.grid(visible=True, color="#e3e3e3", linewidth=0.6, linestyle="-", alpha=1.0, **_ENDS)
    ax.spines[["right", "top"]].set_visible(False)
    ax.tick_params(which="both", labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_size(TEXT)
        axis.offsetText.set_size(SMALL)
    return ax


def axes_of_size(width: float, height: float) -> Any:
    """New axes of a size in inches; the figure is outside pyplot, so nothing stays open."""
    return panels(1, 1, width=width, height=height)[1][0]


def panels(
    rows: int, columns: int, *, width: float = 3.6, height: float = 3.2, **shared: Any
) -> tuple[Figure, list[Any]]:
    """Such a figure of several axes, in reading order, each of a size in inches."""
    made = load("matplotlib.figure", extra="plots").Figure
    engines = load("matplotlib.layout_engine", extra="plots")
    figure: Figure = made(
        figsize=(width * columns, height * rows),
        dpi=DPI,
        facecolor="white",
        layout=engines.ConstrainedLayoutEngine(
            h_pad=0.04167, w_pad=0.04167, hspace=0.02, wspace=0.02
        ),
    )
    figure.subplotpars.update(0.125, 0.11, 0.9, 0.88, 0.2, 0.2)
    axes = figure.subplots(rows, columns, squeeze=False, **shared)
    sides: dict[str, bool] = {"bottom": True, "left": True, "top": False, "right": False}
    if not shared:
        sides |= {f"label{side}": seen for side, seen in sides.items()}
    for ax in axes.ravel():
        ax.minorticks_off()
        ax.margins(0.05)
        ax.spines[["left", "bottom"]].set_visible(True)
        ax.tick_params(**sides)
        unmoved(_styled(ax))
    return figure, list(axes.ravel())


def unmoved(ax: Any) -> None:
    """Set all that settings may change, on axes of our own and on those along their edges."""
    ax.set_facecolor("white")
    ax.set_axisbelow("line")
    for spine in ax.spines.values():
        spine.set(edgecolor=_INK, linewidth=0.8)
    look: dict[str, Any] = {"direction": "out", "color": _INK, "labelcolor": _INK, "width": 0.8}
    ax.tick_params(which="major", length=3.5, pad=3.5, labelsize=SMALL, **look)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_color(_INK)
        axis.offsetText.set_color(_INK)
        axis.labelpad = 4.0
        numbers = axis.get_major_formatter()
        if hasattr(numbers, "set_powerlimits"):
            numbers.set_powerlimits((-5, 6))
            numbers.set_useMathText(False)
            numbers.set_useLocale(False)
            numbers.fix_minus = lambda number: number.replace("-", "\N{MINUS SIGN}")
    for line in ax.get_lines():
        line.set(**_ENDS)
    legend = ax.get_legend()
    for text in legend.get_texts() if legend is not None else ():
        text.set_color(_INK)
    for edge in ax.child_axes:
        unmoved(edge)


def axes_for(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or new ones that a notebook or `pyplot.show()` shows."""
    if ax is not None:
        if not hasattr(ax, "set_xlabel"):
            raise DataError(f"`ax` must be axes of matplotlib; got {in_brief(ax)}.")
        return ax
    pyplot = load("matplotlib.pyplot", extra="plots")
    _, made = pyplot.subplots(figsize=size, dpi=DPI, layout="constrained")
    return _styled(made)


class _Systems(dict[str, Any]):
    """Curves by name, with the position of each among all systems, even those without a curve."""

    places: tuple[int, ...] = ()


def as_systems(curves: Any, *needs: str) -> dict[str, Any]:
    """One curve, or several by name, as a mapping; a single curve has no name.

    `needs` are the attributes that are drawn. A system whose curve is None keeps its pen.
    """
    given = dict(curves) if isinstance(curves, Mapping) else {"": curves}
    systems = _Systems({name: each for name, each in given.items() if each is not None})
    systems.places = tuple(k for k, each in enumerate(given.values()) if each is not None)
    if not systems:
        raise DataError("there is no curve to draw.")
    for each in systems.values():
        if not all(hasattr(each, name) for name in needs):
            raise DataError(
                f"a drawing takes the data of a curve; got {type(each).__name__}.",
                hint="compute the curve by the same name first: "
                'stakes.plots.reliability(stakes.curves.reliability(y_true, p, kind="posterior")), '
                "stakes.plots.roc(stakes.curves.roc(y_true, scores))",
            )
    return systems


def opened(
    curves: Any, ax: Any, size: tuple[float, float], *needs: str
) -> tuple[dict[str, Any], Any, Any]:
    """Curves by name, the first of them, and the axes to draw them in."""
    systems = as_systems(curves, *needs)
    return systems, next(iter(systems.values())), axes_for(ax, size)


def shade(ax: Any, low: float, high: float, label: str) -> None:
    """Shade the range of applications in question."""
    ax.axvspan(low, high, color="#888888", alpha=BAND, linewidth=0, label=label, gid="range")


def draw_bands(ax: Any, bands: Any, colours: Mapping[str, str]) -> None:
    """Intervals (anything with x, low and high) behind the curves they belong to."""
    for name, band in as_systems(bands, "x", "low", "high").items() if bands is not None else ():
        look = {"color": colours.get(name, GREY), "alpha": BAND, "linewidth": 0}
        ax.fill_between(band.x, band.low, band.high, gid=f"band-{name}", **look)


def plot_line(ax: Any, x: Any, y: Any, look: Mapping[str, Any], *, label: str | None = None,
              gid: str | None = None) -> None:  # fmt: skip
    """One line with markers; matplotlib cannot mark one without a finite point, so that says so."""
    if not (np.isfinite(x) & np.isfinite(y)).any():
        look = {**look, "markevery": None}
        label = f"{label} (no finite value)" if label else "no finite value"
    ax.plot(x, y, label=label, gid=gid, **look)


def draw_lines(
    ax: Any, systems: Mapping[str, Any], x: str, y: str, gid: str = "", **changes: Any
) -> None:
    """One array of each curve against another, in the pen of its system."""
    for name, curve, drawn in penned(systems):
        known = {"label": name or None, "gid": f"{gid}-{name}" if gid else None}
        plot_line(ax, getattr(curve, x), getattr(curve, y), drawn.line(**changes), **known)


def draw_pairs(
    ax: Any,
    systems: Mapping[str, Any],
    x: str,
    said: tuple[str, str],
    lines: tuple[str, str] = ("actual", "minimum"),
    gids: tuple[str, str] = ("actual", "minimum"),
) -> None:
    """Two arrays of each curve: the first solid with markers, the second thin and dashed."""
    for name, curve, drawn in penned(systems):
        styles: tuple[dict[str, Any], ...] = (
            drawn.line(linestyle="-"),
            {"color": drawn.color, "linestyle": DASHED, "linewidth": 0.8 if drawn.thin else 1.2},
        )
        for words, line, gid, style in zip(said, lines, gids, styles, strict=True):
            label = f"{name}, {words}" if name else words
            known = {"label": label, "gid": f"{gid}-{name}"}
            plot_line(ax, getattr(curve, x), getattr(curve, line), style, **known)


def finish(
    ax: Any, *, xlabel: str, ylabel: str, title: str | None = None, under: float = 0, **legend: Any
) -> Any:
    """Titles, and a legend outside the data: above them, or `under` inches below them."""
    ax.set_xlabel(xlabel, loc="center")
    ax.set_ylabel(ylabel, loc="center")
    if title:
        ax.set_title(title, loc="left", fontsize=TITLE)
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        moved = load("matplotlib.transforms", extra="plots").ScaledTranslation(
            0, -under if under else 0.03, ax.figure.dpi_scale_trans
        )
        columns = max(1, min(len(labels), _LEGEND_LETTERS // (6 + max(map(len, labels)))))
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0)} if under else {
            "loc": "lower left", "bbox_to_anchor": (0, 1)}  # fmt: skip
        place |= {"bbox_transform": ax.transAxes + moved, "ncols": columns, **LEGEND, **legend}
        ax.legend(handles, labels, **place)
    return ax


def cut_ends(ax: Any, axis: str, values: Any, ends: Any) -> None:
    """End an axis at twice the largest value if an interval's end would squash the rest."""
    most = 2 * float(np.nanmax(values, initial=0.0))
    if 0 < most < float(np.nanmax(ends, initial=0.0)):
        getattr(ax, f"set_{axis}lim")(**{"right" if axis == "x" else "top": most})
