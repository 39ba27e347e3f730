"""The names of the columns of files that are read together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stakes._optional import load
from stakes.exceptions import FormatError
from stakes.sources.cells import empty_words
from stakes.sources.delimited import DELIMITERS, text_header
from stakes.sources.patterns import Files
from stakes.sources.table import Table


def refuse_unlike(
    names: Sequence[str], name: str, others: Sequence[str], other: str, hint: str = ""
) -> None:
    """Raise unless a file has the columns of another one, in any order."""
    lacking = [each for each in others if each not in names]
    more = [each for each in names if each not in others]
    if lacking or more:
        said = f"no column '{lacking[0]}'" if lacking else f"a column '{more[0]}'"
        raise FormatError(
            f"{name} has {said}, unlike {other}: files that are read together need the same "
            "columns.",
            hint="to look at one:  stakes inspect FILE" + hint,
        )


def columns_alike(files: Files) -> tuple[str, ...] | None:
    """The columns of the files; None if only the engine can list them.

    Raises unless all have the same ones. Only headers and schemas are read.
    """
    if "://" in files.said:
        return None
    if files.form == "csv":
        return _in_headers(files)
    first: tuple[str, ...] | None = None
    for path in files.paths:
        names = _in_schema(path, files.form)
        first = first or names
        if names is not None and first is not None:
            refuse_unlike(names, Path(path).name, first, Path(files.paths[0]).name)
    return first


def _in_headers(files: Files) -> tuple[str, ...] | None:
    """The columns of text files, which must be written alike."""
    first = files.header
    for path in files.paths[1:] if first is not None else ():
        found = text_header(path)
        if found is None or first is None:
            continue
        name, other = Path(path).name, Path(files.paths[0]).name
        if (found.delimiter, found.told) != (first.delimiter, first.told):
            cells = DELIMITERS[found.delimiter] + " after a line 'sep='" * found.told
            raise FormatError(
                f"{name} has cells separated by {cells}, unlike {other}: files that are streamed "
                "together are written alike.",
                hint="decide them one by one, or write them again",
            )
        refuse_unlike(found.names, name, first.names, other)
    return None if first is None else first.names


def _in_schema(path: str, form: str) -> tuple[str, ...] | None:
    """The columns of a Parquet or Arrow file; None if it is damaged, which the engine reports."""
    pyarrow = load("pyarrow", extra="duckdb")
    try:
        if form == "parquet":
            return tuple(load("pyarrow.parquet", extra="duckdb").read_schema(path).names)
        with load("pyarrow.ipc", extra="duckdb").open_file(path) as file:
            return tuple(file.schema.names)
    except (pyarrow.ArrowException, OSError):
        return None


def refuse_ambiguous(files: Files, names: Sequence[str], *, alone: bool) -> None:
    """Raise for names that DuckDB would change: equal ones, also but for capitals, or empty ones.

    In text, it takes NA for an empty name. `alone` says that memory could read the file instead.
    """
    gaps = empty_words() if files.form == "csv" else [""]
    table = Table(files.title, 0, tuple(names), "")
    for name in names:
        table.position(name)
    seen: dict[str, str] = {}
    said = ""
    for place, name in enumerate(names, 1):
        if name in gaps:
            said = f"column {place} {f'is called {name!r}' if name else 'has no name'}"
        elif name.lower() in seen:
            said = f"columns '{seen[name.lower()]}' and '{name}' differ only in capitals"
        seen[name.lower()] = name
        if said:
            raise FormatError(
                f"{files.title}: {said}, which DuckDB cannot stream.",
                hint="give each column a name of its own in the header"
                + ", or  --engine memory" * alone,
            )
