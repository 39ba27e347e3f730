"""Figures of several panels, and scores of real systems as they lie in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError
from stakes.plots.style import COLOURS, DPI, LEGEND, LINE, TITLE, panels

__all__ = ["COLOURS", "DPI", "LEGEND", "LINE", "TITLE", "mark", "panels", "read_scores"]


def mark(ax: Any, place: float, label: str = "", *, color: str = "#767676") -> None:
    """A dashed vertical line at a place of the abscissa."""
    ax.axvline(place, color=color, linewidth=1.0, linestyle=(0, (4, 3)), label=label or None)


def read_scores(folder: Path) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Scores, a row a case and a column a class, and true classes; damaged files are named."""
    scores = _array(folder / "scores.npy").astype(np.float64)
    y = _array(folder / "targets.npy")
    if scores.ndim != 2 or y.ndim != 1 or len(scores) != len(y) or not len(y):
        raise DataError(
            f"{folder} has scores of shape {scores.shape} and targets of shape {y.shape}.",
            hint="a row of scores for each target: copy the folder again",
        )
    if not np.isfinite(scores).all() or not np.isin(y, range(scores.shape[1])).all():
        raise DataError(
            f"{folder} has scores that are not numbers, or targets other than 0 to "
            f"{scores.shape[1] - 1}.",
            hint="copy the folder again",
        )
    return scores, y.astype(np.intp)


def _array(path: Path) -> NDArray[Any]:
    """An array of numbers from a file."""
    try:
        with path.open("rb") as file:
            found: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise DataError(
            f"{path} is damaged, or no NumPy file of numbers.", hint="copy it again"
        ) from error
    if found.dtype.kind not in "biuf":
        raise DataError(f"{path} holds no numbers.", hint="copy it again")
    return found
