"""The worked examples: a bank that grants a loan at two rates, and when to abstain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes import Application, CostMatrix, bayes_decisions, decision_intervals
from stakes.papers.ferrer2025.table_1 import simulated
from stakes.papers.items import (
    LEGEND,
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

_ABSTENTION_CLASSES = tuple(f"H{k + 1}" for k in range(10))


def _abstention(_: Context) -> Outcome:
    """Eqs 30-33 on the ten-class data: Bayes decisions against the rule derived for them."""
    data = simulated(10_000, 10, 0.20)
    cells, same = [], True
    for alpha, naive in ((0.05, "abstain"), (0.30, "H1")):
        costs = CostMatrix.zero_one(_ABSTENTION_CLASSES).with_abstention(alpha)
        taken = bayes_decisions(data.posteriors, costs, classes=_ABSTENTION_CLASSES)
        by_rule = data.posteriors.max(axis=1) < 1 - alpha
        differing = int(((taken == len(_ABSTENTION_CLASSES)) != by_rule).sum())
        agrees = Application(costs, priors=data.priors).naive_decision == naive
        same &= differing == 0 and agrees
        cut = decision_intervals(CostMatrix.zero_one(2).with_abstention(alpha)).cuts[-1]
        cells += [
            Cell(f"alpha = {alpha:.2f} / largest posterior below which it abstains", 1 - alpha,
                 float(cut), 1e-9, "eq 32", source="equality"),
            Cell(f"alpha = {alpha:.2f} / cases where the rule and Bayes differ", 0.0,
                 float(differing), reading="eq 32", source="equality"),
            Cell(f"alpha = {alpha:.2f} / naive decision is '{naive}'", 1.0, float(agrees),
                 reading="1 yes, 0 no", source="equality"),
        ]  # fmt: skip
    claim = Claim(
        "With 0-1 costs and a cost of alpha for abstaining, Bayes decisions abstain when every "
        "posterior is below 1 - alpha (eq 32); the naive one abstains when every prior is (eq 33).",
        same,
        f"The same in all {len(data.y)} simulated cases for alpha = .05 and .30, where the naive "
        "decisions are to abstain and H1, as stated.",
    )
    return Outcome(tuple(cells), claims=(claim,))


ABSTENTION = Item("abstention", "Appendix A.3: abstention", _abstention, seconds=0.2)


# Half of the clients accept the higher rate; interest of .5 and .9 of the principal; those who
# default have paid .4 of what they owe.
BETA, STANDARD, HIGH, GAMMA = 0.5, 0.5, 0.9, 0.4
_LOAN_CLASSES = ("repays", "defaults")
_DECISIONS = ("deny", "higher rate", "standard rate")
_UTILITIES = ((0.0, 0.45, 0.50), (0.0, -0.24, -0.40))
_STANDARDISED = ((0.50, 0.05, 0.0), (0.0, 0.24, 0.40))


def _loan(_: Context) -> Outcome:
    """The utilities, the costs they become, and when each decision is best."""
    utilities = [
        [0.0, BETA * HIGH, STANDARD],
        [0.0, GAMMA * (1 + HIGH) - 1, GAMMA * (1 + STANDARD) - 1],
    ]
    costs = CostMatrix.from_utilities(utilities, classes=_LOAN_CLASSES, decisions=_DECISIONS)
    standard = costs.standardized()
    cells = [
        Cell(f"{name}, {what} / {decision}", printed[i][j], float(found[i, j]), 0.005)
        for what, printed, found in (
            ("utility", _UTILITIES, -costs.values),
            ("cost", _STANDARDISED, standard.values),
        )
        for i, name in enumerate(_LOAN_CLASSES)
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
    remark = (
        "Cells are in units of the principal, for interest of .5 and .9 of it, half of the clients "
        "accepting the higher rate, and .4 of the debt paid before default."
    )
    claim = Claim(
        "Shifting each row of a cost matrix by a constant does not change the Bayes decisions.",
        same,
        f"The same decision at each of {len(p)} probabilities of default, before and after the row "
        "minima were taken away.",
    )
    tables = {"expected-costs": Frame({"p_defaults": p, **lines})}
    return Outcome(tuple(cells), tables, (remark,), (claim,))


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """The expected cost of each decision against the probability of default."""
    table = outcome.tables["expected-costs"]
    figure, (ax,) = panels(1, 1, width=5.6, height=3.6)
    draw_lines(ax, table, "p_defaults", _DECISIONS)
    for cell in outcome.cells[-2:]:
        mark(ax, cell.ours)
    ax.set(xlabel="probability of default", ylabel="expected cost (of the principal)")
    ax.legend(**LEGEND)
    return {"loan": figure}


LOAN = Item("loan", "Section 2.2: the loan", _loan, _draw, seconds=0.1)
