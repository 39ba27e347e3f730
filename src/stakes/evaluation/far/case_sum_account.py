"""Costs that differ from case to case, from sums by an engine: three rules, and how sure they are.

Of two classes and two decisions a case costs, above the least it could, either nothing or one
amount: what its wrong decision costs more than the right one. So sums of the powers of that amount
by joint decision tell the moments of every NEC, and of every difference, as the rows do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._kernels.interval_ends import MATTERS, skewed_limits, too_unequal
from stakes.application import Application, CostMatrix
from stakes.engines import Reduction, Request, reduce_frame
from stakes.engines.array_reduction import MOST_COMPARED
from stakes.engines.reduction import Panel
from stakes.engines.request import PER_CASE
from stakes.evaluation.builder import build, shares_of
from stakes.evaluation.case_account import (
    BY_CASE,
    case_figures,
    costs_by_class,
    earned_note,
    few_carry_note,
    naive_of,
    priced_at_average,
)
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_intervals import (
    Spread,
    compared_by_case,
    first_alike,
    necs_of,
    root_of,
    spread_of_moves,
)
from stakes.evaluation.recalibration import turned_far
from stakes.messages.notes import Note
from stakes.rules import DecisionRule
from stakes.rules.rule_words import said_alike
from stakes.summaries import ScoreBins
from stakes.typing import FloatArray, IntArray

#: The one cut is looked for between so many bins.
_BINS = 2**16
ONE, AVERAGE = "one threshold", "average costs"
#: What sums over the cases cannot tell besides, where nobody counted the rules together.
_WITHOUT_ROWS = dict.fromkeys(("interval", "comparison"), "case-intervals-need-rows")


def reduce_by_case(frame: Any, request: Request, **options: Any) -> Reduction:
    """Costs per case of a frame, by all rules: a pass that finds the cuts, and one that counts.

    More classes or decisions, where no cut decides, are decided by their own costs alone.
    """
    first = request._but(bins=_BINS, sample=0)
    if not first.finds_cut:
        return reduce_frame(frame, request, **options)
    found = reduce_frame(frame, first, **options)
    rules = _rules(found)
    return reduce_frame(frame, first.with_case_rules(rules), **options) if rules else found


def _rules(found: Reduction) -> dict[str, dict[str, Any]]:
    """One cut for all cases, and the rule of average costs, of every model with posteriors."""
    place = _Place.of(found)
    said_at, made = place.said_at, {}
    if not (place.priors > 0).all() or not (said_at > 0).all():
        return {}
    average = place.application.with_costs(place.average)
    for model, bins in found.whole.bins.items():
        rule = DecisionRule(average, from_priors=said_at, score_type=_type_of(bins), model=model)
        saved = found.whole.risks[model][bins.counts.sum(axis=1) > 0] @ place.scale
        cut = best_cut(bins, saved)
        one = replace(rule, cut=cut, score_type="float64") if np.isfinite(cut) else cut
        made[model] = {ONE: one, AVERAGE: rule}
    near = {model: found._score_ends(model) for model in made}
    for name in (ONE, AVERAGE):
        known = {m: _in_digits(rules[name], near[m]) for m, rules in made.items()}
        alike = said_alike(known, near)
        made = {m: {**rules, name: alike[m] or rules[name]} for m, rules in made.items()}
    return made


def _in_digits(rule: DecisionRule | float, scores: Any) -> DecisionRule | None:
    """A rule with digits that decide these scores alike; None for a cut beyond all scores."""
    return rule._learnt_on(scores) if isinstance(rule, DecisionRule) else None


def _type_of(bins: ScoreBins) -> str:
    """float32 where all scores may be of that type."""
    ends = bins.highest[np.isfinite(bins.highest)]
    return "float32" if (ends == ends.astype(np.float32)).all() else "float64"


def best_cut(bins: ScoreBins, acting: FloatArray) -> float:
    """The cut between bins with the least expected cost, acting above it; ties: the higher one.

    `acting` is what acting costs more than waiting in each bin that holds cases.
    """
    totals = np.concatenate(([0.0], -np.cumsum(acting)))
    best = len(totals) - 1 - int(np.argmin(totals[::-1]))
    if best in (0, len(acting)):
        return -np.inf if best == 0 else np.inf
    low, high = float(bins.runs.highest[best - 1]), float(bins.runs.lowest[best])
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """The shares that count, and what one case of each class counts for there."""

    found: Reduction
    application: Application
    shares: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, found: Reduction) -> _Place:
        given = next(iter(found.request.applications.values()))
        shares, totals = shares_of(found), found.class_totals
        app = given.with_priors(given.resolved_priors(shares))
        shown = np.asarray(app.priors, dtype=np.float64)
        scale = np.divide(shown, totals, out=np.zeros(len(totals)), where=totals > 0)
        return cls(found, app, shares, scale)

    @property
    def priors(self) -> FloatArray:
        """The shares where the models will run."""
        assert self.application.priors is not None
        return self.application.priors

    @property
    def said_at(self) -> FloatArray:
        """The shares that posteriors were made for."""
        before = self.found.request.from_priors
        return self.shares if before is None else before

    @property
    def average(self) -> CostMatrix:
        """The average of the costs of all cases, each class at its share."""
        parts = [scale * self.found.sums_in_class(k) for k, scale in enumerate(self.scale)]
        return CostMatrix(sum(parts), self.application.classes, self.application.decisions)


def evaluated_case_sums(found: Reduction, options: dict[str, Any]) -> Evaluation:
    """Models that decide each case by its own costs, from what an engine has added up."""
    place = _Place.of(found)
    app, scale, request = place.application, place.scale, found.request
    constant = found.naive_tally().sums
    naive = naive_of(app, scale @ constant, float(scale @ found.least_cost))
    draws = _drawn(found, place, options)
    average = app.with_costs(place.average)
    odd = earned_note(found._earned, found.n_rows)
    odd += [note for model in request.models for note in turned_far(model, found)]
    figures, notes = [], []
    for k, system in enumerate(request.systems):
        model, kind = system.model, found.kinds[system.model]
        name, rule = model, None
        if kind == "posteriors":
            name, rule = f"{model}, {system.application}", _rule_of(place, average, system)
        table = found.confusion(model, system.application)
        cells = scale[:, None] * found.tally(model, system.application).sums
        more: Any = {"cells": cells, "rule": rule}
        more["interval"] = None if draws is None else draws.interval(k)
        figures.append(case_figures(name, kind, table, naive, cost=float(cells.sum()), **more))
        if system.application == AVERAGE:
            notes += priced_at_average(model, table, average, float(cells.sum()))
    reasons, said = _absent(found, draws, options)
    names = [each.name for each in figures]
    comparison = None if draws is None else compared_by_case(names, draws, found.n_rows)
    ev = build(
        figures,
        options,
        class_cases=found.rows_by_class,
        reasons=reasons,
        notes=(*said, *_unequal(found, scale), *notes),
        warnings=tuple(odd),
        application=costs_by_class(average, scale[:, None] * constant),
        n_cases=float(found.n_rows),
        data_priors=place.shares,
        comparison=comparison,
        naive=naive,
    )
    return replace(ev, absent={**ev.absent, "sliders": "case-sliders-need-rows"})


def _rule_of(place: _Place, average: Application, system: Any) -> DecisionRule | None:
    """How one of the rules decides, to be taken away; None for a cut beyond all scores."""
    request = place.found.request
    before = place.said_at
    rule = DecisionRule(average, from_priors=before, model=system.model)
    given = request.case_rules.get(system.model, {}).get(system.application)
    if system.application == PER_CASE:
        return replace(rule, per_case=True)
    return given if isinstance(given, DecisionRule) else None


def _absent(found: Reduction, draws: Any, options: dict[str, Any]) -> tuple[Any, list[Note]]:
    """What sums cannot tell, and the notes that say so."""
    reasons, notes = dict(BY_CASE), []
    if not found.request.case_rules and "posteriors" in found.kinds.values():
        reasons["threshold"] = "one-threshold-needs-rows"
        notes.append(Note("one-threshold-needs-rows"))
    if len(found.request.systems) > MOST_COMPARED:
        reasons["comparison"] = "too-many-models"
        notes.append(Note("too-many-models", most=MOST_COMPARED))
    rows = found.rows_by_class
    if draws is None and rows[rows > 0].min() >= options["min_cases"]:
        reasons |= _WITHOUT_ROWS
        notes.append(Note("case-intervals-need-rows"))
    return reasons, notes


def _unequal(found: Reduction, scale: FloatArray) -> list[Note]:
    """A note on classes whose amounts are so unequal that an interval would be too short."""
    stake = found.naive_tally()
    dearest = np.argmax(np.abs(stake.sums), axis=1)[:, None]
    amounts = (
        np.take_along_axis(table, dearest, axis=1)[:, 0]
        for table in (stake.counts, np.abs(stake.sums), stake.squares)
    )
    paid = [scale**2 * found.tally(model).squares.sum(axis=1) for model in found.request.models]
    matters = np.any([each > MATTERS * each.sum() for each in paid], axis=0)
    return few_carry_note(matters & too_unequal(*amounts), found.request.classes)


@dataclass(frozen=True, slots=True, eq=False)
class CellDraws:
    """How sure the NECs of rules are, from powers of amounts by joint cell; see `CaseDraws`.

    `moments` (n_cells, 7) are cases, then powers 1 to 3 of amounts above and below; what one case
    adds to a NEC is linear in its amounts, and `linear` (n_systems, n_cells, 3) has the factors of
    both and of 1.
    """

    nec: FloatArray
    moments: FloatArray
    linear: FloatArray
    truth: IntArray
    apart_by_class: bool
    level: float
    seed: int

    def interval(self, place: int) -> tuple[float, float]:
        """The interval of one system's NEC."""
        spread = self._spread(self.linear[place])
        low, high = skewed_limits(float(self.nec[place]), *spread[:2], self.level, spread[2])
        return max(float(low), 0.0), float(high)

    def apart(self, first: int, second: int) -> Spread:
        """How sure a difference of two systems is."""
        return self._spread(self.linear[first] - self.linear[second])

    def root(self, best: int) -> FloatArray:
        """A root of the covariance of the systems around one of them."""
        a, b, c = np.moveaxis(self.linear - self.linear[best], 2, 0)
        n, above, above_squared, _, below, below_squared, _ = self.moments.T
        one = (a * above + b * below) @ c.T
        found = (a * above_squared) @ a.T + (b * below_squared) @ b.T + (c * n) @ c.T
        return root_of(found + one + one.T)

    @property
    def same(self) -> tuple[int, ...]:
        """For each system, the first that did the same in every case."""
        return first_alike(self.linear.reshape(len(self.nec), -1).T)

    def _spread(self, linear: FloatArray) -> Spread:
        """Standard error, skewness and degrees of freedom of a sum over the cases."""
        (a, b, c), (n, *powers) = linear.T, self.moments.T
        above, below = powers[:3], powers[3:]
        squares = a**2 * above[1] + b**2 * below[1] + c**2 * n
        squares += 2 * c * (a * above[0] + b * below[0])
        cubes = a**3 * above[2] + b**3 * below[2] + c**3 * n
        cubes += 3 * c * (a**2 * above[1] + b**2 * below[1])
        cubes += 3 * c**2 * (a * above[0] + b * below[0])
        strata = self.truth if self.apart_by_class else np.zeros_like(self.truth)
        return spread_of_moves(
            np.bincount(strata, n),
            np.bincount(strata, np.maximum(squares, 0.0)),
            float(cubes.sum()),
        )


