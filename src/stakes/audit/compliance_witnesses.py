"""Compliance: whether a metric ranks as a cost matrix does, and the tables that witness it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._guesses import AnswersGuesses
from stakes._kernels.rankings import balance, triple_around_zero
from stakes.application import CostMatrix
from stakes.audit.audit_words import false_alarms, opening
from stakes.audit.count_metric import CountMetric
from stakes.audit.indifference import StrictPairs, spread, strict_sign
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True)
class RankedPair:
    """Two tables of the same data, better first in the eyes of the metric.

    Part of what `audit` and `compliance` return.

    Parameters
    ----------
    better, worse : ConfusionMatrix
        The tables; they have the same class totals.
    better_value, worse_value : float
        What the metric says of them.
    """

    better: ConfusionMatrix
    worse: ConfusionMatrix
    better_value: float
    worse_value: float

    @property
    def step(self) -> FloatArray:
        """Better minus worse, in shares of all cases."""
        return np.asarray((self.better.counts - self.worse.counts) / self.better.total)

    def __repr__(self) -> str:
        return (
            f"RankedPair({self.better.counts.tolist()} at {self.better_value:.6g} over "
            f"{self.worse.counts.tolist()} at {self.worse_value:.6g})"
        )


@dataclass(frozen=True, slots=True)
class Witness(AnswersGuesses):
    """Pairs ranked by the metric whose steps cancel, so that no cost matrix can rank them alike.

    If costs explained the metric, each step would lower the expected cost. But the steps,
    weighted by `weights`, add to zero, and so do their costs. Part of what `compliance`
    returns.

    Parameters
    ----------
    pairs : tuple of RankedPair
        Two or three.
    weights : ndarray
        One per pair, not negative, adding to one.
    """

    pairs: tuple[RankedPair, ...]
    weights: FloatArray

    @property
    def residual(self) -> float:
        """Largest cell of the weighed sum of steps: 0 up to rounding."""
        steps = np.stack([pair.step for pair in self.pairs])
        return float(np.abs(np.tensordot(self.weights, steps, axes=1)).max())

    def frame(self) -> Frame:
        """One row per pair: the counts, row by row, and what the metric says of them."""
        names = ("better", "better_value", "worse", "worse_value")
        columns = {name: [getattr(pair, name) for pair in self.pairs] for name in names}
        for name in ("better", "worse"):
            columns[name] = [str(table.counts.tolist()) for table in columns[name]]
        return Frame({**columns, "weight": self.weights})


def as_pair(metric: CountMetric, better: FloatArray, worse: FloatArray) -> RankedPair:
    """The pair with its values."""
    values = metric.values(np.stack([better, worse])).tolist()
    return RankedPair(whole_table(better), whole_table(worse), *values)


def whole_table(counts: FloatArray, *names: tuple[Any, ...]) -> ConfusionMatrix:
    """A table; whole counts as integers."""
    whole = np.rint(counts)
    close = np.allclose(whole, counts, atol=1e-9)
    return ConfusionMatrix(whole.astype(np.int64) if close else counts, *names)


#: Cases of a table, and steps tried as the same change in different places.
_CASES, _AMOUNTS = 1000, (10, 20, 40, 80, 150)


def same_move_witness(metric: CountMetric, priors: Sequence[float]) -> Witness | None:
    """The same change of two cells, praised at one table and blamed at another.

    Both tables are whole counts of two classes. Of all such changes the one with the
    largest smaller margin is taken.
    """
    moves = [(a, s * b) for a in _AMOUNTS for b in _AMOUNTS for s in (-1, 1)]
    steps = np.array([[[n, -n], [-p, p]] for n, p in moves], dtype=np.float64)
    rates = itertools.product(priors, (0.5, 0.7, 0.9), (0.5, 0.7, 0.9))
    starts = np.array([_table_at(*each) for each in rates])
    moved = starts + steps[:, None]
    moved = np.where((moved >= 0).all(axis=(2, 3), keepdims=True), moved, starts)
    before, after = metric.scores(starts), metric.scores(moved)
    with np.errstate(invalid="ignore"):
        gain = (after - before) / (spread(before) or 1.0)
    gain = np.where(strict_sign(after, before) != 0, gain, 0.0)
    up, down = gain.argmax(axis=1), gain.argmin(axis=1)
    worst = np.minimum(gain.max(axis=1), -gain.min(axis=1))
    best = int(worst.argmax())
    if worst[best] <= 1e-6:
        return None
    praised = as_pair(metric, moved[best, up[best]], starts[up[best]])
    blamed = as_pair(metric, starts[down[best]], moved[best, down[best]])
    return Witness((praised, blamed), np.array([0.5, 0.5]))


def three_pair_witness(metric: CountMetric, pairs: StrictPairs) -> Witness | None:
    """Three pairs in one plane whose steps add to zero with positive weights."""
    found = triple_around_zero(pairs.angles, pairs.margins)
    if found is None:
        return None
    steps = pairs.steps[list(found)]
    order = np.argsort(np.mod(np.arctan2(steps[:, 1], steps[:, 0]), 2 * np.pi))
    chosen = [found[k] for k in order]
    ranked = tuple(as_pair(metric, pairs.better[k], pairs.worse[k]) for k in chosen)
    return Witness(ranked, balance(pairs.steps[chosen]))


def _table_at(prior: float, specificity: float, recall: float) -> list[list[float]]:
    """A table of whole counts with about these rates."""
    positives = round(prior * _CASES)
    negatives = _CASES - positives
    tn, tp = round(specificity * negatives), round(recall * positives)
    return [[tn, negatives - tn], [positives - tp, tp]]


#: Directions closer than this (in radians) count as the same.
TOLERANCE = 1e-5
#: What can be wrong, and how a sentence says it.
_FAILURES = {
    "undefined": "it has no value for any table that was tried",
    "constant": "it gives every table the same value",
    "curved": "how much it penalises {error} changes from model to model",
    "not parallel": "how much it penalises {error} changes from model to model",
    "prevalence": "how much it penalises {error} depends on how rare the classes are in the data",
    "ties": "it gives the same value to models that its own costs tell apart",
}


@dataclass(frozen=True, slots=True)
class Compliance(AnswersGuesses):
    """Whether a metric ranks as a cost matrix does; made by `compliance`.

    Parameters
    ----------
    metric : str
        Its name.
    compliant : bool
        Whether one cost matrix explains all rankings that were tried.
    failure : str or None
        "curved", "not parallel" (straight level sets), "prevalence", "ties", "constant" or
        "undefined".
    costs : CostMatrix or None
        The costs that explain it, up to row shifts and scale; None when there are none.
    slopes : Frame
        For two classes, the cost of a miss in false alarms at each prevalence that was
        tried, smallest and largest.
    witness : Witness or None
        Pairs that no single cost matrix explains.
    tie : RankedPair or None
        For "ties": two tables with the same value, the cheaper one first.
    undefined_share : float
        Share of the tables tried at which the metric is `nan`.
    """

    metric: str
    compliant: bool
    failure: str | None
    costs: CostMatrix | None
    slopes: Frame
    witness: Witness | None = None
    tie: RankedPair | None = None
    undefined_share: float = 0.0

    @property
    def miss_cost(self) -> float:
        """Cost of a miss in false alarms that explains a two-class metric; else `nan`."""
        if self.costs is None or self.costs.shape != (2, 2):
            return math.nan
        (tn, fp), (fn, tp) = self.costs.values.tolist()
        return miss_price(fn - tp, fp - tn)

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.failure is not None:
            why = _FAILURES[self.failure].format(
                error="a miss" if self.slopes.shape[0] else "an error"
            )
            return f"{opening(self.metric)} matches no fixed costs: {why}."
        text = f"{opening(self.metric)} ranks models as fixed costs do"
        if self.costs is not None and self.costs.shape == (2, 2):
            text += f": {_price(self.costs)}"
        if self.undefined_share > 0:
            text += f" (where it is defined: nan at {self.undefined_share:.0%} of the tables tried)"
        return text + "."

    def frame(self) -> Frame:
        """The slopes by prevalence."""
        return self.slopes


def costs_of_arc(middle: float, width: float) -> CostMatrix:
    """The cost matrix of an arc of directions; a miss costs the shortest number in the arc."""
    false_alarm, miss = math.cos(middle), math.sin(middle)
    slack = max(width, TOLERANCE) / 2
    if abs(false_alarm) <= slack:
        return CostMatrix([[0.0, 0.0], [math.copysign(1.0, miss), 0.0]])
    if abs(miss) <= slack:
        return CostMatrix([[0.0, math.copysign(1.0, false_alarm)], [0.0, 0.0]])
    ends = sorted(abs(math.tan(middle + turn)) for turn in (-slack, slack))
    ratio = abs(miss / false_alarm)
    rounded = (float(f"{ratio:.{digits}g}") for digits in range(1, 15))
    ratio = next((r for r in rounded if ends[0] <= r <= ends[1]), ratio)
    return CostMatrix([[0.0, math.copysign(1.0, false_alarm)], [math.copysign(ratio, miss), 0.0]])


def miss_price(miss: float, false_alarm: float) -> float:
    """Miss over false alarm; infinite when only misses count."""
    if abs(false_alarm) < TOLERANCE * abs(miss):
        return math.inf if miss > 0 else -math.inf
    return 0.0 if abs(miss) < TOLERANCE * abs(false_alarm) else miss / false_alarm


def _price(costs: CostMatrix) -> str:
    """What two-class costs make of a miss, in words."""
    (tn, fp), (fn, tp) = costs.values.tolist()
    false_alarm, miss = fp - tn, fn - tp
    if min(false_alarm, miss) < 0:
        wanted = [n for n, c in (("false alarms", false_alarm), ("misses", miss)) if c < 0]
        return f"{' and '.join(wanted)} are rewarded"
    ratio = miss_price(miss, false_alarm)
    if math.isinf(ratio):
        return "only misses count"
    if ratio == 0:
        return "only false alarms count"
    return f"a miss counts as {false_alarms(ratio, 4)}"
