"""Text files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from stakes import _files

__all__ = ["write_whole"]


def write_whole(path: Path, text: str) -> int:
    """Write a text file through a temporary one in the same folder; return its size in bytes."""
    return _files.write_whole(path, text.encode("utf-8"))
