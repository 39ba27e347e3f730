"""How sure costs are, which differences are real, and where the choice changes.

Of models on the same cases, of counts that share none, and of cases with costs of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.special import ndtr

from stakes._kernels.fast_loops import ordinary_scale
from stakes._kernels.interval_ends import skewed_limits, skewed_p_value, skewed_quantiles
from stakes._names import as_positions
from stakes.application import Application
from stakes.curves import switch_points
from stakes.engines.array_reduction import MOST_COMPARED
from stakes.evaluation.model_evaluation import Figures, Stretch
from stakes.evaluation.model_rows import Cases, Rows
from stakes.evaluation.recalibration import Judged, Sources, Variant
from stakes.metrics import normalized_expected_cost
from stakes.results import as_ends
from stakes.summaries import ConfusionMatrix, GroupedCounts, PairedCounts, ScoreCounts
from stakes.typing import FloatArray
from stakes.uncertainty import (
    Comparison,
    Difference,
    best_ranges,
    compare,
    interval,
    weighted_interval,
)
from stakes.uncertainty.comparison import probabilities_best
from stakes.uncertainty.differences import adjusted
from stakes.uncertainty.intervals.case_rows import CaseRows
from stakes.uncertainty.intervals.interval import Replicates


def joint_rows(codes: Mapping[str, Any], cases: Cases, app: Application) -> Any:
    """Joint counts of several systems, by group where there are groups; rows where they weigh."""
    names: dict[str, Any] = {"classes": app.classes, "decision_names": app.decisions}
    codes = {name: as_positions(chosen) for name, chosen in codes.items()}
    if cases.weights is not None:
        return CaseRows.from_decisions(
            cases.truth, codes, sample_weight=cases.weights, groups=cases.groups, application=app
        )
    if cases.groups is None:
        return PairedCounts.from_decisions(cases.truth, codes, **names)
    return GroupedCounts.from_decisions(cases.truth, codes, groups=cases.groups, **names)


def compared(joint: Any, given: Application, options: dict[str, Any]) -> Comparison:
    """Systems by NEC; draws in which the naive decision is perfect count as undecided."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return compare(joint, given, normalized=True, **options)


def told_apart(
    judged: Sequence[Judged], codes: Sequence[Any], sources: Sources, given: Application
) -> bool:
    """Whether the first of several systems is cheaper than each of the others beyond chance.

    Where models were counted in bins, as if on cases of their own; never where those belong
    together.
    """
    if sources.binned_groups:
        return False
    first, *others = (one.model.name for one in judged)
    if sources.cases is None:
        sides = [
            _decided_there(one, each, given, sources.options)
            for one, each in zip(judged, codes, strict=True)
        ]
        level = sources.options["level"]
        pairs = [next(unpaired((sides[0], side), 0.0, level), None) for side in sides[1:]]
        return all(pair is not None and pair.decided and pair.first == first for pair in pairs)
    chosen = dict(zip((first, *others), codes, strict=True))
    found = compared(joint_rows(chosen, sources.cases, given), given, sources.options)
    apart = [found.difference(first, other) for other in others]
    return not found.too_few and all(each.decided and each.value < 0 for each in apart)


def _decided_there(one: Judged, codes: Any, given: Application, options: Any) -> Figures:
    """What a model counted in bins costs where it decides otherwise, cases counting once each."""
    assert one.cases is not None
    assert one.number is not None
    table = replace(one.cases, weights=one.number).count(codes, given)
    whole = ConfusionMatrix(np.rint(table.counts).astype(int), given.classes, given.decisions)
    nec = normalized_expected_cost(whole, application=given)
    ends = limits(whole, given, options)
    return Figures(one.model.name, "posteriors", whole, nec, nec, interval=as_ends(ends))


def difference_of(sources: Sources, first: str, second: str) -> Difference:
    """NEC of one model minus that of another, from what they decided on the rows."""
    codes = {one.model.name: one.as_is.codes for one in sources.judged}
    pair = {name: codes[name] for name in (first, second)}
    assert sources.cases is not None
    joint = joint_rows(pair, sources.cases, sources.given)
    return compared(joint, sources.given, sources.options).difference(first, second)


