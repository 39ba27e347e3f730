"""Files as a DuckDB relation: out of core, within a memory limit, also over the network."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from stakes._optional import load
from stakes.exceptions import FormatError
from stakes.sources.cells import empty_words
from stakes.sources.far.opened_files import Opened, no_number, odd_cell, unreadable
from stakes.sources.patterns import Files

_INTERRUPTED = "Query interrupted"


@contextmanager
def with_duckdb(files: Files, memory: str, types: dict[str, str]) -> Iterator[Opened]:
    """A relation over the files: out of core, on all cores, within a memory limit."""
    duckdb = load("duckdb", extra="duckdb")
    with tempfile.TemporaryDirectory(prefix="stakes-") as spill:
        con = duckdb.connect()
        try:
            _set(con, duckdb, memory, spill)
            if "://" in files.said:
                _reach(con, duckdb, files.said)
            try:
                relation = _relation(con, files, types)
            except duckdb.Error as error:
                raise unreadable(error, files) from None
            progress = getattr(con, "query_progress", None)
            yield Opened(relation, _renamed, progress, stop=con.interrupt)
        except duckdb.Error as error:
            raise unreadable(error, files) from None
        except OSError as error:  # how Arrow reports them
            raise (unreadable(error, files) if odd_cell(error) else error) from None
        except RuntimeError as error:  # how it reports Ctrl-C if nothing watches
            raise (KeyboardInterrupt if str(error) == _INTERRUPTED else error) from None
        finally:
            with suppress(duckdb.Error):  # still busy with the interrupted query
                con.close()


def _set(con: Any, duckdb: Any, memory: str, spill: str) -> None:
    """Settings that bound memory and keep DuckDB quiet."""
    try:
        con.execute(f"SET memory_limit = '{memory.replace(chr(39), '')}'")
    except duckdb.Error:
        raise FormatError(f"I cannot read the memory '{memory}'.", hint="--memory 2GB") from None
    con.execute(f"SET temp_directory = '{spill}'")
    con.execute("SET TimeZone = 'UTC'")
    con.execute("SET preserve_insertion_order = false")
    con.execute("SET enable_progress_bar = true")
    con.execute("SET enable_progress_bar_print = false")


def _relation(con: Any, files: Files, types: dict[str, str]) -> Any:
    """The files as one relation."""
    if files.form == "arrow":
        return con.from_arrow(_dataset(files))
    far = "://" in files.said  # listed by the engine; else stars and brackets are literal
    paths = ", ".join(_literal(path if far else _escaped(path)) for path in files.paths)
    stray = files.hive and bool(files.stray_keys)
    given = {"hive_partitioning": str(files.hive and not stray).lower()}
    given |= {"filename": "true"} if stray else {}
    chosen = "*"
    if files.form == "csv":
        keys = files.folder_keys if files.hive else set()
        inside = {name: kind for name, kind in types.items() if name not in keys}
        kinds = [f"{_literal(name)}: 'VARCHAR'" for name in inside]
        read = [_number(name, files) for name, kind in inside.items() if kind == "number"]
        chosen += f" REPLACE ({', '.join(read)})" if read else ""
        given |= {"header": "true", "hive_types_autocast": "false"}
        given |= {"types": f"{{{', '.join(kinds)}}}"} if kinds else {}
        given["nullstr"] = f"[{', '.join(map(_literal, empty_words()))}]"
        given |= _written_so(files)
    elif len(files.paths) > 1 or "://" in files.said:
        given["union_by_name"] = str(_types_differ(con, paths)).lower()
    options = ", ".join(f"{name}={value}" for name, value in given.items())
    return _placed(con.sql(f"SELECT {chosen} FROM read_{files.form}([{paths}], {options})"), files)


def _number(name: str, files: Files) -> str:
    """A column of text as numbers, as SQL; DuckDB alone would read 1_0 as 10."""
    text = _quoted(name)
    comma = files.header is not None and files.header.decimal_comma
    # a doubled point makes its cell no number: it may stand between thousands
    value = f"replace(replace({text}, '.', '..'), ',', '.')" if comma else text
    found = f"CASE WHEN NOT contains({text}, '_') THEN TRY_CAST({value} AS DOUBLE) END"
    before, after = (_literal(part) for part in no_number(name))
    wrong = f"error({before} || {text} || {after})"
    return f"CASE WHEN {text} IS NOT NULL THEN coalesce({found}, {wrong}) END AS {text}"


def _dataset(files: Files) -> Any:
    """Arrow files as a dataset, whose columns have the widest type of all files if there is one."""
    arrow = load("pyarrow", extra="parquet")
    dataset = load("pyarrow.dataset", extra="parquet")
    far = "://" in files.said  # otherwise a colon is part of a name
    place = None if far else load("pyarrow.fs", extra="parquet").LocalFileSystem()
    found = dataset.dataset(
        list(files.paths),
        format="ipc",
        partitioning="hive" if files.hive else None,
        filesystem=place,
    )
    schemas = [found.schema, *(part.physical_schema for part in found.get_fragments())]
    try:
        return found.replace_schema(arrow.unify_schemas(schemas, promote_options="permissive"))
    except (arrow.ArrowTypeError, arrow.ArrowInvalid):  # words and numbers: reading them will fail
        return found


def _types_differ(con: Any, paths: str) -> bool:
    """Whether a column of Parquet files has several types.

    Then the widest is asked for: DuckDB would cast to the type in the first file, .7 to 1.
    """
    kinds = "count(DISTINCT {'kind': type, 'more': converted_type, 'logical': logical_type})"
    counts = f"SELECT {kinds} AS n FROM parquet_schema([{paths}]) GROUP BY name"
    ((most,),) = con.execute(f"SELECT max(n) FROM ({counts})").fetchall()
    return bool(most > 1)


def _escaped(path: str) -> str:
    """A local path as a pattern that matches only it; ``~`` does not mean home here."""
    return ("./" if path.startswith("~") else "") + re.sub(r"([*?\[])", r"[\1]", path)


def _written_so(files: Files) -> dict[str, str]:
    """How the text is written; if DuckDB guessed, it could leave out lines."""
    header = files.header
    if header is None:
        return {"comment": "''"} | ({"delim": "'\t'"} if files.delimiter == "\t" else {})
    given = {"delim": _literal(files.delimiter), "quote": "'\"'", "escape": "'\"'"}
    given["comment"] = "''"
    if not header.blank:  # versions of DuckDB treat blank lines differently
        given["skip"] = str(int(header.told))
    return given


def _placed(relation: Any, files: Files) -> Any:
    """Add columns from the names of folders, if the engine would take too many folders."""
    if not (files.hive and files.stray_keys):
        return relation
    keys = sorted(files.folder_keys)
    kept = [_quoted(name) for name in relation.columns if name not in (*keys, "filename")]
    made = []
    for key in keys:
        pattern = _literal(f"(^|/){re.escape(key)}=([^/]*)/")
        made.append(f"url_decode(regexp_extract(filename, {pattern}, 2)) AS {_quoted(key)}")
    return relation.project(", ".join([*kept, *made]))


def _renamed(relation: Any, names: Mapping[str, str]) -> Any:
    """The relation with other names for some columns."""
    parts = [f"{_quoted(name)} AS {_quoted(names.get(name, name))}" for name in relation.columns]
    return relation.project(", ".join(parts))


def _literal(text: str) -> str:
    """A text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    """A name, quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _reach(con: Any, duckdb: Any, address: str) -> None:
    """Load the network extension, and pass credentials from the environment."""
    try:
        con.execute("LOAD httpfs")
    except duckdb.Error:
        raise FormatError(
            f"'{address}' is not on this machine, and DuckDB's extension httpfs, which would "
            "fetch it, is not installed.",
            hint="install it once:  python -c \"import duckdb; duckdb.sql('INSTALL httpfs')\"\n"
            "or copy the files here, or let another engine read them:  --engine polars",
        ) from None
    for name in ("region", "endpoint_url", "access_key_id", "secret_access_key", "session_token"):
        if value := os.environ.get(f"AWS_{name.upper()}"):
            kept = value.rpartition("//")[2] if name == "endpoint_url" else value
            con.execute(f"SET s3_{name.removesuffix('_url')} = ?", [kept])
