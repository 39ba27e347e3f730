"""Figures 1 and 2: metrics against the threshold, and the costs that F1 implies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stakes import Application, CostMatrix
from stakes.curves import threshold_sweep
from stakes.papers.ferrer2025.table_1 import population_f1, simulated
from stakes.papers.items import (
    COLOURS,
    LEGEND,
    TITLE,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    draw_lines,
    mark,
    panels,
)
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CASES = 100_000
#: The authors' code tries thresholds on a grid of step 0.1.
GRID = np.arange(-60, 61) / 10
_ON_GRID, _EVERY_CUT, _NO_SAMPLE = "threshold on the 0.1 grid", "every cut", "densities, no sample"


def nec(cost: float) -> Application:
    """Costs of 1 for a false alarm and `cost` for a miss, with the priors of the data."""
    return Application(CostMatrix([[0, 1], [cost, 0]]))


def _figure_1(_: Context) -> Outcome:
    """Thresholds from the grid of the authors, from every cut, and from the densities."""
    data = simulated(CASES, 2, 0.20)
    sweep = threshold_sweep(data.scores, GRID, metrics=["f1", "mcc", *map(nec, (1, 4, 16))])
    exact = threshold_sweep(data.scores, metrics=["f1", "mcc"])
    f1, mcc = sweep.best("f1"), sweep.best("mcc")
    cells = (
        Cell("F1, best threshold", -0.60, f1.threshold, 0.005, _ON_GRID),
        Cell("F1, equivalent c21", 1.8, f1.implied_cost, 0.05, _ON_GRID, "exp(0.6)"),
        *(Cell(name, known, ours, 0.005, _ON_GRID, source="authors")
          for name, known, ours in (("F1, equivalent c21, two decimals", 1.82, f1.implied_cost),
                                    ("MCC, best threshold", -0.30, mcc.threshold),
                                    ("MCC, equivalent c21", 1.35, mcc.implied_cost))),
        Cell("F1, equivalent c21", None, exact.best("f1").implied_cost, 0.005, _EVERY_CUT),
        Cell("MCC, equivalent c21", None, exact.best("mcc").implied_cost, 0.005, _EVERY_CUT),
        Cell("F1, equivalent c21", None, 2 / population_f1(0.20) - 1, 0.005, _NO_SAMPLE),
        *(Cell(f"Bayes threshold of NEC {c}", math.log(1 / c),
               nec(c).log_odds_threshold, 1e-9, "eq 29", "log(1/c)", source="equality")
          for c in (1, 4, 16)),
    )  # fmt: skip
    edges = np.arange(-100, 101) / 5
    shares = {
        name: np.histogram(data.log_odds[data.y == k], edges)[0] / data.y.size / np.diff(edges)
        for k, name in enumerate(("H1", "H2"))
    }
    columns = {"threshold": sweep.threshold, "share": sweep.acted_on}
    columns |= {"1 - F1": 1 - sweep.values["f1"], "1 - MCC": 1 - sweep.values["mcc"]}
    curves = Frame(columns | {f"NEC {c}": sweep.values[f"NEC({c})"] for c in (1, 4, 16)})
    tables = {"densities": Frame({"log_odds": (edges[:-1] + edges[1:]) / 2, **shares})}
    remark = (
        "The printed thresholds come from a grid of step 0.1 and one sample. Every cut of the same "
        "sample, and the densities themselves, put the cost that F1 implies elsewhere: where F1 is "
        "flat its best threshold is not sharp."
    )
    return Outcome(cells, {**tables, "curves": curves}, (remark,), _figure_1_claims(curves))


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
        two = list(_same_cost(curves, metric, cost))
        paid, losses, shares = (curves[name][two] for name in (cost, metric, "share"))
        further = shares if metric == "1 - F1" else np.abs(shares - 0.5)
        claims.append(
            Claim(
                f"Of two thresholds with the same {cost}, {what}.",
                bool(losses[0] < losses[1] and further[0] > further[1]),
                f"At {GRID[two[0]]:.1f} and {GRID[two[1]]:.1f}: {cost} {paid[0]:.3f} and "
                f"{paid[1]:.3f}, {metric} {losses[0]:.3f} and {losses[1]:.3f}, share of H2 "
                f"{shares[0]:.3f} and {shares[1]:.3f}.",
            )
        )
    return tuple(claims)


def _draw_figure_1(outcome: Outcome) -> dict[str, Figure]:
    """The four panels."""
    curves = outcome.tables["curves"]
    figure, axes = panels(1, 4, width=3.4, height=3.4)
    draw_lines(axes[0], outcome.tables["densities"], "log_odds", ("H1", "H2"))
    axes[0].set(xlabel="log odds", xlim=(-8, 8))
    axes[0].set_title("density, scaled by the prior", fontsize=TITLE)
    shown = (
        ("1 - F1", "NEC 1", "share"),
        ("1 - MCC", "NEC 4", "share"),
        ("NEC 1", "NEC 4", "NEC 16"),
    )
    for ax, names in zip(axes[1:], shown, strict=True):
        draw_lines(ax, curves, "threshold", names, share="share of H2, R*2")
        for k in _same_cost(curves, *names[:2]) if "share" in names else ():
            mark(ax, curves["threshold"][k])
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


_READINGS = {
    0.20: "variance .20",
    0.06: "variance .06, as the text says",
    0.05: "variance .05, as appendix B says",
}


def _figure_2(_: Context) -> Outcome:
    """F1 and two costs for the harder data and for both readings of the easier ones."""
    implied, exact, tables, worse = {}, {}, {}, 0.0
    for variance in _READINGS:
        scores = simulated(CASES, 2, variance).scores
        sweep = threshold_sweep(scores, GRID, metrics=["f1", nec(1.0), nec(1.8)])
        implied[variance] = sweep.best("f1").implied_cost
        exact[variance] = 2 / population_f1(variance) - 1
        columns = {"threshold": sweep.threshold, "1 - F1": 1 - sweep.values["f1"]}
        for c in (1.0, 1.8):
            columns[f"NEC {c:.1f}"] = costs = sweep.values[f"NEC({c:g})"]
            bayes = costs[abs(GRID - nec(c).log_odds_threshold).argmin()]
            worse = max(worse, bayes - sweep.best(f"NEC({c:g})").value)
        tables[f"variance-{variance:.2f}"] = Frame(columns)
    smallest = float(tables["variance-0.20"]["NEC 1.0"].min())
    # If .20 were a standard deviation.
    scores = simulated(CASES, 2, 0.20**2).scores
    deviation = threshold_sweep(scores, GRID, metrics=[nec(1.0)]).best("NEC(1)").value
    name = "data: c21 that F1 implies"
    cells = (
        Cell(f"harder {name}", 1.8, implied[0.20], 0.05, _READINGS[0.20]),
        Cell(f"easier {name}", 1.0, implied[0.06], 0.05, _READINGS[0.06]),
        Cell(f"easier {name}", None, implied[0.05], 0.005, _READINGS[0.05],
             "prints as 0.9, so the figure was made with .06"),
        *(Cell(f"{words} {name}, two decimals", known, implied[v], 0.005, f"variance {v:.2f}",
               source="authors")
          for words, v, known in (("harder", 0.20, 1.82), ("easier", 0.06, 1.00))),
        *(Cell(f"variance {v:.2f}: c21 that F1 implies", None, found, 0.005, _NO_SAMPLE)
          for v, found in exact.items()),
        Cell("harder data: smallest NEC 1", None, smallest, 5e-4, "variance .20"),
        Cell("harder data: smallest NEC 1", None, deviation, 5e-4,
             ".20 read as a standard deviation"),
    )  # fmt: skip
    claims = (
        Claim(
            "F1 optimises a different trade-off between the errors for each system.",
            implied[0.20] > implied[0.06] and exact[0.20] > exact[0.06] + 0.1,
            f"On the grid its best threshold implies that a miss costs {implied[0.20]:.2f} false "
            f"alarms for the harder data and {implied[0.06]:.2f} for the easier; from the "
            f"densities alone, without grid and sample, {exact[0.20]:.2f} and {exact[0.06]:.2f}: "
            "the direction holds, the printed difference is larger than the exact one.",
        ),
        Claim(
            "For calibrated scores the Bayes threshold of each cost minimises that cost.",
            worse < 0.002,
            f"On the grid the Bayes threshold is at most {worse:.4f} NEC above the best one, which "
            "is sampling noise.",
        ),
        Claim(
            "The easier data have a variance of 0.06 (section 4.1.1), or 0.05 (appendix B).",
            None,
            f"The printed cost ratio is 1.0. A variance of .06 gives {implied[0.06]:.2f}, one of "
            f".05 {implied[0.05]:.2f}, which would print as 0.9. Read as a standard deviation, .20 "
            f"would give the harder data a smallest NEC 1 of {deviation:.3f}; Figure 1 shows "
            f"{smallest:.3f}.",
            erratum=2,
        ),
    )
    return Outcome(cells, tables, (), claims)


def _draw_figure_2(outcome: Outcome) -> dict[str, Figure]:
    """The harder data, the easier ones, and the other reading of the easier ones."""
    figure, axes = panels(1, 3, width=3.8, height=3.4)
    for ax, (variance, said), top in zip(axes, _READINGS.items(), (1.0, 0.3, 0.3), strict=True):
        table = outcome.tables[f"variance-{variance:.2f}"]
        names = ("1 - F1", "NEC 1.0", "NEC 1.8")
        draw_lines(ax, table, "threshold", names)
        for color, name in zip(COLOURS, names, strict=False):
            mark(ax, table["threshold"][table[name].argmin()], color=color)
        ax.set(xlabel="threshold on the log odds", xlim=(-4, 4), ylim=(0, top))
        ax.set_title(said, fontsize=TITLE)
    axes[0].legend(**{**LEGEND, "handlelength": 1.6})
    return {"figure2": figure}


FIGURE_2 = Item(
    "figure2", "Figure 2: F1 and two costs for two systems", _figure_2, _draw_figure_2, seconds=2
)  # fmt: skip
