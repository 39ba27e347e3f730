"""Reduction: the summaries of one pass over the rows, by slice; reductions add with +."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_whole
from stakes._kernels.cell_counts import add_cells
from stakes._names import listed, place_of
from stakes.application import CostMatrix
from stakes.engines.request import PER_CASE, Request, System
from stakes.exceptions import DataError, MergeError, UndefinedError
from stakes.summaries import ConfusionMatrix, CostTally, PairedCounts, ScoreBins
from stakes.typing import FloatArray, IntArray, Name

if TYPE_CHECKING:
    from stakes.engines.row_sample import RowSample
    from stakes.uncertainty.intervals.case_rows import CellSums


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Joint cells of some systems that occur: their rows, and sums over the rows by name."""

    systems: tuple[System, ...]
    cells: IntArray  # (n_cells, 1 + n_systems)
    rows: NDArray[np.int64]
    sums: Mapping[str, FloatArray]

    @property
    def counts(self) -> NDArray[Any]:
        """The weight of each cell; its number of rows where there are no weights."""
        return self.sums.get("weight", self.rows)

    def gathered(self) -> Panel:
        """The same panel with repeated cells added up."""
        kept, counted = add_cells(self.cells, self.rows)
        place = {tuple(cell): k for k, cell in enumerate(kept.tolist())}
        inside = self.rows > 0
        at = [place[tuple(cell)] for cell in self.cells[inside].tolist()] if self.sums else []
        sums: dict[str, Any] = {
            name: np.bincount(at, values[inside], len(kept)) for name, values in self.sums.items()
        }
        return Panel(self.systems, kept, counted, sums)

    def of(self, systems: tuple[System, ...]) -> Panel:
        """The joint cells of some of the systems, in this order."""
        columns = [0, *(1 + self.systems.index(system) for system in systems)]
        return Panel(systems, self.cells[:, columns], self.rows, self.sums).gathered()

    def __add__(self, other: Panel) -> Panel:
        cells = np.concatenate([self.cells, other.cells])
        rows = np.concatenate([self.rows, other.rows])
        both = [name for name in self.sums if name in other.sums]
        sums = {name: np.concatenate([self.sums[name], other.sums[name]]) for name in both}
        return Panel(self.systems, cells, rows, sums).gathered()

    def added(self, values: NDArray[Any], shape: tuple[int, ...], *columns: int) -> NDArray[Any]:
        """Values of the cells added up by some of their columns; the first is the truth."""
        found = np.zeros(shape, dtype=values.dtype)
        np.add.at(found, tuple(self.cells[:, k] for k in columns), values)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Everything about the rows of one slice.

    For weighted rows, `numbers` holds the number of rows and the sum of squared weights by bin and
    class, (2, n_bins, 2). With costs per case, `risks` holds how much more acting is expected to
    cost than waiting, by bin and class. `sample` holds some of the rows, if the request asks for
    them.
    """

    panels: tuple[Panel, ...]
    bins: Mapping[str, ScoreBins]
    numbers: Mapping[str, FloatArray] = field(default_factory=dict)
    risks: Mapping[str, FloatArray] = field(default_factory=dict)
    sample: RowSample | None = None

    def __add__(self, other: Part) -> Part:
        panels = tuple(a + b for a, b in zip(self.panels, other.panels, strict=True))
        sample = None
        if self.sample is not None and other.sample is not None:
            sample = self.sample + other.sample
        return Part(
            panels,
            _merged(self.bins, other.bins),
            _merged(self.numbers, other.numbers),
            _merged(self.risks, other.risks),
            sample,
        )


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Add two mappings by name; a name may be in one of them only."""
    both = {name: first[name] + found for name, found in second.items() if name in first}
    return {**first, **second, **both}


