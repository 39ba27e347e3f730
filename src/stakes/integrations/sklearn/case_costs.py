"""Costs of single cases under the names of an application, and what decisions cost with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._columns import as_weights
from stakes._names import encode
from stakes.application import Application, CaseCosts
from stakes.exceptions import CostError, DataError
from stakes.metrics import case_cost, expected_cost, normalized_expected_cost

__all__ = ["as_case_costs", "cost_per_case"]


def as_case_costs(costs: Any, app: Application) -> CaseCosts:
    """Costs per case in the order, and under the names, of the application."""
    names = (app.classes, app.decisions)
    if not isinstance(costs, CaseCosts):
        return CaseCosts(_of_shape(np.asarray(costs, dtype=np.float64), app), *names)
    values = _of_shape(costs.values, app)
    if (costs.classes, costs.decisions) == names:
        return costs
    for axis, (own, wanted) in enumerate(
        zip((costs.classes, costs.decisions), names, strict=True), start=1
    ):
        if set(own) == set(wanted):
            values = np.take(values, [own.index(name) for name in wanted], axis=axis)
        elif own != tuple(range(len(own))):
            raise CostError(
                f"`costs` names {list(own)}, the application {list(wanted)}.",
                hint="name both alike, or give the plain array costs.values",
            )
    return CaseCosts(values, *names)


def cost_per_case(
    app: Application,
    y: Any,
    decisions: Any,
    *,
    sample_weight: Any = None,
    costs: Any = None,
    normalize: bool = False,
) -> float:
    """(Normalised) expected cost of decisions; with `costs`, of cases that have their own."""
    if costs is None:
        measure = normalized_expected_cost if normalize else expected_cost
        return measure(y, decisions, application=app, sample_weight=sample_weight)
    table = as_case_costs(costs, app)
    if sample_weight is not None:
        table = _weighted(table, y, sample_weight, app)
    found = case_cost(y, decisions, costs=table, priors=app.priors)
    return found.normalized if normalize else found.per_case


def _of_shape(values: Any, app: Application) -> Any:
    """Values as they are, if there is one table of the right shape per case."""
    shape = (len(app.classes), len(app.decisions))
    if values.ndim != 3 or values.shape[1:] != shape:
        raise CostError(
            f"`costs` must have shape (n_cases, {shape[0]}, {shape[1]}), one table per case; got "
            f"{values.shape}."
        )
    return values


def _weighted(table: CaseCosts, y: Any, sample_weight: Any, app: Application) -> CaseCosts:
    """Costs times weights that average to 1: over all cases, or in each class if priors count."""
    weights = as_weights(sample_weight, len(table))
    codes = np.asarray(encode(y, table.classes, "y_true"), dtype=np.intp)
    if app.priors is None:
        factors = np.asarray(weights) / np.mean(np.asarray(weights))
        return CaseCosts(table.values * factors[:, None, None], table.classes, table.decisions)
    counts = np.bincount(codes, minlength=len(table.classes))
    mass = np.bincount(codes, weights=weights, minlength=len(table.classes))
    weightless = (mass == 0) & (counts > 0) & (app.priors > 0)
    if weightless.any():
        name = table.classes[int(np.flatnonzero(weightless)[0])]
        raise DataError(f"`sample_weight` is zero for every case of {name!r}, which has a prior.")
    scale = np.divide(counts, mass, out=np.zeros(len(mass)), where=mass > 0)
    factors = np.asarray(weights) * scale[codes]
    return CaseCosts(table.values * factors[:, None, None], table.classes, table.decisions)
