"""Table: named columns of rows in memory."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import of_kind
from stakes.exceptions import DataError, FormatError
from stakes.messages.quantities import grouped
from stakes.sources.cells import Labels, as_labels, as_numbers


@dataclass(frozen=True, slots=True)
class Table:
    """Rows in memory: named columns of one file, extracted on demand.

    Two-dimensional arrays (from .npy and .npz) are kept separately in `matrices`.
    """

    source: str
    n_rows: int
    names: tuple[str, ...]
    form: str
    digest: str = ""
    getters: Sequence[Callable[[], NDArray[Any]]] = ()
    matrices: dict[str, NDArray[Any]] = field(default_factory=dict)
    decimal_comma: bool = False  # numbers may have one
    decimal_point: bool = True  # numbers may have one; not if some have a decimal comma
    is_list: bool = False  # a list of keys, such as trials, perhaps with scores
    lines: Sequence[str] = ()  # the original JSON lines, with values that columns cannot hold
    zoned: Sequence[str] = ()  # columns of times with a zone, whose cells are in UTC
    types: Mapping[str, Any] = field(default_factory=dict)  # Arrow types, if the file has them

    @property
    def is_far(self) -> bool:
        """False: the rows are in memory."""
        return False

    def cells(self, name: str) -> NDArray[Any]:
        """A column as it stands in the file."""
        return self.getters[self.position(name)]()

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where empty."""
        return self.as_numbers(self.cells(name), name)

    def as_numbers(self, cells: NDArray[Any], name: str) -> NDArray[np.float64]:
        """Cells of a column as numbers, as they are written in this file."""
        comma, point = self.decimal_comma, self.decimal_point
        return as_numbers(cells, name, decimal_comma=comma, decimal_point=point)

    def labels(self, name: str) -> Labels:
        """A column as labels."""
        return as_labels(self.cells(name), name)

    def _columns_digest(self, names: Sequence[str]) -> str:
        """SHA-256 of the cells of some columns, whatever the kind of file."""
        found = hashlib.sha256()
        for name in names:
            cells = self.cells(name).tolist()
            texts = (cell.decode() if isinstance(cell, bytes) else str(cell) for cell in cells)
            found.update("\n".join(texts).encode("utf-8", "surrogatepass"))
        return found.hexdigest()

    def position(self, name: str) -> int:
        """The position of a column; if absent, raise and suggest one."""
        of_kind(name, "name", str)
        places = [i for i, other in enumerate(self.names) if other == name]
        if len(places) > 1:
            where = " and ".join(str(i + 1) for i in places)
            message = f"{self.source}: columns {where} are both called '{name}'."
            raise FormatError(message, hint="give each column a name of its own in the header")
        if not places:
            known = [*self.names, *self.matrices]
            folded = {other.lower(): other for other in known}
            near = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.5)
            meant = f"; did you mean '{folded[near[0]]}'?" if near else "."
            more = f" and {len(known) - 12} more" if len(known) > 12 else ""
            listed = ", ".join(known[:12]) + more
            raise DataError(f"{self.source} has no column '{name}'{meant} It has: {listed}.")
        return places[0]


def table_of_columns(source: str, columns: Mapping[str, NDArray[Any]], form: str) -> Table:
    """A table from columns in memory."""
    getters = [partial(np.asarray, column) for column in columns.values()]
    size = len(next(iter(columns.values())))
    return Table(source, size, tuple(columns), form, getters=getters)


def table_of_arrays(name: str, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """A table from saved arrays: those of one dimension are columns, of two matrices."""
    columns = {key: array for key, array in arrays.items() if array.ndim == 1}
    matrices = {key: array for key, array in arrays.items() if array.ndim == 2}
    lengths = {key: array.shape[0] for key, array in {**columns, **matrices}.items()}
    if not lengths:
        raise FormatError(f"{name} holds no array of one or two dimensions.")
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{key} {grouped(length)}" for key, length in lengths.items())
        raise DataError(f"{name}: the arrays differ in their number of rows: {said}.")
    n_rows = next(iter(lengths.values()))
    getters = [partial(np.asarray, array) for array in columns.values()]
    form = "NumPy arrays"
    return Table(name, n_rows, tuple(columns), form, getters=getters, matrices=matrices)


def told_cells(table: Table, name: str) -> NDArray[Any]:
    """A column as it stands; times and spans of time as text, with the offset of those in UTC."""
    cells = table.cells(name)
    if cells.dtype.kind == "m":
        spans = [None if np.isnat(cell) else str(cell) for cell in cells]
        return np.array(spans, dtype=object)
    if cells.dtype.kind != "M":  # lists of nanoseconds would be plain numbers
        return cells
    texts = cells.astype(str).astype(object) + ("+00:00" if name in table.zoned else "")
    texts[np.isnat(cells)] = None
    return texts
