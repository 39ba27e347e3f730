"""How often a metric, or a wrong cost, picks the wrong one of two classifiers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from stakes._checks import as_number, as_whole, of_kind
from stakes._columns import as_reals
from stakes._guesses import AnswersGuesses
from stakes._kernels import rankings as kernels
from stakes._random import as_generator
from stakes.application import Application, CostMatrix, UncertainApplication, as_application
from stakes.application.uncertain import settled
from stakes.audit.count_metric import CountMetric, as_count_metric
from stakes.exceptions import CostError, DataError
from stakes.messages.steps import steps
from stakes.metrics.counts.table_cells import as_table
from stakes.results import Frame, frame_of
from stakes.typing import FloatArray, RandomSource

Draw: TypeAlias = Callable[[np.random.Generator, int], Any]
Tables: TypeAlias = Callable[[np.random.Generator, int, Any], tuple[FloatArray, FloatArray]]


class PairSource(NamedTuple):
    """Where utilities and pairs of tables come from; made by `_pair_source`.

    `stakes` takes a generator and a number n, and returns (n, K, M) costs and (n, K) class shares,
    or None for shares that the tables choose; `tables` takes a generator, n and the shares, and
    returns two (n, K, M) arrays of tables in shares of all cases.
    """

    stakes: Draw
    tables: Tables
    description: str

    def draw(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Utilities and two tables, n of each."""
        costs, priors = self.stakes(rng, n)
        first, second = self.tables(rng, n, priors)
        if np.shape(costs)[-2:] != first.shape[-2:] or first.shape != second.shape:
            raise DataError(
                f"costs and tables must have the same shape; got {np.shape(costs)[-2:]}, "
                f"{first.shape} and {second.shape}."
            )
        return np.broadcast_to(-np.asarray(costs), first.shape), first, second


def _pair_source(utilities: Any = "uniform", confusions: Any = None) -> PairSource:
    """The population meant by the arguments of `misranking_rate`."""
    stakes, shape, words = _stakes(utilities)
    if callable(confusions):
        return PairSource(stakes, _drawn(confusions), f"{words}, your tables")
    if confusions is not None:
        return PairSource(stakes, _among(confusions), f"{words}, your candidates")
    if shape[1] < shape[0]:
        raise CostError(
            f"good classifiers need a right decision for each class; there are {shape[0]} classes "
            f"and {shape[1]} decisions.",
            hint="confusions=[...] for tables of your own",
        )
    return PairSource(
        stakes,
        lambda rng, n, priors: kernels.random_tables(n, *shape, rng, priors),
        f"{words}, good classifiers",
    )


def _stakes(utilities: Any) -> tuple[Draw, tuple[int, int], str]:
    """A way to draw costs and class shares, the shape of the costs, and words."""
    if isinstance(utilities, str):
        kinds = {"uniform": kernels.uniform_utilities,
                 "gaussian": kernels.truncated_normal_utilities}  # fmt: skip
        if utilities not in kinds:
            raise CostError(
                "`utilities` must be 'uniform', 'gaussian', an application, costs, samples of "
                f"costs or a function; got {utilities!r}."
            )
        return lambda rng, n: (-kinds[utilities](n, rng), None), (2, 2), f"{utilities} utilities"
    if isinstance(utilities, (CostMatrix, Application)):
        app = as_application(utilities)
        return lambda rng, n: (app.costs.values[None], app.priors), app.costs.shape, "your costs"
    if isinstance(utilities, UncertainApplication):
        uncertain = utilities

        def possible(rng: np.random.Generator, n: int) -> Any:
            draws = uncertain.sample(n, rng=rng)
            return draws.costs, draws.priors

        shape = len(uncertain.classes), len(uncertain.decisions)
        return possible, shape, "your uncertain application"
    if callable(utilities):
        given = utilities
        found = np.shape(_called(given, np.random.default_rng(0), 1))
        if len(found) != 3:
            raise CostError(f"`utilities` must draw costs of shape (n, K, M); got shape {found}.")
        return lambda rng, n: (given(rng, n), None), (found[-2], found[-1]), "your costs"
    samples = _samples(utilities)
    shape = samples.shape[1], samples.shape[2]
    return lambda rng, n: (rng.choice(samples, n), None), shape, "your samples of costs"


