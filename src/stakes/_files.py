"""Write files completely or not at all."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stakes._columns import in_brief
from stakes.exceptions import FormatError


def as_path(path: Any) -> Path:
    """A path as people give it, as text or a Path; anything else cannot name a file."""
    if isinstance(path, (str, os.PathLike)):
        with contextlib.suppress(TypeError, ValueError):  # a lone surrogate; a path of bytes
            file = Path(path)
            if b"\0" not in os.fsencode(file):
                return file
    raise FormatError(f"`path` must name a file; got {in_brief(path)}.", hint='path="name.ext"')


def refuse_unwritable(path: Path) -> None:
    """Raise if a file cannot be written, as far as that can be checked beforehand."""
    if is_device(path):
        return
    target = real_path(path)
    if target.is_symlink():
        raise FormatError(f"'{path}' is a link that leads back to itself.", hint="remove it first")
    if not target.parent.is_dir():
        raise FormatError(
            f"there is no folder '{path.parent}' to write {path.name} into.",
            hint=f"make it first:  mkdir -p {shlex.quote(str(path.parent))}",
        )
    if target.is_dir():
        raise FormatError(f"'{path}' is a folder, not a file.", hint="add the name of a file to it")
    if not os.access(target.parent, os.W_OK):
        raise FormatError(
            f"no permission to write {path.name} into '{path.parent}'.",
            hint="write it into a folder of your own",
        )


def real_path(path: str | Path) -> Path:
    """The path that links lead to; `resolve` would fail on a link that leads back to itself."""
    return Path(os.path.realpath(path))


def is_device(path: Path) -> bool:
    """Whether it is a pipe or a terminal, which is written to and not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


# Files are there whole or not at all: docs/design/files.md.
@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file in the folder of `path`, which gets its name when all is written."""
    target = real_path(path)  # a link is followed, not replaced
    kept = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise FormatError(
            f"'{path}' cannot be written: {error.strerror or error}.",
            hint="write it into another folder",
        ) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with contextlib.suppress(OSError):  # as before, or as an ordinary new file would be
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask if kept is None else kept)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes, *, lasting: bool = False) -> int:
    """Write a file through a temporary one in the same folder; return its size in bytes.

    An interrupted write leaves the old file, or none. With `lasting` the bytes are on the disk
    before the file gets its name, so that a machine that stops leaves no empty file either.
    """
    refuse_unwritable(path)
    if is_device(path):
        path.write_bytes(data)
        return len(data)
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        stream.write(data)
        if lasting:
            stream.flush()
            os.fsync(stream.fileno())
    return len(data)
