"""Everything `stakes` raises on purpose.

::

    StakesError (ValueError)
    ├── CostError           a cost matrix that makes no sense
    ├── PriorError          class shares that are not shares, or are missing
    ├── PosteriorError      numbers that are not posterior probabilities
    ├── LabelError          labels or decisions that are not among the names
    ├── DataError           rows that cannot be used as they are
    ├── FormatError         a file that cannot be read without guessing
    ├── MergeError          summaries that do not describe the same thing
    ├── UndefinedError      a number that does not exist for this input
    └── MissingExtraError   an optional dependency is absent (also ImportError)

Every error carries `message` (what, where, how many), `hint` (what to type instead)
and `rows` (the first offending row positions), so that programs can use them too. What a caller
acts on also has a `code`, so that no program has to read the words.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "CostError",
    "DataError",
    "FormatError",
    "LabelError",
    "MergeError",
    "MissingExtraError",
    "PosteriorError",
    "PriorError",
    "StakesError",
    "UndefinedError",
]


# What an error says: docs/design/errors.md.
class StakesError(ValueError):
    """Root of all errors raised on purpose."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        rows: Sequence[int] | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message if hint is None else f"{message}\nHint: {hint}")
        self.message = message
        self.hint = hint
        self.code = code
        self.rows = tuple(int(row) for row in rows) if rows is not None else ()


class CostError(StakesError):
    """A cost matrix that makes no sense."""


class PriorError(StakesError):
    """Class shares that are not shares, or are missing where they are needed."""


class PosteriorError(StakesError):
    """Numbers that are not posterior probabilities."""


class LabelError(StakesError):
    """Labels or decisions that are not among the names."""


class DataError(StakesError):
    """Rows that cannot be used as they are."""


class FormatError(StakesError):
    """A file that cannot be read without guessing."""


class MergeError(StakesError):
    """Summaries that do not describe the same classes and decisions."""


class UndefinedError(StakesError):
    """A number that does not exist for this input."""


class MissingExtraError(StakesError, ImportError):
    """An optional dependency is absent; the message holds the install line."""