def of_calibration(sources: Sources) -> tuple[Difference | None, Difference | None]:
    """The best model after calibration against the best one as it is, and that against itself."""
    best = min(sources.judged, key=lambda one: one.as_is.cost)
    fitted = [one.recalibrated for one in sources.judged if one.recalibrated is not None]
    after = min(fitted, key=lambda one: one.cost, default=None)

    def gain(variant: Variant | None) -> Difference | None:
        """Against the best as it is; None where they never differ."""
        if variant is None or math.isnan(best.as_is.nec):
            return None
        codes: dict[str, Any] = {"re-calibrated": variant.codes, "as is": best.as_is.codes}
        if np.array_equal(*codes.values()):
            return None
        assert sources.cases is not None
        joint = joint_rows(codes, sources.cases, sources.given)
        found = compared(joint, sources.given, sources.options)
        return None if found.too_few else found.difference(*codes)

    return gain(after), gain(best.recalibrated)


def limits(
    summary: Any, given: Application, options: dict[str, Any],
    made: Callable[..., Any] = interval, **known: Any,
) -> tuple[float, float] | None:  # fmt: skip
    """The interval of one NEC; None when cases are too few."""
    asked = {"metric": "normalized_expected_cost", "application": given, **known, **options}
    with np.errstate(divide="ignore", invalid="ignore"):
        found = made(summary, **asked)
    return None if found.too_few else (found.low, found.high)


def row_limits(
    variant: Variant, cases: Cases, given: Application, options: dict[str, Any]
) -> tuple[float, float] | None:
    """The same where rows weigh or belong together, or else from the counts."""
    if cases.groups is not None:
        return limits(joint_rows({"model": variant.codes}, cases, given), given, options)
    if cases.weights is None:
        return limits(variant.confusion, given, options)
    known = {"decisions": as_positions(variant.codes), "sample_weight": cases.weights}
    return limits(cases.truth, given, options, weighted_interval, **known)


#: A lead below this much NEC is a tie.
NEAR_TIE = 0.01


def ranges(
    app: Application,
    tables: Mapping[str, ConfusionMatrix],
    scored: Mapping[str, ScoreCounts],
    *,
    fixed: bool,
) -> tuple[Stretch, ...]:
    """Who wins over all cost ratios, as they are; two classes and decisions.

    Decisions stay what they are (`fixed`): they cannot follow the costs.
    """
    assert app.priors is not None
    totals = [table.class_totals for table in tables.values()]
    if app.costs.shape != (2, 2) or not 0 < app.priors[1] < 1 or not np.all(totals):
        return ()
    if fixed:
        names = {f"m{k}": name for k, name in enumerate(tables)}  # no clash with "always ..."
        keyed = {key: tables[name] for key, name in names.items()}
        found = best_ranges(keyed, app, level=None)
        ends = (0.0, *found.at.tolist(), math.inf)
        winners = [
            "none" if key not in names else "tie" if lead < NEAR_TIE else names[str(key)]
            for key, lead in zip(found.best, found.leads, strict=True)
        ]
        return _merged(map(Stretch, winners, ends[:-1], ends[1:]))
    if len(scored) != len(tables):
        return ()
    frame = switch_points(scored, actual=True).by_cost_ratio(float(app.priors[1]))
    lows, highs = frame["from_ratio"].tolist(), frame["to_ratio"].tolist()
    return tuple(map(Stretch, frame["winner"], [0.0, *lows[1:]], [*highs[:-1], math.inf]))


def within(stretches: tuple[Stretch, ...], reach: tuple[float, float]) -> tuple[Stretch, ...]:
    """The stretches that a range of cost ratios reaches into, near-ties left out."""
    low, high = reach
    return _merged(s for s in stretches if s.low < high and s.high > low and s.winner != "tie")


