"""Figure 8: a ROC curve with the smaller area that yields more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes import Application, CostMatrix, ScoreCounts, metrics
from stakes.curves import iso_cost_tangent, roc
from stakes.experiments.drawing import COLOURS, LEGEND, LINE, panels
from stakes.experiments.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURE_8"]

#: Two ways to the same slope: utilities by B, the share of class 0; rows true classes 1 and 0.
PROBLEMS = {
    "utilities [4 0; 0 1], B = 0.5": Application(
        CostMatrix.from_utilities([[1, 0], [0, 4]]), [0.5, 0.5]
    ),
    "utilities [1 0; 0 1], B = 0.8": Application(
        CostMatrix.from_utilities([[1, 0], [0, 1]]), [0.2, 0.8]
    ),
}
#: Normal scores of the positive class, mean and standard deviation; those of the other are (0, 1).
CURVES = {"solid": (1.0, 0.3), "dashed": (2.2, 1.8)}
CASES = 2000


def _scores(mean: float, sd: float) -> ScoreCounts:
    """Scores at the quantiles of the two distributions."""
    from scipy.special import ndtri

    z = ndtri((np.arange(CASES) + 0.5) / CASES)
    truth = np.repeat([0, 1], CASES)
    return ScoreCounts.from_scores(truth, np.concatenate([z, mean + sd * z]), kind="rank")


def compute(_: Context) -> Outcome:
    """Areas, tangents and yields of the two curves."""
    scores = {name: _scores(*place) for name, place in CURVES.items()}
    areas = {name: metrics.auc(each) for name, each in scores.items()}
    cells = [Cell(f"area / {name}", None, area, 5e-5) for name, area in areas.items()]
    tangents, rows = {}, []
    for problem, app in PROBLEMS.items():
        for name, each in scores.items():
            tangents[name] = line = iso_cost_tangent(each, app)
            cells.append(Cell(f"yield, {problem} / {name}", None, -line.cost, 5e-5))
            rows.append((problem, name, line.false_positive_rate, line.true_positive_rate,
                         line.slope, line.intercept))  # fmt: skip
        cells.append(
            Cell(f"slope of eq 25, {problem}", 0.25, line.slope, 5e-13, "both examples of the text")
        )
    names = ("problem", "curve", "false_positive_rate", "true_positive_rate", "slope", "intercept")
    frame = Frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    curves = {f"roc_{name}": roc(each, hull=False).frame() for name, each in scores.items()}
    solid, dashed = tangents["solid"], tangents["dashed"]
    claim = Claim(
        "A curve with the smaller area can yield more: its tangent has the higher intercept.",
        areas["solid"] < areas["dashed"] and solid.intercept > dashed.intercept,
        f"Areas {areas['solid']:.3f} and {areas['dashed']:.3f}, intercepts {solid.intercept:.3f} "
        f"and {dashed.intercept:.3f}, at a slope of {solid.slope:g}.",
    )
    return Outcome(tuple(cells), {"tangents": frame, **curves}, _REMARKS, (claim,))


_REMARKS = (
    "The paper does not say which curves it drew; these are of normal scores with other spreads, "
    "and show the same. The slope is that of the paper.",
)


def draw(outcome: Outcome) -> dict[str, Figure]:
    """Both curves with their tangents."""
    figure, (ax,) = panels(1, 1, width=5.2, height=5.0)
    tangents = outcome.tables["tangents"]
    for name, color, dash in (("solid", COLOURS[0], "solid"), ("dashed", COLOURS[1], (0, (6, 3)))):
        curve = outcome.tables[f"roc_{name}"]
        ax.plot(curve["false_positive_rate"], curve["true_positive_rate"], color=color,
                linewidth=LINE, linestyle=dash,
                label=f"{name}: area {_area(outcome, name):.3f}")  # fmt: skip
        k = int(np.flatnonzero(tangents["curve"] == name)[0])
        x = np.array([0, 1])
        ax.plot(x, tangents["intercept"][k] + tangents["slope"][k] * x, color=color, linewidth=0.9,
                linestyle=":")  # fmt: skip
        ax.plot(tangents["false_positive_rate"][k], tangents["true_positive_rate"][k], "o",
                color=color, markersize=7)  # fmt: skip
    ax.plot([], [], color="#767676", linestyle=":", linewidth=LINE, label="equal yield, slope 1/4")
    ax.set(xlim=(0, 1), ylim=(0, 1.1), xlabel="false-positive rate", ylabel="true-positive rate")
    ax.legend(loc="lower right", **LEGEND)
    return {"figure8": figure}


def _area(outcome: Outcome, name: str) -> float:
    """The area of a curve."""
    return next(cell.ours for cell in outcome.cells if cell.name == f"area / {name}")


FIGURE_8 = Item("figure8", "Figure 8: the tangent decides, not the area", compute, draw)
