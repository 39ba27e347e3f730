"""Decisions of several systems counted jointly on the same cases, in all or by group of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_counts, keep, of_kind, same_length
from stakes._columns import (
    as_column,
    as_floats,
    as_reals,
    in_brief,
    refuse_other_order,
    weighed_rows,
)
from stakes._kernels.cell_counts import add_cells, joint_cells
from stakes._names import as_names, encode, listed, observed_names, place_of
from stakes.exceptions import DataError, MergeError
from stakes.results import Frame
from stakes.summaries.confusion import ConfusionMatrix
from stakes.summaries.score_bins import as_edges
from stakes.summaries.storable import Storable, alike
from stakes.typing import FloatArray, IntArray, Name


def _positions(values: Any, name: str) -> IntArray:
    """Positions as whole numbers."""
    given = as_reals(values, name)
    with np.errstate(invalid="ignore"):
        found = given.astype(np.intp)
    if not (found == given).all():
        raise DataError(f"`{name}` must hold positions: whole numbers.")
    return found


@dataclass(frozen=True, eq=False, repr=False)
class PairedCounts(Storable):
    """(Weighted) cases by true class and by what each of several systems decided.

    Paired comparisons need this: two systems that err on the same cases differ by less than
    their confusion matrices suggest. Only combinations that occur are kept. Summaries of
    the same systems, classes and decisions add with ``+``. Build it with `from_decisions`, or
    `from_scores` for a whole range of thresholds at once.

    Parameters
    ----------
    cells : array of int, shape (n_cells, 1 + n_systems)
        Positions of the class and of each system's decision.
    counts : array of shape (n_cells,)
        Cases (or weight) of each combination.
    systems, classes, decisions : sequence of names
        The names that the positions refer to.

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
        cells = _positions(self.cells, "cells")
        keep(self, cells=cells, counts=as_counts(self.counts, "counts"))
        for name in ("systems", "classes", "decisions"):
            keep(self, **{name: as_names(getattr(self, name), name)})
        if self.counts.ndim != 1:
            raise DataError(f"`counts` must be a column; got shape {self.counts.shape}.")
        n, width = self.counts.shape[0], 1 + len(self.systems)
        if cells.shape != (n, width):
            raise DataError(
                f"`cells` must have shape (n_cells, {width}) for {width - 1} systems; got "
                f"{cells.shape} with {n} counts."
            )

    @classmethod
    def from_decisions(
        cls,
        y_true: Any,
        decisions: Mapping[Any, Any],
        *,
        classes: Sequence[Any] | None = None,
        decision_names: Sequence[Any] | None = None,
        sample_weight: Any = None,
        counts: Any = None,
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
        counts : column, optional
            How many identical cases each row stands for, instead of repeating it.

        Examples
        --------
        >>> PairedCounts.from_decisions(["a", "b"], {"m": ["a", "b"], "n": ["b", "b"]}).counts
        array([1, 1])
        """
        coded = _coded(y_true, decisions, (), (classes, decision_names), (counts, sample_weight))
        return coded.joint(tuple(decisions))

    @classmethod
    def from_scores(
        cls,
        y_true: Any,
        scores: Mapping[Any, Any],
        *,
        thresholds: Any,
        classes: Sequence[Any] | None = None,
        sample_weight: Any = None,
        counts: Any = None,
    ) -> PairedCounts:
        """Count the stretch between thresholds in which each system's score lies.

        The decisions are the stretches 0, 1, ..., from low to high; a score equal to a
        threshold belongs to the stretch below it, since one acts when ``s > t``.

        Parameters
        ----------
        y_true : column
            True classes, two of them.
        scores : mapping from system to column
            One score per case for each system, all on the same scale.
        thresholds : array-like of float, ascending
            The thresholds at which curves are compared.
        classes : pair of names, optional
            The two classes; high scores mean the second.
        sample_weight : column, optional
            Weight of each case.
        counts : column, optional
            How many identical cases each row stands for, instead of repeating it.

        Examples
        --------
        >>> PairedCounts.from_scores([0, 1], {"a": [-1.0, 2.0], "b": [0.5, 3.0]},
        ...                          thresholds=[0.0, 1.0]).cells
        array([[0, 0, 1],
               [1, 2, 2]])
        """
        cuts = as_edges(thresholds, "thresholds")
        stretches = {
            name: np.searchsorted(cuts, as_floats(column, f"scores[{name!r}]"), side="left")
            for name, column in of_kind(scores, "scores", Mapping).items()
        }
        truth = as_column(y_true, "y_true")
        names = observed_names(truth) if classes is None else classes, range(cuts.shape[0] + 1)
        coded = _coded(truth, stretches, (), names, (counts, sample_weight))
        return coded.joint(tuple(scores))

    @classmethod
    def from_confusion(cls, matrix: ConfusionMatrix, system: Name = "system") -> PairedCounts:
        """A confusion matrix as the joint counts of one system, with its empty cells.

        Examples
        --------
        >>> PairedCounts.from_confusion(ConfusionMatrix([[8, 2], [1, 9]])).counts
        array([8, 2, 1, 9])
        """
        of_kind(matrix, "matrix", ConfusionMatrix)
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

    @property
    def _names(self) -> tuple[tuple[Name, ...], ...]:
        return self.systems, self.classes, self.decisions

    def confusion(self, system: Name) -> ConfusionMatrix:
        """The confusion matrix of one system."""
        column = 1 + self.position(system)
        table = np.zeros((len(self.classes), len(self.decisions)), dtype=self.counts.dtype)
        np.add.at(table, (self.cells[:, 0], self.cells[:, column]), self.counts)
        return ConfusionMatrix(table, self.classes, self.decisions)

    def subset(self, systems: Sequence[Name]) -> PairedCounts:
        """The joint counts of these systems, in the order given."""
        systems = tuple(of_kind(systems, "systems", Iterable))
        columns = [0, *(1 + self.position(name) for name in systems)]
        cells, counts = add_cells(self.cells[:, columns], self.counts)
        return PairedCounts(cells, counts, systems, self.classes, self.decisions)

    def position(self, system: Name) -> int:
        """The position of a system among the systems."""
        at = place_of(system, self.systems)
        if at is None:
            raise DataError(f"no system {in_brief(system)}; there are {listed(self.systems)}.")
        return at

    def __add__(self, other: object) -> PairedCounts:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        if self._names != other._names:
            raise MergeError(
                "joint counts must have the same systems, classes and decisions to be added; "
                f"got systems {listed(self.systems)} and {listed(other.systems)}.",
                hint=alike("give classes= and decision_names= when counting each part"),
            )
        cells, counts = add_cells(
            np.concatenate([self.cells, other.cells]), np.concatenate([self.counts, other.counts])
        )
        return PairedCounts(cells, counts, *self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        mine, theirs = (add_cells(each.cells, each.counts) for each in (self, other))
        return self._names == other._names and all(map(np.array_equal, mine, theirs))

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


@dataclass(frozen=True, eq=False, repr=False)
class GroupedCounts(Storable):
    """Joint counts of one or more systems, separately for each group of dependent cases.

    Cases of one customer or one speaker resemble each other, so intervals must draw whole
    groups. A trial between two speakers belongs to two groups, one on each side. Summaries of
    the same systems add with ``+``; groups of the same name become one.

    Parameters
    ----------
    groups : sequence of sequences of names
        The groups of one side, or of each of two sides.
    keys : array of int, shape (n_rows, n_sides)
        The group (of each side) that a row of counts belongs to.
    counts : array of shape (n_rows, n_cells)
        Cases (or weight) of each joint cell.
    joint : PairedCounts
        The merged counts, whose cells are the columns.

    Examples
    --------
    >>> gc = GroupedCounts.from_decisions(
    ...     [0, 0, 1, 1], [0, 1, 1, 1], groups=["ann", "ann", "bob", "eve"])
    >>> gc
    GroupedCounts(4 cases in 3 groups, 1 system)
    >>> gc.confusion().counts
    array([[1, 1],
           [0, 2]])
    """

    groups: tuple[tuple[Name, ...], ...]
    keys: IntArray
    counts: NDArray[Any]
    joint: PairedCounts

    def __post_init__(self) -> None:
        of_kind(self.joint, "joint", PairedCounts)
        given = of_kind(self.groups, "groups", Iterable)
        keep(self, groups=tuple(tuple(of_kind(side, "groups", Iterable)) for side in given))
        keep(self, keys=_positions(self.keys, "keys"), counts=as_counts(self.counts, "counts"))
        rows, sides = self.keys.shape[:1], self.keys.shape[1:]
        if sides != (len(self.groups),) or self.counts.shape != rows + self.joint.counts.shape:
            raise DataError(
                f"`keys` and `counts` must have one row for each group and one column for each "
                f"side or cell; got {self.keys.shape} and {self.counts.shape}."
            )

    @classmethod
    def from_decisions(
        cls,
        y_true: Any,
        decisions: Any,
        *,
        groups: Any,
        classes: Sequence[Any] | None = None,
        decision_names: Sequence[Any] | None = None,
        sample_weight: Any = None,
        counts: Any = None,
    ) -> GroupedCounts:
        """Count decisions against the truth, group by group.

        Parameters
        ----------
        y_true : column
            True classes.
        decisions : column, or mapping from system to column
            One decision per case.
        groups : column, or pair of columns
            Which group each case belongs to; with a pair (a tuple), the groups of both sides.
        classes, decision_names : sequence of names, optional
            Their order; default, the sorted values that occur.
        sample_weight : column, optional
            Weight of each case.
        counts : column, optional
            How many identical cases each row stands for, instead of repeating it.

        Examples
        --------
        >>> gc = GroupedCounts.from_decisions(
        ...     [0, 1], [0, 1], groups=(["ann", "bob"], ["ann", "eve"]))
        >>> gc.groups
        (('ann', 'bob'), ('ann', 'eve'))
        """
        systems = decisions if isinstance(decisions, Mapping) else {"system": decisions}
        sides = groups if isinstance(groups, tuple) else (groups,)
        if len(sides) > 2:
            raise DataError(f"`groups` may have one side or two; got {len(sides)}.")
        names = classes, decision_names
        coded = _coded(y_true, systems, sides, names, (counts, sample_weight))
        joint, n = coded.joint(tuple(systems)), len(sides)
        return cls(coded.names[:n], *_table(*coded.cells(), n, joint), joint)

    # ------------------------------------------------------------- reading it

    @property
    def systems(self) -> tuple[Name, ...]:
        """The systems that were counted."""
        return self.joint.systems

    @property
    def n_groups(self) -> tuple[int, ...]:
        """Number of groups of each side."""
        return tuple(len(side) for side in self.groups)

    @property
    def class_totals(self) -> FloatArray:
        """Number (or weight) of cases of each class."""
        return self.joint.class_totals

    def of_one(self, system: Name) -> GroupedCounts:
        """The counts of one system alone."""
        column = 1 + self.joint.position(system)
        cells, at = np.unique(self.joint.cells[:, [0, column]], axis=0, return_inverse=True)
        table = np.zeros((len(self.counts), len(cells)), dtype=self.counts.dtype)
        np.add.at(table.T, at.reshape(-1), self.counts.T)
        names = (self.systems[column - 1],), self.joint.classes, self.joint.decisions
        joint = PairedCounts(cells, table.sum(axis=0), *names)
        return GroupedCounts(self.groups, self.keys, table, joint)

    def confusion(self, system: Name | None = None) -> ConfusionMatrix:
        """The confusion matrix of one system over all groups; the only one by default."""
        if system is None and len(self.systems) > 1:
            raise DataError(f"say which system: {listed(self.systems)}.")
        return self.joint.confusion(self.systems[0] if system is None else system)

    def __add__(self, other: object) -> GroupedCounts:
        if not isinstance(other, GroupedCounts):
            return NotImplemented
        if len(self.groups) != len(other.groups):
            raise MergeError("grouped counts of one side and of two sides cannot be added.")
        joint = self.joint + other.joint
        sides = [
            tuple(dict.fromkeys((*a, *b))) for a, b in zip(self.groups, other.groups, strict=True)
        ]
        places = [{name: k for k, name in enumerate(side)} for side in sides]
        rows, found = [], []
        for part in (self, other):
            r, c = np.nonzero(part.counts)
            keys = [
                np.array([at[name] for name in names])[part.keys[r, s]]
                for s, (at, names) in enumerate(zip(places, part.groups, strict=True))
            ]
            rows.append(np.column_stack([*keys, part.joint.cells[c]]))
            found.append(part.counts[r, c])
        cells, counts = add_cells(np.concatenate(rows), np.concatenate(found))
        return GroupedCounts(tuple(sides), *_table(cells, counts, len(sides), joint), joint)

    def frame(self) -> Frame:
        """One row per group (or pair of groups): names and number of cases."""
        names = ["group_1", "group_2"] if len(self.groups) > 1 else ["group"]
        columns: dict[str, Any] = {
            name: [side[k] for k in keys]
            for name, side, keys in zip(names, self.groups, self.keys.T, strict=True)
        }
        return Frame({**columns, "cases": self.counts.sum(axis=1)})

    def __repr__(self) -> str:
        n = " x ".join(str(size) for size in self.n_groups)
        many = "" if len(self.systems) == 1 else "s"
        return (
            f"GroupedCounts({self.joint.total:g} cases in {n} groups, "
            f"{len(self.systems)} system{many})"
        )


@dataclass(frozen=True)
class _Coded:
    """Rows as positions: the groups of each side, the truth, each system's decision."""

    codes: list[NDArray[Any]]
    names: tuple[tuple[Name, ...], ...]
    weights: NDArray[Any] | None

    def cells(self, start: int = 0) -> tuple[IntArray, NDArray[Any]]:
        """The combinations that occur, of the columns from `start` on, with their counts."""
        sizes = [len(among) for among in self.names[start:]]
        return joint_cells(self.codes[start:], sizes, self.weights)

    def joint(self, systems: tuple[Name, ...]) -> PairedCounts:
        """The joint counts over all groups."""
        first = len(self.names) - len(systems) - 1
        return PairedCounts(*self.cells(first), systems, *self.names[first : first + 2])


def _coded(
    y_true: Any, systems: Mapping[Any, Any], sides: Sequence[Any], names: Any, weighing: Any
) -> _Coded:
    """Convert rows to positions; `names`: classes and decisions; `weighing`: (counts, weights)."""
    if not of_kind(systems, "decisions", Mapping):
        raise DataError("`decisions` must name at least one system.")
    titles = ["groups"] * len(sides) + ["y_true", *(f"decisions[{name!r}]" for name in systems)]
    given = list(zip((*sides, y_true, *systems.values()), titles, strict=True))
    refuse_other_order(y_true, {title: column for column, title in given})
    columns = [as_column(column, title) for column, title in given]
    for column, title in zip(columns, titles, strict=True):
        same_length("y_true", columns[len(sides)].shape[0], title, column.shape[0])
    weights, kept = weighed_rows(*weighing, *columns)
    truth, *chosen = kept[len(sides) :]
    classes, decisions = names
    if classes is None:
        classes = observed_names(truth, *(chosen if decisions is None else ()))
    classes = as_names(classes, "classes")
    decisions = classes if decisions is None else as_names(decisions, "decision_names")
    among = [*map(observed_names, kept[: len(sides)]), classes, *[decisions] * len(chosen)]
    codes = [encode(*each) for each in zip(kept, among, titles, strict=True)]
    return _Coded(codes, tuple(among), weights)


def _table(
    rows: IntArray, found: NDArray[Any], n_sides: int, joint: PairedCounts
) -> tuple[IntArray, NDArray[Any]]:
    """Rows of (group keys, joint cell) and their counts as a table of groups by cells."""
    keys, inverse = np.unique(rows[:, :n_sides], axis=0, return_inverse=True)
    place = {tuple(cell): k for k, cell in enumerate(joint.cells.tolist())}
    columns = np.array([place[tuple(cell)] for cell in rows[:, n_sides:].tolist()], dtype=np.intp)
    table = np.zeros((keys.shape[0], joint.counts.shape[0]), dtype=found.dtype)
    table[inverse.reshape(-1), columns] = found
    return keys.astype(np.intp), table
