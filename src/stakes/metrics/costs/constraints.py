"""The cheapest way to keep a promise, and the costs that a promise implies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_number
from stakes._names import one_of
from stakes.application import Application, as_application
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.metrics.scores.operating_points import (
    OperatingPoint,
    aligned,
    at_sensitivity,
    at_threshold,
)
from stakes.metrics.scores.pareto_hull import HullPoints, hull_points
from stakes.metrics.summary_input import of_scores
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray

#: Shares that differ by less are the same share, up to rounding.
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class ConstrainedOptimum:
    """The cheapest operating point that keeps the promises; see `constrained_optimum`.

    Parameters
    ----------
    sensitivity, specificity : float
        Rates at the optimum.
    alarms : float
        Share of all cases that are acted on.
    cost : float
        Expected cost per case.
    free_cost : float
        The same without promises.
    thresholds : tuple of float
        Act above it; two of them when the optimum mixes two thresholds.
    mixture : tuple of float
        How often each threshold is used.
    binding : tuple of str
        The promises that cost something.
    ratio : tuple of float
        Number of false alarms per miss, from and to, for which this point would be the
        optimum without promises.
    """

    sensitivity: float
    specificity: float
    alarms: float
    cost: float
    free_cost: float
    thresholds: tuple[float, ...]
    mixture: tuple[float, ...]
    binding: tuple[str, ...]
    ratio: tuple[float, float]

    @property
    def price(self) -> float:
        """What the promises cost per case."""
        return self.cost - self.free_cost


@of_scores
def constrained_optimum(
    scores: RankedScores,
    application: Any,
    *,
    min_sensitivity: float | None = None,
    min_specificity: float | None = None,
    max_alarms: float | None = None,
    min_precision: float | None = None,
) -> ConstrainedOptimum:
    """The least expected cost under promises about rates, with the price of the promises.

    A required sensitivity, or a limit on the number of alarms, implies something about the costs:
    `ratio` tells for which costs the same point is best without any promise. If that ratio
    is not one you believe, the promise is not a good one.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    application : Application or CostMatrix
        Two decisions; without priors, those of the data.
    min_sensitivity, min_specificity : float, optional
        Rates from 0 to 1.
    max_alarms : float, optional
        Share of all cases that may be acted on; above 1 it is a number of cases per period
        of the application's `volume`.
    min_precision : float, optional
        Share of true positives among the cases acted on.

    Returns
    -------
    ConstrainedOptimum
        Exact on the ROC convex hull. Where a promise cuts an edge of the hull, two thresholds
        are mixed; using the one that keeps the promise alone costs a little more.

    Notes
    -----
    On the hull every promise is a linear inequality and keeps to one stretch of it, and the
    cost is convex along it: the optimum is the free one, moved into the stretch. Like every
    minimum found on the data, it is optimistic.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1], [-2.0, 0.5, -1.0, 0.0, 2.0], kind="llr")
    >>> found = constrained_optimum(sc, Application([[0, 4], [1, 0]]), min_sensitivity=0.9)
    >>> round(found.sensitivity, 6), round(found.price, 6), found.binding
    (0.9, 0.48, ('min_sensitivity',))
    """
    points = hull_points(scores)
    app = aligned(scores.classes, as_application(application))
    priors = app.resolved_priors(scores.priors)
    promises = {
        "min_sensitivity": min_sensitivity,
        "min_specificity": min_specificity,
        "max_alarms": _as_share(max_alarms, app),
        "min_precision": min_precision,
    }
    stretches = {
        name: _stretch(name, value, points, priors)
        for name, value in promises.items()
        if value is not None
    }
    costs = _path_costs(points, app, priors)
    free = int(np.argmin(costs))  # ties: act on fewer
    low, high = _common(stretches, points)
    at = min(max(float(free), low), high)
    left = min(int(np.floor(at + _CLOSE)), costs.size - 1)
    step = at - left if at - left > 1e-9 else 0.0
    ends = [left] if step == 0 else [left, left + 1]
    mixture = np.array([1.0]) if step == 0 else np.array([1 - step, step])
    tpr = float(mixture @ points.sensitivity[ends])
    fpr = float(mixture @ points.false_positive_rate[ends])
    ratios = np.array([0.0, *points.ratios(float(priors[1])), np.inf])
    return ConstrainedOptimum(
        sensitivity=tpr,
        specificity=1 - fpr,
        alarms=float(priors @ np.array([fpr, tpr])),
        cost=float(mixture @ costs[ends]),
        free_cost=float(costs[free]),
        thresholds=tuple(points.thresholds[ends].tolist()),
        mixture=tuple(mixture.tolist()),
        binding=tuple(name for name, (a, b) in stretches.items() if not a <= free <= b),
        ratio=(float(ratios[left + (step > 0)]), float(ratios[left + 1])),
    )


def _as_share(alarms: float | None, app: Application) -> float | None:
    """A number of alarms per period as a share of the cases."""
    if alarms is None or as_number(alarms, "max_alarms") <= 1:
        return alarms
    if app.volume is None:
        raise DataError(
            f"`max_alarms` of {alarms:g} is a number of cases, but of how many is unknown.",
            hint="Application(..., volume=1000, period='day'), or give a share between 0 and 1",
        )
    return min(1.0, alarms / app.volume)


def _path_costs(points: HullPoints, app: Application, priors: FloatArray) -> FloatArray:
    """Expected cost at each corner of the hull."""
    if app.costs.shape != (2, 2):
        raise CostError(f"promises are about two decisions; got {app.costs.shape[1]}.")
    app.posterior_threshold  # noqa: B018 - refuses costs under which acting never pays
    (c11, c12), (c21, c22) = app.costs.values
    first = priors[0] * (c11 + (c12 - c11) * points.false_positive_rate)
    second = priors[1] * (c21 + (c22 - c21) * points.sensitivity)
    return np.asarray(first + second)


def _stretch(
    name: str, value: float, points: HullPoints, priors: FloatArray
) -> tuple[float, float]:
    """From where to where along the hull (in corners) a promise is kept."""
    value = as_number(value, name)
    if not 0 <= value <= 1:
        raise DataError(f"`{name}` must lie between 0 and 1; got {value!r}.")
    fpr, tpr = points.false_positive_rate, points.sensitivity
    p0, p1 = priors
    kept = {  # not negative where the promise is kept; linear along every edge
        "min_sensitivity": tpr - value,
        "min_specificity": (1 - value) - fpr,
        "max_alarms": value - (p0 * fpr + p1 * tpr),
        "min_precision": (1 - value) * p1 * tpr - value * p0 * fpr,
    }[name]
    inside = np.flatnonzero(kept >= -_CLOSE)
    if inside.size == 0:
        raise UndefinedError(f"no threshold keeps `{name}` on these data.")
    first, last = int(inside[0]), int(inside[-1])
    low, high = float(first), float(last)
    if first > 0:
        low -= kept[first] / (kept[first] - kept[first - 1])
    if last < kept.size - 1:
        high += kept[last] / (kept[last] - kept[last + 1])
    return low, high


def _common(stretches: dict[str, tuple[float, float]], points: HullPoints) -> tuple[float, float]:
    """The stretch on which all promises are kept, or an error that says what is possible."""
    corners = np.arange(points.sensitivity.size)
    low = max((a for a, _ in stretches.values()), default=0.0)
    high = min((b for _, b in stretches.values()), default=float(corners[-1]))
    if low <= high + _CLOSE:
        return low, max(low, high)
    first = next(name for name, (a, _) in stretches.items() if a == low)
    second = next(name for name, (_, b) in stretches.items() if b == high)
    needed, alarms = (np.interp([low, high], corners, rate) for rate in (points[1], points[0]))
    raise UndefinedError(
        f"`{first}` and `{second}` cannot both be kept: the first needs a sensitivity of "
        f"{needed[0]:.4g} with {alarms[0]:.4g} false alarms, the second allows {needed[1]:.4g} "
        f"with {alarms[1]:.4g}.",
        hint="loosen one of them",
    )


@dataclass(frozen=True, slots=True)
class SensitivityCosts:
    """What a target sensitivity implies; made by `costs_of_sensitivity`.

    Parameters
    ----------
    alpha : tuple of two floats
        The weights alpha = c_12 P_1 / (c_21 P_2) under which the point is the best one.
    prior : float
        Share of the second class in the data.
    point : OperatingPoint
        The threshold and what it decides.
    """

    alpha: tuple[float, float]
    prior: float
    point: OperatingPoint

    @property
    def false_alarm_cost(self) -> tuple[float, float]:
        """Cost of a false alarm in misses, c_12 / c_21 = alpha P_2 / P_1: least and most."""
        odds = self.prior / (1 - self.prior)
        return self.alpha[0] * odds, self.alpha[1] * odds

    @property
    def miss_cost(self) -> tuple[float, float]:
        """Cost of a miss in false alarms: least and most."""
        low, high = self.false_alarm_cost
        return (1 / high if high else math.inf), (1 / low if low else math.inf)


@of_scores
def costs_of_sensitivity(scores: RankedScores, sensitivity: float, *, method: str = "hull"
                         ) -> SensitivityCosts:  # fmt: skip
    r"""The cost ratio that a target sensitivity implies for a baseline system.

    Turns "find at least 95 % of them" into a cost that can be looked at, and used with
    other systems: `alpha_cost` with this alpha.

    .. math:: c_{12} / c_{21} = \alpha P_2 / P_1

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Scores of the baseline system.
    sensitivity : float
        The least true positive rate.
    method : {"hull", "bayes"}
        "hull": the alphas for which the best threshold on this data has at least this
        sensitivity, and no higher than needed; only the order of scores counts. "bayes":
        the alpha whose Bayes threshold is the one of `at_sensitivity`, for calibrated scores.

    Returns
    -------
    SensitivityCosts
        Alpha and the costs of the two errors in terms of each other, as intervals.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1], [-2.0, -1.0, 1.0, 0.5, 3.0], kind="llr")
    >>> implied = costs_of_sensitivity(sc, 0.9)
    >>> implied.point.threshold, implied.alpha
    (-0.25, (0.0, 1.5))
    """
    require_both(scores, "costs_of_sensitivity")
    method = one_of(method, "method", ("hull", "bayes"))
    prior = float(scores.priors[1])
    point = at_sensitivity(scores, sensitivity)
    if method == "bayes":
        scores.require_scale("costs_of_sensitivity")
        threshold = point.threshold
        if scores.kind == "posterior":
            threshold = math.log(threshold) - math.log1p(-threshold)
        alpha = math.exp(threshold - scores.log_prior_odds())
        return SensitivityCosts((alpha, alpha), prior, point)
    below = scores.cumulated[1][scores.hull]
    found = 1 - below / scores.class_totals[1]
    vertex = int(np.flatnonzero(found >= float(sensitivity) * (1 - 1e-12))[-1])
    first, second = scores.blocks()
    with np.errstate(divide="ignore"):
        slopes = (second / scores.class_totals[1]) / (first / scores.class_totals[0])
    low = float(slopes[vertex - 1]) if vertex > 0 else 0.0
    high = float(slopes[vertex]) if vertex < slopes.size else math.inf
    cut = float(scores.cuts[scores.hull[vertex]])
    return SensitivityCosts((low, high), prior, at_threshold(scores, cut))
