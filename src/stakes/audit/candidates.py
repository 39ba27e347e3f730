"""A metric among real candidates: which it picks, what that costs, how far two orders agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from stakes._checks import as_switch, of_kind
from stakes._columns import as_reals
from stakes._guesses import AnswersGuesses
from stakes._kernels import rankings as kernels
from stakes._names import place_of
from stakes.application import Application, as_application
from stakes.audit.count_metric import as_count_metric
from stakes.audit.indifference import strict_sign
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics.costs.expected_cost import expected_cost
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray

Kind: TypeAlias = Literal["spearman", "weighted"]
Top: TypeAlias = Literal["high", "low"]


def weighted_spearman(first: Any, second: Any, *, top: Top = "high") -> float:
    r"""Spearman correlation that looks at the top ranks more, standardised for chance.

    Each thing weighs 1/(a + 2)^2 + 1/(b + 2)^2, with a and b its two ranks from the top. The
    weighted correlation is negative on average for things in random order; the standardised
    one is brought close to 0 there, and keeps -1 and 1.

    Parameters
    ----------
    first, second : columns of float
        Values of the same things, at least 3; ties share their mean rank.
    top : {"high", "low"}
        Whether rank 1, which weighs most, is the highest or the lowest value.

    Returns
    -------
    float
        At most 1; `nan` when one of the columns is constant.

    Notes
    -----
    The constants are exact for up to 8 things and fitted polynomials in 1/n above, as published;
    with them chance has a mean of about -0.01 for 201 things, not exactly 0.

    References
    ----------
    .. [1] "Standardization of weighted ranking correlation coefficients", arXiv:2504.08428,
       2025; used by "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 4.1.

    Examples
    --------
    >>> round(weighted_spearman([1, 2, 3, 4], [10, 20, 30, 40]), 6)
    1.0
    >>> best_right = weighted_spearman([1, 2, 3, 4, 5], [2, 1, 3, 4, 5])
    >>> best_right > weighted_spearman([1, 2, 3, 4, 5], [1, 2, 3, 5, 4])
    True
    """
    return rank_correlation(first, second, kind="weighted", top=top)


def rank_correlation(
    first: Any, second: Any, *, kind: Kind = "spearman", top: Top = "high"
) -> float:
    """Rank correlation of two columns.

    Parameters
    ----------
    first, second : columns of float
        Values of the same things, at least 3.
    kind : {"spearman", "weighted"}
        Spearman's, or `weighted_spearman`.
    top : {"high", "low"}
        For "weighted": where the weight lies.

    Returns
    -------
    float
        Between -1 and 1; `nan` when one of the columns is constant.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 4.

    Examples
    --------
    >>> rank_correlation([1, 2, 3], [10, 30, 20])
    0.5
    """
    found = rank_correlations(first, second, kind=kind, top=top)
    if found.ndim:
        raise DataError("rank correlation needs two columns; rank_correlations takes many.")
    return float(found)


def rank_correlations(
    first: Any, second: Any, *, kind: Kind = "spearman", top: Top = "high"
) -> FloatArray:
    """Rank correlations of many pairs of columns at once.

    For experiments with thousands of rankings: every array is ranked once, and columns are then
    paired by broadcasting.

    Parameters
    ----------
    first, second : arrays of shape (..., n)
        Columns lie along the last axis, of the same length n, at least 3; the axes before it
        broadcast.
    kind, top
        As for `rank_correlation`.

    Returns
    -------
    ndarray
        Of the broadcast shape without the last axis; `nan` where a column is constant.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 4.

    Examples
    --------
    >>> metrics = np.array([[[1, 2, 3]], [[3, 2, 1]]])  # 2 metrics
    >>> costs = np.array([[10, 20, 30], [10, 30, 20]])  # 2 cost ratios
    >>> rank_correlations(metrics, costs)
    array([[ 1. ,  0.5],
           [-1. , -0.5]])
    """
    if place_of(kind, ("spearman", "weighted")) is None:
        raise DataError(f"`kind` must be 'spearman' or 'weighted'; got {kind!r}.")
    if place_of(top, ("high", "low")) is None:
        raise DataError(f"`top` must be 'high' or 'low'; got {top!r}.")
    sign = -1.0 if top == "high" else 1.0
    a, b = sign * as_reals(first, "first"), sign * as_reals(second, "second")
    if min(a.ndim, b.ndim) < 1 or a.shape[-1] != b.shape[-1] or a.shape[-1] < 3:
        raise DataError(
            f"rank correlations need columns of the same length, at least 3; got shapes "
            f"{a.shape} and {b.shape}."
        )
    if np.isnan(a).any() or np.isnan(b).any():
        raise DataError("rank correlation needs values that are not nan.")
    return _paired(kernels.mean_ranks(a), kernels.mean_ranks(b), kind)


def _paired(a: FloatArray, b: FloatArray, kind: Kind) -> FloatArray:
    """Correlations of ranks, block by block so that the broadcast product is never held."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    a, b = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
    found = np.empty(shape[:-1])
    moments = kernels.chance_moments(shape[-1]) if kind == "weighted" else None
    for block in np.ndindex(shape[:-2]):
        if moments is None:
            found[block] = kernels.plain_rank_correlation(a[block], b[block])
        else:
            value = kernels.weighted_rank_correlation(a[block], b[block])
            found[block] = kernels.standardised(value, moments)
    return found


