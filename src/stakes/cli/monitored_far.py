"""Periods from the dates of rows that are counted where they lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.cli.cells import Labels
from stakes.cli.far_counts import as_text, counted_far
from stakes.cli.monitored_watch import Watched, chosen, costs_said, watch_over
from stakes.cli.place import judged_at
from stakes.cli.timing import period_of
from stakes.summaries import ConfusionMatrix

__all__ = ["from_far"]


def from_far(args: Any) -> Watched:
    """Files of any number, put into periods by a column, counted where they lie."""
    args.subset = args.time
    found = counted_far(args)
    app, reduction = found.application, found.reduction
    name = chosen(list(reduction.request.models), args.model)
    times = Labels(
        tuple(as_text(key[0]) for key in reduction.slices), np.arange(len(reduction.slices))
    )
    names, places = period_of(times, np.arange(len(times.names)), args)
    periods: dict[str, ConfusionMatrix] = {}
    for key, place in zip(reduction.slices, places.tolist(), strict=True):
        counts = reduction[key].confusion(name).counts
        table = ConfusionMatrix(counts, app.classes, app.decisions)
        periods[names[place]] = periods[names[place]] + table if names[place] in periods else table
    ordered = {label: periods[label] for label in names}
    watch = watch_over(ordered, judged_at(app, args), args)
    return Watched(watch, found.files.title, name, costs_said(app), found.warnings)
