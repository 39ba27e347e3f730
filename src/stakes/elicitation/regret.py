"""How much a choice can regret while the cost ratio is only known between two ends.

An option is a set of operating points (miss rate, false alarm rate), of which it can take the
best one for each ratio. With u the effective prior its cost is the lower envelope of the lines
miss * u + alarm * (1 - u), and its normalised cost divides that by min(u, 1 - u). Between two
neighbouring corners of all envelopes (and u = 1/2) the regret is a ratio of two linear functions,
hence monotone: its maximum is at a corner. A grid that holds all corners therefore gives the worst
regret between any two of its points exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from stakes.exceptions import DataError
from stakes.metrics.hull_points import hull_points
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray

__all__ = ["Goal", "Options", "options_of"]

Goal = Literal["model", "threshold"]

#: Grid points per factor of e between ratios; corners are added to them.
PER_UNIT = 100


@dataclass(frozen=True, eq=False)
class Options:
    """What can be chosen, and what each choice costs at each ratio of a grid."""

    names: tuple[str, ...]
    points: tuple[tuple[FloatArray, FloatArray], ...]  # miss rates, false alarm rates
    thresholds: tuple[float | None, ...]  # of options that are one threshold of scores
    prior: float
    low: float
    high: float

    @cached_property
    def ratios(self) -> FloatArray:
        """The grid: both ends, all corners between them, and a fine net."""
        size = max(2, math.ceil(PER_UNIT * math.log(self.high / self.low)) + 1)
        net = np.exp(np.linspace(math.log(self.low), math.log(self.high), size))
        corners = [_corners(*each, self.prior) for each in self.points]
        merged = (np.concatenate([p[0] for p in self.points]),
                  np.concatenate([p[1] for p in self.points]))  # fmt: skip
        corners.append(_corners(*merged, self.prior))
        even = np.array([(1 - self.prior) / self.prior])
        found = np.unique(np.concatenate([net, even, *corners]))
        inside = found[(found > self.low) & (found < self.high)]
        return np.concatenate(([self.low], inside, [self.high]))

    @cached_property
    def nec(self) -> FloatArray:
        """Normalised cost of each option at each ratio of the grid."""
        weight = self.prior * self.ratios
        u = weight / (weight + 1 - self.prior)
        costs = [
            (np.outer(miss, u) + np.outer(alarm, 1 - u)).min(axis=0) for miss, alarm in self.points
        ]
        return np.asarray(np.stack(costs) / np.minimum(u, 1 - u))

    @cached_property
    def regrets(self) -> FloatArray:
        """Normalised cost above that of the best option, at each ratio of the grid."""
        return np.asarray(self.nec - self.nec.min(axis=0))

    def worst(self, start: int, stop: int) -> FloatArray:
        """The worst regret of each option from one grid point to another, both included."""
        return np.asarray(self.regrets[:, start : stop + 1].max(axis=1))

    def stretches(self, start: int, stop: int, tolerance: float) -> list[tuple[int, int]]:
        """As few (last grid point, option) as possible, each regretting at most `tolerance`.

        Going as far as any option allows, again and again, needs the fewest stretches.
        """
        found: list[tuple[int, int]] = []
        at = start
        while True:
            too_much = self.regrets[:, at : stop + 1] > tolerance
            reach = np.where(too_much.any(axis=1), too_much.argmax(axis=1) - 1, stop - at)
            best = int(np.argmax(reach))
            end = at + max(int(reach[best]), 0)
            if end == at and at < stop:
                end = at + 1  # a net too coarse for the tolerance: still go on
            found.append((end, best))
            if end >= stop:
                return found
            at = end

    def position(self, ratio: float) -> int:
        """The grid point nearest to a ratio, on the scale of factors."""
        return int(np.argmin(np.abs(np.log(self.ratios / ratio))))


def options_of(
    systems: Mapping[str, Any], *, prior: float, goal: Goal, low: float, high: float
) -> Options:
    """The options among which a person chooses: models, or each threshold of each model."""
    names: list[str] = []
    points: list[tuple[FloatArray, FloatArray]] = []
    cuts: list[float | None] = []
    for name, system in systems.items():
        miss, alarm, thresholds = _rates(str(name), system)
        if goal == "model":  # with scores, acting on nobody and on everybody included
            names.append(str(name))
            points.append((miss, alarm))
            cuts.append(None)
        else:
            names += [str(name) if t is None else f"{name} > {t:.6g}" for t in thresholds]
            points += [(miss[k : k + 1], alarm[k : k + 1]) for k in range(miss.size)]
            cuts += thresholds
    names += ["act on nobody", "act on everybody"]
    points += [(np.array([1.0]), np.array([0.0])), (np.array([0.0]), np.array([1.0]))]
    options = Options(tuple(names), tuple(points), (*cuts, None, None), prior, low, high)
    return _useful(options) if goal == "threshold" else options


def _rates(name: str, system: Any) -> tuple[FloatArray, FloatArray, list[float | None]]:
    """Miss and false alarm rates of the points a system can work at, with their thresholds."""
    if isinstance(system, RankedScores):
        found = hull_points(system)
        return 1 - found.sensitivity, found.false_positive_rate, found.thresholds.tolist()
    if isinstance(system, ConfusionMatrix) and system.counts.shape == (2, 2):
        rates = system.rates
        if not np.isfinite(rates).all():
            raise DataError(f"system {name!r} has no case of one of the classes.")
        return rates[1, :1], rates[0, 1:], [None]
    raise DataError(
        f"system {name!r} must be a ConfusionMatrix of two classes and decisions or a summary of "
        f"scores; got {type(system).__name__}.",
        hint="ScoreCounts.from_scores(...) or ConfusionMatrix.from_decisions(...)",
    )


def _useful(options: Options) -> Options:
    """Only the points that are best for some ratio of the grid; constants by their own names."""
    last = len(options.names) - 1  # of equal points the later: the constants
    chosen = np.unique(last - options.nec[::-1].argmin(axis=0)).tolist()
    return Options(
        tuple(options.names[k] for k in chosen),
        tuple(options.points[k] for k in chosen),
        tuple(options.thresholds[k] for k in chosen),
        options.prior,
        options.low,
        options.high,
    )


def _corners(miss: FloatArray, alarm: FloatArray, prior: float) -> FloatArray:
    """The ratios at which the best of several points changes."""
    order = np.lexsort((alarm, miss))[::-1]  # from many misses to few
    hull: list[tuple[float, float]] = []
    for m, a in zip(miss[order].tolist(), alarm[order].tolist(), strict=True):
        while hull and hull[-1][1] >= a:
            hull.pop()
        while len(hull) > 1 and _turns_back(hull[-2], hull[-1], (m, a)):
            hull.pop()
        hull.append((m, a))
    m, a = np.array(hull).T
    drops = m[:-1] - m[1:]
    steps = drops > 0
    return np.asarray((1 - prior) * np.diff(a)[steps] / (prior * drops[steps]))


def _turns_back(
    first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]
) -> bool:
    """Whether the middle point is not below the line through its neighbours."""
    return (second[1] - first[1]) * (first[0] - third[0]) >= (third[1] - first[1]) * (
        first[0] - second[0]
    )
