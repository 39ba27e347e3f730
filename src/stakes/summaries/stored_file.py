"""Summaries in files: small, versioned, with a checksum, and written whole or not at all."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from stakes._checks import of_kind
from stakes._checksums import Seal, checksum
from stakes._files import as_path, write_whole
from stakes._names import listed
from stakes._optional import load
from stakes.exceptions import DataError, FormatError, MergeError, StakesError
from stakes.summaries.plain_form import beyond_json, plain_form, summary_of

_FORMAT = "stakes summary"
_VERSION = 2
_SEAL = Seal(
    _FORMAT,
    _VERSION,
    what="a summary",
    again="copy it again from where it was counted, or count again",
    written="a summary is written by save_summary(...), or by stakes eval ... --save FILE",
)


# docs/design/saved-summaries.md describes the files.
def save_summary(summary: Any, path: str | Path) -> None:
    """Write a summary to a file that can be read back exactly and added to others.

    Use it for a checkpoint of a long count, yesterday's counts, or one shard of many.

    Parameters
    ----------
    summary : summary, or mapping from names to summaries
        A ConfusionMatrix, ScoreCounts, ScoreBins, CostTally, PairedCounts or GroupedCounts, or
        several by name, such as one for each model.
    path : str or path
        The file; ``.parquet`` needs the extra `parquet`, anything else is written as JSON.

    Notes
    -----
    The file holds the version of its format and the SHA-256 of its content. It is written under
    another name and then renamed, so an interrupted run leaves the previous file, or none. Floats
    and integers of any size are restored exactly; no code is stored, and reading runs none.

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
    file = as_path(path)
    content = {"version": _VERSION, "summary": plain_form(summary)}
    in_parquet = file.suffix.lower() in (".parquet", ".pq")
    write_whole(file, (_parquet_bytes if in_parquet else _SEAL.sealed)(content), lasting=True)


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
    A file that was cut off, changed, or written by another version is refused; the error says
    what is wrong and where.

    Examples
    --------
    >>> import tempfile
    >>> from stakes import ConfusionMatrix
    >>> file = Path(tempfile.mkdtemp()) / "day.json"
    >>> ConfusionMatrix([[90, 5], [1, 4]], classes=["no", "yes"]).save(file)
    >>> load_summary(file)
    ConfusionMatrix(100 cases: 'no', 'yes' x 'no', 'yes')
    """
    file = as_path(path)
    data = file.read_bytes()
    parsed = _parquet_content if data[:4] == b"PAR1" else _SEAL.parsed
    content = _SEAL.opened(parsed(data, file.name), file.name, file)
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
    each = iter(of_kind(parts, "parts", Iterable))
    try:
        return reduce(_added, each, next(each))
    except StopIteration:
        raise DataError("there is nothing to merge.") from None


def _added(first: Any, second: Any) -> Any:
    """The sum of two summaries, or of two mappings name by name."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if set(first) != set(second):
            odd = sorted(set(first) ^ set(second), key=str)
            raise MergeError(
                f"the parts must hold the same names; {listed(odd)} is not in all of them.",
                hint="count every part with the same models",
            )
        return {name: _added(part, second[name]) for name, part in first.items()}
    if type(first) is not type(second):
        kinds = [type(part).__name__.replace("dict", "collection") for part in (first, second)]
        raise MergeError(
            f"summaries of different kinds cannot be added: a {' and a '.join(kinds)}.",
            hint="merge files of one kind; each file says its kind near its beginning",
        )
    return first + second


def is_summary(path: str | Path) -> bool:
    """Whether a file looks like one that `save_summary` wrote, from its first and last bytes."""
    file = as_path(path)
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        head = stream.read(64)
        if head[:4] != b"PAR1":
            return head.lstrip().startswith(b'{"format":"' + _FORMAT.encode() + b'"')
        stream.seek(max(0, file.stat().st_size - 65_536))
        return _FORMAT.encode() in stream.read()


def _parquet_bytes(content: dict[str, Any]) -> bytes:
    """A Parquet file whose columns are the arrays of the content; the rest is JSON in its head."""
    pa, parquet = (load(each, extra="parquet") for each in ("pyarrow", "pyarrow.parquet"))
    columns = {}

    def moved(form: dict[str, Any], path: str) -> dict[str, Any]:
        kind = form["dtype"].replace("float16", "float32")
        columns[path] = pa.array([np.array(form["values"], kind)])
        return {"dtype": form["dtype"], "shape": form["shape"], "column": path}

    header = {"format": _FORMAT, "sha256": checksum(content), **_with_arrays(content, moved)}
    table = pa.table(columns).replace_schema_metadata({_FORMAT: json.dumps(header)})
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def _parquet_content(data: bytes, name: str) -> Any:
    """The content of a Parquet file, with the header that it was written with."""
    pa, parquet = (load(each, extra="parquet") for each in ("pyarrow", "pyarrow.parquet"))
    try:
        table = parquet.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise FormatError(
            f"{name} is a damaged Parquet file: {str(error).splitlines()[0]}", hint=_SEAL.again
        ) from None
    found = (table.schema.metadata or {}).get(_FORMAT.encode())
    if found is None or table.num_rows != 1:
        raise FormatError(
            f"{name} is a Parquet file of rows, not of a summary.",
            hint=f"count it first:  stakes eval {name} ... --save day.json",
        )

    def back(form: dict[str, Any], _: str) -> dict[str, Any]:
        values = [beyond_json(value) for value in table[form["column"]][0].as_py()]
        return {"dtype": form["dtype"], "shape": form["shape"], "values": values}

    try:
        return _with_arrays(json.loads(found), back)
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{name} is a damaged summary: {error}.") from None


def _with_arrays(form: Any, change: Callable[[dict[str, Any], str], Any], path: str = "") -> Any:
    """The content with each of its arrays changed; `path` is its position in the whole."""
    if isinstance(form, list):
        return [_with_arrays(part, change, f"{path}.{k}") for k, part in enumerate(form)]
    if not isinstance(form, dict):
        return form
    if {"dtype", "shape"} < set(form):
        return change(form, path)
    return {k: _with_arrays(part, change, f"{path}.{k}".strip(".")) for k, part in form.items()}
