"""An evaluation over the whole range of unknown costs and shares."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes.application import (
    Alternatives,
    Application,
    Between,
    CostMatrix,
    DirichletShares,
    LogUniform,
    Samples,
    UncertainApplication,
)
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_intervals import NEAR_TIE, told_apart, within
from stakes.evaluation.recalibration import decided
from stakes.evaluation.unknown_costs import Doubt
from stakes.messages.quantities import percent
from stakes.typing import FloatArray

#: Nodes along each of several unknowns, where looking at one costs next to nothing.
MANY = {1: 201, 2: 21, 3: 9, 4: 5}
#: The same where every case is decided anew at each node.
FEW = {1: 9, 2: 5, 3: 3, 4: 3}
#: Draws that stand for more unknowns than that, or for shares of several classes.
_DRAWS = 200
#: Draws from which the nodes of a distribution are taken.
_FINE = 4096


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
        """From where to where, e.g. "a miss costs 5-15" or "1-3 % are 'yes'"."""
        low, high = (self.said(float(end)) for end in (self.values[0], self.values[-1]))
        if self.is_share:
            return f"{low.removesuffix(' %')}-{high} are {self.name}"
        return f"{self.name} {low}{'-' if self.values[0] >= 0 else ' to '}{high}{self.after}"


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

    def resolved_priors(self, priors: FloatArray) -> FloatArray:
        """The shares at every node."""
        if self.priors is not None:
            return self.priors
        return np.broadcast_to(priors, (len(self.weights), self.costs.shape[1]))


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
    known = isinstance(unknown, Samples)
    drawn = unknown.values if known else unknown.sample(_FINE, np.random.default_rng(0))
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


# An evaluation covers the whole range: docs/design/unknown-costs.md.
def possible_of(uncertain: UncertainApplication, *, few: bool) -> Possible:
    """The nodes of an uncertain application; `few` where looking at each is expensive."""
    share, terms = uncertain.priors, uncertain.terms
    loose, fixed = isinstance(share, DirichletShares), isinstance(share, np.ndarray)
    moves = share is not None and not loose and not fixed
    count = len(terms) + moves
    if uncertain.given is not None or loose or not 1 <= count <= max(MANY):
        draws = uncertain.given
        if draws is None or len(draws) > _DRAWS or (draws.priors is None and loose):
            draws = uncertain.sample(_DRAWS, rng=0)
        priors = draws.priors
        if priors is None and fixed:
            priors = np.broadcast_to(share, (len(draws), len(uncertain.classes)))
        corners = tuple(range(len(draws))) if len(draws) <= max(MANY) else ()
        return Possible((), draws.costs, priors, draws.weights, corners)

    def cell(direction: FloatArray) -> str:
        """The cost that a range is about."""
        (i, j), *others = np.argwhere(direction)
        named = f"deciding '{uncertain.decisions[j]}' for '{uncertain.classes[i]}' costs"
        return "cost weight" if others else named

    def at(values: tuple[float, ...]) -> tuple[Any, Any]:
        pairs = zip(values, terms, strict=False)
        costs = uncertain.base + sum(value * term.direction for value, term in pairs)
        return costs, [1 - values[-1], values[-1]] if moves else share

    size = (FEW if few else MANY)[count]
    axes = [axis(term.amount, size, cell(term.direction)) for term in terms]
    if moves:
        axes.append(axis(share, size, f"'{uncertain.classes[1]}'", is_share=True))
    return grid(axes, at)


def is_cheap(ev: Evaluation, possible: Possible) -> bool:
    """Whether a node costs next to nothing: all on one scale of two classes, or decisions only."""
    fixed = all(model.kind == "decisions" for model in ev.models)
    return fixed or _log_odds(ev, possible) is not None


def with_doubt(
    ev: Evaluation, possible: Possible, found: Sequence[Evaluation] | None = None
) -> Evaluation:
    """The same evaluation with what its models cost at all that is possible.

    `found` are evaluations at every node, where figures cannot be had otherwise.
    """
    odds = None if found is not None else _log_odds(ev, possible)
    ends = possible.corners
    if odds is not None:
        ends = tuple(dict.fromkeys((int(np.argmin(odds)), int(np.argmax(odds)))))
    if found is not None:
        cost, nec = (
            np.array([[getattr(there[name], figure) for there in found] for name in ev])
            for figure in ("cost", "nec")
        )
        kept = np.full_like(nec, np.nan)
        there: list[Any] = [found[node] for node in ends]
        applications = tuple(each.application for each in there)
    else:
        rates = _rates(ev, possible, odds)
        if rates is None:
            return ev
        cost, nec = _prices(rates, possible, ev.data_priors)
        same = np.stack([np.nan_to_num(m.confusion.rates, nan=0.0) for m in ev.models])[:, None]
        kept = _prices(same, possible, ev.data_priors)[1]
        applications = tuple(application_at(ev, possible, node) for node in ends)
        there = list(applications)
    least = np.fmin(np.fmin.reduce(nec, axis=0), 1.0)
    doubt = Doubt(
        words=possible.words,
        unknown=possible.unknown,
        models=tuple(ev),
        places=tuple(possible.label(node) for node in ends),
        applications=applications,
        nec=nec[:, list(ends)],
        cost=cost[:, list(ends)],
        middle_nec=np.array([model.nec for model in ev.models]),
        middle_cost=np.array([model.cost for model in ev.models]),
        mean_nec=_mean(nec, possible.weights),
        mean_cost=_mean(cost, possible.weights),
        worst_regret=np.fmax.reduce(nec - least, axis=1),
        kept_regret=np.fmax.reduce(kept - least, axis=1),
        winners=_winners(ev, nec[:, list(ends)], there),
    )
    return _along(replace(ev, doubt=doubt), doubt, odds)


def _along(ev: Evaluation, doubt: Doubt, odds: FloatArray | None) -> Evaluation:
    """With the stretches that the range of two classes reaches into, chance taken out."""
    if odds is None:
        return ev
    priors = ev.application.resolved_priors(ev.data_priors)
    here = float(np.log(priors[1] / priors[0]))
    low, high = (float(np.exp(end - here)) for end in (odds.min(), odds.max()))
    stretches = within(ev.ranges, (low, high))
    if len(stretches) > 1:  # an outermost winner that the data cannot tell from others is none
        first, *_, last = doubt.winners if len(doubt.winners) > 1 else doubt.winners * 2
        start, stop = int(first == "tie"), len(stretches) - int(last == "tie")
        stretches = () if first == last == "tie" else stretches[start:stop]
    sources = None if ev.sources is None else replace(ev.sources, cost_range=(low, high))
    return replace(ev, switches=stretches, sources=sources)


def _log_odds(ev: Evaluation, possible: Possible) -> FloatArray | None:
    """The effective prior log odds of every node; None unless two classes with one cut."""
    if ev.application.costs.shape != (2, 2):
        return None
    shares = possible.resolved_priors(ev.data_priors)
    miss = possible.costs[:, 1, 0] - possible.costs[:, 1, 1]
    alarm = possible.costs[:, 0, 1] - possible.costs[:, 0, 0]
    if (miss <= 0).any() or (alarm <= 0).any() or (shares <= 0).any():
        return None
    return np.asarray(np.log(miss * shares[:, 1]) - np.log(alarm * shares[:, 0]))


def _rates(ev: Evaluation, possible: Possible, odds: FloatArray | None) -> FloatArray | None:
    """Rates of each model at each node, (n_models, n_nodes, n_classes, n_decisions)."""
    size, sources = len(possible.weights), ev.sources
    found = np.empty((len(ev), size, *ev.application.costs.shape))
    for k, model in enumerate(ev.models):
        if model.kind == "decisions":
            found[k] = model.confusion.rates
            continue
        if sources is None:
            return None  # costs per case need the rows
        one, nodes = sources.judged[k], np.arange(size)
        if odds is not None and one.scores is not None and 0 < sources.said_at[1] < 1:
            above = one.scores.counts_above_each(one.scores.from_llrs(-odds))
            found[k, :, :, 1] = above / one.scores.class_totals
            found[k, :, :, 0] = 1 - found[k, :, :, 1]
            nodes = np.array([np.argmin(odds), np.argmax(odds)])  # these as they are decided
        for node in nodes.tolist():
            app = application_at(ev, possible, node)
            codes = decided(one.model, app, sources.said_at)
            found[k, node] = sources.cases_of(one).count(codes, app).rates
    return np.nan_to_num(found, nan=0.0)  # a class without cases


def _prices(
    rates: FloatArray, possible: Possible, data_priors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Cost as given, and NEC, of each model at each node; nan where the NEC does not exist."""
    shares, costs = possible.resolved_priors(data_priors), possible.costs
    standard = costs - costs.min(axis=2, keepdims=True)
    naive = np.einsum("ni,nij->nj", shares, standard).min(axis=1)
    cost = (rates * (shares[:, :, None] * costs)).sum(axis=(2, 3))
    avoidable = (rates * (shares[:, :, None] * standard)).sum(axis=(2, 3))
    with np.errstate(divide="ignore", invalid="ignore"):
        nec = np.where(naive > 0, avoidable / naive, np.nan)
    return cost, nec


