"""Drawings over the threshold: ROC, DET, precision-recall, net benefit, sweeps, reliability,
abstention.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from stakes._checks import as_number, as_switch, of_kind, two_numbers
from stakes._columns import in_brief
from stakes._guesses import answers_guesses
from stakes._names import one_of, place_of
from stakes.curves.threshold_curves import Tangent, ThresholdSweep
from stakes.exceptions import DataError
from stakes.messages.quantities import cut_text
from stakes.plots.style import (
    BAND,
    CONSTANT,
    DASHED,
    HOLLOW,
    as_systems,
    axes_for,
    colours_of,
    cut_ends,
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

#: Opacity of pale parts: those with few errors, and histograms.
_PALE = 0.4
_DET_TICKS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)


@answers_guesses
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
    rates = ("false_positive_rate", "true_positive_rate")
    systems, edges = as_systems(curves, *rates), {} if hulls is None else as_systems(hulls, *rates)
    ax = axes_for(ax, (4.6, 4.6))
    ax.plot([0, 1], [0, 1], gid="chance", **CONSTANT)
    for name, curve, drawn in penned(systems):
        x, y = curve.false_positive_rate, curve.true_positive_rate
        plot_line(ax, x, y, drawn.line(), label=name or None, gid=f"roc-{name}")
        if name in edges:
            x, y = edges[name].false_positive_rate, edges[name].true_positive_rate
            thin: dict[str, Any] = {"linewidth": 1.0, "alpha": 0.45, "linestyle": DASHED}
            ax.plot(x, y, color=drawn.color, zorder=1, gid=f"hull-{name}", **thin)
    if tangent is not None:
        _iso_cost(ax, tangent)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    return finish(ax, xlabel="false positive rate", ylabel="true positive rate")


def _iso_cost(ax: Any, tangent: Any) -> None:
    """The line of equal cost through the best point, and the point."""
    of_kind(tangent, "tangent", Tangent)
    x = np.array([0.0, 1.0])
    y = tangent.intercept + tangent.slope * x
    ax.plot(x, y, label="equal cost", gid="iso-cost", **CONSTANT)
    touched = tangent.false_positive_rate, tangent.true_positive_rate
    said = f"best: act above {cut_text(tangent.threshold)}"
    ax.plot(*touched, marker="o", label=said, gid="best-point", **HOLLOW)


@answers_guesses
def det(curves: Any, *, few: float = 30, limits: tuple[float, float] | None = None,
        ax: Any = None) -> Any:  # fmt: skip
    """Draw DET curves: both error rates on probit axes of equal scale.

    Parameters
    ----------
    curves : DetCurve or mapping of them by name
        From `stakes.curves.det`.
    few : float
        The part with fewer errors than this is drawn pale; 0 draws all alike.
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

    systems = as_systems(curves, "probit_false_positive", "false_positive_rate", "false_negatives")
    low, high = _det_limits(systems) if limits is None else two_numbers(limits, "limits")
    if not 0 < low < high < 1:
        raise DataError(f"`limits` must rise between 0 and 1; got {low:g} and {high:g}.")
    edges, few = (ndtri(low), ndtri(high)), as_number(few, "few")
    ax = axes_for(ax, (4.8, 4.8))
    for name, curve, drawn in penned(systems):
        x = np.clip(curve.probit_false_positive, edges[0] - 1, edges[1] + 1)
        y = np.clip(curve.probit_false_negative, edges[0] - 1, edges[1] + 1)
        rare = (curve.false_positives < few) | (curve.false_negatives < few)
        if rare.any():
            beside = rare.copy()  # includes the point where the reliable part begins
            beside[1:] |= rare[:-1]
            beside[:-1] |= rare[1:]
            doubtful = np.where(beside, y, np.nan)
            ax.plot(x, doubtful, color=drawn.color, alpha=_PALE, linewidth=1.2, gid=f"few-{name}")
        sure = np.where(rare, np.nan, y)
        marks = {} if np.isfinite(sure).any() else {"markevery": None}  # nothing to mark
        ax.plot(x, sure, label=name or None, gid=f"det-{name}", **drawn.line(**marks))
    ticks = [t for t in _DET_TICKS if low <= t <= high]
    labels = [f"{100 * t:g}" for t in ticks]
    ax.set_xticks(ndtri(ticks), labels)
    ax.set_yticks(ndtri(ticks), labels)
    ax.set(xlim=edges, ylim=edges, aspect="equal")
    note = f" (pale: fewer than {few:g} errors)" if few else ""
    return finish(ax, xlabel=f"false alarm rate in %{note}", ylabel="miss rate in %")


