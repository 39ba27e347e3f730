"""Any column people bring, as a NumPy array.

Lists, tuples, NumPy arrays, pandas, Polars and pyarrow columns are read; a data frame
library is never imported for it, only recognised (by narwhals) when the user already has it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError, StakesError
from stakes.messages.audience import named, row

#: Below this floats hold every integer.
EXACT = 2**53
_SHORT = reprlib.Repr()
_SHORT.maxstring = 100


def in_brief(value: Any) -> str:
    """A short text for a value of any kind, to show in an error."""
    try:
        words = " ".join(repr(value).split())
    except Exception:  # the `__repr__` of a foreign object may raise anything
        words = ""
    return words if 0 < len(words) <= 100 else _SHORT.repr(words or type(value).__name__)[1:-1]


def refuse_rows(
    bad: NDArray[np.bool_],
    must: str,
    shown: str,
    *columns: NDArray[Any],
    hint: str | None = None,
    error: type[StakesError] = DataError,
) -> None:
    """Raise when rows are bad; `shown` is filled with what the columns hold in the first one."""
    if bad.any():
        rows = np.flatnonzero(bad)
        first = shown.format(*(column[rows[0]] for column in columns))
        raise error(
            f"{must}; {row(rows[0])} {first} ({rows.size} of {bad.shape[0]} rows fail).",
            hint=hint,
            rows=rows[:10].tolist(),
        )


def as_array(values: Any, name: str, dtype: Any = None) -> NDArray[Any]:
    """`values` as a NumPy array of any shape, without masked entries."""
    refuse_masked(values, name)
    refuse_sparse(values, name)
    try:
        return np.asarray(values, dtype=dtype)
    except StakesError:  # of a table of ours
        raise DataError(f"`{name}` must be an array; got {in_brief(values)}.") from None
    except (OverflowError, TypeError, ValueError):
        raise DataError(
            f"`{name}` must hold numbers, in rows of equal length; got {in_brief(values)}."
        ) from None


def refuse_sparse(values: Any, name: str) -> None:
    """Raise for sparse arrays: NumPy takes one for a single object."""
    if hasattr(values, "nnz") and hasattr(values, "toarray"):
        raise DataError(
            f"`{name}` must be an ordinary array; got {type(values).__name__}, which is sparse.",
            hint=f"{name}.toarray()",
        )


def refuse_masked(values: Any, name: str) -> None:
    """Raise when entries of a masked array are masked: they count as missing."""
    if not isinstance(values, np.ma.MaskedArray) or values.mask is np.ma.nomask:
        return
    hidden = np.ma.getmaskarray(values)
    if hidden.any():
        first = tuple(np.argwhere(hidden)[0].tolist())
        where = row(first[0]) if len(first) == 1 else f"at {first}"
        raise DataError(
            f"`{name}` has masked values, which are missing; the first is {where} "
            f"({np.count_nonzero(hidden)} of {hidden.size} values).",
            hint="drop or fill those rows first; nothing is dropped silently",
            rows=np.unique(np.nonzero(np.atleast_1d(hidden))[0])[:10].tolist(),
        )


def as_reals(values: Any, name: str, error: type[StakesError] = DataError) -> NDArray[np.float64]:
    """`values` as a new float64 array of any shape; complex numbers and dates are refused."""
    array = as_array(values, name)
    if array.dtype.kind in "cmM":
        raise error(f"`{name}` must hold real numbers; got {array.dtype}.")
    try:
        return array.astype(np.float64)
    except (OverflowError, TypeError, ValueError):
        raise error(f"`{name}` must hold real numbers; got {in_brief(values)}.") from None


def _first_name(values: Any) -> str:
    """The index of the first column of a table, as one would type it between brackets."""
    names = getattr(values, "columns", None)
    return ":, 0" if names is None or not len(names) else repr(str(names[0]))


def row_labels(column: Any) -> Any:
    """The row labels of a pandas object, or of the one that something of ours was made of."""
    labels = getattr(column, "index", None)
    return labels if hasattr(labels, "sort_values") else getattr(column, "_row_labels", None)


def refuse_other_order(y_true: Any, columns: Mapping[str, Any]) -> None:
    """Raise when a pandas column has the same row labels as `y_true` in another order.

    Columns are taken by position, so that rows of such a column would meet the wrong truth.
    """
    labels = row_labels(y_true)
    if labels is None:
        return
    for name, column in columns.items():
        other = None if column is None else row_labels(column)
        if other is None or len(other) != len(labels) or labels.equals(other):
            continue
        if not labels.is_unique:  # looked at late, since it takes a while for many rows
            return
        with suppress(TypeError):  # labels that have no order
            if labels.sort_values().equals(other.sort_values()):
                typed = f"{name}.reindex(y_true.index)"
                if not hasattr(column, "index"):  # ours, made of pandas columns
                    typed = f"make `{name}` of columns after .reindex(y_true.index)"
                raise DataError(
                    f"`{name}` has the row labels of `y_true` in another order.",
                    hint=f"{typed} if the labels say which rows belong "
                    "together; .to_numpy() on both if the order does",
                )


def as_column(values: Any, name: str) -> NDArray[Any]:
    """`values` as a one-dimensional NumPy array without missing entries."""
    series = values
    if type(values) is not np.ndarray or values.dtype == object:  # for arrays it would take longer
        refuse_masked(values, name)
        refuse_sparse(values, name)
        series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        series = series.alias("values")  # Polars takes a name such as ^p$ for a pattern
        _refuse_nulls(np.asarray(series.is_null().to_numpy()), name)
        array = np.asarray(series.to_numpy())
    elif isinstance(values, np.ma.MaskedArray):
        array = np.asarray(values)  # nothing is masked
    elif isinstance(values, np.ndarray):
        array = values
    else:
        array = _from_sequence(values, name)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise DataError(
            f"`{name}` must be one-dimensional; got shape {array.shape}.",
            hint=f"pass one column, e.g. {name}[{_first_name(values)}]",
        )
    if array.dtype == object:
        _refuse_nulls(_is_missing(array), name)
        array = _tightened(array, name)
    if array.dtype.kind == "f" and array.size and np.isnan(array.min()):
        _refuse_nulls(np.isnan(array), name)
    return array


def as_frame(frame: Any, name: str, **options: Any) -> Any:
    """A data frame as narwhals wraps it; raise where two of its columns have the same name."""
    try:
        return nw.from_native(frame, **options)
    except nw.exceptions.DuplicateError as error:
        twice = ", ".join(str(error).splitlines()[1:]).replace("- ", "")
    hint = "rename them, or take only the columns that are needed"
    raise DataError(f"`{name}` has columns of the same name: {twice}.", hint=hint)


def columns_by_text(frame: Any, name: str) -> dict[str, Any]:
    """The columns of a frame in memory by their names as text, which may be numbers in pandas."""
    rows = as_frame(frame, name, eager_only=True)
    found = {str(column): rows.get_column(column) for column in rows.columns}
    if len(found) < len(rows.columns):
        twice = [text for text in found if list(map(str, rows.columns)).count(text) > 1]
        raise DataError(f"`{name}` has columns whose names look the same: {', '.join(twice)}.")
    return found


def cells_of(column: Any) -> NDArray[Any]:
    """The cells of a column of any data frame, as they are; missing ones are None, NaN or NaT.

    `to_numpy` of pyarrow takes a missing category for the last one, and makes floats of integers
    with gaps, also of those inside records.
    """
    series: Any = nw.from_native(column, series_only=True, pass_through=False)
    kind, missing = series.dtype, np.asarray(series.is_null().to_numpy())
    if kind.is_float() or kind.is_temporal() or not (missing.any() or kind.is_nested()):
        return np.asarray(series.to_numpy())
    cells = np.empty(len(series), dtype=object)
    cells[:] = series.to_list()
    cells[missing] = None
    return cells


def numbers_of_text(text: nw.Expr) -> nw.Expr:
    """Text as numbers where 1_0 is none; DuckDB, as Python, would read it as 10."""
    odd = text.str.replace_all("_", "__", literal=True)  # which no engine reads
    plain = ~text.str.contains("_", literal=True)
    return nw.when(plain).then(text.cast(nw.Float64)).otherwise(odd.cast(nw.Float64))


def known_entries(values: Any, name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The known entries of a column that may have gaps, and a mask that is true for them."""
    refuse_sparse(values, name)
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "fiub":
        known = ~np.isnan(values)
        if known.any():
            return as_column(values[known], name), known
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        items: Any = series.alias("values").to_list()
    elif isinstance(values, np.ma.MaskedArray):
        items = values.tolist()  # masked entries become None
    else:
        items = values if isinstance(values, np.ndarray) else _from_sequence(values, name)
        items = items.reshape(-1).tolist() if 1 in items.shape else items.tolist()
    if not isinstance(items, list):
        raise DataError(f"`{name}` must be a column with one entry per case; got {items!r}.")
    column = np.empty(len(items), dtype=object)
    column[:] = items
    known = ~_is_missing(column)
    return as_column(_tightened(column[known], name), name), known


