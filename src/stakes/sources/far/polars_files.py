"""Files as a lazy frame of Polars."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import unquote

from narwhals.exceptions import NarwhalsError

from stakes._optional import load
from stakes.sources.cells import empty_words
from stakes.sources.far.opened_files import Opened, unreadable
from stakes.sources.patterns import Files, partitions


@contextmanager
def with_polars(files: Files, _: str, types: dict[str, str]) -> Iterator[Opened]:
    """A lazy frame over the files."""
    pl = load("polars", extra="polars")
    far = "://" in files.said  # the engine lists addresses; otherwise brackets are part of a name
    paths = [path if far else glob.escape(path) for path in files.paths]
    try:
        if files.hive and (files.form == "csv" or files.stray_keys):
            frame = _in_folders(pl, files, paths, types)
        else:
            frame = _scanned(pl, files, paths, types)
        yield Opened(frame, lambda found, names: found.rename(dict(names)))
    except (pl.exceptions.PolarsError, NarwhalsError, OSError) as error:
        raise unreadable(error, files) from None


def _scanned(
    pl: Any, files: Files, paths: list[str], types: dict[str, str], *, hive: bool | None = None
) -> Any:
    """Files as a lazy frame."""
    hive = files.hive if hive is None else hive
    if files.form == "parquet":
        return pl.scan_parquet(paths, hive_partitioning=hive)
    if files.form == "arrow":
        return pl.scan_ipc(paths, **({"hive_partitioning": True} if hive else {}))
    comma = files.header is not None and files.header.decimal_comma
    number = pl.String if comma else pl.Float64  # with decimal_comma, Polars would allow points too
    kinds = {n: number if kind == "number" else pl.String for n, kind in types.items()}
    given: dict[str, Any] = {"with_column_names": partial(_named, files)}
    if files.gaps == "words":  # comparing each cell with each word takes half as long as reading
        given["null_values"] = empty_words()
    if files.header is not None:
        given["skip_rows"] = int(files.header.told)  # Polars skips blank lines itself
    frame = pl.scan_csv(paths, separator=files.delimiter, schema_overrides=kinds, **given)
    numbers = [_column(pl, name) for name, kind in types.items() if kind == "number"]
    if comma:  # a doubled point makes its cell no number: it may stand between thousands
        numbers = [
            each.str.replace_all(".", "..", literal=True)
            .str.replace_all(",", ".", literal=True)
            .cast(pl.Float64)
            for each in numbers
        ]
    return frame.with_columns(*(each.fill_nan(None) for each in numbers))


def _column(pl: Any, name: str) -> Any:
    """The column of this name, even if Polars would read it as a pattern: ``*``, ``^p$``."""
    if name == "*" or (name.startswith("^") and name.endswith("$")):
        name = "^" + "".join(f"\\x{{{ord(letter):x}}}" for letter in name) + "$"
    return pl.col(name)


def _named(files: Files, names: list[str]) -> list[str]:
    """Column names as read in memory; Polars leaves quotes inside quotes doubled."""
    bare = [name.strip() for name in names]  # unless two would become equal
    bare = [names[k] if bare.count(short) > 1 else short for k, short in enumerate(bare)]
    told = bare if files.header is None else files.header.names
    if len(told) != len(bare):
        return bare
    pairs = zip(bare, told, strict=True)
    return [known if name.replace('""', '"') == known else name for name, known in pairs]


def _in_folders(pl: Any, files: Files, paths: list[str], types: dict[str, str]) -> Any:
    """Add columns from folders like ``region=north``, if Polars would make none or too many."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for place, path in zip(files.paths, paths, strict=True):
        groups.setdefault(tuple(partitions(place)), []).append(path)
    frames = []
    for folders, inside in groups.items():
        pairs = [folder.partition("=")[::2] for folder in folders]
        made = [pl.lit(unquote(value)).alias(key) for key, value in pairs]  # a space is %20
        known = {name: kind for name, kind in types.items() if name not in files.folder_keys}
        frames.append(_scanned(pl, files, inside, known, hive=False).with_columns(made))
    return pl.concat(frames)
