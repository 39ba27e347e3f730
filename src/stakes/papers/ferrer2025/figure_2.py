"""Figure 2: the costs that F1 implies change with the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes.curves import threshold_sweep
from stakes.papers.ferrer2025.figure_1 import CASES, GRID, nec
from stakes.papers.ferrer2025.table_1 import population_f1, simulated
from stakes.papers.figures import COLOURS, LEGEND, LINE, TITLE, mark, panels
from stakes.papers.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_READING = {0.06: "variance .06, as the text says", 0.05: "variance .05, as appendix B says"}


def _compute(_: Context) -> Outcome:
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
        tables[f"variance-{variance:.2f}"] = Frame(
            {
                "threshold": sweep.threshold,
                "1 - F1": 1 - sweep.values["f1"],
                "NEC 1.0": sweep.values["NEC(1)"],
                "NEC 1.8": sweep.values["NEC(1.8)"],
            }
        )
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
    claims = (*_claims(cells, bayes_is_best), _which_variance(cells))
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


def _claims(cells: list[Cell], worse: dict[float, float]) -> tuple[Claim, ...]:
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


def _draw(outcome: Outcome) -> dict[str, Figure]:
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
    "figure2", "Figure 2: F1 and two costs for two systems", _compute, _draw, seconds=2
)  # fmt: skip
