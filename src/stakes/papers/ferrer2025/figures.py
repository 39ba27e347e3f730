"""Figures 1 and 2: metrics against the threshold, and the costs that F1 implies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import Application, CostMatrix
from stakes.curves import threshold_sweep
from stakes.papers.ferrer2025.table_1 import population_f1, simulated
from stakes.papers.items import (
    COLOURS,
    LEGEND,
    LINE,
    TITLE,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    mark,
    panels,
)
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CASES = 100_000
#: The authors' code tries thresholds on a grid of step 0.1.
GRID = np.arange(-60, 61) / 10


def nec(cost: float) -> Application:
    """Costs of 1 for a false alarm and `cost` for a miss, with the priors of the data."""
    return Application(CostMatrix([[0, 1], [cost, 0]]))


def _figure_1(_: Context) -> Outcome:
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
    return Outcome(
        cells, {"densities": densities, "curves": curves}, _REMARKS, _figure_1_claims(curves)
    )


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
    values = sweep.values
    costs = {f"NEC {c}": values[f"NEC({c})"] for c in (1, 4, 16)}
    return {"1 - F1": 1 - values["f1"], "1 - MCC": 1 - values["mcc"], **costs}


def _same_cost(curves: Frame, metric: str, cost: str) -> tuple[int, int]:
    """The best threshold of a metric, and the other one on the grid with nearly the same cost."""
    best = int(np.nanargmin(curves[metric]))
    lowest = int(np.argmin(curves[cost]))
    beyond = np.arange(GRID.size) > lowest if best < lowest else np.arange(GRID.size) < lowest
    gap = np.where(beyond, np.abs(curves[cost] - curves[cost][best]), np.inf)
    return best, int(np.argmin(gap))


def _figure_1_claims(curves: Frame) -> tuple[Claim, ...]:
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


def _draw_figure_1(outcome: Outcome) -> dict[str, Figure]:
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
    _figure_1, _draw_figure_1, seconds=2,
)  # fmt: skip


_READING = {0.06: "variance .06, as the text says", 0.05: "variance .05, as appendix B says"}


def _figure_2(_: Context) -> Outcome:
    """F1 and two costs for the harder data and for both readings of the easier ones."""
    implied, tables, bayes_is_best = {}, {}, {}
    for variance in (0.20, 0.06, 0.05):
        scores = simulated(CASES, 2, variance).scores
        sweep = threshold_sweep(scores, GRID, metrics=["f1", nec(1.0), nec(1.8)])
        implied[variance] = sweep.best("f1")
        worse = [
            sweep.values[f"NEC({c:g})"][abs(GRID - nec(c).log_odds_threshold).argmin()]
            - sweep.best(f"NEC({c:g})").value
            for c in (1.0, 1.8)
        ]
        bayes_is_best[variance] = max(worse)
        costs = {f"NEC {c:.1f}": sweep.values[f"NEC({c:g})"] for c in (1.0, 1.8)}
        columns = {"threshold": sweep.threshold, "1 - F1": 1 - sweep.values["f1"], **costs}
        tables[f"variance-{variance:.2f}"] = Frame(columns)
    cells = [
        Cell("harder data: c21 that F1 implies", 1.8, implied[0.20].implied_cost, 0.05,
             "variance .20"),
        Cell("easier data: c21 that F1 implies", 1.0, implied[0.06].implied_cost, 0.05,
             _READING[0.06]),
        Cell("easier data: c21 that F1 implies", None, implied[0.05].implied_cost, 0.005,
             _READING[0.05], "prints as 0.9, so the figure was made with .06"),
    ]  # fmt: skip
    cells += [
        Cell(f"{words} data: c21 that F1 implies, two decimals", known, implied[v].implied_cost,
             0.005, f"variance {v:.2f}", source="authors")
        for words, v, known in (("harder", 0.20, 1.82), ("easier", 0.06, 1.00))
    ]  # fmt: skip
    cells += [
        Cell(f"variance {v:.2f}: c21 that F1 implies", None, 2 / population_f1(v) - 1, 0.005,
             "densities, no sample")
        for v in (0.20, 0.06, 0.05)
    ]  # fmt: skip
    cells += [
        Cell("harder data: smallest NEC 1", None, float(tables["variance-0.20"]["NEC 1.0"].min()),
             5e-4, "variance .20"),
        Cell("harder data: smallest NEC 1", None, _if_a_deviation(0.20), 5e-4,
             ".20 read as a standard deviation"),
    ]  # fmt: skip
    claims = (*_figure_2_claims(cells, bayes_is_best), _which_variance(cells))
    return Outcome(tuple(cells), tables, (), claims)


def _if_a_deviation(value: float) -> float:
    """The smallest NEC 1 on the grid if the variance were a standard deviation."""
    scores = simulated(CASES, 2, value**2).scores
    return threshold_sweep(scores, GRID, metrics=[nec(1.0)]).best("NEC(1)").value


def _which_variance(cells: list[Cell]) -> Claim:
    """Which of the two variances the figure was made with."""
    text, appendix = cells[1].ours, cells[2].ours
    return Claim(
        "The easier data have a variance of 0.06 (section 4.1.1), or 0.05 (appendix B).",
        None,
        f"The printed cost ratio is 1.0. A variance of .06 gives {text:.2f}, one of .05 "
        f"{appendix:.2f}, which would print as 0.9. Read as a standard deviation, .20 would give "
        f"the harder data a smallest NEC 1 of {cells[-1].ours:.3f}; Figure 1 shows "
        f"{cells[-2].ours:.3f}.",
        erratum=2,
    )


def _figure_2_claims(cells: list[Cell], worse: dict[float, float]) -> tuple[Claim, ...]:
    """What the text concludes from the figure."""
    hard, easy = cells[0].ours, cells[1].ours
    exact = [2 / population_f1(variance) - 1 for variance in (0.20, 0.06)]
    return (
        Claim(
            "F1 optimises a different trade-off between the errors for each system.",
            hard > easy and exact[0] > exact[1] + 0.1,
            f"On the grid its best threshold implies that a miss costs {hard:.2f} false alarms for "
            f"the harder data and {easy:.2f} for the easier; from the densities alone, without "
            f"grid and sample, {exact[0]:.2f} and {exact[1]:.2f}: the direction holds, the "
            "printed difference is larger than the exact one.",
        ),
        Claim(
            "For calibrated scores the Bayes threshold of each cost minimises that cost.",
            max(worse.values()) < 0.002,
            "On the grid the Bayes threshold is at most "
            f"{max(worse.values()):.4f} NEC above the best one, which is sampling noise.",
        ),
    )


def _draw_figure_2(outcome: Outcome) -> dict[str, Figure]:
    """The harder data, the easier ones, and the other reading of the easier ones."""
    figure, axes = panels(1, 3, width=3.8, height=3.4)
    shown = ((0.20, 1.0), (0.06, 0.3), (0.05, 0.3))
    for ax, (variance, top) in zip(axes, shown, strict=True):
        table = outcome.tables[f"variance-{variance:.2f}"]
        for color, name in zip(COLOURS, ("1 - F1", "NEC 1.0", "NEC 1.8"), strict=False):
            ax.plot(table["threshold"], table[name], color=color, linewidth=LINE, label=name)
            mark(ax, table["threshold"][table[name].argmin()], color=color)
        said = _READING.get(variance, "variance .20")
        ax.set(xlabel="threshold on the log odds", xlim=(-4, 4), ylim=(0, top))
        ax.set_title(said, fontsize=TITLE)
    axes[0].legend(**{**LEGEND, "handlelength": 1.6})
    return {"figure2": figure}


FIGURE_2 = Item(
    "figure2", "Figure 2: F1 and two costs for two systems", _figure_2, _draw_figure_2, seconds=2
)  # fmt: skip
