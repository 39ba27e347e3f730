"""Intervals for what calibration is worth: of losses case by case, and of costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stakes._checks import as_level
from stakes._kernels.class_scores import weighted_sums
from stakes.application.dominance import useful_decisions
from stakes.calibration.labelled_scores import Cases
from stakes.typing import FloatArray, IntArray


def gain_interval(
    values: FloatArray, weights: FloatArray, cases: Cases, level: float
) -> tuple[float, float]:
    """Interval of a weighted mean by Student's t; by class if priors are given, by group if any."""
    mean = float(weights @ values)
    if not np.isfinite(mean):
        return (float("nan"), float("nan"))
    index = cases.unit_numbers()
    half = _reach(level, weights, index) * _spread(values, weights, cases, index)
    return (mean - half, mean + half)


def _reach(level: float, weights: FloatArray, index: IntArray) -> float:
    """Standard errors to either side, by Student's t: cases or groups may be few.

    Its degrees of freedom are the effective number of groups minus one.
    """
    from scipy.special import stdtrit

    held = weighted_sums(index, weights)
    number = float(held.sum() ** 2 / (held @ held))
    return float(stdtrit(max(number - 1.0, 1.0), 0.5 + as_level(level) / 2))


def _spread(values: FloatArray, weights: FloatArray, cases: Cases, index: IntArray) -> float:
    """Standard error of a mean whose weights add to 1; `index` numbers the groups."""
    size = len(cases.counts)
    mass = weighted_sums(cases.codes, weights, size)
    sums = weighted_sums(cases.codes, weights * values, size)
    if cases.given:
        origin = np.divide(sums, mass, out=np.zeros(size), where=mass > 0.0)
    else:
        origin = np.full(size, sums.sum())
    parts = weights * (values - origin[cases.codes])
    if cases.groups is not None:
        parts = weighted_sums(index, parts)
    return float(np.sqrt(parts @ parts))


#: Calibrated posteriors of few cases are trusted within a factor of 3 exp(60 / n).
_TRUST, _FEW = 3.0, 60.0

#: Number of groups, with all cases changing together, that are added to those that were seen.
_CLUSTERS = 2.0


class Change(NamedTuple):
    """Decisions before and after, the costs, and the calibrated posteriors of the cases."""

    before: IntArray
    after: IntArray
    costs: FloatArray
    log_posteriors: FloatArray


class _Classes(NamedTuple):
    """Of each class: its weight, that of one more case (group), how many there are, and trust."""

    mass: FloatArray
    unit: FloatArray
    pool: FloatArray
    trust: FloatArray
    scale: FloatArray


class _Kinds(NamedTuple):
    """Changes from one decision to another (rows) of cases of each class (columns).

    What a change takes off, the weight that was seen, its sum of squares over groups, and the
    weight that the calibrated posteriors expect.
    """

    worth: FloatArray
    seen: FloatArray
    squares: FloatArray
    expected: FloatArray


def cost_interval(
    change: Change, weights: FloatArray, cases: Cases, level: float
) -> tuple[float, float]:
    """Interval for the mean cost that a change of decisions saves; the weights add to 1.

    It is the normal interval of the cases (groups), except that the sum of all gains and that of
    all losses have the limits of gamma distributions, with half an event more than was seen. That
    event is of the kind (from one decision to another, in one class) where it weighs most. It is
    limited to what the calibrated posteriors of the cases with such a change expect, times a
    factor of trust. Another event stands for changes that were seen in no case. Distances add as
    variances do (Zou and Donner 2008). Where gains and losses cancel within groups there is less
    to replace, and the interval is at least the normal one.
    """
    index = cases.unit_numbers()
    taken = change.costs[cases.codes, change.before] - change.costs[cases.codes, change.after]
    mean = float(weights @ taken)
    variance = _spread(taken, weights, cases, index) ** 2
    normal = _reach(level, weights, index) ** 2 * variance
    changed = (change.before != change.after) & (weights > 0.0)
    about = _classes(changed, weights, cases, index)
    above = below = normal
    if changed.any():
        kinds = _kinds(change, changed, weights, cases, index)
        gain_up, gain_down, of_gains = _distances(kinds, about, 1.0, level)
        loss_up, loss_down, of_losses = _distances(kinds, about, -1.0, level)
        # 0 if gains and losses vary no more separately than together, 1 from a quarter more on.
        apart = (of_gains + of_losses) / variance if variance > 0.0 else np.inf
        least = float(np.clip(4.0 * (apart - 1.0), 0.0, 1.0)) * normal
        above = max(above + gain_up + loss_down, least)
        below = max(below + loss_up + gain_down, least)
    useful = useful_decisions(change.costs)
    useful[change.before] = useful[change.after] = True
    unheard = _unheard_of(change.costs[:, useful], about) ** 2
    return (
        mean - float(np.sqrt(max(below + unheard, 0.0))),
        mean + float(np.sqrt(max(above + unheard, 0.0))),
    )


def _classes(changed: FloatArray, weights: FloatArray, cases: Cases, index: IntArray) -> _Classes:
    """The weight of each class and of one case; of a group as far as changes cluster in groups."""
    size = len(cases.counts)
    mass = weighted_sums(cases.codes, weights, size)
    here = np.where(mass > 0.0, mass, 1.0)
    row = weighted_sums(cases.codes, weights**2, size) / here
    group = _squares(weights, cases.codes, index, size) / here
    unit = row + _clustering(changed, weights, cases, index) * (group - row)
    unit = np.where(mass > 0.0, unit, 1.0)
    number = here / np.where(mass > 0.0, group, 1.0)
    return _Classes(
        mass,
        unit,
        (mass if cases.given else np.full(size, weights.sum())) / unit,
        _TRUST * np.exp(_FEW / number),
        mass / np.where(cases.counts > 0.0, cases.counts, 1.0),
    )


