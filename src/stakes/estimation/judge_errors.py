"""The cost by a judge's labels when its errors are known from other cases: rates turned around."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._names import integer_named, listed
from stakes.exceptions import DataError, UndefinedError
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, IntArray

#: With more than two classes, the largest expected square of the relative error of the rates.
_RELATIVE_ERROR = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRows:
    """Cases by row: costs (n, K) of the decision taken, that decision, labels of the judge, truth
    where it is known, weights.
    """

    paid: FloatArray
    decisions: IntArray
    labels: IntArray
    truth: IntArray
    known: NDArray[np.bool_]
    mass: FloatArray

    def part(self, kept: NDArray[np.bool_]) -> JudgedRows:
        """Some of the rows."""
        return JudgedRows(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))

    @property
    def as_judged(self) -> float:
        """Cost per case if the judge were always right."""
        taken = self.paid[np.arange(len(self.mass)), self.labels]
        return float(self.mass @ taken / self.mass.sum())


def counted(truth: IntArray, second: IntArray, shape: tuple[int, int]) -> FloatArray:
    """How often each true class (rows) went with each position of a second column."""
    table = np.zeros(shape)
    np.add.at(table, (truth, second), 1.0)
    return table


def given_counts(errors: Any, names: Any) -> FloatArray:
    """A stated table of the judge's labels by true class, as counts in the order of the names."""
    named = isinstance(errors, ConfusionMatrix)
    if not named:
        _refuse_names_of_frame(errors)
    matrix = errors if named else ConfusionMatrix(errors)
    table = np.asarray(matrix.counts, dtype=np.float64)
    if table.shape != (len(names), len(names)):
        raise DataError(f"`errors` has shape {table.shape}; there are {len(names)} classes.")
    if named:
        table = table[np.ix_(_places(matrix.classes, names), _places(matrix.decisions, names))]
    empty = [name for name, total in zip(names, table.sum(axis=1), strict=True) if total == 0]
    whole = abs(table.sum() - 1) < 1e-6
    if whole or np.abs(table.sum(axis=1) - 1).max() < 1e-6:
        times = "number_of_cases" if whole else "np.array(cases_of_each_class)[:, None]"
        said = "all cells add" if whole else "each row adds"
        raise DataError(
            f"`errors` holds rates, as {said} to 1; counts of cases are needed, because the "
            "interval depends on how many cases the rates come from.",
            hint=f"errors=np.array(rates) * {times}",
        )
    if empty:
        raise UndefinedError(
            f"`errors` has no case of class {empty[0]!r}, so the judge's errors there are unknown.",
            hint="label some cases of each class by hand",
        )
    return table


def _places(found: Sequence[Any], names: Sequence[Any]) -> list[int]:
    """Where each of the names stands in one side of a table; integers may be positions."""
    known = [str(name) for name in names]
    told = [str(name) for name in found]
    if {*told} != {*known} and not integer_named(names):
        known = [str(k) for k in range(len(names))]
    if {*told} != {*known}:
        raise DataError(
            f"`errors` has the names {listed(found)}, and the classes are {listed(names)}.",
            hint="ConfusionMatrix(counts, classes=[...], decisions=[...]) with the names of the "
            "classes",
        )
    return [told.index(name) for name in known]


def _refuse_names_of_frame(errors: Any) -> None:
    """Raise for a data frame with names, which would be lost."""
    columns, rows = getattr(errors, "columns", None), getattr(errors, "index", None)
    if columns is None or callable(columns):
        return
    told = [list(each) for each in (columns, rows) if each is not None and not callable(each)]
    if len(told) == 2 and all(each == list(range(len(each))) for each in told):
        return
    heads = [str(name) for name in columns]
    raise DataError(
        f"`errors` is a data frame with columns {listed(heads)}, whose names would be lost.",
        hint="ConfusionMatrix(frame.to_numpy(), classes=[...], decisions=[...]): the classes are "
        "the rows, and the judge's labels the columns",
    )


