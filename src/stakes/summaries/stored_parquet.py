"""The same content as Parquet: one row, one column of numbers for each array of a summary.

What is not an array stands as JSON in the metadata of the file, under the name of the format.
"""

from __future__ import annotations

import io
import json
from typing import Any

from stakes._optional import load
from stakes.exceptions import FormatError

__all__ = ["parquet_bytes", "parquet_content"]


def parquet_bytes(content: dict[str, Any], name: str, digest: str) -> bytes:
    """A Parquet file of the content."""
    pa = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    arrays: dict[str, Any] = {}
    header = {"format": name, "sha256": digest, **_without(content, "", arrays)}
    types = {"int64": pa.int64(), "float16": pa.float32(), "float32": pa.float32(),
             "float64": pa.float64()}  # fmt: skip
    columns = {
        path: pa.array([_numbers(form)], type=pa.list_(types[form["dtype"]]))
        for path, form in arrays.items()
    }
    table = pa.table(columns)
    table = table.replace_schema_metadata({name: json.dumps(header)})
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def parquet_content(data: bytes, name: str) -> dict[str, Any]:
    """The content of a Parquet file again, with the header it was written with."""
    pa = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    try:
        table = parquet.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise FormatError(
            f"{name} is a damaged Parquet file: {str(error).splitlines()[0]}",
            hint="copy it again from where it was counted, or count again",
        ) from None
    found = (table.schema.metadata or {}).get(b"stakes summary")
    if found is None or table.num_rows != 1:
        raise FormatError(
            f"{name} is a Parquet file of rows, not of a summary.",
            hint=f"count it first:  stakes eval {name} ... --save day.json",
        )
    try:
        header = json.loads(found)
        restored = _with(header, "", table)
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{name} is a damaged summary: {error}.") from None
    assert isinstance(restored, dict)
    return restored


def _is_array(form: Any) -> bool:
    """Whether a part of the content is an array."""
    return isinstance(form, dict) and set(form) == {"dtype", "shape", "values"}


def _without(form: Any, path: str, arrays: dict[str, Any]) -> Any:
    """The content with each array moved to `arrays`, its column named in its place."""
    if _is_array(form):
        arrays[path] = form
        return {"dtype": form["dtype"], "shape": form["shape"], "column": path}
    if isinstance(form, dict):
        return {
            key: _without(part, f"{path}.{key}".strip("."), arrays) for key, part in form.items()
        }
    if isinstance(form, list):
        return [_without(part, f"{path}.{k}", arrays) for k, part in enumerate(form)]
    return form


def _with(form: Any, path: str, table: Any) -> Any:
    """The content with its arrays back in place."""
    if isinstance(form, dict) and set(form) == {"dtype", "shape", "column"}:
        values = table[form["column"]][0].as_py()
        if form["dtype"] != "int64":
            values = [_word(value) for value in values]
        return {"dtype": form["dtype"], "shape": form["shape"], "values": values}
    if isinstance(form, dict):
        return {key: _with(part, path, table) for key, part in form.items()}
    if isinstance(form, list):
        return [_with(part, path, table) for part in form]
    return form


def _numbers(form: dict[str, Any]) -> list[Any]:
    """The values of an array, words for what is not finite as numbers again."""
    return [float(value) if isinstance(value, str) else value for value in form["values"]]


def _word(value: float) -> Any:
    """What is not finite as a word."""
    if value != value:
        return "nan"
    return value if abs(value) != float("inf") else "inf" if value > 0 else "-inf"