def as_floats(values: Any, name: str, *, length: int | None = None) -> NDArray[np.floating[Any]]:
    """`values` as a float column; float32 stays float32, everything else becomes float64."""
    array = as_column(values, name)
    if array.dtype.kind not in "fiub":
        listed = ", ".join(repr(value) for value in array[:3].tolist())
        raise DataError(f"`{name}` must hold numbers; got {array.dtype}, first {listed}.")
    if length is not None and array.shape[0] != length:
        raise DataError(f"`{name}` has {array.shape[0]} rows but there are {length} cases.")
    if array.dtype == np.float32:
        return array
    return array.astype(np.float64, copy=False)


def as_weights(values: Any, length: int) -> NDArray[np.float64] | None:
    """`sample_weight` as float64, or None when there is none."""
    if values is None:
        return None
    weights = as_floats(values, "sample_weight", length=length).astype(np.float64, copy=False)
    bad, name = ~(np.isfinite(weights) & (weights >= 0)), named("sample_weight")
    refuse_rows(bad, f"{name} must be finite and not negative", "is {:g}", weights)
    if length and not weights.any():
        raise DataError(f"{name} is zero for every case, so there is nothing to average.")
    return weights


def refuse_lost_weights(weights: NDArray[np.float64]) -> None:
    """Raise when weights differ so much that a sum loses the smallest."""
    least = weights[weights > 0].min(initial=np.inf)
    if weights.max(initial=0.0) / 1e15 > least:
        raise DataError(
            f"{named('sample_weight')} goes from {least:g} to {weights.max():g}: a sum with "
            "the largest loses the smallest.",
            hint="keep weights within a factor of 1e15",
        )


