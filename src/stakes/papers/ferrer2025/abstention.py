"""Appendix A.3: when to abstain, and when always abstaining is the best naive decision."""

from __future__ import annotations

import numpy as np

from stakes import Application, CostMatrix, bayes_decisions
from stakes.papers.ferrer2025.table_1 import simulated
from stakes.papers.items import Cell, Claim, Context, Item, Outcome

_CLASSES = tuple(f"H{k + 1}" for k in range(10))


def _compute(_: Context) -> Outcome:
    """Eqs 30-33 on the ten-class data: Bayes decisions against the rule derived for them."""
    data = simulated(10_000, 10, 0.20)
    cells, same = [], True
    for alpha, naive in ((0.05, "abstain"), (0.30, "H1")):
        app = Application(CostMatrix.zero_one(_CLASSES).with_abstention(alpha), priors=data.priors)
        abstains = bayes_decisions(data.posteriors, app, classes=_CLASSES) == len(_CLASSES)
        by_rule = data.posteriors.max(axis=1) < 1 - alpha
        same &= bool((abstains == by_rule).all()) and app.naive_decision == naive
        differing = float(np.sum(abstains != by_rule))
        cells += [
            Cell(f"alpha = {alpha:.2f} / largest posterior below which it abstains", 1 - alpha,
                 _boundary(alpha), 1e-9, "eq 32", source="equality"),
            Cell(f"alpha = {alpha:.2f} / cases where the rule and Bayes differ", 0.0, differing,
                 reading="eq 32", source="equality"),
            Cell(f"alpha = {alpha:.2f} / naive decision is '{naive}'", 1.0,
                 float(app.naive_decision == naive), reading="1 yes, 0 no", source="equality"),
        ]  # fmt: skip
    return Outcome(
        tuple(cells),
        claims=(
            Claim(
                "With 0-1 costs and a cost of alpha for abstaining, Bayes decisions abstain when "
                "every posterior is below 1 - alpha (eq 32); the naive one abstains when every "
                "prior is (eq 33).",
                same,
                f"The same in all {len(data.y)} simulated cases for alpha = .05 and .30, where the "
                "naive decisions are to abstain and H1, as stated.",
            ),
        ),
    )


def _boundary(alpha: float) -> float:
    """The largest posterior at which the Bayes decision stops abstaining, by bisection."""
    costs = CostMatrix.zero_one(3).with_abstention(alpha)
    low, high = 0.5, 1.0
    for _ in range(50):
        top = (low + high) / 2
        decision = int(bayes_decisions([[top, (1 - top) / 2, (1 - top) / 2]], costs)[0])
        low, high = (top, high) if decision == 3 else (low, top)
    return high


ABSTENTION = Item("abstention", "Appendix A.3: abstention", _compute, seconds=0.2)
