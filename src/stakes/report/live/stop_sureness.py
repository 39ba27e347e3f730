"""How sure the costs at every stop of the sliders are, and how often each model is best there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.interval_ends import normal_quantile
from stakes._kernels.score_limits import ratio_limits, score_limits, score_statistic
from stakes.evaluation.verdict import SAME_COST
from stakes.report.live.stops import System
from stakes.typing import FloatArray
from stakes.uncertainty.comparison import shares_best
from stakes.uncertainty.intervals.interval import BLOCK, seed_of

#: Beyond this many standard errors a draw that says otherwise is not to be expected.
CERTAIN = 5.0
#: Beyond this many, nobody needs the score test to say so.
_SURE = 8.0
#: Draws behind the probability of being best at a stop.
_DRAWS = 500
#: A naive decision that costs this many times the other one is not the best in any sample.
_FAR = 3.0


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


def both_acted(first: System, second: System, truth: NDArray[Any]) -> FloatArray:
    """Cases of each class that two systems both act on, (2, all stops)."""
    size = first.false_alarms.shape[0] + 1
    later = np.maximum(_first_acted(first), _first_acted(second)).astype(np.intp)
    both = np.bincount(later + size * truth.astype(np.intp), minlength=2 * size).reshape(2, -1)
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
    wrong, lost = place.weights if place.given else _joint_weights(place, totals)
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


def _joint_weights(place: Place, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What one false alarm and one miss weigh in the NEC when the shares are those of the data."""
    share = totals / totals.sum()
    naive = np.minimum(share[0], share[1] * place.ratio)
    return 1 / naive, place.ratio / naive


def chances_best(nec: FloatArray, variances: FloatArray) -> FloatArray:
    """Probability of being best, (n_systems, n_stops), if differences are normal.

    `variances` are those of the differences of every pair, (n_systems, n_systems, n_stops).
    """
    count = nec.shape[0]
    normal = np.random.default_rng(0).standard_normal((_DRAWS // 2, count - 1))
    normal = np.concatenate([normal, -normal])  # so that equal models come out equal
    found = np.empty(nec.shape)
    for k in range(nec.shape[1]):
        spread = variances[:, :, k]
        shared = (spread[0, 1:, None] + spread[0, None, 1:] - spread[1:, 1:]) / 2
        size, axes = np.linalg.eigh(shared)
        gaps = normal @ (axes * np.sqrt(np.maximum(size, 0.0))).T + (nec[1:, k] - nec[0, k])
        found[:, k] = shares_best(np.column_stack([np.zeros(gaps.shape[0]), gaps]))
    return found


def unpaired_rivals(
    nec: FloatArray, low: FloatArray, high: FloatArray, best: NDArray[np.intp]
) -> tuple[Any, Any, Any]:
    """The nearest model that cannot be told from the best, each on cases of its own; -1: nobody.

    Everything is (n_models, n_stops); limits of differences come from those of each model.
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
        np.where(some, rival, -1),
        np.where(some, gap[rival, columns], np.nan),
        np.where(some, half, np.nan),
    )


#: As many draws as a comparison takes, and the same ones.
_BEST_DRAWS = 4000
#: Fewer of them where there would be more numbers to draw than this for a page; or none.
_FEWER_DRAWS = 1000
WORK = 1e7


def joint_counts(systems: list[System], truth: NDArray[Any]) -> NDArray[np.int64]:
    """Cases by stop, class and joint decision, (n_stops, 2, 2**n_systems).

    The first system is the highest binary digit of a joint decision, so that counts are in
    the order of `PairedCounts`.
    """
    firsts = np.stack([_first_acted(one) for one in systems], axis=1).astype(np.intp)
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


def _first_acted(system: System) -> NDArray[Any]:
    """The first stop at which each case is acted on."""
    assert system.first_acted is not None
    return system.first_acted


def chances_by_draws(
    joint: NDArray[np.int64],
    place: Place,
    certain: NDArray[np.bool_],
    nec: FloatArray,
    rng: Any,
) -> tuple[FloatArray, int]:
    """Probability of being best, (n_systems, n_stops), and the number of draws behind it.

    Where it is `certain`, the cheapest are best; nothing is drawn if there would be too much.
    """
    open_ = np.flatnonzero(~certain)
    cells = (joint[place.stops[open_]] > 0).sum()
    draws = next((d for d in (_BEST_DRAWS, _FEWER_DRAWS, BLOCK) if d * cells <= WORK), 0)
    lowest = nec <= nec.min(axis=0) * (1 + SAME_COST)
    found, count = lowest / lowest.sum(axis=0), nec.shape[0]
    if not draws:
        return found, 0
    blocks = _Blocks(seed_of(rng), draws)
    digits = np.arange(count - 1, -1, -1)
    for at in open_.tolist():
        table = joint[place.stops[at]]
        truth, codes = np.nonzero(table)
        acts = codes[:, None] >> digits & 1
        cells = blocks.gamma(table[truth, codes].astype(np.float64))
        split = int(np.searchsorted(truth, 1))  # what a system costs, up to a common factor
        alarms = cells[:, :split] @ acts[:split].astype(np.float64)
        misses = cells[:, split:] @ (1.0 - acts[split:])
        alarm, miss = 1.0, float(place.ratio[at])
        if place.given:  # classes are drawn apart
            share = float(place.share[at])
            alarms = alarms / cells[:, :split].sum(axis=1, keepdims=True)
            misses = misses / cells[:, split:].sum(axis=1, keepdims=True)
            alarm, miss = 1 - share, share * miss
        found[:, at] = shares_best(alarm * alarms + miss * misses)
    return np.asarray(found), draws


class _Blocks:
    """The numbers that `Replicates` draws for a comparison, block by block, for any cells."""

    def __init__(self, seed: int, draws: int) -> None:
        again = seed_of(seed)  # as `compare` hands it on
        self.generators = [np.random.default_rng([again, k]) for k in range(draws // BLOCK)]
        self.states = [one.bit_generator.state for one in self.generators]

    def gamma(self, counts: FloatArray) -> FloatArray:
        """One row per draw: the shares of the cells in a Bayesian bootstrap, up to a factor."""
        drawn = []
        for generator, state in zip(self.generators, self.states, strict=True):
            generator.bit_generator.state = state
            drawn.append(generator.standard_gamma(counts, (BLOCK, counts.shape[0])))
        return np.concatenate(drawn)
