"""Reduction: what one pass over the rows leaves, slice by slice; adds with +."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import frozen
from stakes._kernels.joint_cells import add_cells
from stakes._names import listed
from stakes.engines.request import Request, System
from stakes.exceptions import DataError, MergeError, UndefinedError
from stakes.summaries import ConfusionMatrix, PairedCounts, ScoreBins
from stakes.typing import FloatArray, IntArray

__all__ = ["Panel", "Part", "Reduction"]

#: The value of each column of `by`.
Slice = tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Joint cells of some systems: rows, weight and squared weight of each that occurs."""

    systems: tuple[System, ...]
    cells: IntArray  # (n_cells, 1 + n_systems)
    rows: NDArray[np.int64]
    weights: FloatArray | None
    squares: FloatArray | None

    def __add__(self, other: Panel) -> Panel:
        cells = np.concatenate([self.cells, other.cells])

        def added(name: str) -> Any:
            one, two = getattr(self, name), getattr(other, name)
            return None if one is None else _sums(cells, np.concatenate([one, two]), kept)

        kept, rows = add_cells(cells, np.concatenate([self.rows, other.rows]))
        return Panel(self.systems, kept, rows, added("weights"), added("squares"))

    @property
    def counts(self) -> NDArray[Any]:
        """The weight of each cell; its number of rows where there are no weights."""
        return self.rows if self.weights is None else self.weights


def _sums(cells: IntArray, values: FloatArray, kept: IntArray) -> FloatArray:
    """Values of equal cells added, in the order of `kept`."""
    place = {tuple(cell): k for k, cell in enumerate(kept.tolist())}
    at = [place[tuple(cell)] for cell in cells.tolist()]
    return np.asarray(np.bincount(at, weights=values, minlength=kept.shape[0]), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Everything about the rows of one slice."""

    panels: tuple[Panel, ...]
    bins: Mapping[str, ScoreBins]

    def __add__(self, other: Part) -> Part:
        panels = tuple(a + b for a, b in zip(self.panels, other.panels, strict=True))
        bins = {**self.bins}
        for name, found in other.bins.items():
            bins[name] = bins[name] + found if name in bins else found
        return Part(panels, bins)


@dataclass(frozen=True, eq=False, repr=False)
class Reduction:
    """Summaries of a frame: every model at every application, apart for each slice.

    Made by `reduce_frame`. Reductions of the same request add with ``+``, so that files,
    days and shards can be reduced apart. Index it by a slice for the reduction of that slice.

    Parameters
    ----------
    request : Request
        What was asked for.
    kinds : mapping of str to {"posteriors", "decisions"}
        What each model gave.
    parts : mapping
        By values of the columns of `by`, in order: what the rows come to.
    """

    request: Request
    kinds: Mapping[str, str]
    parts: Mapping[Slice, Part]

    @cached_property
    def whole(self) -> Part:
        """All slices together."""
        parts = list(self.parts.values())
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    @property
    def slices(self) -> tuple[Slice, ...]:
        """The values of the columns of `by` that occur."""
        return tuple(self.parts)

    @property
    def n_rows(self) -> int:
        """How many rows were read."""
        return int(self.whole.panels[0].rows.sum())

    @property
    def rows_by_class(self) -> NDArray[np.int64]:
        """How many rows each class has, whatever they weigh."""
        panel = self.whole.panels[0]
        found = np.zeros(len(self.request.classes), dtype=np.int64)
        np.add.at(found, panel.cells[:, 0], panel.rows)
        return found

    @property
    def class_totals(self) -> FloatArray:
        """Number (or weight) of cases of each class."""
        panel = self.whole.panels[0]
        found = np.zeros(len(self.request.classes))
        np.add.at(found, panel.cells[:, 0], panel.counts)
        return found

    def confusion(
        self, model: str | None = None, application: str | None = None
    ) -> ConfusionMatrix:
        """The confusion matrix of one model at one application; the only ones by default."""
        system = self._system(model, application)
        panel, column = self._panel(system)
        decisions = self.request.decisions_of(system)
        table = np.zeros((len(self.request.classes), len(decisions)), dtype=panel.counts.dtype)
        np.add.at(table, (panel.cells[:, 0], panel.cells[:, column]), panel.counts)
        return ConfusionMatrix(table, self.request.classes, decisions)

    def paired(self, application: str | None = None) -> PairedCounts:
        """What all models decided at one application, as joint counts."""
        app = self._application(application)
        wanted = [System(model, app) for model in self.request.models]
        for panel in self.whole.panels:
            if set(wanted) <= set(panel.systems):
                columns = [0, *(1 + panel.systems.index(system) for system in wanted)]
                cells, counts = add_cells(panel.cells[:, columns], panel.counts)
                names = tuple(self.request.models)
                decisions = self.request.applications[app].decisions
                return PairedCounts(cells, counts, names, self.request.classes, decisions)
        raise UndefinedError(
            "these models were counted apart: there would be too many combinations of what they "
            "decide.",
            hint="reduce two models at a time to compare them",
        )

    def score_bins(self, model: str | None = None) -> ScoreBins:
        """The posterior of the second class in bins; exact at the thresholds of all applications.

        Needs ``n_bins`` in the request.
        """
        name = self._model(model)
        if name not in self.whole.bins:
            raise DataError(f"the scores of {name!r} were not binned.", hint="n_bins=2**16")
        return self.whole.bins[name]

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

    def _application(self, name: str | None) -> str:
        """The application meant; the only one by default."""
        return _only(name, self.request.applications, "application")

    def _model(self, name: str | None) -> str:
        """The model meant; the only one by default."""
        return _only(name, self.request.models, "model")

    def _system(self, model: str | None, application: str | None) -> System:
        """The model and application meant."""
        return System(self._model(model), self._application(application))

    def _panel(self, system: System) -> tuple[Panel, int]:
        """Where a system was counted."""
        for panel in self.whole.panels:
            if system in panel.systems:
                return panel, 1 + panel.systems.index(system)
        raise KeyError(system)


def _only(name: str | None, known: Mapping[str, Any], what: str) -> str:
    """A name that is known; the only one where none was given."""
    if name is None and len(known) == 1:
        return next(iter(known))
    if name is None or name not in known:
        raise DataError(f"say which {what}: {listed(tuple(known))}.")
    return name


def frozen_counts(values: Any, kind: Any) -> NDArray[Any]:
    """A list of numbers as an array that cannot be written to."""
    return frozen(np.asarray(values, dtype=kind))
