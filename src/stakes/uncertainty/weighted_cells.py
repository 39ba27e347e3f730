"""Weighted cases by cell: how many there are, and what their weights and squares add up to.

A case is one row, whatever it weighs. The sum of squared weights is what tells ten cases of weight
1 from one case of weight 10, and what a weighted confusion matrix no longer knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._columns import as_column, as_weights
from stakes._kernels.interval_limits import acceleration
from stakes._names import encode
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, IntArray
from stakes.uncertainty.linear_costs import CostSum

__all__ = ["TRUST", "WeightedCells", "effective_cases", "equivalent_sum", "required_weights"]

#: Errors' worth of trust in the weights being unrelated to the errors, beside what the data say.
TRUST = 10.0
#: Weights beyond this, or whose largest is below its inverse, are divided by the largest.
FAR = 1e50
#: Rows per distinct weight from which it pays to draw how often each weight occurs.
ALIKE = 8
#: At most so many numbers are drawn at once.
ROOM = 1 << 22


def required_weights(sample_weight: Any, length: int) -> FloatArray:
    """The weights, which must be there; made smaller or larger where squares would be lost."""
    weights = as_weights(sample_weight, length)
    if weights is None:
        raise DataError(
            "`sample_weight` is missing.", hint="without weights: interval(summary, metric)"
        )
    largest = float(weights.max(initial=1.0 if length == 0 else 0.0))
    return weights if 1 / FAR < largest < FAR else weights / largest


def effective_cases(
    rows: FloatArray, sums: FloatArray, squares: FloatArray, influence: FloatArray
) -> float:
    """How many equal cases would be as sure of a mean as these weighted ones.

    Of cells with so many `rows`, of these sums of weights and of squared weights, each cell
    `influence` away from the mean. With few errors their weights are a matter of luck, so the
    variance is drawn towards that of weights unrelated to the errors (Kish), with the weight of
    `TRUST` errors. Equal weights give the number of rows.
    """
    total = float(sums.sum())
    kish = total**2 / float(squares.sum())
    spread = float((sums * influence**2).sum()) / total
    variance = float((squares * influence**2).sum()) / total**2
    if spread <= 0 or variance <= 0:
        return kish
    size = float(np.abs(influence).max())
    _, place = np.unique(np.round(influence / size, 9), return_inverse=True)
    alike = np.bincount(place.reshape(-1), weights=rows)
    errors = float(rows.sum() - alike.max())
    return (errors + TRUST) / (errors * variance / spread + TRUST / kish)


def equivalent_sum(total: CostSum, rows: FloatArray, squares: FloatArray) -> CostSum:
    """A cost of weighted cases as one of as many equal cases as are as sure of it."""
    shape, counts = total.counts.shape, total.counts.copy()
    rows, squares = rows.reshape(shape), squares.reshape(shape)
    for k, influence in enumerate(total.influence):
        if counts[k].any():
            n = effective_cases(rows[k], total.counts[k], squares[k], influence)
            counts[k] *= n / counts[k].sum()
    return replace(total, counts=counts)


@dataclass(frozen=True, eq=False)
class WeightedCells:
    """Rows by cell of a confusion matrix, with their weights; those of weight zero left out.

    `matrix` holds the sums of weights; `rows` and `squares` the number of rows and the sums of
    squared weights, in the same shape; `kinds`, `weights` and `counts` the cell (by position),
    weight and number of all rows that are alike, ordered by cell.
    """

    matrix: ConfusionMatrix
    rows: FloatArray
    squares: FloatArray
    kinds: IntArray
    weights: FloatArray
    counts: IntArray

    @classmethod
    def counted(
        cls, y_true: Any, decisions: Any, sample_weight: Any, application: Any
    ) -> WeightedCells:
        """Count rows under the names of the application, if there is one."""
        names: dict[str, Any] = {}
        if application is not None:
            names = {"classes": application.classes, "decision_names": application.decisions}
        truth, chosen = as_column(y_true, "y_true"), as_column(decisions, "decisions")
        weights = required_weights(sample_weight, truth.shape[0])
        matrix = ConfusionMatrix.from_decisions(truth, chosen, sample_weight=weights, **names)
        kept = weights > 0
        cells = encode(truth[kept], matrix.classes, "y_true").astype(np.intp)
        cells = cells * len(matrix.decisions) + encode(chosen[kept], matrix.decisions, "decisions")
        shape, weights = matrix.counts.shape, weights[kept]
        size = shape[0] * shape[1]
        rows = np.bincount(cells, minlength=size).astype(np.float64).reshape(shape)
        squares: FloatArray = np.bincount(cells, weights * weights, minlength=size).astype(
            np.float64
        )
        squares = squares.reshape(shape)
        order = np.lexsort((weights, cells))
        cells, weights = cells[order], weights[order]
        new = np.append(True, (np.diff(cells) != 0) | (np.diff(weights) != 0))
        starts = np.flatnonzero(new)
        counts = np.diff(np.append(starts, cells.shape[0]))
        return cls(matrix, rows, squares, cells[starts], weights[starts], counts)

    @property
    def sums(self) -> FloatArray:
        """Sums of weights by class and decision."""
        return np.asarray(self.matrix.counts, dtype=np.float64)

    @property
    def cases(self) -> FloatArray:
        """Number of rows of each class."""
        return np.asarray(self.rows.sum(axis=1))

    def equivalent(self, total: CostSum) -> CostSum:
        """A cost of these cases as one of equal cases that are as sure of it."""
        return equivalent_sum(total, self.rows, self.squares)

    def draw(self, size: int, generator: np.random.Generator, *, apart: bool) -> FloatArray:
        """Tables (size, K, M) of rows drawn with their weights, each class apart or not."""
        shape = self.rows.shape
        found = np.zeros((size, shape[0] * shape[1]))
        filled = np.flatnonzero(self.rows.ravel())
        by_class = filled // shape[1] if apart else np.zeros_like(filled)
        for k in np.unique(by_class):
            cells = filled[by_class == k]
            rows = self.rows.ravel()[cells]
            wanted = generator.multinomial(int(rows.sum()), rows / rows.sum(), size=size)
            for place, cell in enumerate(cells.tolist()):
                inside = self.kinds == cell
                found[:, cell] = _drawn_sums(
                    self.weights[inside], self.counts[inside], wanted[:, place], generator
                )
        return found.reshape(size, *shape)

    def skewness(self, statistic: Callable[[FloatArray], FloatArray]) -> float:
        """The acceleration of a statistic, from what a little less of each cell does to it."""
        filled = np.argwhere(self.rows > 0)
        tables = np.repeat(self.sums[None], filled.shape[0] + 1, axis=0)
        places = np.arange(filled.shape[0]), filled[:, 0], filled[:, 1]
        steps = 1e-4 * tables[places]
        tables[places] -= steps
        with np.errstate(divide="ignore", invalid="ignore"):
            values = statistic(tables)
        slopes = np.zeros(self.rows.size)
        slopes[np.ravel_multi_index((filled[:, 0], filled[:, 1]), self.rows.shape)] = (
            values[-1] - values[:-1]
        ) / steps
        influence = slopes[self.kinds] * self.weights
        known = np.isfinite(influence)
        return acceleration(influence[known], self.counts[known].astype(np.float64))


def _drawn_sums(
    weights: FloatArray, counts: IntArray, wanted: IntArray, generator: np.random.Generator
) -> FloatArray:
    """Sums of so many weights drawn with replacement, of which there are `counts` alike."""
    if weights.shape[0] == 1:
        return np.asarray(wanted * weights[0], dtype=np.float64)
    if weights.shape[0] * ALIKE > counts.sum():  # hardly any are alike: draw them one by one
        rows = np.repeat(weights, counts)
        return np.array([rows[generator.integers(0, len(rows), n)].sum() for n in wanted])
    found, step = np.empty(wanted.shape[0]), max(1, ROOM // weights.shape[0])
    for start in range(0, wanted.shape[0], step):
        part = slice(start, start + step)
        found[part] = generator.multinomial(wanted[part], counts / counts.sum()) @ weights
    return found
