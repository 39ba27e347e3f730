"""Summaries in files: small, versioned, with a checksum, there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stakes._files import write_whole
from stakes._names import listed
from stakes._sealed import Seal, checksum
from stakes.exceptions import DataError, FormatError, MergeError, StakesError
from stakes.summaries.stored_form import plain_form, summary_of

__all__ = ["is_summary", "load_summary", "merge_summaries", "save_summary"]

FORMAT = "stakes summary"
VERSION = 1
_SEAL = Seal(
    FORMAT,
    VERSION,
    what="a summary",
    again="copy it again from where it was counted, or count again",
    written="a summary is written by save_summary(...), or by stakes eval ... --save FILE",
)
PARQUET = (".parquet", ".pq")


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
    content = {"version": VERSION, "summary": plain_form(summary)}
    if file.suffix.lower() in PARQUET:
        from stakes.summaries.stored_parquet import parquet_bytes

        data = parquet_bytes(content, FORMAT, checksum(content))
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
    A file that was cut off, changed, or written by a newer version is refused, with what is
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
        from stakes.summaries.stored_parquet import parquet_content

        whole = parquet_content(data, file.name)
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
            return head.lstrip().startswith(b'{"format":"' + FORMAT.encode() + b'"')
        stream.seek(max(0, file.stat().st_size - 65_536))
        return FORMAT.encode() in stream.read()
