"""Plan: what every row becomes, step by step, and how rows are then added up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: Names of the columns that are made on the way.
PREFIX = "stakes_"

#: What a grouping comes to: columns of equal length, by name.
Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows with equal keys become one: their number, sums, and extremes of columns.

    The number of rows is called `PREFIX + "rows"`; sums keep the name of their column.
    """

    keys: tuple[str, ...]
    sums: tuple[str, ...] = ()
    range_of: str | None = None  # extremes are called PREFIX + "low" and PREFIX + "high"


@dataclass(slots=True)
class Plan:
    """Columns that are made from columns of the steps before, and the groupings of the rows."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    groupings: list[Grouping] = field(default_factory=list)

    def add(self, step: int, name: str, expression: Any) -> str:
        """Put a column into a step; steps are made as they are needed."""
        while len(self.steps) <= step:
            self.steps.append({})
        self.steps[step][PREFIX + name] = expression
        return PREFIX + name
