"""The stops of the sliders: counts of every model at each, how sure they are, and who is best.

Costs and shares of two classes only add up to one number, the effective prior log odds
x = log(cost ratio) + log odds of the share. Both sliders move in equal steps from where they
stand, so x does too, and the errors of a model need counting at these stops only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.interval_ends import normal_quantile
from stakes._kernels.score_test_limits import ratio_limits, score_limits, score_statistic
from stakes.application import Application
from stakes.evaluation.model_rows import Cases
from stakes.evaluation.recalibration import Variant
from stakes.evaluation.verdict import SAME_COST
from stakes.typing import FloatArray
from stakes.uncertainty.comparison import chances_by_law
from stakes.uncertainty.differences import score_law
from stakes.uncertainty.intervals.interval import BLOCK, seed_of

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

#: Beyond this many standard errors a draw that says otherwise is not to be expected.
CERTAIN = 5.0
#: With more, the score test is not needed.
_SURE = 8.0
#: A naive decision that costs this many times the other one is not the best in any sample.
_FAR = 3.0
#: As many draws as a comparison takes, and the same ones; fewer of them, or none, where there would
#: be more numbers to draw than this for a page.
_DRAWS = (4000, 1000, BLOCK)
WORK = 1e7
#: Natural logarithm from one stop to the next.
STEP = 0.05
#: Cost ratios reach a hundred times as far, either way.
RATIO_STOPS = 92
#: Shares reach from 0.05 % to 95 %, and always this many stops either way.
_SHARES = (-7.6, 3.0)
_LEAST_SHARE_STOPS = 20


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the sliders stand, and how many stops there are to either side of it."""

    log_ratio: float
    log_odds: float
    lower_shares: int
    upper_shares: int

    @property
    def start(self) -> int:
        """The position of the application itself among the stops."""
        return RATIO_STOPS + self.lower_shares

    @property
    def x(self) -> FloatArray:
        """The effective prior log odds at every stop."""
        steps = np.arange(2 * RATIO_STOPS + self.lower_shares + self.upper_shares + 1)
        return np.asarray(self.log_ratio + self.log_odds + STEP * (steps - self.start))

    @property
    def ratio_stops(self) -> NDArray[np.intp]:
        """The stops that the cost ratio alone reaches."""
        return np.arange(self.lower_shares, self.lower_shares + 2 * RATIO_STOPS + 1)


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """One rule at all stops: false alarms and misses, and when each case is first acted on."""

    false_alarms: FloatArray
    misses: FloatArray
    first_acted: NDArray[Any] | None


# The script looks up, adds and divides: docs/design/page.md.
def grid_of(app: Application) -> Grid | None:
    """The sliders of an application; None unless it has two classes with one cut between."""
    if app.costs.shape != (2, 2) or app.priors is None or not 0 < app.priors[1] < 1:
        return None
    (a, b), (c, d) = app.costs.values.tolist()
    if b <= a or c <= d:
        return None
    odds = math.log(app.priors[1] / app.priors[0])
    low, high = (math.floor(abs(edge - odds) / STEP) for edge in _SHARES)
    low = low if odds > _SHARES[0] else 0
    high = high if odds < _SHARES[1] else 0
    least = _LEAST_SHARE_STOPS
    return Grid(math.log((c - d) / (b - a)), odds, max(low, least), max(high, least))


def systems_of(ev: Evaluation, grid: Grid) -> list[tuple[System, System | None]]:
    """Every model at all stops, as it is and re-calibrated.

    Decisions, and models that are only counted, do not follow the sliders.
    """
    found: list[tuple[System, System | None]] = []
    sources, size = ev.sources, grid.x.shape[0]
    for k, model in enumerate(ev.models):
        one, fitted = None if sources is None else sources.judged[k], None
        if sources is None or one is None or one.model.posteriors is None:
            codes = None if one is None else one.as_is.codes
            table = model.confusion.counts
            alarms, misses = (np.full(size, float(count)) for count in (table[0, 1], table[1, 0]))
            first = None if codes is None else np.where(codes == 1, 0, size)
            found.append((System(alarms, misses, first), None))
            continue
        cases = sources.cases_of(one)
        as_is = _at_stops(one.model.posteriors, one.as_is, cases, grid, sources.said_at)
        if one.fitted is not None and one.recalibrated is not None:
            fitted = _at_stops(one.fitted, one.recalibrated, cases, grid, cases.priors)
        found.append((as_is, fitted))
    return found


