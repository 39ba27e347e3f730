"""Evaluation of costs per case from what an engine has added up."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._kernels.heavy_tails import MATTERS, too_unequal
from stakes.application import Application
from stakes.engines import Reduction
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.from_rows import shortage_of
from stakes.evaluation.parts import ModelEvaluation, Naive
from stakes.exceptions import CostError, DataError
from stakes.summaries import CostTally
from stakes.typing import FloatArray
from stakes.uncertainty.sufficiency import few_carry

__all__ = ["evaluated_case_sums"]

NOTES = (
    "each case is decided by its own costs; one threshold for all needs the rows: evaluate()",
    "there are no intervals of normalised costs: stakes.uncertainty.interval gives that of the "
    "cost, from Reduction.tally()",
)


def evaluated_case_sums(
    found: Reduction, given: Application, options: dict[str, Any]
) -> Evaluation:
    """Judge models that decide each case by its own costs."""
    totals = found.class_totals
    if not totals.sum() > 0:
        raise DataError("the cases have no weight.")
    shares = np.asarray(totals / totals.sum())
    app = given.with_priors(given.resolved_priors(shares))
    assert app.priors is not None
    scale = np.divide(app.priors, totals, out=np.zeros(len(totals)), where=totals > 0)
    naive = _naive(found, app, scale)
    average = app.with_costs(found.average_costs())
    models = tuple(
        _summed(model, found.kinds[model], found.tally(model), found, naive, scale)
        for model in found.request.models
    )
    return Evaluation(
        application=average,
        models=models,
        n_cases=float(found.n_rows),
        data_priors=shares,
        too_few=shortage_of(found.rows_by_class, average, options["min_cases"]),
        notes=NOTES + _unequal(found, scale),
        naive=naive,
        level=options["level"],
    )


def _naive(found: Reduction, app: Application, scale: FloatArray) -> Naive:
    """The best constant decision, and what of its cost could be avoided."""
    constant = scale @ found.naive_tally().sums
    chosen = int(np.argmin(constant))
    cost = float(constant[chosen])
    avoidable = cost - float(scale @ found.least_cost)
    if avoidable <= 0:
        raise CostError(f"always deciding '{app.decisions[chosen]}' is already perfect here.")
    return Naive(app.decisions[chosen], cost, avoidable)


def _unequal(found: Reduction, scale: FloatArray) -> tuple[str, ...]:
    """A note on classes whose amounts are so unequal that an interval would be too short."""
    stake = found.naive_tally()
    dearest = np.argmax(np.abs(stake.sums), axis=1)[:, None]
    amounts = (
        np.take_along_axis(table, dearest, axis=1)[:, 0]
        for table in (stake.counts, np.abs(stake.sums), stake.squares)
    )
    paid = [scale**2 * found.tally(model).squares.sum(axis=1) for model in found.request.models]
    matters = np.any([each > MATTERS * each.sum() for each in paid], axis=0)
    rows = np.flatnonzero(matters & too_unequal(*amounts))
    return (few_carry([found.request.classes[k] for k in rows]),) if rows.size else ()


def _summed(
    model: str,
    kind: str,
    tally: CostTally,
    found: Reduction,
    naive: Naive,
    scale: FloatArray,
) -> ModelEvaluation:
    """One model with its cost and its parts."""
    cells = scale[:, None] * tally.sums
    cost = float(cells.sum())
    saving = naive.cost - cost
    per_case = kind == "posteriors"
    return ModelEvaluation(
        name=f"{model}, per case" if per_case else model,
        kind=kind,
        confusion=found.confusion(model, "per case"),
        cost=cost,
        nec=1 - saving / naive.avoidable,
        saving=saving,
        interval=None,
        probability_best=None,
        threshold=None,
        cells=cells,
        rule="per case" if per_case else None,
    )
