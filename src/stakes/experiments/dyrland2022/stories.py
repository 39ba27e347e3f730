"""The prologue: two classifiers, seven metrics, and what they earn; then which metrics comply."""

from __future__ import annotations

import math

from stakes import ConfusionMatrix, CostMatrix, metrics
from stakes.audit import compliance
from stakes.experiments.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

__all__ = ["CLASSIFIERS", "COMPLIANCE", "TABLE_1", "UTILITIES", "WORDS"]

CLASSES = ("long", "short")
#: Eqs 1-2 per 100 components, turned so that rows are the true classes 0 (long) and 1 (short).
CLASSIFIERS = {
    "classifier A": ConfusionMatrix([[27, 23], [15, 35]], CLASSES, CLASSES),
    "classifier B": ConfusionMatrix([[43, 7], [18, 32]], CLASSES, CLASSES),
}
#: Eqs 4-6, turned alike.
UTILITIES = {
    "eq 4": CostMatrix.from_utilities([[15, -35], [-335, 165]], CLASSES, CLASSES),
    "eq 5": CostMatrix.from_utilities([[45, -65], [-335, 165]], CLASSES, CLASSES),
    "eq 6": CostMatrix.from_utilities([[350, 300], [0, 500]], CLASSES, CLASSES),
}
YIELDS = {"eq 4": (3.5, -3.5), "eq 5": (4.7, 7.3), "eq 6": (None, None)}
PRINTED = {
    "accuracy": (0.62, 0.75),
    "balanced_accuracy": (0.62, 0.75),
    "precision": (0.64, 0.70),
    "f1": (0.59, 0.77),
    "mcc": (0.24, 0.51),
    "fowlkes_mallows": (0.59, 0.78),
    "recall": (0.54, 0.86),
    "specificity": (0.70, 0.64),
}
#: What the paper calls them.
WORDS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "precision": "precision",
    "f1": "F1",
    "mcc": "MCC",
    "fowlkes_mallows": "Fowlkes-Mallows",
    "recall": "true-positive rate",
    "specificity": "true-negative rate",
}
#: Section 3.3: can it be written in the form of eq 17?
COMPLIES = {
    "accuracy": True,
    "recall": True,
    "specificity": True,
    "precision": False,
    "f1": False,
    "mcc": False,
    "fowlkes_mallows": False,
    "balanced_accuracy": False,
}


def value(metric: str, table: ConfusionMatrix) -> float:
    """A metric with class 0, the components that last, as the positive one."""
    entry = metrics.catalogue[metric]
    return entry(table, positive="long") if entry.classes == "two" else entry(table)


def table_1(_: Context) -> Outcome:
    """Table 1, and the average gains of eqs 3, 5 and 6."""
    cells = [
        Cell(f"{WORDS[metric]} / {name}", printed, value(metric, table), 0.005)
        for metric, numbers in PRINTED.items()
        for (name, table), printed in zip(CLASSIFIERS.items(), numbers, strict=True)
    ]
    gained = {
        matrix: [metrics.utility_yield(table, costs) for table in CLASSIFIERS.values()]
        for matrix, costs in UTILITIES.items()
    }
    cells += [
        Cell(f"average gain, {matrix} / {name}", printed, ours, 0.05, note=_unit(matrix))
        for matrix in UTILITIES
        for name, printed, ours in zip(CLASSIFIERS, YIELDS[matrix], gained[matrix], strict=True)
    ]
    return Outcome(tuple(cells), claims=_table_claims(gained))


def _unit(matrix: str) -> str:
    """What a matrix counts."""
    return "months of life" if matrix == "eq 6" else "$ per component"


def _table_claims(gained: dict[str, list[float]]) -> tuple[Claim, ...]:
    """What the prologue and section 1 say."""
    a, b = CLASSIFIERS.values()
    for_b = [metric for metric in PRINTED if value(metric, b) > value(metric, a)]
    for_a = [WORDS[metric] for metric in PRINTED if metric not in for_b]
    first, second, third = (gained[matrix] for matrix in UTILITIES)
    relative = value("specificity", a) / value("specificity", b) - 1
    return (
        Claim(
            "Most metrics favour classifier B, which loses money where A earns it.",
            len(for_b) > len(for_a) and first[0] > 0 > first[1],
            f"{len(for_b)} of {len(PRINTED)} metrics favour B, the {', '.join(for_a)} favours A "
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


def complying(_: Context) -> Outcome:
    """Section 3.3: which metrics some utility matrix explains; and the formula printed for MCC."""
    found = {metric: compliance(metric) for metric in COMPLIES}
    cells = [
        Cell(f"{WORDS[metric]} is of the form of eq 17", float(printed),
             float(found[metric].compliant), 0.0, "1 yes, 0 no", found[metric].failure or "",
             source="equality")
        for metric, printed in COMPLIES.items()
    ]  # fmt: skip
    for name, table in CLASSIFIERS.items():
        (c00, c10), (c01, c11) = (table.counts / table.total).tolist()
        f0, f1 = c00 + c10, c01 + c11
        root = math.sqrt(f0 * f1 * (f1 + c00 - c11) * (f0 + c11 - c00))
        printed = (f1 * c00 + f0 * c11) / root
        right = (f1 * c00 + f0 * c11 - f0 * f1) / root
        cells += [
            Cell(f"MCC of {name}", None, printed, 5e-5, "formula as printed"),
            Cell(f"MCC of {name}", PRINTED["mcc"][list(CLASSIFIERS).index(name)], right, 0.005,
                 "with the term - f0 f1", "printed in Table 1", source="again"),
        ]  # fmt: skip
    wrong = next(c.ours for c in cells if c.reading == "formula as printed")
    right = next(c.ours for c in cells if c.reading == "with the term - f0 f1")
    claims = (
        Claim(
            "Precision, F1, MCC, Fowlkes-Mallows and balanced accuracy follow no utility matrix; "
            "accuracy and the two rates do.",
            all(found[m].compliant == printed for m, printed in COMPLIES.items()),
            "Level sets: "
            + "; ".join(f"{WORDS[m]} {f.failure}" for m, f in found.items() if f.failure)
            + ". Balanced accuracy follows one matrix on each data set, another one on the next.",
        ),
        Claim(
            "The numerator of MCC is f1 C00 + f0 C11.",
            abs(wrong - PRINTED["mcc"][0]) <= 0.005,
            f"For classifier A that gives {wrong:.3f}, more than 1; with the term - f0 f1 it gives "
            f"{right:.3f}, the 0.24 of Table 1.",
            erratum=8,
        ),
    )
    verdicts = Frame(
        {
            "metric": list(COMPLIES),
            "complies": [found[metric].compliant for metric in COMPLIES],
            "failure": [found[metric].failure or "" for metric in COMPLIES],
        }
    )
    return Outcome(tuple(cells), {"compliance": verdicts}, claims=claims)


TABLE_1 = Item("table1", "Table 1 and eqs 3-6: metrics against average gains", table_1)
COMPLIANCE = Item(
    "section3.3", "Section 3.3: metrics that some utility matrix explains", complying, seconds=2.0
)
