"""Drawings of ROC, DET and precision-recall curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.plots.style import GREY, as_systems, axes_for, finish, penned

_DET_TICKS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)


def roc(curves: Any, *, hulls: Any = None, tangent: Any = None, ax: Any = None) -> Any:
    """Draw ROC curves with equal axes.

    Parameters
    ----------
    curves : RocCurve or mapping of them by name
        From `stakes.curves.roc`.
    hulls : RocCurve or mapping, optional
        Convex hulls, drawn thin and dashed in the colour of their system.
    tangent : Tangent, optional
        From `stakes.curves.iso_cost_tangent`: the iso-cost line and the point it touches.
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
    >>> plots.roc(curves.roc(sc), ax=Figure().subplots()).get_xlabel()
    'false positive rate'
    """
    systems, edges = as_systems(curves), as_systems(hulls) if hulls is not None else {}
    ax = axes_for(ax, (4.6, 4.6))
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", gid="chance")
    for name, curve, drawn in penned(systems):
        x, y = curve.false_positive_rate, curve.true_positive_rate
        ax.plot(x, y, label=name or None, gid=f"roc-{name}", **drawn.line())
        if name in edges:
            hull = edges[name]
            ax.plot(
                hull.false_positive_rate,
                hull.true_positive_rate,
                color=drawn.color,
                linewidth=1.0,
                alpha=0.45,
                linestyle=(0, (4, 2)),
                zorder=1,
                gid=f"hull-{name}",
            )
    if tangent is not None:
        _iso_cost(ax, tangent)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    return finish(ax, xlabel="false positive rate", ylabel="true positive rate", loc="lower right")


def _iso_cost(ax: Any, tangent: Any) -> None:
    """The line of equal cost through the best point, and the point."""
    x = np.array([0.0, 1.0])
    y = tangent.intercept + tangent.slope * x
    ax.plot(x, y, color="black", linewidth=0.9, label="equal cost", gid="iso-cost")
    ax.plot(
        tangent.false_positive_rate,
        tangent.true_positive_rate,
        marker="o",
        markerfacecolor="white",
        markeredgecolor="black",
        markersize=8,
        linestyle="none",
        label=f"best: act above {tangent.threshold:.3g}",
        gid="best-point",
    )


def det(curves: Any, *, few: float = 30, limits: tuple[float, float] | None = None,
        ax: Any = None) -> Any:  # fmt: skip
    """Draw DET curves: both error rates on probit axes of equal scale.

    Parameters
    ----------
    curves : DetCurve or mapping of them by name
        From `stakes.curves.det`.
    few : float
        The part that rests on fewer errors than this is drawn in grey; 0 draws all alike.
    limits : pair of float, optional
        Smallest and largest error rate shown; by default, to hold all curves.
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
    >>> plots.det(curves.det(sc), ax=Figure().subplots()).get_ylabel()
    'miss rate in %'
    """
    from scipy.special import ndtri

    systems = as_systems(curves)
    low, high = limits or _det_limits(systems)
    edges = ndtri(low), ndtri(high)
    ax = axes_for(ax, (4.8, 4.8))
    for name, curve, drawn in penned(systems):
        x = np.clip(curve.probit_false_positive, edges[0] - 1, edges[1] + 1)
        y = np.clip(curve.probit_false_negative, edges[0] - 1, edges[1] + 1)
        rare = (curve.false_positives < few) | (curve.false_negatives < few)
        if rare.any():
            beside = rare.copy()  # with the point where the trusted part begins
            beside[1:] |= rare[:-1]
            beside[:-1] |= rare[1:]
            doubtful = np.where(beside, y, np.nan)
            ax.plot(x, doubtful, color="#bdbdbd", linewidth=1.2, gid=f"few-{name}")
        sure = np.where(rare, np.nan, y)
        marks = {} if np.isfinite(sure).any() else {"markevery": None}  # nothing to mark
        ax.plot(x, sure, label=name or None, gid=f"det-{name}", **drawn.line(**marks))
    ticks = [t for t in _DET_TICKS if low <= t <= high]
    labels = [f"{100 * t:g}" for t in ticks]
    ax.set_xticks(ndtri(ticks), labels)
    ax.set_yticks(ndtri(ticks), labels)
    ax.set(xlim=edges, ylim=edges, aspect="equal")
    note = f" (grey: fewer than {few:g} errors)" if few else ""
    return finish(
        ax,
        xlabel=f"false alarm rate in %{note}",
        ylabel="miss rate in %",
    )


def _det_limits(systems: dict[str, Any]) -> tuple[float, float]:
    """Ticks that hold the curves: down to the smallest rate that rests on an error."""
    rates = np.concatenate(
        [r[(r > 0) & (r < 1)] for c in systems.values()
         for r in (c.false_positive_rate, c.false_negative_rate)]
    )  # fmt: skip
    lowest = rates.min(initial=0.4)
    below = [t for t in _DET_TICKS if t <= lowest]
    return (below[-1] if below else _DET_TICKS[0]) * 0.98, 0.62


def precision_recall(curves: Any, *, ax: Any = None) -> Any:
    """Draw precision-recall curves, with the prior as what chance reaches.

    Parameters
    ----------
    curves : PrecisionRecallCurve or mapping of them by name
        From `stakes.curves.precision_recall`.
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
    >>> plots.precision_recall(curves.precision_recall(sc), ax=Figure().subplots()).get_xlabel()
    'recall'
    """
    systems = as_systems(curves)
    ax = axes_for(ax, (4.8, 4.2))
    for prior in sorted({curve.prior for curve in systems.values()}):
        ax.axhline(prior, color=GREY, linewidth=0.9, linestyle=":", gid="chance")
        ax.annotate(f"chance {prior:.3g}", (0.01, prior), fontsize=8.5, color=GREY, va="bottom")
    for name, curve, drawn in penned(systems):
        keywords = drawn.line(drawstyle="steps-pre")
        ax.plot(curve.recall, curve.precision, label=name or None, gid=f"pr-{name}", **keywords)
    ax.set(xlim=(0, 1.01), ylim=(0, 1.03))
    return finish(ax, xlabel="recall", ylabel="precision")