def turned_around(rows: JudgedRows, counts: FloatArray, level: float) -> tuple[float, float, float]:
    """The corrected cost of some rows and its limits, none beyond what decisions can cost.

    `counts` are (class, label of the judge).
    """
    rates = counts / counts.sum(axis=1, keepdims=True)
    if np.linalg.matrix_rank(rates) < len(rates):
        raise no_better_than_chance()
    inverse = np.linalg.inv(rates)  # (label, class)
    if len(rates) > 2:
        _refuse_few(counts, rates, inverse)
    share = rows.mass / rows.mass.sum()
    costs = rows.paid @ inverse.T  # what each label of the judge costs, (n, label)
    at = np.arange(len(share))
    true_cost, judged = rows.paid[at, rows.truth], costs[at, rows.labels]
    value = float(share @ np.where(rows.known, true_cost, judged))
    open_ = ~rows.known
    weights, held = share[open_], inverse[rows.labels[open_]]
    bent = np.asarray((held * weights[:, None]).T @ costs[open_])  # (class, label)
    ends = _fieller(value, counts, inverse, bent, level, (weights, costs[open_], held))
    least, most = (
        float(share @ np.where(rows.known, true_cost, edge))
        for edge in (rows.paid.min(axis=1), rows.paid.max(axis=1))
    )
    low, middle, high = np.clip([ends[0], value, ends[1]], least, most).tolist()
    return middle, low, high


def _refuse_few(counts: FloatArray, rates: FloatArray, inverse: FloatArray) -> None:
    """Raise where chance may turn the inverse of the rates far round.

    The interval is right to the first order in the relative error of the rates, whose expected
    square is a sum over the classes.
    """
    parts = (inverse**2).sum(axis=0) * (1 - (rates**2).sum(axis=1))
    if (parts / counts.sum(axis=1)).sum() > _RELATIVE_ERROR:
        needed = math.ceil(parts.sum() / _RELATIVE_ERROR)
        raise UndefinedError(
            f"`errors` has as few as {counts.sum(axis=1).min():g} cases of a class, too few for an "
            f"interval with {len(rates)} classes and a judge who errs this often.",
            hint=f"count the errors on about {needed} cases of each class; or give the truth of a "
            "random part of these cases, and leave `errors` out",
        )


def _fieller(
    value: float,
    counts: FloatArray,
    inverse: FloatArray,
    bent: FloatArray,
    level: float,
    open_: Any,
) -> tuple[float, float]:
    """Limits of the corrected cost: a cost is kept unless its test rejects it.

    The variance of value - cost, multiplied by the determinant of the judge's rates so that it is
    linear in them, is a + b d + c d^2 with d = value - cost. Rates in it are shrunk by z^2
    doubly labelled cases of each class, evenly over the labels (after Agresti and Coull).
    """
    from scipy.special import ndtri

    z2 = float(ndtri((1 + level) / 2)) ** 2
    totals = counts.sum(axis=1) + z2
    rates = (counts + z2 / len(counts)) / totals[:, None]
    a = _of_labels(rates, *open_)
    b = c = 0.0
    for k, rate in enumerate(rates):
        parts = np.stack([-bent[k], inverse[:, k]])
        centred = parts - (parts @ rate)[:, None]
        spread = (centred * rate) @ centred.T / totals[k]
        a, b, c = a + spread[0, 0], b + 2 * spread[0, 1], c + spread[1, 1]
    if z2 * c >= 1:
        raise no_better_than_chance()
    lead, half = 1 - z2 * c, z2 * b / 2
    root = np.sqrt(half**2 + lead * z2 * a)
    return value - float((half + root) / lead), value - float((half - root) / lead)


def _of_labels(rates: FloatArray, share: FloatArray, costs: FloatArray, held: FloatArray) -> float:
    """Variance of the mean cost of the judge's labels, given the true classes of the cases."""
    squares = costs**2 @ rates.T - (costs @ rates.T) ** 2  # (n, class)
    return max(float((share**2 * (held * squares).sum(axis=1)).sum()), 0.0)


def no_better_than_chance() -> UndefinedError:
    """The error for a judge whose labels tell nothing, as far as the cases show."""
    return UndefinedError(
        "the judge cannot be told from one who ignores the case, so its labels say nothing about "
        "the cost.",
        hint="label more cases by hand as well, or find a better judge",
    )
