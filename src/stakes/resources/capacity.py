"""The cheapest decisions of a batch when some may only be taken so often, and what a limit costs.

Docs: docs/design/resources.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, frozen
from stakes._columns import as_weights
from stakes._guesses import AnswersGuesses
from stakes._kernels.bayes_rule import code_type
from stakes._kernels.optimise.limited_choice import (
    Limits,
    limited_choice,
    price_ends,
    repacked,
    whole_cases,
)
from stakes.application import Application, CaseCosts
from stakes.application.application import as_application
from stakes.decisions.bayes import class_posteriors
from stakes.decisions.case_rules import expected_case_costs
from stakes.exceptions import CostError, DataError
from stakes.posteriors.class_order import asked_order
from stakes.resources.limit import Limit, read_limits, refuse_impossible
from stakes.results import Frame
from stakes.typing import FloatArray, Name


@dataclass(frozen=True, slots=True)
class LimitPrice:
    """What one limit costs; see `capacity_optimum`.

    Parameters
    ----------
    limit : Limit
        As it was given.
    low, high : float
        At least and at most how many cases of this batch.
    used : float
        In how many the decision is taken.
    price : float
        What the limit loosened by one case saves, in the unit of the costs; 0 where it does not
        bind.
    tighter : float
        What it costs to tighten the end that binds by one case, or the nearer one where none does;
        nan where that is impossible.
    interval : pair of float
        Of the price, for other batches from the same source; the upper end is infinite where the
        limit leaves too few cases to tell.
    lower : bool
        Whether it is the lower end that binds, so that one fewer saves the price.
    """

    limit: Limit
    low: float
    high: float
    used: float
    price: float
    tighter: float
    interval: tuple[float, float]
    lower: bool = False

    @property
    def binds(self) -> bool:
        """Whether the limit costs anything."""
        return self.price > 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CapacityOptimum(AnswersGuesses):
    """The cheapest decisions within limits; made by `capacity_optimum`.

    Parameters
    ----------
    decisions : array of shape (n_cases,)
        The decision of each case, by its position.
    names : tuple of names
        The decisions by position.
    limits : tuple of LimitPrice
        What each limit costs.
    prices : array of shape (n_decisions,)
        What to add to the expected cost of each decision, so that the cheapest one keeps the
        limits: the price of the capacity that it uses.
    cost, free_cost : float
        Expected cost per case within the limits and without any.
    n_cases : float
        How many cases there are, or what they weigh.
    unit : str, optional
        Of the costs.
    """

    decisions: NDArray[Any]
    names: tuple[Name, ...]
    limits: tuple[LimitPrice, ...]
    prices: FloatArray
    cost: float
    free_cost: float
    n_cases: float
    unit: str | None = None
    expected: FloatArray = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def price(self) -> float:
        """What all limits cost together, per case."""
        return self.cost - self.free_cost

    def __getitem__(self, decision: Name) -> LimitPrice:
        """The limit on a decision."""
        for each in self.limits:
            if each.limit.decision == decision:
                return each
        known = ", ".join(repr(each.limit.decision) for each in self.limits)
        raise KeyError(f"{decision!r} has no limit; there are {known}")

    def frame(self) -> Frame:
        """One row per limit: decision, at_least, at_most, used, price, low, high, tighter."""
        return Frame(
            {
                "decision": [each.limit.decision for each in self.limits],
                "at_least": [each.low for each in self.limits],
                "at_most": [each.high for each in self.limits],
                "used": [each.used for each in self.limits],
                "price": [each.price for each in self.limits],
                "low": [each.interval[0] for each in self.limits],
                "high": [each.interval[1] for each in self.limits],
                "tighter": [each.tighter for each in self.limits],
            }
        )

    def __repr__(self) -> str:
        said = "; ".join(
            f"{each.limit.decision} {each.used:g}, at least {each.low:g}, "
            f"one fewer saves {each.price:.4g}"
            if each.lower or each.high == math.inf
            else f"{each.limit.decision} {each.used:g} of {each.high:g}, "
            f"one more saves {each.price:.4g}"
            for each in self.limits
        )
        return (
            f"CapacityOptimum(expected per case {self.cost:.4g}, free {self.free_cost:.4g}; {said})"
        )


def expected_costs(
    posteriors: Any, costs: Any, *, classes: Any = None, positive: Any = None
) -> tuple[FloatArray, Application | None, tuple[Name, ...]]:
    """What each decision is expected to cost in each case, the application and the decisions.

    `costs` are those of all cases or of each, as `capacity_optimum` takes them.
    """
    cases = costs_of_cases(costs)
    if cases is not None:
        found = expected_case_costs(posteriors, cases, classes=classes, positive=positive)
        return found, None, cases.decisions
    app = as_application(costs)
    array = class_posteriors(posteriors, app.classes, asked_order(classes, positive))
    found = np.asarray(array.astype(np.float64, copy=False) @ app.costs.values)
    return found, app, app.decisions


def refuse_no_case(size: int) -> None:
    """Raise where there is nothing to decide."""
    if not size:
        raise DataError("`posteriors` must hold at least one case; got none.")


def costs_of_cases(costs: Any) -> CaseCosts | None:
    """Costs of each case, also from an array (n, K, M); None for costs that are the same in all."""
    if isinstance(costs, CaseCosts) or hasattr(costs, "decisions"):  # an object of ours
        return costs if isinstance(costs, CaseCosts) else None
    try:
        deep = np.ndim(costs)
    except ValueError:  # rows of unequal length
        return None
    return CaseCosts(costs) if deep == 3 else None


def capacity_optimum(
    posteriors: Any,
    costs: Any,
    *,
    capacity: Any,
    classes: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
) -> CapacityOptimum:
    r"""The cheapest decisions of a batch when the number of some decisions is limited.

    With one limit, the cases are taken by what the decision saves in each until none is left.
    With several, each limit has a price that is added to the cost of its decision; the prices
    are found so that all limits are kept, and no other decisions that keep them are cheaper.

    .. math:: \min_d \sum_n \sum_i P(i | x_n) c_{i, d_n} \quad
              \text{with } l_j \le |\{n: d_n = j\}| \le u_j

    Parameters
    ----------
    posteriors : array-like of shape (n_cases, n_classes), or (n_cases,) for two classes
        As in `stakes.bayes_decisions`.
    costs : Application, CostMatrix, CaseCosts or array-like
        What each decision costs; the `volume` of an application is how many cases come in a
        period.
    capacity : mapping, text, Limit or list
        ``{"review": 200}``, ``"review=200/day"``, ``{"review": "5%", "pay": (100, None)}``; see
        `read_limits`.
    classes, positive : optional
        The order of the columns, as in `stakes.bayes_decisions`.
    sample_weight : column, optional
        How many cases each row stands for; only proportions matter, and rows are not split.
    level : float
        Of the intervals of the prices.

    Returns
    -------
    CapacityOptimum
        Decisions, their expected cost, and the price of each limit with an interval.

    Notes
    -----
    The price of a limit is what one case more is worth, if the posteriors are right. With one
    limit it is an order statistic of what the decision saves, and its interval that of a
    quantile (binomial, exact for any distribution [2]_; nearly so for weighted cases). With
    several, the cases that get each decision at the true prices are multinomial; the ends are
    prices of this batch at limits that such a draw moves. Both are about other batches of the same
    size from the same source, to which the same shares are allowed.

    References
    ----------
    .. [1] G. B. Dantzig, "Discrete-variable extremum problems", Operations Research 5, 1957.
    .. [2] H. A. David and H. N. Nagaraja, "Order Statistics", 3rd ed., 2003, section 7.1.

    Examples
    --------
    >>> app = Application([[0, 10, 4], [100, 0, 4]])
    >>> p = [0.02, 0.06, 0.3, 0.08, 0.5]
    >>> found = capacity_optimum(p, app, capacity={1: 2, 2: 1})
    >>> found.decisions
    array([0, 0, 1, 2, 1], dtype=int8)
    >>> found[2].price
    3.0
    """
    level = as_level(level)
    expected, app, names = expected_costs(posteriors, costs, classes=classes, positive=positive)
    if not np.isfinite(expected).all():
        raise CostError("expected costs must be finite; the costs are too large.")
    limits = read_limits(capacity, names)
    weights = as_weights(sample_weight, len(expected))
    return optimum(expected, names, limits, weights, app=app, level=level)


def optimum(
    expected: FloatArray,
    names: tuple[Name, ...],
    limits: tuple[Limit, ...],
    weights: FloatArray | None,
    *,
    app: Application | None = None,
    level: float = 0.95,
) -> CapacityOptimum:
    """See `capacity_optimum`, from expected costs (n_cases, n_decisions)."""
    size = len(expected)
    refuse_no_case(size)
    each = np.ones(size) if weights is None else weights * (size / weights.sum())
    ends = batch_ends(limits, float(size), app, whole=weights is None)
    places = [names.index(limit.decision) for limit in limits]
    by_choice = np.ascontiguousarray(expected.T)
    if len(limits) == 1:
        solved = _one_limit(by_choice, each, places[0], *ends[0])
    else:
        solved = _several_limits(by_choice, each, places, ends)
    if solved is None:
        refuse_impossible(limits, size)
    choice, prices, looser, tighter = solved  # type: ignore[misc]
    intervals = _intervals(by_choice, each, places, ends, prices, looser, level)
    taken = np.bincount(choice, each, len(names))
    held = tuple(
        LimitPrice(
            limit, low, high, float(taken[j]), float(more), float(less), sure, bool(prices[j] < 0)
        )
        for limit, (low, high), j, more, less, sure in zip(
            limits, ends, places, looser, tighter, intervals, strict=True
        )
    )
    rows = np.arange(size)
    cost = float(each @ expected[rows, choice]) / size
    return CapacityOptimum(
        decisions=choice.astype(code_type(len(names))),
        names=names,
        limits=held,
        prices=frozen(prices),
        cost=cost,
        free_cost=float(each @ by_choice.min(axis=0)) / size,
        n_cases=float(size),
        unit=None if app is None else app.unit,
        expected=frozen(expected),
    )


def batch_ends(
    limits: tuple[Limit, ...], total: float, app: Application | None, *, whole: bool
) -> list[tuple[float, float]]:
    """At least and at most how many of the cases, whole ones where each counts for one."""
    volume, period = (None, None) if app is None else (app.volume, app.period)
    found = [limit.ends(total, volume, period) for limit in limits]
    if not whole:
        return found
    close = 1e-9 * total
    return [
        (math.ceil(low - close), math.floor(high + close) if high < math.inf else high)
        for low, high in found
    ]


def count_alike(weights: FloatArray) -> bool:
    """Whether each case counts for as much as any other."""
    return bool(np.ptp(weights) <= 1e-9 * weights.sum())


_Solved = tuple[NDArray[np.intp], FloatArray, FloatArray, FloatArray]


def _one_limit(
    costs: FloatArray, weights: FloatArray, place: int, low: float, high: float
) -> _Solved | None:
    """Take the decision where it saves most, as often as it saves and may be taken.

    Of cases that tie, earlier ones come first. The price lies between what the last case taken
    and the first one left save.
    """
    total = float(weights.sum())
    close = 1e-9 * total
    if low > total + close or (len(costs) == 1 and high < total - close):
        return None
    others = np.delete(costs, place, axis=0)
    fallback = others.argmin(axis=0)
    fallback += fallback >= place
    gains = others.min(axis=0) - costs[place]
    order = np.argsort(-gains, kind="stable")
    upto = np.cumsum(weights[order])
    wanted = int(np.count_nonzero(gains > 0))
    least = int(np.searchsorted(upto, low - close)) + (low > 0)
    most = int(np.searchsorted(upto, high + close, side="right"))
    taken = min(max(wanted, least), most)
    choice = fallback.astype(np.intp)
    choice[order[:taken]] = place
    last = float(gains[order[taken - 1]]) if taken > 0 else math.nan
    first = float(gains[order[taken]]) if taken < len(gains) else math.nan
    looser, tighter = 0.0, 0.0
    if taken == most and wanted >= most and high < math.inf:  # it binds, or just suffices
        looser = max(first, 0.0) if wanted > most else 0.0
        tighter = last
    elif low > 0 and taken == least and wanted <= least:
        looser = max(-last, 0.0) if wanted < least else 0.0
        tighter = -first
    prices = np.zeros(len(costs))
    prices[place] = 0.0 if wanted == taken else float(np.nanmean([last, first]))
    if (wanted != taken or taken < least) and not count_alike(weights):
        # the last case may not fit, and another may
        limits = Limits(np.eye(len(costs))[:, [place]], np.array([low]), np.array([high]))
        choice = repacked(costs, weights, limits, choice, prices[[place]])
    elif taken < least:
        return None
    return None if choice is None else (choice, prices, np.array([looser]), np.array([tighter]))


def _several_limits(
    costs: FloatArray, weights: FloatArray, places: list[int], ends: list[tuple[float, float]]
) -> _Solved | None:
    """A linear programme, whose solution is in whole cases where each counts for one."""
    use = np.zeros((len(costs), len(places)))
    use[places, np.arange(len(places))] = 1.0
    low, high = (np.array(each, dtype=np.float64) for each in zip(*ends, strict=True))
    limits = Limits(use, low, high)
    found = limited_choice(costs, weights, limits)
    if found is None:
        return None
    choice = whole_cases(costs, weights, limits, found)
    if choice is None:
        return None
    prices = price_ends(costs, weights, limits, found, 0.5)
    size = 1e-9 * (np.abs(prices.between).max() + np.median(np.ptp(costs, axis=0)))
    looser, tighter, between = (np.where(np.abs(each) <= size, 0.0, each) for each in prices)
    return choice, use @ between, looser, tighter


def _intervals(
    costs: FloatArray,
    weights: FloatArray,
    places: list[int],
    ends: list[tuple[float, float]],
    prices: FloatArray,
    looser: FloatArray,
    level: float,
) -> list[tuple[float, float]]:
    """Where the price of each limit would lie for other batches of the same size.

    Of few cases that tie, the price that is reported may lie beside it, and is included.
    """
    from stakes.resources.price_interval import price_intervals

    shares = [(low / weights.sum(), high / weights.sum()) for low, high in ends]
    found = price_intervals(costs, weights, places, shares, prices, level)
    reported = looser.tolist()
    return [(min(a, p), max(b, p)) for (a, b), p in zip(found, reported, strict=True)]
