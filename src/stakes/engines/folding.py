"""Costs per case folded into the bins of a score, so that one grouping does for both."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.engines.plan import PREFIX, Table
from stakes.engines.reduction import Panel
from stakes.engines.request import Request

__all__ = ["folded_panel", "folded_sums"]


def folded_sums(at: Any, truth: Any, decided: Any, amounts: Any) -> tuple[str, ...]:
    """Rows and costs of every cell as sums, to be added up within the bins; `at` is a planner."""
    lit = at.dialect.literal
    names: tuple[str, ...] = ()
    shape = len(at.request.classes), 1 + max(j for _, j in amounts)
    for i, j in np.ndindex(*shape):
        known = isinstance(amounts[i, j], float)
        if known and j == shape[1] - 1:
            continue  # what is left of the class
        inside = at.dialect.indicator((truth == lit(i)) & (decided == lit(j)))
        inside = at.column(4, f"in{i}_{j}", inside)
        names += (f"{PREFIX}in{i}_{j}",)
        if not known:
            paid = at.column(5, f"amount{i}_{j}", inside * amounts[i, j])
            names += (f"{PREFIX}amount{i}_{j}",)
            names += (at.plan.add(6, f"amount{i}_{j}_square", paid * amounts[i, j]),)
    return names


def folded_panel(request: Request, table: Table, places: list[int]) -> Panel:
    """The cells of one slice, from sums over its bins."""

    def total(name: str) -> float:
        return float(np.sum(np.asarray(table[PREFIX + name], dtype=np.float64)[places]))

    n_decisions = len(request.decisions_of(request.systems[0]))
    second = total("second")
    left = [total("rows") - second, second]
    cells, rows = [], []
    sums: dict[str, list[float]] = {
        name.removeprefix(PREFIX): [] for name in table if "_amount" in name
    }
    for i, j in np.ndindex(2, n_decisions):
        cells.append((i, j))
        if f"{PREFIX}in{i}_{j}" in table:
            rows.append(total(f"in{i}_{j}"))
            left[i] -= rows[-1]
        else:
            rows.append(left[i])
        for name, values in sums.items():
            mine = name.removesuffix("_square") == f"amount{i}_{j}"
            values.append(total(name) if mine else 0.0)
    return Panel.gathered(
        request.systems,
        np.array(cells, dtype=np.intp),
        np.array(rows).round().astype(np.int64),
        {name: np.array(values) for name, values in sums.items()},
    )
