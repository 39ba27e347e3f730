"""Drawings of costs over time and by segment."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.plots.style import BAND, COLOURS, GREY, LINE, axes_for, finish


def cost_over_periods(watched: Any, *, ax: Any = None) -> Any:
    """Draw the cost of each period with its band, the reference and the alarms.

    Parameters
    ----------
    watched : Watch
        What `stakes.monitoring.watch` returns.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import Application, ConfusionMatrix, plots
    >>> from stakes.monitoring import watch
    >>> week = ConfusionMatrix([[860, 90], [10, 40]])
    >>> worse = ConfusionMatrix([[850, 100], [30, 20]])
    >>> found = watch({"w1": week, "w2": week, "w3": worse},
    ...               application=Application([[0, 1], [10, 0]]))
    >>> plots.cost_over_periods(found, ax=Figure().subplots()).get_ylabel()
    'cost per case'
    """
    table = watched.frame()
    places = np.arange(len(table["period"]))
    ax = axes_for(ax, (6.4, 3.4))
    ax.axhline(table["cost"][0], color=GREY, linewidth=1, linestyle=(0, (2, 3)))
    known = np.isfinite(table["low"])
    said = f"{100 * watched.level:g} % interval"
    if known.all():
        ax.fill_between(
            places, table["low"], table["high"], color=COLOURS[0], alpha=BAND, linewidth=0,
            gid="band", label=said,
        )  # fmt: skip
    elif known.any():  # a band would have holes, and leave out those between two of them
        ax.vlines(
            places[known], table["low"][known], table["high"][known], color=COLOURS[0],
            alpha=0.4, linewidth=1.6, gid="bars", label=said,
        )  # fmt: skip
    ax.plot(places, table["cost"], color=COLOURS[0], linewidth=LINE, marker="o", markersize=4,
            label="cost")  # fmt: skip
    rung = np.flatnonzero(table["alarm"])
    if rung.size:
        ax.plot(
            places[rung], table["cost"][rung], linestyle="none", marker="^", markersize=10,
            markerfacecolor="none", markeredgecolor=COLOURS[1], markeredgewidth=2,
            gid="alarms", label="alarm",
        )  # fmt: skip
    step = max(1, -(-len(places) // 12))
    shown = [str(name) for name in table["period"]]
    slanted = max(map(len, shown)) * len(shown[::step]) > 70
    ax.set_xticks(places[::step], shown[::step], rotation=30 if slanted else 0,
                  ha="right" if slanted else "center")  # fmt: skip
    label = f"period, compared with {watched.reference!s}"
    return finish(ax, xlabel=label, ylabel=_cost_label(watched.application))


def _cost_label(application: Any) -> str:
    """What the axis of costs says."""
    return f"cost per case ({application.unit})" if application.unit else "cost per case"


def cost_by_segment(segments: Any, *, ax: Any = None) -> Any:
    """Draw the cost of each segment with its interval; those that differ are marked.

    Parameters
    ----------
    segments : Segments
        What `stakes.monitoring.compare_segments` returns.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import Application, ConfusionMatrix, plots
    >>> from stakes.monitoring import compare_segments
    >>> found = compare_segments({"north": ConfusionMatrix([[900, 50], [20, 80]]),
    ...                           "south": ConfusionMatrix([[900, 50], [50, 50]])},
    ...                          application=Application([[0, 1], [10, 0]]))
    >>> ax = plots.cost_by_segment(found, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['north', 'south']
    """
    table = segments.frame()
    places = np.arange(len(table["segment"]))
    ax = axes_for(ax, (5.6, 1.0 + 0.32 * len(places)))
    ax.hlines(places, table["low"], table["high"], color=COLOURS[0], linewidth=1.6)
    for differs, color, marker, label in (
        (False, COLOURS[0], "o", None),
        (True, COLOURS[1], "^", "differs from the rest"),
    ):
        kept = table["differs"] == differs
        ax.plot(
            table["cost"][kept], places[kept], linestyle="none", marker=marker, markersize=7,
            color=color, label=label if kept.any() else None,
        )  # fmt: skip
    ax.set_yticks(places, [str(name) for name in table["segment"]])
    ax.set_ylim(len(places) - 0.5, -0.5)
    return finish(ax, xlabel=_cost_label(segments.application), ylabel="")
