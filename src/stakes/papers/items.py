"""What is reproduced: items of a paper, the numbers it printed, errata, and figures of several
panels.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError
from stakes.plots.style import COLOURS, DPI, LEGEND, LINE, TITLE, panels
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "DPI", "LEGEND", "LINE", "TITLE", "draw_lines", "mark", "panels"]


#: Where a number to compare with comes from: printed in the paper; a file of its authors; a run of
#: the same experiment by others; an equality or a yes or no that follows from the text, which is no
#: printed number; or a printed number that another cell is compared with already.
Source: TypeAlias = Literal["print", "authors", "independent", "equality", "again"]


# Print and text side by side: docs/design/papers.md.
@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a paper beside ours.

    `published` is `None` for a number that was not published, such as what a table would have
    shown had it followed the text; `source` says where it comes from otherwise. `tolerance` is
    half a unit of the last printed digit, or the stated Monte Carlo tolerance. `reading` tells
    variants apart: "as printed", "as the text says", "corrected". A name such as "Bayes / C01
    EC" puts the cell into the row before and the column after the stroke of a table that looks
    like the paper's; other names make a list. A cell that is not `available` stands for a
    printed number whose data cannot be had; ours is `nan`.
    """

    name: str
    published: float | None
    ours: float
    tolerance: float = 0.0
    reading: str = ""
    note: str = ""
    available: bool = True
    source: Source = "print"

    @property
    def difference(self) -> float:
        """Ours minus the published number; `nan` where nothing was published."""
        return math.nan if self.published is None else self.ours - self.published

    @property
    def agrees(self) -> bool | None:
        """Whether ours lies within the tolerance; `None` where there is nothing to compare."""
        if self.published is None or not self.available:
            return None
        # A half unit of the last digit is met exactly by numbers that round to it.
        return abs(self.difference) <= self.tolerance + 1e-9


@dataclass(frozen=True, slots=True)
class Claim:
    """Something a paper says, and what its own numbers, computed again, say about it.

    `holds` is `None` where they neither confirm nor refute it. `evidence` is a sentence with the
    numbers. `erratum` is the number of the erratum, from 1 to 8, where print and text disagree.
    """

    statement: str
    holds: bool | None
    evidence: str
    erratum: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an item computed: cells to compare, tables of numbers behind figures, and remarks.

    `claims` are what the paper concludes from this item, checked; they make the overview.
    """

    cells: tuple[Cell, ...] = ()
    tables: Mapping[str, Frame] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What an item may use: the folder of real scores, and a place to say how far it has come."""

    data: Path | None = None
    progress: Callable[[float], None] = lambda _: None


def no_figures(_: Outcome) -> dict[str, Figure]:
    """What an item without figures draws."""
    return {}


@dataclass(frozen=True, slots=True)
class Item:
    """One table, figure or worked example of a paper.

    `compute` does the arithmetic and returns numbers alone, so that they can be kept; `draw` makes
    the figures from those numbers. `needs` names the folders of real scores it reads, and
    `seconds` is about how long it takes, for the estimate that is shown.
    """

    key: str
    title: str
    compute: Callable[[Context], Outcome]
    draw: Callable[[Outcome], dict[str, Figure]] = no_figures
    needs: tuple[str, ...] = ()
    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: the key it goes by, how to cite it, and its items in the order of its pages."""

    key: str
    citation: str
    items: tuple[Item, ...]


class Erratum(NamedTuple):
    """A finding: its number, the paper, the place in it, and what was found, without figures."""

    number: int
    paper: str
    place: str
    finding: str


def published_rows(*place: str) -> list[dict[str, str]]:
    """Rows of a file that papers come with, such as published numbers, as they are written."""
    text = files("stakes.papers").joinpath(*place).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


ERRATA = tuple(Erratum(int(row.pop("number")), **row) for row in published_rows("errata.csv"))


def data_of(context: Context) -> Path:
    """The folder of data; an error where there is none."""
    if context.data is None:
        raise DataError("this item reads real data.", hint="set STAKES_DATA")
    return context.data


def mark(ax: Any, place: float, label: str = "", *, color: str = "#767676") -> None:
    """A dashed vertical line at a place of the abscissa."""
    ax.axvline(place, color=color, linewidth=1.0, linestyle=(0, (4, 3)), label=label or None)


def as_curve(frame: Frame) -> Any:
    """A table as the object that a drawing of `stakes.plots` takes."""
    return SimpleNamespace(normalized=True, **{name: frame[name] for name in frame.columns})


def draw_lines(ax: Any, table: Frame, x: str, names: Sequence[str], **labels: str) -> None:
    """Columns of a table against one of them, each in its colour and with its label."""
    for color, name in zip(COLOURS, names, strict=False):
        ax.plot(table[x], table[name], color=color, linewidth=LINE, label=labels.get(name, name))


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
