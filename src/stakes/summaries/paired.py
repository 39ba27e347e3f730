"""PairedCounts: what several systems decided on the same cases, as joint counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_counts, frozen, same_length
from stakes._columns import as_column, as_floats, as_reals, as_weights
from stakes._kernels.cell_counts import add_cells, joint_cells
from stakes._names import as_names, encode, listed, observed_names
from stakes.exceptions import DataError, MergeError
from stakes.results import Frame
from stakes.summaries.confusion import ConfusionMatrix
from stakes.summaries.storable import Storable
from stakes.typing import FloatArray, IntArray, Name


@dataclass(frozen=True, eq=False, repr=False)
class PairedCounts(Storable):
    """(Weighted) cases by true class and by what each of several systems decided.

    What a paired comparison needs: two systems that err on the same cases differ by less than
    their confusion matrices would suggest. Only combinations that occur are kept. Summaries of
    the same systems, classes and decisions add with ``+``. Build it with `from_decisions`, or
    `from_scores` for a whole range of thresholds at once.

    Parameters
    ----------
    cells : array of int, shape (n_cells, 1 + n_systems)
        Positions of the class and of each system's decision.
    counts : array of shape (n_cells,)
        Cases (or weight) of each combination.
    systems, classes, decisions : sequence of names
        What the positions stand for.

    Examples
    --------
    >>> pc = PairedCounts.from_decisions(
    ...     [0, 0, 1, 1], {"a": [0, 1, 1, 1], "b": [0, 1, 1, 0]})
    >>> pc
    PairedCounts(4 cases of 2 systems 'a', 'b' in 4 joint cells)
    >>> pc.confusion("b").counts
    array([[1, 1],
           [1, 1]])
    """

    cells: IntArray
    counts: NDArray[Any]
    systems: tuple[Name, ...]
    classes: tuple[Name, ...]
    decisions: tuple[Name, ...]

    def __post_init__(self) -> None:
        given = as_reals(self.cells, "cells")
        with np.errstate(invalid="ignore"):
            cells = given.astype(np.intp)
        if not (cells == given).all():
            raise DataError("`cells` must hold positions: whole numbers.")
        counts = as_counts(self.counts, "counts")
        for name in ("systems", "classes", "decisions"):
            object.__setattr__(self, name, as_names(getattr(self, name), name))
        if cells.shape != (counts.shape[0], 1 + len(self.systems)):
            raise DataError(
                f"`cells` must have shape (n_cells, {1 + len(self.systems)}) for "
                f"{len(self.systems)} systems; got {cells.shape} with {counts.shape[0]} counts."
            )
        object.__setattr__(self, "cells", frozen(cells))
        object.__setattr__(self, "counts", frozen(counts))

    @classmethod
    def from_decisions(
        cls,
        y_true: Any,
        decisions: Mapping[Any, Any],
        *,
        classes: Sequence[Any] | None = None,
        decision_names: Sequence[Any] | None = None,
        sample_weight: Any = None,
    ) -> PairedCounts:
        """Count what each system decided against the truth, case by case.

        Parameters
        ----------
        y_true : column
            True classes.
        decisions : mapping from system to column
            One decision per case for each system.
        classes, decision_names : sequence of names, optional
            Their order; default, the sorted values that occur anywhere.
        sample_weight : column, optional
            Weight of each case.

        Examples
        --------
        >>> PairedCounts.from_decisions(["a", "b"], {"m": ["a", "b"], "n": ["b", "b"]}).counts
        array([1, 1])
        """
        truth = as_column(y_true, "y_true")
        columns = {name: as_column(c, f"decisions[{name!r}]") for name, c in decisions.items()}
        if not columns:
            raise DataError("`decisions` must name at least one system.")
        for name, column in columns.items():
            same_length("y_true", truth.shape[0], f"decisions[{name!r}]", column.shape[0])
        if classes is None:
            seen = [truth] if decision_names is not None else [truth, *columns.values()]
            rows = observed_names(*seen)
        else:
            rows = as_names(classes, "classes")
        chosen = rows if decision_names is None else as_names(decision_names, "decision_names")
        codes = [encode(truth, rows, "y_true")]
        codes += [encode(c, chosen, f"decisions[{name!r}]") for name, c in columns.items()]
        sizes = [len(rows)] + [len(chosen)] * len(columns)
        weights = as_weights(sample_weight, truth.shape[0])
        cells, counts = joint_cells(codes, sizes, weights)
        return cls(cells, counts, tuple(columns), rows, chosen)

    @classmethod
    def from_scores(
        cls,
        y_true: Any,
        scores: Mapping[Any, Any],
        *,
        thresholds: Any,
        classes: Sequence[Any] | None = None,
        sample_weight: Any = None,
    ) -> PairedCounts:
        """Count in which stretch between thresholds each system's score lies.

        The decisions are the stretches 0, 1, ..., from low to high; a score equal to a
        threshold belongs to the stretch below it, since one acts when ``s > t``.

        Parameters
        ----------
        y_true : column
            True classes, two of them.
        scores : mapping from system to column
            One score per case for each system, all on the same scale.
        thresholds : array-like of float, ascending
            Where whole curves are to be compared.
        classes : pair of names, optional
            The two classes, the one that high scores speak for second.
        sample_weight : column, optional
            Weight of each case.

        Examples
        --------
        >>> PairedCounts.from_scores([0, 1], {"a": [-1.0, 2.0], "b": [0.5, 3.0]},
        ...                          thresholds=[0.0, 1.0]).cells
        array([[0, 0, 1],
               [1, 2, 2]])
        """
        cuts = as_reals(thresholds, "thresholds")
        if cuts.ndim != 1 or not (cuts[1:] > cuts[:-1]).all() or np.isnan(cuts).any():
            raise DataError("`thresholds` must be one-dimensional and ascending, without NaN.")
        stretches = {
            name: np.searchsorted(cuts, as_floats(column, f"scores[{name!r}]"), side="left")
            for name, column in scores.items()
        }
        truth = as_column(y_true, "y_true")
        names = observed_names(truth) if classes is None else as_names(classes, "classes")
        return cls.from_decisions(
            truth,
            stretches,
            classes=names,
            decision_names=range(cuts.shape[0] + 1),
            sample_weight=sample_weight,
        )

    @classmethod
    def from_confusion(cls, matrix: ConfusionMatrix, system: Name = "system") -> PairedCounts:
        """A confusion matrix as the joint counts of one system, empty cells kept.

        Examples
        --------
        >>> PairedCounts.from_confusion(ConfusionMatrix([[8, 2], [1, 9]])).counts
        array([8, 2, 1, 9])
        """
        rows, columns = np.indices(matrix.counts.shape)
        cells = np.column_stack([rows.ravel(), columns.ravel()])
        return cls(cells, matrix.counts.ravel(), (system,), matrix.classes, matrix.decisions)

    # ------------------------------------------------------------- reading it

    @property
    def total(self) -> float:
        """Number (or weight) of all cases."""
        return float(self.counts.sum())

    @property
    def class_totals(self) -> FloatArray:
        """Number (or weight) of cases of each class."""
        weights = self.counts.astype(np.float64)
        found = np.bincount(self.cells[:, 0], weights=weights, minlength=len(self.classes))
        return np.asarray(found, dtype=np.float64)

    @property
    def priors(self) -> FloatArray:
        """Share of each class in the data."""
        return np.asarray(self.class_totals / self.total)

    def confusion(self, system: Name) -> ConfusionMatrix:
        """The confusion matrix of one system."""
        column = 1 + self.position(system)
        table = np.zeros((len(self.classes), len(self.decisions)), dtype=self.counts.dtype)
        np.add.at(table, (self.cells[:, 0], self.cells[:, column]), self.counts)
        return ConfusionMatrix(table, self.classes, self.decisions)

    def subset(self, systems: Sequence[Name]) -> PairedCounts:
        """The joint counts of some of the systems, in the order given."""
        columns = [0, *(1 + self.position(name) for name in systems)]
        cells, counts = add_cells(self.cells[:, columns], self.counts)
        return PairedCounts(cells, counts, tuple(systems), self.classes, self.decisions)

    def position(self, system: Name) -> int:
        """Where a system stands among the systems."""
        if system not in self.systems:
            raise DataError(f"no system {system!r}; there are {listed(self.systems)}.")
        return self.systems.index(system)

    def __add__(self, other: object) -> PairedCounts:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        mine = (self.systems, self.classes, self.decisions)
        if mine != (other.systems, other.classes, other.decisions):
            raise MergeError(
                "joint counts must have the same systems, classes and decisions to be added; "
                f"got systems {listed(self.systems)} and {listed(other.systems)}.",
                hint="give classes= and decision_names= when counting each part",
            )
        cells, counts = add_cells(
            np.concatenate([self.cells, other.cells]), np.concatenate([self.counts, other.counts])
        )
        return PairedCounts(cells, counts, *mine)

    def __radd__(self, other: object) -> PairedCounts:
        return self if other == 0 else NotImplemented  # so that sum() works

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        mine = (self.systems, self.classes, self.decisions)
        return mine == (other.systems, other.classes, other.decisions) and all(
            np.array_equal(a, b)
            for a, b in zip(
                add_cells(self.cells, self.counts),
                add_cells(other.cells, other.counts),
                strict=True,
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def frame(self) -> Frame:
        """One row per joint cell: truth, each system's decision, count."""
        columns: dict[str, Any] = {"truth": [self.classes[i] for i in self.cells[:, 0]]}
        for s, name in enumerate(self.systems, start=1):
            columns[str(name)] = [self.decisions[j] for j in self.cells[:, s]]
        return Frame({**columns, "count": self.counts})

    def __repr__(self) -> str:
        return (
            f"PairedCounts({self.total:g} cases of {len(self.systems)} systems "
            f"{listed(self.systems, 4)} in {self.counts.shape[0]} joint cells)"
        )
