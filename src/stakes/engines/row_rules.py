"""The Bayes rule and costs per case as expressions over columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from stakes._kernels import bayes_rule as intervals
from stakes._kernels.bayes_rule import compared, rounding_of_sums
from stakes.application import Application, CostExpression
from stakes.engines.request import Request
from stakes.exceptions import PriorError
from stakes.typing import FloatArray

#: Expected costs; their absolute products, where these add to something else; and the margin for
#: ties, which is relative to them.
Sums = tuple[list[Any], list[Any] | None, float]
#: Up to so many decisions are compared pair by pair, which engines do faster than a minimum.
_PAIRWISE = 8


def _moving(app: Application, said_at: FloatArray | None) -> list[Fraction]:
    """By how much each posterior is multiplied to be moved to the priors of the application."""
    if app.priors is None or said_at is None or np.array_equal(app.priors, said_at):
        return [Fraction(1)] * len(app.classes)
    if (said_at <= 0).any():
        raise PriorError(f"`posterior_priors` must be positive; got {said_at.tolist()}.")
    return intervals.moved_shares(app.priors, said_at)


def cuts(
    app: Application, said_at: FloatArray | None, kind: str = "float64"
) -> tuple[list[float], list[int]]:
    """Two classes: where the decision changes on the posteriors as given, and the decisions.

    Decision k + 1 is taken above cut k; `kind` is the type of the column of posteriors.
    """
    found = stretches(app, said_at)
    return intervals.cuts(found, kind), [piece.decision for piece in found]


def stretches(app: Application, said_at: FloatArray | None) -> list[intervals.Piece]:
    """The decisions of two classes in order of the posteriors as given."""
    return intervals.pieces(app.costs.values, _moving(app, said_at))


def decided_by_cuts(dialect: Any, posterior: Any, at: list[float], decisions: list[int]) -> Any:
    """The decision on a posterior of the second class."""
    branches = [
        (posterior <= dialect.literal(cut), dialect.literal(decision))
        for cut, decision in zip(at, decisions[:-1], strict=True)
    ]
    return dialect.first_of(branches, dialect.literal(decisions[-1]))


def expected_costs(
    dialect: Any, posteriors: list[Any], app: Application, said_at: FloatArray | None, kind: str
) -> Sums:
    """What each decision is expected to cost: the sums that `stakes.bayes_decisions` compares.

    `kind` is the type of the columns of posteriors.
    """
    factors = _moving(app, said_at)
    ratios = np.array([float(factor / max(factors)) for factor in factors])
    table = compared(app.costs.values * ratios[:, None], kind)
    costs = [_weighted(dialect, posteriors, column) for column in table.values.T]
    sizes = None
    if table.signed:
        sizes = [_weighted(dialect, posteriors, column) for column in np.abs(table.values).T]
    return costs, sizes, table.margin


def _weighted(dialect: Any, posteriors: list[Any], weights: FloatArray) -> Any:
    """A weighted sum of posteriors, from left to right."""
    parts = [_times(dialect, w, p) for w, p in zip(weights.tolist(), posteriors, strict=True) if w]
    if not parts:
        return posteriors[0] * dialect.literal(0.0)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _times(dialect: Any, weight: float, posterior: Any) -> Any:
    """A product, without the multiplication where there is none."""
    if weight == 1:
        return posterior
    if weight == -1:
        return dialect.literal(0.0) - posterior
    return dialect.literal(weight) * posterior


def argmin(dialect: Any, costs: list[Any], sizes: list[Any] | None, margin: float) -> Any:
    """The position of the first cost that is as good as the least, up to the rounding of both.

    A cost is as good as another when it is above it by no more than the margin times the sum of
    their sizes; the sizes are the costs themselves where none is given.
    """
    lower = upper = costs
    if margin and sizes is None:  # one product: E (1 - m) <= F (1 + m)
        ratio = dialect.literal((1 + margin) / (1 - margin))
        upper = [cost * ratio for cost in costs]
    elif margin and sizes is not None:
        slack = [dialect.literal(margin) * size for size in sizes]
        lower = [cost - more for cost, more in zip(costs, slack, strict=True)]
        upper = [cost + more for cost, more in zip(costs, slack, strict=True)]
    branches = []
    if len(costs) > _PAIRWISE:
        least = dialect.smallest(upper)
        branches = [(cost <= least, dialect.literal(j)) for j, cost in enumerate(lower[:-1])]
        return dialect.first_of(branches, dialect.literal(len(costs) - 1))
    for j, cost in enumerate(lower[:-1]):
        holds = cost <= upper[j + 1]
        for other in upper[j + 2 :]:
            holds = holds & (cost <= other)
        branches.append((holds, dialect.literal(j)))
    return dialect.first_of(branches, dialect.literal(len(costs) - 1))


Amounts = Mapping[tuple[int, int], Any]


def case_amounts(
    dialect: Any, request: Request, number: Callable[[str], Any]
) -> dict[tuple[int, int], Any]:
    """The amount of every cell of the cost matrix of a row: a float where it is the same in all."""
    if not request.case_costs:
        return {}
    shape = next(iter(request.applications.values())).costs.shape
    found: dict[tuple[int, int], Any] = {}
    for i in range(shape[0]):
        for j in range(shape[1]):
            formula = request.case_costs.get((i, j))
            if formula is None:
                found[i, j] = 0.0
            elif not formula.columns:
                found[i, j] = float(formula.value({}))
            else:
                found[i, j] = _amount(dialect, formula, number)
    return found


def _amount(dialect: Any, formula: CostExpression, number: Callable[[str], Any]) -> Any:
    """A formula as an expression, step by step like a pocket calculator."""
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
            if kind == "/":
                stack.append(dialect.ratio(left, right))
            else:
                stack.append({"+": left + right, "-": left - right, "*": left * right}[kind])
    return stack.pop()


def per_case(
    dialect: Any,
    parts: list[Any],
    amounts: Amounts,
    app: Application,
    said_at: FloatArray | None,
    kind: str,
) -> Sums:
    """What each decision is expected to cost in its own case."""
    posteriors = parts if len(parts) > 1 else [dialect.literal(1.0) - parts[0], parts[0]]
    factors = [float(factor) for factor in _moving(app, said_at)]
    if any(factor != 1 for factor in factors):
        posteriors = [dialect.literal(f) * p for f, p in zip(factors, posteriors, strict=True)]
    costs, sizes = [], []
    for j in range(len(app.decisions)):
        column = [(posterior, amounts[i, j]) for i, posterior in enumerate(posteriors)]
        column = [(p, a) for p, a in column if not isinstance(a, float) or a]
        costs.append(_sum(dialect, [p * _expression(dialect, a) for p, a in column]))
        sizes.append(_sum(dialect, [p * _size(dialect, a) for p, a in column]))
    return costs, sizes, rounding_of_sums(len(posteriors), kind)


def _sum(dialect: Any, terms: list[Any]) -> Any:
    """From left to right."""
    total = terms[0] if terms else dialect.literal(0.0)
    for term in terms[1:]:
        total = total + term
    return total


def _expression(dialect: Any, amount: Any) -> Any:
    """An amount as an expression."""
    return dialect.literal(amount) if isinstance(amount, float) else amount


def _size(dialect: Any, amount: Any) -> Any:
    """The absolute value of an amount, as an expression."""
    return dialect.literal(abs(amount)) if isinstance(amount, float) else dialect.size(amount)


def least_amount(dialect: Any, truth: Any, amounts: Amounts, n_classes: int) -> Any:
    """The least that a row could have cost, given its true class."""
    n_decisions = 1 + max(j for _, j in amounts)
    found = []
    for i in range(n_classes):
        row = [amounts[i, j] for j in range(n_decisions)]
        known = [amount for amount in row if isinstance(amount, float)]
        options = [amount for amount in row if not isinstance(amount, float)]
        options += [dialect.literal(min(known))] if known else []
        least = options[0]
        for option in options[1:]:
            least = dialect.when(option < least, option, least)
        found.append(least)
    branches = [(truth == dialect.literal(i), least) for i, least in enumerate(found[:-1])]
    return dialect.first_of(branches, found[-1])