def _samples(costs: Any) -> FloatArray:
    """(m, K, M) samples of costs from an array or a sequence of matrices."""
    values = [
        c.values if isinstance(c, CostMatrix) else c for c in of_kind(costs, "utilities", Iterable)
    ]
    array = as_reals(values, "costs", CostError)
    if array.ndim == 2 and min(array.shape) > 1:  # one table of costs
        array = array[None]
    if array.ndim != 3 or array.shape[0] == 0 or not np.isfinite(array).all():
        raise CostError(
            f"samples of costs must be finite and of shape (m, K, M); got {array.shape}."
        )
    return array


def _called(draw: Any, rng: np.random.Generator, n: int) -> Any:
    """What a user's function draws; raise if it cannot be called that way."""
    try:
        return draw(rng, n)
    except TypeError as error:
        raise DataError(f"a function that draws must take (rng, n); {error}.") from error


def _drawn(draw: Draw) -> Tables:
    """A user's tables as shares of all cases, with the class shares of the application."""

    def tables(rng: np.random.Generator, n: int, priors: Any) -> tuple[FloatArray, FloatArray]:
        first, second = (as_reals(part, "confusions") for part in _called(draw, rng, n))
        if first.shape != second.shape or not np.allclose(first.sum(axis=2), second.sum(axis=2)):
            raise DataError("both tables of a pair must have the same class totals.")
        return _shared(first, priors), _shared(second, priors)

    return tables


def _among(candidates: Any) -> Tables:
    """Pairs drawn from given tables, two different ones each time."""
    given = candidates.values() if isinstance(candidates, Mapping) else candidates
    found = [as_table(table) for table in of_kind(given, "confusions", Iterable)]
    if len(found) < 2:
        raise DataError("`confusions` must hold at least two candidates.")
    if len({table.counts.shape for table in found}) > 1:
        raise DataError("`confusions` must have the same classes and decisions.")
    shares = np.stack([table.counts / table.total for table in found])
    if not np.allclose(shares.sum(axis=2), shares[0].sum(axis=1)):
        raise DataError("`confusions` must describe the same data: their class shares differ.")

    def tables(rng: np.random.Generator, n: int, priors: Any) -> tuple[FloatArray, FloatArray]:
        first = rng.integers(0, shares.shape[0], n)
        second = (first + rng.integers(1, shares.shape[0], n)) % shares.shape[0]
        return _shared(shares[first], priors), _shared(shares[second], priors)

    return tables


def _shared(tables: FloatArray, priors: Any) -> FloatArray:
    """Tables in shares of all cases; with other class shares when they are given."""
    if priors is None:
        return np.asarray(tables / tables.sum(axis=(1, 2), keepdims=True))
    rates = tables / tables.sum(axis=2, keepdims=True)
    return np.asarray(np.broadcast_to(priors, rates.shape[:2])[:, :, None] * rates)


#: The metrics of `dyrland2022` figures 6 and 7, in the order of the table there.
_PAPER_METRICS = ("recall", "precision", "balanced_accuracy", "mcc", "fowlkes_mallows", "f1",
                 "accuracy")  # fmt: skip
_BLOCK = 1 << 17