def application_at(ev: Evaluation, possible: Possible, node: int) -> Application:
    """One node as an application."""
    app = ev.application
    costs = CostMatrix(possible.costs[node], app.classes, app.decisions)
    return replace(app, costs=costs, priors=possible.resolved_priors(ev.data_priors)[node])


def _mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Averages over the nodes at which a figure exists."""
    known = np.isfinite(values)
    total = np.where(known, weights, 0.0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((np.where(known, values, 0.0) * weights).sum(axis=1) / total)


def _winners(ev: Evaluation, nec: FloatArray, there: Sequence[Any]) -> tuple[str, ...]:
    """Who is cheapest at each end, beyond chance and beyond a near-tie.

    `there` are the ends: applications, or evaluations at them.
    """
    best = np.where(np.isnan(nec), np.inf, nec).argmin(axis=0).tolist()
    useful = [bool(nec[k, place] < 1 - NEAR_TIE) for place, k in enumerate(best)]
    candidates = {k for k, worth in zip(best, useful, strict=True) if worth}
    found = []
    for place, k in enumerate(best):
        rivals = sorted(candidates - {k})
        near = any(nec[j, place] - nec[k, place] < NEAR_TIE for j in rivals)
        if not useful[place]:
            found.append("none")
        elif near or not _surely(ev, k, rivals, there[place]):
            found.append("tie")
        else:
            found.append(ev.models[k].name)
    return tuple(found)


def _surely(ev: Evaluation, best: int, rivals: list[int], there: Application | Evaluation) -> bool:
    """Whether the cases tell the best model from those that win elsewhere."""
    if not isinstance(there, Application):
        names = list(ev)
        return there.comparison is not None and all(
            there.difference(names[best], names[rival]).decided for rival in rivals
        )
    sources = ev.sources
    if sources is None or not rivals:
        return True
    judged = [sources.judged[k] for k in (best, *rivals)]
    given = there if sources.given.priors is not None else there.with_priors(None)
    codes = [decided(one.model, there, sources.said_at) for one in judged]
    return told_apart(judged, codes, sources, given)
