"""Several goals at once: which systems are beaten in all of them, and which for every mixture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import as_application
from stakes.exceptions import DataError
from stakes.metrics.expected_cost import expected_cost
from stakes.metrics.hull_points import expanded_systems
from stakes.results import Frame
from stakes.typing import FloatArray

__all__ = ["ParetoFront", "pareto_front"]


@dataclass(frozen=True, eq=False, repr=False)
class ParetoFront:
    """Costs of systems under several goals; see `pareto_front`.

    Parameters
    ----------
    names, goals : tuple of str
        The systems and the applications.
    costs : array of shape (n_systems, n_goals)
        Expected cost per case.
    on_front : array of bool
        Whether no other system is at least as good in every goal and better in one.
    supported : array of bool
        Whether the system is the best for some mixture of the goals.
    """

    names: tuple[str, ...]
    goals: tuple[str, ...]
    costs: FloatArray
    on_front: np.ndarray
    supported: np.ndarray

    @property
    def front(self) -> tuple[str, ...]:
        """The systems that no other beats in all goals, in order of the first goal."""
        order = np.argsort(self.costs[:, 0], kind="stable")
        return tuple(self.names[k] for k in order if self.on_front[k])

    def frame(self) -> Frame:
        """One row per system: its cost in each goal, on_front, supported."""
        columns: dict[str, Any] = {"system": list(self.names)}
        columns |= {goal: self.costs[:, k] for k, goal in enumerate(self.goals)}
        columns |= {"on_front": self.on_front, "supported": self.supported}
        return Frame(columns)

    def __repr__(self) -> str:
        return (
            f"ParetoFront({int(self.on_front.sum())} of {len(self.names)} systems under "
            f"{len(self.goals)} goals)"
        )


def pareto_front(systems: Mapping[str, Any], applications: Mapping[str, Any]) -> ParetoFront:
    """Systems that are worth keeping when there is more than one goal.

    For costs that cannot be added up, such as money and lives, or for two places of use with
    different costs. A system off the front is beaten whatever the goals are worth to each
    other; one on it that is not supported is beaten too, once they can be traded.

    Parameters
    ----------
    systems : mapping of name to ConfusionMatrix or ScoreCounts
        A system with scores enters with each threshold that is worth considering, as
        ``name > threshold``.
    applications : mapping of name to Application or CostMatrix
        The goals; without priors, those of the data.

    Returns
    -------
    ParetoFront
        Costs, and who is on the front.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 2.2, on costs of
       different kinds.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> goals = {"lives": Application([[0, 0], [1, 0]]), "money": Application([[0, 50], [0, 80]])}
    >>> systems = {"bold": ConfusionMatrix([[50, 50], [0, 10]]),
    ...            "shy": ConfusionMatrix([[90, 10], [4, 6]]),
    ...            "worse": ConfusionMatrix([[80, 20], [5, 5]])}
    >>> pareto_front(systems, goals).front
    ('bold', 'shy')
    """
    if not applications:
        raise DataError("`applications` must name at least one goal; got none.")
    tables = expanded_systems(systems)
    goals = {str(name): as_application(app) for name, app in applications.items()}
    costs = np.array(
        [[expected_cost(table, application=app) for app in goals.values()]
         for table in tables.values()]
    )  # fmt: skip
    on_front = np.array([not _beaten(costs, k) for k in range(len(costs))])
    supported = np.array([bool(f) and _supported(costs, k) for k, f in enumerate(on_front)])
    return ParetoFront(tuple(tables), tuple(goals), costs, on_front, supported)


def _beaten(costs: FloatArray, k: int) -> bool:
    """Whether another system is nowhere worse than system k, and somewhere better."""
    nowhere_worse = np.all(costs <= costs[k], axis=1)
    return bool(np.any(np.any(costs[nowhere_worse] < costs[k], axis=1)))


def _supported(costs: FloatArray, k: int) -> bool:
    """Whether some weights of the goals, none negative, make system k the best."""
    from scipy.optimize import linprog

    others = np.delete(costs, k, axis=0)
    if others.shape[0] == 0:
        return True
    scale = np.ptp(costs, axis=0)
    scale[scale == 0] = 1.0
    gaps = (costs[k] - others) / scale  # weights @ gap <= 0 for every other system
    found = linprog(
        np.zeros(costs.shape[1]),
        A_ub=gaps,
        b_ub=np.full(gaps.shape[0], 1e-12),
        A_eq=np.ones((1, costs.shape[1])),
        b_eq=[1.0],
        bounds=[(0, 1)] * costs.shape[1],
    )
    return bool(found.status == 0)