def _det_limits(systems: dict[str, Any]) -> tuple[float, float]:
    """Limits that hold the curves, down to the smallest rate above 0."""
    rates = np.concatenate(
        [r[(r > 0) & (r < 1)] for c in systems.values()
         for r in (c.false_positive_rate, c.false_negative_rate)]
    )  # fmt: skip
    lowest = rates.min(initial=0.4)
    below = [t for t in _DET_TICKS if t <= lowest]
    return (below[-1] if below else _DET_TICKS[0]) * 0.98, 0.62


@answers_guesses
def precision_recall(curves: Any, *, ax: Any = None) -> Any:
    """Draw precision-recall curves, with the prior as the precision of chance.

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
    systems, _, ax = opened(curves, ax, (4.8, 4.2), "recall", "precision", "prior")
    for prior in sorted({curve.prior for curve in systems.values()}):
        ax.axhline(prior, label=f"chance {prior:.3g}", gid="chance", **CONSTANT)
    draw_lines(ax, systems, "recall", "precision", "pr", drawstyle="steps-pre")
    ax.set(xlim=(0, 1.01), ylim=(0, 1.03))
    return finish(ax, xlabel="recall", ylabel="precision")


@answers_guesses
def decision(
    curves: Any, *, span: tuple[float, float] | None = None, bands: Any = None, ax: Any = None
) -> Any:
    """Draw decision curves, with those of always and never acting.

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
    systems, first, ax = opened(curves, ax, (6.0, 4.0), "threshold", "treat_all", "net_benefit")
    if span is not None:
        shade(ax, *two_numbers(span, "span"), "plausible")
    said = "always act (falling), never act (0)"
    ax.axhline(0, gid="nobody", **CONSTANT)
    ax.plot(first.threshold, first.treat_all, label=said, gid="everyone", **CONSTANT)
    draw_bands(ax, bands, colours_of(systems))
    for name, curve, drawn in penned(systems):
        x, y = curve.threshold, curve.net_benefit
        plot_line(ax, x, y, drawn.line(), label=name or "system", gid=f"benefit-{name}")
    ax.set_ylim(-0.08 * first.prior, 1.05 * first.prior)
    ax.set_xlim(first.threshold.min(), first.threshold.max())
    _odds_beneath(ax)
    return finish(
        ax,
        xlabel="threshold probability, and the odds it stands for",
        ylabel="net benefit (true positives per case)",
    )


def _odds_beneath(ax: Any) -> None:
    """Write, under each probability, the false positives that are worth one true positive."""
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


