"""Numbers of files that stay where they are: whether logarithms look like probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes.cli.doubtful_scores import (
    LOGARITHMS,
    refuse_idle_narrow,
    refuse_probabilities_said_logs,
)
from stakes.cli.far_columns import FarColumns
from stakes.exceptions import StakesError
from stakes.report.amounts import grouped

__all__ = ["refuse_far_probabilities"]

#: As many rows are looked at; more tell nothing more about what the numbers are.
ROWS = 10_000


def refuse_far_probabilities(
    frame: Any, columns: FarColumns, models: Sequence[str], args: Any
) -> None:
    """Raise when rows that weigh something are said to be logarithms and look otherwise.

    The first rows let almost everything pass; where they are in doubt, the least and the greatest
    score of all rows have their say. `models` are the names of the columns of scores to people.
    """
    refuse_idle_narrow(args)
    asked = {name: [inner] for name, inner in zip(models, columns.scores, strict=True)}
    asked |= {each.model: list(each.by_class.values()) for each in columns.classes}
    if args.scores_are not in LOGARITHMS:
        return
    rows = nw.from_native(frame)
    if columns.weight:
        rows = rows.filter(nw.col(columns.weight) > 0)
    for model, names in asked.items():
        numbers = rows.select(*(nw.col(name).cast(nw.Float64) for name in names))
        first = _values(numbers.head(ROWS), names)
        try:
            refuse_probabilities_said_logs(first, model, args, far=True)
        except StakesError:
            if len(first) < ROWS:
                raise
            first[0], first[-1] = _extremes(numbers, names)
            looked_at = f", {grouped(ROWS)} rows of them,"
            refuse_probabilities_said_logs(first, model, args, looked_at=looked_at, far=True)


def _extremes(numbers: Any, names: list[str]) -> NDArray[np.float64]:
    """The least and the greatest of each column."""
    ends = {f"low{k}": nw.col(name).min() for k, name in enumerate(names)}
    ends |= {f"high{k}": nw.col(name).max() for k, name in enumerate(names)}
    found = _values(numbers.select(**ends), list(ends))
    return found.reshape(2, -1) if len(names) > 1 else found.reshape(2)


def _values(rows: Any, names: list[str]) -> NDArray[np.float64]:
    """Columns as an array, (n,) of one and (n, K) of several."""
    eager = rows.collect() if isinstance(rows, nw.LazyFrame) else rows
    found = np.column_stack([eager[name].to_numpy().astype(np.float64) for name in names])
    return found[:, 0].copy() if len(names) == 1 else found
