"""Find the decisions that are never worth taking, whatever the posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stakes.application.cost_sentences import spoken
from stakes.typing import FloatArray, Name

if TYPE_CHECKING:
    from stakes.application.cost_matrix import CostMatrix


#: Advantages smaller than this share of a row's spread count as none.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class DominatedDecision:
    """A decision that is never worth taking, and what is never worse.

    Made by `dominated_decisions`. `by` names one decision that is never worse whatever the
    truth is, or several, of which one costs no more whatever the posterior. Taking these at
    random with the given `shares` is then never worse on average for any class.
    """

    decision: Name
    by: tuple[Name, ...]
    shares: tuple[float, ...]
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def dominated_decisions(costs: CostMatrix) -> tuple[DominatedDecision, ...]:
    r"""Find the decisions that are never worth taking, whatever the posterior.

    A decision whose cost is nowhere below that of another is a slip of the pen or a wasted
    column; if a single decision is left, no model can change anything.

    .. math:: \max_{p} \min_{k \ne j} \sum_i p_i (c_{ik} - c_{ij}) \le 0

    Parameters
    ----------
    costs : CostMatrix
        Any number of classes and decisions.

    Returns
    -------
    tuple of DominatedDecision
        In the order of the columns; empty when every decision is the best for some posterior.

    Notes
    -----
    By duality of linear programming a decision is never best exactly if some mixture of the
    others costs no more for each true class. Of identical columns the first is kept.
    Advantages below 1e-9 of the spread of a row count as none.

    References
    ----------
    .. [1] M. DeGroot, *Optimal Statistical Decisions*, 1970, chapter 8 (admissibility).

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> costs = CostMatrix.zero_one(["no", "yes"]).with_abstention(0.6, name="ask")
    >>> for found in dominated_decisions(costs):
    ...     print(found)
    with these costs 'ask' (0.6) is never the cheapest: one of 'no', 'yes' costs no more whatever
    the posterior, so 'ask' is never worth taking.
    """
    from stakes.application.application import as_cost_matrix

    costs = as_cost_matrix(costs)
    values = costs.values
    useful = useful_decisions(values)
    found = []
    for j in np.flatnonzero(~useful).tolist():
        pure = [k for k in np.flatnonzero(useful).tolist() if (values[:, k] <= values[:, j]).all()]
        if pure:
            by, shares = pure[:1], [1.0]
        else:
            others = np.flatnonzero(useful)
            _, mixture = _advantage(_relative(values), j, others)
            kept = mixture > TOLERANCE
            by, shares = others[kept].tolist(), mixture[kept].tolist()
        found.append(_found(costs, j, by, shares, alone=int(useful.sum()) == 1))
    return tuple(found)


def useful_decisions(values: FloatArray) -> NDArray[np.bool_]:
    """Which columns are strictly the cheapest for some posterior (of equal ones, the first)."""
    useful = np.ones(values.shape[1], dtype=bool)
    for j in range(values.shape[1]):
        never_worse = (values <= values[:, [j]]).all(axis=0)
        equal = (values == values[:, [j]]).all(axis=0)
        useful[j] = not ((never_worse & ~equal).any() or equal[:j].any())
    relative = _relative(values)
    cheapest = relative == 0  # the only cheapest one of a class needs no linear program
    doubtful = useful & ~(cheapest & (cheapest.sum(axis=1, keepdims=True) == 1)).any(axis=0)
    for j in np.flatnonzero(doubtful)[::-1].tolist():
        others = np.flatnonzero(useful & (np.arange(useful.size) != j))
        if others.size:
            useful[j] = _advantage(relative, j, others)[0] > TOLERANCE
    return useful


def solve(
    cost: FloatArray, upper: FloatArray, *, bound: FloatArray, total: FloatArray
) -> FloatArray:
    """Minimise `cost @ x`; `upper @ x <= bound`, `total @ x == 1`, x >= 0 except the last entry."""
    from scipy.optimize import linprog

    limits = [(0.0, None)] * (cost.size - 1) + [(-2.0, 2.0)]
    done = linprog(
        cost,
        A_ub=upper,
        b_ub=bound,
        A_eq=total[None, :],
        b_eq=[1.0],
        bounds=limits,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return np.asarray(done.x)


# ----------------------------------------------------------------- privates


def _relative(values: FloatArray) -> FloatArray:
    """Rows scaled to 0 to 1, without constant ones; scaling the posteriors undoes it."""
    spread = np.ptp(values, axis=1, keepdims=True)
    lowest = values.min(axis=1, keepdims=True)
    return np.asarray(((values - lowest) / np.where(spread > 0, spread, 1.0))[spread[:, 0] > 0])


def _advantage(relative: FloatArray, j: int, others: NDArray[np.intp]) -> tuple[float, FloatArray]:
    """How much cheaper j is than the best mixture of the others, and that mixture."""
    rows = relative.shape[0]
    cost = np.append(np.zeros(others.size), 1.0)
    upper = np.column_stack([relative[:, others], -np.ones(rows)])
    solution = solve(cost, upper, bound=relative[:, j], total=np.append(np.ones(others.size), 0.0))
    return float(solution[-1]), solution[:-1]


def _found(
    costs: CostMatrix, j: int, by: list[int], shares: list[float], *, alone: bool
) -> DominatedDecision:
    """The finding with its sentence."""
    name = costs.decisions[j]
    names = tuple(costs.decisions[k] for k in by)
    end = "no model can change the decision" if alone else f"{name!r} is never worth taking"
    if len(by) == 1:
        text = (
            f"with these costs {names[0]!r} ({_costs(costs, by[0])}) is never worse than "
            f"{name!r} ({_costs(costs, j)}), so {end}."
        )
    else:
        text = (
            f"with these costs {name!r} ({_costs(costs, j)}) is never the cheapest: one of "
            f"{', '.join(map(repr, names))} costs no more whatever the posterior, so {end}."
        )
    return DominatedDecision(name, names, tuple(shares), text)


def _costs(costs: CostMatrix, j: int) -> str:
    """What a decision costs, over the classes."""
    low, high = float(costs.values[:, j].min()), float(costs.values[:, j].max())
    return spoken(low) if low == high else f"{spoken(low)}..{spoken(high)}"
