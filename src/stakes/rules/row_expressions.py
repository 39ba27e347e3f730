"""The Bayes rule as expressions over columns, in the dialect of any engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add, and_, mul, sub
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._kernels.bayes_rule import Compared, rounding_of_sums
from stakes.application import CostExpression
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.rules.cut_points import CutPoints

#: What each decision costs in each class for one row; floats if equal in all rows.
Amounts = Mapping[tuple[int, int], Any]
#: Expected costs; sums of their absolute products, if these differ; and the margin for ties,
#: which is relative to these sums.
Sums = tuple[list[Any], list[Any] | None, float]
#: Larger amounts count as infinite. Every engine reads this number exactly.
LARGEST_COST = 1e308
#: The most decisions to compare in pairs, which engines do faster than a minimum.
_PAIRWISE = 8


def decided_by_cuts(dialect: Any, posterior: Any, at: list[float], decisions: list[int]) -> Any:
    """The decision for a posterior of the second class."""
    branches = [
        (posterior <= dialect.literal(cut), dialect.literal(decision))
        for cut, decision in zip(at, decisions[:-1], strict=True)
    ]
    return dialect.first_of(branches, dialect.literal(decisions[-1]))


def expected_costs(dialect: Any, posteriors: list[Any], rule: Compared) -> Sums:
    """The expected cost of each decision: the sums that `stakes.bayes_decisions` compares."""
    costs = [_weighted(dialect, posteriors, column) for column in rule.values.T]
    sizes = None
    if rule.signed:
        sizes = [_weighted(dialect, posteriors, column) for column in np.abs(rule.values).T]
    return costs, sizes, rule.margin


def _weighted(dialect: Any, posteriors: list[Any], weights: FloatArray) -> Any:
    """A weighted sum of posteriors, from left to right."""
    parts = [_times(dialect, w, p) for w, p in zip(weights.tolist(), posteriors, strict=True) if w]
    return reduce(add, parts) if parts else posteriors[0] * dialect.literal(0.0)


def _times(dialect: Any, weight: float, posterior: Any) -> Any:
    """A product; weights 1 and -1 need no multiplication."""
    if weight == 1:
        return posterior
    if weight == -1:
        return dialect.literal(0.0) - posterior
    return dialect.literal(weight) * posterior


def argmin(
    dialect: Any,
    costs: list[Any],
    sizes: list[Any] | None,
    margin: float,
    names: Sequence[Any] | None = None,
    keep: Callable[[str, Any], Any] | None = None,
) -> Any:
    """The position, or name, of the first cost that equals the least, up to rounding.

    A cost equals another if it exceeds it by at most the margin times the sum of their sizes. The
    sizes are the costs themselves unless given. `keep` makes columns of expressions that are
    compared more than once.
    """
    lower = upper = costs
    if margin and sizes is None:  # one product: E (1 - m) <= F (1 + m)
        ratio = dialect.literal((1 + margin) / (1 - margin))
        upper = [cost * ratio for cost in costs]
    elif margin and sizes is not None:
        slack = [dialect.literal(margin) * size for size in sizes]
        lower = [cost - more for cost, more in zip(costs, slack, strict=True)]
        upper = [cost + more for cost, more in zip(costs, slack, strict=True)]
    if keep is not None and margin and len(costs) > 2:  # upper[0] is not reused
        upper = [upper[0], *(keep(f"u{j}", each) for j, each in enumerate(upper[1:], 1))]
    if len(costs) > _PAIRWISE:
        least = dialect.smallest(upper)
        holds = [cost <= least for cost in lower[:-1]]
    else:
        pairs = enumerate(lower[:-1], 1)
        holds = [reduce(and_, [cost <= other for other in upper[j:]]) for j, cost in pairs]
    called = [dialect.literal(name) for name in (names or range(len(costs)))]
    return dialect.first_of(list(zip(holds, called[:-1], strict=True)), called[-1])


def amount_of(dialect: Any, formula: CostExpression, number: Callable[[str], Any]) -> Any:
    """A formula as an expression, evaluated step by step like a pocket calculator."""
    stack: list[Any] = []
    for kind, value in formula.steps:
        if kind == "number":
            stack.append(dialect.literal(float(value)))
        elif kind == "column":
            stack.append(number(value))
        elif kind == "negate":
            stack.append(dialect.literal(0.0) - stack.pop())
        else:
            right, left = stack.pop(), stack.pop()
            stack.append({"/": dialect.ratio, "+": add, "-": sub, "*": mul}[kind](left, right))
    return stack.pop()


def per_case(dialect: Any, parts: list[Any], amounts: Amounts, rule: CutPoints) -> Sums:
    """The expected cost of each decision at each case's own costs."""
    posteriors = parts if len(parts) > 1 else [dialect.literal(1.0) - parts[0], parts[0]]
    factors = [float(factor) for factor in rule.factors]
    if any(factor != 1 for factor in factors):
        posteriors = [dialect.literal(f) * p for f, p in zip(factors, posteriors, strict=True)]
    costs, sizes = [], []
    for j in range(len(rule.decisions)):
        terms, parts = [], []
        for i, posterior in enumerate(posteriors):
            amount = amounts[i, j]
            if not isinstance(amount, float):
                terms.append(posterior * amount)
                parts.append(posterior * dialect.size(amount))
            elif amount:
                terms.append(posterior * dialect.literal(amount))
                parts.append(posterior * dialect.literal(abs(amount)))
        costs.append(reduce(add, terms or [dialect.literal(0.0)]))
        sizes.append(reduce(add, parts or [dialect.literal(0.0)]))
    return costs, sizes, rounding_of_sums(len(posteriors), rule.score_type)
