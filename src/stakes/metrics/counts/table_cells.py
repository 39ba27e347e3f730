"""The cells of a table by the names everybody uses, and from a table to one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from stakes._columns import in_brief
from stakes._kernels.fast_loops import ordinary_scale
from stakes._kernels.two_class_metrics import Array, cells
from stakes._names import listed, place_of, which_positive
from stakes.application import Application, as_application
from stakes.exceptions import CostError, DataError, LabelError
from stakes.metrics.summary_input import of_decisions
from stakes.summaries import ConfusionMatrix
from stakes.typing import Name


class BinaryCells(NamedTuple):
    """True negatives, false positives, false negatives, true positives; see `binary_cells`.

    Parameters
    ----------
    tn, fp : float
        Cases of the other class that were decided rightly and wrongly.
    fn, tp : float
        Cases of the positive class that were decided wrongly and rightly.
    """

    tn: float
    fp: float
    fn: float
    tp: float

    @property
    def positives(self) -> float:
        """Cases of the positive class."""
        return self.fn + self.tp

    @property
    def negatives(self) -> float:
        """Cases of the other class."""
        return self.tn + self.fp


@of_decisions
def binary_cells(matrix: Any, positive: Name | None = None) -> BinaryCells:
    """The cells of a two-by-two matrix; the second class is positive unless named otherwise.

    The decision that belongs to the positive class is the one in the same position.

    Parameters
    ----------
    matrix : ConfusionMatrix or array-like
        Two classes, two decisions.
    positive : name, optional
        The positive class.

    Returns
    -------
    BinaryCells
        The counts (or weights), as floats.

    Examples
    --------
    >>> binary_cells(ConfusionMatrix([[90, 5], [1, 4]]))
    BinaryCells(tn=90.0, fp=5.0, fn=1.0, tp=4.0)
    """
    table = as_table(matrix)
    if table.counts.shape != (2, 2):
        shape = " x ".join(map(str, table.counts.shape))
        hint = (
            "of more classes: macro_f1, macro_precision, macro_recall, balanced_accuracy, mcc, "
            "kappa or expected_cost, all in stakes.metrics"
        )
        if min(table.counts.shape) < 2:
            hint = 'name both classes, also one without cases: classes=["no", "yes"]'
        raise DataError(f"this needs two classes and two decisions; got {shape}.", hint=hint)
    need_positive(table, positive)
    at = _positive_index(table.classes, positive)
    return BinaryCells(*map(float, cells(table.counts, at)))


def need_positive(table: ConfusionMatrix, positive: Name | None, *, told: bool = True) -> None:
    """Raise where the classes of a table are words that were only sorted, and none is named.

    `told` says whether the function that was called can be told by ``positive=``.
    """
    if positive is None and table.by_alphabet:
        first, second = table.classes
        raise LabelError(
            f"the table holds {listed(table.classes)}: which one is the positive class?",
            hint=(f"{which_positive(table.classes)}; or count" if told else "count")
            + f" with classes={[first, second]} or classes={[second, first]}, the positive class "
            "second",
        )


def error_costs(application: Any, positive: Name | None = None) -> tuple[float, float]:
    """Shifted unit costs C_FP = c_FP - c_TN and C_FN = c_FN - c_TP (`wa2025` section 2)."""
    app = as_application(application)
    if app.costs.shape != (2, 2):
        raise CostError(f"this needs 2 x 2 costs; got {app.costs.shape[0]} x {app.costs.shape[1]}.")
    (c11, c12), (c21, c22) = app.costs.values.tolist()
    acting, waiting = c12 - c11, c21 - c22
    if acting < 0 or waiting < 0 or acting + waiting == 0:
        raise CostError(
            f"errors must cost at least as much as the right decision; wrong decisions cost "
            f"{acting:g} more for {app.classes[0]!r} and {waiting:g} more for {app.classes[1]!r}.",
            hint="rows are true classes, columns are decisions",
        )
    return (acting, waiting) if _positive_index(app.classes, positive) == 1 else (waiting, acting)


def _positive_index(classes: tuple[Name, ...], positive: Name | None) -> int:
    """Which of two classes is the positive one."""
    if positive is None:
        return 1
    at = place_of(positive, classes)
    if at is None:
        got = in_brief(positive)
        raise DataError(f"`positive` must be one of {listed(classes)}; got {got}.")
    return at


def as_table(matrix: Any, app: Application | None = None) -> ConfusionMatrix:
    """A confusion matrix from itself or from counts, which take the names of an application."""
    if isinstance(matrix, ConfusionMatrix):
        return matrix
    names = (None, None) if app is None else (app.classes, app.decisions)
    return ConfusionMatrix(matrix, *names)


def of_two_classes(
    kernel: Callable[..., Array], matrix: Any, positive: Name | None, **parameters: float
) -> float:
    """A kernel of tn, fp, fn, tp at one two-class table."""
    counts = np.array(binary_cells(matrix, positive))
    return float(kernel(*(counts / ordinary_scale(counts)), **parameters))


def at_error_costs(
    kernel: Callable[..., Array], matrix: Any, application: Any, positive: Name | None
) -> float:
    """A kernel of the cells at the error costs of the application."""
    fp, fn = error_costs(application, positive)
    return of_two_classes(kernel, matrix, positive, fp_cost=fp, fn_cost=fn)


def square_table(matrix: Any, what: str, *, by_place: bool = False) -> ConfusionMatrix:
    """The table, if every decision is a class; `by_place`, two decisions may have other names."""
    table = as_table(matrix)
    if table.classes != table.decisions and not (by_place and table.counts.shape == (2, 2)):
        raise DataError(
            f"`{what}` needs decisions that are the classes; got {listed(table.classes)} x "
            f"{listed(table.decisions)}.",
            hint="with other decisions, say what each costs: expected_cost(cm, application=...)",
        )
    return table


def of_square(kernel: Callable[..., Array], matrix: Any, what: str, **parameters: Any) -> float:
    """A kernel of (K, K) counts at one table whose decisions are its classes."""
    counts = np.asarray(square_table(matrix, what, by_place=True).counts, dtype=np.float64)
    return float(kernel(counts / ordinary_scale(counts), **parameters))
