"""Table 1: seven blocks of systems with one expected cost held fixed, and the metrics compared."""

from __future__ import annotations

import math

from stakes import Application, ConfusionMatrix, CostMatrix, normalized_expected_cost
from stakes.metrics import alpha_cost, f1, mcc
from stakes.papers.items import Cell, Claim, Context, Item, Outcome

#: Cases of class 1 and class 2 in the balanced and in the imbalanced data.
CASES = {"Bal": (500, 500), "Imb": (900, 100)}
_ROOT_TWO = math.sqrt(2)


def table_with(data: str, k21: float, k12: float) -> ConfusionMatrix:
    """The confusion matrix with so many errors in class 2 and in class 1."""
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
_ROWS: tuple[tuple[str, int, int, *tuple[float, ...]], ...] = (
    ("Bal", 0, 50, 0.10, 0.10, 0.10, 0.95, 0.90, 0.00, 0.10, 0.55, 0.45),
    ("Bal", 25, 25, 0.10, 0.12, 0.10, 0.95, 0.90, 0.05, 0.05, 0.50, 0.50),
    ("Bal", 50, 0, 0.10, 0.14, 0.10, 0.95, 0.90, 0.10, 0.00, 0.45, 0.55),
    ("Bal", 0, 250, 0.50, 0.50, 0.50, 0.80, 0.58, 0.00, 0.50, 0.75, 0.25),
    ("Bal", 125, 125, 0.50, 0.60, 0.50, 0.75, 0.50, 0.25, 0.25, 0.50, 0.50),
    ("Bal", 250, 0, 0.50, 0.71, 0.50, 0.67, 0.58, 0.50, 0.00, 0.25, 0.75),
    ("Bal", 0, 450, 0.90, 0.90, 0.90, 0.69, 0.23, 0.00, 0.90, 0.95, 0.05),
    ("Bal", 225, 225, 0.90, 1.09, 0.90, 0.55, 0.10, 0.45, 0.45, 0.50, 0.50),
    ("Bal", 450, 0, 0.90, 1.27, 0.90, 0.18, 0.23, 0.90, 0.00, 0.05, 0.95),
    ("Imb", 0, 90, 0.90, 0.64, 0.10, 0.69, 0.69, 0.00, 0.10, 0.19, 0.81),
    ("Imb", 5, 45, 0.50, 0.37, 0.10, 0.79, 0.78, 0.05, 0.05, 0.14, 0.86),
    ("Imb", 10, 0, 0.10, 0.10, 0.10, 0.95, 0.94, 0.10, 0.00, 0.09, 0.91),
    ("Imb", 0, 450, 4.50, 3.18, 0.50, 0.31, 0.30, 0.00, 0.50, 0.55, 0.45),
    ("Imb", 30, 180, 2.10, 1.57, 0.50, 0.40, 0.35, 0.30, 0.20, 0.25, 0.75),
    ("Imb", 50, 0, 0.50, 0.50, 0.50, 0.67, 0.69, 0.50, 0.00, 0.05, 0.95),
    ("Imb", 0, 810, 8.10, 5.73, 0.90, 0.20, 0.10, 0.00, 0.90, 0.91, 0.09),
    ("Imb", 40, 450, 4.90, 3.58, 0.90, 0.20, 0.06, 0.40, 0.50, 0.51, 0.49),
    ("Imb", 90, 0, 0.90, 0.90, 0.90, 0.18, 0.30, 0.90, 0.00, 0.01, 0.99),
    ("Imb", 0, 90, 0.90, 0.64, 0.10, 0.69, 0.69, 0.00, 0.10, 0.19, 0.81),
    ("Imb", 45, 45, 0.90, 0.77, 0.50, 0.55, 0.50, 0.45, 0.05, 0.10, 0.90),
    ("Imb", 90, 0, 0.90, 0.90, 0.90, 0.18, 0.30, 0.90, 0.00, 0.01, 0.99),
)


def _compute(_: Context) -> Outcome:
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
    return Outcome(tuple(cells), remarks=(_remark(off),), claims=(*_claims(), _cost_claim(off)))


def _remark(off: int) -> str:
    """How far the named cost is from the printed column."""
    return (
        "The column EC_1.5 agrees in all rows with a cost of c21 = sqrt(2) = 1.414, beta^2 for "
        f"beta = 1.189, not with the 1.5 that the text names: with 1.5, {off} of the {len(_ROWS)} "
        "rows would print another number. Both columns are shown."
    )


def _cost_claim(off: int) -> Claim:
    """Which cost the column EC_1.5 was printed with."""
    named, root = (measured(table_with("Imb", 0, 810))[name] for name in ("EC_1.5 text", "EC_1.5"))
    return Claim(
        "The column EC_1.5 is for c21 = beta^2 = 1.5.",
        off == 0,
        f"With 1.5, {off} of {len(_ROWS)} rows would print another number; with sqrt(2) none "
        "would. "
        f"Row 16: {named:.2f} with 1.5, {root:.2f} with sqrt(2), printed 5.73. No conclusion "
        "depends on it.",
    )


def _claims() -> tuple[Claim, ...]:
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


TABLE_1 = Item("table1", "Table 1: metrics with one cost held fixed", _compute, seconds=0.1)
