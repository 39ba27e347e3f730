"""Files as a frame of the engine that will count them; nothing is read into memory here."""

from __future__ import annotations

import glob
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from narwhals.exceptions import NarwhalsError

from stakes._optional import load
from stakes.cli.globs import Files, partitions
from stakes.exceptions import FormatError

__all__ = ["Opened", "opened"]


@dataclass(frozen=True, slots=True)
class Opened:
    """A lazy frame, and how to ask about and stop the work on it, where the engine can."""

    frame: Any
    progress: Callable[[], float] | None = None
    stop: Callable[[], None] | None = None


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
    with {"duckdb": _duckdb, "polars": _polars, "spark": _spark}[engine](
        files, memory, dict(types or {})
    ) as found:
        yield found


# ------------------------------------------------------------- DuckDB


@contextmanager
def _duckdb(files: Files, memory: str, types: dict[str, str]) -> Iterator[Opened]:
    """A relation over the files: out of core, on all cores, within the memory given."""
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
                raise _unreadable(error, files) from None
            yield Opened(relation, getattr(con, "query_progress", None), con.interrupt)
        except duckdb.Error as error:
            raise _unreadable(error, files) from None
        finally:
            with suppress(duckdb.Error):  # still busy with what was interrupted
                con.close()


def _set(con: Any, duckdb: Any, memory: str, spill: str) -> None:
    """What keeps the work bounded and quiet."""
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
        dataset = load("pyarrow.dataset", extra="parquet")
        partitioning = "hive" if files.hive else None
        found = dataset.dataset(list(files.paths), format="ipc", partitioning=partitioning)
        return con.from_arrow(found)
    stray = files.hive and bool(files.stray_keys)
    given = {"hive_partitioning": str(files.hive and not stray).lower()}
    given |= {"filename": "true"} if stray else {}
    if files.form == "csv":
        keys = files.folder_keys if files.hive else set()
        kinds = [
            f"{_literal(name)}: '{'DOUBLE' if kind == 'number' else 'VARCHAR'}'"
            for name, kind in types.items() if name not in keys
        ]  # fmt: skip
        given |= {"header": "true", "hive_types_autocast": "false"}
        given |= {"types": f"{{{', '.join(kinds)}}}"} if kinds else {}
        given |= {"delim": "'\t'"} if ".tsv" in files.paths[0].lower() else {}
    names = ", ".join(_literal(path) for path in files.paths)
    options = ", ".join(f"{name}={value}" for name, value in given.items())
    return _placed(con.sql(f"SELECT * FROM read_{files.form}([{names}], {options})"), files)


def _placed(relation: Any, files: Files) -> Any:
    """With columns from the names of files, where the engine would take too many folders."""
    if not (files.hive and files.stray_keys):
        return relation
    keys = sorted(files.folder_keys)
    kept = [_quoted(name) for name in relation.columns if name not in (*keys, "filename")]
    made = []
    for key in keys:
        pattern = _literal(f"(^|/){re.escape(key)}=([^/]*)/")
        made.append(f"url_decode(regexp_extract(filename, {pattern}, 2)) AS {_quoted(key)}")
    return relation.project(", ".join([*kept, *made]))


def _literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _reach(con: Any, duckdb: Any, address: str) -> None:
    """Load what reads over the network, and hand it what the surroundings say about access."""
    try:
        con.execute("LOAD httpfs")
    except duckdb.Error:
        raise FormatError(
            f"'{address}' is not on this machine, and DuckDB's extension httpfs, which would "
            "fetch it, is not installed.",
            hint="install it once:  python -c \"import duckdb; duckdb.sql('INSTALL httpfs')\"\n"
            "or copy the files here, or let another engine read them:  --engine polars",
        ) from None
    settings = {
        "s3_region": "AWS_REGION",
        "s3_endpoint": "AWS_ENDPOINT_URL",
        "s3_access_key_id": "AWS_ACCESS_KEY_ID",
        "s3_secret_access_key": "AWS_SECRET_ACCESS_KEY",
        "s3_session_token": "AWS_SESSION_TOKEN",
    }
    for name, variable in settings.items():
        value = os.environ.get(variable)
        if value:
            kept = value.rpartition("//")[2] if name == "s3_endpoint" else value
            con.execute(f"SET {name} = ?", [kept])


def _said(error: Exception) -> str:
    """What an engine says, in one line; of Java's long stories the problem and its cause."""
    lines = str(error).strip().splitlines()
    told = [line for line in lines if line.startswith((": ", "Caused by: "))]
    if not lines or not told:
        return lines[0] if lines else type(error).__name__
    parts = []
    for line in (told[0], told[-1]):
        text = re.sub(r"^(: |Caused by: )[\w.$]+(: |$)", "", line)  # the class of the exception
        text = re.sub(r"^\[[A-Z_.]+\] | *SQLSTATE: \w+$", "", text).strip()
        if text and text not in parts:
            parts.append(text)
    return " ".join(parts) or lines[0]


