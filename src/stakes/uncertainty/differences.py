"""Difference: how much more one system costs than another, with its uncertainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from stakes._checks import as_number
from stakes._kernels.fast_loops import ordinary_scale
from stakes._kernels.interval_ends import normal_quantile, skewed_quantiles, student_limits
from stakes._kernels.permutation import paired_p_value
from stakes.exceptions import DataError
from stakes.summaries import PairedCounts
from stakes.typing import FloatArray, Name
from stakes.uncertainty.intervals.linear_costs import Stakes


@dataclass(frozen=True)
class Difference:
    """Cost of `first` minus cost of `second`; negative when `first` is cheaper.

    Part of what `compare` returns.

    Parameters
    ----------
    first, second : name
        The two systems.
    value, low, high : float
        The difference and its interval.
    p_value : float
        Of the exact paired test; of the score test across data sets.
    adjusted : float
        The same after Holm's correction for all pairs compared.
    exact : bool
        Whether all outcomes of the test were listed.
    level : float
        Of the interval.
    equivalent : bool or None
        Whether the difference is surely within the margin, if one was given.
    cases_needed : float
        About how many cases would make a difference of this size significant.
    better : str
        The word for the system of the lower value: "cheaper", or "better by" a metric.
    """

    first: Name
    second: Name
    value: float
    low: float
    high: float
    p_value: float
    adjusted: float
    exact: bool
    level: float
    equivalent: bool | None
    cases_needed: float
    better: str = "cheaper"

    @property
    def decided(self) -> bool:
        """Whether the interval excludes zero."""
        return bool(self.low > 0 or self.high < 0)

    @property
    def cheaper(self) -> Name | None:
        """The cheaper system, or None if the difference is not significant."""
        if not self.decided:
            return None
        return self.first if self.high < 0 else self.second

    def turned(self) -> Difference:
        """The same with the two systems in the other order."""
        turned = replace(self, first=self.second, second=self.first, value=-self.value)
        return replace(turned, low=-self.high, high=-self.low)

    def __str__(self) -> str:
        if self.decided:
            limits = f"({self.low:.4g} to {self.high:.4g})"
            return f"{self.cheaper} is {self.better}: {self.value:.4g} {limits}"
        text = (
            f"{self.first} or {self.second}: the data cannot tell them apart "
            f"(difference {self.value:.4g}, {self.low:.4g} to {self.high:.4g}"
        )
        if np.isfinite(self.cases_needed):
            text += f"; about {rounded_up(self.cases_needed):,} cases needed".replace(",", " ")
        return text + ")"


def rounded_up(cases: float) -> int:
    """A number of cases, rounded up to two digits."""
    if cases <= 0:
        return 0
    unit = 10 ** max(int(np.floor(np.log10(cases))) - 1, 0)
    return int(np.ceil(cases / unit) * unit)


def paired_p(
    two: PairedCounts, stakes: Stakes, rng: np.random.Generator, *, normalized: bool
) -> tuple[float, bool]:
    """The exact paired test of two systems: its p-value, and whether all outcomes were listed."""
    found: dict[tuple[int, int, int], list[float]] = {}
    for (k, a, b), count in zip(two.cells.tolist(), two.counts.tolist(), strict=True):
        if a != b:
            place = found.setdefault((k, min(a, b), max(a, b)), [0.0, 0.0])
            place[0 if a < b else 1] += count
    wins, losses = ([int(sides[k]) for sides in found.values()] for k in (0, 1))
    cells = {(k, j) for k, *both in found for j in both}
    weights, rounded = stakes.written_weights(cells, normalized=normalized)
    sizes = [weights[k, a] - weights[k, b] for k, a, b in found]
    if stakes.with_priors:
        totals = [max(Fraction(n), Fraction(1)) for n in two.class_totals.tolist()]
        sizes = [size / totals[k] for size, (k, _, _) in zip(sizes, found, strict=True)]
    given = [float(size) for size in sizes] if rounded else sizes
    return paired_p_value(wins, losses, given, draws=20_000, rng=rng)


def holm(p_values: Any) -> Any:
    """Holm's adjustment: the family-wise error stays below the level whatever the dependence."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = values.shape[0] - np.arange(values.shape[0])
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * factors))
    return adjusted