def _drawn(found: Reduction, place: _Place, options: dict[str, Any]) -> CellDraws | None:
    """How sure NECs are; None for too few cases, and where rules were not counted together."""
    panel, rows = found.whole.panels[0], found.rows_by_class
    counted = "above1" in panel.sums and len(found.whole.panels) == 1
    if not counted or rows[rows > 0].min() < options["min_cases"]:
        return None
    given = next(iter(found.request.applications.values())).priors
    moments = _moments(panel)
    truth, decided = panel.cells[:, 0], panel.cells[:, 1:]
    wrong = np.column_stack([decided, *(np.full_like(truth, j) for j in (0, 1))])
    wrong = (wrong != truth[:, None]).T.astype(np.float64)  # systems, then constant decisions
    totals = np.zeros((2, 1 + len(wrong)))
    paid = wrong * moments[:, 1] + (1 - wrong) * moments[:, 4]
    np.add.at(totals, truth, np.column_stack([moments[:, 0], paid.T]))
    nec = necs_of(totals, given, decided.shape[1])
    linear = _linear(totals, wrong, truth, given, nec)
    more = given is not None, options["level"], options["rng"]
    return CellDraws(nec, moments, linear, truth, *more)


def _moments(panel: Panel) -> FloatArray:
    """Cases, and powers of amounts above and below, of each joint cell."""
    names = [f"{name}{power}" for name in ("above", "below") for power in (1, 2, 3)]
    return np.column_stack([panel.rows, *(panel.sums[name] for name in names)]).astype(np.float64)


