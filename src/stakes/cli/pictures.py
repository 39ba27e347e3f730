"""Pictures that are written to files: of a kind that can be drawn, whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from stakes._files import refuse_unwritable, write_whole
from stakes._optional import load
from stakes.exceptions import FormatError
from stakes.report.canvas import svg_of

__all__ = ["refuse_undrawable", "write_picture"]


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
        write_whole(Path(path), svg_of(figure).encode())
        return
    stream = io.BytesIO()
    figure.savefig(stream, format=_kind(path), bbox_inches="tight")
    write_whole(Path(path), stream.getvalue())


def _kind(path: str) -> str:
    """The ending, which says the kind of picture."""
    return Path(path).suffix.removeprefix(".").lower()
