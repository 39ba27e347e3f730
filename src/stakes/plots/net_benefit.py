"""Drawings of net benefit: decision curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.plots.style import (
    GREY,
    as_systems,
    axes_for,
    colours_of,
    draw_bands,
    finish,
    penned,
    shade,
)


def decision(
    curves: Any,
    *,
    span: tuple[float, float] | None = None,
    bands: Any = None,
    ax: Any = None,
) -> Any:
    """Draw decision curves with acting on everyone and on nobody.

    Parameters
    ----------
    curves : DecisionCurve or mapping of them by name
        From `stakes.curves.decision`.
    span : pair of float, optional
        Range of threshold probabilities to shade: the plausible ones.
    bands : Band or mapping of them by name, optional
        Intervals of the net benefit, from `stakes.uncertainty.band`.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 1, 1], [0.2, 0.4, 0.7], kind="posterior")
    >>> plots.decision(curves.decision(sc), ax=Figure().subplots()).get_ylabel()
    'net benefit (true positives per case)'
    """
    systems = as_systems(curves)
    first = next(iter(systems.values()))
    ax = axes_for(ax, (6.0, 4.0))
    if span is not None:
        shade(ax, *span, "plausible")
    ax.axhline(0, color="black", linewidth=0.9, label="act on nobody", gid="nobody")
    ax.plot(
        first.threshold,
        first.treat_all,
        color=GREY,
        linestyle=(0, (5, 2)),
        linewidth=1.2,
        label="act on everyone",
        gid="everyone",
    )
    draw_bands(ax, bands, colours_of(systems))
    for name, curve, drawn in penned(systems):
        x, y = curve.threshold, curve.net_benefit
        ax.plot(x, y, label=name or "system", gid=f"benefit-{name}", **drawn.line())
    ax.set_ylim(-0.08 * first.prior, 1.05 * first.prior)
    ax.set_xlim(first.threshold.min(), first.threshold.max())
    _odds_beneath(ax)
    return finish(
        ax,
        xlabel="threshold probability, and the odds it stands for",
        ylabel="net benefit (true positives per case)",
    )


def _odds_beneath(ax: Any) -> None:
    """Under each probability, how many false positives are worth one true positive."""
    low, high = ax.get_xlim()
    ticks = [t for t in (0.01, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 0.99) if low <= t <= high]
    if len(ticks) < 3:
        ticks = [float(t) for t in np.linspace(low, high, 5)[1:-1]]
    labels = []
    for t in ticks:
        odds = (1 - t) / t
        shown = f"1:{odds:.2g}" if odds >= 1 else f"{1 / odds:.2g}:1"
        labels.append(f"{t:.2g}\n{shown}")
    ax.set_xticks(ticks, labels)