@answers_guesses
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
    'predicted probability'
    """
    systems = as_systems(curves, "forecast", "observed", "band_low")
    if band is not None and place_of(band, systems) is None:
        raise DataError(f"`band` must name a curve; got {in_brief(band)}.")
    as_switch(log_odds, "log_odds")
    band = next(iter(systems)) if band is None else band
    first, own = systems[band], colours_of(systems)[band]
    ax = axes_for(ax, (4.8, 4.8))
    grid = np.linspace(0.001, 0.999, 200) if log_odds else np.array([0.0, 1.0])
    ax.plot(grid, grid, gid="diagonal", **CONSTANT)
    if not np.isnan(first.band_low).all():
        said = {"label": f"{100 * first.level:g} % if calibrated", "gid": "band"}
        look: dict[str, Any] = {"color": own, "alpha": BAND, "linewidth": 0}
        ax.fill_between(first.forecast, first.band_low, first.band_high, **said, **look)
    for name, curve, drawn in penned(systems):
        x, y = curve.forecast, curve.observed
        if log_odds:  # 0 and 1 have no place on these axes
            x, y = (np.where((each > 0) & (each < 1), each, np.nan) for each in (x, y))
        look = drawn.line(drawstyle="default")
        plot_line(ax, x, y, look, label=name or None, gid=f"reliability-{name}")
    if log_odds:
        ax.set_xscale("logit")
        ax.set_yscale("logit")
        ax.minorticks_off()
    else:
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        posteriors = np.clip(first.forecast, 0, 1)  # for the histogram along the bottom
        counts, edges = np.histogram(posteriors, bins=40, range=(0, 1), weights=first.weight)
        bars: dict[str, Any] = {"color": own, "alpha": _PALE, "linewidth": 0, "align": "edge"}
        height = 0.14 * counts / counts.max()
        ax.bar(edges[:-1], height, width=np.diff(edges), gid="histogram", **bars)
    if note:
        names = ("miscalibration", "discrimination", "uncertainty")
        parts = [f"{name} {getattr(first.brier, name):.4f}" for name in names]
        words = f"Brier score {first.brier.total:.4f}: {', '.join(parts[:2])},\n{parts[2]}"
        ax.set_title(words, loc="left", fontsize=8.5)
    return finish(
        ax,
        xlabel="predicted probability",
        ylabel="observed share (isotonic)",
        under=0.55,
    )


@answers_guesses
def threshold_sweep(sweep: Any, *, names: Any = None, ax: Any = None) -> Any:
    """Draw metrics against the threshold, as losses, with the best threshold of each marked.

    Parameters
    ----------
    sweep : ThresholdSweep
        From `stakes.curves.threshold_sweep`.
    names : sequence of str, optional
        Which metrics; default, all. Metrics that are better when higher are drawn as 1 minus.
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
    of_kind(sweep, "sweep", ThresholdSweep)
    asked = sweep.values if names is None else of_kind(names, "names", Iterable)
    chosen = [one_of(name, "names", sweep.values) for name in asked]
    inside = np.isfinite(sweep.threshold)
    ax = axes_for(ax, (6.0, 4.0))
    x, share = sweep.threshold[inside], sweep.acted_on[inside]
    ax.plot(x, share, label="share acted on", gid="acted-on", **CONSTANT)
    for k, name in enumerate(chosen):
        drawn = pen(k)
        up, best = sweep.higher_is_better[name], sweep.best(name)
        values = 1 - sweep.values[name] if up else sweep.values[name]
        label = f"1 - {name}" if up else name
        plot_line(ax, x, values[inside], drawn.line(), label=label)
        ax.axvline(best.threshold, color=drawn.color, linewidth=0.9, linestyle=DASHED)
    ax.set_ylim(0, 1.25)
    return finish(ax, xlabel="threshold", ylabel="loss (lower is better)")


@answers_guesses
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
    systems, _, ax = opened(curves, ax, (5.6, 3.8), "coverage")
    said = ("mean cost of decided cases", "with abstentions paid")
    lines = ("cost_when_decided", "cost")
    draw_pairs(ax, systems, "coverage", said, lines, gids=("decided", "paid"))
    ax.set(xlim=(0, 1.01), ylim=(0, None))
    paid, alone = (
        np.concatenate([getattr(c, line) for c in systems.values()]) for line in lines[::-1]
    )
    cut_ends(ax, "y", paid, alone)
    return finish(ax, xlabel="share of cases decided", ylabel="cost per case")