def choice_regret(values: Any, costs: Any, *, higher_is_better: bool = True) -> float:
    """Cost of the candidate that a metric chooses, minus that of the cheapest.

    What choosing by a metric costs, in the unit of the costs; 0 when it chooses rightly.

    Parameters
    ----------
    values : column of float
        The metric of each candidate; not `nan`.
    costs : column of float
        The cost of each candidate.
    higher_is_better : bool
        Direction of the metric. Of equally good candidates the first is chosen.

    Returns
    -------
    float
        At least 0.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 3.

    Examples
    --------
    >>> choice_regret([0.7, 0.9, 0.8], [10.0, 12.0, 9.0])
    3.0
    """
    scores, paid = as_reals(values, "values"), as_reals(costs, "costs")
    if scores.ndim != 1 or scores.shape != paid.shape or scores.size == 0:
        raise DataError(
            f"`values` and `costs` must be columns of the same length; got {scores.shape} and "
            f"{paid.shape}."
        )
    if not np.isfinite(paid).all():
        raise DataError(f"`costs` must be finite; got {paid[~np.isfinite(paid)][0]:g}.")
    if np.isnan(scores).any():
        first, count = int(np.argmax(np.isnan(scores))), int(np.isnan(scores).sum())
        raise DataError(
            f"`values` must not be nan; candidate {first} is ({count} of {scores.size}).",
            hint="leave out candidates for which the metric is undefined, or replace nan by the "
            "value that you would use",
        )
    return _regret(scores if as_switch(higher_is_better, "higher_is_better") else -scores, paid)


def _regret(scores: FloatArray, costs: FloatArray) -> float:
    """How much more the candidate of highest score costs than the cheapest; nan is not chosen."""
    if np.isnan(scores).all():
        raise UndefinedError("the metric is nan for every candidate, so it chooses none.")
    return float(costs[int(np.nanargmax(scores))] - costs.min())