def _at_stops(
    posteriors: NDArray[Any], stated: Variant, cases: Cases, grid: Grid, said_at: FloatArray
) -> System:
    """Count the errors at every stop from when each case is first acted on.

    At the application itself it is exactly what was evaluated.
    """
    x, share = grid.x, float(said_at[1])
    cuts = 1 / (1 + np.exp(x - math.log(share / (1 - share))))
    if stated.threshold is not None:
        cuts[grid.start] = stated.threshold
    # Cuts fall as x grows; a case is acted on from the first stop whose cut it exceeds.
    first = x.shape[0] - np.searchsorted(cuts[::-1], posteriors[:, 1], side="left")
    key = first + (x.shape[0] + 1) * cases.truth.astype(np.intp)
    sums = np.bincount(key, weights=cases.weights, minlength=2 * (x.shape[0] + 1))
    acted = sums.reshape(2, -1)[:, :-1].cumsum(axis=1).astype(np.float64)
    found = System(acted[0], sums.reshape(2, -1)[1].sum() - acted[1], first.astype(np.uint16))
    table = stated.confusion.counts
    found.false_alarms[grid.start], found.misses[grid.start] = table[0, 1], table[1, 0]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Some of the stops, with the shares of the data (`given` False) or shares that are given."""

    stops: NDArray[np.intp]
    ratio: FloatArray
    share: FloatArray
    given: bool

    def part(self, at: NDArray[Any]) -> Place:
        """Some of these stops."""
        return Place(self.stops[at], self.ratio[at], self.share[at], self.given)

    @property
    def weights(self) -> tuple[FloatArray, FloatArray]:
        """What a false alarm and a miss weigh in the NEC, as rates within their class."""
        alarm, miss = 1 - self.share, self.share * self.ratio
        naive = np.minimum(alarm, miss)
        return alarm / naive, miss / naive


def nec_limits(
    systems: list[System], place: Place, sizes: list[FloatArray], level: float
) -> tuple[FloatArray, FloatArray]:
    """Low and high end of the NEC, (n_systems, n_stops); `sizes` are their class totals."""
    z, shape = normal_quantile(level), (len(systems), place.stops.shape[0])
    alarms = np.stack([s.false_alarms[place.stops] for s in systems]).ravel()
    missed = np.stack([s.misses[place.stops] for s in systems]).ravel()
    zero, copies = np.zeros_like(alarms), len(systems)
    totals = np.repeat(np.stack(sizes), place.stops.shape[0], axis=0).T
    if place.given:
        counts = _paired(totals[0] - alarms, alarms, missed, totals[1] - missed)
        wrong, lost = (np.tile(w, copies) for w in place.weights)
        low, high = score_limits(counts, _paired(zero, wrong, lost, zero), z)
        return low.reshape(shape), high.reshape(shape)
    counts = np.stack([totals[0] - alarms, alarms, missed, totals[1] - missed], 1)[:, None]
    ratio = np.tile(place.ratio, copies)
    top = np.stack([zero, zero + 1, ratio, zero], 1)[:, None]
    bottoms = (
        np.stack([zero, zero, ratio, ratio], 1)[:, None],
        np.stack([zero + 1, zero + 1, zero, zero], 1)[:, None],
    )
    constant = np.stack([totals[1] * ratio, totals[0]])
    low, high = np.full_like(zero, -np.inf), np.full_like(zero, -np.inf)
    for bottom, size in zip(bottoms, constant, strict=True):
        near = size <= _FAR * constant.min(axis=0)
        found = ratio_limits(counts[near], top[near], bottom[near], z)
        low[near], high[near] = np.maximum(low[near], found[0]), np.maximum(high[near], found[1])
    return low.reshape(shape), high.reshape(shape)


def _paired(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Two strata of two cells each, one data set per entry."""
    return np.stack([np.stack([a, b], 1), np.stack([c, d], 1)], 1)


