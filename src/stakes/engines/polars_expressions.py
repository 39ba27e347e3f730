"""Polars: all groupings of a lazy frame together, over one scan, in the streaming engine."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from stakes._optional import load
from stakes.engines import frames
from stakes.engines.plan import Plan, Table

__all__ = ["DIALECT", "run", "sample"]

DIALECT = frames.DIALECT
sample = frames.sample


def run(frame: Any, plan: Plan, columns: tuple[str, ...]) -> list[Table]:
    """Every grouping; eager frames are grouped at once."""
    polars = load("polars", extra="polars")
    if not isinstance(frame, polars.LazyFrame):
        return frames.run(frame, plan, columns)
    rows = frames.stepped(frame, plan, columns)
    lazy = [nw.to_native(frames.grouped(rows, grouping)) for grouping in plan.groupings]
    try:
        found = polars.collect_all(lazy, engine="streaming")
    except TypeError:  # Polars before 1.23
        found = polars.collect_all(lazy, streaming=True)
    return [each.to_dict(as_series=False) for each in found]
