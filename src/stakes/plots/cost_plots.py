"""Drawings of costs: of decisions, of systems, over periods, by slice, and against a metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._checks import as_number, of_kind, two_numbers
from stakes._guesses import answers_guesses
from stakes.application.application import as_application
from stakes.audit.indifference import LevelSets
from stakes.audit.opposite_rankings import OppositePair
from stakes.exceptions import DataError
from stakes.metrics import cost_by_cell
from stakes.metrics.metric_catalogue import spoken
from stakes.monitoring.period_estimates import PeriodEstimates, timeline
from stakes.monitoring.slice_comparison import Slices
from stakes.monitoring.watch import Watch
from stakes.plots.style import (
    BAND,
    COLOURS,
    CONSTANT,
    GREY,
    HOLLOW,
    LINE,
    TEXT,
    axes_for,
    cut_ends,
    finish,
    pen,
)


@answers_guesses
def confusion(matrix: Any, application: Any, *, per: float = 1000, ax: Any = None) -> Any:
    """Draw a confusion matrix per 1000 cases in use, shaded by share of the cost.

    Parameters
    ----------
    matrix : ConfusionMatrix
        The decisions.
    application : Application
        Costs and priors; without priors, those of the data.
    per : float
        Number of cases that the counts are scaled to.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import Application, ConfusionMatrix, plots
    >>> cm = ConfusionMatrix([[90, 5], [1, 4]])
    >>> app = Application([[0, 1], [10, 0]])
    >>> plots.confusion(cm, app, ax=Figure().subplots()).get_ylabel()
    'truth'
    """
    application, per = as_application(application), as_number(per, "per")
    if not 0 < per < np.inf:
        raise DataError(f"`per` must be positive; got {per:g}.")
    shares = cost_by_cell(matrix, application)
    size = matrix.counts.shape
    paid = shares.costs.reshape(size)
    gross = np.abs(paid).sum()
    weight = np.abs(paid) / gross if gross else np.zeros(size)
    priors = application.resolved_priors(matrix.priors)
    expected = per * priors[:, None] * np.nan_to_num(matrix.rates)
    ax = axes_for(ax, (1.6 + 1.1 * size[1], 1.2 + 0.8 * size[0]))
    ax.imshow(weight, cmap="Greys", vmin=0, vmax=1.35, aspect="auto")
    for i in range(size[0]):
        for j in range(size[1]):
            text = f"{expected[i, j]:,.4g}\n{100 * weight[i, j]:.0f} % of cost"
            dark = weight[i, j] > 0.7
            ax.text(j, i, text, ha="center", va="center", color="white" if dark else "black",
                    fontsize=TEXT)  # fmt: skip
    ax.set_xticks(range(size[1]), [str(name) for name in matrix.decisions])
    ax.set_yticks(range(size[0]), [str(name) for name in matrix.classes])
    ax.grid(visible=False)
    return finish(ax, xlabel=f"decision, in {per:,g} cases in use", ylabel="truth")


@answers_guesses
def model_costs(
    costs: Mapping[str, float],
    *,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    label: str = "normalised cost (1 = best constant decision)",
    ax: Any = None,
) -> Any:
    """Draw the cost of each system as a dot with its interval.

    Parameters
    ----------
    costs : mapping of str to float
        Cost of each system, by name.
    intervals : mapping of str to pair of float, optional
        Low and high end of each.
    label : str
        What the cost is.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import plots
    >>> ax = plots.model_costs({"gbm": 0.35, "logreg": 0.49}, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['gbm', 'logreg']
    """
    of_kind(costs, "costs", Mapping)
    if not costs:
        raise DataError("`costs` holds no model.", hint='model_costs({"gbm": 0.35})')
    found = {name: as_number(value, f"costs[{name!r}]") for name, value in costs.items()}
    given = {} if intervals is None else of_kind(intervals, "intervals", Mapping)
    ends = {name: two_numbers(pair, f"intervals[{name!r}]") for name, pair in given.items()}
    ax = axes_for(ax, (5.6, 0.9 + 0.4 * len(found)))
    for k, (name, value) in enumerate(found.items()):
        drawn = pen(k)
        if name in ends:
            ax.plot(ends[name], [k, k], color=drawn.color, linewidth=1.6)
        ax.plot(value, k, color=drawn.color, marker=drawn.marker, markersize=7, linewidth=LINE)
    ax.set_yticks(range(len(costs)), list(costs))
    ax.set_ylim(len(costs) - 0.5, -0.5)
    ax.margins(x=0.1)
    if ends:
        cut_ends(ax, "x", list(found.values()), [high for _, high in ends.values()])
    return finish(ax, xlabel=label, ylabel="")


#: Values of the metric at which a level set is drawn, as shares of the points of the plane.
_QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)


@answers_guesses
def level_sets(grid: Any, *, pair: Any = None, ax: Any = None) -> Any:
    """Draw level sets of a metric over the two rates, with lines of equal cost behind them.

    Where they cross, the metric prefers a system that costs more.

    Parameters
    ----------
    grid : LevelSets
        From `stakes.audit.level_sets`.
    pair : OppositePair, optional
        From `stakes.audit.opposite_pair`: two systems that the metric ranks against the
        costs.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import audit, plots
    >>> grid = audit.level_sets("f1", priors=0.1)
    >>> plots.level_sets(grid, ax=Figure().subplots()).get_ylabel()
    'true positive rate'
    """
    metric = spoken(of_kind(grid, "grid", LevelSets).metric)
    ax = axes_for(ax, (4.8, 4.8))
    if grid.costs is not None:
        _lines(ax, grid, grid.costs, colors=GREY, linewidths=0.9)
        ax.plot([], [], label="equal cost", **CONSTANT)
    drawn = _lines(ax, grid, grid.values, colors=COLOURS[0], linewidths=1.5)
    if drawn is not None:
        for label in ax.clabel(drawn, fmt="%.3g", fontsize=8, inline_spacing=11):
            label.set_rotation_mode("anchor")  # in the middle of its gap, however large it is drawn
    ax.plot([], [], color=COLOURS[0], linewidth=LINE, label=f"equal {metric}")
    if pair is not None:
        _systems(ax, pair, metric)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    return finish(
        ax,
        xlabel="false positive rate",
        ylabel="true positive rate",
        title=f"{metric} at {100 * grid.prevalence:.3g} % positives",
        under=0.55,
    )


def _lines(ax: Any, grid: Any, values: Any, **options: Any) -> Any:
    """Contours at evenly spread values; None if there is nothing to draw."""
    finite = values[np.isfinite(values)]
    levels = np.unique(np.quantile(finite, _QUANTILES)) if finite.size else np.array([])
    if levels.size < 2:
        return None
    return ax.contour(
        grid.false_positive_rates, grid.true_positive_rates, values, levels=levels, **options
    )


def _systems(ax: Any, pair: Any, metric: str) -> None:
    """The two systems of a pair, each with its own marker."""
    of_kind(pair, "pair", OppositePair)
    for table, marker, label in (
        (pair.preferred, "^", f"{metric} prefers this"),
        (pair.cheaper, "o", "this costs less"),
    ):
        at = table.rates[0, 1], table.rates[1, 1]  # may lie on the frame
        ax.plot(*at, marker=marker, label=label, clip_on=False, **HOLLOW)


@answers_guesses
def cost_over_periods(watched: Any, *, estimates: Any = None, ax: Any = None) -> Any:
    """Draw the cost of each period with its band, the reference and the alarms.

    Parameters
    ----------
    watched : Watch
        What `stakes.monitoring.watch` returns.
    estimates : PeriodEstimates, optional
        Estimates of periods without labels, drawn as open circles.
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
    of_kind(watched, "watched", Watch)
    if estimates is not None:
        of_kind(estimates, "estimates", PeriodEstimates)
    table = timeline(watched, estimates)
    guessed = table["basis"] == "estimate"
    places = np.arange(len(table["period"]))
    ax = axes_for(ax, (6.4, 3.4))
    ax.axhline(table["cost"][0], label=f"cost of {watched.reference!s}", **CONSTANT)
    known = np.isfinite(table["low"])
    said = f"{100 * watched.level:g} % interval"
    if known.all() and not guessed.any():
        ax.fill_between(
            places, table["low"], table["high"], color=COLOURS[0], alpha=BAND, linewidth=0,
            gid="band", label=said,
        )  # fmt: skip
    elif known.any():  # a band would have holes, and hide single periods between two of them
        ax.vlines(
            places[known], table["low"][known], table["high"][known], color=COLOURS[0],
            alpha=0.4, linewidth=1.6, gid="bars", label=said,
        )  # fmt: skip
    by_labels = np.where(guessed, np.nan, table["cost"])
    ax.plot(places, by_labels, color=COLOURS[0], linewidth=LINE, marker="o", markersize=4,
            label="cost")  # fmt: skip
    if guessed.any():
        ax.plot(
            places[guessed], table["cost"][guessed], linestyle="none", marker="o", markersize=6,
            markerfacecolor="white", markeredgecolor=COLOURS[0], gid="estimates",
            label="estimate without labels",
        )  # fmt: skip
    rung = np.flatnonzero(table["alarm"])
    if rung.size:
        shown_at = np.where(np.isfinite(table["cost"]), table["cost"], table["cost"][0])
        ax.plot(
            places[rung], shown_at[rung], linestyle="none", marker="^", markersize=10,
            markerfacecolor="none", markeredgecolor=COLOURS[1], markeredgewidth=2,
            gid="alarms", label="alarm",
        )  # fmt: skip
    step = max(1, -(-len(places) // 12))
    shown = [str(name) for name in table["period"]]
    slanted = max(map(len, shown)) * len(shown[::step]) > 40  # more would touch on a telephone
    ax.set_xticks(places[::step], shown[::step], rotation=30 if slanted else 0,
                  ha="right" if slanted else "center")  # fmt: skip
    cut_ends(ax, "y", table["cost"], table["high"])
    label = f"period, compared with {watched.reference!s}"
    return finish(ax, xlabel=label, ylabel=_cost_label(watched.application))


def _cost_label(application: Any) -> str:
    """The label of the axis of costs."""
    return f"cost per case ({application.unit})" if application.unit else "cost per case"


@answers_guesses
def cost_by_slice(slices: Any, *, ax: Any = None) -> Any:
    """Draw the cost of each slice with its interval; those that differ are marked.

    Parameters
    ----------
    slices : Slices
        What `stakes.monitoring.compare_slices` returns.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from stakes import Application, ConfusionMatrix, plots
    >>> from stakes.monitoring import compare_slices
    >>> found = compare_slices({"north": ConfusionMatrix([[900, 50], [20, 80]]),
    ...                         "south": ConfusionMatrix([[900, 50], [50, 50]])},
    ...                        application=Application([[0, 1], [10, 0]]))
    >>> ax = plots.cost_by_slice(found, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['north', 'south']
    """
    table = of_kind(slices, "slices", Slices).frame()
    places = np.arange(len(table["slice"]))
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
    ax.set_yticks(places, [str(name) for name in table["slice"]])
    ax.set_ylim(len(places) - 0.5, -0.5)
    cut_ends(ax, "x", table["cost"], table["high"])
    return finish(ax, xlabel=_cost_label(slices.application), ylabel="")
