"""Points on the hull, the Pareto front, and the bounds that scores in bins leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._checks import of_kind, positive_share
from stakes._guesses import AnswersGuesses
from stakes._kernels.label_runs import Runs
from stakes._names import listed
from stakes.application import as_application
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import expected_cost
from stakes.metrics.scores.error_rate_points import eer
from stakes.metrics.scores.proper_scores import min_cllr
from stakes.metrics.scores.score_ranking import auc
from stakes.metrics.scores.threshold_costs import min_cost
from stakes.metrics.summary_input import of_scores
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix, ScoreBins
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray, Priors


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

    def ratios(self, priors: Priors) -> FloatArray:
        """False alarms paid for each further hit, along each edge; ascending.

        Corner k is the best one when a miss costs from `ratios[k - 1]` to `ratios[k]` false
        alarms. `priors` is the share of the second class where it will run, or of both.
        """
        prior = positive_share(priors)
        alarms = (1 - prior) * np.diff(self.false_positive_rate)
        hits = prior * np.diff(self.sensitivity)
        unpaid = np.full(alarms.size, np.inf)
        return np.asarray(np.divide(alarms, hits, out=unpaid, where=hits > 0))


@of_scores
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
    for name, system in of_kind(systems, "systems", Mapping).items():
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
    first, *others = ((m.classes, m.decisions) for m in found.values())
    for other in others:
        if other != first:
            raise DataError(
                f"all systems must have the same classes and decisions; got {listed(first[1])} "
                f"and {listed(other[1])}."
            )
    return found


@dataclass(frozen=True, eq=False, repr=False)
class ParetoFront(AnswersGuesses):
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
    other. A point inside the convex hull of the front is never best for any fixed exchange rate.

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
    if not of_kind(applications, "applications", Mapping):
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


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBounds(AnswersGuesses):
    """What each rank statistic can be, whatever the order inside the bins.

    Parameters
    ----------
    names : tuple of str
        The statistics.
    low, high : array
        Their least and greatest possible value.

    Examples
    --------
    >>> ScoreBounds(("auc",), np.array([0.7]), np.array([0.8]))["auc"]
    (0.7, 0.8)
    """

    names: tuple[str, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __getitem__(self, name: str) -> tuple[float, float]:
        k = self.names.index(name)
        return float(self.low[k]), float(self.high[k])

    def frame(self) -> Frame:
        """One row per statistic: low, high, width."""
        columns = {"statistic": list(self.names), "low": self.low, "high": self.high}
        return Frame({**columns, "width": self.high - self.low})

    def __repr__(self) -> str:
        rows = zip(self.names, self.low, self.high, strict=True)
        return f"ScoreBounds({', '.join(f'{name} {a:.4g} to {b:.4g}' for name, a, b in rows)})"


class _Reordered(RankedScores):
    """Bins with the cases of one class moved below those of the other."""

    def __init__(self, bins: ScoreBins, *, negatives_first: bool) -> None:
        self.classes, self.kind, self.from_priors = bins.classes, bins.kind, bins.from_priors
        self._bins, self._negatives_first = bins, negatives_first

    @cached_property
    def runs(self) -> Runs:
        """Each bin that may hold several scores, in two: one class, then the other."""
        source = self._bins.runs
        counts = np.stack(source[:2], axis=1)
        lower = counts.copy()
        lower[~self._bins.exact, int(self._negatives_first)] = 0
        parts = np.stack([lower, counts - lower], axis=1).reshape(-1, 2).T
        ends = (np.repeat(end, 2) for end in source[2:])
        filled = parts.sum(axis=0) > 0
        return Runs(*(part[filled] for part in (*parts, *ends)))


def score_bounds(scores: ScoreBins, application: Any = None) -> ScoreBounds:
    r"""The range of AUC, EER, minimum Cllr and minimum cost that binned scores allow.

    Use it to see whether the bins are fine enough: a width of 0 means that nothing was
    lost. Only bins that hold more than one score widen the range.

    .. math:: |\Delta \mathrm{AUC}| \le \tfrac12 \sum_b \pi_b \nu_b

    Parameters
    ----------
    scores : ScoreBins
        The binned scores.
    application : Application or CostMatrix, optional
        For the minimum cost.

    Returns
    -------
    ScoreBounds
        In the units of each statistic: `auc`, `eer` (interpolated and by the hull),
        `min_cllr` in bits, `min_cost` in the unit of the costs.

    Notes
    -----
    The extremes are reached when, inside each bin, all cases of one class score below all
    of the other. Costs at edges need no bounds: they are exact.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27,
       2006, section 5: equal scores bound the curve.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.6, 0.9], kind="posterior")
    >>> score_bounds(sc.binned([0.5]))
    ScoreBounds(auc 0.25 to 0.75, eer 0.5 to 0.5, eer_hull 0.25 to 0.5, min_cllr 0.5 to 1)
    """
    require_both(of_kind(scores, "scores", ScoreBins), "score_bounds")
    best = _Reordered(scores, negatives_first=True)
    worst = _Reordered(scores, negatives_first=False)
    ranges = {
        "auc": (auc(worst), auc(best)),
        "eer": (eer(best), eer(worst)),
        "eer_hull": (eer(best, method="hull"), eer(scores, method="hull")),
        "min_cllr": (min_cllr(best), min_cllr(scores)),
    }
    if application is not None:
        ranges["min_cost"] = min_cost(best, application), min_cost(scores, application)
    low, high = np.array(list(ranges.values())).T
    return ScoreBounds(tuple(ranges), low, high)
