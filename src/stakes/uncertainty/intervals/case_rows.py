"""Weighted rows of several systems, row by row or summed by joint cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from stakes._columns import as_column
from stakes._kernels.cell_draws import in_parts
from stakes._names import encode, observed_names
from stakes.application import Application
from stakes.exceptions import UndefinedError
from stakes.summaries import ConfusionMatrix, PairedCounts
from stakes.typing import FloatArray, IntArray, Name

#: Weights of a cell whose variance is below this part of their squared mean are alike.
_ALIKE_CELLS = 1e-9
#: Sums of powers below this have lost digits.
_LEAST = 1e-280


@dataclass(frozen=True, eq=False, repr=False)
class CellSums:
    """Rows of positive weight by joint cell of some systems: each row one case.

    For `interval` (of one system) and `compare`; made by `stakes.engines.Reduction.weighted`.
    `joint` holds the sums of weights, which are 1 on average; `rows`, `squares` and `fourths`, in
    the same order, the number of rows and the sums of second and fourth powers. Without
    `fourths` systems cannot be compared.
    """

    joint: PairedCounts
    rows: FloatArray
    squares: FloatArray
    fourths: FloatArray | None

    @classmethod
    def of(
        cls,
        cells: IntArray,
        rows: Any,
        powers: Sequence[FloatArray],
        *,
        systems: Sequence[Name],
        classes: Sequence[Name],
        decisions: Sequence[Name],
    ) -> CellSums:
        """Number of rows of each cell, and sums of their weights, squares and perhaps fourths."""
        rows = np.asarray(rows, dtype=np.float64)
        totals = np.array([float(each.sum()) for each in powers])
        if not (np.isfinite(totals) & (totals > _LEAST)).all():
            raise UndefinedError(
                "the weights are too large or too small to add up their powers.",
                hint="divide them by their average: only their proportions matter",
            )
        scale = float(rows.sum()) / float(powers[0].sum())
        sums, squares = powers[0] * scale, powers[1] * scale * scale
        fourths = powers[2] * scale**2 * scale**2 if len(powers) > 2 else None
        joint = PairedCounts(cells, sums, tuple(systems), tuple(classes), tuple(decisions))
        return cls(joint, rows, squares, fourths)

    @property
    def n_groups(self) -> tuple[int]:
        """The number of rows, each a group of its own."""
        return (int(self.rows.sum()),)

    @property
    def cases(self) -> FloatArray:
        """Number of rows of each class."""
        found = np.bincount(self.joint.cells[:, 0], self.rows, len(self.joint.classes))
        return np.asarray(found, dtype=np.float64)

    def draw(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Replicates (size, C) of the joint cells as if rows were drawn with their weights.

        How many rows of each cell are drawn is multinomial, as it is for rows; what they weigh
        together is gamma, with the mean and the variance that it has for rows.
        """
        n, means = self.n_groups[0], self.joint.counts / self.rows
        spreads = self.squares / self.rows - means**2

        def some(many: int) -> FloatArray:
            times = generator.multinomial(n, self.rows / n, size=many)
            return _weight_of_draws(times, means, spreads, generator)

        return in_parts(some, size, means.shape[0])

    def carrying(self, parts: FloatArray, *, by_class: bool) -> float:
        """How many rows carry the variance of a mean of `parts` of the joint cells."""
        if self.fourths is None:
            raise UndefinedError("fourth powers of the weights were not added up.")
        moves = mean_moves(self.joint, parts, by_class=by_class)
        return satterthwaite(moves, float(self.n_groups[0]), self.squares, self.fourths)

    def __repr__(self) -> str:
        many = self.rows.shape[0]
        return f"<CellSums of {self.n_groups[0]} weighted rows in {many} joint cells>"


def _weight_of_draws(
    times: IntArray, means: FloatArray, spreads: FloatArray, generator: np.random.Generator
) -> FloatArray:
    """Total weight of the rows drawn from each cell, (size, C), from the mean and the variance.

    A gamma number with the mean and the variance of such a sum; the sum itself where the weights
    of a cell are alike.
    """
    found = times * means
    uneven = spreads > _ALIKE_CELLS * means**2
    means, spreads = means[uneven], spreads[uneven]
    found[:, uneven] = generator.standard_gamma(times[:, uneven] * (means**2 / spreads))
    found[:, uneven] *= spreads / means
    return np.asarray(found)


