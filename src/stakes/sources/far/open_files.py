"""Files as a frame of the engine that will count them; nothing is read into memory here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from stakes.sources.far.duckdb_files import with_duckdb
from stakes.sources.far.lazy_frame import Opened
from stakes.sources.far.polars_files import with_polars
from stakes.sources.far.spark_files import with_spark
from stakes.sources.patterns import Files

_ENGINES = {"duckdb": with_duckdb, "polars": with_polars, "spark": with_spark}


@contextmanager
def opened(
    files: Files,
    engine: str,
    memory: str,
    types: Mapping[str, str] | None = None,
    *,
    hive: bool | None = None,
) -> Iterator[Opened]:
    """The files as a frame; `types` says which columns of CSV files are "text" or "number".

    Folders named like ``region=north`` are columns, unless `hive` says otherwise.
    """
    if hive is not None:
        files = replace(files, folders=hive)
    with _ENGINES[engine](files, memory, dict(types or {})) as found:
        yield found
