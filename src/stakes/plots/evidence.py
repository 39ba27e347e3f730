"""Drawings of forensic evaluation: Tippett plots and empirical cross-entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.plots.style import GREY, as_systems, axes_for, draw_pair, finish, penned


def tippett(curves: Any, *, ax: Any = None) -> Any:
    """Draw Tippett plots: share of each class above a likelihood ratio.

    Parameters
    ----------
    curves : TippettCurve or mapping of them by name
        From `stakes.curves.tippett`.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 1, 1], [-1, 0.5, 2], kind="llr")
    >>> plots.tippett(curves.tippett(sc), ax=Figure().subplots()).get_ylabel()
    'share with a larger likelihood ratio'
    """
    systems = as_systems(curves)
    ax = axes_for(ax, (5.8, 4.0))
    ax.axvline(0, color=GREY, linewidth=0.9, linestyle=":", gid="neutral")
    for name, curve, drawn in penned(systems):
        tail = f"{name}, " if name else ""
        for share, truth, dash in (
            (curve.positives_above, "second class", "-"),
            (curve.negatives_above, "first class", (0, (4, 2))),
        ):
            keywords = drawn.line(linestyle=dash, drawstyle="steps-post")
            ax.plot(curve.log10_lr, share, label=tail + truth, **keywords)
    finite = np.concatenate([c.log10_lr[np.isfinite(c.log10_lr)] for c in systems.values()])
    if finite.size:
        ax.set_xlim(finite.min(), finite.max())
    ax.set_ylim(0, 1.02)
    return finish(
        ax,
        xlabel="decimal logarithm of the likelihood ratio",
        ylabel="share with a larger likelihood ratio",
    )


def empirical_cross_entropy(curves: Any, *, ax: Any = None) -> Any:
    """Draw empirical cross-entropy: system solid, recalibrated dashed, no evidence dotted.

    Parameters
    ----------
    curves : CrossEntropyCurve or mapping of them by name
        From `stakes.curves.empirical_cross_entropy`.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 1, 1], [-1, 0.5, 2], kind="llr")
    >>> curve = curves.empirical_cross_entropy(sc)
    >>> plots.empirical_cross_entropy(curve, ax=Figure().subplots()).get_ylabel()
    'empirical cross-entropy in bits'
    """
    systems = as_systems(curves)
    first = next(iter(systems.values()))
    ax = axes_for(ax, (5.8, 4.0))
    ax.plot(
        first.log10_odds,
        first.neutral,
        color="black",
        linestyle=":",
        linewidth=1.2,
        label="no evidence (LR = 1)",
    )
    for name, curve, drawn in penned(systems):
        lines, said = (curve.actual, curve.minimum), ("as is", "recalibrated")
        draw_pair(
            ax, curve.log10_odds, lines, name=name, drawn=drawn, said=said,
            gids=("actual", "minimum"),
        )  # fmt: skip
    top = float(np.nanmax(first.neutral))
    ax.set(xlim=(first.log10_odds[0], first.log10_odds[-1]), ylim=(0, 1.3 * top))
    return finish(
        ax,
        xlabel="decimal logarithm of the prior odds",
        ylabel="empirical cross-entropy in bits",
        loc="upper right",
    )
