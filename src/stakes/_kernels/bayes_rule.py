"""The Bayes rule: the cheapest decision for each row, and for two classes the exact cut points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Half the spacing of float64 at 1: the rounding of one operation.
_ROUNDING = 2.0**-53


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A table (K, M) whose products with posteriors are compared, and the margin for ties.

    Parameters
    ----------
    values : array of shape (K, M)
        Costs; or costs minus the mode of their row, if single posteriors then decide.
    margin : float
        Rounding of a sum, relative to the sum of absolute products; 0 where sums are exact.
    """

    values: NDArray[np.float64]
    margin: float

    @property
    def signed(self) -> bool:
        """Whether sums of absolute products differ from sums of products."""
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


# Ties reach as far as rounding and no further: docs/design/ties.md.
def rounding_of_sums(n_terms: int, kind: str = "float64") -> float:
    """How far off a float64 sum of products may be, relative to the sum of their sizes.

    One rounding for each addition, and a few for the factors and their product; posteriors in
    float32 were rounded once to that type, so that their ties in decimals stay ties.
    """
    return (n_terms + 8) * _ROUNDING + (2.0**-24 if kind == "float32" else 0.0)


def compared(costs: NDArray[np.float64], kind: str = "float64") -> Compared:
    """The table to compare for these costs and posteriors of a type.

    If every column has at most one entry after the modes are subtracted, and this is a power of
    two (as with 0-1 costs), single posteriors are compared, which is exact.
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
    """For each column of `expected` (M, n), write the first row near the least into `codes`.

    Row j is near when it is above the least by at most `nearby[j]`. Returns how many are near.
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


#: Binary digits of the types of posteriors, and the exponent of their smallest number.
TYPES = {"float64": (53, -1074), "float32": (24, -149), "float16": (11, -24), "bfloat16": (8, -133)}


class Piece(NamedTuple):
    """A stretch of posteriors with one decision: from `start` (included or not) on."""

    start: Fraction
    included: bool
    decision: int


def as_written(number: Any) -> Fraction:
    """The number that a float was typed as: the fraction of its shortest decimals."""
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


def shares(priors: Any) -> list[Fraction]:
    """Shares of the classes as written; of two, the first is 1 minus the second."""
    found = [as_written(share) for share in priors]
    return [1 - found[1], found[1]] if len(found) == 2 else found


def moved_shares(priors: Any, said_at: Any) -> list[Fraction]:
    """The factor of each posterior when it is moved from the shares `said_at` to `priors`.

    A class without a share in the new place is multiplied by 0, whatever its share was.
    """
    pairs = zip(shares(priors), shares(said_at), strict=True)
    return [p / q if p else Fraction(0) for p, q in pairs]


def moved_threshold(threshold: Any, factors: Sequence[Fraction]) -> Fraction:
    """The threshold on posteriors before the move that equals one on moved posteriors."""
    t = as_written(threshold)
    if t in (0, 1):
        return t
    return factors[0] * t / (factors[0] * t + factors[1] * (1 - t))


def moved_pieces(found: Sequence[Piece], factors: Sequence[Fraction]) -> list[Piece]:
    """The same pieces in terms of the posteriors before they are moved.

    Where a class has no share in the new place, every stretch begins at 0 or at 1.
    """
    return [piece._replace(start=moved_threshold(piece.start, factors)) for piece in found]


def pieces(costs: Any, factors: Sequence[Fraction] | None = None) -> list[Piece]:
    """The decisions in order of p, for (2, M) costs; ties go to the earlier column.

    `factors` multiply the row of each class: p is then a posterior before it is moved.
    """
    first, second = (
        [as_written(cost) * (1 if factors is None else factors[i]) for cost in row]
        for i, row in enumerate(costs)
    )
    lines = [(a, b - a) for a, b in zip(first, second, strict=True)]
    corners = sorted({Fraction(0), Fraction(1), *_corners(lines)})
    found: list[Piece] = []
    for left, right in zip(corners, [*corners[1:], None], strict=True):
        found.append(Piece(left, True, _winner(lines, left)))
        if right is not None:
            found.append(Piece(left, False, _winner(lines, (left + right) / 2)))
    return [next(same) for _, same in groupby(found, key=lambda piece: piece.decision)]


def _winner(lines: list[tuple[Fraction, Fraction]], p: Fraction) -> int:
    """The first line that is lowest at p."""
    heights = [intercept + slope * p for intercept, slope in lines]
    return heights.index(min(heights))


