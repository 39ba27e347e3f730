"""PySpark: data frames of a Spark session, also through Spark Connect; expressions are SQL."""

from __future__ import annotations

from typing import Any

from stakes._optional import load
from stakes.engines.narwhals_expressions import batches_with_functions
from stakes.engines.row_sample import Chosen
from stakes.engines.row_values import PREFIX, Plan, Table, aggregates
from stakes.messages.steps import steps
from stakes.rules.sql_text import SPARK

DIALECT = SPARK
#: The number of a row within its partition, plus an offset by partition; Spark puts the number of
#: the partition into the upper bits.
_ROW = (
    "CAST(monotonically_increasing_id() % 8589934592 AS DOUBLE) "
    "+ 1000003D * CAST(monotonically_increasing_id() DIV 8589934592 AS DOUBLE) + 1"
)


def run(frame: Any, plan: Plan, columns: tuple[str, ...]) -> list[Table]:
    """Every grouping of a data frame."""
    rows = _stepped(frame, plan, columns)
    found = []
    for grouping in steps("counting", plan.groupings):
        keys = [DIALECT.column(key).text for key in grouping.keys]
        made = [_expression(rows, text) for text in aggregates(grouping)]
        found.append(_table(rows.groupBy(*keys).agg(*made)))
    return found


def sample(
    frame: Any, plan: Plan, columns: tuple[str, ...], flag: str, limit: int
) -> list[dict[str, Any]]:
    """Some rows in which a flag is 1."""
    rows = _stepped(frame, plan, columns).where(f"{flag} = 1").select(*_quoted(columns))
    return [dict(zip(columns, row, strict=True)) for row in rows.limit(limit).collect()]


def some_rows(frame: Any, columns: tuple[str, ...], chosen: Chosen) -> Table:
    """The chosen rows, numbered within their partition."""
    rows = frame.select(*_quoted(columns)).selectExpr("*", f"{_ROW} AS {PREFIX}row")
    kept = rows.where(chosen.sql(f"{PREFIX}row")).select(*_quoted(columns))
    return _table(kept.toDF(*columns))


def _stepped(frame: Any, plan: Plan, columns: tuple[str, ...]) -> Any:
    """The columns that are needed, and those that are made from them."""
    rows = frame.select(*_quoted(columns))
    if plan.functions:  # mapInArrow does not find columns with dots in their names
        plain = {name: f"c{k}" for k, name in enumerate(columns)}
        functions = [f._replace(columns=tuple(plain[c] for c in f.columns)) for f in plan.functions]
        rows, types = rows.toDF(*plain.values()), load("pyspark.sql.types", extra="spark")
        made = [types.StructField(function.name, types.IntegerType()) for function in functions]
        schema = types.StructType([*rows.schema.fields, *made])
        rows = rows.mapInArrow(lambda batches: batches_with_functions(batches, functions), schema)
        rows = rows.toDF(*columns, *(function.name for function in functions))
    for step in filter(None, plan.steps):
        made = [f"{expression.text} AS {name}" for name, expression in step.items()]
        rows = rows.selectExpr("*", *made)
    return rows


def _quoted(columns: tuple[str, ...]) -> list[str]:
    """Names of columns quoted for Spark, since they may contain dots."""
    return [DIALECT.column(name).text for name in columns]


def _expression(rows: Any, text: str) -> Any:
    """SQL as a column, of the kind that belongs to the data frame (Connect has its own)."""
    connected = ".connect." in type(rows).__module__
    module = "pyspark.sql.connect.functions" if connected else "pyspark.sql.functions"
    return load(module, extra="spark").expr(text)


def _table(groups: Any) -> Table:
    """Groups as plain lists."""
    names = groups.columns
    rows = groups.collect()
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}
