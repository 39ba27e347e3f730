"""GroupedCounts: decisions counted apart for each customer, speaker or other group of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_counts, frozen, same_length
from stakes._columns import as_column
from stakes._kernels.cell_counts import add_cells, joint_cells
from stakes._names import encode, listed, observed_names
from stakes.exceptions import DataError, MergeError
from stakes.results import Frame
from stakes.summaries.confusion import ConfusionMatrix
from stakes.summaries.paired import PairedCounts
from stakes.summaries.storable import Storable
from stakes.typing import FloatArray, IntArray, Name


@dataclass(frozen=True, eq=False, repr=False)
class GroupedCounts(Storable):
    """Joint counts of one or more systems, apart for each group of dependent cases.

    Cases of one customer or one speaker resemble each other, so intervals must draw whole
    groups. A trial between two speakers belongs to two groups, one on each side. Summaries of
    the same systems add with ``+``; groups of the same name become one.

    Parameters
    ----------
    groups : sequence of sequences of names
        The groups of the one side, or of each of two sides.
    keys : array of int, shape (n_rows, n_sides)
        Which group (of each side) a row of counts belongs to.
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
        object.__setattr__(self, "groups", tuple(tuple(side) for side in self.groups))
        object.__setattr__(self, "keys", frozen(np.array(self.keys, dtype=np.intp)))
        object.__setattr__(self, "counts", frozen(as_counts(self.counts, "counts")))
        shape = (self.counts.shape[0], len(self.groups))
        if self.keys.shape != shape or self.counts.shape[1:] != self.joint.counts.shape:
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

        Examples
        --------
        >>> gc = GroupedCounts.from_decisions(
        ...     [0, 1], [0, 1], groups=(["ann", "bob"], ["ann", "eve"]))
        >>> gc.groups
        (('ann', 'bob'), ('ann', 'eve'))
        """
        systems = decisions if isinstance(decisions, Mapping) else {"system": decisions}
        joint = PairedCounts.from_decisions(
            y_true,
            systems,
            classes=classes,
            decision_names=decision_names,
            sample_weight=sample_weight,
        )
        sides = groups if isinstance(groups, tuple) else (groups,)
        if len(sides) > 2:
            raise DataError(f"`groups` may have one side or two; got {len(sides)}.")
        columns = [as_column(side, "groups") for side in sides]
        names = [observed_names(column) for column in columns]
        codes = [encode(as_column(y_true, "y_true"), joint.classes, "y_true")]
        codes += [encode(c, joint.decisions, "decisions") for c in systems.values()]
        for column in columns:
            same_length("y_true", codes[0].shape[0], "groups", column.shape[0])
        inside = [encode(c, n, "groups") for c, n in zip(columns, names, strict=True)]
        sizes = [*(len(n) for n in names), len(joint.classes)]
        sizes += [len(joint.decisions)] * len(systems)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        rows, found = joint_cells([*inside, *codes], sizes, weights)
        return cls(tuple(names), *_table(rows, found, len(sides), joint), joint)

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
        rows, found = [], []
        for part in (self, other):
            at = [
                np.array([{n: k for k, n in enumerate(side)}[name] for name in names])
                for side, names in zip(sides, part.groups, strict=True)
            ]
            r, c = np.nonzero(part.counts)
            keys = [place[part.keys[r, s]] for s, place in enumerate(at)]
            rows.append(np.column_stack([*keys, part.joint.cells[c]]))
            found.append(part.counts[r, c])
        cells, counts = add_cells(np.concatenate(rows), np.concatenate(found))
        return GroupedCounts(tuple(sides), *_table(cells, counts, len(sides), joint), joint)

    def __radd__(self, other: object) -> GroupedCounts:
        return self if other == 0 else NotImplemented  # so that sum() works

    def frame(self) -> Frame:
        """One row per group (or pair of groups): names and number of cases."""
        names = [
            f"group_{s + 1}" if len(self.groups) > 1 else "group" for s in range(len(self.groups))
        ]
        columns: dict[str, Any] = {
            name: [side[k] for k in self.keys[:, s]]
            for s, (name, side) in enumerate(zip(names, self.groups, strict=True))
        }
        return Frame({**columns, "cases": self.counts.sum(axis=1)})

    def __repr__(self) -> str:
        n = " x ".join(str(size) for size in self.n_groups)
        many = "" if len(self.systems) == 1 else "s"
        return (
            f"GroupedCounts({self.joint.total:g} cases in {n} groups, "
            f"{len(self.systems)} system{many})"
        )


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
