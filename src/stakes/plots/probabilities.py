"""Drawings about posteriors: reliability, sweeps of the threshold, and abstention."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.plots.style import (
    BAND,
    GREY,
    as_systems,
    axes_for,
    draw_pair,
    finish,
    pen,
    penned,
)


def reliability(
    curves: Any,
    *,
    log_odds: bool = False,
    band: str | None = None,
    note: bool = True,
    ax: Any = None,
) -> Any:
    """Draw reliability by isotonic regression, with a consistency band and a histogram.

    Parameters
    ----------
    curves : ReliabilityCurve or mapping of them by name
        From `stakes.curves.reliability`. The band and the histogram are those of the first.
    log_odds : bool
        Log-odds axes, for rare events.
    band : str, optional
        The name of the curve whose band and histogram are drawn instead.
    note : bool
        Write the parts of its Brier score into a corner.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.9], kind="posterior")
    >>> plots.reliability(curves.reliability(sc, rng=0), ax=Figure().subplots()).get_xlabel()
    'posterior of the second class'
    """
    systems = as_systems(curves)
    first = next(iter(systems.values())) if band is None else systems[band]
    ax = axes_for(ax, (4.8, 4.8))
    grid = np.linspace(0.001, 0.999, 200) if log_odds else np.array([0.0, 1.0])
    ax.plot(grid, grid, color=GREY, linewidth=0.9, gid="diagonal")
    if not np.isnan(first.band_low).all():
        ax.fill_between(
            first.forecast,
            first.band_low,
            first.band_high,
            color="#444444",
            alpha=BAND,
            linewidth=0,
            label=f"{100 * first.level:g} % if calibrated",
            gid="band",
        )
    for name, curve, drawn in penned(systems):
        keywords = drawn.line(drawstyle="default")
        label = name or None
        ax.plot(curve.forecast, curve.observed, label=label, gid=f"reliability-{name}", **keywords)
    if log_odds:
        ax.set_xscale("logit")
        ax.set_yscale("logit")
        ax.minorticks_off()
    else:
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        _histogram(ax, first)
    if note:
        _parts(ax, first)
    return finish(
        ax,
        xlabel="posterior of the second class",
        ylabel="how often the second class occurs",
        loc="lower right",
        bbox_to_anchor=(1.0, 0.17),
    )


def _histogram(ax: Any, curve: Any) -> None:
    """How often each posterior occurs, along the bottom."""
    counts, edges = np.histogram(
        np.clip(curve.forecast, 0, 1), bins=40, range=(0, 1), weights=curve.weight
    )
    height = 0.14 * counts / counts.max()
    ax.bar(
        edges[:-1],
        height,
        width=np.diff(edges),
        align="edge",
        color="#9a9a9a",
        alpha=0.6,
        linewidth=0,
        gid="histogram",
    )


def _parts(ax: Any, curve: Any) -> None:
    """The Brier score and its parts, in a corner."""
    split = curve.brier
    ax.text(
        0.03,
        0.97,
        f"Brier score {split.total:.4f}\n"
        f"miscalibration {split.miscalibration:.4f}\n"
        f"discrimination {split.discrimination:.4f}\n"
        f"uncertainty {split.uncertainty:.4f}",
        transform=ax.transAxes,
        va="top",
        fontsize=8.5,
        color="#333333",
    )


def threshold_sweep(sweep: Any, *, names: Any = None, ax: Any = None) -> Any:
    """Draw metrics against the threshold, as losses, with the best threshold of each marked.

    Parameters
    ----------
    sweep : ThresholdSweep
        From `stakes.curves.threshold_sweep`.
    names : sequence of str, optional
        Which metrics; default, all. Those of which more is better are drawn as 1 minus.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-1, 0.5, 0.2, 2], kind="log_odds")
    >>> sweep = curves.threshold_sweep(sc, metrics=["f1"])
    >>> plots.threshold_sweep(sweep, ax=Figure().subplots()).get_xlabel()
    'threshold'
    """
    chosen = list(sweep.values) if names is None else list(names)
    inside = np.isfinite(sweep.threshold)
    ax = axes_for(ax, (6.0, 4.0))
    ax.plot(
        sweep.threshold[inside],
        sweep.acted_on[inside],
        color=GREY,
        linewidth=1.0,
        linestyle=":",
        label="share acted on",
        gid="acted-on",
    )
    for k, name in enumerate(chosen):
        drawn = pen(k, len(chosen))
        up, best = sweep.higher_is_better[name], sweep.best(name)
        values = 1 - sweep.values[name] if up else sweep.values[name]
        label = f"1 - {name}" if up else name
        ax.plot(sweep.threshold[inside], values[inside], label=label, **drawn.line())
        ax.axvline(best.threshold, color=drawn.color, linewidth=0.9, linestyle=(0, (3, 3)))
    ax.set_ylim(0, 1.25)
    return finish(ax, xlabel="threshold", ylabel="loss (lower is better)")


def abstention(curves: Any, *, ax: Any = None) -> Any:
    """Draw the cost of decided cases against coverage.

    Parameters
    ----------
    curves : AbstentionCurve or mapping of them by name
        From `stakes.curves.abstention`.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import CostMatrix, ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9], kind="posterior")
    >>> curve = curves.abstention(sc, CostMatrix.zero_one(2))
    >>> plots.abstention(curve, ax=Figure().subplots()).get_xlabel()
    'share of cases decided'
    """
    systems = as_systems(curves)
    ax = axes_for(ax, (5.6, 3.8))
    for name, curve, drawn in penned(systems):
        lines = (curve.cost_when_decided, curve.cost)
        said = ("mean cost of decided cases", "with abstentions paid")
        draw_pair(
            ax, curve.coverage, lines, name=name, drawn=drawn, said=said,
            gids=("decided", "paid"),
        )  # fmt: skip
    ax.set(xlim=(0, 1.01), ylim=(0, None))
    return finish(ax, xlabel="share of cases decided", ylabel="cost per case")
