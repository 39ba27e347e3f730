"""Detection costs in many applications at once, those of the NIST evaluations, and Cllr."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import of_kind
from stakes._columns import in_brief
from stakes._guesses import AnswersGuesses
from stakes._names import place_of
from stakes.application import Application, as_application
from stakes.exceptions import DataError
from stakes.messages.audience import named
from stakes.metrics.scores.operating_points import at_bayes_threshold, at_min_cost
from stakes.metrics.summary_input import of_scores
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores


@dataclass(frozen=True, eq=False, repr=False)
class DetectionCosts(AnswersGuesses):
    """Actual and minimum normalised cost at several operating points.

    Parameters
    ----------
    names : tuple of str
        One per operating point.
    effective_priors, actual, minimum : array
        Normalised costs at each point; `nan` where only the order of the scores is known.
    actual_thresholds, minimum_thresholds : array
        In the units of the scores.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-3.0, 0.5, -0.5, 6.0], kind="llr")
    >>> detection_costs(sc, "sre16")
    DetectionCosts(2 points: actual 0.5, minimum 0.5 on average)
    """

    names: tuple[str, ...]
    effective_priors: np.ndarray
    actual: np.ndarray
    minimum: np.ndarray
    actual_thresholds: np.ndarray
    minimum_thresholds: np.ndarray

    @property
    def primary_actual(self) -> float:
        """Mean of the actual costs: the primary cost of evaluations with several points."""
        return float(self.actual.mean())

    @property
    def primary_minimum(self) -> float:
        """Mean of the minimum costs, each with its own threshold."""
        return float(self.minimum.mean())

    def frame(self) -> Frame:
        """One row per operating point."""
        return Frame(
            {
                "point": list(self.names),
                "effective_prior": self.effective_priors,
                "actual": self.actual,
                "minimum": self.minimum,
                "calibration_loss": self.actual - self.minimum,
                "bayes_threshold": self.actual_thresholds,
                "best_threshold": self.minimum_thresholds,
            }
        )

    def __repr__(self) -> str:
        return (
            f"DetectionCosts({len(self.names)} points: actual {self.primary_actual:.4g}, "
            f"minimum {self.primary_minimum:.4g} on average)"
        )


@of_scores
def detection_costs(scores: RankedScores, applications: Any) -> DetectionCosts:
    """Actual and minimum normalised cost at several operating points at once.

    For evaluations that average over operating points, such as those of NIST.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; the actual costs are `nan` for kind "rank".
    applications : str, mapping, or sequence of Application
        The name of a preset of `nist_applications`, applications by name, or a list.

    Returns
    -------
    DetectionCosts
        Normalised costs and thresholds at each point; `.primary_actual` is their mean.

    References
    ----------
    .. [1] NIST Speaker Recognition Evaluation plans, 2008 to 2018.

    Examples
    --------
    >>> from stakes import Application, ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-3.0, 0.5, -0.5, 6.0], kind="llr")
    >>> print(detection_costs(sc, "sre12").frame())
    point       effective_prior  actual  minimum  calibration_loss  bayes_threshold  best_threshold
    prior 0.01  0.01             0.5     0.5      0                 4.59512          3.25
    prior 0.001  0.001            1       0.5      0.5               6.90675          3.25
    """
    if isinstance(applications, str):
        points = nist_applications(applications)
    elif isinstance(applications, Mapping):
        points = {str(name): as_application(app) for name, app in applications.items()}
    else:
        of_kind(applications, "applications", Iterable)
        points = {f"point {k + 1}": as_application(a) for k, a in enumerate(applications)}
    if not points:
        raise DataError("`applications` must not be empty.")
    rows: list[list[float]] = []
    for app in points.values():
        best = at_min_cost(scores, app)
        prior = app.with_priors(app.resolved_priors(scores.priors)).effective_prior
        cost = threshold = np.nan
        if scores.kind != "rank":
            actual = at_bayes_threshold(scores, app)
            cost, threshold = actual.cost(app, normalized=True), actual.threshold
        rows.append([prior, cost, best.cost(app, normalized=True), threshold, best.threshold])
    return DetectionCosts(tuple(points), *np.array(rows).reshape(-1, 5).T)


#: (prior of the target class, cost of a miss, cost of a false alarm) of each evaluation.
_NIST = {
    "sre08": [(0.01, 10.0, 1.0)],
    "sre10": [(0.001, 1.0, 1.0)],
    "sre12": [(0.01, 1.0, 1.0), (0.001, 1.0, 1.0)],
    "sre16": [(0.01, 1.0, 1.0), (0.005, 1.0, 1.0)],
    "sre18-cmn2": [(0.01, 1.0, 1.0), (0.005, 1.0, 1.0)],
    "sre18-vast": [(0.05, 1.0, 1.0)],
}


def nist_applications(evaluation: str) -> dict[str, Application]:
    """Operating points of a NIST speaker recognition evaluation.

    Parameters
    ----------
    evaluation : str
        "sre08" (also valid for 1996 to 2008), "sre10", "sre12", "sre16", "sre18-cmn2" or
        "sre18-vast".

    Returns
    -------
    dict of Application
        By name; the second class is the target speaker.

    Notes
    -----
    Only the costs and priors: the splits of trials that some plans weight equally, and
    the two kinds of non-target trials of 2012, are for the caller to apply.

    References
    ----------
    .. [1] NIST Speaker Recognition Evaluation plans, 2008 to 2018.

    Examples
    --------
    >>> {name: app.priors.tolist() for name, app in nist_applications("sre16").items()}
    {'prior 0.01': [0.99, 0.01], 'prior 0.005': [0.995, 0.005]}
    """
    if place_of(evaluation, _NIST) is None:
        raise DataError(
            f"{named('evaluation')} must be one of {', '.join(_NIST)}; got {in_brief(evaluation)}."
        )
    return {
        f"prior {prior:g}": Application([[0, false_alarm], [miss, 0]], priors=[1 - prior, prior])
        for prior, miss, false_alarm in _NIST[evaluation]
    }
