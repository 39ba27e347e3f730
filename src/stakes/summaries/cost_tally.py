"""CostTally: sums and second moments of costs that differ from case to case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_priors, keep, of_kind, refuse_absent, same_length
from stakes._columns import as_array, as_column, as_floats, refuse_other_order
from stakes._names import as_names, cell_names, encode, observed_names, table_names
from stakes.application import CaseCosts
from stakes.exceptions import DataError, MergeError
from stakes.results import Frame
from stakes.summaries.storable import Storable
from stakes.typing import FloatArray, Name, Priors

#: The largest cost: the sum of the squares of many such costs does not overflow.
_LARGEST = 1e140


@dataclass(frozen=True, eq=False, repr=False)
class CostTally(Storable):
    """Number of cases, sum and sum of squares of their costs, by true class and decision.

    For costs that differ from case to case, such as loan amounts: gives the average cost and its
    uncertainty without the rows. Tallies of the same classes and decisions add with ``+``.

    Parameters
    ----------
    counts, sums, squares : array-like of shape (n_classes, n_decisions)
        Cases, sum of costs, sum of squared costs.
    classes, decisions : sequence of names, optional
        As in `ConfusionMatrix`.

    Examples
    --------
    >>> amount = np.array([100.0, 300.0, 200.0])
    >>> costs = CaseCosts.binary(false_positive=0.1 * amount, false_negative=amount)
    >>> tally = CostTally.from_decisions([0, 1, 1], [1, 0, 1], costs=costs)
    >>> tally.sums
    array([[  0.,  10.],
           [300.,   0.]])
    >>> round(tally.cost(), 3)
    103.333
    """

    counts: FloatArray
    sums: FloatArray
    squares: FloatArray
    classes: tuple[Name, ...] = ()
    decisions: tuple[Name, ...] = ()

    def __post_init__(self) -> None:
        found = {
            name: as_array(getattr(self, name), name) for name in ("counts", "sums", "squares")
        }
        shape, *others = (table.shape for table in found.values())
        if len(shape) != 2 or any(shape != other for other in others):
            raise DataError(
                f"`counts`, `sums` and `squares` must be tables of the same shape; got {shape}, "
                f"{others[0]} and {others[1]}."
            )
        given: list[Any] = [self.classes, self.decisions]
        sides = [None if isinstance(side, tuple) and not side else side for side in given]
        rows, columns = table_names(shape, sides[0], sides[1], DataError)
        for name, table in found.items():
            if table.dtype.kind not in "fiub" or not np.isfinite(table).all():
                raise DataError(f"`{name}` must be finite numbers.")
            keep(self, **{name: table.astype(np.float64)})
        keep(self, classes=rows, decisions=columns)

    @classmethod
    def from_decisions(cls, y_true: Any, decisions: Any, *, costs: CaseCosts) -> CostTally:
        """Look up the cost of each decision in its own case.

        Parameters
        ----------
        y_true, decisions : columns of the same length
            Names or positions, as in the costs.
        costs : CaseCosts
            One cost matrix for each case.

        Examples
        --------
        >>> costs = CaseCosts.binary(false_positive=[1.0, 2.0], false_negative=5.0)
        >>> CostTally.from_decisions([0, 1], [1, 0], costs=costs).cost()
        3.0
        """
        of_kind(costs, "costs", CaseCosts, hint="the same costs for all: ConfusionMatrix")
        refuse_other_order(y_true, {"decisions": decisions, "costs": costs})
        truth = encode(y_true, costs.classes, "y_true").astype(np.intp)
        chosen = encode(decisions, costs.decisions, "decisions").astype(np.intp)
        same_length("y_true", truth.shape[0], "decisions", chosen.shape[0])
        same_length("y_true", truth.shape[0], "costs", len(costs))
        paid = costs.values[np.arange(truth.shape[0]), truth, chosen]
        return cls._counted(truth, chosen, paid, costs.classes, costs.decisions)

    @classmethod
    def from_costs(
        cls, y_true: Any, costs: Any, *, classes: Sequence[Any] | None = None
    ) -> CostTally:
        """Tally a column of costs, or of cost differences between two systems, by class.

        Parameters
        ----------
        y_true : column
            True classes.
        costs : column of float
            What was paid in each case; for a paired comparison, the difference.
        classes : sequence of names, optional
            Their order.

        Examples
        --------
        >>> CostTally.from_costs([0, 1], [1.5, -0.5]).cost()
        0.5
        """
        truth = as_column(y_true, "y_true")
        names = as_names(observed_names(truth) if classes is None else classes, "classes")
        codes = encode(truth, names, "y_true").astype(np.intp)
        paid = as_floats(costs, "costs", length=codes.shape[0]).astype(np.float64)
        if not np.isfinite(paid).all():
            raise DataError("`costs` must be finite.")
        return cls._counted(codes, np.zeros_like(codes), paid, names, ("all",))

    @classmethod
    def _counted(
        cls, truth: Any, chosen: Any, paid: FloatArray, rows: Any, columns: Any
    ) -> CostTally:
        """Sums by cell."""
        if paid.size and np.abs(paid).max() > _LARGEST:
            raise DataError(f"`costs` must lie within {_LARGEST:g} of 0, as their squares count.")
        shape = (len(rows), len(columns))
        cell = truth * shape[1] + chosen
        counts, sums, squares = (
            np.asarray(np.bincount(cell, weights, shape[0] * shape[1]), np.float64).reshape(shape)
            for weights in (np.ones_like(paid), paid, paid * paid)
        )
        return cls(counts, sums, squares, tuple(rows), tuple(columns))

    # ------------------------------------------------------------- reading it

    @property
    def class_totals(self) -> FloatArray:
        """Number of cases of each class."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def total(self) -> float:
        """Number of all cases."""
        return float(self.counts.sum())

    @property
    def priors(self) -> FloatArray:
        """Share of each class in the data."""
        return np.asarray(self.class_totals / self.total)

    @property
    def effective_cases(self) -> float:
        """The number of equal costs with the same uncertainty: (sum of costs)² / sum of squares.

        It is far below the number of costly cases if a few of them carry most of the cost.
        """
        squares = float(self.squares.sum())
        return float(self.sums.sum()) ** 2 / squares if squares > 0 else 0.0

    def cost(self, priors: Priors | None = None) -> float:
        """Average cost per case; with `priors`, classes are weighted by them.

        Examples
        --------
        >>> CostTally.from_costs([0, 0, 1], [1.0, 3.0, 8.0]).cost(priors=[0.9, 0.1])
        2.6
        """
        if self.total == 0:
            raise DataError("there are no cases, so there is no cost per case.")
        if priors is None:
            return float(self.sums.sum()) / self.total
        shares = as_priors(priors, self.classes)
        totals = self.class_totals
        refuse_absent(self.classes, shares, totals > 0)
        means = self.sums.sum(axis=1) / np.where(totals > 0, totals, 1)
        return float(np.sum(shares * means))

    def __add__(self, other: object) -> CostTally:
        if not isinstance(other, CostTally):
            return NotImplemented
        if (self.classes, self.decisions) != (other.classes, other.decisions):
            raise MergeError("cost tallies must have the same classes and decisions to be added.")
        return CostTally(
            self.counts + other.counts,
            self.sums + other.sums,
            self.squares + other.squares,
            self.classes,
            self.decisions,
        )

    def frame(self) -> Frame:
        """One row per class and decision: cases, sum of costs, mean cost."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = self.sums / self.counts
        columns = {"cases": self.counts, "sum": self.sums, "mean": means}
        cells = cell_names(self.classes, self.decisions)
        return Frame(cells | {name: values.ravel() for name, values in columns.items()})

    def __repr__(self) -> str:
        return f"CostTally({self.total:g} cases, average cost {self.cost() if self.total else 0:g})"
