"""The cheapest decisions of a rule for rows that share a capacity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import CostError
from stakes.resources.capacity import LimitPrice, optimum
from stakes.resources.limit import Limit, read_limits, refuse_impossible
from stakes.rules import DecisionRule
from stakes.rules.applied_rule import decided
from stakes.rules.decided_rows import as_decidable, costs_of_decisions, faults, with_prices
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class LimitedBatch:
    """Decisions of a batch of rows within limits.

    `rule` includes the prices of the limits, `codes` holds the decision of each row (-1 if there is
    none), and `limits` says what each limit costs.
    """

    rule: DecisionRule
    codes: NDArray[Any]
    limits: tuple[LimitPrice, ...]


def limited_batch(
    rule: DecisionRule, scores: FloatArray, costs: FloatArray | None, capacity: Any
) -> LimitedBatch:
    """The cheapest decisions within limits, for all rows that can be decided.

    A limit replaces the price that the rule has for its decision; other prices stay. A limit for
    each period is one for these rows, which are those of one period. If the rule's
    own decisions keep to the limits, those are returned, ties included.
    """
    limits = _limits(rule, capacity)
    limited = [rule.decisions.index(limit.decision) for limit in limits]
    prices = np.zeros(len(rule.decisions)) if rule.prices is None else rule.prices.copy()
    prices[limited] = 0.0
    free = replace(rule, prices=prices, cut_texts=None)
    kept = np.flatnonzero(faults(rule, scores, costs) < 0)
    codes = np.full(len(scores), -1, dtype=np.intp)
    if not kept.size:
        if any(limit.at_least > 0 for limit in limits):
            refuse_impossible(limits, 0)
        return LimitedBatch(free, codes, ())
    given = as_decidable(rule, scores[kept])
    paid = None if costs is None else costs[kept]
    expected = with_prices(free, costs_of_decisions(free, given, paid)).T
    period = next((limit.period for limit in limits if limit.period is not None), None)
    app = replace(rule.application, volume=float(kept.size), period=period)
    found = optimum(expected, rule.decisions, limits, None, app=app)
    taken = decided(free, given, paid)
    used = np.bincount(taken, minlength=len(rule.decisions))[limited]
    keeps = all(each.low <= n <= each.high for each, n in zip(found.limits, used, strict=True))
    codes[kept] = taken if keeps else found.decisions
    return LimitedBatch(replace(free, prices=prices + found.prices), codes, found.limits)


def _limits(rule: DecisionRule, capacity: Any) -> tuple[Limit, ...]:
    """The limits, for a rule that knows what each decision is expected to cost."""
    if rule.cut is not None or rule.scores in ("rank", "decision"):
        raise CostError(
            "decisions within limits need expected costs, which this rule does not know.",
            hint="use a rule on probabilities, or one with a calibrator",
        )
    limits = read_limits(capacity, rule.decisions)
    periods = [limit.period for limit in limits if limit.period is not None]
    if len(set(periods)) > 1:
        raise CostError(
            f"these rows cannot be those of a {periods[0]} and of a {periods[1]} at once.",
            hint=f"say how many of these rows: {limits[0].decision}={limits[0].at_most:g}",
        )
    return limits
