"""Some rows of a frame, read into memory for what counts cannot tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._names import encode
from stakes.engines.column_types import ColumnTypes
from stakes.engines.reduction import Part, Reduction
from stakes.engines.row_values import Table
from stakes.exceptions import StakesError
from stakes.typing import FloatArray, IntArray

#: Rows that are drawn to re-calibrate models of more than two classes.
SAMPLE = 20_000
#: The most numbers that are drawn: rows times columns.
_MOST_NUMBERS = 2_000_000
#: Multiples of this are spread evenly over a circle, whatever periods the rows have.
_GOLDEN = (math.sqrt(5) - 1) / 2
#: A second number of that kind, by which seeds differ.
_SILVER = math.sqrt(2) - 1


class Chosen(NamedTuple):
    """Which rows are taken, by their number from 1 on: a share of them, spread evenly."""

    share: float
    shift: float

    @classmethod
    def of(cls, wanted: int, n_rows: int, seed: int) -> Chosen:
        """About `wanted` of the rows; all of them if there are no more."""
        return cls(min(1.0, wanted / max(n_rows, 1)), (seed * _SILVER) % 1.0)

    def holds(self, number: Any) -> Any:
        """Whether the row of this number is taken; also for arrays and Polars expressions."""
        return (number * _GOLDEN + self.shift) % 1.0 < self.share

    def sql(self, number: str) -> str:
        """The same as SQL."""
        place = f"({number} * {_GOLDEN!r} + {self.shift!r})"
        return f"{place} - floor({place}) < {self.share!r}"


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """Rows in memory: true classes, posteriors or decisions of models, weights and groups.

    `place` is where each row stood, so that rows of slices come together in their order.
    """

    truth: NDArray[Any]
    said: Mapping[str, NDArray[Any]]
    weights: FloatArray | None
    place: IntArray
    groups: NDArray[Any] | None = None

    def part(self, inside: NDArray[Any]) -> RowSample:
        """Some of the rows."""
        said = {name: values[inside] for name, values in self.said.items()}
        weights = None if self.weights is None else self.weights[inside]
        return RowSample(self.truth[inside], said, weights, self.place[inside])

    def __add__(self, other: RowSample) -> RowSample:
        return RowSample.joined([self, other])

    @classmethod
    def joined(cls, parts: Sequence[RowSample]) -> RowSample:
        """The rows of several samples."""
        place = np.concatenate([part.place for part in parts])
        order = np.argsort(place, kind="stable")

        def all_of(columns: list[Any]) -> Any:
            missing = any(each is None for each in columns)
            return None if missing else np.concatenate(columns)[order]

        said = {name: all_of([part.said[name] for part in parts]) for name in parts[0].said}
        truth, weights, groups = (
            all_of([getattr(part, name) for part in parts])
            for name in ("truth", "weights", "groups")
        )
        return cls(truth, said, weights, place[order], groups)


def with_sample(found: Reduction, frame: Any, engine: ModuleType, types: ColumnTypes) -> Reduction:
    """Add some of the rows to each slice of a reduction, unless the engine does not order rows."""
    request = found.request
    wanted = min(request.sample, _MOST_NUMBERS // len(request.columns))
    chosen = Chosen.of(wanted, found.n_rows, request.seed)
    table = engine.some_rows(frame, request.columns, chosen)
    if table is None:
        return found
    if request.sample_weight is not None:  # rows of weight 0 are no cases
        kept = [k for k, weight in enumerate(table[request.sample_weight]) if weight > 0]
        table = {name: [values[k] for k in kept] for name, values in table.items()}
    try:
        rows = _read(found, table, types)
    except StakesError:  # labels that an engine can compare and Python cannot
        return found
    parts: dict[Any, Part] = {}
    keys = list(zip(*(table[name] for name in request.by), strict=True))
    at: dict[Any, list[int]] = {}
    for k, key in enumerate(keys):
        at.setdefault(key, []).append(k)
    for key, part in found.parts.items():
        inside = np.array(at.get(key, []), dtype=np.intp) if request.by else slice(None)
        parts[key] = replace(part, sample=rows.part(inside))  # type: ignore[arg-type]
    return Reduction(request, found.kinds, parts)


def _read(found: Reduction, table: Table, types: ColumnTypes) -> RowSample:
    """Columns of plain values as arrays."""
    request = found.request
    app = next(iter(request.applications.values()))
    said: dict[str, NDArray[Any]] = {}
    for model, columns in request.models.items():
        if found.kinds[model] == "decisions":
            said[model] = np.asarray(encode(table[columns[0]], app.decisions, model))
            continue
        kind = types.float_type(columns)
        said[model] = np.column_stack([np.array(table[name], dtype=kind) for name in columns])
    truth = np.asarray(encode(table[request.label], request.classes, request.label))
    weights = None
    if request.sample_weight is not None:
        weights = np.array(table[request.sample_weight], dtype=np.float64)
    return RowSample(truth, said, weights, np.arange(truth.shape[0]))
