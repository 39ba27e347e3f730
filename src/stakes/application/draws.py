"""What an uncertain application is made of: terms that are unknown, or draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stakes._checks import as_priors, frozen
from stakes.application.cost_matrix import CostMatrix
from stakes.application.unknown_shares import DirichletShares
from stakes.application.unknowns import Unknown
from stakes.exceptions import CostError, PriorError
from stakes.typing import FloatArray, Name

__all__ = ["Affine", "Draws", "Term", "checked_priors", "parts_of"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Draws:
    """Several possible applications; made by `UncertainApplication`.

    Parameters
    ----------
    costs : array of shape (n, n_classes, n_decisions)
        One cost matrix per draw.
    priors : array of shape (n, n_classes), optional
        Shares of the classes per draw; `None`: those of the data.
    weights : array of shape (n,)
        Probability of each draw.
    """

    costs: FloatArray
    priors: FloatArray | None
    weights: FloatArray

    def __len__(self) -> int:
        return int(self.costs.shape[0])

    def resolved_priors(self, data_priors: FloatArray | None = None) -> FloatArray:
        """The shares of each draw; those of the data where they are left to the data."""
        if self.priors is not None:
            return self.priors
        if data_priors is None:
            raise PriorError("the priors are those of the data, and there are no data here.")
        return np.broadcast_to(data_priors, (len(self), self.costs.shape[1]))

    def __repr__(self) -> str:
        return f"Draws({len(self)} of {self.costs.shape[1]} classes x {self.costs.shape[2]})"


class Term(NamedTuple):
    """Something unknown, and how the costs grow with it."""

    amount: Unknown
    direction: FloatArray


class Affine(NamedTuple):
    """Costs that grow in proportion to what is unknown."""

    base: FloatArray
    terms: tuple[Term, ...]


def parts_of(costs: Any) -> tuple[FloatArray, tuple[Term, ...], Draws | None]:
    """What is known, what is unknown, and the draws, from any way in which costs are given."""
    if isinstance(costs, Draws):
        return np.zeros(costs.costs.shape[1:]), (), costs
    if isinstance(costs, CostMatrix):
        return costs.values.copy(), (), None
    if isinstance(costs, Affine):
        return costs.base, costs.terms, None
    rows = [list(row) for row in costs]
    if not rows or any(len(row) != len(rows[0]) for row in rows) or not rows[0]:
        raise CostError("`costs` must be a table: one row per class, all of one length.")
    base, terms = np.zeros((len(rows), len(rows[0]))), []
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if isinstance(cell, Unknown):
                direction = np.zeros_like(base)
                direction[i, j] = 1.0
                terms.append(Term(cell, direction))
            else:
                base[i, j] = _number(cell, i, j)
    return base, tuple(terms), None


def _number(cell: Any, i: int, j: int) -> float:
    """A known cost."""
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise CostError(
            f"`costs` must hold finite numbers or unknowns; row {i}, column {j} is {cell!r}.",
            hint="a range is written Between(5, 20)",
        )
    return value


def checked_priors(priors: Any, classes: tuple[Name, ...]) -> Any:
    """Priors that fit the classes."""
    if priors is None:
        return None
    if isinstance(priors, DirichletShares):
        if len(priors.concentration) != len(classes):
            raise PriorError(f"{priors} has no share for each of {len(classes)} classes.")
        return priors
    if isinstance(priors, Unknown):
        if len(classes) != 2:
            raise PriorError("one unknown share is for two classes; use DirichletShares([...]).")
        if priors.low < 0 or priors.high > 1:
            raise PriorError(f"a share lies between 0 and 1; got {priors}.")
        return priors
    return frozen(as_priors(priors, classes))
