"""The common part of all summaries: saving and loading, and the rule that made the decisions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from stakes._guesses import AnswersGuesses
from stakes.exceptions import MergeError
from stakes.messages.audience import either
from stakes.typing import FloatArray


class Storable(AnswersGuesses):
    """Gives a summary `save` and `load`; see `stakes.summaries.save_summary`."""

    def save(self, path: str | Path) -> None:
        """Write it to a small file, ``.json`` or ``.parquet``, that can be added to others."""
        from stakes.summaries.stored_file import save_summary

        save_summary(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read it back; a file of another kind of summary is refused."""
        from stakes.exceptions import FormatError
        from stakes.summaries.stored_file import load_summary

        found = load_summary(path)
        if not isinstance(found, cls):
            kind, hint = type(found).__name__, "stakes.summaries.load_summary(path)"
            if isinstance(found, dict):
                kind = "collection of " + ", ".join(map(repr, found))
                hint += f"[{next(iter(found))!r}]"
            else:
                hint = f"{kind}.load(path), or {hint} for any kind"
            message = f"{Path(path).name} holds a {kind}, not a {cls.__name__}."
            raise FormatError(message, hint=hint)
        return found

    def __radd__(self, other: object) -> Self:
        return self if other == 0 else NotImplemented  # so that sum() works


def alike(python: str) -> str:
    """The hint for parts with different names, which do not add up."""
    return either(
        python, "judge the same models at the same costs each time:  stakes eval --save FILE"
    )


#: Longest text of a table in a message.
_LONGEST = 80


@dataclass(frozen=True, slots=True, eq=False)
class DecidedBy:
    """The costs and class shares that decided posteriors; only equal ones can be added."""

    costs: FloatArray
    priors: FloatArray | None = None
    from_priors: FloatArray | None = None

    def __add__(self, other: Any) -> DecidedBy:
        if not isinstance(other, DecidedBy):
            return NotImplemented
        for what, first, second in (
            ("costs", self.costs, other.costs),
            ("priors", self.priors, other.priors),
            ("base rates", self.from_priors, other.from_priors),
        ):
            if not np.array_equal(first, second):  # type: ignore[arg-type] # None is no array
                raise MergeError(
                    f"posteriors were decided by different {what}: {_shown(first)} and "
                    f"{_shown(second)}.",
                    hint="count again from the rows; these counts are of different decisions",
                )
        return self


def _shown(values: FloatArray | None) -> str:
    """The numbers as people type them, shortened if there are many."""
    if values is None:
        return "those of the data"
    text = str(values.tolist()).replace(".0]", "]").replace(".0,", ",")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
