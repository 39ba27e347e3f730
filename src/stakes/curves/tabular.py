"""Tabular: what every curve shares, which is to be a table."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from stakes.results import Frame


class Tabular:
    """A frozen dataclass whose arrays of equal length are the columns of a table."""

    def frame(self) -> Frame:
        """One row per point, one column per array."""
        columns: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                columns[field.name] = value
        return Frame(columns)

    def __repr__(self) -> str:
        table = self.frame()
        return f"{type(self).__name__}({table.shape[0]} points: {', '.join(table.columns)})"
