"""Cases that come one after the other: decide at a price that past periods have taught."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_whole, frozen, same_length
from stakes._columns import as_column, as_reals
from stakes._guesses import AnswersGuesses
from stakes._kernels.bayes_rule import code_type
from stakes.exceptions import CostError
from stakes.messages.audience import named
from stakes.resources.capacity import expected_costs, optimum
from stakes.resources.limit import Limit, decision_place, read_limits
from stakes.results import Frame
from stakes.typing import FloatArray, Name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CapacityStream(AnswersGuesses):
    """Decisions taken one after the other within limits; made by `capacity_stream`.

    Parameters
    ----------
    decisions : array of shape (n_cases,)
        The decision of each case, by its position.
    names : tuple of names
        The decisions by position.
    periods : tuple
        In the order in which they came.
    cases : array of shape (n_periods,)
        How many cases came in each.
    prices : array of shape (n_periods, n_decisions)
        What was added to the expected costs in each period.
    used : array of shape (n_periods, n_decisions)
        How often each decision was taken.
    cost, optimum : array of shape (n_periods,)
        Expected cost of each period, and the least that was possible within the limits, had all
        its cases been known at once.
    missed : array of shape (n_periods,)
        Whether a decision was taken less often than it had to be.
    """

    decisions: NDArray[Any]
    names: tuple[Name, ...]
    periods: tuple[Any, ...]
    cases: FloatArray
    prices: FloatArray
    used: FloatArray
    cost: FloatArray
    optimum: FloatArray
    missed: NDArray[np.bool_]

    @property
    def regret(self) -> FloatArray:
        """What each period cost beyond the best that was possible; nan where it missed a limit.

        A required number that is missed makes a period cheaper than any decisions that keep it.
        """
        return np.where(self.missed, np.nan, self.cost - self.optimum)

    def frame(self) -> Frame:
        """One row per period: period, cases, cost, optimum, regret."""
        return Frame(
            {
                "period": list(self.periods),
                "cases": self.cases,
                "cost": self.cost,
                "optimum": self.optimum,
                "regret": self.regret,
            }
        )

    def __repr__(self) -> str:
        return (
            f"CapacityStream({len(self.periods)} periods: cost {self.cost.sum():.4g}, at best "
            f"{self.optimum.sum():.4g})"
        )


def capacity_stream(
    posteriors: Any,
    costs: Any,
    *,
    capacity: Any,
    periods: Any,
    prices: Any = None,
    window: int | None = None,
    classes: Any = None,
    positive: Any = None,
) -> CapacityStream:
    """Decide cases as they come, within limits for each period, at prices of the past.

    At noon it is not known which cases the afternoon brings. The price that would have kept the
    limits of past periods is added to the cost of the limited decision. If its limit is reached,
    the decision is not taken again until the next period. Regret is what that costs beyond the
    best decisions in hindsight.

    Parameters
    ----------
    posteriors, costs, classes, positive
        As in `capacity_optimum`; cases in the order in which they come.
    capacity : mapping, text, Limit or list
        Limits for each period, whether they name one or not.
    periods : column
        The period of each case, such as its day; all cases of a period stand together.
    prices : sequence of float, or mapping from decisions to float, optional
        Prices of the first period; none if absent.
    window : int, optional
        From how many past periods prices are taken; from all if absent.

    Returns
    -------
    CapacityStream
        Decisions, prices and regret by period.

    Notes
    -----
    Limits that are required (at least) are aimed at by a negative price, and may be missed; such a
    period has no regret.
    Shares are of the cases of the period. Re-estimating prices from all that was seen keeps the
    regret of n cases near the order of the square root of n [1]_, if periods are alike.

    References
    ----------
    .. [1] S. Agrawal, Z. Wang and Y. Ye, "A dynamic near-optimal algorithm for online linear
       programming", Operations Research 62, 2014.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p, day = rng.beta(0.5, 3, 600), np.repeat([1, 2, 3], 200)
    >>> stream = capacity_stream(p, [[0, 1], [10, 0]], capacity={1: 20}, periods=day)
    >>> stream.used[:, 1], bool((stream.regret >= 0).all())
    (array([20., 20., 20.]), True)
    """
    expected, _, names = expected_costs(posteriors, costs, classes=classes, positive=positive)
    limits = read_limits(capacity, names)
    column = as_column(periods, "periods")
    same_length("posteriors", len(expected), "periods", column.shape[0])
    starts = _starts(column)
    ends = np.append(starts[1:], column.size)
    back = len(starts) if window is None else as_whole(window, "window")
    at = _first_prices(prices, names)
    taken = np.empty(len(expected), dtype=code_type(len(names)))
    held, cost, best, used, missed = [], [], [], [], []
    limited = [names.index(limit.decision) for limit in limits]
    for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if k > 0:
            past = expected[starts[max(0, k - back)] : start]
            at = optimum(past, names, _scaled(limits, min(k, back), len(past)), None).prices
        here = expected[start:end]
        own = _scaled(limits, 1, len(here))
        codes = _one_by_one(here, at, own, names)
        taken[start:end] = codes
        held.append(at)
        cost.append(here[np.arange(len(here)), codes].sum())
        best.append(optimum(here, names, own, None).cost * len(here))
        used.append(np.bincount(codes, minlength=len(names)))
        least = [math.ceil(limit.at_least - 1e-9) for limit in own]
        missed.append(bool((used[-1][limited] < least).any()))
    return CapacityStream(
        frozen(taken),
        names,
        tuple(column[starts].tolist()),
        (ends - starts).astype(np.float64),
        np.array(held),
        np.array(used, dtype=np.float64),
        np.array(cost),
        np.array(best),
        np.array(missed),
    )


def _starts(column: NDArray[Any]) -> NDArray[np.intp]:
    """Where each period begins; a period that comes back is refused."""
    if column.size == 0:
        raise CostError("there are no cases.")
    starts = np.concatenate(([0], np.flatnonzero(column[1:] != column[:-1]) + 1))
    names = column[starts].tolist()
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CostError(
            f"cases of period {twice!r} do not stand together.",
            hint="sort the cases by the time at which they came",
        )
    return np.asarray(starts)


def _first_prices(prices: Any, names: tuple[Name, ...]) -> FloatArray:
    """The price of each decision before anything was seen."""
    if prices is None:
        return np.zeros(len(names))
    if isinstance(prices, Mapping):
        said, prices = prices, [0.0] * len(names)
        for name, price in said.items():
            prices[decision_place(name, names, named("prices"))] = price
    found = as_reals(prices, "prices", CostError)
    if found.shape != (len(names),) or not np.isfinite(found).all():
        raise CostError(f"`prices` must be {len(names)} finite numbers, one for each decision.")
    return found


def _scaled(limits: tuple[Limit, ...], periods: int, cases: int) -> tuple[Limit, ...]:
    """The limits of several periods together, as numbers of cases that these can keep."""
    found = []
    for limit in limits:
        factor = cases if limit.share else periods
        least = min(limit.at_least * factor, cases)
        found.append(
            replace(limit, at_most=limit.at_most * factor, at_least=least, share=False, period=None)
        )
    return tuple(found)


def _one_by_one(
    expected: FloatArray, prices: FloatArray, limits: tuple[Limit, ...], names: tuple[Name, ...]
) -> NDArray[np.intp]:
    """The cheapest decision of each case at these prices, of those not used up yet."""
    priced = expected + prices
    codes: NDArray[np.intp] = priced.argmin(axis=1)
    most = {names.index(limit.decision): int(limit.at_most + 1e-9)
            for limit in limits if limit.at_most < len(expected)}  # fmt: skip
    while most:
        ends = {}
        for j, allowed in most.items():
            here = np.flatnonzero(codes == j)
            if here.size > allowed:
                ends[j] = int(here[allowed])
        if not ends:
            break
        j = min(ends, key=lambda each: ends[each])  # the first to be used up
        priced[ends[j] :, j] = np.inf
        codes[ends[j] :] = priced[ends[j] :].argmin(axis=1)
        del most[j]
    if not np.isfinite(priced[np.arange(len(codes)), codes]).all():
        raise CostError("every decision is limited, and all of them were used up in a period.")
    return codes
