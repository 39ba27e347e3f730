"""Files of costs in which some are ranges, or which keep the answers that they come from."""

from __future__ import annotations

import itertools
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stakes.application import (
    Application,
    CostMatrix,
    UncertainApplication,
    read_costs,
    uncertain_costs_from_toml,
)

__all__ = ["RangedCosts", "ranged_costs"]

MOST_UNKNOWN = 4


@dataclass(frozen=True, slots=True)
class RangedCosts:
    """The costs in the middle, and at every end with a name for each."""

    middle: Application
    ends: tuple[tuple[str, Application], ...]
    said: str


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
    if not known or not 0 < ends[0] < ends[1] < math.inf:
        return None
    values = app.costs.values
    placed = []
    for end in ends:
        moved = values.copy()
        moved[1, 0] = values[1, 1] + end * (values[0, 1] - values[0, 0])
        placed.append((f"{end:.3g} false alarms a miss", _with(app, moved)))
    said = f"{ends[0]:.3g} to {ends[1]:.3g} false alarms a miss, by the answers in the file"
    return RangedCosts(app, tuple(placed), said)


def _between(uncertain: UncertainApplication) -> RangedCosts | None:
    """Costs of which some are ranges: the geometric middle of each, and all ends."""
    terms = uncertain.terms
    if not 0 < len(terms) <= MOST_UNKNOWN:
        return None
    app = uncertain.expected
    names = [_cell(app, term.direction) for term in terms]
    ends = [(term.amount.low, term.amount.high) for term in terms]
    centre = [math.sqrt(a * b) if a > 0 else (a + b) / 2 for a, b in ends]
    placed = [
        (
            ", ".join(f"{name} {value:g}" for name, value in zip(names, values, strict=True)),
            _at(uncertain, app, values),
        )
        for values in itertools.product(*ends)
    ]
    said = ", ".join(f"{name} {a:g} to {b:g}" for name, (a, b) in zip(names, ends, strict=True))
    return RangedCosts(_at(uncertain, app, centre), tuple(placed), said)


def _at(uncertain: UncertainApplication, app: Application, values: Any) -> Application:
    """The application with every unknown at one value."""
    moved = uncertain.base + sum(
        value * term.direction for value, term in zip(values, uncertain.terms, strict=True)
    )
    return _with(app, moved)


def _cell(app: Application, direction: np.ndarray) -> str:
    """The cell that a range is about."""
    i, j = np.argwhere(direction)[0]
    return f"'{app.classes[i]}' decided '{app.decisions[j]}'"


def _with(app: Application, values: Any) -> Application:
    """The same application with other costs."""
    return app.with_costs(CostMatrix(values, app.classes, app.decisions))
