"""`reduce_frame`: a frame of any kind to summaries, in one pass."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from stakes.engines.columns import ColumnTypes
from stakes.engines.planning import planned
from stakes.engines.reading import reduction_of, refused_rows
from stakes.engines.reduction import Reduction
from stakes.engines.request import Request
from stakes.exceptions import DataError

__all__ = ["engine_of", "native", "reduce_frame"]

#: Frames with a file of their own: by the package and the name of their type.
NATIVE = {
    "duckdb": "duckdb_sql",
    "polars": "polars_expressions",
    "pyspark": "spark_sql",
}


def reduce_frame(frame: Any, request: Request, *, keep_missing: bool = False) -> Reduction:
    """Count what a request asks for, where the rows live; nothing but counts leaves the engine.

    Parameters
    ----------
    frame : data frame
        pandas, Polars (eager or lazy), pyarrow, a DuckDB relation, PySpark, Dask or Ibis.
    request : Request
        Columns, models, applications.
    keep_missing : bool
        Whether rows without a value in a column of `by` make a slice of their own, called None,
        instead of being refused.

    Returns
    -------
    Reduction
        Summaries that add with ``+``.

    Notes
    -----
    Posteriors are read in float64, whatever their type. Rows that cannot be used (missing
    values, unknown labels, posteriors that are none, negative weights) are counted in the same
    pass, and then refused with their number; nothing is dropped or repaired.

    Examples
    --------
    >>> from stakes import Application
    >>> import polars as pl
    >>> rows = pl.DataFrame({"y": [0, 0, 1, 1], "p": [0.02, 0.3, 0.05, 0.8]})
    >>> app = Application([[0, 1], [10, 0]])
    >>> found = reduce_frame(rows, Request("y", {"gbm": "p"}, applications=app))
    >>> found.confusion().counts
    array([[1, 1],
           [1, 1]])
    """
    frame = native(frame)
    engine = engine_of(frame)
    types = ColumnTypes.of(frame, request)
    made = planned(request, types, engine.DIALECT)
    tables = engine.run(frame, made.plan, request.columns)
    refused = refused_rows(made, tables)
    if refused:
        from stakes.engines.refusing import refuse

        refuse(frame, engine, request, types, refused)
    return reduction_of(made, tables, keep_missing=keep_missing)


def native(frame: Any) -> Any:
    """The frame itself where narwhals is wrapped around it; raise for anything but a frame."""
    import narwhals as nw

    try:
        return nw.to_native(nw.from_native(frame))
    except nw.exceptions.DuplicateError as error:
        twice = ", ".join(str(error).splitlines()[1:]).replace("- ", "")
        raise DataError(
            f"`frame` has columns of the same name: {twice}.",
            hint="rename them, or take only the columns that are needed",
        ) from None
    except TypeError:
        raise DataError(
            f"`frame` must be a data frame; got {type(frame).__name__}.",
            hint="pandas, Polars, pyarrow, DuckDB, PySpark, Dask or Ibis; for arrays, evaluate()",
        ) from None


def engine_of(frame: Any) -> ModuleType:
    """The module that knows how to reduce a frame of this type."""
    package = type(frame).__module__.partition(".")[0].lstrip("_")
    return import_module(f"stakes.engines.{NATIVE.get(package, 'frames')}")