def _corners(lines: list[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """Where the lower envelope changes from one line to another, inside (0, 1)."""
    corners: list[Fraction] = []
    p = Fraction(0)
    while True:
        height, slope = min((a + b * p, b) for a, b in lines)
        crossings = [(a + b * p - height) / (slope - b) for a, b in lines if b < slope]
        if not crossings or p + min(crossings) >= 1:
            return corners
        p += min(crossings)
        corners.append(p)


# Rounded once, to the type of the scores: docs/design/ties.md.
def in_type(value: Fraction, kind: str = "float64") -> float:
    """A threshold from 0 to 1, rounded once to a type; one below 1 stays below it.

    Otherwise a threshold that rounds to 1 would leave out p = 1, which the exact rule acts on.
    """
    digits, smallest = TYPES[kind]
    if value <= 0 or value >= 1:
        return float(value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > value
    spacing = Fraction(2) ** max(exponent - digits + 1, smallest)
    return min(float(round(value / spacing) * spacing), 1 - 0.5**digits)


def log_ratio(numerator: Fraction, denominator: Fraction) -> float:
    """Natural logarithm of a ratio of numbers not below zero, rounded once; infinite at zeros."""
    if numerator == 0 or denominator == 0:
        return -np.inf if numerator == 0 else np.inf
    ratio = numerator / denominator
    apart = abs(ratio.numerator - ratio.denominator)
    with localcontext() as context:  # the nearer to 1, the more digits cancel
        context.prec = 40 + max(0, len(str(ratio.denominator)) - len(str(apart)))
        return float((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln())


def thresholds(
    found: Sequence[Piece], kind: str = "float64", *, log_odds: bool = False
) -> list[float]:
    """Where each stretch but the first begins, in a type of posteriors, or of their log odds."""
    if log_odds:
        return [_odds_in_type(piece.start, kind) for piece in found[1:]]
    return [in_type(piece.start, kind) for piece in found[1:]]


def _odds_in_type(value: Fraction, kind: str) -> float:
    """The log odds of a threshold, in a type."""
    return float(np.dtype(kind).type(log_ratio(value, 1 - value)))


def cuts(found: Sequence[Piece], kind: str = "float64", *, log_odds: bool = False) -> list[float]:
    """The numbers for which stretch k + 1 is where `p > cut[k]`, for p of a type.

    They are the thresholds, except that a stretch which begins with its threshold, because its
    decision comes earlier among the columns, is cut just below. With `log_odds`, p is log odds.
    """
    at: list[float] = []
    below = _odds_below if log_odds else _below
    every = thresholds(found, kind, log_odds=log_odds)
    for piece, threshold in zip(found[1:], every, strict=True):
        cut = below(threshold, kind) if piece.included else threshold
        at.append(max(cut, *at[-1:]) if at else cut)
    return at


def _odds_below(value: float, kind: str) -> float:
    """The next smaller number of a type."""
    number = np.dtype(kind).type
    return float(np.nextafter(number(value), number(-np.inf)))


def _below(value: float, kind: str) -> float:
    """The next smaller number of a type, but at least 0, so that p = 0 is never above a cut."""
    digits, smallest = TYPES[kind]
    if value <= 0:
        return 0.0
    mantissa, exponent = np.frexp(value)  # the spacing below a power of two is half as wide
    spacing = 2.0 ** max(int(exponent) - digits - (mantissa == 0.5), smallest)
    return float(value - spacing)


def decide_by_cuts(
    p: NDArray[np.floating[Any]],
    cuts: NDArray[np.floating[Any]],
    table: NDArray[np.signedinteger[Any]],
    codes: NDArray[np.signedinteger[Any]],
) -> None:
    """Write the decision of each p into `codes`: `table[k]` where k cuts lie below p."""
    if cuts.shape[0] == 0:
        codes[:] = table[0]
        return
    if cuts.shape[0] == 1 and table[0] == 0 and table[1] == 1 and codes.dtype == np.int8:
        np.greater(p, cuts[0], out=codes.view(np.bool_))
        return
    if cuts.shape[0] > 16:
        codes[:] = table[np.searchsorted(cuts, p, side="left")]
        return
    passed = np.greater(p, cuts[0]).view(np.int8)
    for cut in cuts[1:]:
        passed = passed + np.greater(p, cut).view(np.int8)
    np.take(table, passed, out=codes, mode="clip")
