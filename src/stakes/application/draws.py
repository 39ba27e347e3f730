"""What an uncertain application may turn out to be: its terms, draws at random, and its corners."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stakes._checks import as_priors, frozen
from stakes.application.cost_matrix import CostMatrix
from stakes.application.unknowns import DirichletShares, Unknown
from stakes.exceptions import CostError, DataError, PriorError
from stakes.typing import FloatArray, Name

if TYPE_CHECKING:
    from stakes.application.uncertain import UncertainApplication


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


#: More unknown costs than this have too many corners to look at one by one.
_MOST_UNKNOWNS = 12


def sampled(app: UncertainApplication, n: int, rng: np.random.Generator) -> Draws:
    """`n` possible applications, equally probable."""
    if n < 1:
        raise DataError(f"at least one draw is needed; got {n!r}.")
    weights = np.full(n, 1 / n)
    if app.given is not None:
        shares = app.given.weights / app.given.weights.sum()
        rows = rng.choice(len(app.given), size=n, p=shares)
        if app.given.priors is not None:
            return Draws(app.given.costs[rows], app.given.priors[rows], weights)
        return Draws(app.given.costs[rows], _drawn_priors(app, n, rng), weights)
    costs = np.repeat(app.base[None], n, axis=0)
    for term in app.terms:
        costs += term.amount.sample(n, rng)[:, None, None] * term.direction
    return Draws(costs, _drawn_priors(app, n, rng), weights)


def extreme(app: UncertainApplication) -> Draws:
    """The applications in which every unknown is at one of its ends; draws are all extreme."""
    if app.given is not None and app.given.priors is not None:
        return app.given
    costs = _extreme_costs(app) if app.given is None else app.given.costs
    priors = _extreme_priors(app)
    weights = np.full(len(costs) * (1 if priors is None else len(priors)), np.nan)
    if priors is None:
        return Draws(costs, None, weights)
    pairs = np.repeat(costs, len(priors), axis=0), np.tile(priors, (len(costs), 1))
    return Draws(*pairs, weights)


def _extreme_costs(app: UncertainApplication) -> FloatArray:
    """The cost matrices in which every unknown cost is at one of its ends."""
    if len(app.terms) > _MOST_UNKNOWNS:
        raise CostError(
            f"{len(app.terms)} unknown costs have 2^{len(app.terms)} corners.",
            hint=f"at most {_MOST_UNKNOWNS}; or UncertainApplication.from_samples(...)",
        )
    ends = [sorted({term.amount.low, term.amount.high}) for term in app.terms]
    return np.stack(
        [
            app.base + sum(x * t.direction for x, t in zip(point, app.terms, strict=True))
            for point in itertools.product(*ends)
        ]
    )


def _extreme_priors(app: UncertainApplication) -> FloatArray | None:
    """The shares at their ends."""
    if isinstance(app.priors, DirichletShares):
        return np.eye(len(app.classes))
    if isinstance(app.priors, Unknown):
        second = np.unique([app.priors.low, app.priors.high])
        return np.column_stack([1 - second, second])
    return None if app.priors is None else np.asarray(app.priors)[None]


def _drawn_priors(app: UncertainApplication, n: int, rng: np.random.Generator) -> FloatArray | None:
    """Shares for `n` draws."""
    if isinstance(app.priors, DirichletShares):
        return app.priors.sample(n, rng)
    if isinstance(app.priors, Unknown):
        second = app.priors.sample(n, rng)
        return np.column_stack([1 - second, second])
    return None if app.priors is None else np.repeat(app.priors[None], n, axis=0)
