"""How sure the costs of systems are when each case has its own costs, by draws of the cases."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from stakes._kernels.interval_ends import skewed_limits, skewed_p_value
from stakes.engines.array_reduction import MOST_COMPARED
from stakes.evaluation.model_rows import Cases, Rows
from stakes.typing import FloatArray
from stakes.uncertainty import Comparison, Difference
from stakes.uncertainty.comparison import shares_best
from stakes.uncertainty.differences import adjusted
from stakes.uncertainty.intervals.interval import Replicates

#: Draws for few cases, and the amount of work at which they become fewer.
MOST_DRAWS, LEAST_DRAWS, WORK = 2000, 500, 3e7


@dataclass(frozen=True, slots=True, eq=False)
class CaseDraws:
    """How sure the NECs of systems are: draws of them, and what each case moves them by.

    `replicates` are draws (n_draws, n_systems), `moves` (n_units, n_systems) what each case, or
    group, adds to an estimate; `strata` tells which units are drawn apart, None if none are.
    """

    replicates: Replicates
    nec: FloatArray
    moves: FloatArray
    strata: Any
    level: float

    def interval(self, place: int) -> tuple[float, float]:
        """The interval of one system's NEC."""
        error, skewness, freedom = self.spread(self.moves[:, place])
        low, high = skewed_limits(float(self.nec[place]), error, skewness, self.level, freedom)
        return max(float(low), 0.0), float(high)

    def spread(self, moves: FloatArray) -> tuple[float, float, float]:
        """Standard error and skewness of an estimate, and degrees of freedom (Welch's)."""
        strata = np.zeros(moves.shape[0], dtype=np.intp) if self.strata is None else self.strata
        size = float(np.abs(moves).max(initial=0.0))
        if size <= 0:
            return 0.0, 0.0, np.inf
        scaled = moves / size
        units = np.bincount(strata)
        left = np.maximum(units - 1.0, 1.0)
        parts = np.bincount(strata, scaled**2) * units / left
        total = float(parts.sum())
        skewness = float((scaled**3).sum()) / float((scaled**2).sum()) ** 1.5
        return size * float(np.sqrt(total)), skewness, total**2 / float((parts**2 / left).sum())


def nec_draws(
    excess: FloatArray, constant: FloatArray, rows: Rows, options: dict[str, Any]
) -> CaseDraws | None:
    """How sure NECs are; None when there are too few cases of a class.

    `excess` is what each system costs above the cheapest decision of each case, `constant`
    what each constant decision costs above it.
    """
    cases, priors = rows.cases, rows.given.priors
    counts = cases.counted
    if counts[counts > 0].min() < options["min_cases"]:
        return None
    if cases.weights is not None and (kept := cases.weights > 0).sum() < kept.size:
        groups = None if cases.groups is None else cases.groups[kept]
        cases = Cases(cases.truth[kept], cases.weights[kept], groups, cases.priors)
        excess, constant = excess[kept], constant[kept]
    sums, units = _by_unit(excess, constant, cases, len(counts))
    apart = None if cases.groups is not None or priors is None else cases.truth
    size = int(np.clip(WORK / sums.shape[0], LEAST_DRAWS, MOST_DRAWS))
    shape = (len(counts), 1 + excess.shape[1] + constant.shape[1])

    def statistic(totals: FloatArray) -> FloatArray:
        parts = totals.reshape(-1, *shape)
        weights = parts[:, :, :1]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(weights > 0, parts[:, :, 1:] / weights, 0.0)
        shares = weights[:, :, 0] / weights.sum(axis=1) if priors is None else priors[None]
        costs = np.einsum("rk,rks->rs", np.broadcast_to(shares, weights.shape[:2]), means)
        naive = costs[:, excess.shape[1] :].min(axis=1)
        return np.asarray(costs[:, : excess.shape[1]] / naive[:, None])

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        found = []
        for start in range(0, size, 50):
            weights = generator.standard_exponential((min(50, size - start), units))
            if apart is not None:  # every class keeps its number of cases
                for k in np.unique(apart):
                    inside = apart == k
                    weights[:, inside] /= weights[:, inside].mean(axis=1)[:, None]
            found.append(weights @ sums)
        return statistic(np.concatenate(found))

    drawn = Replicates.drawn(draw, size, options["rng"])
    nec = statistic(sums.sum(axis=0)[None])[0]
    moves = _moves(sums.reshape(-1, *shape), priors, nec)
    return CaseDraws(drawn, nec, moves, apart, options["level"])


