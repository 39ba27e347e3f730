"""Weighted rows by joint cell, without the rows: their number and sums of powers of weights.

What `CaseRows` tells when nobody keeps the rows. Everything adds: sums of parts are those of the
whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.exceptions import UndefinedError
from stakes.summaries import ConfusionMatrix, PairedCounts
from stakes.typing import FloatArray, IntArray, Name

__all__ = ["CellSums", "weight_of_draws"]

#: Weights of a cell whose variance is below this part of their squared mean are alike.
ALIKE = 1e-9
#: At most so many numbers are drawn at once.
ROOM = 1 << 22
#: Sums of powers below this have lost digits.
LEAST = 1e-280


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
        """Cells that hold so many rows, with the sums of weights, squares and perhaps fourths."""
        rows = np.asarray(rows, dtype=np.float64)
        _refuse_lost(powers)
        scale = float(rows.sum()) / float(powers[0].sum())
        sums, squares = powers[0] * scale, powers[1] * scale * scale
        fourths = powers[2] * scale**2 * scale**2 if len(powers) > 2 else None
        joint = PairedCounts(cells, sums, tuple(systems), tuple(classes), tuple(decisions))
        return cls(joint, rows, squares, fourths)

    @property
    def systems(self) -> tuple[Name, ...]:
        """The systems that were counted."""
        return self.joint.systems

    @property
    def n_groups(self) -> tuple[int]:
        """The number of rows, each a group of its own."""
        return (int(self.rows.sum()),)

    @property
    def cases(self) -> FloatArray:
        """Number of rows of each class."""
        found = np.bincount(self.joint.cells[:, 0], self.rows, len(self.joint.classes))
        return np.asarray(found, dtype=np.float64)

    def confusion(self) -> ConfusionMatrix:
        """The weights of the first system by class and decision."""
        return self.joint.confusion(self.systems[0])

    def table(self, values: FloatArray) -> FloatArray:
        """Values of the joint cells, added up by class and decision of the first system."""
        found = np.zeros((len(self.joint.classes), len(self.joint.decisions)))
        np.add.at(found, (self.joint.cells[:, 0], self.joint.cells[:, 1]), values)
        return found

    def draw(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Replicates (size, C) of the joint cells as if rows were drawn with their weights.

        How many rows of each cell are drawn is multinomial, as it is for rows; what they weigh
        together is gamma, with the mean and the variance that it has for rows.
        """
        n, means = self.n_groups[0], self.joint.counts / self.rows
        spreads = self.squares / self.rows - means**2
        found = np.empty((size, means.shape[0]))
        step = max(1, ROOM // means.shape[0])
        for start in range(0, size, step):
            part = found[start : start + step]
            times = generator.multinomial(n, self.rows / n, size=part.shape[0])
            part[:] = weight_of_draws(times, means, spreads, generator)
        return found

    def carrying(self, parts: FloatArray, *, by_class: bool) -> float:
        """How many rows carry the variance of a mean of `parts` of the joint cells."""
        if self.fourths is None:
            raise UndefinedError("fourth powers of the weights were not added up.")
        classes, sums = self.joint.cells[:, 0], self.joint.counts
        strata = classes if by_class else np.zeros_like(classes)
        totals = np.bincount(strata, sums)[strata]
        means = np.bincount(strata, sums * parts)[strata] / totals
        moves = (parts - means) / totals
        most, size = float(self.n_groups[0]), float(np.abs(moves).max())
        if size <= 0:
            return most
        second = float((self.squares * (moves / size) ** 2).sum())
        fourth = float((self.fourths * (moves / size) ** 4).sum())
        return min(most, second**2 / fourth + 1)

    def __repr__(self) -> str:
        many = self.rows.shape[0]
        return f"<CellSums of {self.n_groups[0]} weighted rows in {many} joint cells>"


def weight_of_draws(
    times: IntArray, means: FloatArray, spreads: FloatArray, generator: np.random.Generator
) -> FloatArray:
    """What so many drawn rows of each cell (size, C) weigh together, from mean and variance.

    A gamma number with the mean and the variance of such a sum; the sum itself where the weights
    of a cell are alike.
    """
    found = times * means
    uneven = spreads > ALIKE * means**2
    means, spreads = means[uneven], spreads[uneven]
    found[:, uneven] = generator.standard_gamma(times[:, uneven] * (means**2 / spreads))
    found[:, uneven] *= spreads / means
    return np.asarray(found)


def _refuse_lost(powers: Sequence[FloatArray]) -> None:
    """Raise when powers of very large or small weights are beyond what a double can hold."""
    totals = np.array([float(each.sum()) for each in powers])
    if not (np.isfinite(totals) & (totals > LEAST)).all():
        raise UndefinedError(
            "the weights are too large or too small to add up their powers.",
            hint="divide them by their average: only their proportions matter",
        )
