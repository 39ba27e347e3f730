"""Files of costs in which some are ranges, or which keep the answers that they come from."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes.application import (
    Application,
    Between,
    CostMatrix,
    UncertainApplication,
    read_costs,
    uncertain_costs_from_toml,
)
from stakes.evaluation.possible import Axis, axis

__all__ = ["RangedCosts", "ranged_costs"]

MOST_UNKNOWN = 4


@dataclass(frozen=True, slots=True)
class RangedCosts:
    """What is unknown, in which cell, and the application for values of it.

    The cell is None for a ratio that was asked for.
    """

    unknown: tuple[tuple[tuple[int, int] | None, Between], ...]
    at: Callable[[tuple[float, ...]], Application]

    def axes(self, size: int, names: Application | None = None) -> list[Axis]:
        """Every range with its nodes, called by the names of an application."""
        found = []
        for cell, ends in self.unknown:
            one = axis(ends, size, "a miss is worth")
            if cell is None:
                one = replace(one, after=" false alarms, by the answers in the file")
            elif names is not None:
                truth, decision = names.classes[cell[0]], names.decisions[cell[1]]
                one = replace(one, name=f"'{truth}' decided '{decision}'")
            found.append(one)
        return found


def ranged_costs(path: Any) -> RangedCosts | None:
    """The ranges of a file of costs; None if it has none, or more than can be looked at."""
    file = Path(path)
    if file.suffix.lower() != ".toml" or not file.is_file():
        return None
    try:
        text = file.read_bytes().decode("utf-8-sig")
        table = tomllib.loads(text)
    except ValueError:
        return None  # whoever reads the file for its costs says what is wrong with it
    answers = table.get("elicitation")
    if isinstance(answers, dict) and "miss" in answers:
        return _elicited(read_costs(file), answers["miss"])
    if not any(isinstance(value, list) for value in _amounts(table)):
        return None
    return _between(uncertain_costs_from_toml(text, source=str(path)))


def _amounts(table: dict[str, Any]) -> list[Any]:
    """Every cost of the file, whether by name or in the short form."""
    found = [table[key] for key in ("fn", "fp", "tp", "tn") if key in table]
    rows = table.get("cost")
    if isinstance(rows, dict):
        found += [v for row in rows.values() if isinstance(row, dict) for v in row.values()]
    return found


def _elicited(app: Application, ends: Any) -> RangedCosts | None:
    """Costs that were asked for: the range of false alarms a miss is worth, as it was kept."""
    known = isinstance(ends, list) and len(ends) == 2 and app.costs.shape == (2, 2)
    if not known or not 0 < ends[0] < ends[1] < np.inf:
        return None
    values = app.costs.values

    def at(ratios: tuple[float, ...]) -> Application:
        moved = values.copy()
        moved[1, 0] = values[1, 1] + ratios[0] * (values[0, 1] - values[0, 0])
        return _with(app, moved)

    return RangedCosts(((None, Between(*ends)),), at)


def _between(uncertain: UncertainApplication) -> RangedCosts | None:
    """Costs of which some are ranges."""
    terms, app = uncertain.terms, uncertain.expected
    if not 0 < len(terms) <= MOST_UNKNOWN:
        return None
    cells = [np.argwhere(term.direction)[0].tolist() for term in terms]

    def at(values: tuple[float, ...]) -> Application:
        moved = uncertain.base + sum(
            value * term.direction for value, term in zip(values, terms, strict=True)
        )
        return _with(app, moved)

    ends = [Between(term.amount.low, term.amount.high) for term in terms]
    return RangedCosts(tuple(zip(map(tuple, cells), ends, strict=True)), at)


def _with(app: Application, values: Any) -> Application:
    """The same application with other costs."""
    return app.with_costs(CostMatrix(values, app.classes, app.decisions))
