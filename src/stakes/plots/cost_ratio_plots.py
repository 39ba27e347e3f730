"""Plots of cost by application, of the best system by application, and of forensic evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes._checks import of_kind, positive_share, two_numbers
from stakes._guesses import answers_guesses
from stakes.curves.best_system import SwitchPoints
from stakes.messages.quantities import percent
from stakes.plots.style import (
    CONSTANT,
    DASHED,
    NORMALISED,
    SMALL,
    TEXT,
    axes_for,
    colours_of,
    draw_bands,
    draw_lines,
    draw_pairs,
    finish,
    opened,
    pen,
    penned,
    plot_line,
    shade,
)
from stakes.typing import Name, Priors


def _ratio_axis(ax: Any, priors: Priors, classes: Sequence[Name] = (0, 1)) -> None:
    """Add an axis on top: false alarms per miss, at one prevalence."""
    prevalence = positive_share(priors, classes=classes, inside=True)
    offset = float(np.log(prevalence / (1 - prevalence)))
    low, high = ax.get_xlim()
    top = ax.secondary_xaxis("top")
    top.grid(visible=False)
    top.minorticks_off()
    top.tick_params(labelsize=SMALL)
    top.xaxis.label.set_size(TEXT)
    ratios = [10.0**e for e in range(-4, 5) if low <= np.log(10.0**e) + offset <= high]
    labels = [f"{r:g}:1" if r >= 1 else f"1:{1 / r:g}" for r in ratios]
    top.set_xticks([float(np.log(r)) + offset for r in ratios], labels)
    top.set_xlabel(f"cost of a miss : false alarm, where {percent(prevalence)} are positive")


@answers_guesses
def switch_points(points: Any, *, priors: Priors | None = None, ax: Any = None) -> Any:
    """Draw the best system as a strip along the prior log odds.

    Parameters
    ----------
    points : SwitchPoints
        From `stakes.curves.switch_points`.
    priors : float or pair, optional
        Share of the second class, or of both: adds an axis of cost ratios at this share.
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
    of_kind(points, "points", SwitchPoints)
    names = [n for n in dict.fromkeys(points.winner) if n not in special]
    hatches = ("", "//", "..", "xx")
    ax = axes_for(ax, (6.4, 1.7))
    for start, stop, winner in zip(points.start, points.stop, points.winner, strict=True):
        known = winner in names
        k = names.index(winner) if known else 0
        color = pen(k).color if known else special[winner]
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
    if priors is not None:
        _ratio_axis(ax, priors, points.classes)
    return finish(
        ax,
        xlabel="prior log odds of the application",
        ylabel="",
        under=0.5,
    )


_CEILING = 1.25


@answers_guesses
def bayes_error(
    curves: Any,
    *,
    priors: Priors | None = None,
    span: tuple[float, float] | None = None,
    bands: Any = None,
    ax: Any = None,
) -> Any:
    """Draw Bayes-error curves: actual cost solid, minimum cost dashed.

    Parameters
    ----------
    curves : BayesErrorCurve or mapping of them by name
        From `stakes.curves.bayes_error`; with a logarithmic cost axis when not normalised.
    priors : float or pair, optional
        Share of the second class, or of both: adds an axis of cost ratios at this share.
    span : pair of float, optional
        Range of log odds to shade: the applications in question.
    bands : Band or mapping of them by name, optional
        Intervals of the actual cost, from `stakes.uncertainty.band`.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-1, 0.5, 0.2, 2], kind="llr")
    >>> plots.bayes_error(curves.bayes_error(sc), ax=Figure().subplots()).get_ylabel()
    'normalised cost (1 = best constant decision)'
    """
    systems, first, ax = opened(curves, ax, (6.4, 4.8), "log_odds", "naive", "actual")
    if span is not None:
        shade(ax, *two_numbers(span, "span"), "in question")
    ax.plot(first.log_odds, first.naive, gid="constant", **CONSTANT)
    draw_bands(ax, bands, colours_of(systems))
    draw_pairs(ax, systems, "log_odds", ("as is", "best threshold"))
    if first.normalized:
        ax.set_ylim(0, _CEILING)
        _off_scale(ax, systems)
    else:
        ax.set_yscale("log")
    ax.set_xlim(first.log_odds[0], first.log_odds[-1])
    if priors is not None:
        _ratio_axis(ax, priors)
    label = NORMALISED if first.normalized else "cost (error rate)"
    return finish(ax, xlabel="prior log odds of the application", ylabel=label, under=0.55)


def _off_scale(ax: Any, systems: dict[str, Any]) -> None:
    """Mark where a curve leaves the picture."""
    for k, (name, curve, drawn) in enumerate(penned(systems)):
        gone = curve.log_odds[curve.actual > _CEILING]
        first, last = float(curve.log_odds[0]), float(curve.log_odds[-1])
        margin = 0.11 * (last - first)  # keeps the words inside
        for side in (gone[gone < 0], gone[gone >= 0]):
            if side.size:
                middle = float(np.clip(np.median(side), first + margin, last - margin))
                ax.annotate(
                    f"{name + ': ' if name else ''}off scale",
                    (middle, _CEILING),
                    xytext=(0, -11 - 11 * k),
                    textcoords="offset points",
                    ha="center",
                    fontsize=8.5,
                    color=drawn.color,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85},
                )


