"""`Frame`: the light table that every `.frame()` returns.

It is a dictionary from column name to a one-dimensional array, which pandas and Polars take as it
is, prints as text and cannot be changed. It exists so that the core needs no data frame library.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._lazy import NoSuchNameError
from stakes._optional import load
from stakes.exceptions import DataError
from stakes.messages.audience import marked

__all__ = ["Frame"]


class _Pair(NamedTuple):
    low: float
    high: float


class Ends(_Pair):
    """Where an interval begins and ends: a pair whose parts have names.

    Examples
    --------
    >>> interval = Ends(0.25, 0.5)
    >>> interval, interval.high, interval == (0.25, 0.5)
    ((0.25, 0.5), 0.5, True)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(tuple(self))

    if not TYPE_CHECKING:  # or type checkers would believe in every name

        def __getattr__(self, name: str) -> Any:
            raise NoSuchNameError(Ends, name)


def as_ends(pair: tuple[float, float] | None) -> Ends | None:
    """The two ends of an interval, if there is one."""
    return None if pair is None else Ends(*pair)


class Frame(dict[str, NDArray[Any]]):
    """Named columns of equal length.

    Parameters
    ----------
    columns : mapping of str to array-like
        The columns, in the order in which they are shown.

    Examples
    --------
    >>> table = Frame({"model": ["a", "b"], "cost": [0.25, 0.5]})
    >>> float(table["cost"].sum())
    0.75
    >>> print(table)
    model  cost
    a      0.25
    b      0.5
    """

    __slots__ = ()

    def __init__(self, columns: Mapping[str, Any]) -> None:
        arrays = {str(name): _column(values) for name, values in columns.items()}
        lengths = {name: array.shape[0] for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise DataError(f"columns must have equal lengths; got {lengths}.")
        super().__init__(arrays)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(self)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        rows = next(iter(self.values())).shape[0] if self else 0
        return rows, len(self)

    def __missing__(self, name: str) -> NDArray[Any]:
        raise KeyError(f"no column {name!r}; there are {', '.join(self)}")

    def _fixed(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a Frame cannot be changed; dict(frame), or frame.to_pandas(), can.")

    __setitem__ = __delitem__ = __ior__ = _fixed
    clear = pop = popitem = setdefault = update = _fixed

    def __reduce__(self) -> Any:
        return type(self), (dict(self),)

    def __copy__(self) -> Frame:
        return self

    def rows(self) -> list[dict[str, Any]]:
        """The table as one dictionary per row, with plain Python values."""
        lists = {name: array.tolist() for name, array in self.items()}
        return [
            dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)
        ]

    def to_pandas(self) -> Any:
        """As a pandas DataFrame."""
        return load("pandas", extra="all").DataFrame(dict(self))

    def to_polars(self) -> Any:
        """As a Polars DataFrame."""
        polars = load("polars", extra="polars")
        return polars.DataFrame({name: array.tolist() for name, array in self.items()})

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<Frame of {rows} rows x {columns} columns: {', '.join(self)}>"

    def __str__(self) -> str:
        cells = [[_shown(value) for value in array.tolist()] for array in self.values()]
        lines = [list(self), *map(list, zip(*cells, strict=True))]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )


def frame_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Frame:
    """A table from its rows, each with a value for every name."""
    columns = [list(each) for each in zip(*rows, strict=True)] or [[] for _ in names]
    return Frame(dict(zip(names, columns, strict=True)))


def _column(values: Any) -> NDArray[Any]:
    """A column as an array; text or None among other types stay objects."""
    if isinstance(values, np.ndarray):
        return values
    items = list(values)
    kinds = {type(item) for item in items}
    mixed = len(kinds) > 1 and any(issubclass(kind, (str, type(None))) for kind in kinds)
    return np.asarray(items, dtype=object if mixed else None)


def _shown(value: Any) -> str:
    """A cell as text: floats to six significant digits."""
    return f"{value:.6g}" if isinstance(value, float) else marked(str(value))
