"""Findings from tables of counts, for every test of this room."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.report import Findings, judge

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])


def made(*tables, priors=(0.9, 0.1), costs=COSTS, **more):
    app = Application(costs, priors=priors, **more)
    models = [
        judge(ConfusionMatrix(t, app.classes, app.decisions), app, name=f"m{k}")
        for k, t in enumerate(tables)
    ]
    naive = int(np.argmin(app.naive_costs))
    totals = np.sum(tables[0], axis=1)
    return Findings(
        "t.csv", float(totals.sum()), app, totals / totals.sum(), app.decisions[naive],
        app.naive_cost, tuple(models), totals, positive="yes",
    )  # fmt: skip


@pytest.fixture
def findings():
    """A function from tables of counts to findings."""
    return made
