"""L. Ferrer, "Analysis and Comparison of Classification Metrics", 2022: its figure and table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stakes import Application, ConfusionMatrix, CostMatrix, normalized_expected_cost
from stakes.metrics import alpha_cost, f1, mcc
from stakes.papers.items import (
    COLOURS,
    TITLE,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    Paper,
    panels,
    published_rows,
)
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAPER"]


#: Cases of class 1 and class 2 in the balanced and in the imbalanced data.
CASES = {"Bal": (500, 500), "Imb": (900, 100)}
_ROOT_TWO = math.sqrt(2)


def table_with(data: str, k21: float, k12: float) -> ConfusionMatrix:
    """The confusion matrix with given numbers of errors in class 2 and in class 1."""
    first, second = CASES[data]
    return ConfusionMatrix([[first - k12, k12], [k21, second - k21]])


def measured(matrix: ConfusionMatrix) -> dict[str, float]:
    """The columns of Table 1; `EC_1.5` for 1.5 as the text says, and for the root of 2."""
    shares = matrix.decision_totals / matrix.total
    return {
        "EC_1": _nec(matrix, 1.0),
        "EC_1.5": _nec(matrix, _ROOT_TWO),
        "EC_1.5 text": _nec(matrix, 1.5),
        "EC_nb": alpha_cost(matrix, 1.0),
        "FS_1": f1(matrix),
        "MCC": mcc(matrix),
        "R21": float(matrix.rates[1, 0]),
        "R12": float(matrix.rates[0, 1]),
        "R*2": float(shares[1]),
        "R*1": float(shares[0]),
    }


def _nec(matrix: ConfusionMatrix, cost_21: float) -> float:
    """Normalised expected cost with the priors of the data."""
    return normalized_expected_cost(
        matrix, application=Application(CostMatrix([[0, 1], [cost_21, 0]]))
    )


_COLUMNS = ("EC_1", "EC_1.5", "EC_nb", "FS_1", "MCC", "R21", "R12", "R*2", "R*1")
# data, K21, K12, then the columns as printed
_ROWS: tuple[tuple[str, int, int, *tuple[float, ...]], ...] = tuple(
    (row["data"], int(row["K21"]), int(row["K12"]), *(float(row[name]) for name in _COLUMNS))
    for row in published_rows("ferrer2022", "table_1.csv")
)


def _table_1(_: Context) -> Outcome:
    """All 21 rows; the column EC_1.5 for the cost it was printed with and for the one it names."""
    cells, off = [], 0
    for place, (data, k21, k12, *printed) in enumerate(_ROWS):
        row = f"{place + 1}. {data} K21={k21} K12={k12}"
        ours = measured(table_with(data, k21, k12))
        for name, value in zip(_COLUMNS, printed, strict=True):
            note = "c21 = sqrt(2)" if name == "EC_1.5" else ""
            cells.append(Cell(f"{row} / {name}", value, ours[name], 0.005, "as printed", note))
            if name == "EC_1.5":
                named = ours["EC_1.5 text"]
                off += abs(named - value) > 0.005 + 1e-9
                cells.append(Cell(f"{row} / EC_1.5 (1.5)", None, named, 0.005, "as the text says"))
    remark = (
        "The column EC_1.5 agrees in all rows with a cost of c21 = sqrt(2) = 1.414, beta^2 for "
        f"beta = 1.189, not with the 1.5 that the text names: with 1.5, {off} of the {len(_ROWS)} "
        "rows would print another number. Both columns are shown."
    )
    row_16 = measured(table_with("Imb", 0, 810))
    claim = Claim(
        "The column EC_1.5 is for c21 = beta^2 = 1.5.",
        off == 0,
        f"With 1.5, {off} of {len(_ROWS)} rows would print another number; with sqrt(2) none "
        f"would. Row 16: {row_16['EC_1.5 text']:.2f} with 1.5, {row_16['EC_1.5']:.2f} with "
        "sqrt(2), printed 5.73. No conclusion depends on it.",
    )
    return Outcome(tuple(cells), remarks=(remark,), claims=(*_table_1_claims(), claim))


def _table_1_claims() -> tuple[Claim, ...]:
    """What section 7 reads off the table."""
    rows = [measured(table_with(data, k21, k12)) for data, k21, k12, *_ in _ROWS]
    middle = [(rows[k], rows[k + 1], rows[k + 2]) for k in (3, 6)]
    prefers = all(a["MCC"] > b["MCC"] < c["MCC"] for a, b, c in middle)
    grows = all(
        (one["R*2"] - other["R*2"]) * (one["FS_1"] - other["FS_1"]) >= 0
        for block in (rows[3:6], rows[6:9], rows[18:21])
        for one in block
        for other in block
    )
    return (
        Claim(
            "With EC_nb held fixed, MCC favours systems whose decisions are less balanced, even "
            "on balanced data.",
            prefers,
            "Balanced data, EC_nb .5: MCC "
            + ", ".join(f"{row['MCC']:.2f}" for row in middle[0])
            + " for shares R*2 of .75, .50, .25; EC_nb .9: "
            + ", ".join(f"{row['MCC']:.2f}" for row in middle[1])
            + ".",
        ),
        Claim(
            "With EC_1 held fixed, F1 grows with the share of cases labelled as class 2.",
            grows,
            "Imbalanced data, EC_1 .9: F1 "
            + ", ".join(f"{row['FS_1']:.2f}" for row in rows[18:21])
            + " for shares R*2 of .19, .10, .01.",
        ),
    )


TABLE_1 = Item("table1", "Table 1: metrics with one cost held fixed", _table_1, seconds=0.1)


_STEPS = 20
_PANELS = (("EC_nb", "MCC"), ("EC_1.5", "FS_1"), ("EC_1", "FS_1"))


def _figure_1(_: Context) -> Outcome:
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
    pairs = [(agreement[data, "EC_1.5", "FS_1"], agreement[data, "EC_1", "FS_1"]) for data in CASES]
    worthless = [cell.ours for cell in cells if "largest F1" in cell.name]
    claims = (
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
    return Outcome(tuple(cells), tables, (remark,), claims)


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
    "figure1",
    "Figure 1: F1 and MCC against expected costs, six panels",
    _figure_1,
    _draw,
    seconds=1,
)


PAPER = Paper(
    key="ferrer2022",
    citation=(
        'L. Ferrer, "Analysis and Comparison of Classification Metrics", arXiv:2209.05355, 2022.'
    ),
    items=(FIGURE_1, TABLE_1),
)
