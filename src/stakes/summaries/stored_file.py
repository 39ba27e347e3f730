"""Summaries in files: small, versioned, with a checksum, there whole or not at all."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stakes._files import write_whole
from stakes._names import listed
from stakes._optional import load
from stakes._sealed import Seal, checksum
from stakes.exceptions import DataError, FormatError, MergeError, StakesError
from stakes.summaries.plain_form import plain_form, summary_of

_FORMAT = "stakes summary"
_VERSION = 2
_SEAL = Seal(
    _FORMAT,
    _VERSION,
    what="a summary",
    again="copy it again from where it was counted, or count again",
    written="a summary is written by save_summary(...), or by stakes eval ... --save FILE",
)
_PARQUET = (".parquet", ".pq")


def save_summary(summary: Any, path: str | Path) -> None:
    """Write a summary to a file that can be read back exactly and added to others.

    For a checkpoint of a long count, for yesterday's counts, for one shard of many.

    Parameters
    ----------
    summary : summary, or mapping from names to summaries
        A ConfusionMatrix, ScoreCounts, ScoreBins, CostTally, PairedCounts or GroupedCounts, or
        several by name, such as one for each model.
    path : str or path
        Where to; ``.parquet`` needs the extra `parquet`, anything else is written as JSON.

    Notes
    -----
    The file says which version of the form it has and holds the SHA-256 of its content. It is
    written beside its place and then moved there, so that an interrupted run leaves the file
    that was there before, or none. Floats and integers of any size come back as they were; no
    code is stored, and none is run by reading.

    Examples
    --------
    >>> import tempfile
    >>> from stakes import ConfusionMatrix
    >>> folder = Path(tempfile.mkdtemp())
    >>> save_summary(ConfusionMatrix([[90, 5], [1, 4]]), folder / "monday.json")
    >>> save_summary(ConfusionMatrix([[80, 6], [2, 2]]), folder / "tuesday.json")
    >>> (load_summary(folder / "monday.json") + load_summary(folder / "tuesday.json")).total
    190.0
    """
    file = Path(path)
    content = {"version": _VERSION, "summary": plain_form(summary)}
    if file.suffix.lower() in _PARQUET:
        data = _parquet_bytes(content, _FORMAT, checksum(content))
    else:
        data = _SEAL.sealed(content)
    write_whole(file, data, lasting=True)


def load_summary(path: str | Path) -> Any:
    """Read a summary that `save_summary` wrote.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    summary, or dict of summaries
        As it was saved.

    Notes
    -----
    A file that was cut off, changed, or written by another version is refused, with what is
    wrong and where.

    Examples
    --------
    >>> import tempfile
    >>> from stakes import ConfusionMatrix
    >>> file = Path(tempfile.mkdtemp()) / "day.json"
    >>> ConfusionMatrix([[90, 5], [1, 4]], classes=["no", "yes"]).save(file)
    >>> load_summary(file)
    ConfusionMatrix(100 cases: 'no', 'yes' x 'no', 'yes')
    """
    file = Path(path)
    data = file.read_bytes()
    if data[:4] == b"PAR1":
        whole = _parquet_content(data, file.name)
    else:
        whole = _SEAL.parsed(data, file.name)
    content = _SEAL.opened(whole, file.name)
    if "summary" not in content:
        raise FormatError(f"{file.name} holds no `summary`.")
    try:
        return summary_of(content["summary"])
    except StakesError as error:
        raise FormatError(f"{file.name}: {error.message}", hint=error.hint) from None


def merge_summaries(parts: Iterable[Any]) -> Any:
    """Add summaries of the same kind, or collections of them name by name.

    Parameters
    ----------
    parts : iterable of summaries, or of mappings from names to summaries
        Days, shards, batches.

    Returns
    -------
    summary, or dict of summaries
        Their sum. A name that only some of the mappings have is refused.

    Examples
    --------
    >>> from stakes import ConfusionMatrix
    >>> day = {"gbm": ConfusionMatrix([[9, 1], [1, 9]])}
    >>> merge_summaries([day, day])["gbm"].total
    40.0
    """
    total: Any = None
    for k, part in enumerate(parts):
        total = part if k == 0 else _added(total, part)
    if total is None:
        raise DataError("there is nothing to merge.")
    return total


def _added(first: Any, second: Any) -> Any:
    """Two summaries in one."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if set(first) != set(second):
            odd = sorted(set(first) ^ set(second), key=str)
            raise MergeError(
                f"the parts must hold the same names; {listed(odd)} is not in all of them.",
                hint="count every part with the same models",
            )
        return {name: _added(part, second[name]) for name, part in first.items()}
    if type(first) is not type(second):
        raise MergeError(
            f"summaries of different kinds cannot be added: a {_kind(first)} and a "
            f"{_kind(second)}.",
            hint="merge files of one kind; each file says its kind near its beginning",
        )
    return first + second


def _kind(summary: Any) -> str:
    """What a summary is called."""
    return "collection" if isinstance(summary, Mapping) else type(summary).__name__


def is_summary(path: str | Path) -> bool:
    """Whether a file looks like one that `save_summary` wrote, from its first and last bytes."""
    file = Path(path)
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        head = stream.read(64)
        if head[:4] != b"PAR1":
            return head.lstrip().startswith(b'{"format":"' + _FORMAT.encode() + b'"')
        stream.seek(max(0, file.stat().st_size - 65_536))
        return _FORMAT.encode() in stream.read()


def _parquet_bytes(content: dict[str, Any], name: str, digest: str) -> bytes:
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


def _parquet_content(data: bytes, name: str) -> dict[str, Any]:
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
