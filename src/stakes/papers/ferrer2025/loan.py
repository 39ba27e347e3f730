"""Section 2.2: a bank that denies a loan, or grants it at a standard or a higher rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes import CostMatrix, bayes_decisions, decision_intervals
from stakes.papers.figures import COLOURS, LEGEND, LINE, mark, panels
from stakes.papers.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Half of the clients accept the higher rate; interest of .5 and .9 of the principal; those who
# default have paid .4 of what they owe.
BETA, STANDARD, HIGH, GAMMA = 0.5, 0.5, 0.9, 0.4
_CLASSES = ("repays", "defaults")
_DECISIONS = ("deny", "higher rate", "standard rate")
_UTILITIES = ((0.0, 0.45, 0.50), (0.0, -0.24, -0.40))
_STANDARDISED = ((0.50, 0.05, 0.0), (0.0, 0.24, 0.40))


def _compute(_: Context) -> Outcome:
    """The utilities, the costs they become, and when each decision is best."""
    utilities = [
        [0.0, BETA * HIGH, STANDARD],
        [0.0, GAMMA * (1 + HIGH) - 1, GAMMA * (1 + STANDARD) - 1],
    ]
    costs = CostMatrix.from_utilities(utilities, classes=_CLASSES, decisions=_DECISIONS)
    standard = costs.standardized()
    cells = [
        Cell(f"{name}, {what} / {decision}", printed[i][j], float(found[i, j]), 0.005)
        for what, printed, found in (
            ("utility", _UTILITIES, -costs.values),
            ("cost", _STANDARDISED, standard.values),
        )
        for i, name in enumerate(_CLASSES)
        for j, decision in enumerate(_DECISIONS)
    ]
    rule = decision_intervals(standard)
    p = np.linspace(0, 1, 201)
    taken = [bayes_decisions(p, each, positive="defaults") for each in (costs, standard)]
    same = bool((taken[0] == taken[1]).all())
    lines = {
        decision: (1 - p) * standard.values[0, j] + p * standard.values[1, j]
        for j, decision in enumerate(_DECISIONS)
    }
    cells += [
        Cell(f"p(defaults) above which '{above}' is best", None, float(cut), 5e-5)
        for cut, above in zip(rule.cuts, rule.decisions[1:], strict=True)
    ]
    return Outcome(
        tuple(cells),
        {"expected-costs": Frame({"p_defaults": p, **lines})},
        (
            "Cells are in units of the principal, for interest of .5 and .9 of it, half of the "
            "clients accepting the higher rate, and .4 of the debt paid before default.",
        ),
        (
            Claim(
                "Shifting each row of a cost matrix by a constant does not change the Bayes "
                "decisions.",
                same,
                f"The same decision at each of {len(p)} probabilities of default, before and "
                "after the row minima were taken away.",
            ),
        ),
    )


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """The expected cost of each decision against the probability of default."""
    table = outcome.tables["expected-costs"]
    figure, (ax,) = panels(1, 1, width=5.6, height=3.6)
    for color, decision in zip(COLOURS, _DECISIONS, strict=False):
        ax.plot(table["p_defaults"], table[decision], color=color, linewidth=LINE, label=decision)
    for cell in outcome.cells[-2:]:
        mark(ax, cell.ours)
    ax.set(xlabel="probability of default", ylabel="expected cost (of the principal)")
    ax.legend(**LEGEND)
    return {"loan": figure}


LOAN = Item("loan", "Section 2.2: the loan", _compute, _draw, seconds=0.1)
