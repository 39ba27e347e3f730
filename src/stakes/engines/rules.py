"""The Bayes rule as expressions: ties go to the earlier decision, in float64."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from stakes._kernels.bayes import row_modes, tie_margins
from stakes._kernels.intervals import float_below, pieces
from stakes.application import Application
from stakes.exceptions import PriorError
from stakes.typing import FloatArray

__all__ = ["argmin", "cuts", "decided_by_cuts", "expected_costs", "moving"]

#: Up to so many decisions are compared pair by pair, which engines do faster than a minimum.
PAIRWISE = 8


def moving(app: Application, said_at: FloatArray | None) -> list[Fraction]:
    """By how much each posterior is multiplied to be moved to the priors of the application."""
    if app.priors is None or said_at is None or np.array_equal(app.priors, said_at):
        return [Fraction(1)] * len(app.classes)
    if (said_at <= 0).any():
        raise PriorError(f"`posterior_priors` must be positive; got {said_at.tolist()}.")
    return [Fraction(p) / Fraction(q) for p, q in zip(app.priors, said_at, strict=True)]


def cuts(app: Application, said_at: FloatArray | None) -> tuple[list[float], list[int]]:
    """Two classes: where the decision changes on the posteriors as given, and the decisions.

    Decision k + 1 is taken above cut k, exactly as in rational arithmetic.
    """
    moved = np.array(
        [
            [Fraction(cost) * factor for cost in row]
            for row, factor in zip(app.costs.values.tolist(), moving(app, said_at), strict=True)
        ],
        dtype=object,
    )
    found = pieces(moved)
    at = [float(float_below(p.start, np.float64, strictly=p.included)) for p in found[1:]]
    return at, [piece.decision for piece in found]


def decided_by_cuts(dialect: Any, posterior: Any, at: list[float], decisions: list[int]) -> Any:
    """The decision on a posterior of the second class."""
    branches = [
        (posterior <= dialect.literal(cut), dialect.literal(decision))
        for cut, decision in zip(at, decisions[:-1], strict=True)
    ]
    return dialect.first_of(branches, dialect.literal(decisions[-1]))


def expected_costs(
    dialect: Any, posteriors: list[Any], total: Any, app: Application, said_at: FloatArray | None
) -> list[Any]:
    """What each decision is expected to cost, up to a number that is the same for all.

    The same sums as in `stakes.bayes_decisions`, with the same margins between columns.
    """
    kept = app.costs.values - row_modes(app.costs.values)[:, None]
    margins = tie_margins(kept, np.dtype(np.float64))
    factors = np.array([float(factor) for factor in moving(app, said_at)])
    moved = not (factors == 1).all()
    if moved:
        total = _weighted(dialect, posteriors, factors)
    found = []
    for column, margin in zip((kept * factors[:, None]).T, margins, strict=True):
        cost = _weighted(dialect, posteriors, column, total if not moved else None)
        if margin:
            added = dialect.literal(float(margin))
            cost = cost + (added * total if moved else added)
        found.append(cost)
    return found


def _weighted(dialect: Any, posteriors: list[Any], weights: FloatArray, total: Any = None) -> Any:
    """A weighted sum of posteriors; of equal weights, the weight times their total."""
    if total is not None and len(set(weights.tolist())) == 1 and weights[0]:
        return dialect.literal(float(weights[0])) * total
    parts = [_times(dialect, w, p) for w, p in zip(weights.tolist(), posteriors, strict=True) if w]
    return _sum(parts) if parts else posteriors[0] * dialect.literal(0.0)


def _times(dialect: Any, weight: float, posterior: Any) -> Any:
    """A product, without the multiplication where there is none."""
    if weight == 1:
        return posterior
    if weight == -1:
        return dialect.literal(0.0) - posterior
    return dialect.literal(weight) * posterior


def _sum(parts: list[Any]) -> Any:
    """From left to right."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def argmin(dialect: Any, costs: list[Any]) -> Any:
    """The position of the first least cost."""
    if len(costs) > PAIRWISE:
        least = dialect.smallest(costs)
        branches = [(cost <= least, dialect.literal(j)) for j, cost in enumerate(costs[:-1])]
        return dialect.first_of(branches, dialect.literal(len(costs) - 1))
    branches = []
    for j, cost in enumerate(costs[:-1]):
        holds = cost <= costs[j + 1]
        for other in costs[j + 2 :]:
            holds = holds & (cost <= other)
        branches.append((holds, dialect.literal(j)))
    return dialect.first_of(branches, dialect.literal(len(costs) - 1))
