"""Populations of utilities and of tables to draw pairs of classifiers from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from stakes._columns import as_reals
from stakes._kernels import misranking as kernels
from stakes.application import Application, CostMatrix, UncertainApplication
from stakes.exceptions import CostError, DataError
from stakes.metrics.tables import as_table
from stakes.typing import FloatArray

__all__ = ["PairSource", "pair_source"]

Draw: TypeAlias = Callable[[np.random.Generator, int], Any]


@dataclass(frozen=True)
class PairSource:
    """Where utilities and pairs of tables come from; made by `pair_source`.

    Parameters
    ----------
    stakes : callable
        From a generator and a number n to (n, K, M) costs and (n, K) class shares, or None
        for shares that the tables choose.
    tables : callable
        From a generator, a number n and the class shares to two (n, K, M) arrays of tables
        in shares of all cases.
    description : str
        For people.
    """

    stakes: Draw
    tables: Callable[..., tuple[FloatArray, FloatArray]]
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


def pair_source(utilities: Any = "uniform", confusions: Any = None) -> PairSource:
    """The population meant by the arguments of `misranking_rate`."""
    stakes, shape, words = _stakes(utilities)
    if confusions is None:

        def tables(rng: np.random.Generator, n: int, priors: Any) -> Any:
            return kernels.random_tables(n, *shape, rng, priors)

        return PairSource(stakes, tables, f"{words}, good classifiers")
    if callable(confusions):
        return PairSource(stakes, _drawn(confusions), f"{words}, your tables")
    return PairSource(stakes, _among(confusions), f"{words}, your candidates")


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
    if isinstance(utilities, CostMatrix):
        utilities = Application(utilities)
    if isinstance(utilities, Application):
        costs, priors = utilities.costs.values, utilities.priors
        return lambda rng, n: (costs[None], priors), utilities.costs.shape, "your costs"
    if isinstance(utilities, UncertainApplication):
        uncertain = utilities

        def possible(rng: np.random.Generator, n: int) -> Any:
            draws = uncertain.sample(n, rng=rng)
            return draws.costs, draws.priors

        shape = len(uncertain.classes), len(uncertain.decisions)
        return possible, shape, "your uncertain application"
    if callable(utilities):
        given = utilities
        found = np.shape(given(np.random.default_rng(0), 1))
        return lambda rng, n: (given(rng, n), None), (found[-2], found[-1]), "your costs"
    samples = _samples(utilities)
    return (
        lambda rng, n: (samples[rng.integers(0, samples.shape[0], n)], None),
        (samples.shape[1], samples.shape[2]),
        "your samples of costs",
    )


def _samples(costs: Any) -> FloatArray:
    """(m, K, M) samples of costs from an array or a sequence of matrices."""
    values = [c.values if isinstance(c, CostMatrix) else c for c in costs]
    array = as_reals(values, "costs", CostError)
    if array.ndim != 3 or array.shape[0] == 0 or not np.isfinite(array).all():
        raise CostError(
            f"samples of costs must be finite and of shape (m, K, M); got {array.shape}."
        )
    return array


def _drawn(draw: Draw) -> Callable[..., tuple[FloatArray, FloatArray]]:
    """A user's tables as shares of all cases, with the class shares of the application."""

    def tables(rng: np.random.Generator, n: int, priors: Any) -> tuple[FloatArray, FloatArray]:
        first, second = (np.asarray(part, dtype=np.float64) for part in draw(rng, n))
        if first.shape != second.shape or not np.allclose(first.sum(axis=2), second.sum(axis=2)):
            raise DataError("both tables of a pair must have the same class totals.")
        return _shared(first, priors), _shared(second, priors)

    return tables


def _among(candidates: Any) -> Callable[..., tuple[FloatArray, FloatArray]]:
    """Pairs drawn from given tables, two different ones each time."""
    given = candidates.values() if isinstance(candidates, Mapping) else candidates
    found = [as_table(table) for table in given]
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