def both_acted(first: System, second: System, cases: Cases) -> FloatArray:
    """Cases of each class that two systems both act on, (2, all stops)."""
    assert first.first_acted is not None
    assert second.first_acted is not None
    size = first.false_alarms.shape[0] + 1
    later = np.maximum(first.first_acted, second.first_acted).astype(np.intp)
    places = later + size * cases.truth.astype(np.intp)
    both = np.bincount(places, cases.weights, minlength=2 * size).reshape(2, -1)
    return np.asarray(both[:, :-1].cumsum(axis=1), dtype=np.float64)


def paired_statistics(
    first: System, second: System, both: FloatArray, place: Place, totals: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """NEC of `first` minus that of `second`, its standard error, and the score statistic.

    `both` are the cases that both act on, from `both_acted`.
    """
    at = place.stops
    one, two = (
        np.maximum(np.stack([s.false_alarms[at], totals[1] - s.misses[at]]) - both[:, at], 0.0)
        for s in (first, second)
    )
    rest = totals[:, None] - one - two
    wrong, lost = place.weights
    if not place.given:  # what one false alarm and one miss weigh, at the shares of the data
        share = totals / totals.sum()
        naive = np.minimum(share[0], share[1] * place.ratio)
        wrong, lost = 1 / naive, place.ratio / naive
    # Only-first acting is worse on the first class and better on the second.
    gaps = np.stack([wrong, -lost])
    counts = np.stack([one, rest, two], axis=2).transpose(1, 0, 2)
    weights = np.stack([gaps, 0 * gaps, -gaps], axis=2).transpose(1, 0, 2)
    if not place.given:
        counts, weights = counts.reshape(-1, 1, 6), weights.reshape(-1, 1, 6)
    within = counts.sum(axis=2, keepdims=True)
    means = (counts * weights / within).sum(axis=2)
    spread = (counts * weights**2 / within).sum(axis=2) - means**2
    spread = np.maximum(spread, 0.0)  # by rounding less, where all cases are alike
    error = np.sqrt((spread / within[:, :, 0]).sum(axis=1))
    gap = means.sum(axis=1)
    near = np.abs(gap) <= _SURE * error
    score = np.divide(gap, error, out=np.zeros_like(gap), where=~near & (error > 0))
    score[near] = score_statistic(counts[near], weights[near])
    return gap, error, score


def unpaired_rivals(
    nec: FloatArray, low: FloatArray, high: FloatArray, best: NDArray[np.intp]
) -> tuple[Any, Any, Any]:
    """The models that cannot be told from the best, each on cases of its own.

    With the distance of the nearest, and half the width of its interval. Everything is
    (n_models, n_stops); limits of differences come from those of each model.
    """
    columns = np.arange(best.shape[0])
    gap = nec - nec[best, columns]
    below = np.hypot(nec - low, (high - nec)[best, columns])
    above = np.hypot(high - nec, (nec - low)[best, columns])
    near = np.where(gap - below > 0, np.inf, gap)
    near[best, columns] = np.inf
    rival = near.argmin(axis=0)
    some = np.isfinite(near[rival, columns])
    half = (below + above)[rival, columns] / 2
    return (
        np.isfinite(near),
        np.where(some, gap[rival, columns], np.nan),
        np.where(some, half, np.nan),
    )


def joint_counts(systems: list[System], truth: NDArray[Any]) -> NDArray[np.int64]:
    """Cases by stop, class and joint decision, (n_stops, 2, 2**n_systems).

    The first system is the highest binary digit of a joint decision, so that counts are in
    the order of `PairedCounts`.
    """
    firsts = np.array([one.first_acted for one in systems], dtype=np.intp).T
    size, (n, count) = systems[0].false_alarms.shape[0], firsts.shape
    truth = truth.astype(np.intp)  # it may come in one byte
    order = np.argsort(firsts, axis=1, kind="stable")
    shape = (size + 1, 2, 2**count)
    joint = np.zeros(shape[0] * shape[1] * shape[2], dtype=np.int64)
    joint[: shape[1] * shape[2]] += np.bincount(truth * shape[2], minlength=shape[1] * shape[2])
    before = np.zeros(n, dtype=np.intp)
    for r in range(count):
        which = order[:, r]
        stop = firsts[np.arange(n), which]
        after = before + (1 << (count - 1 - which))
        base = (stop * 2 + truth) * shape[2]
        joint += np.bincount(base + after, minlength=joint.shape[0])
        joint -= np.bincount(base + before, minlength=joint.shape[0])
        before = after
    return np.asarray(joint.reshape(shape).cumsum(axis=0)[:-1])


@dataclass(frozen=True, slots=True, eq=False)
class Leads:
    """By how much the best model leads each other one, (n_stops, n_systems), without signs.

    With the standard error and the score statistic of each lead; 0 of the best itself.
    """

    best: NDArray[np.intp]
    gap: FloatArray
    error: FloatArray
    score: FloatArray

    @property
    def certain(self) -> NDArray[np.bool_]:
        """Where a draw that says otherwise is not to be expected, or all decide alike."""
        sure = np.minimum(self.gap, self.score * self.error) > CERTAIN * self.error
        return np.asarray((sure | (self.error == 0)).all(axis=1))

    def laws(self, stop: int) -> dict[int, Any]:
        """The laws of the leads at a stop, as the score test sees them."""
        at = zip(self.gap[stop], self.error[stop], self.score[stop], strict=True)
        return {
            k: score_law(*map(float, lead)) for k, lead in enumerate(at) if k != self.best[stop]
        }


def chances_best(
    joint: NDArray[np.int64], place: Place, leads: Leads, nec: FloatArray, rng: Any
) -> tuple[FloatArray | None, int]:
    """Probability of being best, (n_systems, n_stops), and the number of draws behind it.

    Where it is certain, the cheapest are best; None if there would be too much to draw. The
    numbers are those that `compare` draws there, and their law that of the score test.
    """
    open_ = np.flatnonzero(~leads.certain)
    cells = (joint[place.stops[open_]] > 0).sum()
    draws = next((d for d in _DRAWS if d * cells <= WORK), 0)
    if not draws:
        return None, 0
    lowest = nec <= nec.min(axis=0) * (1 + SAME_COST)
    found, digits = lowest / lowest.sum(axis=0), np.arange(nec.shape[0] - 1, -1, -1)
    seed = seed_of(seed_of(rng))  # as `compare` hands it on
    for at in open_.tolist():
        table = joint[place.stops[at]]
        truth, codes = np.nonzero(table)
        acts, counts = codes[:, None] >> digits & 1, table[truth, codes].astype(np.float64)
        cells = np.concatenate([  # shares of the cells in a Bayesian bootstrap, up to a factor
            np.random.default_rng([seed, k]).standard_gamma(counts, (BLOCK, counts.shape[0]))
            for k in range(draws // BLOCK)
        ])  # fmt: skip
        split = int(np.searchsorted(truth, 1))  # what a system costs, up to a common factor
        alarms = cells[:, :split] @ acts[:split].astype(np.float64)
        misses = cells[:, split:] @ (1.0 - acts[split:])
        alarm, miss = 1.0, float(place.ratio[at])
        if place.given:  # classes are drawn apart
            share = float(place.share[at])
            alarms = alarms / cells[:, :split].sum(axis=1, keepdims=True)
            misses = misses / cells[:, split:].sum(axis=1, keepdims=True)
            alarm, miss = 1 - share, share * miss
        costs = alarm * alarms + miss * misses
        found[:, at] = chances_by_law(costs, int(leads.best[at]), leads.laws(at))
    return np.asarray(found), draws