def weighed_rows(
    counts: Any, sample_weight: Any, *columns: NDArray[Any]
) -> tuple[NDArray[Any] | None, tuple[NDArray[Any], ...]]:
    """The count or weight of each row, and the columns without the rows that have a count of 0.

    `counts` are numbers of identical cases, returned as int64; `sample_weight` weighs single cases.
    """
    length = columns[0].shape[0]
    if counts is None:
        return as_weights(sample_weight, length), columns
    if sample_weight is not None:
        raise DataError(
            "`counts` says how many cases a row stands for, `sample_weight` what one case weighs; "
            "only one of them can be given."
        )
    given = as_floats(counts, "counts", length=length).astype(np.float64, copy=False)
    bad = ~((given >= 0) & (given == np.floor(given)) & np.isfinite(given))
    must, hint = "`counts` must be whole numbers of cases", "weights of cases are `sample_weight`"
    refuse_rows(bad, must, "is {:g}", given, hint=hint)
    if not 0 < given.sum() < EXACT:
        raise DataError(f"`counts` must add to 1 or more cases, below 2^53; got {given.sum():g}.")
    whole, kept = given.astype(np.int64), given > 0
    return whole[kept], tuple(column[kept] for column in columns)


def _from_sequence(values: Any, name: str) -> NDArray[Any]:
    """A list or other iterable as an array that keeps what each entry is."""
    if hasattr(values, "__array__"):
        return np.asarray(values)
    without_order = isinstance(values, (str, bytes, Mapping, set, frozenset))
    once = isinstance(values, Iterator)  # can be read only once
    if without_order or once or not isinstance(values, Iterable):
        raise DataError(
            f"`{name}` must be a column with one entry per case; got {type(values).__name__}.",
            hint=f"list({name})" if once else "pass a list, an array or a column of a data frame",
        )
    items = list(values)
    kinds = {type(item) for item in items}
    mixed = len(kinds) > 1 and any(issubclass(kind, str) for kind in kinds)
    try:
        return np.asarray(items, dtype=object if mixed else None)
    except ValueError:
        raise DataError(
            f"`{name}` must have one entry per case; got rows of unequal size."
        ) from None


def _tightened(array: NDArray[Any], name: str) -> NDArray[Any]:
    """An object array as its natural type when all entries share one, else as it is.

    Entries that cannot be told apart, such as dictionaries, are refused.
    """
    kinds = {type(item): item for item in array}
    for kind, item in kinds.items():
        if kind.__hash__ is None:
            raise DataError(f"`{name}` must hold names or numbers; it holds {in_brief(item)}.")
    one_plain_kind = set(kinds) in ({str}, {int}, {bool}, {float})
    return np.asarray(array.tolist()) if one_plain_kind else array


def _is_missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Which entries of an object array are None, NaN or a library's own missing marker."""
    return np.fromiter(
        (item is None or item is not item or _differs_from_itself(item) for item in array),
        dtype=bool,
        count=array.shape[0],
    )


def _differs_from_itself(item: Any) -> bool:
    """NaN and missing markers are the values that are not equal to themselves."""
    try:
        return hasattr(item, "toarray") or not bool(item == item)
    except (TypeError, ValueError):  # a missing marker that refuses to be compared; an array
        return True


def _refuse_nulls(missing: NDArray[np.bool_], name: str) -> None:
    """Raise when entries are missing."""
    rows = np.flatnonzero(missing)
    if rows.size:
        raise DataError(
            f"`{name}` has missing values; the first is {row(rows[0])} "
            f"({rows.size} of {missing.shape[0]} rows).",
            hint="drop or fill those rows first; nothing is dropped silently",
            rows=rows[:10].tolist(),
        )
