"""What an uncertain application may turn out to be: draws at random, and its corners."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from stakes.application.draws import Draws
from stakes.application.unknown_shares import DirichletShares
from stakes.application.unknowns import Unknown
from stakes.exceptions import CostError, DataError
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.application.uncertain import UncertainApplication

__all__ = ["extreme", "sampled"]

#: More unknown costs than this have too many corners to look at one by one.
MOST_UNKNOWNS = 12


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
    if len(app.terms) > MOST_UNKNOWNS:
        raise CostError(
            f"{len(app.terms)} unknown costs have 2^{len(app.terms)} corners.",
            hint=f"at most {MOST_UNKNOWNS}; or UncertainApplication.from_samples(...)",
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
