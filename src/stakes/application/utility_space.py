"""The plane of all binary utility matrices, by two coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application.cost_matrix import CostMatrix
from stakes.exceptions import CostError
from stakes.typing import FloatArray

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
    highest, lowest = float(costs.values.max()), float(costs.values.min())
    if highest == lowest:
        raise CostError(
            f"`costs` must differ somewhere; all are {highest:g}, so every decision is as good."
        )
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
        x, y = float(self.x), float(self.y)
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
        if costs.shape != (2, 2):
            rows, columns = costs.shape
            raise CostError(
                f"the plane holds matrices of 2 classes and 2 decisions; got {rows} x {columns}."
            )
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
        return cls(
            float(utilities[1, 1] - utilities[0, 0]), float(utilities[1, 0] - utilities[0, 1])
        )

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
