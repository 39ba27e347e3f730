"""Joint cells of some systems, and everything about the rows of one slice; both add with +."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.joint_cells import add_cells
from stakes.engines.request import System
from stakes.summaries import ScoreBins
from stakes.typing import FloatArray, IntArray

__all__ = ["Panel", "Part"]


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Joint cells of some systems: the rows of each that occurs, and sums over them by name."""

    systems: tuple[System, ...]
    cells: IntArray  # (n_cells, 1 + n_systems)
    rows: NDArray[np.int64]
    sums: Mapping[str, FloatArray]

    @property
    def counts(self) -> NDArray[Any]:
        """The weight of each cell; its number of rows where there are no weights."""
        return self.sums.get("weight", self.rows)

    @classmethod
    def gathered(
        cls,
        systems: tuple[System, ...],
        cells: IntArray,
        rows: NDArray[np.int64],
        sums: Mapping[str, FloatArray],
    ) -> Panel:
        """Cells that may occur several times, added up."""
        kept, counted = add_cells(cells, rows)
        inside = rows > 0
        added = {name: _sums(cells[inside], v[inside], kept) for name, v in sums.items()}
        return cls(systems, kept, counted, added)

    def of(self, systems: tuple[System, ...]) -> Panel:
        """The joint cells of some of the systems, in this order."""
        columns = [0, *(1 + self.systems.index(system) for system in systems)]
        return Panel.gathered(systems, self.cells[:, columns], self.rows, self.sums)

    def __add__(self, other: Panel) -> Panel:
        cells = np.concatenate([self.cells, other.cells])
        rows = np.concatenate([self.rows, other.rows])
        sums = {n: np.concatenate([values, other.sums[n]]) for n, values in self.sums.items()}
        return Panel.gathered(self.systems, cells, rows, sums)


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
