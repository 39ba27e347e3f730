"""Numbers and shares that are not known exactly: a range, alternatives, a distribution, samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from stakes._checks import as_priors, as_whole, frozen, keep_numbers
from stakes._columns import as_reals
from stakes._random import as_generator
from stakes.exceptions import CostError
from stakes.typing import FloatArray


@runtime_checkable
class Unknown(Protocol):
    """The methods that `Between`, `Alternatives` and the like have.

    `low` and `high` bound the number; `mean` is its expectation; `sample` draws it.
    """

    @property
    def low(self) -> float:
        """The least it can be."""

    @property
    def high(self) -> float:
        """The most it can be."""

    @property
    def mean(self) -> float:
        """What it is on average."""

    def sample(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw it `draws` times."""


def equal_or_given(probabilities: Any, size: int, name: str) -> FloatArray:
    """The probabilities of `size` possibilities; all equal where none are given."""
    given = [1 / size] * size if probabilities is None else probabilities
    return as_priors(given, range(size), name)


def _sampling(draws: Any, rng: Any) -> tuple[int, np.random.Generator]:
    """The number of draws and the generator, checked."""
    return as_whole(draws, "draws", least=0), as_generator(rng)


def _column(values: Any, name: str) -> list[float]:
    """A list of numbers, as floats."""
    column = as_reals(values, name, CostError)
    if column.ndim != 1:
        raise CostError(f"`{name}` must be a list of numbers; got shape {column.shape}.")
    return [float(value) for value in column]


def _log_uniform_mean(low: float, high: float) -> float:
    """Mean of a number whose logarithm is uniform."""
    width = math.log(high / low)
    return low if width == 0 else low * math.expm1(width) / width


@dataclass(frozen=True, slots=True)
class Between:
    """A number between two ends, about which nothing else is known.

    Worst cases need the ends only. Where an average is asked for, a range of one sign counts
    as uniform in its logarithm (a factor of two counts the same anywhere), any other range
    as uniform.

    Parameters
    ----------
    low, high : float
        The ends, both included.

    Examples
    --------
    >>> Between(5, 20).mean
    10.82021280...
    >>> Between(-1, 3).mean
    1.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        keep_numbers(self, "low", "high", error=CostError)
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise CostError(f"a range needs two finite ends, the lower first; got {self}.")

    @property
    def _is_logarithmic(self) -> bool:
        """Whether both ends have the same sign."""
        return self.low > 0 or self.high < 0

    @property
    def _sizes(self) -> list[float]:
        """The ends without their sign, the smaller first."""
        return sorted((abs(self.low), abs(self.high)))

    @property
    def mean(self) -> float:
        """What it is on average."""
        if not self._is_logarithmic:
            return (self.low + self.high) / 2
        return math.copysign(_log_uniform_mean(*self._sizes), self.low)

    def sample(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw it `draws` times."""
        if not self._is_logarithmic:
            size, random = _sampling(draws, rng)
            return random.uniform(self.low, self.high, size)
        sizes = LogUniform(*self._sizes).sample(draws, rng)
        return np.asarray(np.copysign(sizes, self.low))


