"""Figure 1: F1, MCC and three normalised expected costs against the threshold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import Application, CostMatrix
from stakes.curves import threshold_sweep
from stakes.papers.ferrer2025.table_1 import population_f1, simulated
from stakes.papers.figures import COLOURS, LEGEND, LINE, TITLE, mark, panels
from stakes.papers.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CASES = 100_000
#: The authors' code tries thresholds on a grid of step 0.1.
GRID = np.arange(-60, 61) / 10


def nec(cost: float) -> Application:
    """Costs of 1 for a false alarm and `cost` for a miss, with the priors of the data."""
    return Application(CostMatrix([[0, 1], [cost, 0]]))


def _compute(_: Context) -> Outcome:
    """Thresholds from the grid of the authors, from every cut, and from the densities."""
    data = simulated(CASES, 2, 0.20)
    scores = data.scores
    metrics = ["f1", "mcc", *(nec(c) for c in (1, 4, 16))]
    sweep = threshold_sweep(scores, GRID, metrics=metrics)
    exact = threshold_sweep(scores, metrics=["f1", "mcc"])
    best, tuned = sweep.best("f1"), sweep.best("mcc")
    largest = population_f1(0.20)
    cells = (
        Cell("F1, best threshold", -0.60, best.threshold, 0.005, "threshold on the 0.1 grid"),
        Cell("F1, equivalent c21", 1.8, best.implied_cost, 0.05, "threshold on the 0.1 grid",
             "exp(0.6)"),
        *(Cell(name, known, ours, 0.005, "threshold on the 0.1 grid", source="authors")
          for name, known, ours in (("F1, equivalent c21, two decimals", 1.82, best.implied_cost),
                                    ("MCC, best threshold", -0.30, tuned.threshold),
                                    ("MCC, equivalent c21", 1.35, tuned.implied_cost))),
        Cell("F1, equivalent c21", None, exact.best("f1").implied_cost, 0.005, "every cut"),
        Cell("MCC, equivalent c21", None, exact.best("mcc").implied_cost, 0.005, "every cut"),
        Cell("F1, equivalent c21", None, 2 / largest - 1, 0.005, "densities, no sample"),
        *(Cell(f"Bayes threshold of NEC {c}", math.log(1 / c),
               nec(c).log_odds_threshold, 1e-9, "eq 29", "log(1/c)", source="equality")
          for c in (1, 4, 16)),
    )  # fmt: skip
    edges = np.arange(-100, 101) / 5
    share = np.stack([_density(data.log_odds[data.y == k], edges, data.y.size) for k in (0, 1)])
    densities = Frame({"log_odds": (edges[:-1] + edges[1:]) / 2, "H1": share[0], "H2": share[1]})
    curves = Frame({"threshold": sweep.threshold, "share": sweep.acted_on, **_losses(sweep)})
    return Outcome(cells, {"densities": densities, "curves": curves}, _REMARKS, _claims(curves))


_REMARKS = (
    "The printed thresholds come from a grid of step 0.1 and one sample. Every cut of the same "
    "sample, and the densities themselves, put the cost that F1 implies elsewhere: where F1 is "
    "flat its best threshold is not sharp.",
)


def _density(values: Any, edges: Any, total: int) -> Any:
    """A histogram scaled by the share of the class."""
    counts, _ = np.histogram(values, edges)
    return counts / total / np.diff(edges)


def _losses(sweep: Any) -> dict[str, Any]:
    """Each metric so that lower is better, as the paper draws them."""
    return {
        "1 - F1": 1 - sweep.values["f1"],
        "1 - MCC": 1 - sweep.values["mcc"],
        "NEC 1": sweep.values["NEC(1)"],
        "NEC 4": sweep.values["NEC(4)"],
        "NEC 16": sweep.values["NEC(16)"],
    }


def _same_cost(curves: Frame, metric: str, cost: str) -> tuple[int, int]:
    """The best threshold of a metric, and the other one on the grid with nearly the same cost."""
    best = int(np.nanargmin(curves[metric]))
    lowest = int(np.argmin(curves[cost]))
    beyond = np.arange(GRID.size) > lowest if best < lowest else np.arange(GRID.size) < lowest
    gap = np.where(beyond, np.abs(curves[cost] - curves[cost][best]), np.inf)
    return best, int(np.argmin(gap))


def _claims(curves: Frame) -> tuple[Claim, ...]:
    """What the text reads off the second and the third panel."""
    claims = []
    for metric, cost, what in (
        ("1 - F1", "NEC 1", "F1 prefers the one that decides for H2 more often"),
        ("1 - MCC", "NEC 4", "MCC prefers the one whose decisions are less balanced"),
    ):
        best, other = _same_cost(curves, metric, cost)
        share = curves["share"]
        further = share[best] > share[other]
        if metric == "1 - MCC":
            further = abs(share[best] - 0.5) > abs(share[other] - 0.5)
        claims.append(
            Claim(
                f"Of two thresholds with the same {cost}, {what}.",
                bool(curves[metric][best] < curves[metric][other] and further),
                f"At {GRID[best]:.1f} and {GRID[other]:.1f}: {cost} {curves[cost][best]:.3f} and "
                f"{curves[cost][other]:.3f}, {metric} {curves[metric][best]:.3f} and "
                f"{curves[metric][other]:.3f}, share of H2 {share[best]:.3f} and "
                f"{share[other]:.3f}.",
            )
        )
    return tuple(claims)


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """The four panels."""
    curves, densities = outcome.tables["curves"], outcome.tables["densities"]
    x = curves["threshold"]
    figure, axes = panels(1, 4, width=3.4, height=3.4)
    for color, name in zip(COLOURS, ("H1", "H2"), strict=False):
        axes[0].plot(
            densities["log_odds"], densities[name], color=color, linewidth=LINE, label=name
        )
    axes[0].set(xlabel="log odds", xlim=(-8, 8))
    axes[0].set_title("density, scaled by the prior", fontsize=TITLE)
    shown = (
        (("1 - F1", "NEC 1", "share"), _same_cost(curves, "1 - F1", "NEC 1")),
        (("1 - MCC", "NEC 4", "share"), _same_cost(curves, "1 - MCC", "NEC 4")),
        (("NEC 1", "NEC 4", "NEC 16"), ()),
    )
    for ax, (names, marked) in zip(axes[1:], shown, strict=True):
        for color, name in zip(COLOURS, names, strict=False):
            label = "share of H2, R*2" if name == "share" else name
            ax.plot(x, curves[name], color=color, linewidth=LINE, label=label)
        for place in (x[k] for k in marked):
            mark(ax, place)
        ax.set(xlabel="threshold on the log odds", xlim=(-6, 6), ylim=(0, 1.5))
    for color, cost in zip(COLOURS, (1, 4, 16), strict=False):
        mark(axes[3], math.log(1 / cost), color=color)
    for ax in axes:
        ax.legend(**{**LEGEND, "handlelength": 1.6})
    return {"figure1": figure}


FIGURE_1 = Item(
    "figure1", "Figure 1: metrics of a two-class data set against the threshold",
    _compute, _draw, seconds=2,
)  # fmt: skip
