"""Drawing of a metric's level sets against lines of equal cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.plots.style import COLOURS, GREY, LINE, axes_for, finish

#: Values of the metric at which a level set is drawn, as shares of the points of the plane.
_QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)


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
    >>> grid = audit.level_sets("f1", prevalence=0.1)
    >>> plots.level_sets(grid, ax=Figure().subplots()).get_ylabel()
    'true positive rate'
    """
    ax = axes_for(ax, (4.8, 4.8))
    if grid.costs is not None:
        _lines(ax, grid, grid.costs, colors=GREY, linestyles=":", linewidths=0.9)
        ax.plot([], [], color=GREY, linestyle=":", linewidth=LINE, label="equal cost")
    drawn = _lines(ax, grid, grid.values, colors=COLOURS[0], linewidths=1.5)
    if drawn is not None:
        ax.clabel(drawn, fmt="%.3g", fontsize=8)
    ax.plot([], [], color=COLOURS[0], linewidth=LINE, label=f"equal {grid.metric}")
    if pair is not None:
        _systems(ax, pair, grid.metric)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    return finish(
        ax,
        xlabel="false positive rate",
        ylabel="true positive rate",
        title=f"{grid.metric} at {100 * grid.prevalence:.3g} % positives",
        loc="lower right",
    )


def _lines(ax: Any, grid: Any, values: Any, **options: Any) -> Any:
    """Contours at evenly spread values; None where there is nothing to draw."""
    finite = values[np.isfinite(values)]
    levels = np.unique(np.quantile(finite, _QUANTILES)) if finite.size else np.array([])
    if levels.size < 2:
        return None
    return ax.contour(
        grid.false_positive_rates, grid.true_positive_rates, values, levels=levels, **options
    )


def _systems(ax: Any, pair: Any, metric: str) -> None:
    """The two systems of a pair, each with its own marker."""
    for table, marker, label in (
        (pair.preferred, "^", f"{metric} prefers this"),
        (pair.cheaper, "o", "this costs less"),
    ):
        ax.plot(
            table.rates[0, 1],
            table.rates[1, 1],
            marker=marker,
            markerfacecolor="white",
            markeredgecolor="black",
            markersize=8,
            linestyle="none",
            label=label,
        )
