"""Inputs of a model as columns, and as features that say in which bin of each a case lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes._checks import same_length
from stakes._columns import as_array, cells_of, in_brief
from stakes.exceptions import DataError
from stakes.typing import FloatArray

#: A column of numbers is cut into this many bins of equally many cases.
_BINS = 10
#: A category of fewer cases, old and new together, is counted with other rare ones.
_RARE = 20
#: A column of text with more frequent categories than this is taken for names of single cases.
_MOST_CATEGORIES = 50


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """Columns of numbers (NaN where missing) or of text, by name."""

    columns: dict[str, NDArray[Any]]

    def __getitem__(self, rows: Any) -> Inputs:
        return Inputs({name: column[rows] for name, column in self.columns.items()})


def read_inputs(inputs: Any, size: int) -> Inputs:
    """Columns of a data frame, a mapping or an array; missing values are a value of their own."""
    if isinstance(inputs, Inputs):
        return inputs
    if isinstance(inputs, Mapping):
        columns = {str(name): _column(values, str(name)) for name, values in inputs.items()}
    elif hasattr(inputs, "columns") and not callable(inputs.columns):
        frame = nw.from_native(inputs, eager_only=True)
        columns = {name: _column(_cells(frame[name]), name) for name in frame.columns}
    else:
        array = as_array(inputs, "inputs")
        if array.ndim != 2:
            raise DataError(
                f"`inputs` must have one column per input; got shape {array.shape}.",
                hint="a data frame, a mapping from names to columns, or inputs[:, None]",
            )
        columns = {f"column {k}": _column(array[:, k], "inputs") for k in range(array.shape[1])}
    if not columns:
        raise DataError("`inputs` has no columns.")
    for name, column in columns.items():
        same_length("posteriors", size, name, column.shape[0])
    return Inputs(columns)


def _cells(column: Any) -> Any:
    """The cells of a column of a data frame; missing numbers are nan."""
    return column.to_numpy() if column.dtype.is_numeric() else cells_of(column)


def _column(values: Any, name: str) -> NDArray[Any]:
    """Numbers as floats, anything else as text."""
    array = as_array(values, name)
    if array.ndim != 1:
        raise DataError(f"`{name}` must be one-dimensional; got shape {array.shape}.")
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    if array.dtype.kind not in "OSTU":
        raise DataError(f"`{name}` must hold numbers or text; got {array.dtype}.")
    missing = [item is None or item != item for item in array.tolist()]
    texts = array.astype(str).astype(object)
    texts[missing] = ""
    return np.asarray(texts.astype(str))


def features(old: Inputs, new: Inputs) -> tuple[FloatArray, FloatArray]:
    """Which bin or category of each input a case lies in, as columns of 0 and 1.

    The most frequent bin of each input is left out: it follows from the others.
    """
    if set(old.columns) != set(new.columns):
        odd = sorted(set(old.columns) ^ set(new.columns))
        raise DataError(
            f"`inputs` must have the same columns in the reference and the new cases; "
            f"{in_brief(odd[0])} is in one of them only."
        )
    both = [_bins(np.concatenate([old.columns[n], _alike(new, old, n)]), n) for n in old.columns]
    table = np.column_stack([np.zeros((len(both[0]), 0)), *both])
    size = len(next(iter(old.columns.values())))
    return table[:size], table[size:]


def _alike(new: Inputs, old: Inputs, name: str) -> NDArray[Any]:
    """A new column, which must be numbers where the old one is."""
    column = new.columns[name]
    if (column.dtype.kind == "f") != (old.columns[name].dtype.kind == "f"):
        raise DataError(f"input '{name}' holds numbers in one place and text in the other.")
    return column


def _bins(values: NDArray[Any], name: str) -> FloatArray:
    """Columns of 0 and 1, one for each bin but the largest."""
    if values.dtype.kind == "f":
        codes = _number_bins(values)
    else:
        _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        frequent = counts >= _RARE
        if frequent.sum() > _MOST_CATEGORIES:
            raise DataError(
                f"input '{name}' has {int(frequent.sum())} frequent categories, above "
                f"{_MOST_CATEGORIES}.",
                hint="leave it out, or join categories",
            )
        codes = np.where(frequent[codes], codes, len(counts))
    kept, codes, counts = np.unique(codes, return_inverse=True, return_counts=True)
    table = (codes[:, None] == np.arange(len(kept))).astype(np.float64)
    return np.delete(table, int(np.argmax(counts)), axis=1)


def _number_bins(values: FloatArray) -> NDArray[Any]:
    """Bins of about equally many cases; each value its own where there are few; missing ones."""
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    if len(distinct) <= _BINS:
        edges = distinct[:-1]
    else:
        cuts = np.linspace(0, 1, _BINS + 1)[1:-1]
        edges = np.unique(np.quantile(known, cuts, method="inverted_cdf"))
    return np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values))
