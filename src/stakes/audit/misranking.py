"""How often a metric picks the wrong one of two classifiers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._kernels import misranking as kernels
from stakes._random import as_generator
from stakes.application import Application, CostMatrix, UncertainApplication, as_application
from stakes.audit.count_metric import CountMetric, as_count_metric
from stakes.audit.populations import PairSource, pair_source
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.typing import RandomSource

__all__ = [
    "MisrankingRate",
    "MisrankingTable",
    "misranking_rate",
    "misranking_rates",
]

#: The metrics of `dyrland2022` figures 6 and 7, in the order of the table there.
PAPER_METRICS = ("recall", "precision", "balanced_accuracy", "mcc", "fowlkes_mallows", "f1",
                 "accuracy")  # fmt: skip
BLOCK = 1 << 17


class MisrankingRate(float):
    """Share of pairs ranked wrongly: a number that knows its standard error.

    Made by `misranking_rate`.

    Parameters
    ----------
    rate : float
        Between 0 and 1.
    n : int
        Number of pairs it was counted on.
    metric : str
        What ranked them.
    """

    __slots__ = ("metric", "n")
    metric: str
    n: int

    def __new__(cls, rate: float, *, n: int, metric: str) -> MisrankingRate:
        """A float with its circumstances."""
        self = super().__new__(cls, rate)
        self.n, self.metric = n, metric
        return self

    @property
    def rate(self) -> float:
        """The share itself."""
        return float(self)

    @property
    def standard_error(self) -> float:
        """Of the Monte Carlo, binomial."""
        return math.sqrt(self.rate * (1 - self.rate) / self.n)

    def __repr__(self) -> str:
        return (
            f"MisrankingRate({self.metric}: {100 * self.rate:.2f} % of {self.n} pairs, "
            f"standard error {100 * self.standard_error:.2f})"
        )

    __str__ = __repr__


@dataclass(frozen=True, slots=True)
class MisrankingTable:
    """Misranking rates of several metrics on the same pairs; made by `misranking_rates`.

    Parameters
    ----------
    rates : tuple of MisrankingRate
        One per metric.
    population : str
        The utilities and tables they were counted on.
    """

    rates: tuple[MisrankingRate, ...]
    population: str

    def __getitem__(self, metric: str) -> MisrankingRate:
        for rate in self.rates:
            if rate.metric == metric:
                return rate
        raise KeyError(f"no metric {metric!r}; there are {[r.metric for r in self.rates]}")

    def frame(self) -> Frame:
        """One row per metric, worst first: metric, rate, standard error."""
        ordered = sorted(self.rates, reverse=True)
        return Frame(
            {
                "metric": [rate.metric for rate in ordered],
                "rate": [rate.rate for rate in ordered],
                "standard_error": [rate.standard_error for rate in ordered],
            }
        )


def misranking_rate(
    metric: Any, *, utilities: Any = "uniform", confusions: Any = None, n: int = 10**6,
    rng: RandomSource = None, higher_is_better: bool | None = None,
) -> MisrankingRate:  # fmt: skip
    """How often a metric ranks two classifiers against their true utility.

    Draw a utility matrix and two tables of the same data; the pair is misranked unless the
    metric and the utility yield prefer the same table, strictly. Ties, and pairs with an
    undefined metric, count as misranked.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (K, M) array of counts, rows true
        classes. Counts are given per 1000 cases and may be fractional.
    utilities : str, Application, UncertainApplication, CostMatrix, array or callable
        What is truly at stake: "uniform" or "gaussian", the two populations of the paper;
        fixed costs; a distribution over costs and priors; (m, K, M) samples of costs to
        draw from; or a function ``(rng, n)`` that gives (n, K, M) costs.
    confusions : callable, sequence or mapping of ConfusionMatrix, optional
        A function ``(rng, n)`` that gives two (n, K, M) arrays of tables; or candidates of
        which pairs are drawn. By default the population of the paper: class shares uniform
        (or the priors of the application), rates 0.5 + 0.5 Beta(2, 1).
    n : int
        Number of pairs.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.

    Returns
    -------
    MisrankingRate
        A float between 0 and 1 with `standard_error`.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, section 4.2 and figures 6-7.

    Examples
    --------
    >>> rate = misranking_rate("f1", utilities="uniform", n=20_000, rng=0)
    >>> abs(rate - 0.097) < 4 * rate.standard_error
    True
    """
    counted = as_count_metric(
        metric, higher_is_better=higher_is_better, application=_application(utilities)
    )
    return _rates([counted], pair_source(utilities, confusions), n, rng)[0]


def misranking_rates(
    metrics: Iterable[Any] = PAPER_METRICS, *, utilities: Any = "uniform",
    confusions: Any = None, n: int = 10**6, rng: RandomSource = None,
) -> MisrankingTable:  # fmt: skip
    """Misranking rates of several metrics on the same pairs.

    Parameters
    ----------
    metrics : iterable
        Names or functions, as for `misranking_rate`; by default those of the paper.
    utilities, confusions, n, rng
        As for `misranking_rate`.

    Returns
    -------
    MisrankingTable
        The rates; `.frame()` sorts them, worst first.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, figure 6.

    Examples
    --------
    >>> table = misranking_rates(["f1", "accuracy"], n=20_000, rng=0)
    >>> bool(table["f1"] > table["accuracy"])
    True
    """
    app = _application(utilities)
    counted = [as_count_metric(metric, application=app) for metric in metrics]
    source = pair_source(utilities, confusions)
    return MisrankingTable(tuple(_rates(counted, source, n, rng)), source.description)


def _rates(
    metrics: list[CountMetric], source: PairSource, n: int, rng: RandomSource
) -> list[MisrankingRate]:
    """The share of misranked pairs for each metric."""
    generator = as_generator(rng)
    wrong = np.zeros(len(metrics))
    for size in block_sizes(n):
        gains, first, second = source.draw(generator, size)
        true_gap = kernels.yields(second - first, gains)
        for k, metric in enumerate(metrics):
            with np.errstate(invalid="ignore"):
                gap = metric.scores(1000 * second) - metric.scores(1000 * first)
            wrong[k] += kernels.misranked(true_gap, gap).sum()
    return [
        MisrankingRate(count / n, n=n, metric=metric.name)
        for count, metric in zip(wrong, metrics, strict=True)
    ]


def block_sizes(n: Any) -> Iterator[int]:
    """Sizes that add to n, small enough to stay in the cache."""
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise DataError(f"`n` must be a whole number, at least 1; got {n!r}.")
    for start in range(0, n, BLOCK):
        yield min(BLOCK, n - start)


def _application(utilities: Any) -> Application | None:
    """The application whose costs the metrics that need some take, if there is one."""
    if isinstance(utilities, UncertainApplication):
        return utilities.expected
    if isinstance(utilities, (Application, CostMatrix)):
        return as_application(utilities)
    return None
