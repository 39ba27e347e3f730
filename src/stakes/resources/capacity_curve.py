"""What decisions cost as a limit moves: cost against capacity, exact at every number of cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_number, same_length
from stakes._columns import as_floats, as_weights
from stakes._guesses import AnswersGuesses
from stakes._names import as_name, as_positions, encode
from stakes.application import Application, CaseCosts
from stakes.exceptions import CostError, DataError
from stakes.resources.capacity import (
    batch_ends,
    count_alike,
    expected_costs,
    optimum,
    refuse_no_case,
)
from stakes.resources.limit import Limit, read_limits
from stakes.results import Frame
from stakes.typing import FloatArray, Name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CapacityCurve(AnswersGuesses):
    """Cost against capacity; made by `capacity_curve`.

    Parameters
    ----------
    decision : name
        Whose limit moves.
    capacity : array
        At most how many cases may get the decision.
    expected_cost : array
        Expected cost per case at each capacity.
    price : array
        What one more is worth there.
    cost : array, optional
        What the same decisions cost per case by the truth.
    used : array
        How many cases get the decision; fewer than allowed where it no longer saves.
    """

    decision: Name
    capacity: FloatArray
    expected_cost: FloatArray
    price: FloatArray
    used: FloatArray
    cost: FloatArray | None = None

    def at(self, capacity: float) -> dict[str, float]:
        """The row of the curve at the largest capacity that is not above this one."""
        wanted = as_number(capacity, "capacity")
        place = int(np.searchsorted(self.capacity, wanted, "right")) - 1
        if place < 0 or np.isnan(wanted):
            raise DataError(f"the curve begins at {self.capacity[0]:g}; got {capacity:g}.")
        return {name: float(column[place]) for name, column in self.frame().items()}

    def frame(self) -> Frame:
        """One row per capacity: capacity, used, expected_cost, price, and cost if known."""
        columns = {
            "capacity": self.capacity,
            "used": self.used,
            "expected_cost": self.expected_cost,
            "price": self.price,
        }
        return Frame(columns if self.cost is None else {**columns, "cost": self.cost})

    def __repr__(self) -> str:
        ends = f"{self.capacity[0]:g} to {self.capacity[-1]:g}"
        return f"CapacityCurve({self.decision!r} at most {ends}: {self.capacity.size} points)"


def capacity_curve(
    posteriors: Any,
    costs: Any,
    *,
    decision: Any,
    capacity: Any = None,
    stops: Any = None,
    y_true: Any = None,
    classes: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
) -> CapacityCurve:
    """What decisions cost when one of them may be taken 0, 1, 2, ... times.

    To see what capacity is worth before it is bought. The slope is the price of capacity, and
    never rises: the best cases are taken first.

    Parameters
    ----------
    posteriors, costs, classes, positive, sample_weight
        As in `capacity_optimum`.
    decision : name
        Whose limit moves.
    capacity : optional
        Limits on other decisions, which stay.
    stops : sequence of numbers, optional
        The capacities; every number of cases if absent, or 21 of them beside other limits.
    y_true : column, optional
        True classes, for what the decisions really cost.

    Returns
    -------
    CapacityCurve
        Expected and real cost per case, and the price, at each capacity.

    Examples
    --------
    >>> curve = capacity_curve([0.02, 0.3, 0.9], Application([[0, 5], [10, 0]]), decision=1)
    >>> curve.expected_cost.round(3), curve.price
    (array([4.067, 1.233, 1.233, 1.233]), array([8.5, 0. , 0. , 0. ]))
    """
    expected, app, names = expected_costs(posteriors, costs, classes=classes, positive=positive)
    moving = read_limits({as_name(decision, "decision"): 0}, names)[0]
    others = () if capacity is None else read_limits(capacity, names)
    if any(limit.decision == moving.decision for limit in others):
        raise CostError(f"the limit on '{decision}' is the one that moves.")
    weights = as_weights(sample_weight, len(expected))
    paid = None if y_true is None else _paid(y_true, costs, app)
    if paid is not None:
        same_length("y_true", len(paid), "posteriors", len(expected))
    return curve_of(expected, names, moving.decision, others, weights, paid, stops=stops, app=app)


def curve_of(
    expected: FloatArray,
    names: tuple[Name, ...],
    decision: Name,
    others: tuple[Limit, ...],
    weights: FloatArray | None,
    paid: FloatArray | None,
    *,
    stops: Any = None,
    low: float = 0.0,
    app: Application | None = None,
) -> CapacityCurve:
    """See `capacity_curve`; from expected and real costs (n_cases, n_decisions).

    With `low`, the decision must be taken in so many cases.
    """
    refuse_no_case(len(expected))
    # between two sums of unequal weights another set of rows than the first ones may fit better
    packed = stops is not None and weights is not None and not count_alike(weights)
    if not others and not low and not packed:
        whole = _whole_curve(expected, names.index(decision), decision, weights, paid)
        return whole if stops is None else _picked(whole, _stops(stops, len(expected)))
    wanted = _stops(stops, len(expected), max(low, _left(others, len(expected), names, app)))
    found = [
        optimum(expected, names, (*others, Limit(decision, k, low)), weights, app=app)
        for k in wanted.tolist()
    ]
    each = np.ones(len(expected)) if weights is None else weights / weights.mean()
    rows, last = np.arange(len(expected)), [one.limits[-1] for one in found]
    return CapacityCurve(
        decision,
        wanted,
        np.array([one.cost for one in found]),
        np.array([0.0 if one.lower else one.price for one in last]),
        np.array([one.used for one in last]),
        None if paid is None
        else np.array([each @ paid[rows, one.decisions] / len(rows) for one in found]),
    )  # fmt: skip


def _left(
    others: tuple[Limit, ...], size: int, names: tuple[Name, ...], app: Application | None
) -> float:
    """How many cases the upper limits on all other decisions leave over."""
    ends = batch_ends(others, float(size), app, whole=True)
    return 0.0 if len(others) < len(names) - 1 else size - sum(high for _, high in ends)


def _picked(whole: CapacityCurve, stops: FloatArray) -> CapacityCurve:
    """The curve at some capacities of cases that count alike."""
    close = 1e-9 * whole.capacity[-1]
    at = np.searchsorted(whole.capacity, stops + close, "right") - 1
    real = None if whole.cost is None else whole.cost[at]
    return CapacityCurve(
        whole.decision, stops, whole.expected_cost[at], whole.price[at], whole.used[at], real
    )


def _whole_curve(
    expected: FloatArray,
    place: int,
    decision: Name,
    weights: FloatArray | None,
    paid: FloatArray | None,
) -> CapacityCurve:
    """Every number of cases: sums in the order of what the decision saves."""
    size = len(expected)
    each = np.ones(size) if weights is None else weights / weights.mean()
    others = np.delete(expected, place, axis=1)
    fallback = others.argmin(axis=1)
    gains = others.min(axis=1) - expected[:, place]
    order = np.argsort(-gains, kind="stable")
    saves = np.maximum(gains[order], 0.0)
    before = float(each @ others.min(axis=1))
    spent = np.concatenate(([0.0], np.cumsum(each[order] * saves)))
    capacity = np.concatenate(([0.0], np.cumsum(each[order])))
    used = np.concatenate(([0.0], np.cumsum(np.where(saves > 0, each[order], 0.0))))
    real = None
    if paid is not None:
        rows = np.arange(size)
        without = np.delete(paid, place, axis=1)[rows, fallback]
        saved = np.where(saves > 0, each[order] * (without - paid[:, place])[order], 0.0)
        real = (float(each @ without) - np.concatenate(([0.0], np.cumsum(saved)))) / size
    return CapacityCurve(
        decision,
        capacity,
        (before - spent) / size,
        np.append(saves, 0.0),
        used,
        real,
    )


def _stops(stops: Any, size: int, low: float = 0.0) -> FloatArray:
    """Capacities in order; 21 over all cases if none are given."""
    if stops is None:
        return np.unique(np.linspace(low, size, 21).round())
    wanted = as_floats(stops if isinstance(stops, Sequence) else np.asarray(stops), "stops")
    if wanted.size == 0 or not (wanted >= 0).all():
        raise DataError("`stops` must be numbers of cases, not negative.")
    return np.unique(wanted)


def _paid(y_true: Any, costs: Any, app: Application | None) -> FloatArray:
    """What each decision costs in each case by the truth (n_cases, n_decisions)."""
    if app is not None:
        truth = as_positions(encode(y_true, app.classes, "y_true"))
        return np.asarray(app.costs.values[truth])
    cases = costs if isinstance(costs, CaseCosts) else CaseCosts(costs)
    truth = as_positions(encode(y_true, cases.classes, "y_true"))
    same_length("y_true", len(truth), "costs", len(cases))
    return np.asarray(cases.values[np.arange(len(truth)), truth])
