"""From a confusion matrix to one number: the few lines that every classical metric shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stakes._kernels.scaling import ordinary_scale
from stakes._kernels.two_class import Array
from stakes._names import listed
from stakes.application import Application
from stakes.exceptions import DataError
from stakes.metrics.binary_cells import binary_cells
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name

__all__ = ["as_table", "named_table", "of_square", "of_two_classes", "square_counts"]


def as_table(matrix: Any) -> ConfusionMatrix:
    """A confusion matrix from itself or from an array of counts, rows true classes."""
    return matrix if isinstance(matrix, ConfusionMatrix) else ConfusionMatrix(matrix)


def named_table(matrix: Any, application: Application) -> ConfusionMatrix:
    """The same, where plain counts take the names of the application."""
    if isinstance(matrix, ConfusionMatrix):
        return matrix
    return ConfusionMatrix(matrix, application.classes, application.decisions)


def of_two_classes(
    kernel: Callable[..., Array], matrix: Any, positive: Name | None, **parameters: float
) -> float:
    """A kernel of tn, fp, fn, tp at one two-class table."""
    cells = np.array(binary_cells(as_table(matrix), positive))
    return float(kernel(*(cells / ordinary_scale(cells)), **parameters))


def square_counts(matrix: Any, what: str) -> FloatArray:
    """The counts as floats, when every decision is one of the classes; huge ones in a unit."""
    table = as_table(matrix)
    if table.classes != table.decisions and table.counts.shape != (2, 2):
        raise DataError(
            f"`{what}` needs decisions that are the classes; got {listed(table.classes)} x "
            f"{listed(table.decisions)}.",
            hint="with other decisions, say what each costs: expected_cost(cm, application=...)",
        )
    counts = np.asarray(table.counts, dtype=np.float64)
    return counts / ordinary_scale(counts)


def of_square(kernel: Callable[..., Array], matrix: Any, what: str, **parameters: Any) -> float:
    """A kernel of (K, K) counts at one table whose decisions are its classes."""
    return float(kernel(square_counts(matrix, what), **parameters))