def as_margin(margin: Any) -> float | None:
    """A difference that does not matter, if one was given."""
    if margin is None:
        return None
    number = as_number(margin, "margin")
    if not 0 <= number < np.inf:
        raise DataError(
            f"`margin` must be finite and not negative; got {margin!r}.", hint="margin=0.05"
        )
    return number


@dataclass(frozen=True, eq=False)
class Gap:
    """A difference of two systems before it is judged at a level.

    `limits` gives the ends of its interval at a level. `law` gives its quantiles at shares, or
    numbers on the same side of zero. `error` is its standard error, on `cases` cases.
    """

    first: Name
    second: Name
    value: float
    error: float
    limits: Callable[[float], tuple[float, float]]
    p_value: float
    cases: float
    law: Callable[[FloatArray], FloatArray]
    exact: bool = False

    def at(
        self, level: float, *, reach: float | None = None, margin: float | None = None
    ) -> Difference:
        """The difference at a level, with the interval of another one, `reach`, if given."""
        low, high = self.limits(level if reach is None else reach)
        equivalent = None
        if margin is not None:
            inner = self.limits(max(2 * level - 1, 1e-9))
            equivalent = bool(-margin < inner[0] and inner[1] < margin)
        z, p = normal_quantile(level), self.p_value
        needed = np.inf if self.value == 0 else self.cases * (z * self.error / self.value) ** 2
        return Difference(
            self.first, self.second, self.value, low, high, p, p, self.exact, level, equivalent,
            needed,
        )  # fmt: skip


def student_gap(
    first: Name, second: Name, value: float, error: float, freedom: float, cases: float
) -> Gap:
    """A difference judged by Student's t."""
    limits = partial(student_limits, value, error, freedom=freedom)
    p_value, law = two_sided(value, error, freedom), normal_law(value, error, freedom)
    return Gap(first, second, value, error, limits, p_value, cases, law)


def normal_law(
    value: float, error: float, freedom: float = np.inf
) -> Callable[[FloatArray], FloatArray]:
    """Quantiles of Student's t around a value; of the normal law without degrees of freedom."""
    return partial(skewed_quantiles, value, error, 0.0, freedom=freedom)


def drawn_law(values: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """The law whose quantiles are those of draws."""
    return partial(_quantiles, np.sort(values))


def _quantiles(ordered: FloatArray, shares: FloatArray) -> FloatArray:
    """Like `numpy.quantile`, which is slow for thousands of shares."""
    places = np.arange(len(ordered))
    return np.asarray(np.interp(shares * (len(ordered) - 1), places, ordered))


def score_law(value: float, error: float, score: float) -> Callable[[FloatArray], FloatArray]:
    """The normal law that is below zero with the probability of the score test."""
    return normal_law(value, abs(value / score) if score and value else error)


def group_gap(
    first: Name, second: Name, value: float, draws: FloatArray, groups: float, cases: float
) -> Gap:
    """A difference from draws of whole groups; `groups` is their effective number."""
    unit = ordinary_scale(draws)
    error = unit * float(np.nanstd(draws / unit, ddof=1))
    return student_gap(first, second, value, error, max(groups - 1, 1), cases)


def two_sided(value: float, error: float, freedom: float) -> float:
    """Two-sided p-value of Student's t, normal when the degrees of freedom are infinite."""
    from scipy.special import ndtr, stdtr

    if error <= 0:
        return float(value == 0)
    z = -abs(value) / error
    return float(2 * (ndtr(z) if np.isinf(freedom) else stdtr(freedom, z)))


def adjusted(differences: list[Difference]) -> list[Difference]:
    """Holm's correction over all pairs."""
    values = holm([d.p_value for d in differences])
    return [replace(d, adjusted=float(p)) for d, p in zip(differences, values, strict=True)]
