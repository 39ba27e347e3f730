"""Numbers that were computed before: how they are written down, and when they still hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.experiments.items import Cell, Claim, Item, Outcome, Paper
from stakes.results import Frame

__all__ = ["as_text", "fingerprint", "from_text"]

#: Parts of the package that show numbers and do not make them.
FACES = {"cli", "demonstration", "integrations", "report", "testing"}
#: Changes with the form in which outcomes are written down.
FORM = 1


def fingerprint(paper: Paper, item: Item, data: Path | None) -> str:
    """What the numbers of an item depend on, in 64 digits.

    The version, the sources of the package that make numbers (of the papers, only the folder of
    this one), the versions of NumPy and SciPy, and the files of real scores that it reads.
    """
    import scipy

    from stakes import __version__

    digest = hashlib.sha256()
    facts = (FORM, __version__, np.__version__, scipy.__version__, paper.key, item.key)
    digest.update(repr(facts).encode())
    package = Path(__file__).parent.parent
    for path in _sources(package, paper.key):
        digest.update(_of_file(path, package))
    if data is not None:
        for folder in (data / name for name in item.needs):
            for path in sorted(file for file in folder.rglob("*") if file.is_file()):
                digest.update(_of_file(path, data))
    return digest.hexdigest()


def _of_file(path: Path, folder: Path) -> bytes:
    """The name of a file in its folder and what it holds, in 32 bytes."""
    seen = path.stat()
    return _read(path, path.relative_to(folder).as_posix(), seen.st_size, seen.st_mtime_ns)


@lru_cache(maxsize=4096)
def _read(path: Path, name: str, size: int, changed: int) -> bytes:
    """The same, read once as long as the file keeps its size and its time."""
    digest = hashlib.sha256(f"{name}\n{size}\n".encode())
    with path.open("rb") as file:
        digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.digest()


def _sources(package: Path, key: str) -> Iterator[Path]:
    """The files that numbers of a paper are made by."""
    experiments = package / "experiments"
    for path in sorted(package.rglob("*")):
        parts = path.relative_to(package).parts
        if path.suffix not in (".py", ".csv") or parts[0] in FACES:
            continue
        folder = path.parent
        if parts[0] == "experiments" and folder != experiments and key not in parts:
            continue
        yield path


def as_text(outcome: Outcome, mark: str, seconds: float) -> str:
    """An outcome as JSON, with the fingerprint for which it holds."""
    record = {
        "mark": mark,
        "seconds": seconds,
        "cells": [asdict(cell) for cell in outcome.cells],
        "tables": {name: _frame_record(frame) for name, frame in outcome.tables.items()},
        "remarks": list(outcome.remarks),
        "claims": [asdict(claim) for claim in outcome.claims],
    }
    return json.dumps(record, separators=(",", ":"), default=lambda value: value.item())


def from_text(text: str, mark: str) -> tuple[Outcome, float] | None:
    """What was kept and how long it took; None if unreadable or made from other inputs."""
    try:
        record = json.loads(text)
        if record["mark"] != mark:
            return None
        outcome = Outcome(
            cells=tuple(Cell(**each) for each in record["cells"]),
            tables={name: _frame(each) for name, each in record["tables"].items()},
            remarks=tuple(record["remarks"]),
            claims=tuple(Claim(**each) for each in record["claims"]),
        )
        return outcome, float(record["seconds"])
    except (ValueError, KeyError, TypeError):
        return None


def _frame_record(frame: Frame) -> dict[str, Any]:
    """The columns of a table as lists."""
    return {name: frame[name].tolist() for name in frame.columns}


def _frame(record: dict[str, Any]) -> Frame:
    """A table from its columns."""
    return Frame({name: _column(values) for name, values in record.items()})


def _column(values: list[Any]) -> NDArray[Any] | list[Any]:
    """Numbers as floats again where they were; names as they are."""
    return values if any(isinstance(value, str) for value in values) else np.asarray(values)