class MisrankingRate(float):
    """Share of pairs ranked wrongly: a number with its standard error.

    Made by `misranking_rate`.

    Parameters
    ----------
    rate : float
        Between 0 and 1.
    draws : int
        Number of random pairs it was counted on.
    metric : str
        What ranked them.
    """

    __slots__ = ("draws", "metric")
    draws: int
    metric: str

    def __new__(cls, rate: float, *, draws: int, metric: str) -> MisrankingRate:
        """A float that keeps the number of draws and the name of the metric."""
        share, size = as_number(rate, "rate"), as_whole(draws, "draws")
        if not 0 <= share <= 1:
            raise DataError(f"`rate` must lie between 0 and 1; got {rate!r}.")
        self = super().__new__(cls, share)
        self.draws, self.metric = size, metric
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(MisrankingRate, draws=self.draws, metric=self.metric), (self.rate,)

    @property
    def rate(self) -> float:
        """The share itself."""
        return float(self)

    @property
    def standard_error(self) -> float:
        """Binomial standard error of the random draws."""
        return math.sqrt(self.rate * (1 - self.rate) / self.draws)

    def __repr__(self) -> str:
        return (
            f"MisrankingRate({self.metric}: {100 * self.rate:.2f} % of {self.draws} pairs, "
            f"standard error {100 * self.standard_error:.2f} %)"
        )

    __str__ = __repr__


@dataclass(frozen=True, slots=True)
class MisrankingTable(AnswersGuesses):
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
        rates = {rate.metric: rate for rate in self.rates}
        if metric not in rates:
            raise KeyError(f"no metric {metric!r}; there are {list(rates)}")
        return rates[metric]

    def frame(self) -> Frame:
        """One row per metric, worst first: metric, rate, standard error."""
        rows = [(r.metric, r.rate, r.standard_error) for r in sorted(self.rates, reverse=True)]
        return frame_of(("metric", "rate", "standard_error"), rows)