def _unreadable(error: Exception, files: Files) -> FormatError:
    """A problem of an engine in one line."""
    said = _said(error)
    hint = None
    if "memory" in said.lower():
        hint = "allow more:  --memory 4GB"
    elif re.search("mismatch|schema", said, re.IGNORECASE):
        hint = "every file must have the same columns, of the same types"
    elif files.form == "csv":
        hint = "every file must have the same header and one row per case"
    elif "://" in files.said:
        hint = "check the address, AWS_REGION and the keys (AWS_ACCESS_KEY_ID, ...)"
    elif len(files.paths) > 1 and not any(path in said for path in files.paths):
        hint = "find the damaged file by giving fewer of them"
    else:
        hint = "write or copy the file again, or leave it out"
    return FormatError(f"{files.title}: {said}", hint=hint)


# ------------------------------------------------------------- Polars and Spark


@contextmanager
def _polars(files: Files, _: str, types: dict[str, str]) -> Iterator[Opened]:
    """A lazy frame over the files."""
    pl = load("polars", extra="polars")
    far = "://" in files.said  # to be listed there; else brackets are part of a name
    paths = [path if far else glob.escape(path) for path in files.paths]
    try:
        if files.hive and (files.form == "csv" or files.stray_keys):
            frame = _in_folders(pl, files, paths, types)
        else:
            frame = _scanned(pl, files, paths, types)
        yield Opened(frame)
    except (pl.exceptions.PolarsError, NarwhalsError, OSError) as error:
        raise _unreadable(error, files) from None


def _scanned(
    pl: Any, files: Files, paths: list[str], types: dict[str, str], *, hive: bool | None = None
) -> Any:
    """Files as a lazy frame."""
    hive = files.hive if hive is None else hive
    if files.form == "parquet":
        return pl.scan_parquet(paths, hive_partitioning=hive)
    if files.form == "arrow":
        return pl.scan_ipc(paths, **({"hive_partitioning": True} if hive else {}))
    kinds = {n: pl.Float64 if kind == "number" else pl.String for n, kind in types.items()}
    mark = "\t" if ".tsv" in paths[0].lower() else ","
    return pl.scan_csv(paths, schema_overrides=kinds, separator=mark)


def _in_folders(pl: Any, files: Files, paths: list[str], types: dict[str, str]) -> Any:
    """The same with columns from folders like ``region=north``, where Polars makes none or many."""
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


@contextmanager
def _spark(files: Files, _: str, types: dict[str, str]) -> Iterator[Opened]:
    """A data frame of the session that runs, or of a new one on this machine."""
    sql = load("pyspark.sql", extra="spark")
    if files.form == "arrow":
        raise FormatError("Spark does not read Arrow files.", hint="--engine duckdb")
    errors = load("pyspark.errors", extra="spark")
    try:
        yield Opened(_spark_frame(_session(sql), files, types))
    except Exception as error:  # problems of the JVM come as errors of py4j, which Connect lacks
        if isinstance(error, errors.PySparkException) or type(error).__name__.startswith("Py4J"):
            raise _unreadable(error, files) from None
        raise


def _session(sql: Any) -> Any:
    """The session that runs, or a new one on this machine."""
    builder = sql.SparkSession.builder.appName("stakes")
    try:
        return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    except Exception as error:
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise FormatError(
            f"Spark does not start: {said}",
            hint="it needs Java 17 on the path, which `java -version` shows, or JAVA_HOME:  "
            "apt install openjdk-17-jre-headless\nwithout Java:  --engine duckdb",
        ) from None


def _spark_frame(session: Any, files: Files, types: dict[str, str]) -> Any:
    """The files as a data frame of Spark."""
    far = "://" in files.said  # to be listed there; else brackets are part of a name
    # a session may have been started in another folder, and reads relative names from there
    paths = [
        path if far else re.sub(r"([][{}*?\\])", r"\\\1", str(Path(path).absolute()))
        for path in files.paths
    ]
    reader = session.read
    if files.hive:
        root = _root(files.paths[0])
        reader = reader.option("basePath", root if far else str(Path(root).absolute()))
    if files.form == "parquet":
        return reader.parquet(*paths)
    mark = "\t" if ".tsv" in paths[0].lower() else ","
    reader = reader.option("header", True).option("sep", mark)
    frame = reader.option("enforceSchema", False).csv(paths)  # every file must have this header
    for name, kind in types.items():
        if kind == "number":
            frame = frame.withColumn(name, frame[name].cast("double"))
    return frame


def _root(path: str) -> str:
    """The folder above those that are columns."""
    folders = path.split("/")[:-1]
    above = folders[: len(folders) - len(partitions(path))]
    return "/".join(above) or ("/" if path.startswith("/") else ".")
