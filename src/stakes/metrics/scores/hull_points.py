"""The operating points and systems worth considering: hull corners, and whatever nothing else
beats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stakes._names import listed
from stakes.application import as_application
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import expected_cost
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray


class HullPoints(NamedTuple):
    """Corners of the ROC convex hull, from acting on nobody to acting on all.

    Parameters
    ----------
    false_positive_rate, sensitivity : array
        Both ascend, from 0 to 1.
    thresholds : array
        Act above them; descending, infinite at both ends.

    Notes
    -----
    Made by `hull_points`.
    """

    false_positive_rate: FloatArray
    sensitivity: FloatArray
    thresholds: FloatArray

    def ratios(self, prior: float) -> FloatArray:
        """False alarms paid for each further hit, along each edge; ascending.

        Corner k is the best one when a miss costs from `ratios[k - 1]` to `ratios[k]` false
        alarms. `prior` is the share of the second class where it will run.
        """
        alarms = (1 - prior) * np.diff(self.false_positive_rate)
        hits = prior * np.diff(self.sensitivity)
        unpaid = np.full(alarms.size, np.inf)
        return np.asarray(np.divide(alarms, hits, out=unpaid, where=hits > 0))


def hull_points(scores: RankedScores) -> HullPoints:
    """The only thresholds that minimise an expected cost, for some costs and priors.

    Every other threshold is beaten on these data by one of them, or by a mixture of two.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.

    Returns
    -------
    HullPoints
        Rates and thresholds.

    References
    ----------
    .. [1] F. Provost, T. Fawcett, "Robust classification for imprecise environments",
       Machine Learning 42, 2001.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-3.0, 0.5, -0.5, 2.0], kind="llr")
    >>> points = hull_points(sc)
    >>> points.false_positive_rate, points.sensitivity
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    """
    require_both(scores, "hull_points")
    below_first, below_second = scores.cumulated
    at = scores.hull[::-1]
    n0, n1 = scores.class_totals
    return HullPoints(
        np.asarray((n0 - below_first[at]) / n0),
        np.asarray((n1 - below_second[at]) / n1),
        np.asarray(scores.cuts[at]),
    )


def expanded_systems(systems: Mapping[str, Any]) -> dict[str, ConfusionMatrix]:
    """Systems as confusion matrices; one for each useful threshold of a system with scores."""
    found: dict[str, ConfusionMatrix] = {}
    for name, system in systems.items():
        if isinstance(system, ConfusionMatrix):
            found[str(name)] = system
        elif isinstance(system, RankedScores):
            points = hull_points(system)
            n0, n1 = system.class_totals
            for fpr, tpr, cut in zip(*points, strict=True):
                counts = [[n0 * (1 - fpr), n0 * fpr], [n1 * (1 - tpr), n1 * tpr]]
                key = f"{name} > {cut:.6g}"
                found[key] = ConfusionMatrix(np.abs(counts), classes=system.classes)
        else:
            raise DataError(
                f"system {name!r} must be a ConfusionMatrix or a summary of scores; got "
                f"{type(system).__name__}.",
                hint="ConfusionMatrix.from_decisions(...) or ScoreCounts.from_scores(...)",
            )
    if not found:
        raise DataError("`systems` must name at least one system; got none.")
    names = [(m.classes, m.decisions) for m in found.values()]
    if any(each != names[0] for each in names):
        first, other = names[0], next(each for each in names if each != names[0])
        raise DataError(
            f"all systems must have the same classes and decisions; got {listed(first[1])} and "
            f"{listed(other[1])}."
        )
    return found


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
