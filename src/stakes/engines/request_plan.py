"""From a request to a plan: expressions for every row, and what to add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from stakes.engines.frames import ColumnTypes, coded
from stakes.engines.request import PER_CASE, Request, System
from stakes.engines.row_rules import (
    PREFIX,
    Bins,
    Grouping,
    Plan,
    RowFunction,
    added,
    case_amounts,
    least_amount,
    per_case,
    place,
    steps,
)
from stakes.rules.row_expressions import argmin

_LARGEST = 1.7976931348623157e308
#: Makes the smallest negative posterior as large a fault as a sum that is far off.
_HUGE = 1e300
#: Up to so many possible combinations all decisions are counted together, in one table.
_TOGETHER = 2**12
#: Up to so many, the models of one application are.
_PAIRED = 2**20


@dataclass(slots=True, eq=False)
class Planned:
    """A plan, and how to read what it comes to."""

    request: Request
    kinds: dict[str, str]
    sizes: tuple[int, ...]  # classes, then the decisions of each system
    panels: list[tuple[int, ...]]  # systems that are counted together
    types: ColumnTypes
    plan: Plan = field(default_factory=Plan)
    bins: dict[str, Bins] = field(default_factory=dict)

    @property
    def from_bins(self) -> bool:
        """Whether one grouping by bins tells all: their edges are the thresholds of one model."""
        request = self.request
        alone = len(self.kinds) == 1 and "posteriors" in self.kinds.values()
        more = request.case_costs or request.proper_scores
        return bool(alone and request.bins and not more)

    def score_type(self, model: str) -> str:
        """The type of the posteriors of a model."""
        return self.types.float_type(self.request.models[model])

    def panel_sizes(self, panel: tuple[int, ...]) -> tuple[int, ...]:
        """Classes, then the decisions of each system of a panel."""
        return (self.sizes[0], *(self.sizes[1 + k] for k in panel))


def planned(request: Request, types: ColumnTypes, dialect: Any) -> Planned:
    """Everything that one pass over the rows has to do."""
    at = _Planner(request, types, dialect)
    truth, weight = at.truth(), at.weight()
    parts = {
        model: at.posteriors(k, model)
        for k, model in enumerate(request.models)
        if at.made.kinds[model] == "posteriors"
    }
    amounts = at.amounts()
    decided = [
        at.decision(k, system, parts.get(system.model, []), amounts)
        for k, system in enumerate(request.systems)
    ]
    good = at.good()
    for k, panel in enumerate(() if at.made.from_bins else at.made.panels):
        sums = at.weights(weight) + at.fourths(weight)
        if amounts:
            sums += at.costs(truth, amounts, weight)
        if request.proper_scores and k == 0:
            for place, (model, columns) in enumerate(parts.items()):
                sums += at.scores(place, model, columns, truth, good, weight)
        at.cells(f"cell{k}", [truth, *(decided[s] for s in panel)], panel, good, sums)
    if request.bins:
        for k, (model, columns) in enumerate(parts.items()):
            sums = at.binned(k, model, columns[-1], truth, good, weight)
            at.plan.groupings.append(
                Grouping((*request.by, f"{PREFIX}bin{k}"), sums, f"{PREFIX}score{k}")
            )
    return at.made


class _Planner:
    """Adds columns to a plan; numbers of steps say what must exist before."""

    def __init__(self, request: Request, types: ColumnTypes, dialect: Any) -> None:
        n_classes = len(request.classes)
        kinds = {m: types.kind(c, m, n_classes) for m, c in request.models.items()}
        sizes = (n_classes, *(len(request.decisions_of(system)) for system in request.systems))
        self.made = Planned(request, kinds, sizes, _panels(request, sizes), types)
        self.request, self.types, self.dialect = request, types, dialect
        self.plan = self.made.plan
        self.conditions: list[Any] = []

    def column(self, step: int, name: str, expression: Any) -> Any:
        """Make a column and return a reference to it."""
        return self.dialect.column(self.plan.add(step, name, expression))

    def number(self, name: str) -> Any:
        """A column of the frame as doubles, made once."""
        at = self.request.columns.index(name)
        return self.column(0, f"x{at}", self.dialect.number(name))

    def truth(self) -> Any:
        """The code of the true class; the one after the last makes a cell after the last."""
        names, label = self.request.classes, self.request.label
        return self.column(0, "truth", coded(self.dialect, label, self.types, names, "label"))

    def weight(self) -> Any | None:
        """The weight of each row."""
        if self.request.sample_weight is None:
            return None
        weight = self.number(self.request.sample_weight)
        lit = self.dialect.literal
        self.conditions.append(self.dialect.between(weight, lit(0.0), lit(_LARGEST)))
        return weight

    def posteriors(self, k: int, model: str) -> list[Any]:
        """The columns of posteriors of a model, checked."""
        lit, columns = self.dialect.literal, self.request.models[model]
        parts = [self.number(name) for name in columns]
        turned = self.request.turned(model, self.types.labels(self.request.label))
        if len(parts) == 1:
            self.conditions.append(self.dialect.between(parts[0], lit(0.0), lit(1.0)))
            return [self.column(1, f"other{k}", lit(1.0) - parts[0])] if turned else parts
        below = added([self.dialect.size(part) - part for part in parts])
        whole = self.column(1, f"total{k}", added(parts))
        fault = self.dialect.size(whole - lit(1.0)) + lit(_HUGE) * below
        fault = self.column(2, f"fault{k}", fault)
        self.conditions.append(fault <= lit(self.types.tolerance(columns)))
        return parts

    def amounts(self) -> dict[tuple[int, int], Any]:
        """What each decision costs for each class in each row, where that differs by row."""
        found = case_amounts(self.dialect, self.request, self.number)
        limit = self.dialect.literal(_LARGEST)
        for (i, j), amount in found.items():
            if not isinstance(amount, float):
                found[i, j] = self.column(1, f"c{i}_{j}", amount)
                self.conditions.append(self.dialect.size(found[i, j]) <= limit)
        return found

    def decision(self, k: int, system: System, parts: list[Any], amounts: Any) -> Any:
        """What one model decides at one application, or by the costs of each case."""
        application = self.request.application_of(system.application)
        if self.made.kinds[system.model] == "decisions":
            name = self.request.models[system.model][0]
            code = coded(self.dialect, name, self.types, application.decisions, system.model)
            code = self.column(0, f"d{k}", code)
            last = self.dialect.literal(len(application.decisions) - 1)
            self.conditions.append(code <= last)
            return code
        rule = self.request._rule(application, self.made.score_type(system.model))

        def keep(name: str, expression: Any) -> Any:
            return self.column(2, f"{name[0]}{k}_{name[1:]}", expression)

        if system.application != PER_CASE and rule._terms > self.dialect.most_terms:
            columns = self.request.models[system.model]
            self.plan.functions.append(RowFunction(f"{PREFIX}d{k}", columns, rule._decide_any))
            return self.dialect.column(f"{PREFIX}d{k}")
        if system.application != PER_CASE:
            return self.column(3, f"d{k}", rule.expression(self.dialect, parts, keep))
        costs, sizes, margin = per_case(self.dialect, parts, amounts, rule)
        costs = [keep(f"e{j}", cost) for j, cost in enumerate(costs)]
        sizes = sizes and [keep(f"s{j}", size) for j, size in enumerate(sizes)]
        return self.column(3, f"d{k}", argmin(self.dialect, costs, sizes, margin))

    def good(self) -> Any:
        """Whether everything about a row can be used, but for its label."""
        lit = self.dialect.literal
        holds = self.conditions[0] if self.conditions else lit(True)
        for condition in self.conditions[1:]:
            holds = holds & condition
        return self.column(3, "good", self.dialect.certain(holds))

    def weights(self, weight: Any | None) -> tuple[str, ...]:
        """The columns of weights that are added up within every cell; those of 0 are no cases."""
        if weight is None:
            return ()
        cases = self.dialect.indicator(weight > self.dialect.literal(0.0))
        squares = self.plan.add(4, "squares", weight * weight)
        return self.plan.add(4, "weight", weight), squares, self.plan.add(4, "cases", cases)

    def fourths(self, weight: Any | None) -> tuple[str, ...]:
        """The fourth powers of weights, which only a comparison of models needs."""
        if weight is None or len(self.request.models) < 2 or self.request.case_costs:
            return ()
        return (self.plan.add(4, "fourths", (weight * weight) * (weight * weight)),)

    def moments(self, step: int, name: str, value: Any, weight: Any | None) -> tuple[str, str]:
        """A quantity and its square, each times the weight."""
        value = self.column(step, name, value)
        if weight is None:
            return PREFIX + name, self.plan.add(step + 1, f"{name}_square", value * value)
        once = self.plan.add(step + 1, f"{name}_sum", value * weight)
        return once, self.plan.add(step + 1, f"{name}_square", value * value * weight)

    def costs(self, truth: Any, amounts: Any, weight: Any) -> tuple[str, ...]:
        """The amounts of every cell of the cost matrix; those of the truth and decision count."""
        names: tuple[str, ...] = ()
        for (i, j), amount in amounts.items():
            if not isinstance(amount, float):
                names += self.moments(2, f"amount{i}_{j}", amount, weight)
        if self.request.naive:
            least = least_amount(self.dialect, truth, amounts, self.made.sizes[0])
            names += self.moments(2, "least", least, weight)[:1]
        return names

    def scores(
        self, k: int, model: str, parts: list[Any], truth: Any, good: Any, weight: Any
    ) -> tuple[str, ...]:
        """Log scores and Brier scores of one model, and how often it was certain and wrong."""
        lit, when = self.dialect.literal, self.dialect.when
        every = parts if len(parts) > 1 else [lit(1.0) - parts[0], parts[0]]
        meant = self.dialect.first_of(
            [(truth == lit(i), part) for i, part in enumerate(every[:-1])], every[-1]
        )
        meant = self.column(4, f"meant{k}", when(good, meant, lit(1.0)))
        possible = meant > lit(0.0)
        counts = lit(1) if weight is None else when(weight > lit(0.0), lit(1), lit(0))
        certain = self.plan.add(5, f"certain{k}", when(possible, lit(0), counts))
        log = lit(0.0) - self.dialect.log(when(possible, meant, lit(1.0)))
        if len(every) == 2:
            miss = lit(1.0) - meant
            brier = miss * miss
        else:
            met = [self.dialect.indicator(truth == lit(i)) for i in range(len(every))]
            brier = added([(p - t) * (p - t) for p, t in zip(every, met, strict=True)])
        names = self.moments(5, f"log{k}", log, weight)
        return (certain, *names, *self.moments(5, f"brier{k}", brier, weight))

    def cells(
        self, name: str, codes: list[Any], panel: tuple[int, ...], good: Any, sums: tuple[str, ...]
    ) -> None:
        """Count the joint cells of the truth and some decisions."""
        lit, sizes = self.dialect.literal, self.made.panel_sizes(panel)
        refused = prod(sizes)
        most = prod((sizes[0] + 1, *sizes[1:]))  # with a label that is none
        joint = self.dialect.integer(codes[0], most)  # wide enough for the products
        for code, size in zip(codes[1:], sizes[1:], strict=True):
            joint = joint * lit(size) + code
        cell = self.dialect.when(good, joint, lit(refused))
        self.column(4, name, self.dialect.integer(cell, most))
        self.plan.groupings.append(Grouping((*self.request.by, PREFIX + name), sums))

    def binned(
        self, k: int, model: str, score: Any, truth: Any, good: Any, weight: Any | None
    ) -> tuple[str, ...]:
        """Put one score into bins; what is then to be added up in each."""
        lit, request = self.dialect.literal, self.request
        kind = self.made.score_type(model)
        every = [request._rule(app, kind).cuts()[0] for app in request.applications.values()]
        bins = Bins.fitting(request.bins, [cut for at in every for cut in at])
        self.made.bins[model] = bins
        score = self.column(4, f"score{k}", self.dialect.when(good, score, lit(0.0)))
        taken = self.column(5, f"steps{k}", steps(self.dialect, score, bins.half))
        code = place(self.dialect, score, taken, bins.half)
        for cut in bins.thresholds:
            code = code + self.dialect.indicator(score > lit(cut))
        usable = good & (truth <= lit(1)) if self.made.from_bins else good
        code = self.dialect.when(usable, code, lit(float(bins.count)))
        self.column(6, f"bin{k}", self.dialect.integer(code, bins.count))
        second = self.column(4, "second", self.dialect.indicator(truth == lit(1)))
        sums = [PREFIX + "second", *self.weights(weight)]
        if weight is not None:
            sums += [self.plan.add(5, "second_weight", second * weight)]
            sums += [self.plan.add(5, "second_squares", second * weight * weight)]
            cases = self.dialect.column(PREFIX + "cases")
            sums += [self.plan.add(5, "second_cases", second * cases)]
        return tuple(sums)


def _panels(request: Request, sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Which systems are counted together: all, those of one rule, or each alone."""
    systems = request.systems
    if prod(sizes) <= _TOGETHER:
        return [tuple(range(len(systems)))]
    found: list[tuple[int, ...]] = []
    for rule in dict.fromkeys(system.application for system in systems):
        mine = tuple(k for k, system in enumerate(systems) if system.application == rule)
        together = sizes[0] * prod(sizes[1 + k] for k in mine) <= _PAIRED
        found += [mine] if together else [(k,) for k in mine]
    return found
