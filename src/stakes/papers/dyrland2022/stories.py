"""The prologue, which metrics comply, and figure 8, a smaller area that yields more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts, metrics, plots
from stakes.audit import compliance
from stakes.curves import iso_cost_tangent, roc
from stakes.papers.items import (
    COLOURS,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    as_curve,
    panels,
    published_rows,
)
from stakes.results import frame_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_CLASSES = ("long", "short")
#: Eqs 1-2 per 100 components, turned so that rows are the true classes 0 (long) and 1 (short).
_CLASSIFIERS = {
    "classifier A": ConfusionMatrix([[27, 23], [15, 35]], _CLASSES, _CLASSES),
    "classifier B": ConfusionMatrix([[43, 7], [18, 32]], _CLASSES, _CLASSES),
}
#: Eqs 4-6, turned alike.
UTILITIES = {
    "eq 4": CostMatrix.from_utilities([[15, -35], [-335, 165]], _CLASSES, _CLASSES),
    "eq 5": CostMatrix.from_utilities([[45, -65], [-335, 165]], _CLASSES, _CLASSES),
    "eq 6": CostMatrix.from_utilities([[350, 300], [0, 500]], _CLASSES, _CLASSES),
}
_YIELDS = {"eq 4": (3.5, -3.5), "eq 5": (4.7, 7.3), "eq 6": (None, None)}
_UNITS = {"eq 4": "$ per component", "eq 5": "$ per component", "eq 6": "months of life"}
_TABLE_1 = published_rows("dyrland2022", "table_1.csv")
_PRINTED = {row["metric"]: tuple(float(row[name]) for name in _CLASSIFIERS) for row in _TABLE_1}
#: What the paper calls them.
WORDS = {row["metric"]: row["words"] for row in _TABLE_1}
#: Section 3.3: can it be written in the form of eq 17?
_COMPLIES = {
    **dict.fromkeys(("accuracy", "recall", "specificity"), True),
    **dict.fromkeys(("precision", "f1", "mcc", "fowlkes_mallows", "balanced_accuracy"), False),
}


def _value(metric: str, table: ConfusionMatrix) -> float:
    """A metric with class 0, the components that last, as the positive one."""
    entry = metrics.catalogue[metric]
    return entry(table, positive="long") if entry.classes == "two" else entry(table)


def _table_1(_: Context) -> Outcome:
    """Table 1, and the average gains of eqs 3, 5 and 6."""
    cells = [
        Cell(f"{WORDS[metric]} / {name}", printed, _value(metric, table), 0.005)
        for metric, numbers in _PRINTED.items()
        for (name, table), printed in zip(_CLASSIFIERS.items(), numbers, strict=True)
    ]
    gained = {
        matrix: [metrics.utility_yield(table, costs) for table in _CLASSIFIERS.values()]
        for matrix, costs in UTILITIES.items()
    }
    cells += [
        Cell(f"average gain, {matrix} / {name}", printed, ours, 0.05, note=_UNITS[matrix])
        for matrix in UTILITIES
        for name, printed, ours in zip(_CLASSIFIERS, _YIELDS[matrix], gained[matrix], strict=True)
    ]
    return Outcome(tuple(cells), claims=_table_claims(gained))


def _table_claims(gained: dict[str, list[float]]) -> tuple[Claim, ...]:
    """What the prologue and section 1 say."""
    a, b = _CLASSIFIERS.values()
    for_b = [metric for metric in _PRINTED if _value(metric, b) > _value(metric, a)]
    for_a = [WORDS[metric] for metric in _PRINTED if metric not in for_b]
    first, second, third = (gained[matrix] for matrix in UTILITIES)
    relative = _value("specificity", a) / _value("specificity", b) - 1
    return (
        Claim(
            "Most metrics favour classifier B, which loses money where A earns it.",
            len(for_b) > len(for_a) and first[0] > 0 > first[1],
            f"{len(for_b)} of {len(_PRINTED)} metrics favour B, the {', '.join(for_a)} favours A "
            f"(by {100 * relative:.0f} %); average gains are {first[0]:.1f} and {first[1]:.1f}.",
        ),
        Claim(
            "With the gains of eq 5 B is the better one, so the true-negative rate misleads too.",
            second[1] > second[0],
            f"A gains {second[0]:.1f}, B {second[1]:.1f} per component.",
        ),
        Claim(
            "In the medical variant A gives more than six months of life over B.",
            third[0] - third[1] > 6,
            f"{third[0]:.1f} against {third[1]:.1f} months: {third[0] - third[1]:.1f} more.",
        ),
    )


def _complying(_: Context) -> Outcome:
    """Section 3.3: which metrics some utility matrix explains; and the formula printed for MCC."""
    found = {metric: compliance(metric) for metric in _COMPLIES}
    cells = [
        Cell(f"{WORDS[metric]} is of the form of eq 17", float(printed),
             float(found[metric].compliant), 0.0, "1 yes, 0 no", found[metric].failure or "",
             source="equality")
        for metric, printed in _COMPLIES.items()
    ]  # fmt: skip
    without, complete = [], []  # the term - f0 f1
    for name, table, known in zip(
        _CLASSIFIERS, _CLASSIFIERS.values(), _PRINTED["mcc"], strict=True
    ):
        (c00, c10), (c01, c11) = (table.counts / table.total).tolist()
        f0, f1 = c00 + c10, c01 + c11
        root = math.sqrt(f0 * f1 * (f1 + c00 - c11) * (f0 + c11 - c00))
        without.append((f1 * c00 + f0 * c11) / root)
        complete.append((f1 * c00 + f0 * c11 - f0 * f1) / root)
        cells += [
            Cell(f"MCC of {name}", None, without[-1], 5e-5, "formula as printed"),
            Cell(f"MCC of {name}", known, complete[-1], 0.005, "with the term - f0 f1",
                 "printed in Table 1", source="again"),
        ]  # fmt: skip
    claims = (
        Claim(
            "Precision, F1, MCC, Fowlkes-Mallows and balanced accuracy follow no utility matrix; "
            "accuracy and the two rates do.",
            all(found[m].compliant == printed for m, printed in _COMPLIES.items()),
            "Level sets: "
            + "; ".join(f"{WORDS[m]} {f.failure}" for m, f in found.items() if f.failure)
            + ". Balanced accuracy follows one matrix on each data set, another one on the next.",
        ),
        Claim(
            "The numerator of MCC is f1 C00 + f0 C11.",
            abs(without[0] - _PRINTED["mcc"][0]) <= 0.005,
            f"For classifier A that gives {without[0]:.3f}, more than 1; with the term - f0 f1 it "
            f"gives {complete[0]:.3f}, the 0.24 of Table 1.",
            erratum=8,
        ),
    )
    rows = [(metric, each.compliant, each.failure or "") for metric, each in found.items()]
    verdicts = frame_of(("metric", "complies", "failure"), rows)
    return Outcome(tuple(cells), {"compliance": verdicts}, claims=claims)


TABLE_1 = Item("table1", "Table 1 and eqs 3-6: metrics against average gains", _table_1)
COMPLIANCE = Item(
    "section3.3", "Section 3.3: metrics that some utility matrix explains", _complying, seconds=2.0
)


#: Two ways to the same slope: utilities by B, the share of class 0; rows true classes 1 and 0.
_PROBLEMS = {
    "utilities [4 0; 0 1], B = 0.5": Application(
        CostMatrix.from_utilities([[1, 0], [0, 4]]), [0.5, 0.5]
    ),
    "utilities [1 0; 0 1], B = 0.8": Application(
        CostMatrix.from_utilities([[1, 0], [0, 1]]), [0.2, 0.8]
    ),
}
#: Normal scores of the positive class, mean and standard deviation; those of the other are (0, 1).
_CURVES = {"solid": (1.0, 0.3), "dashed": (2.2, 1.8)}
_CASES = 2000


def _scores(mean: float, sd: float) -> ScoreCounts:
    """Scores at the quantiles of the two distributions."""
    from scipy.special import ndtri

    z = ndtri((np.arange(_CASES) + 0.5) / _CASES)
    truth = np.repeat([0, 1], _CASES)
    return ScoreCounts.from_scores(truth, np.concatenate([z, mean + sd * z]), kind="rank")


def _compute(_: Context) -> Outcome:
    """Areas, tangents and yields of the two curves."""
    scores = {name: _scores(*place) for name, place in _CURVES.items()}
    areas = {name: metrics.auc(each) for name, each in scores.items()}
    cells = [Cell(f"area / {name}", None, area, 5e-5) for name, area in areas.items()]
    tangents, rows = {}, []
    for problem, app in _PROBLEMS.items():
        for name, each in scores.items():
            tangents[name] = line = iso_cost_tangent(each, app)
            cells.append(Cell(f"yield, {problem} / {name}", None, -line.cost, 5e-5))
            rows.append((problem, name, line.false_positive_rate, line.true_positive_rate,
                         line.slope, line.intercept))  # fmt: skip
        cells.append(
            Cell(f"slope of eq 25, {problem}", 0.25, line.slope, 5e-13, "both examples of the text")
        )
    names = ("problem", "curve", "false_positive_rate", "true_positive_rate", "slope", "intercept")
    frame = frame_of(names, rows)
    curves = {f"roc_{name}": roc(each, hull=False).frame() for name, each in scores.items()}
    solid, dashed = tangents["solid"], tangents["dashed"]
    claim = Claim(
        "A curve with the smaller area can yield more: its tangent has the higher intercept.",
        areas["solid"] < areas["dashed"] and solid.intercept > dashed.intercept,
        f"Areas {areas['solid']:.3f} and {areas['dashed']:.3f}, intercepts {solid.intercept:.3f} "
        f"and {dashed.intercept:.3f}, at a slope of {solid.slope:g}.",
    )
    remark = (
        "The paper does not say which curves it drew; these are of normal scores with other "
        "spreads, and show the same. The slope is that of the paper."
    )
    return Outcome(tuple(cells), {"tangents": frame, **curves}, (remark,), (claim,))


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """Both curves with their tangents."""
    figure, (ax,) = panels(1, 1, width=5.2, height=5.0)
    areas = {cell.name: cell.ours for cell in outcome.cells}
    named = {name: f"{name}: area {areas[f'area / {name}']:.3f}" for name in _CURVES}
    plots.roc(
        {said: as_curve(outcome.tables[f"roc_{name}"]) for name, said in named.items()}, ax=ax
    )
    for color, line in zip(COLOURS[:2], list(outcome.tables["tangents"].rows())[:2], strict=True):
        ax.axline((0, line["intercept"]), slope=line["slope"], color=color, linestyle=":")
        ax.plot(line["false_positive_rate"], line["true_positive_rate"], "o", color=color)
    ax.set(ylim=(0, 1.1), title="dotted: equal yield, slope 1/4")
    return {"figure8": figure}


FIGURE_8 = Item("figure8", "Figure 8: the tangent decides, not the area", _compute, _draw)
