"""The operating points worth considering: the corners of the ROC convex hull."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from stakes._names import listed
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray

__all__ = ["HullPoints", "expanded_systems", "hull_points"]


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
