"""Expressions over rows, written once for all engines: costs per case, bins, and their plan.

Bins are narrow near 0 and near 1, where posteriors crowd: the fourth root of the distance to the
nearer end is cut into equal parts. It takes two square roots and one product, which every engine
rounds alike, unlike a logarithm. Thresholds are further edges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._checks import frozen
from stakes.engines.request import Request
from stakes.rules import DecisionRule
from stakes.rules.row_expressions import Amounts, amount_of
from stakes.typing import FloatArray


def case_amounts(
    dialect: Any, request: Request, number: Callable[[str], Any]
) -> dict[tuple[int, int], Any]:
    """Amounts of the cells of a row's cost matrix; floats where all rows have the same amount."""
    if not request.case_costs:
        return {}
    shape = next(iter(request.applications.values())).costs.shape
    found: dict[tuple[int, int], Any] = dict.fromkeys(np.ndindex(*shape), 0.0)
    for at, formula in request.case_costs.items():
        known = not formula.columns
        found[at] = float(formula.value({})) if known else amount_of(dialect, formula, number)
    return found


def gap(dialect: Any, amounts: Amounts, truth: int, decision: int) -> Any:
    """How much more one of two decisions costs than the other, in cases of one class."""
    more, less = (
        dialect.literal(each) if isinstance(each, float) else each
        for each in (amounts[truth, decision], amounts[truth, 1 - decision])
    )
    return more - less


def risk_of_acting(dialect: Any, score: Any, amounts: Amounts, rule: DecisionRule) -> Any:
    """How much more the second of two decisions is expected to cost than the first, by case."""
    shares = [dialect.literal(1.0) - score, score]
    factors = [float(factor) for factor in rule.factors]
    if any(factor != 1 for factor in factors):
        moved = [dialect.literal(f) * p for f, p in zip(factors, shares, strict=True)]
        shares = [dialect.ratio(each, moved[0] + moved[1]) for each in moved]
    return shares[0] * gap(dialect, amounts, 0, 1) + shares[1] * gap(dialect, amounts, 1, 1)


def added(terms: Sequence[Any], how: Callable[[Any, Any], Any] = add) -> Any:
    """A sum by halves, because engines and Python fail at a thousand nested additions."""
    half = len(terms) // 2
    return how(added(terms[:half], how), added(terms[half:], how)) if half else terms[0]


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


# Why bins follow the fourth root: docs/design/engines.md.
@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """Bins of one score: those of the grid, cut further at thresholds."""

    half: int
    thresholds: tuple[float, ...]

    @classmethod
    def fitting(cls, bins: int, thresholds: Any) -> Bins:
        """At most `bins` bins with these thresholds among the edges."""
        inside = tuple(sorted({float(t) for t in thresholds if 0 <= t < 1}))
        return cls((bins - len(inside)) // 2, inside)

    @property
    def count(self) -> int:
        """How many codes there are."""
        return 2 * self.half + len(self.thresholds)

    @property
    def edges(self) -> FloatArray:
        """The distinct edges, ascending: a bin holds what is above one, up to the next."""
        return np.unique(self._all_edges())

    def position(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bin between distinct edges that each code stands for."""
        every = self._all_edges()
        first = np.concatenate(([0], np.cumsum(np.diff(every, prepend=-1.0) > 0)))
        return np.asarray(first[codes])

    def _all_edges(self) -> FloatArray:
        """The edges of the grid and the thresholds, sorted, possibly with duplicates."""
        return np.sort(np.concatenate((_grid_edges(self.half), self.thresholds)))


def scale(half: int) -> float:
    """What the fourth root is multiplied by: the largest number that keeps 1/2 below `half`."""
    root = float(np.sqrt(np.sqrt(0.5)))
    factor = half / root
    while root * factor >= half:
        factor = float(np.nextafter(factor, 0))
    return factor


def steps(dialect: Any, posterior: Any, half: int) -> Any:
    """How many bins lie between a posterior in [0, 1] and the nearer end, as a float."""
    near = dialect.literal(0.5) - dialect.size(posterior - dialect.literal(0.5))
    return dialect.floor(dialect.root(dialect.root(near)) * dialect.literal(scale(half)))


def place(dialect: Any, posterior: Any, taken: Any, half: int) -> Any:
    """The bin of the grid, counted from 0, as a float; `taken` are the steps from the end."""
    lit = dialect.literal
    above = dialect.indicator(posterior > lit(0.5))
    return dialect.size(above * lit(2.0 * half - 1) - taken)


def _placed(posteriors: FloatArray, half: int) -> FloatArray:
    """`place` for NumPy arrays."""
    near = 0.5 - np.abs(posteriors - 0.5)
    taken = np.floor(np.sqrt(np.sqrt(near)) * scale(half))
    return np.asarray(np.where(posteriors > 0.5, 2 * half - 1 - taken, taken))


@lru_cache(maxsize=8)
def _grid_edges(half: int) -> FloatArray:
    """The largest float of each bin but the last, found by bisection among the floats."""
    wanted = np.arange(2 * half - 1)
    low = np.zeros(wanted.shape, dtype=np.int64)
    high = np.full(wanted.shape, np.float64(1.0).view(np.int64))
    while (high - low > 1).any():
        middle = (low + high) // 2
        inside = _placed(middle.view(np.float64), half) <= wanted
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return frozen(low.view(np.float64))


#: Names of the columns that are made on the way.
PREFIX = "stakes_"

#: What a grouping comes to: columns of equal length, by name.
Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows with equal keys become one: their number, sums, and extremes of columns.

    The number of rows is called `PREFIX + "rows"`; sums keep the name of their column.
    """

    keys: tuple[str, ...]
    sums: tuple[str, ...] = ()
    range_of: str | None = None  # extremes are called PREFIX + "low" and PREFIX + "high"


def aggregates(grouping: Grouping) -> list[str]:
    """What is added up in a grouping, as SQL."""
    made = [f"count(*) AS {PREFIX}rows"]
    made += [f"sum({name}) AS {name}" for name in grouping.sums]
    if grouping.range_of is not None:
        made += [f"min({grouping.range_of}) AS {PREFIX}low"]
        made += [f"max({grouping.range_of}) AS {PREFIX}high"]
    return made


class RowFunction(NamedTuple):
    """A column of integers that NumPy makes, batch by batch, from columns of floats."""

    name: str
    columns: tuple[str, ...]
    values: Callable[[Any], NDArray[Any]]


@dataclass(slots=True)
class Plan:
    """Columns that are made from columns of earlier steps, and the groupings of the rows."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    groupings: list[Grouping] = field(default_factory=list)
    functions: list[RowFunction] = field(default_factory=list)  # come before the steps

    def add(self, step: int, name: str, expression: Any) -> str:
        """Put a column into a step; steps are made as they are needed."""
        while len(self.steps) <= step:
            self.steps.append({})
        self.steps[step][PREFIX + name] = expression
        return PREFIX + name