#: The value of each column of `by`.
Slice = tuple[Any, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Reduction:
    """Summaries of a frame: every model at every application, separately for each slice.

    Made by `reduce_frame`. Reductions of the same request add with ``+``, so that files,
    days and shards can be reduced separately. Index it by a slice for the reduction of that slice.

    Parameters
    ----------
    request : Request
        What was asked for.
    kinds : mapping of str to {"posteriors", "decisions"}
        What each model gave.
    parts : mapping
        The summaries of each slice, by its values of the columns of `by`, in order.
    """

    request: Request
    kinds: Mapping[str, str]
    parts: Mapping[Slice, Part]

    @cached_property
    def whole(self) -> Part:
        """All slices together."""
        return functools.reduce(operator.add, self.parts.values())

    @property
    def slices(self) -> tuple[Slice, ...]:
        """The values of the columns of `by` that occur."""
        return tuple(self.parts)

    @property
    def n_rows(self) -> int:
        """How many rows were counted; those of weight 0 are left out."""
        return int(self.whole.panels[0].rows.sum())

    @property
    def rows_by_class(self) -> NDArray[np.int64]:
        """How many rows each class has, whatever they weigh; those of weight 0 are left out."""
        panel = self.whole.panels[0]
        return panel.added(panel.rows, (len(self.request.classes),), 0)

    @property
    def class_totals(self) -> FloatArray:
        """Number (or weight) of cases of each class."""
        panel = self.whole.panels[0]
        return panel.added(panel.counts, (len(self.request.classes),), 0).astype(np.float64)

    def confusion(
        self, model: str | None = None, application: str | None = None
    ) -> ConfusionMatrix:
        """The confusion matrix of one model at one application; the only ones by default."""
        system = System(self._model(model), self._application(application))
        if system not in self.request.systems:
            return self._of_bins(system)
        panel, column = self._panel(system)
        decisions = self.request.decisions_of(system)
        shape = (len(self.request.classes), len(decisions))
        table = panel.added(panel.counts, shape, 0, column)
        return ConfusionMatrix(table, self.request.classes, decisions)

    def paired(self, application: str | None = None) -> PairedCounts:
        """What all models decided at one application, as joint counts."""
        app, names = self._application(application), tuple(self.request.models)
        panel = self._together(app, names)
        decisions = self.request.application_of(app).decisions
        return PairedCounts(panel.cells, panel.counts, names, self.request.classes, decisions)

    def weighted(self, application: str | None = None, *, model: str | None = None) -> CellSums:
        """Sums over weighted rows that show how certain costs are, for all models or one.

        For `interval` and `compare` of `stakes.uncertainty`: the number of rows of each joint
        cell, and sums of their weights and of powers of these. A row is one case, whatever it
        weighs, as in `weighted_interval`.
        """
        from stakes.uncertainty.intervals.case_rows import CellSums

        if self.request.sample_weight is None:
            raise DataError("the rows have no weights.", hint="confusion(), or paired()")
        app = self._application(application)
        names = tuple(self.request.models) if model is None else (self._model(model),)
        panel = self._together(app, names)
        if "squares" not in panel.sums:
            raise UndefinedError("weights were added up, but not their squares: use the rows.")
        sums = [panel.sums[n] for n in ("weight", "squares", "fourths") if n in panel.sums]
        over = {"classes": self.request.classes, "systems": names}
        decisions = self.request.application_of(app).decisions
        return CellSums.of(panel.cells, panel.rows, sums, decisions=decisions, **over)

    def tally(self, model: str | None = None, rule: str = PER_CASE) -> CostTally:
        """What one model paid, each case decided by its own costs, or by another rule."""
        if self.request.case_costs is None:
            raise DataError("costs per case were not asked for.", hint="case_costs={...}")
        panel, column = self._panel(System(self._model(model), rule))
        decided = panel.cells[:, column]
        return self._tallied(panel, lambda i, j: (panel.cells[:, 0] == i) & (decided == j))

    def naive_tally(self) -> CostTally:
        """What each constant decision would have paid, by class; needs ``naive``."""
        if not self.request.naive:
            raise DataError("constant decisions were not asked for.", hint="naive=True")
        panel = self.whole.panels[0]
        return self._tallied(panel, lambda i, _: panel.cells[:, 0] == i)

    def sums_in_class(self, truth: int) -> FloatArray:
        """What each cell of the cost matrix adds up to over the cases of one class."""
        panel = self.whole.panels[0]
        code = as_whole(truth, "truth", least=0)
        return self._tallied(panel, lambda *_: panel.cells[:, 0] == code).sums

    def average_costs(self) -> CostMatrix:
        """The average of the costs of each case, over all cases."""
        panel = self.whole.panels[0]
        found = self._tallied(panel, lambda *_: np.ones(panel.rows.shape, dtype=bool))
        values = found.sums / float(panel.counts.sum())
        return CostMatrix(values, self.request.classes, self._decisions)

    @property
    def least_cost(self) -> FloatArray:
        """The least that the cases of each class could have cost; needs ``naive``."""
        panel = self.whole.panels[0]
        if "least" not in panel.sums:
            raise DataError("the least possible cost was not asked for.", hint="naive=True")
        return panel.added(panel.sums["least"], (len(self.request.classes),), 0)

    @property
    def _earned(self) -> int:
        """In how many rows an error has a negative cost, below that of the right decision."""
        return int(self.whole.panels[0].sums.get("earned", np.zeros(1)).sum())

    def log_scores(self, model: str | None = None) -> CostTally:
        """Log scores -log p of the true class, in nats, added up by class; `.cost()` is the mean.

        Needs ``proper_scores`` in the request.
        """
        return self._scores(model, "log")

    def brier_scores(self, model: str | None = None) -> CostTally:
        """Squared errors of the posteriors, added up by class; `.cost()` is the mean.

        For two classes, of the posterior of the true class, as in `metrics.binary_brier_score`;
        for more, the sum over all classes.
        """
        return self._scores(model, "brier")

    def score_bins(self, model: str | None = None) -> ScoreBins:
        """The posterior of the second class in bins; exact at the thresholds of all applications.

        Needs ``bins`` in the request.
        """
        name = self._model(model)
        if name not in self.whole.bins:
            raise DataError(f"the scores of {name!r} were not binned.", hint="bins=2**16")
        return self.whole.bins[name]

    @property
    def _certain(self) -> list[str]:
        """The models whose posteriors all are exactly 0 or 1."""
        return [model for model in self.request.models if self._looks(model)[0] == 0]

    def _looks(self, model: str) -> tuple[float, FloatArray | None]:
        """A sum that is 0 if a model is always certain, and sums of p and its square by class.

        The first is nan if it was not added up. The second has shape (2, 2); it is None if it was
        not added up, or if there are more than two classes.
        """
        panel, size = self.whole.panels[0], len(self.request.classes)
        if model in self.whole.bins:
            bins = self.whole.bins[model]
            filled = bins.counts.sum(axis=1) > 0
            low, counts = bins.lowest[filled], bins.counts[filled]
            sums = np.array([low @ counts, (low * low) @ counts])
            ends = np.concatenate([low, bins.highest[filled]])
            return float((ends * (1 - ends)).sum()), sums
        scored = [name for name, kind in self.kinds.items() if kind == "posteriors"]
        k = scored.index(model) if model in scored else -1
        if f"unsure{k}" not in panel.sums:
            return float("nan"), None
        unsure = panel.added(panel.sums[f"unsure{k}"], (size,), 0)
        if f"leaning{k}" not in panel.sums:
            return float(unsure.sum()), None
        first = panel.added(panel.sums[f"leaning{k}"], (size,), 0)
        return float(unsure.sum()), np.array([first, first - unsure])

    def _score_ends(self, model: str) -> FloatArray | None:
        """The least and the greatest score of each bin; None where they were not binned."""
        if model not in self.whole.bins:
            return None
        bins = self.whole.bins[model]
        ends = np.concatenate([bins.lowest, bins.highest])
        return np.asarray(ends[np.isfinite(ends)])

    def __getitem__(self, key: Any) -> Reduction:
        wanted = key if isinstance(key, tuple) else (key,)
        if wanted not in self.parts:
            raise KeyError(f"no slice {key!r}; there are {listed(self.slices)}")
        return Reduction(self.request, self.kinds, {wanted: self.parts[wanted]})

    def __add__(self, other: object) -> Reduction:
        if not isinstance(other, Reduction):
            return NotImplemented
        if self.request.identity != other.request.identity or self.kinds != other.kinds:
            raise MergeError("reductions must come from the same request to be added.")
        parts = dict(self.parts)
        for key, part in other.parts.items():
            parts[key] = parts[key] + part if key in parts else part
        return Reduction(self.request, self.kinds, parts)

    def __radd__(self, other: object) -> Reduction:
        return self if other == 0 else NotImplemented  # so that sum() works

    def __repr__(self) -> str:
        slices = f" in {len(self.parts)} slices" if self.request.by else ""
        n, m = len(self.request.models), len(self.request.applications)
        return f"<Reduction of {self.n_rows} rows{slices}: models {n}, applications {m}>"

    # ------------------------------------------------------------- privates

    @property
    def _decisions(self) -> tuple[Name, ...]:
        """The decisions of the first application, which costs per case have too."""
        return next(iter(self.request.applications.values())).decisions

    def _tallied(self, panel: Panel, among: Callable[[int, int], Any]) -> CostTally:
        """Cost of decision j for class i, over the cells that `among(i, j)` selects in a panel."""
        shape = (len(self.request.classes), len(self._decisions))
        counts, sums, squares = np.zeros((3, *shape))
        for i, j in np.ndindex(*shape):
            here, name = among(i, j), f"amount{i}_{j}"
            counts[i, j] = panel.counts[here].sum()
            if name in panel.sums:
                sums[i, j] = panel.sums[name][here].sum()
                squares[i, j] = panel.sums[f"{name}_square"][here].sum()
            elif formula := (self.request.case_costs or {}).get((i, j)):
                amount = float(formula.value({}))
                sums[i, j], squares[i, j] = amount * counts[i, j], amount * amount * counts[i, j]
        return CostTally(counts, sums, squares, self.request.classes, self._decisions)

    def _of_bins(self, system: System) -> ConfusionMatrix:
        """The confusion matrix of a system that was not counted, from the bins of its model."""
        bins, app = self.score_bins(system.model), self.request.applications[system.application]
        rule = self.request._rule(app)
        at, decisions = rule.cuts(bins._type_for(np.array(rule.thresholds)))
        table = np.zeros(app.costs.shape, dtype=bins.counts.dtype)
        filled = bins.counts.sum(axis=1) > 0
        chosen = np.asarray(decisions)[np.searchsorted(at, bins.lowest[filled], side="left")]
        np.add.at(table.T, chosen, bins.counts[filled])
        return ConfusionMatrix(table, app.classes, app.decisions)

    def _scores(self, model: str | None, score: str) -> CostTally:
        """The sums of one proper score."""
        name, panel = self._model(model), self.whole.panels[0]
        k = [m for m, kind in self.kinds.items() if kind == "posteriors"].index(name)
        if f"certain{k}" not in panel.sums:
            raise DataError("proper scores were not asked for.", hint="proper_scores=True")
        wrong = float(panel.sums[f"certain{k}"].sum())
        if score == "log" and wrong:
            gave = f"{name!r} gave the true class a posterior of 0 in {wrong:g} rows"
            raise UndefinedError(f"the log score is infinite: {gave}.")
        sums, squares = panel.sums[f"{score}{k}"], panel.sums[f"{score}{k}_square"]
        size = (len(self.request.classes),)
        counts, sums, squares = (
            panel.added(each, size, 0)[:, None] for each in (panel.counts, sums, squares)
        )
        return CostTally(counts, sums, squares, self.request.classes, ("all",))

    def _application(self, name: str | None) -> str:
        """The application meant; the only one by default."""
        if place_of(name, {each.application for each in self.request.systems}) is not None:
            return str(name)
        return _only(name, self.request.applications, "application")

    def _model(self, name: str | None) -> str:
        """The model meant; the only one by default."""
        return _only(name, self.request.models, "model")

    def _together(self, application: str, models: tuple[str, ...]) -> Panel:
        """The joint cells of some models at one application."""
        wanted = tuple(System(model, application) for model in models)
        for panel in self.whole.panels:
            if set(wanted) <= set(panel.systems):
                return panel.of(wanted)
        raise UndefinedError(
            "these models were counted separately: their decisions have too many combinations.",
            hint="reduce two models at a time to compare them",
        )

    def _panel(self, system: System) -> tuple[Panel, int]:
        """The panel in which a system was counted, and its column there."""
        panel = next(each for each in self.whole.panels if system in each.systems)
        return panel, 1 + panel.systems.index(system)


def _only(name: str | None, known: Mapping[str, Any], what: str) -> str:
    """A name that is known; the only one where none was given."""
    if name is None and len(known) == 1:
        return next(iter(known))
    if name is None or place_of(name, known) is None:
        raise DataError(f"say which {what}: {listed(tuple(known))}.")
    return name
