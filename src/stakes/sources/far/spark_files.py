"""Files as a data frame of Spark."""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stakes._optional import load
from stakes.exceptions import FormatError
from stakes.sources.cells import EMPTY
from stakes.sources.far.opened_files import Opened, unreadable
from stakes.sources.patterns import Files, partitions

#: Spark's error for a cell that is not a number: the text before and after the cell.
_NO_NUMBER = ('"The value \'"', '\'\\\' of the type "STRING" cannot be cast to "DOUBLE"\'')


@contextmanager
def with_spark(files: Files, _: str, types: dict[str, str]) -> Iterator[Opened]:
    """A data frame of the running session, or of a new local one."""
    sql = load("pyspark.sql", extra="spark")
    if files.form == "arrow":
        raise FormatError("Spark does not read Arrow files.", hint="--engine duckdb")
    errors = load("pyspark.errors", extra="spark")
    try:
        session = _session(sql)
        yield Opened(_spark_frame(session, files, types), _renamed, **_followed(session))
    except Exception as error:  # problems of the JVM come as errors of py4j, which Connect lacks
        if isinstance(error, errors.PySparkException) or type(error).__name__.startswith("Py4J"):
            raise unreadable(error, files) from None
        raise


def _session(sql: Any) -> Any:
    """The running session, or a new local one."""
    # otherwise py4j prints a call that Ctrl-C interrupts
    logging.getLogger("py4j").addHandler(logging.NullHandler())
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


def _followed(session: Any) -> dict[str, Callable[[], Any]]:
    """Functions to follow and stop the jobs of the working thread, but no others of the session."""
    name = f"stakes-{uuid.uuid4().hex}"
    if ".connect." in type(session).__module__:
        return {
            "begin": lambda: session.addTag(name),
            "stop": lambda: session.interruptTag(name),
        }
    context = session.sparkContext
    tracker = context.statusTracker()

    def progress() -> float:
        """Percentage of finished tasks of the running jobs; negative between two jobs."""
        running = set(tracker.getActiveJobsIds()) & set(tracker.getJobIdsForGroup(name))
        jobs = [tracker.getJobInfo(job) for job in running]
        found = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        stages = [stage for stage in found if stage is not None]
        tasks = sum(stage.numTasks for stage in stages)
        return 100 * sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else -1.0

    return {
        "progress": progress,
        "begin": lambda: context.setJobGroup(name, "stakes", interruptOnCancel=True),
        "stop": lambda: context.cancelJobGroup(name),
    }


def _spark_frame(session: Any, files: Files, types: dict[str, str]) -> Any:
    """The files as a data frame of Spark."""
    far = "://" in files.said  # the engine lists addresses; otherwise brackets are part of a name
    paths, reader = list(files.paths), session.read
    if not far:  # a session may have started in another folder, from which it resolves names
        here = (str(Path(path).absolute()) for path in paths)
        paths = [re.sub(r"([][{}*?\\])", r"\\\1", path) for path in here]
    if files.hive:
        root = _root(files.paths[0])
        reader = reader.option("basePath", root if far else str(Path(root).absolute()))
    if files.form == "parquet":
        return reader.parquet(*paths)
    reader = reader.option("header", True).option("sep", files.delimiter).option("escape", '"')
    reader = reader.option("multiLine", files.over_lines)
    if far:  # these rows were not checked: refuse those too short or too long
        reader = reader.option("mode", "FAILFAST").option("columnPruning", False)
    frame = reader.option("enforceSchema", False).csv(paths)  # every file must have this header
    if not types:
        return frame
    known = {name: kind for name, kind in types.items() if name not in files.folder_keys}
    return frame.selectExpr(*(_cell(name, known.get(name), files) for name in frame.columns))


def _renamed(frame: Any, names: Mapping[str, str]) -> Any:
    """The data frame with other names for some columns."""
    parts = [f"{_quoted(name)} AS {_quoted(names.get(name, name))}" for name in frame.columns]
    return frame.selectExpr(*parts)


def _quoted(name: str) -> str:
    """A name, quoted for SQL."""
    return "`" + name.replace("`", "``") + "`"


def _cell(name: str, kind: str | None, files: Files) -> str:
    """A column as SQL: null markers become null, numbers may have a decimal comma."""
    column = _quoted(name)
    if kind is None:
        return column
    words = ", ".join(f"'{word}'" for word in EMPTY)
    value = f"CASE WHEN lower(trim({column})) IN ({words}) THEN NULL ELSE {column} END"
    if kind == "number":
        comma = files.header is not None and files.header.decimal_comma
        if comma:  # a doubled point makes its cell no number: it may stand between thousands
            value = f"replace(replace({value}, '.', '..'), ',', '.')"
        # Java reads 0.5f, 0x1p-1 and control characters around a number as numbers too
        odd = f"{column} RLIKE '[0-9.][dfDF]\\\\s*$|0[xX]|[\\\\x00-\\\\x08\\\\x0e-\\\\x1f]'"
        said = f"concat({_NO_NUMBER[0]}, {column}, {_NO_NUMBER[1]})"
        value = f"CASE WHEN {odd} THEN raise_error({said}) ELSE CAST({value} AS DOUBLE) END"
    return f"{value} AS {column}"


def _root(path: str) -> str:
    """The folder above those that are columns."""
    folders = path.split("/")[:-1]
    above = folders[: len(folders) - len(partitions(path))]
    return "/".join(above) or ("/" if path.startswith("/") else ".")