def _linear(
    totals: FloatArray, wrong: FloatArray, truth: IntArray, given: Any, nec: FloatArray
) -> FloatArray:
    """What one case adds to each NEC: factors of its amounts, and a part that all have.

    `totals` (2, 1 + figures) holds cases and costs by class; see `model_intervals._moves`.
    """
    sums = totals if given is not None else totals.sum(axis=0, keepdims=True)
    means = np.divide(
        sums[:, 1:], sums[:, :1], out=np.zeros_like(sums[:, 1:]), where=sums[:, :1] > 0
    )
    shares = np.ones(1) if given is None else np.asarray(given)
    factor = np.divide(shares, sums[:, 0], out=np.zeros(len(sums)), where=sums[:, 0] > 0)
    costs, size = shares @ means, len(nec)
    naive = size + int(np.argmin(costs[size:]))
    at = truth if given is not None else np.zeros_like(truth)
    found = np.empty((size, len(truth), 3))
    for s in range(size):
        found[s, :, 0] = wrong[s] - nec[s] * wrong[naive]
        found[s, :, 1] = (1 - wrong[s]) - nec[s] * (1 - wrong[naive])
        found[s, :, 2] = -(means[at, s] - nec[s] * means[at, naive])
    return np.asarray(found * (factor[at] / costs[naive])[None, :, None])
