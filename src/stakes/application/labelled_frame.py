"""Frames of costs whose rows and columns have names."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from stakes._columns import as_column, as_frame
from stakes._names import listed, place_of
from stakes.exceptions import CostError
from stakes.typing import FloatArray, Name


def labelled_table(frame: Any, truth: str | None) -> tuple[FloatArray, list[Name], list[Name]]:
    """Values with rows as true classes, the class names and the decision names."""
    table = as_frame(frame, "frame", eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        raise CostError(
            f"`frame` must be a pandas, Polars or pyarrow table; got {type(frame).__name__}.",
            hint="for an array: CostMatrix(values, classes=[...], decisions=[...])",
        )
    index = nw.maybe_get_index(table)
    columns: list[Name] = list(table.columns)
    if not columns:
        raise CostError("`frame` must have columns; it has none.")
    costs = table
    if truth is None and index is not None:
        corner, heads = getattr(index, "name", None), list[Name](index)
    else:
        corner = table.columns[0] if truth is None else truth
        if place_of(corner, columns) is None:
            raise CostError(f"no column {corner!r}; there are {listed(columns)}.")
        kept = [k for k, name in enumerate(columns) if name != corner]
        costs, columns = table[:, kept], [columns[k] for k in kept]  # names may be numbers
        heads = as_column(table.get_column(corner).to_native(), str(corner)).tolist()
    values = _numbers(costs)
    turned = isinstance(corner, str) and corner.lower() == "decision"
    positions = list(range(len(heads)))  # a frame without names is read as nested lists are
    if corner is None and set(heads) == set(columns) and heads != positions:
        turned = _is_turned(frame, values, heads, columns)
    return (values.T, columns, heads) if turned else (values, heads, columns)


def _is_turned(frame: Any, values: FloatArray, heads: list[Name], columns: list[Name]) -> bool:
    """Whether the columns of a frame are the truth, where both sides have the same names."""
    across = str(getattr(frame.columns, "name", None)).lower()
    if across in ("decision", "truth"):
        return across == "truth"
    table = values[:, [columns.index(name) for name in heads]]
    if not np.array_equal(table, table.T):
        raise CostError(
            "the rows and columns of the frame have the same names: which are the true classes?",
            hint='if rows are:  costs.rename_axis("truth")   if columns are:  '
            'costs.rename_axis("decision")',
        )
    return False


def _numbers(costs: nw.DataFrame[Any]) -> FloatArray:
    """The cells as floats; text is refused even where it spells a number."""
    for name, kind in costs.schema.items():
        if not kind.is_numeric():
            raise CostError(
                f"the costs must be numbers; column {name!r} is {kind}.",
                hint=f"if it holds the true classes: CostMatrix.from_frame(frame, truth={name!r})",
            )
    try:
        return np.asarray(costs.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):
        raise CostError("the costs must be numbers; some are missing.") from None


def refuse_names(values: Any) -> None:
    """Raise for a frame that has names of its own, which must not be dropped silently."""
    columns = getattr(values, "columns", None)
    if columns is None or callable(columns):
        return
    rows = getattr(values, "index", None)  # of pandas
    if rows is not None and all(list(x) == list(range(len(x))) for x in (rows, columns)):
        return
    raise CostError(
        f"`values` is a frame with columns {listed([str(name) for name in columns])}, whose names "
        "would be lost.",
        hint="CostMatrix.from_frame(frame) reads them; or give classes=[...] and decisions=[...]",
    )
