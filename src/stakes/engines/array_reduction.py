"""Reduce rows in memory, and confusion matrices, to the summaries that engines return."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.cell_counts import joint_cells
from stakes._names import as_positions
from stakes.application import Application
from stakes.engines.reduction import Panel, Part, Reduction
from stakes.engines.request import Request, System
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray

#: More models than this are not compared pair by pair, so they are not counted together.
MOST_COMPARED = 20


def reduce_arrays(
    truth: NDArray[Any],
    codes: Mapping[str, NDArray[Any]],
    application: Application,
    *,
    kinds: Mapping[str, str],
    sample_weight: FloatArray | None = None,
    from_priors: FloatArray | None = None,
) -> Reduction:
    """Reduce positions of true classes, and of each model's decisions, to summaries.

    Weighted rows are counted for each model separately. To compare models on them takes the rows
    themselves, which hold more information than sums of their weights.
    """
    request = _request(codes, application, sample_weight is not None, from_priors)
    systems = request.systems
    columns = [as_positions(chosen) for chosen in codes.values()]
    panels = [_classes(truth, len(application.classes), sample_weight)]
    kept = slice(None) if sample_weight is None else sample_weight > 0
    names: Any = {"classes": application.classes, "decision_names": application.decisions}
    counted: Any = partial(ConfusionMatrix.from_decisions, **names)
    for system, column in zip(systems, columns, strict=True):
        sums = {}
        if sample_weight is not None:
            sums["weight"] = counted(truth, column, sample_weight=sample_weight).counts.ravel()
        panels.append(_panel(system, counted(truth[kept], column[kept]).counts, sums))
    if sample_weight is None and 2 <= len(systems) <= MOST_COMPARED:
        sizes = [len(application.classes)] + [len(application.decisions)] * len(systems)
        panels.append(Panel(systems, *joint_cells([truth, *columns], sizes, None), {}))
    return Reduction(request, dict(kinds), {(): Part(tuple(panels), {})})


def reduce_confusions(tables: Mapping[str, ConfusionMatrix], application: Application) -> Reduction:
    """Reduce confusion matrices with the names of an application; each counts its own cases.

    Their cells count rows. Where they are not whole numbers, the number of rows is unknown.
    """
    request = _request(tables, application, weighted=False)
    panels = [
        _panel(system, table.counts, {})
        for system, table in zip(request.systems, tables.values(), strict=True)
    ]
    return Reduction(request, dict.fromkeys(tables, "decisions"), {(): Part(tuple(panels), {})})


def _request(
    models: Mapping[str, Any], app: Application, weighted: bool, said_at: FloatArray | None = None
) -> Request:
    """A request whose columns are named after what they hold."""
    return Request(
        "y_true",
        {name: name for name in models},
        applications=app,
        sample_weight="sample_weight" if weighted else None,
        from_priors=said_at,
    )


def _classes(truth: NDArray[Any], size: int, weights: FloatArray | None) -> Panel:
    """The panel that counts the cases of each class, without any system."""
    cells = np.arange(size)[:, None]
    if weights is None:
        return Panel((), cells, np.bincount(truth, minlength=size), {})
    rows = np.bincount(truth[weights > 0], minlength=size)
    sums = np.asarray(np.bincount(truth, weights, size), dtype=np.float64)
    return Panel((), cells, rows, {"weight": sums})


def _panel(system: System, rows: NDArray[Any], sums: Mapping[str, FloatArray]) -> Panel:
    """The panel of a single system."""
    cells = np.column_stack(np.unravel_index(np.arange(rows.size), rows.shape))
    return Panel((system,), cells, rows.ravel(), sums)