@answers_guesses
def application_path(curves: Any, *, ax: Any = None, label: str = "application") -> Any:
    """Draw normalised costs along a path of applications, for any number of classes.

    Parameters
    ----------
    curves : ApplicationPath or mapping of them by name
        From `stakes.curves.application_path`.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.
    label : str
        What the path goes along.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import CostMatrix, curves, plots
    >>> path = [CostMatrix([[0, 1, 1], [1, 0, 1], [c, c, 0]]) for c in (1, 2, 4)]
    >>> q = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.4, 0.3, 0.3]]
    >>> curve = curves.application_path([0, 1, 2], q, applications=path)
    >>> plots.application_path(curve, ax=Figure().subplots()).get_xlabel()
    'application'
    """
    systems, _, ax = opened(curves, ax, (5.6, 3.8), "position", "normalized_cost")
    ax.axhline(1, gid="constant", **CONSTANT)
    draw_lines(ax, systems, "position", "normalized_cost")
    ax.set_ylim(0, _CEILING)
    return finish(ax, xlabel=label, ylabel=NORMALISED)


@answers_guesses
def cost(curves: Any, *, ax: Any = None) -> Any:
    """Draw cost curves (Drummond and Holte) above the triangle of constant decisions.

    Parameters
    ----------
    curves : CostCurve or mapping of them by name
        From `stakes.curves.cost`.
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
    >>> plots.cost(curves.cost(sc), ax=Figure().subplots()).get_xlabel()
    'probability cost'
    """
    systems, _, ax = opened(curves, ax, (5.6, 3.8), "probability_cost", "cost")
    ax.plot([0, 0.5, 1], [0, 0.5, 0], label="constant decision", **CONSTANT)
    draw_lines(ax, systems, "probability_cost", "cost", "cost")
    ax.set(xlim=(0, 1), ylim=(0, None))
    return finish(ax, xlabel="probability cost", ylabel="normalised expected cost")


@answers_guesses
def brier_curve(curves: Any, *, ax: Any = None) -> Any:
    """Draw Brier curves: the area under each is the Brier score.

    Parameters
    ----------
    curves : BrierCurve or mapping of them by name
        From `stakes.curves.brier_curve`.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import ScoreCounts, curves, plots
    >>> sc = ScoreCounts.from_scores([0, 1], [0.2, 0.7], kind="posterior")
    >>> plots.brier_curve(curves.brier_curve(sc), ax=Figure().subplots()).get_xlabel()
    'cost proportion of a false positive'
    """
    systems, first, ax = opened(curves, ax, (5.6, 3.8), "cost_proportion", "naive")
    ax.plot(first.cost_proportion, first.naive, label="constant decision", **CONSTANT)
    draw_pairs(ax, systems, "cost_proportion", ("as is", "best threshold"))
    ax.set(xlim=(0, 1), ylim=(0, None))
    return finish(ax, xlabel="cost proportion of a false positive", ylabel="cost, doubled")


@answers_guesses
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
    systems, _, ax = opened(curves, ax, (5.8, 4.0), "positives_above", "log10_lr")
    ax.axvline(0, gid="neutral", **CONSTANT)
    for name, curve, drawn in penned(systems):
        tail = f"{name}, " if name else ""
        for share, truth, dash in (
            (curve.positives_above, "second class", "-"),
            (curve.negatives_above, "first class", DASHED),
        ):
            keywords = drawn.line(linestyle=dash, drawstyle="steps-post")
            plot_line(ax, curve.log10_lr, share, keywords, label=tail + truth)
    finite = np.concatenate([_seen(curve) for curve in systems.values()])
    if finite.size and finite.min() < finite.max():
        ax.set_xlim(finite.min(), finite.max())
    ax.set_ylim(0, 1.02)
    return finish(
        ax,
        xlabel="decimal logarithm of the likelihood ratio",
        ylabel="share with a larger likelihood ratio",
    )


def _seen(curve: Any) -> Any:
    """The likelihood ratios between the first and last half per cent of both classes.

    A single very certain case would squash the rest.
    """
    above = curve.negatives_above, curve.positives_above
    inside = (np.minimum(*above) < 0.995) & (np.maximum(*above) > 0.005)
    finite = np.isfinite(curve.log10_lr)
    return curve.log10_lr[finite & inside if (finite & inside).any() else finite]


@answers_guesses
def empirical_cross_entropy(curves: Any, *, ax: Any = None) -> Any:
    """Draw empirical cross-entropy: system solid, recalibrated dashed, no evidence grey.

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
    systems, first, ax = opened(curves, ax, (5.8, 4.0), "log10_odds", "neutral")
    ax.plot(first.log10_odds, first.neutral, label="no evidence (LR = 1)", **CONSTANT)
    draw_pairs(ax, systems, "log10_odds", ("as is", "recalibrated"))
    top = float(np.nanmax(first.neutral))
    ax.set(xlim=(first.log10_odds[0], first.log10_odds[-1]), ylim=(0, 1.3 * top))
    return finish(
        ax,
        xlabel="decimal logarithm of the prior odds",
        ylabel="empirical cross-entropy in bits",
    )
