"""Systems that ignore the input: they take each decision with a fixed probability."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stakes.typing import FloatArray


def best_naive_value(
    values: Callable[[FloatArray], FloatArray], priors: FloatArray, n_decisions: int, higher: bool
) -> float:
    """The best value over all probabilities of the decisions, always the same one included.

    `values` takes expected tables, (..., K, M): the class shares times these probabilities.
    `nan` when it is undefined for all that are tried.
    """
    sign = 1.0 if higher else -1.0

    def worth(chances: FloatArray) -> FloatArray:
        return sign * values(priors[:, None] * chances[..., None, :])

    tried = [*np.eye(n_decisions), np.full(n_decisions, 1 / n_decisions)]
    if n_decisions == priors.size:
        tried.append(priors / priors.sum())
    tried += [_climbed(worth, start) for start in tried[n_decisions:]]
    found = worth(np.array(tried))
    return sign * float(np.nanmax(found)) if not np.isnan(found).all() else float("nan")


def _climbed(worth: Callable[[FloatArray], FloatArray], start: FloatArray) -> FloatArray:
    """Probabilities from which no small change is an improvement."""
    from scipy.optimize import LinearConstraint, minimize

    if not np.isfinite(worth(start)):
        return start
    floor = 1e-12  # where a decision is never taken a metric may be undefined
    found = minimize(
        lambda chances: -float(worth(chances)),
        start,
        method="SLSQP",
        bounds=[(floor, 1.0)] * start.size,
        constraints=LinearConstraint(np.ones(start.size), 1.0, 1.0),
        options={"ftol": 1e-14, "maxiter": 200},
    )
    chances = np.maximum(found.x, 0.0)
    chances = chances / chances.sum()
    return chances if worth(chances) >= worth(start) else start
