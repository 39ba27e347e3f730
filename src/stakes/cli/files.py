"""Text files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from stakes import _files
from stakes.exceptions import DataError

__all__ = ["refuse_overwriting", "write_whole"]


def refuse_overwriting(outputs: Mapping[str, str | None], inputs: Iterable[str | None]) -> None:
    """Raise where an option would write over a file that is read, or over another option's.

    Links are followed, and ``-`` is the file that standard input comes from.
    """
    taken = {name: f"which is read ({name})" for name in inputs if name}
    for option, path in outputs.items():
        if not path or (Path(path).exists() and not Path(path).is_file()):
            continue  # pipes and terminals are not replaced
        for name, what in taken.items():
            if _same(name, Path(path)):
                new = Path(path).with_name(f"{Path(path).stem}_new{Path(path).suffix}")
                raise DataError(
                    f"{option} {path} would overwrite a file {what}.",
                    hint=f"write to another one:  {option} {new}",
                )
        taken[path] = f"that {option} writes"


def _same(name: str, path: Path) -> bool:
    """Whether two names lead to one file, whether it is there or not."""
    with contextlib.suppress(OSError, ValueError):
        if name == "-":
            return os.path.samestat(os.fstat(sys.stdin.fileno()), path.stat())
        return Path(name).resolve() == path.resolve() or path.samefile(name)
    return False


def write_whole(path: Path, text: str) -> int:
    """Write a text file through a temporary one in the same folder; return its size in bytes."""
    return _files.write_whole(path, text.encode("utf-8"))
