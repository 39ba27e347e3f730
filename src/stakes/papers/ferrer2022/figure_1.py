"""Figure 1: MCC and F1 against three expected costs, for every number of errors on a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes.papers.ferrer2022.table_1 import CASES, measured, table_with
from stakes.papers.figures import COLOURS, TITLE, panels
from stakes.papers.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_STEPS = 20
_PANELS = (("EC_nb", "MCC"), ("EC_1.5", "FS_1"), ("EC_1", "FS_1"))


def _compute(_: Context) -> Outcome:
    """Every system of the six panels, and how well the orders agree among the useful ones."""
    from scipy.stats import spearmanr

    tables, cells, agreement = {}, [], {}
    for data, (first, second) in CASES.items():
        systems = [
            {"K21": k21, "K12": k12, **measured(table_with(data, k21, k12))}
            for k21 in np.linspace(0, second, _STEPS + 1)
            for k12 in np.linspace(0, first, _STEPS + 1)
        ]
        frame = Frame({name: [system[name] for system in systems] for name in systems[0]})
        tables[data] = frame
        for cost, metric in (*_PANELS, ("EC_1.5 text", "FS_1")):
            kept = (frame[cost] < 1) & np.isfinite(frame[metric])
            rho = float(spearmanr(-frame[cost][kept], frame[metric][kept]).statistic)
            agreement[data, cost, metric] = rho
            cells.append(Cell(f"{data} / {metric} and {cost}", None, rho, 5e-4))
        useless = frame["FS_1"][frame["EC_1"] >= 1]
        cells.append(Cell(f"{data} / largest F1 of a system with EC_1 at least 1", None,
                          float(np.nanmax(useless)), 5e-4))  # fmt: skip
    remark = (
        f"Each point is a system: {_STEPS + 1} times {_STEPS + 1} numbers of errors per data set. "
        "Numbers are rank correlations over the systems that are better than the naive one; the "
        "paper prints none."
    )
    return Outcome(tuple(cells), tables, (remark,), _claims(agreement, cells))


def _claims(agreement: dict[tuple[str, str, str], float], cells: list[Cell]) -> tuple[Claim, ...]:
    """What sections 7.1 and 7.2 read off the figure."""
    pairs = [(agreement[data, "EC_1.5", "FS_1"], agreement[data, "EC_1", "FS_1"]) for data in CASES]
    worthless = [cell.ours for cell in cells if "largest F1" in cell.name]
    return (
        Claim(
            "Among useful systems F1 agrees better with the cost in which errors of class 2 weigh "
            "more (EC_1.5) than with EC_1.",
            all(heavier > plain for heavier, plain in pairs),
            f"Rank correlations {pairs[0][0]:.3f} against {pairs[0][1]:.3f} (balanced) and "
            f"{pairs[1][0]:.3f} against {pairs[1][1]:.3f} (imbalanced).",
        ),
        Claim(
            "Systems no better than a naive one can have a large F1.",
            max(worthless) > 0.6,
            f"Largest F1 with EC_1 of 1 or more: {worthless[0]:.3f} (balanced), "
            f"{worthless[1]:.3f} (imbalanced).",
        ),
    )


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """The six panels: balanced above, imbalanced below."""
    figure, axes = panels(2, 3, width=3.8, height=3.2)
    places = [(data, pair) for data in CASES for pair in _PANELS]
    titles = {"Bal": "balanced, P1 = .5", "Imb": "imbalanced, P1 = .9"}
    labels = {"EC_nb": "EC nb", "EC_1.5": "EC 1.5 (c21 = root of 2)", "EC_1": "EC 1",
              "FS_1": "F1", "MCC": "MCC"}  # fmt: skip
    for ax, (data, (cost, metric)) in zip(axes, places, strict=True):
        table = outcome.tables[data]
        ax.plot(table[cost], table[metric], ".", markersize=3, color=COLOURS[0])
        ax.axvline(1, color="#767676", linewidth=0.9, linestyle=(0, (4, 3)))
        ax.set(xlim=(0, 2), xlabel=labels[cost], ylabel=labels[metric])
        ax.set_title(titles[data], fontsize=TITLE)
    return {"figure1": figure}


FIGURE_1 = Item(
    "figure1", "Figure 1: F1 and MCC against expected costs, six panels", _compute, _draw, seconds=1
)  # fmt: skip
