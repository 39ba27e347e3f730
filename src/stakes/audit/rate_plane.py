"""The data of two pictures: level sets against lines of equal cost, and clouds of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._columns import as_reals
from stakes.application import Application, as_application
from stakes.audit.count_metric import as_count_metric
from stakes.exceptions import DataError
from stakes.metrics.facts.metric import Metric
from stakes.results import Frame
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True)
class LevelSets:
    """A metric, and a cost, over all pairs of rates at one prevalence; made by `level_sets`.

    Parameters
    ----------
    metric : str
        Its name.
    higher_is_better : bool
        Its direction.
    prevalence : float
        Share of the positive class.
    false_positive_rates, true_positive_rates : ndarray of shape (m,)
        The grid.
    values : ndarray of shape (m, m)
        The metric; rows are true positive rates.
    costs : ndarray of shape (m, m), optional
        The expected cost at the same points.
    iso_cost_slope : float
        Rise of the true positive rate per unit of false positive rate along a line of equal
        cost; `nan` without costs.
    """

    metric: str
    higher_is_better: bool
    prevalence: float
    false_positive_rates: FloatArray
    true_positive_rates: FloatArray
    values: FloatArray
    costs: FloatArray | None
    iso_cost_slope: float

    def frame(self) -> Frame:
        """One row per point of the grid."""
        fpr, tpr = np.meshgrid(self.false_positive_rates, self.true_positive_rates)
        columns = {"false_positive_rate": fpr.ravel(), "true_positive_rate": tpr.ravel(),
                   self.metric: self.values.ravel()}  # fmt: skip
        if self.costs is not None:
            columns["cost"] = self.costs.ravel()
        return Frame(columns)


def level_sets(
    metric: Any, *, prevalence: float, application: Any = None, resolution: int = 101,
    higher_is_better: bool | None = None,
) -> LevelSets:  # fmt: skip
    """A two-class metric over all pairs of rates, with the cost beside it.

    Where the level sets of the metric are not lines of equal cost, it prefers some system
    that costs more. Draw it with `stakes.plots.level_sets`.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (2, 2) array of counts, rows true
        classes.
    prevalence : float
        Share of the positive (second) class, strictly between 0 and 1.
    application : Application or CostMatrix, optional
        Costs to compare with.
    resolution : int
        Points along each axis.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.

    Returns
    -------
    LevelSets
        The grid; points where the metric is undefined are `nan`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.

    Examples
    --------
    >>> from stakes import Application
    >>> grid = level_sets("f1", prevalence=0.1, application=Application([[0, 1], [9, 0]]))
    >>> round(grid.iso_cost_slope, 4)
    1.0
    """
    if not 0 < prevalence < 1:
        raise DataError(f"`prevalence` must lie strictly between 0 and 1; got {prevalence!r}.")
    if resolution < 2:
        raise DataError(f"`resolution` must be at least 2; got {resolution}.")
    counted = as_count_metric(metric, higher_is_better=higher_is_better, application=application)
    rates = np.linspace(0, 1, resolution)
    fpr, tpr = np.meshgrid(rates, rates)
    tables = 1000 * rate_tables(prevalence, fpr, tpr)
    costs, slope = None, float("nan")
    if application is not None:
        app = as_application(application)
        costs = (tables * app.costs.values).sum(axis=(2, 3)) / 1000
        (tn, fp), (fn, tp) = app.costs.values.tolist()
        miss = prevalence * (fn - tp)
        slope = (1 - prevalence) * (fp - tn) / miss if miss else float("inf")
    return LevelSets(
        counted.name, counted.higher_is_better, prevalence, rates, rates,
        counted.values(tables), costs, slope,
    )  # fmt: skip


def rate_tables(prevalence: float, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """Two-class tables in shares of all cases from their rates."""
    n, p = 1 - prevalence, prevalence
    cells = np.stack([n * (1 - fpr), n * fpr, p * (1 - tpr), p * tpr], axis=-1)
    return np.asarray(cells.reshape(*fpr.shape, 2, 2))


def metric_cloud(
    metrics: Mapping[str, Any] | Sequence[Any], *, class_totals: tuple[int, int],
    applications: Mapping[str, Any] | None = None, steps: int = 20,
) -> Frame:  # fmt: skip
    """Metrics and normalised costs of every table on a grid of errors.

    The false positives and the false negatives run from 0 to all cases of their class in
    `steps` steps each. Plotting one column against another shows how far a metric follows
    a cost.

    Parameters
    ----------
    metrics : sequence or mapping
        Names, entries of the catalogue or functions; the keys of a mapping name columns.
    class_totals : tuple of two ints
        Cases of the first and of the second (positive) class.
    applications : mapping of str to Application or CostMatrix, optional
        Normalised expected costs to add, by column name.
    steps : int
        Points along each axis.

    Returns
    -------
    Frame
        One row per table: false_negatives, false_positives, then the columns asked for.

    References
    ----------
    .. [1] L. Ferrer, "Analysis and Comparison of Classification Metrics", 2022, figure 1.

    Examples
    --------
    >>> cloud = metric_cloud(["mcc", "f1"], class_totals=(500, 500))
    >>> cloud.shape
    (400, 4)
    """
    negatives, positives = as_reals(class_totals, "class_totals").tolist()
    if not (0 < negatives < np.inf and 0 < positives < np.inf and steps >= 2):
        raise DataError("`class_totals` must be positive and finite, and `steps` at least 2.")
    fp, fn = np.meshgrid(np.linspace(0, negatives, steps), np.linspace(0, positives, steps))
    cells = np.stack([negatives - fp, fp, fn, positives - fn], axis=-1).reshape(-1, 2, 2)
    named = metrics if isinstance(metrics, Mapping) else {_name(m): m for m in metrics}
    columns: dict[str, Any] = {"false_negatives": fn.ravel(), "false_positives": fp.ravel()}
    for name, metric in named.items():
        columns[name] = as_count_metric(metric).values(cells)
    for name, application in (applications or {}).items():
        app: Application = as_application(application)
        counted = as_count_metric("normalized_expected_cost", application=app)
        columns[name] = counted.values(cells)
    return Frame(columns)


def _name(metric: Any) -> str:
    """What a column of a metric is called."""
    if isinstance(metric, str):
        return metric
    return metric.label if isinstance(metric, Metric) else as_count_metric(metric).name
