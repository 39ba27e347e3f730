"""Text files and pictures that are there whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import io
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stakes import _files
from stakes._files import refuse_unwritable
from stakes._optional import load
from stakes.exceptions import DataError, FormatError
from stakes.inquiry.inquiry import Inquiry
from stakes.report.canvas import svg_of
from stakes.sources.patterns import fitting


def files_read(inquiry: Inquiry, *others: str | None) -> list[str]:
    """The files, patterns and folders that an inquiry reads, and others that its command does."""
    words = [inquiry.file, inquiry.costs, inquiry.trials, *others]
    label = inquiry.label or ""
    words += [label] if label.endswith(".npy") else []  # else it is a column
    lists = [inquiry.confusion, inquiry.more, inquiry.scores if inquiry.trials else None]
    words += [word for each in lists if each is not None for word in each.split(",")]
    return [word for word in words if isinstance(word, str) and word]


def refuse_overwriting(outputs: Mapping[str, str | None], inputs: Iterable[str | None]) -> None:
    """Raise where an option would write over a file that is read, or over another option's.

    Links are followed, ``-`` is the file that standard input comes from, and a pattern stands for
    the files that it fits. Nothing is written into a folder that is read.
    """
    taken = {name: f"which is read ({name})" for name in inputs if name}
    for option, path in outputs.items():
        if not path or (Path(path).exists() and not Path(path).is_file()):
            continue  # pipes and terminals are not replaced
        for name, what in taken.items():
            if _inside(Path(path), Path(name)):
                raise DataError(
                    f"{option} {path} lies in a folder {what}, where the next run would meet it.",
                    hint=f"write to another folder:  {option} {Path(path).name}",
                )
            if _same(name, Path(path)):
                new = Path(path).with_name(f"{Path(path).stem}_new{Path(path).suffix}")
                raise DataError(
                    f"{option} {path} would overwrite a file {what}.",
                    hint=f"write to another one:  {option} {new}",
                )
        taken[path] = f"that {option} writes"


def _inside(path: Path, folder: Path) -> bool:
    """Whether a file lies, or would lie, in a folder that is there."""
    with contextlib.suppress(OSError, ValueError):
        return folder.is_dir() and path.resolve().is_relative_to(folder.resolve())
    return False


def _same(name: str, path: Path) -> bool:
    """Whether two names lead to one file, whether it is there or not."""
    with contextlib.suppress(OSError, ValueError):
        if name == "-":
            return os.path.samestat(os.fstat(sys.stdin.fileno()), path.stat())
        if Path(name).resolve() == path.resolve() or (Path(name).exists() and path.samefile(name)):
            return True
        fits = fitting(name) if glob.has_magic(name) else ()
        return path.is_file() and any(path.samefile(each) for each in fits)
    return False


def write_whole(path: Path, text: str) -> int:
    """Write a text file through a temporary one in the same folder; return its size in bytes."""
    return _files.write_whole(path, text.encode("utf-8"))


def refuse_undrawable(path: str) -> None:
    """Raise before any work where a picture could not be written."""
    kinds = load("matplotlib.backend_bases", extra="plots").FigureCanvasBase.filetypes
    if _kind(path) not in kinds:
        stem = Path(path).stem or "picture"
        raise FormatError(
            f"I cannot draw into '{path}'.", hint=f"{stem}.svg, {stem}.png or {stem}.pdf"
        )
    refuse_unwritable(Path(path))


def write_picture(figure: Any, path: str) -> None:
    """The figure in a file of the kind that its name says; in SVG, text stays text."""
    if _kind(path) == "svg":
        write_whole(Path(path), svg_of(figure))
        return
    stream = io.BytesIO()
    figure.savefig(stream, format=_kind(path), bbox_inches="tight")
    _files.write_whole(Path(path), stream.getvalue())


def _kind(path: str) -> str:
    """The ending, which says the kind of picture."""
    return Path(path).suffix.removeprefix(".").lower()
