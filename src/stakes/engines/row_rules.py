"""Costs per case as expressions over columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stakes._kernels.bayes_rule import rounding_of_sums
from stakes.application import CostExpression
from stakes.engines.request import Request
from stakes.rules import DecisionRule
from stakes.rules.row_expressions import Sums

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
    rule: DecisionRule,
) -> Sums:
    """What each decision is expected to cost in its own case."""
    posteriors = parts if len(parts) > 1 else [dialect.literal(1.0) - parts[0], parts[0]]
    factors = [float(factor) for factor in rule.factors]
    if any(factor != 1 for factor in factors):
        posteriors = [dialect.literal(f) * p for f, p in zip(factors, posteriors, strict=True)]
    costs, sizes = [], []
    for j in range(len(rule.decisions)):
        column = [(posterior, amounts[i, j]) for i, posterior in enumerate(posteriors)]
        column = [(p, a) for p, a in column if not isinstance(a, float) or a]
        costs.append(_sum(dialect, [p * _expression(dialect, a) for p, a in column]))
        sizes.append(_sum(dialect, [p * _size(dialect, a) for p, a in column]))
    return costs, sizes, rounding_of_sums(len(posteriors), rule.score_type)


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
