"""Any metric as a function of many tables at once, oriented so that higher is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_switch
from stakes._columns import as_reals
from stakes.application import as_application
from stakes.exceptions import DataError
from stakes.metrics.metric import Metric
from stakes.metrics.metric_catalogue import catalogue
from stakes.typing import FloatArray

#: Number of tables for which a callable must give the same values one by one and all at once,
#: before it is called for many at once.
_PROBES = 48


@dataclass(frozen=True)
class CountMetric:
    """A metric that takes (n, K, M) counts and gives n numbers.

    Made by `as_count_metric`.

    Parameters
    ----------
    name : str
        For people.
    raw : callable
        From (n, K, M) counts to n values, as the metric's author defined them.
    higher_is_better : bool
        Its direction.
    """

    name: str
    raw: Callable[[FloatArray], FloatArray]
    higher_is_better: bool

    def values(self, counts: Any) -> FloatArray:
        """The values of (..., K, M) counts, as the metric's author defined them."""
        tables = as_reals(counts, "counts")
        flat = tables.reshape(-1, *tables.shape[-2:])
        with np.errstate(all="ignore"):
            return np.asarray(self.raw(flat), dtype=np.float64).reshape(tables.shape[:-2])

    def scores(self, counts: Any) -> FloatArray:
        """The values turned so that higher is better."""
        return self.values(counts) if self.higher_is_better else -self.values(counts)

    def truncates(self, tables: FloatArray) -> bool:
        """Whether the fractions of counts are cut off, as code for whole cases does."""
        values = self.values(tables)
        kept = tables.copy()  # some truncate single cells and keep the totals
        for i in range(min(tables.shape[1:])):
            lost = tables[:, i, i] - np.floor(tables[:, i, i])
            kept[:, i, i] -= lost
            kept[:, i, i - 1] += lost
        cut = [self.values(other) for other in (np.floor(tables), np.rint(tables), kept)]
        return any(np.allclose(values, other, rtol=1e-12, atol=0, equal_nan=True) for other in cut)


def as_count_metric(
    metric: Any, *, higher_is_better: bool | None = None, application: Any = None, positive: int = 1
) -> CountMetric:
    """A `CountMetric` from a name, an entry of the catalogue, or a function of counts.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, which may carry parameters (``"f_beta:beta=2"``); or a
        function of a (K, M) array of counts, rows true classes, that returns a number.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default. A catalogued metric knows.
    application : Application, optional
        Gives a catalogued metric the costs that it needs.
    positive : int
        Position of the positive class, for catalogued metrics of two classes.

    Examples
    --------
    >>> hits = as_count_metric(lambda counts: counts[1, 1])
    >>> hits.values([[[5, 1], [2, 7]], [[6, 0], [4, 5]]])
    array([7., 5.])
    """
    entry = catalogued(metric)
    if entry is None:
        if not callable(metric):
            raise DataError(
                f"`metric` must be a name, a Metric or a function of counts; got {metric!r}."
            )
        name = getattr(metric, "__name__", type(metric).__name__)
        name = "your metric" if name == "<lambda>" else name
        better = higher_is_better is None or as_switch(higher_is_better, "higher_is_better")
        return CountMetric(name, _Batched(metric, name), better)
    if application is not None:
        entry = entry.with_application(as_application(application), positive=positive)
    if entry.missing:
        entry.values([[1, 0], [0, 1]])  # raises, naming what is missing
    better = entry.higher_is_better
    if higher_is_better is not None:
        better = as_switch(higher_is_better, "higher_is_better")
    return CountMetric(entry.label, lambda tables: entry.values(tables, positive=positive), better)


def catalogued(metric: Any) -> Metric | None:
    """The entry of the catalogue for a name, a Metric or its function; None if there is none."""
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        return catalogue.find(metric)
    name = str(getattr(metric, "__name__", ""))
    if name in catalogue and catalogue[name].function is metric:
        return catalogue[name]
    return None


class _Batched:
    """A function of one table, called once for many tables where that gives the same."""

    def __init__(self, function: Callable[[FloatArray], Any], name: str) -> None:
        self.function, self.name = function, name
        self.elementwise: dict[tuple[int, ...], bool] = {}

    def __call__(self, tables: FloatArray) -> FloatArray:
        shape = tables.shape[1:]
        if shape not in self.elementwise:
            self.elementwise[shape] = self._probed(shape)
        if self.elementwise[shape]:
            answer = self._together(tables)
            if answer is not None:
                return answer
        return self._one_by_one(tables)

    def _probed(self, shape: tuple[int, ...]) -> bool:
        """Whether tables of all sizes and class shares get the same answer in both ways."""
        rng = np.random.default_rng(0)
        tables = rng.gamma(0.5, 20.0, size=(_PROBES, *shape)) * rng.uniform(0.1, 9, (_PROBES, 1, 1))
        tables[:8] = np.rint(tables[:8]) * (rng.random((8, *shape)) < 0.5)
        answer = self._together(tables)
        return answer is not None and bool(
            np.allclose(answer, self._one_by_one(tables), rtol=1e-12, atol=0, equal_nan=True)
        )

    def _together(self, tables: FloatArray) -> FloatArray | None:
        """All tables along the last axis, so that counts[i, j] is a whole column."""
        try:
            answer = np.asarray(self.function(np.moveaxis(tables, 0, -1)), dtype=np.float64)
        except Exception:  # a real error comes up again one by one
            return None
        return answer if answer.shape == tables.shape[:1] else None

    def _one_by_one(self, tables: FloatArray) -> FloatArray:
        """Each table on its own; arithmetic that fails gives `nan`."""
        values = np.empty(tables.shape[0])
        for k, table in enumerate(tables):
            try:
                values[k] = float(self.function(table.copy()))
            except ArithmeticError:
                values[k] = np.nan
            except (TypeError, ValueError) as error:
                if "math domain" in str(error):
                    values[k] = np.nan
                elif isinstance(error, TypeError) or "could not convert string" in str(error):
                    said = f"{self.name} must return a number for a (K, M) array of counts"
                    hint = 'a metric of the catalogue goes by its name: "f1"; one of your own is a '
                    hint += "function such as lambda counts: counts[1, 1] / counts[:, 1].sum()"
                    raise DataError(f"{said}; {error}.", hint=hint) from error
                else:
                    raise
        return values