def _squares(weights: FloatArray, codes: IntArray, index: IntArray, size: int) -> FloatArray:
    """Sum over groups of the square of the weight that each code has in them."""
    pairs, place = np.unique(index * size + codes, return_inverse=True)
    held = weighted_sums(place.reshape(-1), weights)
    return weighted_sums(pairs % size, held**2, size)


def _clustering(changed: FloatArray, weights: FloatArray, cases: Cases, index: IntArray) -> float:
    """Correlation of changes within groups, with `_CLUSTERS` more in which all change together."""
    per = float(_squares(weights, np.zeros_like(index), index, 1)[0] / (weights @ weights))
    if cases.groups is None or per <= 1.0:
        return 1.0
    mass = weighted_sums(cases.codes, weights)
    rate = weighted_sums(cases.codes, weights * changed) / np.where(mass > 0.0, mass, 1.0)
    apart = weights * (changed - rate[cases.codes])
    within = weighted_sums(index, apart)
    total = float(apart @ apart)
    found = 0.0 if total == 0.0 else ((within @ within) / total - 1.0) / (per - 1.0)
    number = len(np.unique(index[changed.astype(bool)]))
    return float((number * np.clip(found, 0.0, 1.0) + _CLUSTERS) / (number + _CLUSTERS))


def _kinds(
    change: Change, changed: FloatArray, weights: FloatArray, cases: Cases, index: IntArray
) -> _Kinds:
    """Tables of the changes that were seen in any case, by class."""
    rows = np.flatnonzero(changed)
    size, width = change.costs.shape
    pairs, place = np.unique(
        change.before[rows].astype(np.intp) * width + change.after[rows], return_inverse=True
    )
    place = place.reshape(-1)
    shape = (len(pairs), size)
    kind = place * size + cases.codes[rows]
    share = change.log_posteriors[rows] - cases.prior_offsets()
    share = np.exp(share - np.logaddexp.reduce(share, axis=1, keepdims=True))
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    expected = np.add.reduceat((cases.weights[rows, None] * share)[order], starts, axis=0)
    return _Kinds(
        (change.costs[:, pairs // width] - change.costs[:, pairs % width]).T,
        weighted_sums(kind, weights[rows], pairs.size * size).reshape(shape),
        _squares(weights[rows], kind, index[rows], pairs.size * size).reshape(shape),
        expected,
    )


def _distances(
    kinds: _Kinds, about: _Classes, side: float, level: float
) -> tuple[float, float, float]:
    """Excess of squared limit distances over the normal ones, above and below, and the variance.

    They are those of the sum of all gains (side 1), or losses (-1), over every kind of change. The
    limits are those of a weighted sum of counts, with half an event more, by a gamma distribution;
    the upper one is no more than is expected.
    """
    from scipy.special import gammaincinv, ndtri

    worth = np.where(about.mass > 0.0, np.maximum(side * kinds.worth, 0.0), 0.0)
    seen = np.where(kinds.seen > 0.0, kinds.seen, 1.0)
    unit = np.where(kinds.seen > 0.0, np.maximum(kinds.squares / seen, about.unit), about.unit)
    rest = np.maximum(about.pool * about.unit - kinds.seen, 0.0)
    expected = np.minimum(kinds.expected * about.scale * about.trust, rest)
    likely = np.minimum(1.0, expected / unit / gammaincinv(0.5, 0.5 + level / 2))
    variances, whole = worth**2 * kinds.seen * unit, rest + kinds.seen
    total, spread = float((worth * kinds.seen).sum()), float(variances.sum())
    # The share of the classes that was not seen; if all was, nothing more can be seen.
    apart = float((variances * (rest + unit / 2) / (whole + unit)).sum())
    apart = apart / spread if variances.any() else 1.0
    variance = float((worth**2 * kinds.squares * rest / whole).sum())
    normal = float(ndtri(0.5 + level / 2)) ** 2 * variance
    more = float((worth * unit * likely).max())
    mean, doubt = total + more / 2, spread + more**2 / 2
    low = high = total
    if doubt > 0.0:
        tails = np.array([0.5 - level / 2, 0.5 + level / 2])
        low, high = (doubt / mean * gammaincinv(mean**2 / doubt, tails)).tolist()
    most = max(float((worth * (expected + kinds.seen)).sum()), total)
    up, down = min(max(high, total), most) - total, total - min(low, total)
    return max(apart * up**2 - normal, 0.0), apart * down**2 - normal, variance


def _unheard_of(costs: FloatArray, about: _Classes) -> float:
    """The effect of one more case with a change of decision that was seen in no case.

    It lies near where both decisions are equally good, which says how probable its class is.
    """
    ranges = np.where(about.mass > 0.0, costs.max(axis=1) - costs.min(axis=1), 0.0)
    pull = ranges * about.scale
    if np.count_nonzero(pull) == 0:
        return 0.0
    first = int(pull.argmax())
    second = float(np.delete(pull, first).max(initial=0.0))
    rival = np.where(np.arange(len(pull)) == first, second, pull[first])
    share = np.divide(rival, rival + pull, out=np.zeros_like(pull), where=pull > 0.0)
    number = np.minimum(np.minimum(about.pool, 1.0), about.trust * share)
    return float((about.unit * ranges * number).max())