def _merged(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Neighbours with the same winner as one."""
    merged: list[Stretch] = []
    for each in stretches:
        if merged and merged[-1].winner == each.winner:
            each = replace(each, low=merged.pop().low)
        merged.append(each)
    return tuple(merged)


def unpaired(models: Sequence[Figures], cases: float, level: float) -> Iterator[Difference]:
    """Every pair as if on cases of its own, limits from those of each (Zou and Donner 2008).

    Tables do not tell which cases they share; on the same cases, systems mostly err together,
    and the difference is surer than this.
    """
    for one, other in combinations(sorted(models, key=lambda model: model.cost), 2):
        if one.interval is None or other.interval is None:
            continue
        value = one.nec - other.nec
        below = math.hypot(one.nec - one.interval[0], other.interval[1] - other.nec)
        above = math.hypot(one.interval[1] - one.nec, other.nec - other.interval[0])
        half = (below + above) / 2
        z = NormalDist().inv_cdf((1 + level) / 2)
        p = 2 * NormalDist().cdf(-abs(value) * z / half) if half else float(value == 0)
        needed = math.inf if value == 0 else cases * (half / value) ** 2
        pair, ends = (one.name, other.name), (value - below, value + above)
        yield Difference(*pair, value, *ends, p, p, False, level, None, needed)


#: Draws behind the chances of being best.
_DRAWS = 4000


@dataclass(frozen=True, slots=True, eq=False)
class CaseDraws:
    """How sure the NECs of systems are, by what each case moves them by.

    `moves` (n_units, n_systems) is what each case, or group, adds to an estimate; `strata` tells
    which units are drawn apart, None if none are.
    """

    nec: FloatArray
    moves: FloatArray
    strata: Any
    level: float
    seed: int

    def interval(self, place: int) -> tuple[float, float]:
        """The interval of one system's NEC."""
        error, skewness, freedom = self.spread(self.moves[:, place])
        low, high = skewed_limits(float(self.nec[place]), error, skewness, self.level, freedom)
        return max(float(low), 0.0), float(high)

    def apart(self, first: int, second: int) -> Spread:
        """How sure a difference of two systems is."""
        return self.spread(self.moves[:, first] - self.moves[:, second])

    def spread(self, moves: FloatArray) -> Spread:
        """Standard error and skewness of an estimate, and degrees of freedom (Welch's)."""
        strata = np.zeros(moves.shape[0], dtype=np.intp) if self.strata is None else self.strata
        size = float(np.abs(moves).max(initial=0.0))
        if size <= 0:
            return 0.0, 0.0, np.inf
        scaled = moves / size
        squares, cubes = np.bincount(strata, scaled**2), float((scaled**3).sum())
        error, skewness, freedom = spread_of_moves(np.bincount(strata), squares, cubes)
        return size * error, skewness, freedom

    def root(self, best: int) -> FloatArray:
        """A root of the covariance of the systems around one of them."""
        apart = self.moves - self.moves[:, best : best + 1]
        scale = ordinary_scale(apart)
        return scale * root_of((apart / scale).T @ (apart / scale))

    @property
    def same(self) -> tuple[int, ...]:
        """For each system, the first that did the same in every case."""
        return first_alike(self.moves)


#: Standard error, skewness and degrees of freedom.
Spread = tuple[float, float, float]


def spread_of_moves(units: Any, squares: Any, cubes: float) -> Spread:
    """The spread of a sum, from the number of units by stratum and sums of powers over them."""
    if not squares.sum() > 0:
        return 0.0, 0.0, np.inf
    left = np.maximum(units - 1.0, 1.0)
    parts = squares * units / left
    total = float(parts.sum())
    skewness = cubes / float(squares.sum()) ** 1.5
    return float(np.sqrt(total)), skewness, total**2 / float((parts**2 / left).sum())


def root_of(covariance: FloatArray) -> FloatArray:
    """A root of a symmetric matrix, what rounding makes negative taken as 0."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def first_alike(columns: FloatArray) -> tuple[int, ...]:
    """For each column, the first one that is the same."""
    _, first, place = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    return tuple(first[place.reshape(-1)].tolist())


# Why chances and intervals have one law: docs/design/case-costs.md.
@dataclass(frozen=True, slots=True, eq=False)
class _NecLaw:
    """Draws NECs such that each gap to the best system follows the law of its interval.

    How gaps depend on each other is that of normal variables with the covariance of the systems.
    Results keep it, so it is no closure.
    """

    best: int
    nec: FloatArray
    root: FloatArray
    gaps: tuple[tuple[float, float, float], ...]
    same: tuple[int, ...]

    @classmethod
    def of(cls, draws: Any) -> _NecLaw:
        """The law of systems, by their spread around the best of them."""
        best = int(np.argmin(draws.nec))
        gaps = tuple(draws.apart(k, best) for k in range(len(draws.nec)))
        return cls(best, draws.nec, draws.root(best), gaps, draws.same)

    def __call__(self, size: int, generator: np.random.Generator) -> FloatArray:
        normal = generator.standard_normal((size, self.root.shape[1])) @ self.root.T
        found = np.full(normal.shape, self.nec[self.best])
        for k, (error, skewness, freedom) in enumerate(self.gaps):
            spread = float(np.linalg.norm(self.root[k]))
            if k != self.best and error > 0 and spread > 0:
                gap = float(self.nec[k] - self.nec[self.best])
                shares = ndtr(normal[:, k] / spread)
                found[:, k] += skewed_quantiles(gap, error, skewness, shares, freedom)
        return found[:, self.same]


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
    sums = _by_unit(excess, constant, cases, len(counts))
    apart = None if cases.groups is not None or priors is None else cases.truth
    parts = sums.reshape(-1, len(counts), 1 + excess.shape[1] + constant.shape[1])
    nec = necs_of(parts.sum(axis=0), priors, excess.shape[1])
    return CaseDraws(nec, _moves(parts, priors, nec), apart, options["level"], options["rng"])


def necs_of(parts: FloatArray, priors: FloatArray | None, systems: int) -> FloatArray:
    """The NEC of each system, from sums (n_classes, 1 + figures) over all cases."""
    weights = parts[:, :1]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(weights > 0, parts[:, 1:] / weights, 0.0)
    costs = (weights[:, 0] / weights.sum() if priors is None else priors) @ means
    return np.asarray(costs[:systems] / costs[systems:].min())


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


def _by_unit(excess: FloatArray, constant: FloatArray, cases: Cases, n_classes: int) -> FloatArray:
    """Weights and costs by class, summed over each case or group: (n_units, classes x figures)."""
    n_cases = cases.truth.shape[0]
    figures = np.column_stack([np.ones(n_cases), excess, constant]) * cases.weight[:, None]
    table = np.zeros((n_cases, n_classes, figures.shape[1]))
    table[np.arange(n_cases), cases.truth] = figures
    flat = table.reshape(n_cases, -1)
    if cases.groups is None:
        return flat
    names, place = np.unique(cases.groups, return_inverse=True)
    sums = np.zeros((names.shape[0], flat.shape[1]))
    np.add.at(sums, place.reshape(-1), flat)
    return sums


def compared_by_case(names: list[str], draws: Any, n_cases: int) -> Comparison | None:
    """Every pair of systems on the same cases, by NEC; `draws` come from cases, or from cells."""
    if draws is None or not 2 <= len(names) <= MOST_COMPARED:
        return None
    found = []
    for pair in combinations(range(len(names)), 2):
        a, b = sorted(pair, key=lambda k: draws.nec[k])
        value = float(draws.nec[a] - draws.nec[b])
        error, skewness, freedom = draws.apart(a, b)
        low, high = skewed_limits(value, error, skewness, draws.level, freedom)
        p = skewed_p_value(value, error, skewness, freedom)
        needed = np.inf if value == 0 else n_cases * ((high - low) / 2 / value) ** 2
        ends = (value, low, high)
        found.append(Difference(names[a], names[b], *ends, p, p, False, draws.level, None, needed))
    replicates = Replicates.drawn(_NecLaw.of(draws), _DRAWS, draws.seed)
    best = probabilities_best(replicates.values)
    pairs = tuple(adjusted(found))
    return Comparison(tuple(names), draws.nec, best, pairs, (), False, replicates, measure="NEC")
