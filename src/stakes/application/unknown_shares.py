"""Shares that are known roughly: one share, or all classes together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stakes._columns import as_reals
from stakes.exceptions import CostError
from stakes.typing import FloatArray

__all__ = ["BetaShare", "DirichletShares"]


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

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw it `n` times."""
        return rng.beta(self.alpha, self.beta, n)


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
        values = tuple(as_reals(self.concentration, "concentration", CostError).tolist())
        if not values or not all(0 < value < math.inf for value in values):
            raise CostError(f"`concentration` must be positive numbers; got {values}.")
        object.__setattr__(self, "concentration", values)

    @property
    def mean(self) -> FloatArray:
        """The shares on average."""
        values = np.asarray(self.concentration)
        return np.asarray(values / values.sum())

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw them `n` times, one row per draw."""
        return rng.dirichlet(self.concentration, n)
