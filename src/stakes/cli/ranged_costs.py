"""Files of costs in which some are ranges, or which keep the answers that they come from."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
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

__all__ = ["RangedCosts", "ranged_costs"]

MOST_UNKNOWN = 4


@dataclass(frozen=True, slots=True)
class RangedCosts:
    """What is unknown by name, and the application for values of it."""

    unknown: tuple[tuple[str, Between], ...]
    at: Callable[[tuple[float, ...]], Application]


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

    name = "a miss in false alarms, by the answers in the file,"
    return RangedCosts(((name, Between(*ends)),), at)


def _between(uncertain: UncertainApplication) -> RangedCosts | None:
    """Costs of which some are ranges."""
    terms, app = uncertain.terms, uncertain.expected
    if not 0 < len(terms) <= MOST_UNKNOWN:
        return None
    unknown = [(_cell(app, term.direction), term.amount) for term in terms]

    def at(values: tuple[float, ...]) -> Application:
        moved = uncertain.base + sum(
            value * term.direction for value, term in zip(values, terms, strict=True)
        )
        return _with(app, moved)

    return RangedCosts(tuple((n, Between(a.low, a.high)) for n, a in unknown), at)


def _cell(app: Application, direction: np.ndarray) -> str:
    """The cell that a range is about."""
    i, j = np.argwhere(direction)[0]
    return f"'{app.classes[i]}' decided '{app.decisions[j]}'"


def _with(app: Application, values: Any) -> Application:
    """The same application with other costs."""
    return app.with_costs(CostMatrix(values, app.classes, app.decisions))
