"""Draws of the costs of several systems at once, for the probability of being best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._kernels.resample.cell_draws import posterior_cells, replicated_costs
from stakes.summaries import ConfusionMatrix, GroupedCounts, PairedCounts
from stakes.typing import FloatArray
from stakes.uncertainty.intervals.case_rows import CaseRows, CellSums
from stakes.uncertainty.intervals.group_intervals import group_draws
from stakes.uncertainty.intervals.linear_costs import Stakes


def cost_draws(
    joint: PairedCounts,
    grouped: GroupedCounts | CaseRows | CellSums | None,
    stakes: Stakes,
    normalize: bool,
) -> Any:
    """Draws of all systems' costs at once, each under an application drawn with its weight."""
    classes = joint.cells[:, 0]
    strata = classes if stakes.with_priors else None
    tables = [
        a.costs.standardized().values if normalize else a.costs.values for a in stakes.applications
    ]

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        if grouped is None:
            cells = posterior_cells(joint.counts, strata, size, generator, prior=0.0)
        else:
            cells = group_draws(grouped, size, generator)
        chosen = generator.choice(len(tables), size=size, p=stakes.weights)
        found = np.empty((size, len(joint.systems)))
        for k in np.unique(chosen):
            rows = chosen == k
            costs = tables[k][classes[:, None], joint.cells[:, 1:]]
            priors = stakes.applications[k].priors
            values = replicated_costs(cells[rows], classes, costs, priors)
            if normalize:
                values = values / _naive(cells[rows], classes, tables[k], priors)[:, None]
            found[rows] = values
        return found

    return draw


def _naive(cells: Any, classes: Any, table: FloatArray, priors: FloatArray | None) -> FloatArray:
    """Cost of the best naive decision in each replicate."""
    if priors is not None:
        return np.full(cells.shape[0], float((priors @ table).min()))
    return np.asarray(replicated_costs(cells, classes, table[classes], None).min(axis=1))


def apart_draws(
    given: Mapping[Any, ConfusionMatrix | GroupedCounts], stakes: Stakes, normalize: bool
) -> Any:
    """Draws of the costs of systems on data of their own."""

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        chosen = generator.choice(len(stakes.applications), size=size, p=stakes.weights)
        found = np.empty((size, len(given)))
        for s, one in enumerate(given.values()):
            if isinstance(one, GroupedCounts):
                joint = one.joint
                cells = group_draws(one, size, generator)
            else:
                joint = PairedCounts.from_confusion(one)
                cells = posterior_cells(joint.counts, joint.cells[:, 0], size, generator, prior=0.0)
            classes = joint.cells[:, 0]
            for k in np.unique(chosen):
                app = stakes.applications[k]
                costs = app.costs.standardized().values if normalize else app.costs.values
                rows, by_cell = chosen == k, costs[classes, joint.cells[:, 1]][:, None]
                values = replicated_costs(cells[rows], classes, by_cell, app.priors)[:, 0]
                naive = _naive(cells[rows], classes, costs, app.priors) if normalize else 1.0
                found[rows, s] = values / naive
        return found

    return draw


def shares_best(costs: FloatArray) -> FloatArray:
    """How often each column is the least, ties shared."""
    known = costs[np.isfinite(costs).all(axis=1)]
    least = known <= known.min(axis=1, keepdims=True)
    return np.asarray((least / least.sum(axis=1, keepdims=True)).mean(axis=0))
