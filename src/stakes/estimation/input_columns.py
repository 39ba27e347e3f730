"""Inputs of a model as columns, and as features that say in which bin of each a case lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import same_length
from stakes._columns import as_array, cells_of, columns_by_text, in_brief
from stakes.exceptions import DataError
from stakes.messages.quantities import grouped, percent
from stakes.typing import FloatArray

#: A column of numbers is cut into this many bins of equally many cases.
_BINS = 10
#: A category of fewer cases, old and new together, is counted with other rare ones.
_RARE = 20
#: A bin with fewer reference cases than this does not say what its cases cost.
_LEAST_ALIKE = 10
#: No estimate is given if more than this share of the new cases lies in such bins of one input.
MOST_UNLIKE = 0.05
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
        named = columns_by_text(inputs, "inputs")
        columns = {name: _column(_cells(column), name) for name, column in named.items()}
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


@dataclass(frozen=True, slots=True, eq=False)
class BinnedInput:
    """In which bin of one input each old and each new case lies, and what the bins are called.

    `beyond` are the new cases outside the range of the old ones, which is `span`.
    """

    name: str
    old: NDArray[np.intp]
    new: NDArray[np.intp]
    called: tuple[str, ...]
    beyond: NDArray[np.bool_]
    span: str = ""

    def unlike(self, old: FloatArray, new: FloatArray) -> str | None:
        """Which new cases are like hardly any old one, in words; None if these are few.

        `old` are counts of the old cases, `new` weights of the new ones.
        """
        seen = np.bincount(self.old, weights=old, minlength=len(self.called))
        here = np.bincount(self.new, weights=new, minlength=len(self.called)) / new.sum()
        rare = (seen < _LEAST_ALIKE) & (here > 0)
        off = rare[self.new] | self.beyond
        share = float(new @ off) / float(new.sum())
        if share <= MOST_UNLIKE:
            return None
        worst = np.flatnonzero(rare)[np.argsort(-here[rare])][:3].tolist()
        said = " or ".join(f"{self.called[k]} ({seen[k]:.0f} in the reference)" for k in worst)
        outside = float(new @ self.beyond) / float(new.sum())
        if outside > share / 2:
            share, said = outside, f"outside the range of the reference, {self.span}"
        return f"in {percent(share)} of the new cases input '{self.name}' is {said}"


def binned_inputs(old: Inputs, new: Inputs) -> list[BinnedInput]:
    """The bin or category of each input in which a case lies."""
    if set(old.columns) != set(new.columns):
        odd = sorted(set(old.columns) ^ set(new.columns))
        raise DataError(
            f"`inputs` must have the same columns in the reference and the new cases; "
            f"{in_brief(odd[0])} is in one of them only."
        )
    return [_binned(name, old.columns[name], _alike(new, old, name)) for name in old.columns]


def features(inputs: list[BinnedInput]) -> tuple[FloatArray, FloatArray]:
    """Which bin or category of each input a case lies in, as columns of 0 and 1.

    The most frequent bin of each input is left out: it follows from the others.
    """
    sides: list[list[FloatArray]] = [[], []]
    for each in inputs:
        counts = np.bincount(np.append(each.old, each.new), minlength=len(each.called))
        kept = np.delete(np.arange(len(counts)), int(np.argmax(counts)))
        for side, codes in zip(sides, (each.old, each.new), strict=True):
            side.append((codes[:, None] == kept).astype(np.float64))
    old, new = (np.column_stack(side) for side in sides)
    return old, new


def _alike(new: Inputs, old: Inputs, name: str) -> NDArray[Any]:
    """A new column, which must be numbers where the old one is."""
    column, other = new.columns[name], old.columns[name]
    if (column.dtype.kind == "f") == (other.dtype.kind == "f"):
        return column
    places = ("the reference", "the new cases")
    number, text = places if other.dtype.kind == "f" else places[::-1]
    words = (column if other.dtype.kind == "f" else other).tolist()
    odd = [word for word in words if word and not _is_number(word)] or words
    raise DataError(
        f"input '{name}' holds numbers in {number} and text in {text}: {odd[0]!r} is no number "
        f"({grouped(len(odd))} of {grouped(len(words))} rows).",
        hint="leave such cells blank on both sides (gaps are a value of their own), or leave out "
        "this input",
    )


def _is_number(word: str) -> bool:
    """Whether text is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _binned(name: str, old: NDArray[Any], new: NDArray[Any]) -> BinnedInput:
    """One input, in bins of both sides together."""
    values, beyond, span = np.concatenate([old, new]), np.zeros(len(new), dtype=bool), ""
    if values.dtype.kind == "f":
        codes, called = _number_bins(values)
        known = old[~np.isnan(old)]
        if known.size:
            beyond = (new < known.min()) | (new > known.max())
            span = f"{known.min():.4g} to {known.max():.4g}"
    else:
        codes, called = _categories(values, name)
    kept, codes = np.unique(codes, return_inverse=True)
    names = tuple(called[k] for k in kept.tolist())
    at = codes.reshape(-1).astype(np.intp)
    return BinnedInput(name, at[: len(old)], at[len(old) :], names, beyond, span)


def _categories(values: NDArray[Any], name: str) -> tuple[NDArray[Any], list[str]]:
    """Frequent categories; all rare ones are one."""
    names, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    frequent = counts >= _RARE
    if frequent.sum() > _MOST_CATEGORIES:
        raise DataError(
            f"input '{name}' has {int(frequent.sum())} frequent categories, above "
            f"{_MOST_CATEGORIES}.",
            hint="leave it out, or join categories",
        )
    codes = np.where(frequent[codes], codes, len(counts))
    called = [f"'{each}'" if each else "empty" for each in names.tolist()]
    rare = [each for each, often in zip(called, frequent, strict=True) if not often]
    return codes, [*called, rare[0] if len(rare) == 1 else "a rare category"]


def _number_bins(values: FloatArray) -> tuple[NDArray[Any], list[str]]:
    """Bins of about equally many cases; each value its own where there are few; missing ones."""
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    if len(distinct) <= _BINS:
        edges, called = distinct[:-1], [f"{value:g}" for value in distinct]
    else:
        cuts = np.linspace(0, 1, _BINS + 1)[1:-1]
        edges = np.unique(np.quantile(known, cuts, method="inverted_cdf"))
        ends = [distinct[0], *edges.tolist(), distinct[-1]]
        called = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(ends)]
    codes = np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values))
    return codes, [*called, *[""] * (len(edges) + 1 - len(called)), "empty"]
