"""Drawings of who wins where."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.plots.style import SMALL, TEXT, axes_for, finish, pen

__all__ = ["ratio_axis", "switch_points"]


def ratio_axis(ax: Any, prevalence: float) -> None:
    """How many false alarms a miss costs, at one prevalence, along the top."""
    offset = float(np.log(prevalence / (1 - prevalence)))
    low, high = ax.get_xlim()
    top = ax.secondary_xaxis("top")
    top.tick_params(labelsize=SMALL)
    top.xaxis.label.set_size(TEXT)
    ratios = [10.0**e for e in range(-4, 5) if low <= np.log(10.0**e) + offset <= high]
    labels = [f"{r:g}:1" if r >= 1 else f"1:{1 / r:g}" for r in ratios]
    top.set_xticks([float(np.log(r)) + offset for r in ratios], labels)
    top.set_xlabel(f"cost of a miss : false alarm, at {100 * prevalence:g} % prevalence")


def switch_points(points: Any, *, prevalence: float | None = None, ax: Any = None) -> Any:
    """Draw who wins where as a strip along the prior log odds.

    Parameters
    ----------
    points : SwitchPoints
        From `stakes.curves.switch_points`.
    prevalence : float, optional
        Share of the second class: adds an axis of cost ratios at this share.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [1, 3, 2, 4], kind="rank")
    >>> plots.switch_points(curves.switch_points({"a": sc}), ax=Figure().subplots()).get_xlabel()
    'prior log odds of the application'
    """
    special = {"tie": "#cfcfcf", "none": "#f0f0f0"}
    names = [n for n in dict.fromkeys(points.winner) if n not in special]
    hatches = ("", "//", "..", "xx")
    ax = axes_for(ax, (6.4, 1.7))
    for start, stop, winner in zip(points.start, points.stop, points.winner, strict=True):
        known = winner in names
        k = names.index(winner) if known else 0
        color = pen(k, len(names)).color if known else special[winner]
        ax.barh(
            0,
            stop - start,
            left=start,
            height=1,
            color=color,
            alpha=0.75 if known else 1,
            edgecolor="white",
            hatch=hatches[k % 4] if known else "",
            label=winner if winner not in ax.get_legend_handles_labels()[1] else None,
        )
    ax.set(xlim=(points.start[0], points.stop[-1]), ylim=(-0.5, 0.5), yticks=[])
    ax.grid(visible=False)
    if prevalence is not None:
        ratio_axis(ax, prevalence)
    return finish(
        ax,
        xlabel="prior log odds of the application",
        ylabel="",
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )
