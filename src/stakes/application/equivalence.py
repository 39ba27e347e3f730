"""When two cost matrices decide or rank alike, and the plane in which all binary ones lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, frozen
from stakes._kernels.bayes_rule import Piece, pieces
from stakes._names import listed
from stakes.application.application import as_cost_matrix
from stakes.application.cost_matrix import CostMatrix
from stakes.application.dominance import TOLERANCE, solve, useful_decisions
from stakes.exceptions import CostError
from stakes.typing import FloatArray, Name

#: The search stops at a posterior where both decisions are better by this share of the costs.
_CLEAR = 1e-6
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True, eq=False)
class Disagreement:
    """A posterior for which two cost matrices take different decisions.

    Made by `disagreement`. `posterior` has one probability per class, `decision` is what
    the first matrix takes there and `other_decision` what the other takes.
    """

    posterior: FloatArray
    decision: Name
    other_decision: Name

    def __str__(self) -> str:
        shown = ", ".join(f"{p:.4g}" for p in self.posterior.tolist())
        return (
            f"for the posterior ({shown}) one takes {self.decision!r}, the other "
            f"{self.other_decision!r}."
        )


# Deciding alike and ranking alike differ: docs/design/costs.md.
def disagreement(costs: CostMatrix, other: CostMatrix) -> Disagreement | None:
    r"""Find a posterior for which two cost matrices take different decisions, if there is one.

    For each pair of decisions :math:`j \ne k` a linear program looks for a posterior at which
    j is the cheapest under the one matrix and k under the other, both by as much as possible;
    a positive margin is a disagreement. With two classes the exact cut points are compared.

    Parameters
    ----------
    costs, other : CostMatrix
        The same classes and decisions, in any order.

    Returns
    -------
    Disagreement or None
        A witness, or None when both decide alike.

    Notes
    -----
    Posteriors at which a matrix has an exact tie are left out: they fill no volume, and there
    both decisions cost the same. Margins below 1e-9 of the spread of the costs count as none.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> print(disagreement(CostMatrix([[0, 1], [10, 0]]), CostMatrix([[0, 1], [3, 0]])))
    for the posterior (0.8295, 0.1705) one takes 1, the other 0.
    """
    costs, other = as_cost_matrix(costs), as_cost_matrix(other)
    if ranks_like(costs, other):
        return None
    if costs.shape[0] == 2:
        return _two_classes(costs, other)
    return _searched(costs, other)


def ranks_like(costs: CostMatrix, other: CostMatrix) -> bool:
    r"""Whether two cost matrices rank all systems alike, whatever the priors.

    That is so exactly if one is the other times a positive factor plus a constant for each
    true class. It implies that they decide alike. The converse holds for two classes and two
    decisions but not beyond: with three decisions two matrices can have the same cut points
    and weigh the remaining errors differently.

    .. math:: c'_{ij} = a\, c_{ij} + b_i, \quad a > 0

    Parameters
    ----------
    costs, other : CostMatrix
        The same classes and decisions, in any order.

    Returns
    -------
    bool
        Compared to within 1e-9 of the spread of each row.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 2.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> ranks_like(CostMatrix([[0, 1], [10, 0]]), CostMatrix([[5, 7], [20, 0]]))
    True
    """
    costs, other = as_cost_matrix(costs), as_cost_matrix(other)
    first, second = costs.values, _matched(costs, other)
    pair = []
    slack = np.zeros((first.shape[0], 1))
    for values in (first, second):
        above = values - values.min(axis=1, keepdims=True)
        scale = float(above.max())
        if scale == 0:
            pair.append(above)
            continue
        noise = 8 * np.finfo(float).eps * np.abs(values).max(axis=1, keepdims=True)
        slack += (TOLERANCE * above.max(axis=1, keepdims=True) + noise) / scale
        pair.append(above / scale)
    return bool((np.abs(pair[0] - pair[1]) <= slack).all())


# ----------------------------------------------------------------- privates


def _matched(costs: CostMatrix, other: CostMatrix) -> FloatArray:
    """The values of `other` in the order of the names of `costs`."""
    for what in ("classes", "decisions"):
        ours, theirs = getattr(costs, what), getattr(other, what)
        if set(ours) != set(theirs):
            raise CostError(
                f"`other` must have the same {what}; got {listed(theirs)} instead of "
                f"{listed(ours)}."
            )
    rows = [other.classes.index(name) for name in costs.classes]
    columns = [other.decisions.index(name) for name in costs.decisions]
    return np.asarray(other.values[np.ix_(rows, columns)])


def _two_classes(costs: CostMatrix, other: CostMatrix) -> Disagreement | None:
    """Compare the exact pieces, and take the middle of the widest stretch where they differ."""
    rows = [other.classes.index(name) for name in costs.classes]
    ours, theirs = pieces(costs.values), pieces(other.values[rows])
    cuts = sorted({Fraction(0), Fraction(1), *(piece.start for piece in [*ours, *theirs])})
    stretches = sorted(pairwise(cuts), key=lambda ends: ends[0] - ends[1])
    for low, high in stretches:
        p = float((low + high) / 2)
        if low < Fraction(p) < high:  # else no float lies between them
            first = costs.decisions[_decided(ours, p)]
            second = other.decisions[_decided(theirs, p)]
            if first != second:
                return Disagreement(frozen(np.array([1 - p, p])), first, second)
    return None


def _decided(stretch: list[Piece], p: float) -> int:
    """The decision at a posterior of the second class that is no cut point."""
    return [piece.decision for piece in stretch if piece.start < p][-1]


def _searched(costs: CostMatrix, other: CostMatrix) -> Disagreement | None:
    """One linear program for each pair of useful decisions."""
    ours, theirs = useful_decisions(costs.values), useful_decisions(other.values)
    theirs = theirs[[other.decisions.index(name) for name in costs.decisions]]
    above = [v - v.min(axis=1, keepdims=True) for v in (costs.values, _matched(costs, other))]
    above = [values / max(float(values.max()), _TINY) for values in above]
    spread = np.maximum(above[0].max(axis=1), above[1].max(axis=1))
    kept = spread > 0
    first, second = (values[kept] / spread[kept, None] for values in above)
    n = int(kept.sum())
    goal, total = np.append(np.zeros(n), -1.0), np.append(np.ones(n), 0.0)
    best, found = TOLERANCE, None
    for j, k in product(np.flatnonzero(ours).tolist(), np.flatnonzero(theirs).tolist()):
        if j == k:
            continue
        worse = np.vstack([_worse(first, j, ours), _worse(second, k, theirs)])
        upper = np.column_stack([worse, np.ones(len(worse))])
        x = solve(goal, upper, bound=np.zeros(len(upper)), total=total)
        if x[-1] > best:
            posterior = np.zeros(kept.size)
            posterior[kept] = np.clip(x[:-1], 0.0, None) / spread[kept]
            at = frozen(posterior / posterior.sum())
            best, found = float(x[-1]), Disagreement(at, costs.decisions[j], costs.decisions[k])
        if best > _CLEAR:
            break
    return found


def _worse(values: FloatArray, j: int, useful: NDArray[np.bool_]) -> FloatArray:
    """Rows r with `r @ p <= -t` when decision j is better than each other one by t at p."""
    others = useful.copy()
    others[j] = False
    return np.asarray((values[:, [j]] - values[:, others]).T)


#: How far outside the plane coordinates may lie by rounding.
_ROUNDING = 1e-12


def normalized_utilities(costs: CostMatrix) -> FloatArray:
    r"""Utilities of a cost matrix with the zero and the unit chosen so that they span 0 to 1.

    The standard form of a matrix under a common shift and a common positive factor, which
    change no ranking of systems. The best outcome has utility 1, the worst 0.

    .. math:: \frac{u_{ij} - \min u}{\max u - \min u}, \quad u_{ij} = -c_{ij}

    Parameters
    ----------
    costs : CostMatrix
        Not all costs equal.

    Returns
    -------
    ndarray of shape (n_classes, n_decisions)
        Rows are true classes, as everywhere here; `dyrland2022` prints the transpose.

    References
    ----------
    .. [1] Dyrland, Lundervold, Porta Mana, "Does the evaluation stand up to evaluation?",
       2022, eqs 11-12.

    Examples
    --------
    >>> normalized_utilities(CostMatrix.from_utilities([[15, -35], [-335, 165]]))
    array([[0.7, 0.6],
           [0. , 1. ]])
    """
    costs = as_cost_matrix(costs)
    highest, lowest = float(costs.values.max()), float(costs.values.min())
    if highest == lowest:
        raise CostError(f"`costs` must differ somewhere; all are {highest:g}.")
    return np.asarray((highest - costs.values) / (highest - lowest))


@dataclass(frozen=True, slots=True)
class UtilityPoint:
    r"""A binary utility matrix as a point (x, y) of the plane of all of them.

    The centre (0, 0) is accuracy. To the left the gain from deciding class 1 rightly falls
    behind that of class 0, to the right the other way round; upwards an error on class 1 is
    forgiven, downwards one on class 0. Rows below are true classes:

    .. math:: U = \begin{bmatrix} 1 - x^+ & y^- \\ y^+ & 1 - x^- \end{bmatrix},
              \quad x^\pm = \max(\pm x, 0)

    Parameters
    ----------
    x, y : float
        From -1 to 1 with \|y - x\| at most 1: beyond, an error would be better than the right
        decision.

    Notes
    -----
    Only a shift and a factor common to all four cells are taken out. Shifting the two rows
    differently changes no ranking either, so many points of this plane rank systems alike:
    what matters for that is one number, see `Application.effective_prior`.

    References
    ----------
    .. [1] Dyrland, Lundervold, Porta Mana, "Does the evaluation stand up to evaluation?",
       2022, eq 13 and figure 1 (there in the orientation output by truth).

    Examples
    --------
    >>> UtilityPoint.from_costs(CostMatrix.zero_one(2))
    UtilityPoint(x=0.0, y=0.0)
    >>> UtilityPoint(0.25, -0.5).utilities
    array([[0.75, 0.5 ],
           [0.  , 1.  ]])
    """

    x: float
    y: float

    def __post_init__(self) -> None:
        x, y = as_number(self.x, "x", CostError), as_number(self.y, "y", CostError)
        if not (abs(x) <= 1 and abs(y) <= 1):
            raise CostError(f"`x` and `y` must lie between -1 and 1; got ({x:g}, {y:g}).")
        if abs(y - x) > 1 + _ROUNDING:
            wronged = 0 if x > y else 1
            raise CostError(
                f"`x` and `y` must differ by at most 1; got ({x:g}, {y:g}), where an error on "
                f"class {wronged} is better than the right decision."
            )
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)

    @classmethod
    def from_costs(cls, costs: CostMatrix) -> UtilityPoint:
        """The point of a 2 x 2 cost matrix whose first decision is right for the first class."""
        costs = as_cost_matrix(costs)
        if costs.shape != (2, 2):
            rows, columns = costs.shape
            raise CostError(f"the plane holds matrices of 2 x 2 costs; got {rows} x {columns}.")
        utilities = normalized_utilities(costs)
        for i in (0, 1):
            if utilities[i, 1 - i] > utilities[i, i] + _ROUNDING:
                right, wrong = costs.values[i, i], costs.values[i, 1 - i]
                raise CostError(
                    f"deciding {costs.decisions[1 - i]!r} when the truth is "
                    f"{costs.classes[i]!r} costs {wrong:g}, less than {costs.decisions[i]!r} "
                    f"({right:g}): such matrices lie outside the plane.",
                    hint="check the orientation: rows are true classes, columns are decisions",
                )
        (first, of_alarm), (of_miss, second) = utilities.tolist()
        return cls(second - first, of_miss - of_alarm)

    @property
    def utilities(self) -> FloatArray:
        """The normalised utilities, rows true classes."""
        x, y = self.x, self.y
        return np.array([[1 - max(x, 0.0), max(-y, 0.0)], [max(y, 0.0), 1 - max(-x, 0.0)]])

    def costs(
        self, classes: Sequence[Any] | None = None, decisions: Sequence[Any] | None = None
    ) -> CostMatrix:
        """The cost matrix from 0 (best) to 1 (worst) that lies at this point."""
        return CostMatrix(1.0 - self.utilities, classes=classes, decisions=decisions)
