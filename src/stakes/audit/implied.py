"""The costs that a metric implies at an operating point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import CostMatrix
from stakes.audit.count_metric import CountMetric, as_count_metric
from stakes.audit.laws import short
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics.tables import as_table
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name

__all__ = ["ImpliedCosts", "implied_costs"]

#: Step of the differences, as a share of the cases that can move.
STEP = 1e-3
#: Costs that differ by less, where the dearest is 1, count as the same.
ALIKE = 1e-4


@dataclass(frozen=True, slots=True)
class ImpliedCosts:
    """What a metric makes each decision cost near a table; made by `implied_costs`.

    Parameters
    ----------
    metric : str
        Its name.
    matrix : ConfusionMatrix
        The operating point.
    costs : CostMatrix
        Standardised: each row's minimum is 0. For two classes a false alarm costs 1 (a miss,
        when false alarms cost nothing); for more the dearest error costs 1.
    positive : int
        Position of the positive class, for two classes.
    """

    metric: str
    matrix: ConfusionMatrix
    costs: CostMatrix
    positive: int = 1

    @property
    def miss_cost(self) -> float:
        """For two classes, how many false alarms a miss counts as; infinite if only misses do."""
        if self.costs.shape != (2, 2):
            raise DataError("a miss and a false alarm exist for two classes and two decisions.")
        p, n = self.positive, 1 - self.positive
        miss = float(self.costs.values[p, n] - self.costs.values[p, p])
        false_alarm = float(self.costs.values[n, p] - self.costs.values[n, n])
        if false_alarm == 0:
            return math.copysign(math.inf, miss) if miss else math.nan
        return miss / false_alarm

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if not self.costs.values.any():
            return f"At this operating point {self.metric} does not react to single errors."
        if self.costs.shape != (2, 2):
            errors = self.costs.values[~np.eye(*self.costs.shape, dtype=bool)]
            if np.ptp(errors) <= ALIKE and not np.diagonal(self.costs.values).any():
                return f"At this operating point {self.metric} minds all errors alike."
            row, column = np.unravel_index(int(self.costs.values.argmax()), self.costs.shape)
            return (
                f"At this operating point {self.metric} minds most to decide "
                f"{self.costs.decisions[column]!r} when the truth is {self.costs.classes[row]!r}."
            )
        p, n = self.positive, 1 - self.positive
        rewarded = [w for w, i, j in (("misses", p, n), ("false alarms", n, p))
                    if self.costs.values[i, i] > 0 and self.costs.values[i, j] == 0]  # fmt: skip
        if rewarded:
            return f"At this operating point {self.metric} rewards {' and '.join(rewarded)}."
        if math.isinf(self.miss_cost):
            return f"At this operating point {self.metric} counts misses only."
        if self.miss_cost == 0:
            return f"At this operating point {self.metric} counts false alarms only."
        counted = short(self.miss_cost, 2)
        plural = "" if counted == "1" else "s"
        return (
            f"At this operating point {self.metric} treats a miss as {counted} false alarm{plural}."
        )

    def frame(self) -> Frame:
        """One row per truth and decision with the implied cost."""
        width = len(self.costs.decisions)
        return Frame(
            {
                "truth": [name for name in self.costs.classes for _ in range(width)],
                "decision": list(self.costs.decisions) * len(self.costs.classes),
                "cost": self.costs.values.ravel(),
            }
        )


def implied_costs(
    metric: Any, matrix: Any, *, positive: Name | None = None,
    higher_is_better: bool | None = None, application: Any = None,
) -> ImpliedCosts:  # fmt: skip
    r"""The cost matrix that a metric implies at an operating point.

    Near a table every smooth metric ranks as an expected cost does, with the costs

    .. math:: c_{ij} = -\partial m / \partial n_{ij}

    up to a shift of each row and a common factor. Unless the metric is a cost, they are
    other costs at every other table.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (K, M) array of counts, rows true
        classes.
    matrix : ConfusionMatrix or array-like
        The operating point.
    positive : name, optional
        The positive class of a two-class metric; the second one by default.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.
    application : Application, optional
        Costs for catalogued metrics that need some.

    Returns
    -------
    ImpliedCosts
        The costs in standard form; `sentence` puts them in words.

    Notes
    -----
    Derivatives are central differences of fourth order along moves of cases between
    decisions, one-sided where a cell is empty. Where a metric has a kink the two sides are
    averaged.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, sections 3 and 4.1.1.

    Examples
    --------
    >>> found = implied_costs("f1", [[90, 5], [1, 4]])
    >>> round(found.miss_cost, 4)  # (TP + FP + FN) / TP
    2.5
    >>> print(found.sentence)
    At this operating point f1 treats a miss as 2.5 false alarms.
    """
    table = as_table(matrix)
    index = 1 if positive is None else _position(table, positive)
    counted = as_count_metric(
        metric, higher_is_better=higher_is_better, application=application, positive=index
    )
    counts = np.asarray(table.counts, dtype=np.float64)
    if not np.isfinite(counted.scores(counts)):
        raise UndefinedError(
            f"{counted.name} is not a finite number at this table, so it implies no costs there."
        )
    costs = -_gradient(counted, counts)
    costs = costs - costs.min(axis=1, keepdims=True)
    matrix_of_costs = CostMatrix(_scaled(costs, index), table.classes, table.decisions)
    return ImpliedCosts(counted.name, table, matrix_of_costs, index)


def _position(table: ConfusionMatrix, positive: Name) -> int:
    """Where the positive class stands."""
    if positive not in table.classes:
        raise DataError(f"`positive` must be one of {table.classes}; got {positive!r}.")
    return table.classes.index(positive)


def _gradient(metric: CountMetric, counts: FloatArray) -> FloatArray:
    """Derivatives of the score along moves from the fullest cell of each row."""
    rows, columns = counts.shape
    gradient = np.zeros((rows, columns))
    for i in range(rows):
        source = int(np.argmax(counts[i]))
        if counts[i, source] == 0:
            raise UndefinedError(
                f"row {i} of the table is empty, so what its errors cost is unknown.",
                hint="give a table with cases of every class",
            )
        for j in range(columns):
            if j != source:
                gradient[i, j] = _slope(metric, counts, i, source, j)
    if not np.isfinite(gradient).all():
        raise UndefinedError(f"{metric.name} is not finite next to this table.")
    size = np.abs(gradient).max()
    gradient[np.abs(gradient) < 1e-7 * size] = 0.0
    return gradient


def _slope(metric: CountMetric, counts: FloatArray, row: int, source: int, target: int) -> float:
    """Change of the score per case that goes from one decision to another."""
    change = np.zeros_like(counts)
    change[row, source], change[row, target] = -1.0, 1.0
    room = counts[row, source], counts[row, target]
    if room[1] > 0:
        h = STEP * min(room)
        steps, weights = np.array([-2, -1, 1, 2]), np.array([1, -8, 8, -1]) / 12
    else:
        h = STEP * room[0]
        steps, weights = np.arange(5), np.array([-25, 48, -36, 16, -3]) / 12
    scores = metric.scores(counts + h * steps[:, None, None] * change)
    return float((scores - metric.scores(counts)) @ weights / h)


def _scaled(costs: FloatArray, positive: int) -> FloatArray:
    """Two classes: a false alarm costs 1, else a miss does. More: the dearest error costs 1."""
    if costs.shape == (2, 2):
        row = costs[1 - positive].max() or costs[positive].max()
        return np.asarray(costs / row if row else costs)
    dearest = costs.max()
    return np.asarray(costs / dearest if dearest else costs)