def _moves(parts: FloatArray, priors: FloatArray | None, nec: FloatArray) -> FloatArray:
    """What each unit adds to the NEC of each system, to first order, the naive decision fixed.

    `parts` (n_units, n_classes, 1 + figures) holds weights, then costs of the systems, then of the
    constant decisions. With priors, means are taken class by class.
    """
    sums = parts if priors is not None else parts.sum(axis=1, keepdims=True)
    weights, totals = sums[:, :, 0], sums.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(totals[:, :1] > 0, totals[:, 1:] / totals[:, :1], 0.0)
        scale = np.where(totals[:, 0] > 0, 1 / totals[:, 0], 0.0)
    shares = np.ones(1) if priors is None else priors
    around = np.zeros((sums.shape[0], means.shape[1]))
    for k, factor in enumerate((shares * scale).tolist()):  # no second table of all classes
        around += factor * (sums[:, k, 1:] - weights[:, k, None] * means[k])
    costs = shares @ means
    naive = nec.shape[0] + int(np.argmin(costs[nec.shape[0] :]))
    own = around[:, : nec.shape[0]] - around[:, naive : naive + 1] * nec
    return np.asarray(own / costs[naive])


def _by_unit(
    excess: FloatArray, constant: FloatArray, cases: Cases, n_classes: int
) -> tuple[FloatArray, int]:
    """Weights and costs by class, summed over each case or group: (n_units, classes x figures)."""
    n_cases = cases.truth.shape[0]
    weights = np.ones(n_cases) if cases.weights is None else cases.weights
    figures = np.column_stack([np.ones(n_cases), excess, constant]) * weights[:, None]
    table = np.zeros((n_cases, n_classes, figures.shape[1]))
    table[np.arange(n_cases), cases.truth] = figures
    flat = table.reshape(n_cases, -1)
    if cases.groups is None:
        return flat, n_cases
    names, place = np.unique(cases.groups, return_inverse=True)
    sums = np.zeros((names.shape[0], flat.shape[1]))
    np.add.at(sums, place.reshape(-1), flat)
    return sums, names.shape[0]


def compared_by_case(names: list[str], draws: CaseDraws | None, n_cases: int) -> Comparison | None:
    """Every pair of systems on the same cases, by NEC."""
    if draws is None or not 2 <= len(names) <= MOST_COMPARED:
        return None
    values = draws.replicates.values
    pairs = [
        tuple(sorted(pair, key=lambda k: draws.nec[k]))
        for pair in combinations(range(len(names)), 2)
    ]
    found = [_difference(names, a, b, draws, n_cases) for a, b in pairs]
    return Comparison(
        tuple(names), draws.nec, shares_best(values), tuple(adjusted(found)), (), False,
        draws.replicates,
    )  # fmt: skip


def _difference(names: list[str], a: int, b: int, draws: CaseDraws, n_cases: int) -> Difference:
    """One pair, with the interval of its difference."""
    value = float(draws.nec[a] - draws.nec[b])
    error, skewness, freedom = draws.spread(draws.moves[:, a] - draws.moves[:, b])
    low, high = skewed_limits(value, error, skewness, draws.level, freedom)
    p_value = skewed_p_value(value, error, skewness, freedom)
    needed = np.inf if value == 0 else n_cases * ((high - low) / 2 / value) ** 2
    return Difference(
        names[a], names[b], value, low, high, p_value, p_value, False, draws.level, None, needed
    )
