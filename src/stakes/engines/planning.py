"""From a request to a plan: expressions for every row, and what to add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from stakes.engines.bins import Bins, place
from stakes.engines.columns import ColumnTypes, coded
from stakes.engines.plan import PREFIX, Grouping, Plan
from stakes.engines.request import Request
from stakes.engines.rules import argmin, cuts, decided_by_cuts, expected_costs

__all__ = ["Planned", "planned"]

LARGEST = 1.7976931348623157e308
#: Makes the smallest negative posterior as large a fault as a sum that is far off.
HUGE = 1e300
#: Up to so many possible combinations all decisions are counted together, in one table.
TOGETHER = 2**12
#: Up to so many, the models of one application are.
PAIRED = 2**20


@dataclass(slots=True, eq=False)
class Planned:
    """A plan, and how to read what it comes to."""

    request: Request
    kinds: dict[str, str]
    sizes: tuple[int, ...]  # classes, then the decisions of each system
    panels: list[tuple[int, ...]]  # systems that are counted together
    plan: Plan = field(default_factory=Plan)
    bins: dict[str, Bins] = field(default_factory=dict)

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
    decided = [
        at.decision(k, system.model, system.application, parts.get(system.model, []))
        for k, system in enumerate(request.systems)
    ]
    good, sums = at.good(), at.sums(weight)
    for k, panel in enumerate(at.made.panels):
        at.cells(f"cell{k}", [truth, *(decided[s] for s in panel)], panel, good, sums)
    if request.n_bins:
        for k, (model, columns) in enumerate(parts.items()):
            at.binned(k, model, columns[-1], truth, good, weight)
    return at.made


class _Planner:
    """Adds columns to a plan; numbers of steps say what must exist before."""

    def __init__(self, request: Request, types: ColumnTypes, dialect: Any) -> None:
        n_classes = len(request.classes)
        kinds = {m: types.kind(c, m, n_classes) for m, c in request.models.items()}
        sizes = (n_classes, *(len(request.decisions_of(system)) for system in request.systems))
        self.made = Planned(request, kinds, sizes, _panels(request, sizes))
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
        """The code of the true class."""
        names, label = self.request.classes, self.request.label
        code = self.column(0, "truth", coded(self.dialect, label, self.types, names, "label"))
        self.conditions.append(code >= self.dialect.literal(0))
        return code

    def weight(self) -> Any | None:
        """The weight of each row."""
        if self.request.sample_weight is None:
            return None
        weight = self.number(self.request.sample_weight)
        lit = self.dialect.literal
        self.conditions += [weight >= lit(0.0), weight <= lit(LARGEST)]
        return weight

    def posteriors(self, k: int, model: str) -> list[Any]:
        """The columns of posteriors of a model, checked."""
        lit, columns = self.dialect.literal, self.request.models[model]
        parts = [self.number(name) for name in columns]
        if len(parts) == 1:
            self.conditions += [parts[0] >= lit(0.0), parts[0] <= lit(1.0)]
            return parts
        total, below = parts[0], self.dialect.size(parts[0]) - parts[0]
        for part in parts[1:]:
            total = total + part
            below = below + (self.dialect.size(part) - part)
        total = self.column(1, f"total{k}", total)
        fault = self.dialect.size(total - lit(1.0)) + lit(HUGE) * below
        fault = self.column(2, f"fault{k}", fault)
        self.conditions.append(fault <= lit(self.types.tolerance(columns)))
        return parts

    def decision(self, k: int, model: str, app: str, parts: list[Any]) -> Any:
        """What one model decides at one application."""
        application, said_at = self.request.applications[app], self.request.posterior_priors
        if self.made.kinds[model] == "decisions":
            name = self.request.models[model][0]
            code = coded(self.dialect, name, self.types, application.decisions, model)
            code = self.column(0, f"d{k}", code)
            self.conditions.append(code >= self.dialect.literal(0))
            return code
        if len(application.classes) == 2:
            rule = cuts(application, said_at)
            return self.column(3, f"d{k}", decided_by_cuts(self.dialect, parts[-1], *rule))
        total = self.dialect.column(f"{PREFIX}total{list(self.request.models).index(model)}")
        costs = expected_costs(self.dialect, parts, total, application, said_at)
        named = [self.column(2, f"e{k}_{j}", cost) for j, cost in enumerate(costs)]
        return self.column(3, f"d{k}", argmin(self.dialect, named))

    def good(self) -> Any:
        """Whether everything about a row can be used."""
        holds = self.conditions[0]
        for condition in self.conditions[1:]:
            holds = holds & condition
        lit = self.dialect.literal
        return self.column(3, "good", self.dialect.when(holds, lit(True), lit(False)))

    def sums(self, weight: Any | None) -> tuple[str, ...]:
        """The columns that are added up within every cell."""
        if weight is None:
            return ()
        self.column(4, "weight", weight)
        self.column(4, "squares", weight * weight)
        return PREFIX + "weight", PREFIX + "squares"

    def cells(
        self, name: str, codes: list[Any], panel: tuple[int, ...], good: Any, sums: tuple[str, ...]
    ) -> None:
        """Count the joint cells of the truth and some decisions."""
        lit, sizes = self.dialect.literal, self.made.panel_sizes(panel)
        joint = codes[0]
        for code, size in zip(codes[1:], sizes[1:], strict=True):
            joint = joint * lit(size) + code
        refused = prod(sizes)
        cell = self.dialect.when(good, joint, lit(refused))
        self.column(4, name, self.dialect.integer(cell, refused))
        self.plan.groupings.append(Grouping((*self.request.by, PREFIX + name), sums))

    def binned(
        self, k: int, model: str, score: Any, truth: Any, good: Any, weight: Any | None
    ) -> None:
        """Count one score in bins, by class."""
        lit, request = self.dialect.literal, self.request
        every = [cuts(app, request.posterior_priors)[0] for app in request.applications.values()]
        bins = Bins.fitting(request.n_bins, [cut for at in every for cut in at])
        self.made.bins[model] = bins
        score = self.column(4, f"score{k}", self.dialect.when(good, score, lit(0.0)))
        code = place(self.dialect, score, bins.half)
        for cut in bins.thresholds:
            code = code + self.dialect.when(score > lit(cut), lit(1), lit(0))
        code = self.dialect.when(good, code, lit(bins.count))
        self.column(5, f"bin{k}", self.dialect.integer(code, bins.count))
        second = truth == lit(1)
        sums = [self.plan.add(4, "second", self.dialect.when(second, lit(1), lit(0)))]
        if weight is not None:
            sums += [PREFIX + "weight"]
            counted = self.dialect.when(second, weight, lit(0.0))
            sums += [self.plan.add(4, "second_weight", counted)]
        keys = (*request.by, f"{PREFIX}bin{k}")
        self.plan.groupings.append(Grouping(keys, tuple(sums), f"{PREFIX}score{k}"))


def _panels(request: Request, sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Which systems are counted together: all, those of one application, or each alone."""
    systems = request.systems
    if prod(sizes) <= TOGETHER:
        return [tuple(range(len(systems)))]
    found: list[tuple[int, ...]] = []
    for app in request.applications:
        mine = tuple(k for k, system in enumerate(systems) if system.application == app)
        together = sizes[0] * prod(sizes[1 + k] for k in mine) <= PAIRED
        found += [mine] if together else [(k,) for k in mine]
    return found
