"""The decision of least expected cost for each row of posteriors; ties go to the earlier one.

Expected costs are sums of costs times posteriors in float64. A decision is as good as another
when its sum is above the other by no more than the rounding of both, which is relative to the sums
of |cost times posterior|; of all that are as good as the best, the first is taken. Sums of narrower
types only say which rows need no such look.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Compared",
    "code_type",
    "compared",
    "first_least",
    "first_near",
    "rounding_of_sums",
    "row_modes",
]

#: Half the spacing of float64 at 1: the rounding of one operation.
ROUNDING = 2.0**-53


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A table (K, M) whose products with posteriors are compared, and how far ties reach.

    Parameters
    ----------
    values : array of shape (K, M)
        Costs; or, where they decide by single posteriors, costs less the mode of their row.
    margin : float
        Rounding of a sum, relative to the sum of absolute products; 0 where sums are exact.
    """

    values: NDArray[np.float64]
    margin: float

    @property
    def signed(self) -> bool:
        """Whether absolute products add to something else than the products do."""
        return self.margin > 0 and bool((self.values < 0).any())

    def decide(self, posteriors: NDArray[Any]) -> NDArray[np.intp]:
        """The decisions of rows (n, K)."""
        wide = posteriors.astype(np.float64, copy=False).T
        expected = self.values.T @ wide
        sizes = np.abs(self.values).T @ wide if self.signed else expected
        return first_least(expected, sizes, self.margin)


def code_type(n_decisions: int) -> type[np.signedinteger[Any]]:
    """The smallest signed integer type that holds the positions of all decisions."""
    if n_decisions <= 2**7:
        return np.int8
    return np.int16 if n_decisions <= 2**15 else np.int32


def row_modes(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The most frequent cost of each row (the larger one when several are).

    Taking it off each row changes no decision and leaves most entries zero. The 0-1 matrix
    becomes minus the identity, so its expected costs are single posteriors, without the
    rounding of a sum, and ties between posteriors stay ties.
    """
    modes = np.empty(costs.shape[0])
    for i, row in enumerate(costs):
        values, counts = np.unique(row, return_counts=True)
        modes[i] = values[::-1][np.argmax(counts[::-1])]
    return modes


def rounding_of_sums(n_terms: int, kind: str = "float64") -> float:
    """How far off a float64 sum of products may be, relative to the sum of their sizes.

    One rounding for each addition, and a few for the factors and their product; posteriors in
    float32 were rounded once to that type, so that their ties in decimals stay ties.
    """
    return (n_terms + 8) * ROUNDING + (2.0**-24 if kind == "float32" else 0.0)


def compared(costs: NDArray[np.float64], kind: str = "float64") -> Compared:
    """What decides, for one table of costs and posteriors of a type.

    Where every column less the modes has one entry at most, and that a power of two as for 0-1
    costs, single posteriors are compared, which is exact.
    """
    modes = row_modes(costs)
    kept = costs - modes[:, None]
    powers = np.isin(np.abs(np.frexp(kept)[0]), (0.0, 0.5))
    if powers.all() and (np.count_nonzero(kept, axis=0) <= 1).all():
        rows, columns = np.nonzero(kept)
        if all(
            Fraction(costs[i, j]) - Fraction(modes[i]) == Fraction(kept[i, j])
            for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        ):
            return Compared(kept, 0.0)
    return Compared(costs, rounding_of_sums(costs.shape[0], kind))


def first_least(
    expected: NDArray[np.float64], sizes: NDArray[np.float64], margin: float
) -> NDArray[np.intp]:
    """For each column of `expected` (M, n) the first row that is as good as the best.

    `sizes` are the sums of absolute products, to which the margin is relative.
    """
    slack = margin * sizes
    best = (expected + slack).min(axis=0)
    return np.asarray((expected - slack <= best).argmax(axis=0))


def first_near(
    expected: NDArray[np.floating[Any]],
    nearby: NDArray[np.floating[Any]],
    codes: NDArray[np.signedinteger[Any]],
) -> NDArray[np.signedinteger[Any]]:
    """Write the first entry of each column of `expected` (M, n) near its least into `codes`.

    Entry j is near when it is above the least by at most `nearby[j]`. Returns how many are near.
    Every step is one vectorised pass over contiguous memory, which an argmin along the
    short axis is not.
    """
    n_decisions = expected.shape[0]
    best = np.minimum.reduce(expected, axis=0)
    same = bool((nearby == nearby[0]).all())
    limit = best + nearby[0] if same else best
    count = np.zeros(codes.shape, dtype=codes.dtype)
    codes[:] = 0
    for j in range(n_decisions):
        near = (expected[j] <= (limit if same else best + nearby[j])).view(np.int8)
        np.maximum(codes, near * codes.dtype.type(n_decisions - 1 - j), out=codes)
        np.add(count, near, out=count)
    np.subtract(n_decisions - 1, codes, out=codes)
    return count
