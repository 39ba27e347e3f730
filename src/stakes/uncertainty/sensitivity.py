"""Sensitivity: the cost ratios and prevalences for which each system is best, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from stakes._checks import as_level, of_kind
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.interval_ends import normal_quantile
from stakes._names import listed
from stakes.application import Application, CostMatrix, as_application
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix, PairedCounts
from stakes.typing import FloatArray, Name
from stakes.uncertainty.intervals.interval import refuse_weights
from stakes.uncertainty.intervals.linear_costs import CostSum, as_stakes, cost_sum, difference_sum

#: Number of cases for a constant decision, whose error rates are known exactly.
_ENDLESS = 1e12


def _choice_gap(
    systems: Any, choices: list[tuple[Any, ConfusionMatrix]], *two: int
) -> list[CostSum]:
    """The difference of two choices, split into its false positives and false negatives."""
    (left, first), (right, second) = (choices[k] for k in two)
    parts = []
    for values in ([[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]):
        app = Application(CostMatrix(values, first.classes, first.decisions), priors=[0.5, 0.5])
        stakes = as_stakes(app)
        if isinstance(systems, PairedCounts) and max(two) < len(systems.systems):
            parts.append(difference_sum(systems.subset([left, right]), stakes))
        else:
            a, b = (cost_sum(matrix.counts, stakes) for matrix in (first, second))
            parts.append(a.minus(b))
    return parts


def _border_limits(parts: list[CostSum], border: float, z: float) -> tuple[float, float]:
    """Effective priors around a border at which the two choices do not differ significantly."""
    alarms, misses = parts

    def gap(log_odds: float) -> float:
        u = 1 / (1 + np.exp(-log_odds))
        weights = (1 - u) * alarms.weights + u * misses.weights
        return abs(CostSum(alarms.counts, weights).z_score())

    centre = float(np.log(border / (1 - border)))
    ends = []
    for sign in (-1.0, 1.0):
        near, far = 0.0, 40.0
        if gap(centre + sign * far) < z:
            ends.append(0.0 if sign < 0 else 1.0)
            continue
        for _ in range(40):
            middle = (near + far) / 2
            near, far = (middle, far) if gap(centre + sign * middle) < z else (near, middle)
        ends.append(float(1 / (1 + np.exp(-(centre + sign * near)))))
    return ends[0], ends[1]


Over = Literal["cost_ratio", "prevalence", "effective_prior"]


@dataclass(frozen=True, eq=False, repr=False)
class BestRanges(AnswersGuesses):
    """The best choice over ranges, with intervals of their borders; see `best_ranges`.

    Parameters
    ----------
    over : str
        What varies along the axis.
    best : tuple of names
        The best choice of each stretch, from the lowest value of the axis on.
    at : array of float
        Borders between the stretches.
    low, high : array of float
        Interval of each border, within which its two sides do not differ significantly.
    leads : array of float
        The largest lead of the best choice of each stretch, in normalised cost.
    """

    over: Over
    best: tuple[Name, ...]
    at: FloatArray
    low: FloatArray
    high: FloatArray
    leads: FloatArray

    def frame(self) -> Frame:
        """One row per stretch: best, from, to, lead; and the interval of its lower border."""
        top = {"prevalence": 1.0, "effective_prior": 1.0}.get(self.over, np.inf)
        return Frame(
            {
                "best": [str(name) for name in self.best],
                "from": np.concatenate(([0.0], self.at)),
                "to": np.concatenate((self.at, [top])),
                "from_low": np.concatenate(([0.0], self.low)),
                "from_high": np.concatenate(([0.0], self.high)),
                "lead": self.leads,
            }
        )

    def __str__(self) -> str:
        parts = [str(self.best[0])]
        for k, name in enumerate(self.best[1:]):
            parts.append(f"{name} from {self.at[k]:.3g} ({self.low[k]:.3g} to {self.high[k]:.3g})")
        return ", ".join(parts)

    def __repr__(self) -> str:
        return f"<BestRanges over {self.over}: {self}>"


@answers_guesses
def best_ranges(
    systems: PairedCounts | Mapping[Any, ConfusionMatrix],
    application: Any = None,
    *,
    over: Over = "cost_ratio",
    naive: bool = True,
    level: float | None = 0.95,
) -> BestRanges:
    """For which costs or class shares each of several systems is the best choice.

    Before arguing about costs, see whether the argument matters: a system that is best for cost
    ratios from 3 to 100 is best for everyone whose ratio is around 10.

    Parameters
    ----------
    systems : PairedCounts, or mapping from name to ConfusionMatrix
        Hard decisions of two classes, on the same cases or each on its own.
    application : Application or CostMatrix, optional
        What stays fixed: the priors for the axis "cost_ratio", the costs for "prevalence".
    over : {"cost_ratio", "prevalence", "effective_prior"}
        The axis: the number of wrong second decisions that cost as much as one wrong first
        decision; the share of the second class; or the effective prior, which combines both.
    naive : bool
        Whether always taking the same decision is among the choices.
    level : float, optional
        Of the intervals of the borders; None for none.

    Returns
    -------
    BestRanges
        Printing it gives the stretches in order.

    Notes
    -----
    With u the effective prior, the cost of a system is proportional to u FNR + (1 - u) FPR, a
    straight line; the best choices form the lower envelope of these lines. The interval of a
    border holds the values at which the two systems do not differ by the score test.

    References
    ----------
    .. [1] C. Drummond and R. C. Holte, "Cost curves: an improved method for visualizing
       classifier performance", Machine Learning 65, 2006.

    Examples
    --------
    >>> from stakes import Application, CostMatrix
    >>> a = ConfusionMatrix([[900, 100], [20, 180]])
    >>> b = ConfusionMatrix([[980, 20], [60, 140]])
    >>> found = best_ranges({"a": a, "b": b}, Application(CostMatrix.zero_one(2),
    ...                       priors=[0.8, 0.2]))
    >>> found.best
    ('always 0', 'b', 'a', 'always 1')
    >>> found.at.round(2)
    array([ 0.11,  1.6 , 36.  ])
    """
    matrices = _matrices(systems)
    first = next(iter(matrices.values()))
    choices: list[tuple[Any, ConfusionMatrix]] = list(matrices.items())
    for k, name in enumerate(first.decisions if naive else ()):
        counts = np.zeros((2, 2))
        counts[:, k] = _ENDLESS
        choices.append((f"always {name}", ConfusionMatrix(counts, first.classes, first.decisions)))
    points = np.array([(m.rates[0, 1], m.rates[1, 0]) for _, m in choices])
    order, borders = _envelope(points)
    scale = _axis(over, application, first)
    ends = [(np.nan, np.nan)] * len(borders)
    if level is not None:
        z = normal_quantile(as_level(level))
        for matrix in matrices.values():
            counts = np.asarray(matrix.counts, dtype=np.float64)
            refuse_weights(counts, "confusion matrix", instead="level=None, for no intervals")
        gaps = [_choice_gap(systems, choices, *two) for two in pairwise(order)]
        ends = [_border_limits(gap, at, z) for gap, at in zip(gaps, borders, strict=True)]
    low, high = (np.array([e[k] for e in ends]) for k in (0, 1))
    best, leads = tuple(choices[k][0] for k in order), _leads(points, order, borders)
    return BestRanges(over, best, scale(np.array(borders)), scale(low), scale(high), leads)


def _matrices(systems: Any) -> dict[Name, ConfusionMatrix]:
    """One two-by-two confusion matrix per system."""
    if isinstance(systems, PairedCounts):
        found = {name: systems.confusion(name) for name in systems.systems}
    else:
        found = dict(of_kind(systems, "systems", PairedCounts, Mapping))
    if not found:
        raise DataError("`systems` holds no system.", hint='{"a": ConfusionMatrix(...)}')
    for name, matrix in found.items():
        of_kind(matrix, "systems", ConfusionMatrix)
        if matrix.counts.shape != (2, 2):
            raise DataError(
                "switch points need two classes and two decisions; "
                f"{name!r} has {matrix.counts.shape}."
            )
        if (matrix.class_totals == 0).any():
            raise DataError(f"{name!r} has no case of one of {listed(matrix.classes)}.")
    return found


def _envelope(points: FloatArray) -> tuple[list[int], list[float]]:
    """The lines that are lowest for some u in (0, 1), in order, and where they change."""
    u, current = 0.0, int(np.lexsort((points[:, 1], points[:, 0]))[0])
    order = [current]
    borders: list[float] = []
    while True:
        slopes = points[:, 1] - points[:, 0]
        falls = np.flatnonzero(slopes < slopes[current])
        if falls.shape[0] == 0:
            return order, borders
        gap = points[falls, 0] - points[current, 0]
        crossing = gap / (slopes[current] - slopes[falls])
        k = int(np.lexsort((slopes[falls], crossing))[0])
        if crossing[k] >= 1:
            return order, borders
        u, current = float(max(crossing[k], u)), int(falls[k])
        if u <= 0:
            order[-1] = current
        else:
            order.append(current)
            borders.append(u)


def _axis(over: str, application: Any, like: ConfusionMatrix) -> Any:
    """Effective priors in the units of the axis."""
    if over == "effective_prior":
        return lambda u: u
    if over == "cost_ratio":
        given = None if application is None else as_application(application).priors
        shares = like.priors if given is None else given
        factor = shares[0] / shares[1]
    elif over == "prevalence":
        if application is None:
            raise DataError("the axis 'prevalence' needs costs.", hint="application=...")
        factor = np.exp(as_application(application).log_odds_threshold)
    else:
        raise DataError(
            f"`over` must be 'cost_ratio', 'prevalence' or 'effective_prior'; got {over!r}."
        )

    def scale(u: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            odds = factor * u / (1 - u)
        if over == "cost_ratio":
            return np.asarray(odds)
        return np.asarray(
            np.where(np.isinf(odds), 1.0, odds / (1 + np.where(np.isinf(odds), 0, odds)))
        )

    return scale


def _leads(points: FloatArray, order: list[int], borders: list[float]) -> FloatArray:
    """Largest lead of each stretch's best choice over the next best, in normalised cost."""
    edges = [0.0, *borders, 1.0]
    found = []
    for k, best in enumerate(order):
        u = np.linspace(edges[k], edges[k + 1], 51)[1:-1]
        costs = u[:, None] * points[:, 1] + (1 - u[:, None]) * points[:, 0]
        others = np.delete(costs, best, axis=1)
        lead = (others.min(axis=1) - costs[:, best]) / np.minimum(u, 1 - u)
        found.append(float(lead.max()))
    return np.array(found)
