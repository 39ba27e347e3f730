"""From a request to a plan: expressions for every row, and what to add up."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from math import prod
from operator import and_, or_
from typing import Any

from stakes.application.application import right_decisions
from stakes.engines.column_types import ColumnTypes, coded
from stakes.engines.request import PER_CASE, Request, System
from stakes.engines.row_values import (
    PREFIX,
    Bins,
    Grouping,
    Plan,
    RowFunction,
    added,
    case_amounts,
    gap,
    least_amount,
    place,
    risk_of_acting,
    steps,
)
from stakes.rules.row_expressions import argmin, per_case

_LARGEST = sys.float_info.max
#: Up to this many possible combinations, all decisions are counted together in one table.
_TOGETHER = 2**12
#: Up to this many bins, each with joint decisions beside it, are counted in one table.
_BESIDE = 2**15
#: Up to this many, the models of one application are counted together.
_PAIRED = 2**20


@dataclass(slots=True, eq=False)
class Planned:
    """A plan, and how to read its results."""

    request: Request
    kinds: dict[str, str]
    sizes: tuple[int, ...]  # classes, then the decisions of each system
    panels: list[tuple[int, ...]]  # systems that are counted together
    types: ColumnTypes
    plan: Plan = field(default_factory=Plan)
    bins: dict[str, Bins] = field(default_factory=dict)

    @property
    def binned(self) -> list[str]:
        """The models that gave posteriors."""
        return [model for model, kind in self.kinds.items() if kind == "posteriors"]

    @property
    def from_bins(self) -> bool:
        """Whether the first bins tell the joint decisions too: their edges include thresholds.

        Sums of weights by class lose digits there, so that only one model may have them.
        """
        request = self.request
        if not request.bins or request.case_costs or request.proper_scores or not self.binned:
            return False
        few = len(self.panels) == 1 and request.bins * self.beside <= _BESIDE
        return len(self.kinds) == 1 or (few and request.sample_weight is None)

    @property
    def others(self) -> dict[int, int]:
        """The systems whose decisions stand beside the first bins, and how many they have."""
        first, systems = self.binned[0], self.request.systems
        return {k: self.sizes[1 + k] for k, each in enumerate(systems) if each.model != first}

    @property
    def beside(self) -> int:
        """How many joint decisions the other models can have."""
        return prod(self.others.values())

    @property
    def first_unusable(self) -> int:
        """The code of a row that cannot be used, in the first grouping."""
        if self.from_bins:
            return next(iter(self.bins.values())).count * self.beside
        return prod(self.panel_sizes(self.panels[0]))

    def score_type(self, model: str) -> str:
        """The type of the posteriors of a model."""
        return self.types.float_type(self.request.models[model])

    def panel_sizes(self, panel: tuple[int, ...]) -> tuple[int, ...]:
        """Classes, then the decisions of each system of a panel."""
        return (self.sizes[0], *(self.sizes[1 + k] for k in panel))


def planned(request: Request, types: ColumnTypes, dialect: Any) -> Planned:
    """Plan everything that one pass over the rows has to do."""
    at = _Planner(request, types, dialect)
    parts = {model: at.posteriors(k, model) for k, model in enumerate(at.made.binned)}
    amounts = at.amounts()
    decided = [
        at.decision(k, system, parts.get(system.model, []), amounts)
        for k, system in enumerate(request.systems)
    ]
    at.close()
    looked = not request.bins and (request.naive or not request.case_costs)
    for k, panel in enumerate(() if at.made.from_bins else at.made.panels):
        compared = len(request.models) > 1 and not request.case_costs
        sums = at.weights(fourths=compared)
        if amounts:
            sums += at.costs(amounts)
        for number, columns in enumerate(parts.values() if k == 0 else ()):
            sums += at.looks(number, columns[-1]) if looked else []
            if request.proper_scores:
                sums += at.scores(number, columns)
        at.cells(f"cell{k}", [decided[s] for s in panel], panel, tuple(sums))
    if request.bins:
        for k, (model, columns) in enumerate(parts.items()):
            at.bins(k, model, columns[-1], amounts)
    return at.made


#: The steps of a plan. A column is made from columns of earlier steps. The steps are: columns of
#: the frame, sums of these, expected costs, the values they are compared with, decisions, cells
#: with their weights, and two steps of columns that are made from those.
_READ, _ADDED, _WEIGHED, _RAISED, _DECIDED, _CELLS, _SCORED, _BINNED = range(8)


class _Planner:
    """Adds columns, and the groupings that count them, to a plan."""

    def __init__(self, request: Request, types: ColumnTypes, dialect: Any) -> None:
        n_classes = len(request.classes)
        kinds = {m: types.kind(c, m, n_classes) for m, c in request.models.items()}
        sizes = (n_classes, *(len(request.decisions_of(system)) for system in request.systems))
        self.made = Planned(request, kinds, sizes, _panels(request, sizes), types)
        self.request, self.types, self.dialect = request, types, dialect
        self.plan = self.made.plan
        self.conditions: list[Any] = []  # what must hold for a row that can be used
        self.good: Any = None  # whether all of them do
        # an unknown label has the code after the last class, which leads to a cell after the last
        code = coded(dialect, request.label, types, request.classes, "label")
        self.truth = self.column(_READ, "truth", code)
        self.weight: Any = None
        if request.sample_weight is not None:
            self.weight = self.number(request.sample_weight)
            lit = dialect.literal
            self.conditions.append(dialect.between(self.weight, lit(0.0), lit(_LARGEST)))

    def column(self, step: int, name: str, expression: Any) -> Any:
        """Make a column and return a reference to it."""
        return self.dialect.column(self.plan.add(step, name, expression))

    def number(self, name: str) -> Any:
        """A column of the frame as doubles, made once."""
        at = self.request.columns.index(name)
        return self.column(_READ, f"x{at}", self.dialect.number(name))

    def posteriors(self, k: int, model: str) -> list[Any]:
        """The columns of posteriors of a model, checked."""
        lit, columns = self.dialect.literal, self.request.models[model]
        parts = [self.number(name) for name in columns]
        turned = self.request.turned(model, self.types.labels(self.request.label))
        if len(parts) == 1:
            self.conditions.append(self.dialect.between(parts[0], lit(0.0), lit(1.0)))
            return [self.column(_ADDED, f"other{k}", lit(1.0) - parts[0])] if turned else parts
        total = self.column(_ADDED, f"total{k}", added(parts))
        self.conditions.append(
            self.dialect.size(total - lit(1.0)) <= lit(self.types.tolerance(columns))
        )
        self.conditions += [part >= lit(0.0) for part in parts]
        return parts

    def amounts(self) -> dict[tuple[int, int], Any]:
        """The cost of each decision for each class, as a column where it differs by row."""
        found = case_amounts(self.dialect, self.request, self.number)
        limit = self.dialect.literal(_LARGEST)
        for (i, j), amount in found.items():
            if not isinstance(amount, float):
                found[i, j] = self.column(_ADDED, f"c{i}_{j}", amount)
                self.conditions.append(self.dialect.size(found[i, j]) <= limit)
        return found

    def decision(self, k: int, system: System, parts: list[Any], amounts: Any) -> Any:
        """What one model decides at one application, or by the costs of each case."""
        application = self.request.application_of(system.application)
        if self.made.kinds[system.model] == "decisions":
            name = self.request.models[system.model][0]
            code = coded(self.dialect, name, self.types, application.decisions, system.model)
            code = self.column(_READ, f"d{k}", code)
            last = self.dialect.literal(len(application.decisions) - 1)
            self.conditions.append(code <= last)
            return code
        rule = self.request._rule(application, self.made.score_type(system.model))
        given = self.request.case_rules.get(system.model, {}).get(system.application)
        if isinstance(given, float):
            lit = self.dialect.literal
            acts = self.dialect.when(parts[-1] > lit(given), lit(1), lit(0))
            return self.column(_DECIDED, f"d{k}", acts)
        if isinstance(given, str):  # positions in a column of the frame
            last = len(application.decisions) - 1
            place = self.dialect.integer(self.dialect.column(given), last)
            return self.column(_READ, f"d{k}", place)
        rule = rule if given is None else given

        def keep(name: str, expression: Any) -> Any:
            step = _RAISED if name.startswith("u") else _WEIGHED
            return self.column(step, f"{name[0]}{k}_{name[1:]}", expression)

        if system.application != PER_CASE and rule._terms > self.dialect.most_terms:
            columns = self.request.models[system.model]
            self.plan.functions.append(RowFunction(f"{PREFIX}d{k}", columns, rule._decide_any))
            return self.dialect.column(f"{PREFIX}d{k}")
        if system.application != PER_CASE:
            return self.column(_DECIDED, f"d{k}", rule.expression(self.dialect, parts, keep))
        costs, sizes, margin = per_case(self.dialect, parts, amounts, rule)
        costs = [keep(f"e{j}", cost) for j, cost in enumerate(costs)]
        sizes = sizes and [keep(f"s{j}", size) for j, size in enumerate(sizes)]
        decided = argmin(self.dialect, costs, sizes, margin, keep=keep)
        return self.column(_DECIDED, f"d{k}", decided)

    def close(self) -> None:
        """Add the column that says whether a row can be used; its label is not considered."""
        conditions = self.conditions or [self.dialect.literal(True)]
        holds = added(conditions, and_)
        self.good = self.column(_DECIDED, "good", self.dialect.certain(holds))

    def weights(self, *, fourths: bool = False) -> list[str]:
        """The columns of weights that every cell adds up; rows of weight 0 are no cases.

        Fourth powers are needed only to compare models.
        """
        if self.weight is None:
            return []
        squares = self.weight * self.weight
        made = {"weight": self.weight, "squares": squares}
        made["cases"] = self.dialect.indicator(self.weight > self.dialect.literal(0.0))
        made |= {"fourths": squares * squares} if fourths else {}
        return [self.plan.add(_CELLS, name, each) for name, each in made.items()]

    def moments(self, step: int, name: str, value: Any) -> list[str]:
        """A quantity and its square, each times the weight."""
        value = self.column(step, name, value)
        if self.weight is None:
            return [PREFIX + name, self.plan.add(step + 1, f"{name}_square", value * value)]
        once = self.plan.add(step + 1, f"{name}_sum", value * self.weight)
        return [once, self.plan.add(step + 1, f"{name}_square", value * value * self.weight)]

    def costs(self, amounts: Any) -> list[str]:
        """Columns with the amounts of every cell of the cost matrix, to be added up."""
        names: list[str] = []
        for (i, j), amount in amounts.items():
            if not isinstance(amount, float):
                names += self.moments(_WEIGHED, f"amount{i}_{j}", amount)
        if self.request.naive:
            least = least_amount(self.dialect, self.truth, amounts, self.made.sizes[0])
            names += self.moments(_WEIGHED, "least", least)[:1]
        # given decisions need no cut, and so no second pass
        last = self.request.case_rules or (self.request.finds_cut and not self.made.binned)
        if last and self.weight is None:
            names += self.lost(amounts)
        return names + self.earned(amounts)

    def earned(self, amounts: Any) -> list[str]:
        """Column that marks rows where an error has a negative cost, below the right decision's."""
        lit, odd = self.dialect.literal, []
        decisions = next(iter(self.request.applications.values())).decisions
        places = right_decisions(self.request.classes, decisions)
        for (i, j), amount in amounts.items():
            if places is None:
                break
            right = amounts[i, places[i]]
            if j != places[i] and not (isinstance(amount, float) and isinstance(right, float)):
                cost, best = (lit(x) if isinstance(x, float) else x for x in (amount, right))
                odd.append((cost < lit(0.0)) & (cost < best))
        if not odd:
            return []
        return [self.plan.add(_WEIGHED, "earned", self.dialect.indicator(added(odd, or_)))]

    def lost(self, amounts: Any) -> list[str]:
        """Powers of how much more, and of how much less, the wrong of two decisions costs."""
        lit, names = self.dialect.literal, []
        first, second = (gap(self.dialect, amounts, i, 1 - i) for i in (0, 1))
        more = self.dialect.when(self.truth == lit(0), first, second)
        more = self.column(_WEIGHED, "more", more)
        for name, size in (("above", more), ("below", lit(0.0) - more)):
            once = self.column(
                _DECIDED, f"{name}1", self.dialect.when(size > lit(0.0), size, lit(0.0))
            )
            self.plan.add(_CELLS, f"{name}2", once * once)
            self.plan.add(_CELLS, f"{name}3", once * once * once)
            names += [f"{PREFIX}{name}{power}" for power in (1, 2, 3)]
        return names

    def looks(self, k: int, last: Any) -> list[str]:
        """Columns p (1 - p) of the last class and, for two classes, p; not needed with bins."""
        made = {"unsure": last * (self.dialect.literal(1.0) - last)}
        made |= {"leaning": last} if self.made.sizes[0] == 2 else {}
        if self.weight is not None:
            made = {name: self.weight * value for name, value in made.items()}
        return [self.plan.add(_CELLS, f"{name}{k}", value) for name, value in made.items()]

    def scores(self, k: int, parts: list[Any]) -> list[str]:
        """Log scores and Brier scores of one model, and how often it was certain and wrong."""
        lit, when = self.dialect.literal, self.dialect.when
        every = parts if len(parts) > 1 else [lit(1.0) - parts[0], parts[0]]
        is_true = [self.truth == lit(i) for i in range(len(every))]
        meant = self.dialect.first_of(list(zip(is_true, every, strict=True))[:-1], every[-1])
        meant = self.column(_CELLS, f"meant{k}", when(self.good, meant, lit(1.0)))
        possible = meant > lit(0.0)
        counts = lit(1) if self.weight is None else when(self.weight > lit(0.0), lit(1), lit(0))
        certain = self.plan.add(_SCORED, f"certain{k}", when(possible, lit(0), counts))
        log = lit(0.0) - self.dialect.log(when(possible, meant, lit(1.0)))
        brier = (lit(1.0) - meant) * (lit(1.0) - meant)
        if len(every) > 2:
            gaps = [p - self.dialect.indicator(t) for p, t in zip(every, is_true, strict=True)]
            brier = added([gap * gap for gap in gaps])
        names = [certain, *self.moments(_SCORED, f"log{k}", log)]
        return names + self.moments(_SCORED, f"brier{k}", brier)

    def cells(
        self, name: str, decided: list[Any], panel: tuple[int, ...], sums: tuple[str, ...]
    ) -> None:
        """Count the joint cells of the truth and some decisions."""
        lit, sizes = self.dialect.literal, self.made.panel_sizes(panel)
        most = prod((sizes[0] + 1, *sizes[1:]))  # with the code of unknown labels
        joint = self.dialect.integer(self.truth, most)  # wide enough for the products
        for code, size in zip(decided, sizes[1:], strict=True):
            joint = joint * lit(size) + code
        cell = self.dialect.when(self.good, joint, lit(prod(sizes)))
        self.column(_CELLS, name, self.dialect.integer(cell, most))
        self.plan.groupings.append(Grouping((*self.request.by, PREFIX + name), sums))

    def beside(self, usable: Any) -> Any:
        """The joint decision of all models but the first, as a float."""
        lit, joint = self.dialect.literal, None
        for k, size in self.made.others.items():
            code = self.dialect.number(f"{PREFIX}d{k}")
            joint = code if joint is None else joint * lit(float(size)) + code
        last = lit(float(self.made.first_unusable))
        joint = lit(0.0) if joint is None else joint
        return self.column(_CELLS, "beside", self.dialect.when(usable, joint, last))

    def bins(self, k: int, model: str, score: Any, amounts: Any) -> None:
        """Put one score into bins, and count what falls into each."""
        lit, request = self.dialect.literal, self.request
        kind, joint = self.made.score_type(model), k == 0 and self.made.from_bins
        every = [request._rule(app, kind).cuts()[0] for app in request.applications.values()]
        bins = Bins.fitting(request.bins, [cut for at in every for cut in at])
        self.made.bins[model] = bins
        # one grouping counts unusable rows, so the others only need their own column
        usable = self.dialect.certain(self.dialect.between(score, lit(0.0), lit(1.0)))
        usable = self.good & (self.truth <= lit(1)) if joint else usable
        score = self.column(_CELLS, f"score{k}", self.dialect.when(usable, score, lit(0.0)))
        taken = self.column(_SCORED, f"steps{k}", steps(self.dialect, score, bins.half))
        code = place(self.dialect, score, taken, bins.half)
        for cut in bins.thresholds:
            code = code + self.dialect.indicator(score > lit(cut))
        most = self.made.first_unusable if joint else bins.count
        if joint:
            code = code * lit(float(self.made.beside)) + self.beside(usable)
        self.column(_BINNED, f"bin{k}", self.dialect.integer(code, most))
        second = self.column(_CELLS, "second", self.dialect.indicator(self.truth == lit(1)))
        sums = [PREFIX + "second", *self.weights()]
        if self.weight is not None:
            made = {"weight": self.weight, "cases": self.dialect.column(PREFIX + "cases")}
            made["squares"] = self.weight * self.weight
            sums += [self.plan.add(_SCORED, f"second_{n}", second * v) for n, v in made.items()]
        if request.finds_cut:  # how much more acting is expected to cost than waiting
            said = self.dialect.column(f"{PREFIX}score{k}")
            rule = request._rule(next(iter(request.applications.values())))
            risk = risk_of_acting(self.dialect, said, amounts, rule)
            risk = self.column(
                _SCORED, f"risk{k}", risk if self.weight is None else risk * self.weight
            )
            sums += [f"{PREFIX}risk{k}", self.plan.add(_BINNED, f"second_risk{k}", second * risk)]
        keys = (*request.by, f"{PREFIX}bin{k}")
        self.plan.groupings.append(Grouping(keys, tuple(sums), f"{PREFIX}score{k}"))


def _panels(request: Request, sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Which systems are counted together: all, those of one rule, or each alone."""
    systems = request.systems
    if prod(sizes) <= (_PAIRED if request.case_rules else _TOGETHER):
        return [tuple(range(len(systems)))]
    found: list[tuple[int, ...]] = []
    for rule in dict.fromkeys(system.application for system in systems):
        mine = tuple(k for k, system in enumerate(systems) if system.application == rule)
        together = sizes[0] * prod(sizes[1 + k] for k in mine) <= _PAIRED
        found += [mine] if together else [(k,) for k in mine]
    return found