@dataclass(frozen=True, slots=True)
class CandidateAudit(AnswersGuesses):
    """What a metric makes of real candidates; made by `audit_candidates`.

    Parameters
    ----------
    metric : str
        Its name.
    names : tuple of str
        The candidates.
    values, costs : ndarray
        The metric and the expected cost of each.
    higher_is_better : bool
        Direction of the metric.
    """

    metric: str
    names: tuple[str, ...]
    values: FloatArray
    costs: FloatArray
    higher_is_better: bool

    @property
    def scores(self) -> FloatArray:
        """The metric turned so that higher is better."""
        return self.values if self.higher_is_better else -self.values

    @property
    def chosen(self) -> str:
        """The candidate that the metric likes best; the first of several."""
        if np.isnan(self.scores).all():
            raise UndefinedError(f"{self.metric} is nan for every candidate.")
        return self.names[int(np.nanargmax(self.scores))]

    @property
    def cheapest(self) -> str:
        """The candidate that costs least; the first of several."""
        return self.names[int(np.argmin(self.costs))]

    @property
    def regret(self) -> float:
        """Cost of the chosen candidate minus that of the cheapest, per case."""
        return _regret(self.scores, self.costs)

    @property
    def misranked(self) -> tuple[tuple[str, str], ...]:
        """Pairs that metric and costs do not rank alike, the cheaper one first.

        Pairs that cost the same are left out; ties and `nan` of the metric count.
        """
        cheaper, liked = self._signs()
        found = np.argwhere((cheaper > 0) & (liked <= 0))
        return tuple((self.names[i], self.names[j]) for i, j in found)

    @property
    def misranking_rate(self) -> float:
        """Share of the pairs with different costs that are misranked; `nan` without any."""
        pairs = int((self._signs()[0] > 0).sum())
        return len(self.misranked) / pairs if pairs else float("nan")

    def _signs(self) -> tuple[FloatArray, FloatArray]:
        """For each pair, whether the first is cheaper and whether it is liked better."""
        costs, scores = self.costs, self.scores
        cheaper = strict_sign(costs[None, :], costs[:, None])
        return cheaper, strict_sign(scores[:, None], scores[None, :])

    def correlation(self, kind: Any = "spearman") -> float:
        """Rank correlation of the metric and minus the cost; see `rank_correlation`."""
        columns = (_without_rounding(column) for column in (self.scores, -self.costs))
        return rank_correlation(*columns, kind=kind)

    def frame(self) -> Frame:
        """One row per candidate, cheapest first."""
        order = np.argsort(self.costs, kind="stable")
        columns = {"candidate": [self.names[k] for k in order], "cost": self.costs[order]}
        return Frame({**columns, self.metric: self.values[order]})


def audit_candidates(
    metric: Any, candidates: Mapping[str, ConfusionMatrix], *, application: Any,
    higher_is_better: bool | None = None,
) -> CandidateAudit:  # fmt: skip
    """How a metric ranks real candidates, against what they cost.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (K, M) array of counts, rows true
        classes.
    candidates : mapping of str to ConfusionMatrix
        Tables of the same data.
    application : Application or CostMatrix
        What the decisions cost.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.

    Returns
    -------
    CandidateAudit
        Choice, regret, misranked pairs and rank correlation.

    Notes
    -----
    The metric sees the counts as they are; the costs use the priors of the application.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 4.
    .. [2] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, Table 1.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> gains = CostMatrix.from_utilities([[15, -35], [-335, 165]])
    >>> both = {"A": ConfusionMatrix([[27, 23], [15, 35]]),
    ...         "B": ConfusionMatrix([[43, 7], [18, 32]])}
    >>> found = audit_candidates("accuracy", both, application=gains)
    >>> found.chosen, found.cheapest, round(found.regret, 2)
    ('B', 'A', 7.0)
    """
    if len(of_kind(candidates, "candidates", Mapping)) == 0:
        raise DataError("`candidates` must map names to confusion matrices; got none.")
    app = as_application(application)
    tables = {str(name): _named(table, app) for name, table in candidates.items()}
    totals = np.stack([table.class_totals for table in tables.values()])
    if not np.allclose(totals, totals[0]):
        raise DataError(
            f"`candidates` must describe the same data; their class totals are {totals.tolist()}."
        )
    counted = as_count_metric(metric, higher_is_better=higher_is_better, application=app)
    costs = [expected_cost(table, application=app) for table in tables.values()]
    values = counted.values(np.stack([table.counts for table in tables.values()]))
    return CandidateAudit(
        counted.name, tuple(tables), values, np.array(costs), counted.higher_is_better
    )


def _without_rounding(values: FloatArray) -> FloatArray:
    """Values to 12 digits of the largest, so that equal ones tie."""
    largest = float(np.abs(values).max())
    return np.asarray(np.round(values / (largest or 1.0), 12), dtype=np.float64)


def _named(table: Any, app: Application) -> ConfusionMatrix:
    """A table with the names of the application, when it has none of its own."""
    if isinstance(table, ConfusionMatrix):
        if table.classes != tuple(range(len(table.classes))):
            return table
        table = table.counts
    return ConfusionMatrix(table, app.classes, app.decisions)
