"""CaseCosts: costs that differ from case to case, such as a loan's amount."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import frozen
from stakes._columns import as_reals, as_weights
from stakes._names import listed, table_names
from stakes.application.cost_matrix import CostMatrix
from stakes.exceptions import CostError
from stakes.typing import FloatArray, Name

__all__ = ["CaseCosts"]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class CaseCosts:
    """One cost matrix for each case.

    Parameters
    ----------
    values : array-like of shape (n_cases, n_classes, n_decisions)
        Finite numbers; rows of each matrix are true classes.
    classes, decisions : sequence of names, optional
        As in `CostMatrix`.

    Examples
    --------
    >>> amount = np.array([1000.0, 200.0])
    >>> costs = CaseCosts.binary(false_positive=0.05 * amount + 10, false_negative=0.75 * amount)
    >>> costs.average().values
    array([[  0.,  40.],
           [450.,   0.]])
    """

    values: FloatArray
    classes: tuple[Name, ...]
    decisions: tuple[Name, ...]

    def __init__(
        self,
        values: Any,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
    ) -> None:
        array = as_reals(values, "values", CostError)
        if array.ndim != 3 or array.size == 0:
            raise CostError(
                f"`values` must have shape (n_cases, n_classes, n_decisions); got {array.shape}."
            )
        if not np.isfinite(array).all():
            rows = np.flatnonzero(~np.isfinite(array).all(axis=(1, 2)))
            raise CostError(
                f"`values` must be finite; row {rows[0]} is not "
                f"({rows.size} of {array.shape[0]} rows fail).",
                rows=rows[:10].tolist(),
            )
        row_names, column_names = table_names(array.shape[1:], classes, decisions, CostError)
        object.__setattr__(self, "values", frozen(array))
        object.__setattr__(self, "classes", row_names)
        object.__setattr__(self, "decisions", column_names)

    @classmethod
    def binary(
        cls,
        *,
        false_positive: Any,
        false_negative: Any,
        true_positive: Any = 0.0,
        true_negative: Any = 0.0,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
    ) -> CaseCosts:
        """Two classes, two decisions; each cost a number or a column."""
        given = {
            "true_negative": true_negative,
            "false_positive": false_positive,
            "false_negative": false_negative,
            "true_positive": true_positive,
        }
        read = [as_reals(column, name, CostError) for name, column in given.items()]
        try:
            columns = np.broadcast_arrays(*read)
        except ValueError:
            lengths = [np.shape(c) for c in read]
            raise CostError(
                f"cost columns must have one entry per case; got shapes {lengths}."
            ) from None
        if columns[0].ndim != 1:
            raise CostError(
                f"at least one cost must be a column with one entry per case; got shape "
                f"{columns[0].shape}.",
                hint="for the same costs in every case use CostMatrix.binary",
            )
        values = np.stack(columns, axis=1).reshape(-1, 2, 2)
        return cls(values, classes=classes, decisions=decisions)

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Cases, classes, decisions."""
        return tuple(int(size) for size in self.values.shape)

    def __getitem__(self, rows: Any) -> CaseCosts | CostMatrix:
        """Some of the cases, by a slice or an array; or the cost matrix of one."""
        chosen = self.values[rows]
        if chosen.ndim == 2:
            return CostMatrix(chosen, classes=self.classes, decisions=self.decisions)
        return CaseCosts(chosen, classes=self.classes, decisions=self.decisions)

    def average(self, sample_weight: NDArray[Any] | None = None) -> CostMatrix:
        """The average matrix, for one rule that serves all cases (`wa2025` section 3.6)."""
        weights = as_weights(sample_weight, len(self))
        values = np.average(self.values, axis=0, weights=weights)
        return CostMatrix(values, classes=self.classes, decisions=self.decisions)

    def __repr__(self) -> str:
        names = f"{listed(self.classes, 4)} x {listed(self.decisions, 4)}"
        return f"CaseCosts({len(self)} cases: {names})"
