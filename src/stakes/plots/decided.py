"""Drawings of what was decided: confusion by cost, and costs of systems side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes.metrics import cost_by_cell
from stakes.plots.style import LINE, TEXT, axes_for, finish, pen


def confusion(matrix: Any, application: Any, *, per: float = 1000, ax: Any = None) -> Any:
    """Draw a confusion matrix per 1000 cases in use, shaded by share of the cost.

    Parameters
    ----------
    matrix : ConfusionMatrix
        What was decided.
    application : Application
        Costs and priors; without priors, those of the data.
    per : float
        How many cases the counts are for.
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
    ax = axes_for(ax, (5.6, 0.9 + 0.4 * len(costs)))
    for k, (name, value) in enumerate(costs.items()):
        drawn = pen(k, len(costs))
        if intervals is not None and name in intervals:
            ax.plot(intervals[name], [k, k], color=drawn.color, linewidth=1.6)
        ax.plot(value, k, color=drawn.color, marker=drawn.marker, markersize=7, linewidth=LINE)
    ax.set_yticks(range(len(costs)), list(costs))
    ax.set_ylim(len(costs) - 0.5, -0.5)
    ax.margins(x=0.1)
    return finish(ax, xlabel=label, ylabel="")
