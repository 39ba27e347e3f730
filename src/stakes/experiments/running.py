"""Running items: what is absent is skipped with a reason, what was computed before is taken."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from stakes.exceptions import StakesError
from stakes.experiments.items import Cell, Context, Item, Outcome, Paper
from stakes.experiments.keeping import as_text, from_text

__all__ = ["Result", "Status", "kept_result", "run_item", "told", "why_skipped"]

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
    found = None if text is None else from_text(text, mark)
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
    """Compute an item; what goes wrong in it is told and stops nothing else."""
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