def misranking_rate(
    metric: Any, *, utilities: Any = "uniform", confusions: Any = None, draws: int = 10**6,
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
    draws : int
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
    >>> rate = misranking_rate("f1", utilities="uniform", draws=20_000, rng=0)
    >>> abs(rate - 0.097) < 4 * rate.standard_error
    True
    """
    counted = as_count_metric(
        metric, higher_is_better=higher_is_better, application=_application(utilities)
    )
    return _rates([counted], _pair_source(utilities, confusions), draws, rng)[0]


def misranking_rates(
    metrics: Iterable[Any] = _PAPER_METRICS, *, utilities: Any = "uniform",
    confusions: Any = None, draws: int = 10**6, rng: RandomSource = None,
) -> MisrankingTable:  # fmt: skip
    """Misranking rates of several metrics on the same pairs.

    Parameters
    ----------
    metrics : iterable
        Names or functions, as for `misranking_rate`; by default those of the paper.
    utilities, confusions, draws, rng
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
    >>> table = misranking_rates(["f1", "accuracy"], draws=20_000, rng=0)
    >>> bool(table["f1"] > table["accuracy"])
    True
    """
    app = _application(utilities)
    counted = [
        as_count_metric(metric, application=app) for metric in of_kind(metrics, "metrics", Iterable)
    ]
    source = _pair_source(utilities, confusions)
    return MisrankingTable(tuple(_rates(counted, source, draws, rng)), source.description)


def _rates(
    metrics: list[CountMetric], source: PairSource, n: int, rng: RandomSource
) -> list[MisrankingRate]:
    """The share of misranked pairs for each metric."""
    generator = as_generator(rng)
    wrong = np.zeros(len(metrics))
    for size in steps("ranking random pairs", _block_sizes(n)):
        gains, first, second = source.draw(generator, size)
        true_gap = kernels.yields(second - first, gains)
        for k, metric in enumerate(metrics):
            with np.errstate(invalid="ignore"):
                gap = metric.scores(1000 * second) - metric.scores(1000 * first)
            wrong[k] += kernels.misranked(true_gap, gap).sum()
    return [
        MisrankingRate(count / n, draws=n, metric=metric.name)
        for count, metric in zip(wrong, metrics, strict=True)
    ]


def _block_sizes(n: Any) -> Iterator[int]:
    """Sizes that add to n, small enough to stay in the cache."""
    if isinstance(n, float):
        raise DataError(f"`n` must be a whole number, at least 1; got {n!r}.")
    n = as_whole(n, "n")
    for start in range(0, n, _BLOCK):
        yield min(_BLOCK, n - start)


def _application(utilities: Any) -> Application | None:
    """The application that gives costs to metrics that need some; None if there is none."""
    known = isinstance(utilities, (Application, CostMatrix, UncertainApplication))
    return settled(utilities) if known else None


@dataclass(frozen=True, slots=True)
class ErrorCurve(AnswersGuesses):
    """Misranking by utilities that are off by some error; made by `misranking_by_error`.

    Parameters
    ----------
    nominal : ndarray
        Standard deviation of the error before it is cut off.
    realised : ndarray
        Standard deviation of the error that was left.
    rates, standard_errors : ndarray
        Share of pairs misranked.
    """

    nominal: FloatArray
    realised: FloatArray
    rates: FloatArray
    standard_errors: FloatArray

    def crossing(self, rate: float) -> float:
        """The realised error at which the wrong utilities misrank this share; `nan` if none."""
        rate = as_number(rate, "rate")
        above = np.flatnonzero((self.rates[:-1] <= rate) & (self.rates[1:] > rate))
        if above.size == 0:
            return math.nan
        k = int(above[0])
        part = (rate - self.rates[k]) / (self.rates[k + 1] - self.rates[k])
        return float(self.realised[k] + part * (self.realised[k + 1] - self.realised[k]))

    def frame(self) -> Frame:
        """One row per error: nominal, realised, rate, standard error."""
        columns = {"nominal": self.nominal, "realised": self.realised, "rate": self.rates}
        return Frame({**columns, "standard_error": self.standard_errors})


def misranking_by_error(
    errors: Any = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), *, utilities: Any = "uniform",
    confusions: Any = None, draws: int = 10**6, rng: RandomSource = None,
) -> ErrorCurve:  # fmt: skip
    """How often utilities with an error misrank, as a function of the error.

    Normal errors are added to all cells of the true utilities (scaled to [0, 1]) and drawn
    again until every cell lies in [0, 1] and no error is better than the right decision.

    Parameters
    ----------
    errors : sequence of float
        Standard deviations before that cut.
    utilities, confusions, draws, rng
        As for `misranking_rate`.

    Returns
    -------
    ErrorCurve
        With the standard deviation that is left, which is the axis of the paper's figure 7.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, figure 7.

    Examples
    --------
    >>> curve = misranking_by_error([0.0, 0.1], draws=20_000, rng=0)
    >>> float(curve.rates[0]), bool(curve.realised[1] < 0.1)
    (0.0, True)
    """
    nominal = np.sort(np.atleast_1d(as_reals(errors, "errors")))
    if nominal.ndim != 1 or not (np.isfinite(nominal) & (nominal >= 0)).all():
        raise DataError(f"`errors` must be a column of finite numbers from 0 on; got {errors!r}.")
    source = _pair_source(utilities, confusions)
    generator = as_generator(rng)
    wrong, squares = np.zeros(nominal.size), np.zeros(nominal.size)
    draws = as_whole(draws, "draws")
    for size in _block_sizes(draws):
        gains, first, second = source.draw(generator, size)
        scaled = _to_unit(gains)
        step = second - first
        true_gap = kernels.yields(step, scaled)
        for k, sd in enumerate(nominal):
            other = kernels.disturbed(scaled, float(sd), generator)
            wrong[k] += kernels.misranked(true_gap, kernels.yields(step, other)).sum()
            squares[k] += ((other - scaled) ** 2).sum() / scaled[0].size
    rates = wrong / draws
    errors = np.sqrt(rates * (1 - rates) / draws)
    return ErrorCurve(nominal, np.sqrt(squares / draws), rates, errors)


def _to_unit(gains: FloatArray) -> FloatArray:
    """Each utility matrix scaled to span 0 to 1."""
    low = gains.min(axis=(1, 2), keepdims=True)
    span = gains.max(axis=(1, 2), keepdims=True) - low
    return np.asarray((gains - low) / np.where(span > 0, span, 1.0))