@dataclass(frozen=True, slots=True)
class LogUniform:
    """A positive number whose logarithm is uniform between two ends.

    Parameters
    ----------
    low, high : float
        The ends, both positive.

    Examples
    --------
    >>> round(LogUniform(1, 100).mean, 4)
    21.4976
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        keep_numbers(self, "low", "high", error=CostError)
        if not 0 < self.low <= self.high < math.inf:
            raise CostError(f"needs 0 < low <= high; got {self.low!r} and {self.high!r}.")

    @property
    def mean(self) -> float:
        """What it is on average."""
        return _log_uniform_mean(self.low, self.high)

    def sample(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw it `draws` times."""
        size, random = _sampling(draws, rng)
        return np.asarray(np.exp(random.uniform(math.log(self.low), math.log(self.high), size)))


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several numbers, each with a probability.

    Parameters
    ----------
    values : sequence of float
        What it may be.
    probabilities : sequence of float, optional
        Adding to 1; equal ones if absent.

    Examples
    --------
    >>> Alternatives([5, 15], [0.25, 0.75]).mean
    12.5
    """

    values: Sequence[float]
    probabilities: Sequence[float] | None = None

    def __post_init__(self) -> None:
        values = tuple(_column(self.values, "values"))
        if not values or not all(map(math.isfinite, values)):
            raise CostError(f"`values` must be one or more finite numbers; got {values}.")
        checked = equal_or_given(self.probabilities, len(values), "probabilities")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "probabilities", tuple(checked.tolist()))

    @property
    def low(self) -> float:
        """The least it can be."""
        return min(self.values)

    @property
    def high(self) -> float:
        """The most it can be."""
        return max(self.values)

    @property
    def mean(self) -> float:
        """What it is on average."""
        assert self.probabilities is not None
        return math.fsum(v * p for v, p in zip(self.values, self.probabilities, strict=True))

    def sample(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw it `draws` times."""
        assert self.probabilities is not None
        shares = np.asarray(self.probabilities) / math.fsum(self.probabilities)
        size, random = _sampling(draws, rng)
        return np.asarray(random.choice(np.asarray(self.values), size=size, p=shares))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Samples:
    """A number given by draws from any distribution.

    Parameters
    ----------
    values : array-like
        The draws.

    Examples
    --------
    >>> Samples([5, 10, 15]).mean
    10.0
    """

    values: Any

    def __post_init__(self) -> None:
        values = as_reals(self.values, "values", CostError)
        if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
            raise CostError(f"`values` must be a column of finite numbers; got {values.shape}.")
        object.__setattr__(self, "values", frozen(values))

    @property
    def low(self) -> float:
        """The least of the draws."""
        return float(self.values.min())

    @property
    def high(self) -> float:
        """The greatest of the draws."""
        return float(self.values.max())

    @property
    def mean(self) -> float:
        """Their average."""
        return float(self.values.mean())

    def sample(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw from them `draws` times, with replacement."""
        size, random = _sampling(draws, rng)
        return np.asarray(random.choice(self.values, size=size))

    def __repr__(self) -> str:
        return f"Samples({self.values.size} draws from {self.low:g} to {self.high:g})"


@dataclass(frozen=True, slots=True)
class BetaShare:
    """A share with a Beta distribution, such as a prevalence or a cost weight.

    Parameters
    ----------
    alpha, beta : float
        Both positive; with a sample of k positives in n cases, k + 1 and n - k + 1.

    Examples
    --------
    >>> BetaShare(9, 1).mean
    0.9
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        keep_numbers(self, "alpha", "beta", error=CostError)
        if not (0 < self.alpha < math.inf and 0 < self.beta < math.inf):
            raise CostError(f"`alpha` and `beta` must be positive; got {self}.")

    @property
    def low(self) -> float:
        """The least it can be."""
        return 0.0

    @property
    def high(self) -> float:
        """The most it can be."""
        return 1.0

    @property
    def mean(self) -> float:
        """What it is on average."""
        return self.alpha / (self.alpha + self.beta)

    def sample(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw it `draws` times."""
        size, random = _sampling(draws, rng)
        return random.beta(self.alpha, self.beta, size)


@dataclass(frozen=True, slots=True)
class DirichletShares:
    """Class shares with a Dirichlet distribution, for `UncertainApplication`'s `priors`.

    Parameters
    ----------
    concentration : sequence of float
        One positive number per class; the count of each class in a sample, plus one.

    Examples
    --------
    >>> DirichletShares([8, 1, 1]).mean.tolist()
    [0.8, 0.1, 0.1]
    """

    concentration: Sequence[float]

    def __post_init__(self) -> None:
        values = tuple(_column(self.concentration, "concentration"))
        if not values or not all(0 < value < math.inf for value in values):
            raise CostError(f"`concentration` must be positive numbers; got {values}.")
        object.__setattr__(self, "concentration", values)

    @property
    def mean(self) -> FloatArray:
        """The shares on average."""
        values = np.asarray(self.concentration)
        return np.asarray(values / values.sum())

    def sample(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw them `draws` times, one row per draw."""
        size, random = _sampling(draws, rng)
        return random.dirichlet(self.concentration, size)
