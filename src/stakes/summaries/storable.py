"""Storable: what lets a summary go to a file and come back."""

from __future__ import annotations

from pathlib import Path
from typing import Self


class Storable:
    """Gives a summary `save` and `load`; see `stakes.summaries.save_summary`."""

    def save(self, path: str | Path) -> None:
        """Write it to a small file that adds up with others: ``.json`` or ``.parquet``."""
        from stakes.summaries.stored_file import save_summary

        save_summary(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read it back; a file of another kind of summary is refused."""
        from stakes.exceptions import FormatError
        from stakes.summaries.stored_file import load_summary

        found = load_summary(path)
        if not isinstance(found, cls):
            kind = type(found).__name__
            raise FormatError(
                f"{Path(path).name} holds a {kind}, not a {cls.__name__}.",
                hint=f"{kind}.load(path), or stakes.summaries.load_summary(path) for any kind",
            )
        return found