#: Rows per kind of row from which it pays to draw how often each kind occurs.
_ALIKE = 8
#: With this many numbers per replicate or more, only the heaviest rows are drawn one by one.
MANY = 20_000
#: How many heavy rows that is.
_HEAVIEST = 1000


@dataclass(frozen=True, eq=False)
class CaseRows:
    """Rows of positive weight, which is 1 on average, by joint cell and by what is drawn.

    `joint` holds the sums of weights, `cases` the number of rows of each class. Entry by entry,
    `place` is a joint cell, `weights` the weight in it, `group` the row or group it belongs to.
    """

    joint: PairedCounts
    cases: FloatArray
    place: IntArray
    weights: FloatArray
    group: IntArray
    n_groups: tuple[int]

    @classmethod
    def from_decisions(
        cls,
        y_true: Any,
        decisions: Mapping[Any, Any],
        *,
        sample_weight: FloatArray,
        groups: Any,
        application: Application | ConfusionMatrix,
    ) -> CaseRows:
        """Sort rows by joint cell, under the names of the application; none of weight zero."""
        kept = sample_weight > 0
        weights = sample_weight[kept] / sample_weight.max()
        weights /= weights.mean()
        names = application.decisions
        codes: list[Any] = [encode(y_true, application.classes, "y_true")[kept]]
        codes += [encode(chosen, names, "decisions")[kept] for chosen in decisions.values()]
        place, first = _numbered(codes, len(names))
        cells = np.column_stack([code[first] for code in codes])
        sums = np.bincount(place, weights)
        joint = PairedCounts(cells, sums, tuple(decisions), application.classes, names)
        cases = np.bincount(codes[0], minlength=len(application.classes)).astype(np.float64)
        if groups is None:
            group = np.arange(weights.shape[0])
        else:
            column = as_column(groups, "groups")[kept]
            group = encode(column, observed_names(column), "groups")
        return cls(joint, cases, place, weights, group, (int(group.max()) + 1,))

    def draw(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Replicates (size, C) of the joint cells when rows, or whole groups, are drawn."""
        n, cells = self.n_groups[0], self.joint.counts.shape[0]
        if n < self.place.shape[0]:
            hits = (np.bincount(generator.integers(0, n, n), minlength=n) for _ in range(size))
            weighed = (self.weights * times[self.group] for times in hits)
            return np.array([np.bincount(self.place, weights, cells) for weights in weighed])
        place, weights, counts = self._kinds
        if min(n, place.shape[0] * _ALIKE) > MANY:
            return in_parts(partial(self._draw_many, generator), size, cells + _HEAVIEST)
        if place.shape[0] * _ALIKE > n:  # hardly any are alike: draw them one by one
            rows = (generator.integers(0, n, n) for _ in range(size))
            return np.array([np.bincount(self.place[k], self.weights[k], cells) for k in rows])

        def some(many: int) -> FloatArray:
            times = generator.multinomial(n, counts / n, size=many)
            return _by_cell(times * weights, place, cells)

        return in_parts(some, size, place.shape[0])

    def by_class(self) -> list[CaseRows]:
        """The rows of each class."""
        classes, found = self.joint.cells[self.place, 0], []
        for k in np.unique(classes):
            inside = np.flatnonzero(classes == k)
            place, weights = self.place[inside], self.weights[inside]
            group, n = np.arange(inside.size), (inside.size,)
            found.append(replace(self, place=place, weights=weights, group=group, n_groups=n))
        return found

    def summed(self) -> CellSums:
        """The same rows, added up by joint cell; not for comparisons."""
        rows = np.bincount(self.place).astype(np.float64)
        squares = np.bincount(self.place, self.weights**2).astype(np.float64)
        return CellSums(self.joint, rows, squares, None)

    def _draw_many(self, generator: np.random.Generator, size: int) -> FloatArray:
        """See `draw`: the heaviest rows by themselves, the others by how many of each cell.

        Of the others only the mean and the variance of their weights count, of which thousands
        are added up and none is heavy.
        """
        n, cells = self.n_groups[0], self.joint.counts.shape[0]
        heavy, rows, means, spreads = self._heaviest
        shares: FloatArray = np.append(rows, np.ones(heavy.shape[0])).astype(np.float64) / n
        times = generator.multinomial(n, shares, size=size)
        found = _weight_of_draws(times[:, :cells], means, spreads, generator)
        drawn = times[:, cells:] * self.weights[heavy]
        return found + _by_cell(drawn, self.place[heavy], cells)

    @cached_property
    def _heaviest(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        """The heaviest rows by cell; of the others number, mean and variance in each cell."""
        order = np.argpartition(self.weights, -_HEAVIEST)
        light, heavy = order[:-_HEAVIEST], order[-_HEAVIEST:]
        place, weights, cells = self.place[light], self.weights[light], self.joint.counts.shape[0]
        rows = np.bincount(place, minlength=cells)
        many = np.maximum(rows, 1)
        means = np.bincount(place, weights, cells) / many
        spreads = np.bincount(place, (weights - means[place]) ** 2, cells) / many
        return heavy[np.argsort(self.place[heavy], kind="stable")], rows, means, spreads

    @cached_property
    def _kinds(self) -> tuple[IntArray, FloatArray, IntArray]:
        """Cell, weight and number of all rows that are alike, ordered by cell."""
        order = np.lexsort((self.weights, self.place))
        place, weights = self.place[order], self.weights[order]
        starts = np.flatnonzero(np.append(True, (np.diff(place) != 0) | (np.diff(weights) != 0)))
        counts = np.diff(np.append(starts, place.shape[0]))
        return place[starts], weights[starts], counts

    def carrying(self, parts: FloatArray, *, by_class: bool) -> float:
        """How many rows, or groups, carry the variance of a mean of `parts` of the joint cells."""
        moves = self.weights * mean_moves(self.joint, parts, by_class=by_class)[self.place]
        by_group = np.bincount(self.group, moves).astype(np.float64)
        return satterthwaite(by_group, float(self.n_groups[0]))


def mean_moves(joint: PairedCounts, parts: FloatArray, *, by_class: bool) -> FloatArray:
    """How far one case in each joint cell moves a mean of `parts`, or one of each class."""
    classes, sums = joint.cells[:, 0], joint.counts
    strata = classes if by_class else np.zeros_like(classes)
    totals = np.bincount(strata, sums)[strata]
    totals = np.where(totals > 0, totals, 1.0)
    means = np.bincount(strata, sums * parts)[strata] / totals
    return np.asarray((parts - means) / totals)


def satterthwaite(moves: FloatArray, most: float, squares: Any = 1.0, fourths: Any = 1.0) -> float:
    """How many of those that move a mean carry its variance, from their fourth moment.

    `squares` and `fourths` are sums of powers of weights where moves are not yet weighted.
    """
    size = float(np.abs(moves).max())
    if size <= 0:
        return most
    powers = (moves / size) ** 2
    second, fourth = float((squares * powers).sum()), float((fourths * powers**2).sum())
    return min(most, second**2 / fourth + 1)


def tables_of_cells(joint: PairedCounts, values: FloatArray) -> FloatArray:
    """Values (..., C) of the joint cells of one system as tables (..., K, M)."""
    found = np.zeros((*values.shape[:-1], len(joint.classes), len(joint.decisions)))
    found[..., joint.cells[:, 0], joint.cells[:, 1]] = values
    return found


def _by_cell(values: FloatArray, place: IntArray, cells: int) -> FloatArray:
    """Values (size, rows), of rows ordered by cell, added up by cell (size, C)."""
    starts = np.flatnonzero(np.append(True, np.diff(place) != 0))
    found = np.zeros((values.shape[0], cells))
    found[:, place[starts]] = np.add.reduceat(values, starts, axis=1)
    return found


def _numbered(codes: list[Any], size: int) -> tuple[IntArray, IntArray]:
    """Which of the combinations that occur, in order, each row holds, and a row of each."""
    _, first, place = np.unique(codes[0], return_index=True, return_inverse=True)
    for code in codes[1:]:
        joined = place.reshape(-1).astype(np.int64) * size + code
        _, first, place = np.unique(joined, return_index=True, return_inverse=True)
    return place.reshape(-1), first
