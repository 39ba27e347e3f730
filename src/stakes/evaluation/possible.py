"""What may be at stake: a grid of applications over everything that is unknown."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import (
    Alternatives,
    Between,
    DirichletShares,
    LogUniform,
    Samples,
    UncertainApplication,
)
from stakes.report.amounts import percent
from stakes.typing import FloatArray

__all__ = ["Axis", "Possible", "axis", "grid", "possible_of"]

#: Nodes along each of several unknowns, where looking at one costs next to nothing.
MANY = {1: 201, 2: 21, 3: 9, 4: 5}
#: The same where every case is decided anew at each node.
FEW = {1: 9, 2: 5, 3: 3, 4: 3}
#: Draws that stand for more unknowns than that, or for shares of several classes.
DRAWS = 200
#: Draws from which the nodes of a distribution are taken.
FINE = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One unknown number: what it is, its nodes in rising order, and their weights."""

    name: str
    values: FloatArray
    weights: FloatArray
    is_share: bool = False
    after: str = ""

    def said(self, value: float) -> str:
        """A value as it is read."""
        return percent(value) if self.is_share else f"{value:.4g}"

    @property
    def words(self) -> str:
        """From where to where, e.g. 'yes' decided 'no' 5 to 15."""
        low, high = (self.said(float(end)) for end in (self.values[0], self.values[-1]))
        return f"{self.name} {low} to {high}{self.after}"


@dataclass(frozen=True, slots=True, eq=False)
class Possible:
    """Applications that are possible, with their weight in averages.

    `corners` are the nodes at which every unknown is at one of its ends; `middle` is the node
    in the middle of all axes, if there are any. `priors` is None where those of the data count.
    """

    axes: tuple[Axis, ...]
    costs: FloatArray
    priors: FloatArray | None
    weights: FloatArray
    corners: tuple[int, ...]

    @property
    def unknown(self) -> str:
        """What is unknown: "costs", "shares" or "both"."""
        kinds = {axis.is_share for axis in self.axes}
        if not self.axes:
            return "costs" if self.priors is None else "both"
        return "both" if len(kinds) == 2 else "shares" if True in kinds else "costs"

    @property
    def words(self) -> str:
        """What is unknown, in words."""
        if not self.axes:
            return f"{len(self.weights)} possible applications"
        return ", ".join(axis.words for axis in self.axes)

    def label(self, node: int) -> str:
        """A node by the values of its unknowns."""
        if not self.axes:
            return f"no. {node + 1}"
        at = np.unravel_index(node, [axis.values.shape[0] for axis in self.axes])
        values = zip(self.axes, at, strict=True)
        return ", ".join(axis.said(float(axis.values[k])) for axis, k in values)

    def resolved_priors(self, data_priors: FloatArray) -> FloatArray:
        """The shares at every node."""
        if self.priors is not None:
            return self.priors
        return np.broadcast_to(data_priors, (len(self.weights), self.costs.shape[1]))


def axis(unknown: Any, size: int, name: str, *, is_share: bool = False) -> Axis:
    """The nodes of something unknown: a range by Simpson's rule, a distribution by quantiles."""
    low, high = unknown.low, unknown.high
    if low == high:
        return Axis(name, np.array([low]), np.ones(1), is_share)
    if isinstance(unknown, Alternatives):
        order = np.argsort(unknown.values, kind="stable")
        weights = np.asarray(unknown.probabilities)[order]
        return Axis(name, np.asarray(unknown.values)[order], weights, is_share)
    if isinstance(unknown, (Between, LogUniform)):
        if low > 0 or high < 0:
            sign = math.copysign(1.0, low)
            values = sign * np.exp(np.linspace(math.log(abs(low)), math.log(abs(high)), size))
            values[0], values[-1] = low, high
        else:
            values = np.linspace(low, high, size)
        inner = np.tile([4.0, 2.0], size // 2)[: size - 2]
        return Axis(name, values, np.array([1, *inner, 1]) / (3 * (size - 1)), is_share)
    drawn = unknown.values if isinstance(unknown, Samples) else None
    if drawn is None:
        drawn = unknown.sample(FINE, np.random.default_rng(0))
    values = np.quantile(drawn, (np.arange(size) + 0.5) / size)
    return Axis(name, values, np.full(size, 1 / size), is_share)


def grid(axes: Sequence[Axis], at: Callable[[tuple[float, ...]], tuple[Any, Any]]) -> Possible:
    """All combinations of the nodes; `at` gives costs and priors for values of the unknowns."""
    sizes = [each.values.shape[0] for each in axes]
    found = [at(tuple(map(float, node))) for node in itertools.product(*(a.values for a in axes))]
    weights = np.ones(1)
    for each in axes:
        weights = np.outer(weights, each.weights).ravel()
    ends = itertools.product(*({0, size - 1} for size in sizes))
    corners = sorted(int(np.ravel_multi_index(end, sizes)) for end in ends)
    priors = None if found[0][1] is None else np.stack([np.asarray(p) for _, p in found])
    costs = np.stack([np.asarray(c, dtype=np.float64) for c, _ in found])
    return Possible(tuple(axes), costs, priors, weights, tuple(corners))


def possible_of(uncertain: UncertainApplication, *, few: bool) -> Possible:
    """The nodes of an uncertain application; `few` where looking at each is expensive."""
    count = len(uncertain.terms) + _is_unknown(uncertain.priors)
    loose = isinstance(uncertain.priors, DirichletShares)
    if uncertain.given is not None or loose or not 1 <= count <= max(MANY):
        draws = uncertain.given
        if draws is None or len(draws) > DRAWS or (draws.priors is None and loose):
            draws = uncertain.sample(DRAWS, rng=0)
        priors = draws.priors
        if priors is None and isinstance(uncertain.priors, np.ndarray):
            priors = np.broadcast_to(uncertain.priors, (len(draws), len(uncertain.classes)))
        corners = tuple(range(len(draws))) if len(draws) <= max(MANY) else ()
        return Possible((), draws.costs, priors, draws.weights, corners)
    size = (FEW if few else MANY)[count]
    axes = [axis(t.amount, size, _cell(uncertain, t.direction)) for t in uncertain.terms]
    if _is_unknown(uncertain.priors):
        axes.append(axis(uncertain.priors, size, f"'{uncertain.classes[1]}'", is_share=True))

    def at(values: tuple[float, ...]) -> tuple[Any, Any]:
        pairs = zip(values, uncertain.terms, strict=False)
        costs = uncertain.base + sum(value * term.direction for value, term in pairs)
        if _is_unknown(uncertain.priors):
            return costs, [1 - values[-1], values[-1]]
        return costs, uncertain.priors

    return grid(axes, at)


def _is_unknown(priors: Any) -> bool:
    """Whether the share of the second class is unknown."""
    return priors is not None and not isinstance(priors, (np.ndarray, DirichletShares))


def _cell(uncertain: UncertainApplication, direction: FloatArray) -> str:
    """The cost that a range is about."""
    cells = np.argwhere(direction)
    if len(cells) != 1:
        return "cost weight"
    i, j = cells[0]
    return f"'{uncertain.classes[i]}' decided '{uncertain.decisions[j]}'"
