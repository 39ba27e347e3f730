"""Where the money goes: the costliest cells of a model, and what each decision is good for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes.application import Application, CostMatrix
from stakes.evaluation.judging import decided
from stakes.metrics import expected_cost
from stakes.results import Frame
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["costliest_cells", "use_of_decisions"]


def costliest_cells(ev: Evaluation, name: str, limit: int) -> Frame:
    """One row per cell: truth, decision, cost per case, share of the total; costliest first."""
    cells = _cells(ev, name)
    gross = float(np.abs(cells).sum())
    order = [k for k in np.argsort(-np.abs(cells), axis=None, kind="stable") if cells.flat[k]]
    app, width = ev.application, cells.shape[1]
    kept = order[:limit]
    return Frame(
        {
            "truth": [str(app.classes[k // width]) for k in kept],
            "decision": [str(app.decisions[k % width]) for k in kept],
            "cost": np.array([float(cells.flat[k]) for k in kept]),
            "share": np.array([abs(float(cells.flat[k])) / gross for k in kept]),
        }
    )


def use_of_decisions(ev: Evaluation, name: str) -> Frame:
    """One row per decision: its share of the cases, its cost, and the saving from having it.

    The saving is nan where it is not known: for models that gave decisions.
    """
    app, cells = ev.application, _cells(ev, name)
    assert app.priors is not None
    rates = np.nan_to_num(ev[name].confusion.rates, nan=0.0)
    return Frame(
        {
            "decision": [str(decision) for decision in app.decisions],
            "share": np.asarray(app.priors @ rates),
            "cost": cells.sum(axis=0),
            "saves": np.array([_saved(ev, name, j) for j in range(len(app.decisions))]),
        }
    )


def _cells(ev: Evaluation, name: str) -> FloatArray:
    """Cost per case by true class and decision."""
    found = ev[name].cells
    assert found is not None
    return found


def _saved(ev: Evaluation, name: str, j: int) -> float:
    """What the model would cost more per case if decision `j` did not exist."""
    app = ev.application
    if ev.sources is None or len(app.decisions) < 2:
        return float("nan")
    one = next(each for each in ev.sources.judged if each.model.name == name)
    assert app.priors is not None
    if one.model.posteriors is None:
        return float("nan")
    keep = [k for k in range(len(app.decisions)) if k != j]
    costs = CostMatrix(app.costs.values[:, keep], range(len(app.classes)), range(len(keep)))
    cost = expected_cost(
        ev.sources.cases.truth,
        decided(one.model, Application(costs, app.priors), ev.sources.said_at),
        application=Application(costs, app.priors),
        sample_weight=ev.sources.cases.weights,
    )
    return cost - ev[name].cost
