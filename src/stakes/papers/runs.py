"""The papers in their order, and their items: skipped with a reason, computed before, or
computed now.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError, StakesError
from stakes.papers.items import Cell, Claim, Context, Item, Outcome, Paper
from stakes.results import Frame

#: Parts of the package that show numbers and do not make them.
_FACES = {"cli", "demonstration", "integrations", "report", "testing"}
#: Changes with the form in which outcomes are written down.
_FORM = 1


def fingerprint(paper: Paper, item: Item, data: Path | None) -> str:
    """What the numbers of an item depend on, in 64 digits.

    The version, the sources of the package that make numbers (of the papers, only the folder of
    this one), the versions of NumPy and SciPy, and the files of real scores that it reads.
    """
    import scipy

    from stakes import __version__

    digest = hashlib.sha256()
    facts = (_FORM, __version__, np.__version__, scipy.__version__, paper.key, item.key)
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
    return hashlib.sha256(f"{name}\n{size}\n".encode() + path.read_bytes()).digest()


def _sources(package: Path, key: str) -> Iterator[Path]:
    """The files that numbers of a paper are made by."""
    for path in sorted(package.rglob("*")):
        room, *inside = path.relative_to(package).parts
        others = room == "papers" and len(inside) > 1 and key not in inside
        if path.suffix in (".py", ".csv") and room not in _FACES and not others:
            yield path


def as_text(outcome: Outcome, mark: str, seconds: float) -> str:
    """An outcome as JSON, with the fingerprint for which it holds."""
    record = {
        "mark": mark,
        "seconds": seconds,
        "cells": [asdict(cell) for cell in outcome.cells],
        "tables": {
            name: {column: frame[column].tolist() for column in frame.columns}
            for name, frame in outcome.tables.items()
        },
        "remarks": list(outcome.remarks),
        "claims": [asdict(claim) for claim in outcome.claims],
    }
    return json.dumps(record, separators=(",", ":"), default=lambda value: value.item())


def _from_text(text: str, mark: str) -> tuple[Outcome, float] | None:
    """What was kept and how long it took; None if unreadable or made from other inputs."""
    try:
        record = json.loads(text)
        if record["mark"] != mark:
            return None
        outcome = Outcome(
            cells=tuple(Cell(**each) for each in record["cells"]),
            tables={
                name: Frame({column: _column(values) for column, values in columns.items()})
                for name, columns in record["tables"].items()
            },
            remarks=tuple(record["remarks"]),
            claims=tuple(Claim(**each) for each in record["claims"]),
        )
        return outcome, float(record["seconds"])
    except (ValueError, KeyError, TypeError):
        return None


def _column(values: list[Any]) -> NDArray[Any] | list[Any]:
    """Numbers as floats again where they were; names as they are."""
    return values if any(isinstance(value, str) for value in values) else np.asarray(values)


Status = Literal["computed", "kept", "skipped", "failed", "not run"]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of an item: its outcome, or why there is none."""

    paper: Paper
    item: Item
    status: Status
    outcome: Outcome | None = None
    reason: str = ""
    seconds: float = 0.0

    @property
    def compared(self) -> tuple[Cell, ...]:
        """The cells that have a published number and ours."""
        cells = () if self.outcome is None else self.outcome.cells
        return tuple(cell for cell in cells if cell.agrees is not None)

    @property
    def printed(self) -> tuple[Cell, ...]:
        """Those of them whose published number the paper prints, each number once."""
        return tuple(cell for cell in self.compared if cell.source == "print")

    @property
    def outside(self) -> tuple[Cell, ...]:
        """The cells outside their tolerance."""
        return tuple(cell for cell in self.compared if not cell.agrees)

    @property
    def good(self) -> bool:
        """Whether nothing that was computed disagrees and nothing failed."""
        return self.status != "failed" and not self.outside


def why_skipped(item: Item, data: Path | None) -> str:
    """Why an item cannot run here; empty when it can."""
    if not item.needs:
        return ""
    if data is None:
        return f"needs {', '.join(item.needs)} in the folder that STAKES_DATA names"
    absent = [name for name in item.needs if not (data / name).is_dir()]
    return f"{data} has no {', '.join(absent)}" if absent else ""


def kept_result(paper: Paper, item: Item, text: str | None, mark: str) -> Result | None:
    """The result from what was written down before, if it still holds."""
    found = None if text is None else _from_text(text, mark)
    return None if found is None else Result(paper, item, "kept", found[0], seconds=found[1])


def told(error: Exception) -> str:
    """An error in a line: its message and what to do, or, if unexpected, where it arose."""
    if isinstance(error, StakesError):
        return f"{error.message} Hint: {error.hint}" if error.hint else error.message
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}: {error}"


def run_item(
    paper: Paper, item: Item, data: Path | None, progress: Callable[[float], None]
) -> Result:
    """Compute an item; an error in it is reported and does not stop the others."""
    reason = why_skipped(item, data)
    if reason:
        return Result(paper, item, "skipped", reason=reason)
    start = time.perf_counter()
    try:
        outcome = item.compute(Context(data=data, progress=progress))
        as_text(outcome, "", 0.0)  # what cannot be kept is found here, not after the last item
    except ImportError as error:
        reason = error.hint if isinstance(error, StakesError) and error.hint else str(error)
        return Result(paper, item, "skipped", reason=f"an extra is missing: {reason}")
    except Exception as error:
        return Result(paper, item, "failed", reason=told(error))
    return Result(paper, item, "computed", outcome, seconds=time.perf_counter() - start)


KEYS = ("ferrer2025", "ferrer2022", "dyrland2022", "cumani", "wa2025")


def papers() -> tuple[Paper, ...]:
    """Every paper whose folder is there."""
    found = (_paper(key) for key in KEYS)
    return tuple(paper for paper in found if paper is not None)


def paper_of(key: str) -> Paper:
    """The paper that goes by a key."""
    paper = _paper(key) if key in KEYS else None
    if paper is None:
        names = [each.key for each in papers()]
        raise DataError(f"there is no paper {key!r}.", hint=_names_like(key, names))
    return paper


def item_of(paper: Paper, key: str) -> Item:
    """An item of a paper by its key."""
    items = {item.key: item for item in paper.items}
    if key not in items:
        raise DataError(f"{paper.key} has no item {key!r}.", hint=_names_like(key, list(items)))
    return items[key]


def _names_like(key: str, names: list[str]) -> str:
    """The name that was probably meant, and all of them."""
    near = get_close_matches(key.lower().replace(" ", ""), names, n=1)
    meant = f"did you mean {near[0]}?\n" if near else ""
    return f"{meant}one of: {', '.join(names)}"


def _paper(key: str) -> Paper | None:
    """The paper of a folder, or None where there is no such folder or it declares none."""
    name = f"stakes.papers.{key}"
    if importlib.util.find_spec(name) is None:
        return None
    paper = getattr(importlib.import_module(name), "PAPER", None)
    return paper if isinstance(paper, Paper) else None
