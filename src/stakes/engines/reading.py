"""From groups to a Reduction: codes become cells, cells become summaries."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.engines.bins import Bins
from stakes.engines.plan import PREFIX, Table
from stakes.engines.planning import Planned
from stakes.engines.reduction import Panel, Part, Reduction, frozen_counts
from stakes.exceptions import DataError
from stakes.summaries import ScoreBins

__all__ = ["reduction_of", "refused_rows"]


def refused_rows(made: Planned, tables: list[Table]) -> int:
    """How many rows could not be used."""
    codes, rows = tables[0][PREFIX + "cell0"], tables[0][PREFIX + "rows"]
    last = int(np.prod(made.panel_sizes(made.panels[0])))
    return sum(int(n) for code, n in zip(codes, rows, strict=True) if code is None or code >= last)


def reduction_of(made: Planned, tables: list[Table]) -> Reduction:
    """Everything that was counted; `tables` are those of the groupings, in order."""
    n = len(made.panels)
    panels = [_panels(made, k, table) for k, table in enumerate(tables[:n])]
    bins = {
        model: _bins(made, k, model, table)
        for k, (model, table) in enumerate(zip(made.bins, tables[n:], strict=True))
    }
    parts = {
        key: Part(
            tuple(each[key] for each in panels),
            {model: found[key] for model, found in bins.items() if key in found},
        )
        for key in _sorted(panels[0])
    }
    if not parts:
        raise DataError("there are no cases: the frame is empty.")
    return Reduction(made.request, made.kinds, parts)


def _sorted(keys: Any) -> list[Any]:
    """Keys in their order, or by how they are written where types are mixed."""
    try:
        return sorted(keys)
    except TypeError:
        return sorted(keys, key=repr)


def _slices(made: Planned, table: Table) -> dict[tuple[Any, ...], list[int]]:
    """Which groups belong to each slice."""
    found: dict[tuple[Any, ...], list[int]] = {}
    columns = [table[name] for name in made.request.by]
    rows = zip(*columns, strict=True) if columns else [()] * len(table[PREFIX + "rows"])
    for k, key in enumerate(rows):
        found.setdefault(tuple(key), []).append(k)
    for key, places in found.items():
        for name, value in zip(made.request.by, key, strict=True):
            if value is None or value != value:
                n = sum(table[PREFIX + "rows"][k] for k in places)
                raise DataError(
                    f"`by` column {name!r} has missing values ({n} rows).",
                    hint="drop or fill those rows first; nothing is dropped silently",
                )
    return found


def _panels(made: Planned, k: int, table: Table) -> dict[tuple[Any, ...], Panel]:
    """One panel in every slice."""
    panel = made.panels[k]
    systems = tuple(made.request.systems[s] for s in panel)
    codes = np.asarray(table[f"{PREFIX}cell{k}"], dtype=np.int64)
    cells = np.column_stack(np.unravel_index(codes, made.panel_sizes(panel))).astype(np.intp)
    rows = np.asarray(table[PREFIX + "rows"], dtype=np.int64)
    sums: list[Any] = [None, None]
    if made.request.sample_weight is not None:
        sums = [np.asarray(table[PREFIX + n], dtype=np.float64) for n in ("weight", "squares")]
    found = {}
    for key, places in _slices(made, table).items():
        at = np.array(places)[np.argsort(codes[places])]
        parts = [None if values is None else frozen_counts(values[at], float) for values in sums]
        found[key] = Panel(
            systems, frozen_counts(cells[at], np.intp), frozen_counts(rows[at], np.int64), *parts
        )
    return found


def _bins(made: Planned, k: int, model: str, table: Table) -> dict[tuple[Any, ...], ScoreBins]:
    """The bins of one model in every slice."""
    bins: Bins = made.bins[model]
    edges = bins.edges
    codes = bins.position(np.asarray(table[f"{PREFIX}bin{k}"], dtype=np.int64))
    weighted = made.request.sample_weight is not None
    every = np.asarray(table[PREFIX + ("weight" if weighted else "rows")])
    second = np.asarray(table[PREFIX + ("second_weight" if weighted else "second")])
    low, high = (np.asarray(table[PREFIX + n], dtype=np.float64) for n in ("low", "high"))
    priors = made.request.posterior_priors
    found = {}
    for key, places in _slices(made, table).items():
        counts = np.zeros((edges.shape[0] + 1, 2), dtype=float if weighted else np.int64)
        counts[codes[places]] = np.column_stack([every - second, second])[places]
        ends = np.full((2, edges.shape[0] + 1), np.nan)
        ends[0, codes[places]], ends[1, codes[places]] = low[places], high[places]
        if not counts.sum() > 0:
            continue  # weights of zero only
        prior = None if priors is None else float(priors[1])
        if prior is None:
            share = counts.sum(axis=0) / counts.sum()
            prior = float(share[1]) if 0 < share[1] < 1 else None
        names = made.request.classes
        found[key] = ScoreBins(edges, counts, ends[0], ends[1], names, "posterior", prior)
    return found
