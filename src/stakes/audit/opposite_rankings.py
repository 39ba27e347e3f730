"""Two tables of the same data that a metric and a cost matrix rank in opposite orders."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application, as_application
from stakes.audit.audit_words import errors_alone
from stakes.audit.compliance_witnesses import whole_table
from stakes.audit.count_metric import CountMetric, as_count_metric
from stakes.audit.indifference import BINARY_MOVES, indifference, rate_tables, strict_sign
from stakes.messages.quantities import aligned, grouped
from stakes.metrics.metric_catalogue import spoken
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray

#: Margins below this share of the spread are not worth showing.
_SMALLEST = 1e-9
_CASES = 1000
_MOST_CASES = 10**9
_RAREST = 10
_PRIORS = (0.5, 0.1, 0.3, 0.7, 0.9, 0.02)


@dataclass(frozen=True, slots=True)
class OppositePair:
    """The metric prefers one table, the costs the other; made by `opposite_pair`.

    Parameters
    ----------
    metric : str
        Its name.
    preferred, cheaper : ConfusionMatrix
        The table that the metric prefers, and the one that costs less.
    values : tuple of two floats
        The metric of the preferred and of the cheaper table.
    costs : tuple of two floats
        The expected cost of the preferred and of the cheaper table.
    unit : str, optional
        Of the costs.
    """

    metric: str
    preferred: ConfusionMatrix
    cheaper: ConfusionMatrix
    values: tuple[float, float]
    costs: tuple[float, float]
    unit: str | None = None

    @property
    def sentence(self) -> str:
        """The finding in words."""
        unit = f" {self.unit}" if self.unit else ""
        tables = np.asarray(self.preferred.counts), np.asarray(self.cheaper.counts)
        of = f"of {grouped(tables[0].sum())} cases"
        of += f", {grouped(tables[0][1].sum())} positive," if tables[0].shape == (2, 2) else ""
        first, second = map(errors_alone, tables)
        more, less = self.costs
        values = aligned(self.values, 3)
        times = f"{more / less:.2g} times as much" if less > 0 and more > 1.1 * less else "more"
        return (
            f"Example: {of} {spoken(self.metric)} prefers {first} ({values[0]}) to "
            f"{second} ({values[1]}), though the first costs {times} "
            f"({more:.4g} vs {less:.4g}{unit} per case)."
        )


def opposite_pair(
    metric: Any, *, application: Any, priors: Any = None, higher_is_better: bool | None = None,
) -> OppositePair | None:  # fmt: skip
    """Two tables of the same data that a metric ranks opposite to your costs.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (K, M) array of counts, rows true
        classes.
    application : Application or CostMatrix
        The costs. Its priors, if any, are the class shares of the tables.
    priors : sequence of float, optional
        Class shares of the tables; by default those of the application, else several are
        tried.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.

    Returns
    -------
    OppositePair or None
        The most striking pair of whole counts of 1000 cases (more where a class is rare) that
        was found, or one of fractional counts; None when the metric agrees with the costs
        wherever it was tried.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, section 3.3 and figures 2-3.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> costs = CostMatrix.binary(false_positive=1, false_negative=10)
    >>> pair = opposite_pair("f1", application=costs, priors=[0.9, 0.1])
    >>> pair.values[0] > pair.values[1], pair.costs[0] > pair.costs[1]
    (True, True)
    >>> opposite_pair("net_benefit", application=costs) is None
    True
    """
    app = as_application(application)
    counted = as_count_metric(
        metric, higher_is_better=higher_is_better, application=app.with_priors(None)
    )
    shares = app.priors if priors is None else app.with_priors(priors).priors
    two = app.costs.shape == (2, 2)
    tried = _PRIORS if shares is None else (float(shares[-1]),)
    searches = (
        ([_grid(prior, low) for prior in tried] for low in (0.5, 0.0))
        if two
        else [_random_tables(app.costs.shape, shares)]
    )
    for search in searches:
        found = [pair for tables in search if (pair := _striking(counted, app, tables)) is not None]
        if found:
            return _shown(counted, app, max(found, key=lambda pair: pair[0])[1])
    for prior in tried if two else ():
        fine = _fine(counted, app, prior)
        if fine is not None:
            return _shown(counted, app, fine)
    return None


def _enough(share: float) -> int:
    """1000 cases, or ten times as many until the rarest class has ten; at most 10^9."""
    cases = _CASES
    while 0 < share * cases < _RAREST and cases < _MOST_CASES:
        cases *= 10
    return cases


def _grid(prior: float, low: float) -> FloatArray:
    """Whole counts with both rates from `low` to 1."""
    cases = _enough(min(prior, 1 - prior))
    positives = min(max(round(prior * cases), 1), cases - 1)
    negatives = cases - positives
    tn = np.unique(np.rint(np.linspace(low, 1, 15) * negatives))
    tp = np.unique(np.rint(np.linspace(low, 1, 15) * positives))
    a, b = (grid.ravel() for grid in np.meshgrid(tn, tp))
    cells = np.stack([a, negatives - a, positives - b, b], axis=-1)
    return np.asarray(cells.reshape(-1, 2, 2))


def _striking(
    metric: CountMetric, app: Application, tables: FloatArray
) -> tuple[float, FloatArray] | None:
    """The pair whose smaller margin, in metric or cost, is largest; preferred table first."""
    scores = metric.scores(tables)
    tables, scores = tables[np.isfinite(scores)], scores[np.isfinite(scores)]
    costs = (tables * app.costs.values).sum(axis=(1, 2))
    if not len(scores) or min(np.ptp(scores), np.ptp(costs)) == 0:
        return None
    margins, opposed = [], np.array(True)
    for values in (scores, costs):
        margins.append((values[:, None] - values[None, :]) / np.ptp(values))
        opposed = opposed & (strict_sign(values[:, None], values[None, :]) > 0)
    margin = np.where(opposed, np.minimum(*margins), 0.0)
    pair = np.unravel_index(int(np.argmax(margin)), margin.shape)
    largest = float(margin[pair])
    return None if largest <= _SMALLEST else (largest, tables[list(pair)])


def _fine(metric: CountMetric, app: Application, prior: float) -> FloatArray | None:
    """A pair along a direction between the level set and the line of equal cost."""
    rates = np.linspace(0.15, 0.85, 8)
    bases = _CASES * rate_tables(prior, rates, 1 - rates**2 / 2)
    found = indifference(metric, bases, BINARY_MOVES, 0.1)
    (tn, fp), (fn, tp) = app.costs.values.tolist()
    wanted = math.atan2(fn - tp, fp - tn)
    for base, normal in zip(bases, found.normals, strict=True):
        turn = math.remainder(normal - wanted, 2 * math.pi) if not math.isnan(normal) else 0.0
        if abs(turn) < 2e-5:
            continue
        angle = wanted + math.copysign(math.pi / 2 + abs(turn) / 2, turn)
        step = 0.1 * _CASES * min(prior, 1 - prior) * np.array([math.cos(angle), math.sin(angle)])
        change = np.array([[step[0], -step[0]], [-step[1], step[1]]])
        pair = np.stack([base + change, base - change])
        scores = metric.scores(pair)
        paid = (pair * app.costs.values).sum(axis=(1, 2))
        if scores[0] > scores[1] and paid[0] > paid[1]:
            return pair
    return None


def _random_tables(shape: tuple[int, int], shares: FloatArray | None) -> Iterator[FloatArray]:
    """Random tables of any number of classes and decisions, mostly right."""
    rng = np.random.default_rng(0)
    rows, columns = shape
    right = np.eye(rows, columns)
    tried = [np.full(rows, 1 / rows), *rng.dirichlet(np.full(rows, 2.0), 4)]
    for priors in tried if shares is None else [shares]:
        rates = rng.dirichlet(np.ones(columns), size=(400, rows))
        rates = (rates + right) / (1 + right.sum(axis=1))[:, None]
        totals = np.maximum(np.rint(_enough(float(np.min(priors))) * priors), 1)
        tables = np.floor(totals[:, None] * rates)
        left = totals - tables.sum(axis=2)
        tables[:, np.arange(rows), np.argmax(right, axis=1)] += left
        yield tables


def _shown(metric: CountMetric, app: Application, pair: FloatArray) -> OppositePair:
    """The pair, preferred table first, with its numbers."""
    costs = (pair * app.costs.values).sum(axis=(1, 2)) / pair.sum(axis=(1, 2))
    liked, better = (whole_table(table, app.classes, app.decisions) for table in pair)
    values, paid = (tuple(each.tolist()) for each in (metric.values(pair), costs))
    return OppositePair(metric.name, liked, better, values, paid, app.unit)
